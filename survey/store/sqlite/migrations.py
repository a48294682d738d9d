"""The schema of SQLite: a baseline, and small named steps after it, none of which is changed later.

All missing steps run in one transaction. Add a step below the baseline:

    @migrations()
    def mottos(db: Database) -> None:
        db.execute("CREATE TABLE mottos (motto TEXT PRIMARY KEY) STRICT, WITHOUT ROWID")
"""

from sqlite_utils import Database, Migrations

from survey.store.baseline import BASELINE, step_fault
from survey.store.sqlite.pool import SQLite

migrations = Migrations("candor")

# Tables WITHOUT ROWID hold rows in the order of their keys after compaction, whatever the order in
# which they were written or changed.
SCHEMA = (
    # `closes` is in seconds since 1970: the closing time of the survey, not of a response. `tables`
    # (survey/definition/known_tables.py) and `epsilon`, the total privacy loss, are those of a
    # draft, and NULL for a frozen survey. `created` and `opened` are days. `texts_published` is the
    # number of texts that were published when the survey opened again; only texts that are stored
    # apart use it (survey/store/sql/texts_apart.py).
    """
    CREATE TABLE surveys (
        number INTEGER PRIMARY KEY,
        slug TEXT NOT NULL UNIQUE,
        definition TEXT NOT NULL,
        document TEXT,
        state TEXT NOT NULL CHECK (state IN ('draft', 'open', 'closed')),
        origin TEXT NOT NULL CHECK (origin IN ('browser', 'loaded', 'simulated')),
        closed_before INTEGER NOT NULL DEFAULT 0 CHECK (closed_before IN (0, 1)),
        archived INTEGER NOT NULL DEFAULT 0 CHECK (archived IN (0, 1)),
        cap INTEGER CHECK (cap > 0),
        target INTEGER CHECK (target > 0),
        closes INTEGER,
        tables TEXT,
        epsilon TEXT,
        creator TEXT,
        created TEXT,
        opened TEXT,
        texts_published INTEGER NOT NULL DEFAULT 0,
        CHECK ((state = 'draft') = (document IS NULL))
    ) STRICT
    """,
    "CREATE INDEX closing ON surveys (closes) WHERE closes IS NOT NULL",
    # Each response updates its counts in its own transaction. Reading them is fast at any number.
    """
    CREATE TABLE counts (
        survey TEXT NOT NULL,
        question TEXT NOT NULL,
        report INTEGER NOT NULL,
        responses INTEGER NOT NULL,
        PRIMARY KEY (survey, question, report)
    ) STRICT, WITHOUT ROWID
    """,
    # The responses that are not published yet.
    """
    CREATE TABLE waiting (
        survey TEXT NOT NULL,
        id BLOB NOT NULL CHECK (length(id) = 16),
        PRIMARY KEY (survey, id)
    ) STRICT, WITHOUT ROWID
    """,
    # The only column next to the hash says whether the invitation was used: there is no time and no
    # response.
    """
    CREATE TABLE invitations (
        survey TEXT NOT NULL,
        token_hash BLOB NOT NULL CHECK (length(token_hash) = 32),
        spent INTEGER NOT NULL CHECK (spent IN (0, 1)),
        PRIMARY KEY (survey, token_hash)
    ) STRICT, WITHOUT ROWID
    """,
    # A member has no role except on single surveys. The column `role` then says analyst. An empty
    # `language` means the one that the browser prefers.
    """
    CREATE TABLE accounts (
        name TEXT PRIMARY KEY,
        password_hash TEXT NOT NULL,
        role TEXT NOT NULL DEFAULT 'owner' CHECK (role IN ('analyst', 'editor', 'owner')),
        member INTEGER NOT NULL DEFAULT 0 CHECK (member IN (0, 1)),
        language TEXT NOT NULL DEFAULT ''
    ) STRICT
    """,
    """
    CREATE TABLE survey_roles (
        account TEXT NOT NULL,
        survey TEXT NOT NULL,
        role TEXT NOT NULL CHECK (role IN ('analyst', 'editor')),
        PRIMARY KEY (account, survey)
    ) STRICT, WITHOUT ROWID
    """,
    """
    CREATE TABLE sessions (
        token_hash TEXT PRIMARY KEY,
        account TEXT NOT NULL,
        created INTEGER NOT NULL,
        seen INTEGER NOT NULL,
        waiting INTEGER NOT NULL DEFAULT 0 CHECK (waiting IN (0, 1))
    ) STRICT
    """,
    "CREATE TABLE setup (token_hash TEXT PRIMARY KEY) STRICT",
    # Links to set a password.
    """
    CREATE TABLE links (
        token_hash TEXT PRIMARY KEY,
        account TEXT NOT NULL UNIQUE,
        expires INTEGER NOT NULL
    ) STRICT
    """,
    """
    CREATE TABLE second_factors (
        account TEXT PRIMARY KEY,
        salt BLOB NOT NULL CHECK (length(salt) = 16),
        confirmed INTEGER NOT NULL CHECK (confirmed IN (0, 1)),
        last_step INTEGER NOT NULL
    ) STRICT
    """,
    """
    CREATE TABLE recovery_codes (
        code_hash BLOB PRIMARY KEY CHECK (length(code_hash) = 32),
        account TEXT NOT NULL
    ) STRICT
    """,
    # The base key of second factors, encrypted under the secret key.
    """
    CREATE TABLE wrapped_key (
        number INTEGER PRIMARY KEY CHECK (number = 1),
        content BLOB NOT NULL
    ) STRICT
    """,
    "CREATE TABLE failed_sign_ins (account TEXT PRIMARY KEY, tries INTEGER NOT NULL) STRICT",
    # The audit log.
    """
    CREATE TABLE acts (
        number INTEGER PRIMARY KEY,
        survey TEXT NOT NULL,
        account TEXT NOT NULL,
        action TEXT NOT NULL,
        moment INTEGER NOT NULL
    ) STRICT
    """,
    # Links to results.
    """
    CREATE TABLE shares (
        number INTEGER PRIMARY KEY,
        survey TEXT NOT NULL,
        name TEXT NOT NULL,
        token_hash BLOB NOT NULL UNIQUE CHECK (length(token_hash) = 32)
    ) STRICT
    """,
    "CREATE TABLE published (survey TEXT PRIMARY KEY) STRICT, WITHOUT ROWID",
    # The assumed true values behind simulated respondents.
    "CREATE TABLE pilots (survey TEXT PRIMARY KEY, truth TEXT NOT NULL) STRICT",
    # API tokens, webhooks and central DP releases have days, but no times.
    """
    CREATE TABLE api_tokens (
        token_hash BLOB PRIMARY KEY CHECK (length(token_hash) = 32),
        account TEXT NOT NULL,
        label TEXT NOT NULL,
        made TEXT NOT NULL,
        expires TEXT NOT NULL,
        used TEXT,
        UNIQUE (account, label)
    ) STRICT, WITHOUT ROWID
    """,
    """
    CREATE TABLE webhooks (
        id BLOB PRIMARY KEY CHECK (length(id) = 16),
        survey TEXT NOT NULL,
        url TEXT NOT NULL
    ) STRICT, WITHOUT ROWID
    """,
    """
    CREATE TABLE thresholds (
        webhook BLOB NOT NULL,
        survey TEXT NOT NULL,
        responses INTEGER NOT NULL CHECK (responses > 0),
        state TEXT NOT NULL CHECK (state IN ('waiting', 'delivered', 'given up')),
        waited INTEGER NOT NULL CHECK (waited >= 0),
        outcome TEXT NOT NULL,
        PRIMARY KEY (webhook, responses)
    ) STRICT, WITHOUT ROWID
    """,
    "CREATE INDEX undelivered ON thresholds (survey) WHERE state = 'waiting'",
    """
    CREATE TABLE release_budgets (
        survey TEXT PRIMARY KEY,
        epsilon TEXT NOT NULL,
        delta TEXT NOT NULL,
        public INTEGER NOT NULL CHECK (public IN (0, 1))
    ) STRICT, WITHOUT ROWID
    """,
    """
    CREATE TABLE releases (
        number INTEGER PRIMARY KEY,
        survey TEXT NOT NULL,
        request TEXT NOT NULL,
        responses INTEGER NOT NULL,
        drawn TEXT NOT NULL,
        day TEXT NOT NULL,
        UNIQUE (survey, request)
    ) STRICT
    """,
    # Weights, strata and clusters by non-private answers, as uploaded.
    "CREATE TABLE designs (survey TEXT PRIMARY KEY, content TEXT NOT NULL) STRICT, WITHOUT ROWID",
    # The drafts that can come back. `deleted` is a day, and `roles` those of single accounts.
    """
    CREATE TABLE deleted_drafts (
        number INTEGER PRIMARY KEY,
        definition TEXT NOT NULL,
        tables TEXT,
        creator TEXT,
        created TEXT,
        deleted TEXT NOT NULL,
        roles TEXT NOT NULL
    ) STRICT
    """,
    """
    CREATE TABLE saved_analyses (
        number INTEGER PRIMARY KEY,
        survey TEXT NOT NULL,
        name TEXT NOT NULL,
        analysis TEXT NOT NULL,
        query TEXT NOT NULL,
        UNIQUE (survey, name)
    ) STRICT
    """,
    """
    CREATE TABLE codes (
        number INTEGER PRIMARY KEY,
        survey TEXT NOT NULL,
        name TEXT NOT NULL,
        UNIQUE (survey, name)
    ) STRICT
    """,
    # `text` is a hash of the random id of a text (survey/store/sql/codes.py). The rows do not show
    # the order in which texts were coded.
    """
    CREATE TABLE coded_texts (
        survey TEXT NOT NULL,
        text BLOB NOT NULL CHECK (length(text) = 32),
        account TEXT NOT NULL,
        code INTEGER NOT NULL,
        PRIMARY KEY (survey, text, account, code)
    ) STRICT, WITHOUT ROWID
    """,
    *(
        f"CREATE TRIGGER acts_no_{change.lower()} BEFORE {change} ON acts"
        " BEGIN SELECT raise(ABORT, 'acts are only ever added'); END"
        for change in ("UPDATE", "DELETE")
    ),
    # A release stays in the ledger as long as its survey exists.
    "CREATE TRIGGER releases_no_update BEFORE UPDATE ON releases"
    " BEGIN SELECT raise(ABORT, 'releases are only ever added'); END",
    # Triggers, because a method that changes accounts could forget to do this.
    "CREATE TRIGGER tokens_end_with_the_account AFTER DELETE ON accounts"
    " BEGIN DELETE FROM api_tokens WHERE account = OLD.name; END",
    "CREATE TRIGGER tokens_end_with_the_password AFTER UPDATE OF password_hash ON accounts"
    " BEGIN DELETE FROM api_tokens WHERE account = OLD.name; END",
    "CREATE TRIGGER survey_roles_end_with_the_account AFTER DELETE ON accounts"
    " BEGIN DELETE FROM survey_roles WHERE account = OLD.name;"
    # Otherwise a new account of this name would have the role on a deleted draft.
    """ UPDATE deleted_drafts SET roles = json_remove(roles, '$."' || OLD.name || '"'); END""",
)


@migrations(name=BASELINE)
def create_baseline(db: Database) -> None:
    for statement in SCHEMA:
        db.execute(statement)


def recorded_steps(db: Database) -> set[str]:
    return {step.name for step in migrations.applied(db)}


def schema_fault(db: Database, place: str) -> str | None:
    """Why this version cannot read a database, by its steps; None if it can.

    `place` is how the sentence names the database.
    """
    known = {step.name for step in migrations.pending(Database(memory=True))}
    return step_fault(recorded_steps(db), known, place)


def missing_steps(db: Database) -> tuple[str, ...]:
    return tuple(step.name for step in migrations.pending(db))


def migrate(db: SQLite) -> tuple[str, ...]:
    """Run the missing steps, and return their names. Call it in a transaction."""
    missing = missing_steps(db)
    migrations.apply(db)
    return missing
