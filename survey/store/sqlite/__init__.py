"""The store on SQLite: its connections, schema and log.

It may import what `store` may. Start reading in `store`, then in `connections`.
"""
