"""Variables for analyses: the columns of answers and of reports, and how each was randomised.

Start reading in `variables`.
"""
