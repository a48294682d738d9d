"""The store on PostgreSQL: its connections, schema and responses.

It may import what `store` may. Start reading in `store`, then in `responses`.
"""
