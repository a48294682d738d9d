"""The command `responses import-randomised`: make a survey from a file of randomised answers."""

from collections.abc import Sequence
from pathlib import Path

import click

from survey.cli.command_errors import command
from survey.cli.responses import with_progress_bar
from survey.core.errors import DataFileError
from survey.definition.certainty import survey_loss_text
from survey.definition.frozen import freeze
from survey.formats.randomised_csv.build_survey import ImportOptions, survey_from_table
from survey.formats.randomised_csv.designs import parse_randomisation_design
from survey.formats.randomised_csv.sheet import read_csv_table
from survey.web.access import create_draft
from survey.web.audit_log import BY_COMMAND, audit
from survey.web.extensions import privacy_limits, store
from survey.web.load_responses import response_batches


def values_by_column(values: Sequence[str], what: str) -> dict[str, str]:
    """The values of options such as COLUMN=VALUE, by column. Raises DataFileError."""
    by_column = {}
    for value in values:
        column, equals, rest = value.partition("=")
        if not equals or not rest.strip():
            raise DataFileError(f"{value!r} has the wrong form. Write it as COLUMN={what}.")
        by_column[column.strip()] = rest.strip()
    return by_column


def counted_as_yes(values: Sequence[str]) -> dict[str, str]:
    """The cells that count as yes, by column. A cell without a column counts for all (key "")."""
    return values_by_column([value if "=" in value else f"={value}" for value in values], "CELL")


@command
@click.argument("slug")
@click.argument("file", type=click.Path(exists=True, dir_okay=False, path_type=Path))
@click.option(
    "--private",
    multiple=True,
    metavar="COLUMN=DESIGN",
    help="Mechanism of a column and its parameters, such as "
    '"q1=forced_response,p_truth=2/3,p_yes=1/6,p_no=1/6". The notation of the R packages rr and '
    'RRreg also works, such as "q1=FR,p=c(1/6,1/6)".',
)
@click.option(
    "--yes",
    multiple=True,
    metavar="[COLUMN=]CELL",
    help="Cell that means yes. Default: 1, yes or TRUE.",
)
@click.option(
    "--choices",
    multiple=True,
    metavar="COLUMN=CELL,CELL",
    help="For a private column with more than two answers: its cells, in the order of the "
    "probabilities in DESIGN.",
)
@click.option(
    "--categories",
    multiple=True,
    metavar="COLUMN",
    help="Non-private column of numbers to import as choices.",
)
@click.option("--skip", multiple=True, metavar="COLUMN", help="Column to leave out.")
@click.option(
    "--missing",
    multiple=True,
    metavar="CELL",
    help="Cell that means a missing value, in addition to an empty cell, NA, NaN and a dot.",
)
@click.option(
    "--numbers",
    multiple=True,
    metavar="COLUMN",
    help="Non-private column to import as a number, also if it has only two values.",
)
@click.option(
    "--weights",
    multiple=True,
    metavar="COLUMN",
    help="Column of weights: how many people each respondent represents. It becomes a number "
    "question for the option --weights of the analyses.",
)
@click.option(
    "--keep-missing",
    multiple=True,
    metavar="COLUMN",
    help="Non-private column in which a missing cell is an answer like the others. Default: "
    "“Prefer not to say”, and regressions leave these respondents out.",
)
@click.option(
    "--require-complete",
    is_flag=True,
    help="Refuse a file in which a report is missing. Without it, the command omits such rows, "
    "and prints their number.",
)
# Earlier versions needed this option to omit rows.
@click.option(
    "--drop-incomplete",
    is_flag=True,
    hidden=True,
    help="Has no effect. Rows without a report are always dropped, unless --require-complete.",
)
@click.option("--title", help="Title of the survey. Default: SLUG.")
def bring_file(
    slug: str, file: Path, private: tuple[str, ...], yes: tuple[str, ...],
    choices: tuple[str, ...], categories: tuple[str, ...], skip: tuple[str, ...],
    missing: tuple[str, ...], numbers: tuple[str, ...], weights: tuple[str, ...],
    keep_missing: tuple[str, ...], require_complete: bool, drop_incomplete: bool, title: str | None,
) -> None:  # fmt: skip
    """Create survey SLUG from a CSV FILE with one row per respondent.

    Name each column of randomised reports with --private. All other columns become non-private
    questions. The new survey is closed, and its responses are marked as loaded. You can repeat
    the options that name columns or cells.
    """
    wishes = ImportOptions(
        {
            column: parse_randomisation_design(text)
            for column, text in values_by_column(private, "DESIGN").items()
        },
        counted_as_yes(yes),
        {
            column: [cell.strip() for cell in cells.split(",")]
            for column, cells in values_by_column(choices, "CELL,CELL").items()
        },
        categories,
        skip,
        numbers,
        weights,
        keep_missing,
        require_complete,
    )
    try:
        with file.open(encoding="utf-8-sig", newline="") as lines:
            brought = survey_from_table(read_csv_table(lines, missing), wishes, slug, title or slug)
    except UnicodeDecodeError as error:
        raise DataFileError(
            f'{file} is not UTF-8. In R, use write.csv(..., fileEncoding = "UTF-8").'
        ) from error
    survey, n = brought.survey, len(brought.rows)
    frozen = freeze(survey, privacy_limits(), to_open=False)
    create_draft(survey, BY_COMMAND)
    store().surveys.freeze(frozen, "closed")
    store().responses.add_batches(
        slug, with_progress_bar(response_batches(iter(brought.rows)), n, "Loading"), "loaded"
    )
    audit("created the survey from a file of responses", slug)
    for sentence in brought.said:
        click.echo(sentence, err=True)
    kinds = (
        f"{len(survey.private)} private and {len(survey.fields) - len(survey.private)} non-private"
    )
    click.echo(f"{slug}: {n:,} responses to {kinds} questions, epsilon {survey_loss_text(survey)}")
