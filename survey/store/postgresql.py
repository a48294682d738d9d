"""PostgreSQL behind the store protocol."""

from .postgresql_sealing import PostgreSQLSealing
from .sql import SQLStore


class PostgreSQLStore(PostgreSQLSealing, SQLStore):
    """One database that any number of servers share."""
