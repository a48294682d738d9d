"""All of the store's SQL that is the same for every database."""

from .sql_accounts import SQLAccounts
from .sql_acts import SQLActs
from .sql_checks import SQLChecks
from .sql_designs import SQLDesigns
from .sql_groups import SQLGroups
from .sql_rehearsals import SQLRehearsals
from .sql_releases import SQLReleases
from .sql_second_factors import SQLSecondFactors
from .sql_sharing import SQLSharing
from .sql_tokens import SQLTokens
from .sql_versions import SQLVersions
from .sql_webhooks import SQLWebhooks


class SQLStore(
    SQLRehearsals,
    SQLGroups,
    SQLDesigns,
    SQLSharing,
    SQLAccounts,
    SQLSecondFactors,
    SQLActs,
    SQLTokens,
    SQLWebhooks,
    SQLVersions,
    SQLReleases,
    SQLChecks,
):
    """The store, but for what its database brings (survey/store/database.py)."""
