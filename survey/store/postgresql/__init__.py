"""The parts that are specific to PostgreSQL: connections, locks, schema and compaction.

It may import what `store` may. Start reading in `connections`, then in `compaction`, which has the
class of the whole database.
"""
