"""The command `responses export-bundle`: everything about a survey in one ZIP."""

from pathlib import Path

import click

from survey.cli.command_errors import command
from survey.core.errors import StateError
from survey.formats.export_bundle.archive import write_archive
from survey.web.audit_log import audit
from survey.web.extensions import store
from survey.web.published_results import releases_of


@command
@click.argument("slug")
@click.option(
    "--output",
    type=click.Path(exists=False, dir_okay=False, writable=True, path_type=Path),
    required=True,
    help="A new ZIP file.",
)
def take_home(slug: str, output: Path) -> None:
    """Write everything about survey SLUG into one ZIP: responses, estimates, codebook, and scripts
    for R, Python and SPSS. Also of a part, such as health.by-hand."""
    stored_survey = store().surveys.by_slug(slug)
    if stored_survey.frozen is None:
        raise StateError(f"Survey {slug!r} is a draft; it has no responses.")
    try:
        file = output.open("xb")  # never over a file that is there
    except OSError as error:
        raise StateError(f"{output} cannot be made: {error.strerror}.") from error
    try:
        with file:
            responses, releases = store().responses.rows(slug), releases_of(stored_survey)
            write_archive(file, stored_survey.frozen, stored_survey.origin, responses, releases)
    except BaseException:
        output.unlink()  # half a ZIP would look like a whole one
        raise
    audit("downloaded all data (ZIP)", slug)
    click.echo(f"{slug}: everything is in {output}")
