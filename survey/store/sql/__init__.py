"""The SQL that both databases share: one module for each kind of thing that is stored.

It may import what `store` may. Start reading in `surveys`, then in `responses`.
"""
