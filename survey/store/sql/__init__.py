"""The SQL that both databases share.

Start reading in `statements`.
"""
