"""Decision trees of randomised answers.

Start reading in `trees`.
"""
