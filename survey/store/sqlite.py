"""SQLite behind the store protocol."""

from .sql import SQLStore
from .sqlite_connections import SQLiteConnections


class SQLiteStore(SQLStore, SQLiteConnections):
    """One file that holds surveys, invitations, responses, counts and accounts."""

    def require_writable(self) -> None:
        self.require_room()
        super().require_writable()
