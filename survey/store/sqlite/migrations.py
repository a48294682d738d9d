"""The schema of SQLite, as small named steps, none of which is changed later.

All that a database lacks run in one transaction. tests/databases has a database of each version
before.
"""

from sqlite_utils import Database, Migrations

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
    # Kept up with each response in its own transaction: reading it costs the same at any n
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
    # Nothing beside the hash but whether it was spent: no moment, no response. WITHOUT ROWID, so
    # that once sealed it lies in the order of the hashes, whatever was issued or spent when
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
    # whoever had an account before there were roles could do everything
    db.execute(
        "ALTER TABLE accounts ADD COLUMN role TEXT NOT NULL DEFAULT 'owner'"
        " CHECK (role IN ('analyst', 'editor', 'owner'))"
    )


@migrations()
def releases_and_limits(db: Database) -> None:
    # Which responses are not shown yet; WITHOUT ROWID, so that not even these tell their order
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
        "closes INTEGER",  # seconds since 1970, of the survey and of nobody's response
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
    """Links for new passwords, second factors, and the log of what researchers did."""
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
    # what the researcher assumed when these respondents were simulated
    db.execute("CREATE TABLE pilots (survey TEXT PRIMARY KEY, truth TEXT NOT NULL) STRICT")


@migrations()
def other_programs(db: Database) -> None:
    """Tokens of the API, and the programs that are told of thresholds: days, but no moments."""
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
        # here, and not in the methods that change accounts, so that none can forget it
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
    """What was published from plain questions, and the most it may cost: days, but no moments."""
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
        # a spend is never forgotten but with its survey
        "CREATE TRIGGER releases_no_update BEFORE UPDATE ON releases"
        " BEGIN SELECT raise(ABORT, 'releases are only ever added'); END",
    ):
        db.execute(statement)


@migrations()
def designs(db: Database) -> None:
    # weights, strata and clusters by plain answers, as uploaded
    db.execute(
        "CREATE TABLE designs (survey TEXT PRIMARY KEY, content TEXT NOT NULL) STRICT,"
        " WITHOUT ROWID"
    )


@migrations()
def wrapped_key(db: Database) -> None:
    # what second factors are derived from, which only the secret key opens
    db.execute(
        "CREATE TABLE wrapped_key (number INTEGER PRIMARY KEY CHECK (number = 1),"
        " content BLOB NOT NULL) STRICT"
    )


@migrations()
def tables_of_drafts(db: Database) -> None:
    """What survey/definition/known_tables.py writes, and what a respondent would lose, for the list
    of surveys. Both are NULL for a survey that is frozen, and for a draft saved by an earlier
    version."""
    db.execute("ALTER TABLE surveys ADD COLUMN tables TEXT")
    db.execute("ALTER TABLE surveys ADD COLUMN epsilon TEXT")


def unknown_steps(db: Database) -> list[str]:
    """Those that a later version of Candor has done."""
    known = {step.name for step in migrations.pending(Database(memory=True))}
    return [step.name for step in migrations.applied(db) if step.name not in known]
