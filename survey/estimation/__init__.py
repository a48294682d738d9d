"""From counts of reports to estimates with intervals.

It may import `core` and `definition`. Start reading in `build_results`, then in `share_estimates`.
"""
