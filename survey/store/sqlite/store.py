"""SQLite behind the store protocol."""

from survey.store.sql.statements import SQLStore
from survey.store.sqlite.connections import SQLiteConnections


class SQLiteStore(SQLStore, SQLiteConnections):
    """One file that holds surveys, invitations, responses, counts and accounts."""

    def require_writable(self) -> None:
        self.require_room()
        super().require_writable()
