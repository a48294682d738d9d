"""The command `responses import-randomised`: make a survey from a file of randomised answers."""

from pathlib import Path

import click

from survey.cli.command_errors import command
from survey.cli.responses import (
    SEPARATOR_NAMES,
    decimal_mark_option,
    of_a_csv_file,
    opened_csv,
    with_progress_bar,
)
from survey.definition.certainty import named_loss
from survey.formats.randomised_csv.build_survey import survey_from_table
from survey.formats.randomised_csv.options import OptionTexts, parse_options
from survey.formats.randomised_csv.sheet import read_csv_table
from survey.web.audit_log import BY_COMMAND, CREATED_FROM_FILE, audit
from survey.web.load_responses import create_survey_with_responses, response_batches


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
    "--design-by",
    metavar="COLUMN",
    help="Column whose cells decide on the design of each row, such as an experimental arm. Give "
    'one design for each cell: --design-by arm --private "q1[A]=Warner,p=2/3" --private '
    '"q1[B]=Warner,p=3/4". The design of rows with direct answers is "direct".',
)
@click.option(
    "--join",
    multiple=True,
    metavar="NAME=COLUMN,COLUMN",
    help="Private columns with the same question and different designs, of which each row has a "
    "report in only one: --join q=q1,q2. Analyses can then join them.",
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
    help="Cell that means a missing value, in addition to an empty cell, NA, NaN, a dot and the "
    "errors of Excel such as #N/A.",
)
@click.option(
    "--numbers",
    multiple=True,
    metavar="COLUMN",
    help="Non-private column to import as a number, even if it has only two values.",
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
    "“Prefer not to say”, and regressions leave out respondents with this answer.",
)
@click.option(
    "--require-complete",
    is_flag=True,
    help="Refuse a file in which a report is missing. Without it, the command omits such rows, "
    "and prints their number.",
)
@decimal_mark_option
@click.option("--title", help="Title of the survey. Default: SLUG.")
@of_a_csv_file
def import_randomised(
    slug: str,
    file: Path,
    private: tuple[str, ...],
    design_by: str | None,
    join: tuple[str, ...],
    yes: tuple[str, ...],
    choices: tuple[str, ...],
    categories: tuple[str, ...],
    skip: tuple[str, ...],
    missing: tuple[str, ...],
    numbers: tuple[str, ...],
    weights: tuple[str, ...],
    keep_missing: tuple[str, ...],
    decimal_mark: tuple[str, ...],
    require_complete: bool,
    title: str | None,
    encoding: str | None,
    separator: str | None,
) -> None:
    """Create survey SLUG from a CSV FILE with one row per respondent.

    Name each column of randomised reports with --private. All other columns become non-private
    questions. The new survey is closed, and its responses are marked as loaded. You can repeat
    the options that name columns or cells.

    If designs differ between rows, the command makes a question for each design. Join them in
    analyses, such as q1_a+q1_b.

    Put quotes around the name of a column that contains "=", and around a cell of --choices that
    contains a comma: --choices 'q1="No, never","Yes, once"'.
    """
    with opened_csv(file) as opened:
        table = read_csv_table(
            opened, missing, encoding or "", SEPARATOR_NAMES.get(separator or "", "")
        )
    texts = OptionTexts(
        private=private,
        yes=yes,
        choices=choices,
        categories=categories,
        skip=skip,
        numbers=numbers,
        weights=weights,
        keep_missing=keep_missing,
        decimal_mark=decimal_mark,
        require_complete=require_complete,
        design_by=(design_by or "").strip(),
        join=join,
    )
    options = parse_options(texts, table.columns)
    brought = survey_from_table(table, options, slug, title or slug)
    survey, n = brought.survey, len(brought.rows)
    batches = with_progress_bar(response_batches(iter(brought.rows)), n, "Loading")
    create_survey_with_responses(survey, batches, BY_COMMAND)
    audit(CREATED_FROM_FILE, slug)
    for sentence in brought.said:
        click.echo(sentence, err=True)
    kinds = (
        f"{len(survey.private)} private and {len(survey.fields) - len(survey.private)} non-private"
    )
    click.echo(f"{slug}: {n:,} responses to {kinds} questions, {named_loss(survey)}")
