"""Cross-tabs, association and correlation.

Start reading in `crosstabs`.
"""
