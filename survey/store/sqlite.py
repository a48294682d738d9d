"""SQLite behind the store protocol."""

from .sqlite_accounts import SQLiteAccounts
from .sqlite_surveys import SQLiteSurveys


class SQLiteStore(SQLiteSurveys, SQLiteAccounts):
    """One file that holds surveys, invitations, responses, counts and accounts."""
