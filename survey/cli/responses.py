"""Commands on responses: `responses load` and `responses simulate`."""

import secrets
import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import BinaryIO

import click

from survey.cli.command_errors import command
from survey.core.csv_tables import ENCODINGS, UnknownEncoding
from survey.core.errors import DataFileError, StateError
from survey.core.json_text import parse_json
from survey.definition.responses.parse_response import Response
from survey.formats.csv_import import CSVReading, read_groups, read_responses
from survey.formats.randomised_csv.options import parse_decimal_marks
from survey.planning.simulation import simulate_groups
from survey.web.audit_log import audit
from survey.web.extensions import store
from survey.web.load_responses import closed_for_data, response_batches


def with_progress_bar(
    arriving: Iterator[list[Response]], n: int, label: str
) -> Iterator[list[Response]]:
    """Yield the same batches, with a progress bar on standard error."""
    with click.progressbar(length=n, label=label, file=sys.stderr) as bar:
        for batch in arriving:
            yield batch
            bar.update(len(batch))


SEPARATOR_NAMES = {"comma": ",", "semicolon": ";", "tab": "\t", "bar": "|"}


def encoding_option(file: str) -> Callable[[Callable[..., None]], Callable[..., None]]:
    """The option for the encoding of a CSV file, which the help calls `file`."""
    return click.option(
        "--encoding",
        type=click.Choice([*ENCODINGS], case_sensitive=False),
        help=f"Encoding of {file} if it is neither UTF-8 nor marked as UTF-16. Without this "
        "option, the command names the likely ones.",
    )


def of_a_csv_file(function: Callable[..., None]) -> Callable[..., None]:
    """Add the options that say how to read a CSV file."""
    separator = click.option(
        "--separator",
        type=click.Choice([*SEPARATOR_NAMES]),
        help="Sign between cells. Default: the one that gives each row the same number of cells.",
    )
    return encoding_option("FILE")(separator(function))


decimal_mark_option = click.option(
    "--decimal-mark",
    multiple=True,
    metavar="[COLUMN=]MARK",
    help="Sign before decimals, a point or a comma, if 1.200 or 1,200 can mean two numbers.",
)


@contextmanager
def opened_csv(file: Path) -> Iterator[BinaryIO]:
    """The file. An error about its encoding also names the option. Raises DataFileError."""
    with file.open("rb") as opened:
        try:
            yield opened
        except UnknownEncoding as error:
            such = f", such as --encoding {next(iter(error.likely))}" if error.likely else ""
            advice = f"Or name its encoding{such or ' with --encoding'}, and check the cells."
            raise DataFileError(f"{error} {advice}") from error


@command
@click.argument("slug")
@click.argument("file", type=click.Path(exists=True, dir_okay=False, path_type=Path))
@of_a_csv_file
@decimal_mark_option
@click.option(
    "--append",
    is_flag=True,
    help="Add to the responses that were loaded before. "
    "Without it, the survey must have no responses.",
)
def load(
    slug: str,
    file: Path,
    append: bool,
    encoding: str | None,
    separator: str | None,
    decimal_mark: tuple[str, ...],
) -> None:
    """Load responses into survey SLUG from a CSV FILE.

    Use it for responses that you collected elsewhere with the definition of the survey. FILE has
    the columns and cells of responses.csv in the ZIP download. For other files, use `responses
    import-randomised`.

    The survey must be a draft, or a closed survey that has no responses except loaded ones. The
    command freezes and closes a draft. The survey can then never collect responses from browsers.
    """
    survey = store().surveys.by_slug(slug).survey
    reading = CSVReading(
        encoding or "",
        SEPARATOR_NAMES.get(separator or "", ""),
        parse_decimal_marks(decimal_mark, ()),
    )
    # Read the whole file before storing anything, so that a fault in the last line loads none.
    with opened_csv(file) as opened:
        n = sum(1 for _ in read_responses(opened, survey, reading))
    closed_for_data(slug)
    if store().counts.number_of_responses(slug) and not append:
        raise StateError(f"Survey {slug!r} already has responses. To add to them, use --append.")
    with file.open("rb") as opened:
        arriving = response_batches(read_responses(opened, survey, reading))
        store().responses.add_batches(slug, with_progress_bar(arriving, n, "Loading"), "loaded")
    audit("loaded responses from a file", slug)
    click.echo(f"{slug}: {n} responses loaded")


@command
@click.argument("slug")
@click.option(
    "--n", "n", type=click.IntRange(1), required=True, help="Number of simulated respondents."
)
@click.option(
    "--truth",
    type=click.Path(exists=True, dir_okay=False, path_type=Path),
    required=True,
    help="JSON file with the assumed true shares of every question, such as "
    '{"smokes": {"yes": 0.3}}, or with groups. For a number: {"mean": 5, "sd": 2}. Omit notes, '
    "sections, texts, dates and experimental arms.",
)
@click.option(
    "--seed",
    type=click.IntRange(0),
    help="Seed of the random numbers: the same seed gives the same simulated answers and reports.",
)
def simulate(slug: str, n: int, truth: Path, seed: int | None) -> None:
    """Add simulated respondents to survey SLUG.

    The survey must be a draft, or a closed survey that has no responses except simulated ones. The
    command freezes and closes a draft. The survey can then never collect responses from browsers.

    Answers to different questions are independent, unless the file of --truth describes groups:
    {"groups": [{"share": 0.4, "answers": {"smokes": {"yes": 0.6}}}, ...]}.

    The file also needs the questions that are not sent. Derived answers are calculated. If the file
    has shares of a derived answer, the answer is drawn from these, and not calculated.
    """
    try:
        groups = read_groups(parse_json(truth.read_bytes()), store().surveys.by_slug(slug).survey)
    except ValueError as error:
        raise DataFileError(f"{truth} is not valid JSON: {error}. Correct it.") from error
    survey = closed_for_data(slug)
    arriving = (
        [Response(secrets.token_bytes(16), row) for row in reports]
        for reports, _ in simulate_groups(survey, groups, n, seed)
    )
    store().responses.add_batches(slug, with_progress_bar(arriving, n, "Simulating"), "simulated")
    audit(f"added {n} simulated respondents", slug)
    click.echo(f"{slug}: {n} simulated respondents added")
