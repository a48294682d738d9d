"""Upgrade copies of a database, each in a process that SIGKILL ends at a given moment.

A moment is a share of all steps that SQLite's virtual machine executes for the upgrade. The moment
0 comes first and means no kill. With "apart" as first argument, each statement of the new step is
its own transaction: a fault that tests/system/test_upgrade.py has to find.

    python -m tests.support.upgrading [apart] DATABASE 0 SHARE...

leaves DATABASE.SHARE for each.
"""

import os
import signal
import sys
from pathlib import Path
from shutil import copyfile

from survey.store.sqlite import migrations
from survey.store.sqlite.connections import SQLiteDatabase
from tests.support.next_step import STATEMENTS, migrations_with_next


class Counted(SQLiteDatabase):
    """A database that kills its process after this many steps."""

    moment, steps = 0, 0

    def connect(self):
        db = super().connect()
        db.conn.set_progress_handler(self.step, 1)
        return db

    def step(self) -> int:
        self.steps += 1
        if self.steps == self.moment:
            os.kill(os.getpid(), signal.SIGKILL)
        return 0


class Apart(Counted):
    def __init__(self, path: Path):
        self.path = path
        connection = self.connect().conn
        for statement in STATEMENTS:
            connection.execute(statement)
            connection.commit()


def upgrade(kind: type[Counted], database: str, share: str, steps: int) -> int:
    """The number of steps without a kill."""
    path = Path(copyfile(database, f"{database}.{share}"))
    reading, writing = os.pipe()
    child = os.fork()
    if not child:
        kind.moment = round(float(share) * steps)
        os.write(writing, str(kind(path).steps).encode())
        os._exit(0)  # It is not closed, so the log has the written rows.
    os.close(writing)
    _, status = os.waitpid(child, 0)
    if status != (signal.SIGKILL if float(share) else 0):
        sys.exit(f"{path} ended with {status}")
    return int(os.read(reading, 20) or 0)


if __name__ == "__main__":
    migrations.migrations = migrations_with_next()
    apart = sys.argv[1] == "apart"
    database, first, *shares = sys.argv[1 + apart :]
    kind = Apart if apart else Counted
    steps = upgrade(kind, database, first, 0)
    for share in shares:
        upgrade(kind, database, share, steps)
