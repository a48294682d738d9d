"""Comparisons of groups.

Start reading in `groups`.
"""
