"""The results page, its files and links, weights, and central DP releases.

Start reading in `routes`.
"""
