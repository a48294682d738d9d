"""Commands that write and restore backups: `database backup` and `database restore`."""

from datetime import UTC, datetime
from pathlib import Path

import click

from survey.cli.command_errors import command
from survey.store.backups import remove_old, restore_backup, write_backup
from survey.store.copy_database import CopySummary
from survey.web.audit_log import audit
from survey.web.extensions import store

SAME_FIGURES = "and every estimate is identical to the last digit"


def copy_summary_text(copied: CopySummary) -> str:
    return (
        f"{copied.surveys} surveys, {copied.responses:,} responses and {copied.rows:,} other rows"
    )


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
