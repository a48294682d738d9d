"""The store: one small class for each kind of data, over SQLite or PostgreSQL. All SQL is here.

For each response it keeps a random id and the reports. There is no column for an address, a device,
a time, a sequence number or an invitation. Rows lie in the order of their random ids. So even the
file does not show when a respondent answered, or with which invitation (see `Store.compact`).

It may import `core` to `analysis`. Start reading in `Store`, then in `sql/responses`.
"""

from pathlib import Path

from survey.core.errors import SettingsError
from survey.core.extras import has_extra, install_command
from survey.store.database import Database
from survey.store.sql.accounts import (
    ANALYST,
    EDITOR,
    MEMBER,
    OWNER,
    ROLES,
    SURVEY_ROLES,
    Account,
    Accounts,
    Session,
)
from survey.store.sql.audit_log import AuditLog
from survey.store.sql.codes import Codes
from survey.store.sql.counts import Counts
from survey.store.sql.deleted_drafts import DeletedDrafts
from survey.store.sql.designs import Designs
from survey.store.sql.integrity import Integrity
from survey.store.sql.invitations import Invitations
from survey.store.sql.lifecycle import Lifecycle
from survey.store.sql.rehearsals import Rehearsals
from survey.store.sql.releases import Releases
from survey.store.sql.responses import Responses
from survey.store.sql.result_links import Share, Shares
from survey.store.sql.saved_analyses import SavedAnalyses
from survey.store.sql.second_factors import SecondFactors
from survey.store.sql.surveys import Surveys
from survey.store.sql.texts_apart import TextsApart
from survey.store.sql.tokens import Tokens
from survey.store.sql.versions import Versions
from survey.store.sql.webhooks import Webhooks
from survey.store.stored import Limits, ListedSurvey, StoredSurvey

__all__ = ["ANALYST", "EDITOR", "MEMBER", "OWNER", "ROLES", "SURVEY_ROLES", "Account", "Limits"]
__all__ += ["ListedSurvey", "Session", "Share", "Store", "StoredSurvey", "open_store"]


class Store:
    """The database as the application sees it, with one attribute for each kind of data.

    All methods raise StoreUnavailable if the database is locked, full or gone.
    """

    def __init__(self, database: Database):
        self.database = database
        self.surveys = Surveys(database)
        self.counts = Counts(database, self.surveys)
        self.texts = TextsApart(database, self.surveys, self.counts)
        self.lifecycle = Lifecycle(database, self.surveys, self.counts, self.texts)
        self.invitations = Invitations(database)
        self.responses = Responses(
            database=database,
            surveys=self.surveys,
            counts=self.counts,
            texts=self.texts,
            invitations=self.invitations,
            lifecycle=self.lifecycle,
        )
        self.rehearsals = Rehearsals(database, self.surveys, self.responses)
        self.deleted_drafts = DeletedDrafts(database, self.surveys)
        self.designs = Designs(database, self.surveys)
        self.saved_analyses = SavedAnalyses(database, self.surveys)
        self.codes = Codes(database, self.surveys)
        self.releases = Releases(database, self.surveys)
        self.shares = Shares(database, self.surveys)
        self.public = Versions(database, self.counts)
        self.accounts = Accounts(database)
        self.factors = SecondFactors(database)
        self.audit = AuditLog(database)
        self.tokens = Tokens(database)
        self.webhooks = Webhooks(database, self.surveys, self.counts)
        self.integrity = Integrity(database, self.surveys, self.counts)
        self.close = database.close

    def compact(self, patience: float | None = None) -> None:
        """Rewrite the database so that its bytes do not depend on the order of arrival.

        Waits `patience` seconds for other readers and writers; without it, as long as any other
        statement waits. Raises StoreUnavailable if one of them takes longer.
        """
        self.counts.publish_left_batches()
        self.database.rewrite(patience)


def open_store(database: str) -> Store:
    """The store for a setting such as `instance/candor.db` or `postgresql://HOST/NAME`.

    Brings the schema up to date. Raises SettingsError and StoreUnavailable.
    """
    if database.startswith(("postgresql://", "postgres://")):
        if not has_extra("postgresql"):
            raise SettingsError(
                "CANDOR_DATABASE is a PostgreSQL database, which needs packages that are not "
                f"installed. Run `{install_command('postgresql')}`, or use a SQLite database."
            )
        from survey.store.postgresql.compaction import PostgreSQLDatabase

        return Store(PostgreSQLDatabase(database))
    from survey.store.sqlite.store import SQLiteStore

    if "://" in database:
        raise SettingsError(
            f"CANDOR_DATABASE begins with {database.split('://')[0]}://, which is not supported. "
            "Set it to the path of a SQLite file, or to postgresql://..."
        )
    return SQLiteStore(Path(database))
