"""The command `analyse list`: how many statements of a list are true."""

import click

from survey.analysis.as_json import part_json
from survey.analysis.columns.column_request import place_of_answer
from survey.analysis.indirect.compare_ways import (
    compare_ways,
    ways_json,
)
from survey.analysis.indirect.list_blocks import list_blocks
from survey.analysis.indirect.list_columns import analyse_list, group_of_counts, split_by_group
from survey.analysis.indirect.list_experiment import list_json
from survey.analysis.sentences import list_sentences, ways_sentence
from survey.cli.analyse import print_analysis
from survey.cli.command_errors import command
from survey.cli.indirect import read_named
from survey.cli.tables import block_lines

LEVEL = click.FloatRange(50, 99.9)


@command
@click.argument("slug")
@click.argument("question")
@click.option("--by", "group", help="Non-private question with the two groups.")
@click.option("--treated", help="With --by: answer of the treatment group.")
@click.option("--treatment", help="Instead of --by: the question of the treatment group. Write "
              "SLUG:QUESTION for a question of another survey.")  # fmt: skip
@click.option("--items", type=click.IntRange(1, 10), help="Number of control statements. Default: "
              "the largest possible answer of the treatment group, minus 1.")  # fmt: skip
@click.option("--compare", help="The same question, asked directly and randomised, as a joined "
              "variable such as smokes+smokes_direct. Its respondents must be different people "
              "from those who answered the list.")  # fmt: skip
@click.option("--level", type=LEVEL, default=95, show_default=True,
              help="Confidence level of the interval, in percent.")  # fmt: skip
@click.option(
    "--json", "machine", is_flag=True, help="Print everything as JSON, at full precision."
)
def list_command(
    slug: str, question: str, group: str | None, treated: str | None, treatment: str | None,
    items: int | None, compare: str | None, level: float, machine: bool,
) -> None:  # fmt: skip
    """Estimate a share from a list experiment (item count).

    The answers to QUESTION of survey SLUG are numbers of true statements, without randomisation.
    The statements of the treatment group include the sensitive one. If both groups answered
    QUESTION, name the question with the groups in --by, and the answer of the treatment group in
    --treated. If the treatment group answered another question, name that question in --treatment.
    A list experiment is not differentially private.

    With --compare, the command prints the estimate for each way of asking, and its difference from
    that of the direct question.
    """
    if (group is None) == (treatment is None):
        raise click.UsageError("State the treatment group: give either --by or --treatment.")
    if (group is None) != (treated is None):
        raise click.UsageError("--by and --treated belong together. Give both.")
    if group is not None and treated is not None:
        found, columns = read_named(slug, {"question": question, "by": group, "compare": compare})
        by = columns["by"]
        place = place_of_answer(found.survey, by, treated)
        groups = split_by_group(columns["question"], by, place)
        counts = [columns["question"]]
    else:
        survey, _, name = (treatment or "").rpartition(":")
        found, columns = read_named(slug, {"question": question, "compare": compare})
        _, others = read_named(survey or slug, {"treatment": name})
        groups = group_of_counts(columns["question"]), group_of_counts(others["treatment"])
        counts = [columns["question"], *([] if survey else [others["treatment"]])]
    result = analyse_list(*groups, items, level / 100)
    content = {"question": part_json(columns["question"])} | list_json(result)
    ways, verdict = None, ""
    if compare is not None:
        ways = compare_ways(columns["compare"], result, counts, level / 100)
        content |= {"ways": ways_json(ways)}
        verdict = ways_sentence(ways)
    sentences = list_sentences(result)
    lines = [*sentences[:2], *block_lines(list_blocks(result, sentences[2:], ways, verdict))]
    print_analysis(found, content, lines, machine)
