"""The command that moves everything to another database: `survey move`."""

import click

from survey.cli.backup import FIGURES, contents, own
from survey.cli.command_errors import plainly
from survey.cli.groups import survey_commands
from survey.store import open_store
from survey.store.copy_database import copy_all


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
        copied = copy_all(own(first), own(second))
    finally:
        first.close()
        second.close()
    click.echo(
        f"{contents(copied)} are in the new database, {FIGURES}.\n"
        "Start the servers with CANDOR_DATABASE set to it. What somebody sends to the old one from "
        "here on stays there; delete it when you need it no more."
    )
