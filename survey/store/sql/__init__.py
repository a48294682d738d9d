"""The SQL that both databases share.

It may import what `store` may. Start reading in `statements`, then in `responses`.
"""
