"""The schema of SQLite, as small named steps, none of which is changed later.

All missing steps run in one transaction. tests/databases has a database of each earlier version.
"""

from sqlite_utils import Database, Migrations

from survey.store.survey_history import history_from_audit_log

migrations = Migrations("candor")


@migrations()
def surveys_and_counts(db: Database) -> None:
    db.execute(
        """
        CREATE TABLE surveys (
            number INTEGER PRIMARY KEY,
            slug TEXT NOT NULL UNIQUE,
            definition TEXT NOT NULL,
            document TEXT,
            state TEXT NOT NULL CHECK (state IN ('draft', 'open', 'closed')),
            origin TEXT NOT NULL CHECK (origin IN ('browser', 'loaded', 'simulated')),
            CHECK ((state = 'draft') = (document IS NULL))
        ) STRICT
        """
    )
    # Each response updates its counts in its own transaction. Reading them is fast at any number.
    db.execute(
        """
        CREATE TABLE counts (
            survey TEXT NOT NULL,
            question TEXT NOT NULL,
            report INTEGER NOT NULL,
            responses INTEGER NOT NULL,
            PRIMARY KEY (survey, question, report)
        ) STRICT, WITHOUT ROWID
        """
    )


@migrations()
def accounts_and_sessions(db: Database) -> None:
    db.execute("CREATE TABLE accounts (name TEXT PRIMARY KEY, password_hash TEXT NOT NULL) STRICT")
    db.execute(
        """
        CREATE TABLE sessions (
            token_hash TEXT PRIMARY KEY,
            account TEXT NOT NULL,
            created INTEGER NOT NULL,
            seen INTEGER NOT NULL
        ) STRICT
        """
    )
    db.execute("CREATE TABLE setup (token_hash TEXT PRIMARY KEY) STRICT")


@migrations()
def invitations(db: Database) -> None:
    # The only column next to the hash says whether the invitation was used: there is no time and no
    # response. WITHOUT ROWID, so that after compaction the rows are in the order of the hashes,
    # whatever the order of use.
    db.execute(
        """
        CREATE TABLE invitations (
            survey TEXT NOT NULL,
            token_hash BLOB NOT NULL CHECK (length(token_hash) = 32),
            spent INTEGER NOT NULL CHECK (spent IN (0, 1)),
            PRIMARY KEY (survey, token_hash)
        ) STRICT, WITHOUT ROWID
        """
    )


@migrations()
def roles(db: Database) -> None:
    # Before there were roles, every account could do everything.
    db.execute(
        "ALTER TABLE accounts ADD COLUMN role TEXT NOT NULL DEFAULT 'owner'"
        " CHECK (role IN ('analyst', 'editor', 'owner'))"
    )


@migrations()
def releases_and_limits(db: Database) -> None:
    # The responses that are not published yet. WITHOUT ROWID, so that their order is not visible.
    db.execute(
        """
        CREATE TABLE waiting (
            survey TEXT NOT NULL,
            id BLOB NOT NULL CHECK (length(id) = 16),
            PRIMARY KEY (survey, id)
        ) STRICT, WITHOUT ROWID
        """
    )
    for column in (
        "closed_before INTEGER NOT NULL DEFAULT 0 CHECK (closed_before IN (0, 1))",
        "archived INTEGER NOT NULL DEFAULT 0 CHECK (archived IN (0, 1))",
        "cap INTEGER CHECK (cap > 0)",
        "target INTEGER CHECK (target > 0)",
        "closes INTEGER",  # seconds since 1970: the closing time of the survey, not of a response
    ):
        db.execute(f"ALTER TABLE surveys ADD COLUMN {column}")
    db.execute("UPDATE surveys SET closed_before = 1 WHERE state = 'closed'")
    db.execute("CREATE INDEX closing ON surveys (closes) WHERE closes IS NOT NULL")


@migrations()
def sharing(db: Database) -> None:
    db.execute(
        """
        CREATE TABLE shares (
            number INTEGER PRIMARY KEY,
            survey TEXT NOT NULL,
            name TEXT NOT NULL,
            token_hash BLOB NOT NULL UNIQUE CHECK (length(token_hash) = 32)
        ) STRICT
        """
    )
    db.execute("CREATE TABLE published (survey TEXT PRIMARY KEY) STRICT, WITHOUT ROWID")


@migrations()
def people(db: Database) -> None:
    """Links to set passwords, second factors, and the audit log."""
    for statement in (
        "ALTER TABLE sessions ADD COLUMN waiting INTEGER NOT NULL DEFAULT 0"
        " CHECK (waiting IN (0, 1))",
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
        "CREATE TABLE failed_sign_ins (account TEXT PRIMARY KEY, tries INTEGER NOT NULL) STRICT",
        """
        CREATE TABLE acts (
            number INTEGER PRIMARY KEY,
            survey TEXT NOT NULL,
            account TEXT NOT NULL,
            action TEXT NOT NULL,
            moment INTEGER NOT NULL
        ) STRICT
        """,
        *(
            f"CREATE TRIGGER acts_no_{change.lower()} BEFORE {change} ON acts"
            " BEGIN SELECT raise(ABORT, 'acts are only ever added'); END"
            for change in ("UPDATE", "DELETE")
        ),
    ):
        db.execute(statement)


