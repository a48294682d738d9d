"""SQLite behind the store protocol."""

from .sqlite_accounts import SQLiteAccounts
from .sqlite_responses import SQLiteResponses


class SQLiteStore(SQLiteResponses, SQLiteAccounts):
    """One file that holds surveys, invitations, responses, counts and accounts."""
