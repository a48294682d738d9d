"""Commands on the database as a whole: `database check`, `compact`, `copy` and `rotate-key`."""

import secrets

import click

from survey.cli.backup import SAME_FIGURES, copy_summary_text
from survey.cli.command_errors import command
from survey.core.errors import StateError
from survey.server.secret_key import OTHER_KEY_ADVICE, SecretKeys
from survey.store import open_store
from survey.store.copy_database import copy_all
from survey.store.durable_files import replace_file
from survey.web.audit_log import audit
from survey.web.extensions import keys, store


@command
def check_surveys() -> None:
    """Look for damage: count all responses anew, and compare with the counts that are kept."""
    faults = list(store().integrity.faults())
    for fault in faults:
        click.echo(f"Damaged: {fault}.", err=True)
    if faults:
        raise StateError("Restore the database from a backup.")
    click.echo("Everything fits: each survey can be read, and each count is that of the responses.")


@command
def seal() -> None:
    """Rewrite the database so that its bytes do not tell the order of arrival."""
    store().seal()
    click.echo("The database is sealed.")
    for sentence in store().database.cautions():
        click.echo(f"But: {sentence}")


@command
@click.argument("source", metavar="FROM")
@click.argument("target", metavar="TO")
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


@command
@click.option("--lost", is_flag=True, help="The key before is lost: begin anew under this one.")
def rotate(lost: bool) -> None:
    """Replace the file secret_key; second factors, webhooks and sessions stay as they are.

    With --lost, after a key was lost: second factors and webhooks have to be set up again.
    """
    secret_keys = keys()
    if lost:
        secret_keys.give_up()
        audit("replaced the secret key")
        click.echo("Second factors and webhooks have to be set up again. Start the server anew.")
        return
    if secret_keys.file is None:
        raise StateError(
            "The secret key comes from CANDOR_SECRET_KEY. Set CANDOR_SECRET_KEY_BEFORE to it, "
            "CANDOR_SECRET_KEY to a new one, and start the servers anew."
        )
    if not secret_keys.settle():
        raise StateError(OTHER_KEY_ADVICE)
    key = secrets.token_hex(32)
    # at each moment the keys that lie there open what is in the database
    replace_file(secret_keys.file.with_name("secret_key_before"), secret_keys.key)
    replace_file(secret_keys.file, key)
    SecretKeys(store(), key, secret_keys.key).settle()
    audit("replaced the secret key")
    click.echo(
        "The secret key is new. Start the server anew; until then it goes on with the old one."
    )
