"""Estimates with intervals, computed from counts of reports.

It may import `core` and `definition`. Start reading in `build_results`, then in `share_estimates`.
"""
