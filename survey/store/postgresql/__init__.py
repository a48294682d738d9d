"""The store on PostgreSQL: its connections, schema and responses.

Start reading in `store`.
"""
