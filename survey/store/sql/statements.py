"""All of the store's SQL that is the same for every database."""

from survey.store.sql.accounts import SQLAccounts
from survey.store.sql.audit_log import SQLActs
from survey.store.sql.designs import SQLDesigns
from survey.store.sql.group_counts import SQLGroups
from survey.store.sql.integrity import SQLChecks
from survey.store.sql.rehearsals import SQLRehearsals
from survey.store.sql.releases import SQLReleases
from survey.store.sql.result_links import SQLResultLinks
from survey.store.sql.second_factors import SQLSecondFactors
from survey.store.sql.tokens import SQLTokens
from survey.store.sql.versions import SQLVersions
from survey.store.sql.webhooks import SQLWebhooks


class SQLStore(
    SQLRehearsals,
    SQLGroups,
    SQLDesigns,
    SQLResultLinks,
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
