"""Commands on the database as a whole: `database check`, `compact` and `copy`."""

import click

from survey.cli.backup import SAME_FIGURES, copy_summary_text
from survey.cli.command_errors import with_plain_errors
from survey.core.errors import StateError
from survey.store import open_store
from survey.store.copy_database import copy_all
from survey.web.audit_log import audit
from survey.web.extensions import store


@click.command()
@with_plain_errors
def check_surveys() -> None:
    """Look for damage: count all responses anew, and compare with the counts that are kept."""
    faults = list(store().integrity.faults())
    for fault in faults:
        click.echo(f"Damaged: {fault}.", err=True)
    if faults:
        raise StateError("Restore the database from a backup.")
    click.echo("Everything fits: each survey can be read, and each count is that of the responses.")


@click.command()
@with_plain_errors
def seal() -> None:
    """Rewrite the database so that its bytes do not tell the order of arrival."""
    store().seal()
    click.echo("The database is sealed.")
    for sentence in store().database.cautions():
        click.echo(f"But: {sentence}")


@click.command()
@click.argument("source", metavar="FROM")
@click.argument("target", metavar="TO")
@with_plain_errors
def move(source: str, target: str) -> None:
    """Copy everything from one database to another, empty one, and check it.

    Each is given as CANDOR_DATABASE is: the path of a SQLite file, or postgresql://USER@HOST/NAME.
    Stop the servers first. Nothing is deleted from the first database.
    """
    first, second = open_store(source), open_store(target)
    try:
        copied = copy_all(first, second)
    finally:
        first.close()
        second.close()
    audit("copied everything to another database")
    click.echo(
        f"{copy_summary_text(copied)} are in the new database, {SAME_FIGURES}.\n"
        "Start the servers with CANDOR_DATABASE set to it. What somebody sends to the old one from "
        "here on stays there; delete it when you need it no more."
    )
