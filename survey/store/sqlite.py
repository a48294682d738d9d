"""SQLite behind the store protocol."""

from .sqlite_accounts import SQLiteAccounts
from .sqlite_groups import SQLiteGroups
from .sqlite_responses import SQLiteResponses


class SQLiteStore(SQLiteResponses, SQLiteGroups, SQLiteAccounts):
    """One file that holds surveys, invitations, responses, counts and accounts."""