@migrations()
def pilots(db: Database) -> None:
    # The assumed true values behind simulated respondents.
    db.execute("CREATE TABLE pilots (survey TEXT PRIMARY KEY, truth TEXT NOT NULL) STRICT")


@migrations()
def other_programs(db: Database) -> None:
    """API tokens and webhooks, with days, but without times."""
    for statement in (
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
        # Triggers, because a method that changes accounts could forget to do it.
        "CREATE TRIGGER tokens_end_with_the_account AFTER DELETE ON accounts"
        " BEGIN DELETE FROM api_tokens WHERE account = OLD.name; END",
        "CREATE TRIGGER tokens_end_with_the_password AFTER UPDATE OF password_hash ON accounts"
        " BEGIN DELETE FROM api_tokens WHERE account = OLD.name; END",
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
    ):
        db.execute(statement)


@migrations()
def released_statistics(db: Database) -> None:
    """Central DP releases and their budgets, with days, but without times."""
    for statement in (
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
        # A release stays in the ledger as long as its survey exists.
        "CREATE TRIGGER releases_no_update BEFORE UPDATE ON releases"
        " BEGIN SELECT raise(ABORT, 'releases are only ever added'); END",
    ):
        db.execute(statement)


@migrations()
def designs(db: Database) -> None:
    # Weights, strata and clusters by non-private answers, as uploaded.
    db.execute(
        "CREATE TABLE designs (survey TEXT PRIMARY KEY, content TEXT NOT NULL) STRICT,"
        " WITHOUT ROWID"
    )


@migrations()
def wrapped_key(db: Database) -> None:
    # The base key of second factors, encrypted under the secret key.
    db.execute(
        "CREATE TABLE wrapped_key (number INTEGER PRIMARY KEY CHECK (number = 1),"
        " content BLOB NOT NULL) STRICT"
    )


@migrations()
def tables_of_drafts(db: Database) -> None:
    """The tables of drafts (survey/definition/known_tables.py) and their total ε, for lists.

    Both are NULL for a frozen survey, and for a draft that an earlier version saved.
    """
    db.execute("ALTER TABLE surveys ADD COLUMN tables TEXT")
    db.execute("ALTER TABLE surveys ADD COLUMN epsilon TEXT")


@migrations()
def saved_analyses_and_codes(db: Database) -> None:
    for statement in (
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
        # `text` is a hash of the random id of a text (survey/store/sql/codes.py). WITHOUT ROWID, so
        # that the rows do not show the order in which texts were coded.
        """
        CREATE TABLE coded_texts (
            survey TEXT NOT NULL,
            text BLOB NOT NULL CHECK (length(text) = 32),
            account TEXT NOT NULL,
            code INTEGER NOT NULL,
            PRIMARY KEY (survey, text, account, code)
        ) STRICT, WITHOUT ROWID
        """,
    ):
        db.execute(statement)


@migrations()
def survey_roles(db: Database) -> None:
    """Roles on single surveys, and who created a survey and when, with days, but without times."""
    for statement in (
        # A member has no role except on single surveys. The column `role` then says analyst.
        "ALTER TABLE accounts ADD COLUMN member INTEGER NOT NULL DEFAULT 0"
        " CHECK (member IN (0, 1))",
        """
        CREATE TABLE survey_roles (
            account TEXT NOT NULL,
            survey TEXT NOT NULL,
            role TEXT NOT NULL CHECK (role IN ('analyst', 'editor')),
            PRIMARY KEY (account, survey)
        ) STRICT, WITHOUT ROWID
        """,
        "CREATE TRIGGER survey_roles_end_with_the_account AFTER DELETE ON accounts"
        " BEGIN DELETE FROM survey_roles WHERE account = OLD.name; END",
        *(
            f"ALTER TABLE surveys ADD COLUMN {name} TEXT"
            for name in ("creator", "created", "opened")
        ),
        *history_from_audit_log("strftime('%Y-%m-%d', moment, 'unixepoch')"),
    ):
        db.execute(statement)


@migrations()
def account_language(db: Database) -> None:
    """The language of an account's pages. Empty: the one that the browser prefers."""
    db.execute("ALTER TABLE accounts ADD COLUMN language TEXT NOT NULL DEFAULT ''")


@migrations()
def texts_published(db: Database) -> None:
    """The number of texts that were published when a survey opened again.

    Only texts that are stored apart use it (survey/store/sql/texts_apart.py).
    """
    db.execute("ALTER TABLE surveys ADD COLUMN texts_published INTEGER NOT NULL DEFAULT 0")


def unknown_steps(db: Database) -> list[str]:
    """The steps that a newer version of Candor has applied."""
    known = {step.name for step in migrations.pending(Database(memory=True))}
    return [step.name for step in migrations.applied(db) if step.name not in known]
