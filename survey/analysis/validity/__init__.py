"""Whether respondents followed the instructions, and how much cheating changes estimates.

Start reading in `validity`.
"""
