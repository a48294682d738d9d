"""The commands `database ...`: check, compact, copy, back up, restore, and replace the key."""

import secrets
from datetime import UTC, datetime
from pathlib import Path

import click

from survey.cli.command_errors import command
from survey.core.errors import StateError
from survey.server.secret_key import OTHER_KEY_ADVICE, SecretKeys
from survey.store import open_store
from survey.store.backups import remove_old, restore_backup, write_backup
from survey.store.copy_database import CopySummary, copy_all
from survey.store.durable_files import replace_file
from survey.web.audit_log import audit
from survey.web.extensions import keys, store

SAME_FIGURES = "and every estimate is identical to the last digit"


def copy_summary_text(copied: CopySummary) -> str:
    return (
        f"{copied.surveys} surveys, {copied.responses:,} responses and {copied.rows:,} other rows"
    )


@command
def check() -> None:
    """Check the database for damage.

    The command reads each survey, counts all responses and compares the result with the stored
    counts. The server can keep running.
    """
    faults = list(store().integrity.faults())
    for fault in faults:
        click.echo(f"Damaged: {fault}.", err=True)
    if faults:
        raise StateError("The database is damaged. Restore it from a backup.")
    click.echo("No damage found: each survey can be read, and all counts agree with the responses.")


@command
def compact() -> None:
    """Compact the database, which removes the arrival order of responses from its files."""
    store().compact()
    click.echo("The database is compacted.")
    for sentence in store().database.cautions():
        click.echo(f"Warning: {sentence}")


@command
@click.argument("source", metavar="FROM")
@click.argument("target", metavar="TO")
def copy_database(source: str, target: str) -> None:
    """Copy everything from the database FROM to the empty database TO, and check the copy.

    Write FROM and TO as in CANDOR_DATABASE: the path of a SQLite file, or
    postgresql://USER@HOST/NAME. Stop all servers of both databases first. The command deletes
    nothing from FROM.
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
        "Start the servers with CANDOR_DATABASE set to it. Responses that reach the old database "
        "from now on stay there. Delete it when you no longer need it."
    )


@command
@click.option(
    "--lost", is_flag=True, help="Continue with the current key, because the previous one is lost."
)
def rotate_key(lost: bool) -> None:
    """Replace the secret key in the file secret_key.

    Afterwards, restart the server. Second factors and webhooks stay valid. If the key is in
    CANDOR_SECRET_KEY or in the file of CANDOR_SECRET_KEY_FILE, the command refuses and says what to
    do. If the previous secret key is lost, start the server with a new key, and use --lost.
    Researchers must then set up second factors and webhooks again.
    """
    secret_keys = keys()
    if lost:
        secret_keys.give_up()
        audit("replaced the secret key")
        click.echo("Set up second factors and webhooks again, and restart the server.")
        return
    if secret_keys.file is None:
        raise StateError(
            "The secret key comes from CANDOR_SECRET_KEY. Set CANDOR_SECRET_KEY_BEFORE to it and "
            "CANDOR_SECRET_KEY to a new one, then restart the servers."
        )
    if not secret_keys.settle():
        raise StateError(OTHER_KEY_ADVICE)
    key = secrets.token_hex(32)
    # Written in this order, the two files can decrypt the base key at each moment.
    replace_file(secret_keys.file.with_name("secret_key_before"), secret_keys.key)
    replace_file(secret_keys.file, key)
    SecretKeys(store(), key, secret_keys.key).settle()
    audit("replaced the secret key")
    click.echo("The secret key was replaced. Restart the server; until then it uses the old key.")


@command
@click.argument("folder", metavar="TO", type=click.Path(file_okay=False, path_type=Path))
@click.option(
    "--keep",
    type=click.IntRange(1, 36_500),
    metavar="DAYS",
    help="After the backup, delete the backups in TO that are older than this many days.",
)
def backup(folder: Path, keep: int | None) -> None:
    """Write a backup of the whole database into the folder TO.

    The server can keep running. The file name contains the start time in UTC. The backup contains
    all responses that were acknowledged before that time.
    """
    now = datetime.now(UTC)
    path, copied = write_backup(store(), folder, now)
    audit("created a backup")
    click.echo(f"{copy_summary_text(copied)} are in {path}, {SAME_FIGURES}.")
    if keep is not None:
        for name in remove_old(folder, keep, now):
            click.echo(f"Deleted {name}, which is older than {keep} days.")


@command
@click.argument("file", metavar="FROM", type=click.Path(dir_okay=False, path_type=Path))
@click.option(
    "--other-figures",
    is_flag=True,
    help="Restore even if this version of Candor computes other estimates from the backup than the "
    "version that wrote it.",
)
def restore(file: Path, other_figures: bool) -> None:
    """Restore the backup file FROM to the empty database of CANDOR_DATABASE, and check it.

    All researchers must sign in again. The restored database also contains what was deleted,
    withdrawn or revoked after the backup was written.
    """
    copied = restore_backup(file, store(), other_figures)
    audit("restored a backup")
    click.echo(f"{copy_summary_text(copied)} are restored, {SAME_FIGURES}.")
