"""SQLite behind the store protocol."""

from .sqlite_accounts import SQLiteAccounts
from .sqlite_acts import SQLiteActs
from .sqlite_designs import SQLiteDesigns
from .sqlite_groups import SQLiteGroups
from .sqlite_rehearsals import SQLiteRehearsals
from .sqlite_releases import SQLiteReleases
from .sqlite_second_factors import SQLiteSecondFactors
from .sqlite_sharing import SQLiteSharing
from .sqlite_tokens import SQLiteTokens
from .sqlite_webhooks import SQLiteWebhooks


class SQLiteStore(
    SQLiteRehearsals,
    SQLiteGroups,
    SQLiteDesigns,
    SQLiteSharing,
    SQLiteAccounts,
    SQLiteSecondFactors,
    SQLiteActs,
    SQLiteTokens,
    SQLiteWebhooks,
    SQLiteReleases,
):
    """One file that holds surveys, invitations, responses, counts and accounts."""
