"""SQLite behind the store protocol."""

from .sqlite_accounts import SQLiteAccounts
from .sqlite_acts import SQLiteActs
from .sqlite_groups import SQLiteGroups
from .sqlite_responses import SQLiteResponses
from .sqlite_second_factors import SQLiteSecondFactors
from .sqlite_sharing import SQLiteSharing


class SQLiteStore(
    SQLiteResponses,
    SQLiteGroups,
    SQLiteSharing,
    SQLiteAccounts,
    SQLiteSecondFactors,
    SQLiteActs,
):
    """One file that holds surveys, invitations, responses, counts and accounts."""
