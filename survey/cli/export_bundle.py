"""The command `responses export-bundle`, which exports a survey as one ZIP."""

from pathlib import Path

import click

from survey.cli.command_errors import command
from survey.core.errors import StateError
from survey.store.stored import not_opened
from survey.web.audit_log import audit
from survey.web.exports.export_zip import write_zip
from survey.web.extensions import store


@command
@click.argument("slug")
@click.option(
    "--output",
    type=click.Path(exists=False, dir_okay=False, writable=True, path_type=Path),
    required=True,
    help="ZIP file to create. The command does not replace an existing file.",
)
def export_bundle(slug: str, output: Path) -> None:
    """Export all data of survey SLUG as one ZIP.

    The ZIP contains the published responses, estimates, codebook and scripts for R and Python.
    SLUG can also be a sub-survey, such as health.by-hand.
    """
    stored_survey = store().surveys.by_slug(slug)
    if stored_survey.frozen is None:
        raise not_opened(slug)
    try:
        file = output.open("xb")  # This mode never replaces an existing file.
    except OSError as error:
        raise StateError(
            f"Cannot create {output}: {error.strerror}. Choose another file."
        ) from error
    try:
        with file:
            write_zip(file, stored_survey)
    except BaseException:
        output.unlink()  # Half a ZIP would look complete.
        raise
    audit("downloaded all data (ZIP)", slug)
    click.echo(f"{slug}: all data is in {output}")
