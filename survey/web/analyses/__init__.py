"""Analyses as the researcher's pages, files and the API give them: one request, one result.

It may import what `web` may. Start reading in `kinds`, which lists the analyses.
"""
