"""Whether respondents followed the instructions, and how much cheating changes estimates.

It may import what `analysis` may. Start reading in `validity`.
"""
