"""PostgreSQL behind the store protocol."""

from survey.store.postgresql.compaction import PostgreSQLCompaction
from survey.store.sql.statements import SQLStore


class PostgreSQLStore(PostgreSQLCompaction, SQLStore):
    """One database that any number of servers share."""
