"""The command that moves everything to another database: `survey move`."""

import click

from ..errors import MoveError
from ..store import copying, open_store
from ..store.sql_counts import SQLCounts
from .plainly import plainly
from .surveys import survey_commands


@survey_commands.command()
@click.argument("source", metavar="FROM")
@click.argument("target", metavar="TO")
@plainly
def move(source: str, target: str) -> None:
    """Copy everything from one database to another, empty one, and check it.

    Each is given as CANDOR_DATABASE is: the path of a SQLite file, or postgresql://USER@HOST/NAME.
    Stop the servers first. Nothing is deleted from the first database.
    """
    first, second = open_store(source), open_store(target)
    try:
        if not isinstance(first, SQLCounts) or not isinstance(second, SQLCounts):
            raise MoveError("Only the databases of Candor itself can be moved.")
        copied = copying.copy_all(first, second)
    finally:
        first.close()
        second.close()
    click.echo(
        f"{copied.surveys} surveys, {copied.responses:,} responses and {copied.rows:,} other rows "
        "are in the new database, the same to the last digit of every estimate.\n"
        "Start the servers with CANDOR_DATABASE set to it. What somebody sends to the old one from "
        "here on stays there; delete it when you need it no more."
    )
