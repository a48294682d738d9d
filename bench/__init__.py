"""Benchmarks of Candor and other implementations in one run.

`make bench` runs all of them. `python -m bench` runs those that the installed packages allow. This
is never part of the product: nothing in survey/ imports it. docs/evidence/benchmarks.md explains
the tables.
"""
