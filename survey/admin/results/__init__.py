"""The results page, its files and links, weights, and central DP releases.

It may import what `admin` may. Start reading in `routes`.
"""
