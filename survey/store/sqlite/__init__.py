"""The store on SQLite: its connections, schema and log.

Start reading in `store`.
"""
