"""Candor beside its peers, in one run: `make bench`, or `python -m bench` for what needs no peers.

Never part of the product: nothing in survey/ imports this. docs/evidence/benchmarks.md explains the
tables.
"""
