"""Comparisons of groups.

It may import what `analysis` may. Start reading in `groups`.
"""
