"""The command `analyse change`: a share or a mean in several surveys, such as waves."""

import click

from survey.analysis.changes.change_blocks import change_blocks
from survey.analysis.changes.changes import (
    change_json,
    compare_surveys,
    relation_of,
)
from survey.analysis.columns.column_request import DesignNames, place_of_answer
from survey.analysis.sentences import change_sentence
from survey.cli.analyse import Sampling, print_analysis, read_analysis_columns
from survey.cli.command_errors import command
from survey.cli.tables import block_lines


@command
@click.argument("slug")
@click.argument("question")
@click.argument("others", nargs=-1, required=True)
@click.option(
    "--answer",
    help="Answer whose share is compared. Default: the mean of a number or scale, or the share of "
    "the first of two answers.",
)
@click.option(
    "--shared",
    is_flag=True,
    help="Take into account that some respondents answered several of the surveys. For waves of "
    "one series, the command always does this.",
)
@click.option("--level", type=click.FloatRange(50, 99.9), default=95, show_default=True,
              help="Confidence level of the intervals, in percent.")  # fmt: skip
@click.option(
    "--json", "machine", is_flag=True, help="Print everything as JSON, at full precision."
)
def change_command(
    slug: str, question: str, others: tuple[str, ...], answer: str | None, shared: bool,
    level: float, machine: bool,
) -> None:  # fmt: skip
    """Compare a share or mean of QUESTION between survey SLUG and OTHERS.

    OTHERS are the slugs of one or more later surveys, oldest first. Each needs a question with the
    same answers. If this question has a different name there, write SLUG:QUESTION. The surveys can
    use different mechanisms. With three or more surveys, the command also prints the trend.
    """
    surveys, columns, designs = [], [], []
    for each in (slug, *others):
        name, _, column = each.partition(":")
        survey, (asked,), design = read_analysis_columns(
            name, (column or question,), Sampling(DesignNames())
        )
        surveys.append(survey)
        columns.append(asked)
        designs.append(design)
    place = None if answer is None else place_of_answer(surveys[0].survey, columns[0], answer)
    labels = [survey.survey.slug for survey in surveys]
    relation = relation_of([each.survey.fieldwork.series for each in surveys], shared)
    found = compare_surveys(columns, labels, designs, place, relation, level / 100)
    lines = [change_sentence(found), *block_lines(change_blocks(found))]
    print_analysis(surveys[0], change_json(found), lines, machine)
