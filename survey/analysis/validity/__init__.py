"""Checks of whether respondents followed the instructions, and of the effect if they did not.

It may import what `analysis` may. Start reading in `validity`.
"""
