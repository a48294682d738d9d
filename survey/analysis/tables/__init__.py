"""Cross-tabulations, association and correlation.

It may import what `analysis` may. Start reading in `crosstabs`.
"""
