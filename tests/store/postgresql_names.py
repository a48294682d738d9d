"""Names of PostgreSQL databases, for several test modules."""

from tests.support.stores import connected


def name_of(database: str) -> str:
    with connected(database) as db:
        [name] = db.execute("SELECT current_database()").fetchone()
        return str(name)
