"""What SQLite does in its own way: connections, the pool of them, schema and log.

It may import what `store` may. Start reading in `connections`, then in `pool`.
"""
