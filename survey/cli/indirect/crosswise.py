"""The command `analyse crosswise`: two statements, and one answer that compares them."""

import click

from survey.analysis.as_json import part_json
from survey.analysis.columns.column_request import place_of_answer
from survey.analysis.indirect.crosswise import crosswise_json
from survey.analysis.indirect.crosswise_blocks import crosswise_blocks
from survey.analysis.indirect.crosswise_columns import (
    CrosswiseColumn,
    analyse_crosswise,
    crosswise_column,
    passed_check,
)
from survey.analysis.sentences import crosswise_sentence, instructions_sentence
from survey.cli.analyse import print_analysis
from survey.cli.command_errors import command
from survey.cli.indirect import read_named
from survey.cli.tables import block_lines
from survey.cli.validity import Probability
from survey.core.errors import UnanswerableQuestion

LEVEL = click.FloatRange(50, 99.9)


@command
@click.argument("slug")
@click.argument("question")
@click.option(
    "--p",
    "known",
    type=Probability(),
    help="Known share of people for whom the second statement is true, such as 1/6. Default: that "
    "of the question.",
)
@click.option("--anchor", help="Anchor question, whose first statement has a known true share. "
              "Default: the anchor question of the survey, if it has one.")  # fmt: skip
@click.option("--anchor-p", "anchor_known", type=Probability(),
              help="The same share for the second statement of --anchor. Default: that of the "
              "anchor question.")  # fmt: skip
@click.option(
    "--anchor-share",
    type=click.FloatRange(0, 100),
    default=0,
    show_default=True,
    help="Share of people for whom the first statement of the anchor question is true, in percent.",
)
@click.option(
    "--by",
    "group",
    help="Non-private question with two groups. The first group has the known share p, the second "
    "one 1 - p. The result says which group is the first one.",
)
@click.option("--second", help="Instead of --by: the question that the second group "
              "answered, with the known share 1 - p.")  # fmt: skip
@click.option("--check", help="Non-private question that checks attention.")
@click.option("--passed", multiple=True, help="With --check: the answer of attentive people. "
              "You can repeat it.")  # fmt: skip
@click.option("--level", type=LEVEL, default=95, show_default=True,
              help="Confidence level of the intervals, in percent.")  # fmt: skip
@click.option(
    "--json", "machine", is_flag=True, help="Print everything as JSON, at full precision."
)
def crosswise_command(
    slug: str, question: str, known: float | None, anchor: str | None,
    anchor_known: float | None, anchor_share: float, group: str | None, second: str | None,
    check: str | None, passed: tuple[str, ...], level: float, machine: bool,
) -> None:  # fmt: skip
    """Estimate the share of people for whom the first statement of QUESTION is true.

    QUESTION of survey SLUG is a crosswise question, or an imported question with two answers. The
    first answer must mean "both statements are true or both are false". With an anchor question,
    the command corrects for people who answer at random. With two groups, it tests whether people
    followed the instructions.
    """
    if (check is None) != (not passed):
        raise click.UsageError("--check and --passed belong together. Give both.")
    if group is not None and second is not None:
        raise click.UsageError("--by and --second exclude each other. Give one of them.")
    names = {"question": question, "anchor": anchor, "by": group, "second": second, "check": check}
    found, columns = read_named(slug, names)
    if anchor is None:
        own = next((q.name for q in found.survey.fields if q.anchor_question), None)
        if own not in (None, question):
            anchor = own
            found, columns = read_named(slug, names | {"anchor": anchor})
    questions = {each.name: each for each in found.survey.fields}

    def crosswise(role: str, given: float | None) -> CrosswiseColumn | None:
        column = columns.get(role)
        return None if column is None else crosswise_column(
            column, questions.get(column.name), given
        )  # fmt: skip

    main = crosswise("question", known)
    if main is None:
        raise UnanswerableQuestion("There is no such question.")
    other = crosswise("second", None if known is None else 1 - known)
    attentive = None
    if "check" in columns:
        checked = columns["check"]
        places = [place_of_answer(found.survey, checked, answer) for answer in passed]
        attentive = passed_check(checked, places)
    result = analyse_crosswise(
        main, crosswise("anchor", anchor_known), anchor_share / 100, other, columns.get("by"),
        attentive, level / 100,
    )  # fmt: skip
    content = {"question": part_json(main.column), "anchor": anchor} | crosswise_json(result)
    sentences = [crosswise_sentence(result, main.column)]
    if result.instructions is not None:
        sentences.append(instructions_sentence(result.instructions))
    lines = [*sentences, *block_lines(crosswise_blocks(result))]
    if known is not None:
        same = content["same"] = main.column.answers[0]
        lines.append(f"“{same}” counts as: both statements are true or both are false.")
    if "by" in columns:
        first, last = content["groups"] = columns["by"].answers[:2]
        lines.append(f"The first group is “{first}”, and the second one “{last}”.")
    print_analysis(found, content, lines, machine)
