"""A list experiment as the blocks of its page."""

from collections.abc import Iterator

from survey.analysis.blocks import (
    HINT,
    WARNING,
    Block,
    FigureCell,
    Folded,
    Heading,
    Paragraph,
    Row,
    Table,
    remark_block,
)
from survey.analysis.cells import (
    DASH,
    count_cell,
    level_text,
    points_cell,
    share_cell,
    value_cell,
)
from survey.analysis.groups.figures import p_words
from survey.analysis.indirect.compare_ways import WaysOfAsking
from survey.analysis.indirect.list_and_direct import ListAndDirect
from survey.analysis.indirect.list_experiment import ListExperiment
from survey.analysis.sentences import (
    both_remarks,
    design_effect_remarks,
    list_remarks,
    placebo_sentences,
    without_special_answers,
)
from survey.core.translate import join_sentences, translate, translate_number
from survey.estimation.number_text import fixed_decimals, percent, points_text


def list_blocks(
    found: ListExperiment,
    ways: WaysOfAsking | None,
    verdict: str,
    both: ListAndDirect | None = None,
) -> Iterator[Block]:
    """Everything that was found, but its first sentences and its chart.

    `ways` are other ways of asking the same question, and `verdict` is the sentence on them. `both`
    is the estimate from the list and a direct question to the same respondents.
    """
    yield from (remark_block(remark, WARNING) for remark in list_remarks(found))
    if both is not None:
        yield Heading(translate("List and direct question together"), "about-direct")
        yield from direct_blocks(found, both)
    if ways is not None:
        yield Heading(translate("Ways of asking"), "about-ways")
        yield from ways_blocks(ways, verdict)
    yield Heading(translate("Answers"))
    yield answers_table(found)
    yield Heading(translate("Types of respondents"))
    yield types_table(found)
    # This share is another estimate of what a design effect makes unusable.
    likeliest = (
        ""
        if design_effect_remarks(found)
        else translate(
            "According to the most likely shares, the sensitive statement is true for %(share)s.",
            share=translate_number(percent(found.likeliest)),
        )
    )
    about = translate("Test for a design effect:")
    yield Paragraph(join_sentences(likeliest, f"{about} {p_words(found.p)}"))
    method = translate(
        "The share is the difference of the means, with Welch’s interval. The test is that of "
        "Blair and Imai, with generalised moment selection and Bonferroni’s correction. The test "
        "cannot detect people who hide that the sensitive statement is true."
    )
    yield Folded(translate("How this is computed"), (Paragraph(method, HINT),))


def direct_blocks(found: ListExperiment, both: ListAndDirect) -> Iterator[Block]:
    """The share from the list, from the direct question and from both, and the placebo tests."""
    yield from (remark_block(remark, WARNING) for remark in both_remarks(both))
    yield Table(
        key="together",
        region=translate("List and direct question together"),
        caption=translate(
            "Each estimate has its %(level)s %% interval.", level=level_text(both.level)
        ),
        names=(translate("Estimate from"),),
        figures=(
            translate("Responses"),
            translate("Share for whom the sensitive statement is true"),
        ),
        rows=tuple(
            Row((name,), (count_cell(n), share_cell(share)))
            for name, n, share in (
                (translate("List alone"), sum(found.n), found.share),
                (translate("Direct question alone"), both.n, both.direct),
                (translate("List and direct question"), both.n, both.share),
            )
        ),
        tall=False,
    )
    yield Paragraph(join_sentences(*placebo_sentences(both)))
    yield Folded(
        translate("How this is computed"),
        (
            Paragraph(
                translate(
                    "The estimate is the share p of Yes, plus (1 − p) times the difference of the "
                    "means among those who said No. Its interval is from Student’s t distribution "
                    "(Aronow, Coppock, Crawford and Green 2015)."
                ),
                HINT,
            ),
        ),
    )


def ways_blocks(found: WaysOfAsking, verdict: str) -> Iterator[Block]:
    """The share in each way of asking, and its difference from the direct question."""
    yield Paragraph(join_sentences(verdict, without_special_answers(found.special_answers)))
    yield Table(
        key="ways",
        region=translate("Ways of asking"),
        caption=translate(
            "Each estimate has its %(level)s %% interval.",
            level=level_text(found.level),
        ),
        names=(translate("Way of asking"),),
        figures=(
            translate("Responses"),
            translate("Share of “%(answer)s”", answer=found.answer),
            translate("Difference from the direct question, in points"),
        ),
        rows=tuple(
            Row(
                (each.label,),
                (
                    count_cell(each.n),
                    share_cell(each.share),
                    FigureCell(text=DASH)
                    if each.difference is None
                    else points_cell(each.difference),
                ),
            )
            for each in found.ways
        ),
        tall=False,
    )
    yield Paragraph(
        translate(
            "Each interval has this level on its own. The differences are valid if chance decided "
            "who was asked in which way."
        ),
        HINT,
    )


def answers_table(found: ListExperiment) -> Table:
    """How many respondents of each group gave each answer, and the means."""
    rows = [
        Row(
            (str(answer),),
            (
                count_cell(found.control[answer])
                if answer < len(found.control)
                else FigureCell(text=DASH),
                count_cell(people),
            ),
        )
        for answer, people in enumerate(found.treatment)
    ]
    means = Row(
        (translate("Mean"),),
        tuple(value_cell(mean, fixed_decimals(mean, 2)) for mean in found.means),
    )
    return Table(
        key="answers",
        region=translate("Answers"),
        caption=translate("Number of respondents with each answer, and the mean."),
        names=(translate("True statements"),),
        figures=(translate("Control group"), translate("Treatment group")),
        rows=(*rows, means),
        tall=False,
    )


def types_table(found: ListExperiment) -> Table:
    """The types of respondents: how many control statements are true, and the sensitive one."""
    return Table(
        key="types",
        region=translate("Types of respondents"),
        caption=translate(
            "A share below 0 is random error or a design effect. The most likely shares are "
            "maximum likelihood estimates, which cannot be below 0."
        ),
        names=(translate("True control statements"), translate("Sensitive statement")),
        figures=(
            translate("Share"),
            translate("Standard error, in points"),
            translate("Most likely share"),
        ),
        rows=tuple(
            Row(
                (str(each.count), translate("true") if each.sensitive else translate("false")),
                (
                    value_cell(each.share, percent(each.share)),
                    value_cell(each.error, points_text(each.error)),
                    value_cell(each.likeliest, percent(each.likeliest)),
                ),
            )
            for each in found.types
        ),
    )
