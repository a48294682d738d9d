"""Commands on responses: `responses load` and `responses simulate`."""

import json
import secrets
import sys
from collections.abc import Iterator
from itertools import islice
from pathlib import Path

import click

from survey.cli.command_errors import command
from survey.core.errors import DataFileError, StateError
from survey.definition.frozen import freeze
from survey.definition.report_formats import Stored
from survey.definition.responses.parse_response import Response
from survey.definition.survey import Survey
from survey.formats.csv_import import read_responses, read_truth
from survey.planning.simulation import simulate_responses
from survey.web.audit_log import audit
from survey.web.extensions import privacy_limits, store

# Responses held in memory at once.
LOAD_BATCH_RESPONSES = 10_000


def closed_for_data(slug: str) -> Survey:
    """The survey, after freezing and closing it if it is a draft.

    Data may be loaded into a survey that can never be opened, because its epsilon is infinite or
    above the privacy limits.
    """
    stored_survey = store().surveys.by_slug(slug)
    if stored_survey.frozen is None:
        store().surveys.freeze(
            freeze(stored_survey.survey, privacy_limits(), to_open=False), "closed"
        )
    return stored_survey.survey


def response_batches(rows: Iterator[tuple[Stored | None, ...]]) -> Iterator[list[Response]]:
    while batch := [
        Response(secrets.token_bytes(16), reports) for reports in islice(rows, LOAD_BATCH_RESPONSES)
    ]:
        yield batch


def with_progress_bar(
    arriving: Iterator[list[Response]], n: int, label: str
) -> Iterator[list[Response]]:
    """Yield the same batches, with a progress bar on standard error."""
    with click.progressbar(length=n, label=label, file=sys.stderr) as bar:
        for batch in arriving:
            yield batch
            bar.update(len(batch))


@command
@click.argument("slug")
@click.argument("file", type=click.Path(exists=True, dir_okay=False, path_type=Path))
@click.option("--append", is_flag=True, help="Add to the responses that were loaded before.")
def load(slug: str, file: Path, append: bool) -> None:
    """Load responses into survey SLUG from a CSV FILE.

    Use it for responses that you collected elsewhere with the definition of the survey. FILE has
    the columns of responses.csv in the ZIP download. Each cell is the name of a report, or of the
    answer to a non-private question. If a question has a column for each choice, the cell is 1 or
    0. The command closes the survey, which then accepts no responses from browsers. For files in
    any other format, use `responses import-randomised`.
    """
    survey = store().surveys.by_slug(slug).survey
    try:
        # Read the whole file before storing anything, so that a fault in the last line loads none.
        with file.open(encoding="utf-8-sig", newline="") as lines:
            n = sum(1 for _ in read_responses(lines, survey))
    except UnicodeDecodeError as error:
        raise DataFileError(f"{file} is not UTF-8. Save it as UTF-8.") from error
    closed_for_data(slug)
    if store().counts.arrived(slug) and not append:
        raise StateError(f"Survey {slug!r} already has responses. To add to them, use --append.")
    with file.open(encoding="utf-8-sig", newline="") as lines:
        arriving = response_batches(read_responses(lines, survey))
        store().responses.add_batches(slug, with_progress_bar(arriving, n, "Loading"), "loaded")
    audit("loaded responses from a file", slug)
    click.echo(f"{slug}: {n} responses loaded")


@command
@click.argument("slug")
@click.option("--n", "n", type=click.IntRange(1), required=True, help="Number of respondents.")
@click.option(
    "--truth",
    type=click.Path(exists=True, dir_okay=False, path_type=Path),
    required=True,
    help='JSON file with the true shares, such as {"smokes": {"yes": 0.3}}.',
)
@click.option(
    "--seed",
    type=click.IntRange(0),
    help="Seed of the random numbers: the same seed gives the same respondents.",
)
def simulate(slug: str, n: int, truth: Path, seed: int | None) -> None:
    """Add simulated respondents to survey SLUG.

    The command closes the survey, and marks it permanently as simulated.
    """
    try:
        shares = read_truth(json.loads(truth.read_bytes()), store().surveys.by_slug(slug).survey)
    except (ValueError, RecursionError) as error:
        raise DataFileError(f"{truth} is not valid JSON: {error}. Correct it.") from error
    survey = closed_for_data(slug)
    arriving = simulate_responses(survey, shares, n, seed)
    store().responses.add_batches(slug, with_progress_bar(arriving, n, "Simulating"), "simulated")
    audit(f"added {n} simulated respondents", slug)
    click.echo(f"{slug}: {n} simulated respondents added")
