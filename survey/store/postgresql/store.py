"""PostgreSQL behind the store protocol."""

from survey.store.postgresql.compaction import PostgreSQLSealing
from survey.store.sql.statements import SQLStore


class PostgreSQLStore(PostgreSQLSealing, SQLStore):
    """One database that any number of servers share."""
