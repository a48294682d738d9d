"""A comparison of groups as the blocks of its page."""

from collections.abc import Iterator, Sequence

from survey.analysis.blocks import (
    HINT,
    Block,
    FigureCell,
    Folded,
    FormulaLine,
    Heading,
    Paragraph,
    Row,
    Table,
    remark_block,
)
from survey.analysis.cells import (
    DASH,
    amount_cell,
    ends_cell,
    level_text,
    p_cell,
    points_cell,
    share_cell,
)
from survey.analysis.columns.variables import SummedDraws
from survey.analysis.groups.differences import GroupDifference
from survey.analysis.groups.figures import SIGNIFICANCE_LEVEL, IntervalEstimate
from survey.analysis.groups.groups import GroupComparison
from survey.analysis.groups.measures import Measure
from survey.analysis.sentences import capitalise, excluded_responses, is_share
from survey.analysis.tables.association import DESIGN_SCORE, FROM_INTERVAL, MOVER, WELCH, Test
from survey.analysis.tables.result_text import result_of_test
from survey.core.glossary_terms import glossary_term
from survey.core.translate import (
    join_sentences,
    translate,
    translate_constant,
    translate_count,
    translate_list,
)
from survey.estimation.types.joint_texts import quoted_label


def comparison_blocks(found: GroupComparison) -> Iterator[Block]:
    """Everything that a comparison found, but its sentence and its chart."""
    yield Paragraph(join_sentences(*whom_it_describes(found)))
    if found.measure.column.summed is not None:
        yield summed_table(found.measure.column.summed)
    yield groups_table(found)
    if found.differences:
        yield Heading(translate("Differences"))
        labels = [group.label for group in found.groups]
        yield differences_table(
            found.differences, labels, translate("Groups"), found.measure, found.level
        )
    if len(found.differences) > 1:
        yield Paragraph(
            translate(
                "With %(n)s differences, some can look significant by chance alone. Use Holm’s p: "
                "it controls the probability of any false positive among all differences.",
                n=len(found.differences),
            ),
            HINT,
        )
    if found.overall is not None:
        yield Heading(translate("Do the groups differ at all?"))
        yield Paragraph(overall_text(found.overall, found.has_design))
    yield from map(remark_block, found.remarks)
    yield Folded(translate("How this is computed"), tuple(method_blocks(found)))


def whom_it_describes(found: GroupComparison) -> Iterator[str]:
    """How many responses there are, and whom the results describe."""
    n, is_sum = translate_count(found.n), found.measure.column.summed is not None
    yield (
        translate(
            "Based on %(n)s responses with an answer or report for each of these questions.", n=n
        )
        if is_sum
        else translate("Based on %(n)s responses with an answer or report for both questions.", n=n)
    )
    yield excluded_responses(found.left_out)
    special = glossary_term("special answer", translate("special answers"))
    if is_sum:
        yield from whom_a_sum_describes(found)
    elif found.measure.column.special_answers:
        yield translate(
            "The %(n)s responses can include %(special_answers)s. All results except “%(share)s” "
            "describe respondents who gave no special answer to either question.",
            n=found.n,
            special_answers=special,
            share=translate("Share of respondents"),
        )
    elif found.group.special_answers:
        yield translate(
            "The %(n)s responses can include %(special_answers)s. All results describe respondents "
            "who gave no special answer to either question.",
            n=found.n,
            special_answers=special,
        )


def whom_a_sum_describes(found: GroupComparison) -> Iterator[str]:
    """Whom the mean of a sum describes, and what "not asked" counts."""
    yield translate(
        "A question of the sum that is not asked has 0 points, or those of its answer for people "
        "who are not asked."
    )
    declined = found.measure.column.answers
    if declined:
        yield translate(
            "The means describe respondents who gave none of these answers to a question of the "
            "sum: %(answers)s.",
            answers=translate_list([quoted_label(each) for each in declined]),
        )
    if found.group.special_answers:
        special = glossary_term("special answer", translate("special answer"))
        yield translate(
            "All results describe respondents who gave no %(special_answer)s to the question of "
            "the groups.",
            special_answer=special,
        )


def summed_table(summed: SummedDraws) -> Table:
    """The questions of a sum, and the points of their answers."""
    return Table(
        key="summed",
        region=translate("Questions of the sum"),
        caption=translate("Questions of the sum, and the points of their answers."),
        names=(translate("Question"), translate("Points")),
        figures=(),
        rows=tuple(Row(item, ()) for item in summed.items),
        tall=False,
    )


def measure_heading(measure: Measure) -> str:
    """The heading of a column with a measure, with its unit."""
    if measure.answer is not None:
        return translate("Share of %(answer)s", answer=quoted_label(measure.answer))
    words, unit = capitalise(measure.words), measure.column.unit
    return translate("%(measure)s, in %(unit)s", measure=words, unit=unit) if unit else words


def difference_heading(measure: Measure) -> str:
    """The heading of a column with differences of a measure, with its unit."""
    unit = measure.column.unit
    if is_share(measure):
        return translate("Difference, in points")
    return translate("Difference, in %(unit)s", unit=unit) if unit else translate("Difference")


def measure_cell(figure: IntervalEstimate | None, measure: Measure) -> FigureCell:
    return share_cell(figure) if is_share(measure) else amount_cell(figure)


