"""From counts of reports to estimates with intervals.

It may import `core` and `definition`. Start reading in `share_estimates`.
"""
