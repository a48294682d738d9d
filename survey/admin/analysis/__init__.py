"""Pages of analyses across several questions.

It may import what `admin` may. Start reading in `pages`; survey/web/analyses/ computes their
results.
"""