def groups_table(found: GroupComparison) -> Table:
    measure, heading = found.measure, measure_heading(found.measure)
    rows = [
        Row((group.label,), (share_cell(group.size), measure_cell(group.figure, measure)))
        for group in found.groups
    ]
    everyone = Row(
        (translate("Everyone"),), (FigureCell(text=""), measure_cell(found.everyone, measure))
    )
    return Table(
        key="groups",
        region=translate("Groups"),
        caption=translate(
            "%(measure)s, by group. Each estimate has its %(level)s %% interval.",
            measure=heading,
            level=level_text(found.level),
        ),
        names=(translate("Group"),),
        figures=(translate("Share of respondents"), heading),
        rows=(*rows, everyone),
    )


def differences_table(
    differences: Sequence[GroupDifference],
    labels: Sequence[str],
    heading: str,
    measure: Measure,
    level: float,
    trend: Row | None = None,
) -> Table:
    """Differences of groups or surveys with these labels. `trend` is a last row."""
    caption = (
        translate(
            "With %(level)s %% intervals, and simultaneous intervals for all %(n)s differences.",
            level=level_text(level),
            n=len(differences),
        )
        if len(differences) > 1
        else translate(
            "With %(level)s %% intervals. A single difference needs no correction.",
            level=level_text(level),
        )
    )
    rows = [difference_row(each, labels, measure) for each in differences]
    return Table(
        key="differences",
        region=translate("Differences"),
        caption=caption,
        names=(heading,),
        figures=(
            difference_heading(measure),
            translate("Simultaneous interval"),
            "p",
            translate("p (Holm)"),
        ),
        rows=(*rows, *((trend,) if trend else ())),
    )


def difference_row(found: GroupDifference, labels: Sequence[str], measure: Measure) -> Row:
    name = translate(
        "%(group)s minus %(other)s", group=labels[found.group], other=labels[found.other]
    )
    ends = ends_cell(found.low, found.high, found.figure, is_share=is_share(measure))
    figure = difference_cell(found.figure, measure)
    return Row((name,), (figure, ends, *map(p_cell, found.stated_p)))


def difference_cell(figure: IntervalEstimate, measure: Measure) -> FigureCell:
    return points_cell(figure) if is_share(measure) else amount_cell(figure)


def trend_row(figure: IntervalEstimate, p: float | None, measure: Measure) -> Row:
    name = translate("Average change from one survey to the next")
    return Row(
        (name,),
        (difference_cell(figure, measure), FigureCell(text=DASH), p_cell(p), FigureCell(text=DASH)),
    )


def overall_text(overall: Test, has_design: bool) -> str:
    """The test of all groups, and what it says."""
    about = translate(
        "%(test)s test that %(hypothesis)s:",
        test=translate_constant(overall.name),
        hypothesis=overall.hypothesis,
    )
    verdict = (
        translate(
            "If the groups did not differ, differences at least this large would appear in fewer "
            "than 1 of 20 surveys."
        )
        if overall.p < SIGNIFICANCE_LEVEL
        else translate(
            "This test does not show that the groups are equal. With more respondents, the test "
            "might find a difference."
        )
    )
    how = (
        translate("This p is from Student’s t distribution.")
        if overall.name == WELCH
        else translate_constant(FROM_INTERVAL)
        if overall.name == MOVER
        else translate("This p is from an F distribution.")
        if has_design or overall.name == DESIGN_SCORE
        else translate(
            "This p is exact, simulated or from permutations. If there are too many responses or "
            "possible reports for these methods, p is from the χ² distribution."
        )
    )
    return join_sentences(f"{capitalise(about)} {result_of_test(overall)}", verdict, how)


def method_blocks(found: GroupComparison) -> Iterator[Block]:
    """How a comparison is computed."""
    scores = glossary_term("score", translate("scores"))
    sentences = [
        translate("The %(scores)s of a report are unbiased for the answer.", scores=scores)
    ]
    if is_share(found.measure):
        yield FormulaLine(
            translate(
                "mean of (score of the answer × score of the group) / mean of (score of giving no "
                "special answer × score of the group)"
            )
        )
        sentences.append(
            translate(
                "For a non-private question, a score is 1 if the respondent gave such an answer, "
                "and 0 otherwise."
            )
        )
    else:
        yield FormulaLine(
            translate(
                "mean of (score of the value × score of the group) / mean of (score of giving no "
                "special answer × score of the group)"
            )
        )
        sentences.append(
            translate(
                "For a non-private question, the score of the value is the given value, or 0 for a "
                "special answer. All other scores are 1 if the respondent gave such an answer, and "
                "0 otherwise."
            )
        )
    sentences.append(
        translate(
            "Variances are calculated with the delta method. Simultaneous intervals use "
            "Bonferroni’s correction."
        )
    )
    sentences.append(
        translate("The interval of a difference combines the intervals of both groups.")
    )
    if found.has_design:
        sentences.append(
            translate(
                "If a report can only support an answer or not, shares of everyone and of "
                "non-private groups have the interval of a simple random sample of the effective "
                "sample size. Non-private groups also have such tests. Other intervals use "
                "Student’s t distribution."
            )
        )
    elif found.overall is not None and found.overall.name != DESIGN_SCORE:
        sentences.append(translate("Tests are valid even with few responses."))
    yield Paragraph(join_sentences(*sentences), HINT)
