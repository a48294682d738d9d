"""The validity of answers as the blocks of its page."""

from collections.abc import Iterator, Sequence

from survey.analysis.blocks import (
    FINDING,
    HINT,
    NOTICE,
    Block,
    Facts,
    FigureCell,
    Heading,
    Paragraph,
    Row,
    Table,
)
from survey.analysis.cells import DASH, bounds_cell, points_cell, share_cell, value_cell
from survey.analysis.columns.variables import AnalysisColumn
from survey.analysis.groups.figures import IntervalEstimate
from survey.analysis.sentences import capitalise, excluded_responses, without_special_answers
from survey.analysis.validity.noncompliance import Denial, NoncomplianceEstimate, TrueShareBounds
from survey.analysis.validity.validity import Contrast, Control
from survey.core.glossary_terms import glossary_term
from survey.core.translate import join_sentences, later, translate, translate_count
from survey.estimation.findings.remarks import REFUSED_CHECK
from survey.estimation.number_text import points_text

NO_CORRECTION = later("No correction is possible: all respondents may have answered at random")


def bounds_note(bounds: TrueShareBounds, denials: Sequence[Denial], answer: str, n: int) -> str:
    """How to read the chart of the bounds."""
    return join_sentences(
        translate(
            "True share of “%(answer)s” (vertical axis) for each share of denials among people "
            "with this answer (horizontal axis), n = %(n)s.",
            answer=answer,
            n=n,
        ),
        translate("The area shows the bounds with the other errors that you entered.")
        if bounds.false or bounds.random
        else translate("The area shows the bounds."),
        translate(
            "The vertical line is the value that you entered. The curve is the estimate if exactly "
            "this many people denied it, and nobody answered falsely in another way."
        ),
        curve_note(bounds, denials),
    )


def curve_note(bounds: TrueShareBounds, denials: Sequence[Denial]) -> str:
    """Why a part of the curve is not shown, or nothing."""
    if bounds.said.value < 0:
        return translate("The curve is below 0, so the chart does not show it.")
    if denials[-1].estimate is None and bounds.said.value > 0:
        return translate(
            "Where the curve would be above 100 %%, that many people cannot have denied it."
        )
    return ""


def bounds_blocks(
    bounds: TrueShareBounds, asked: AnalysisColumn, n: int, left_out: int
) -> Iterator[Block]:
    """The bounds with their responses and their assumptions."""
    based = translate("Based on %(n)s responses.", n=n)
    excluded, described = (
        excluded_responses(left_out),
        without_special_answers(asked.special_answers),
    )
    yield Paragraph(join_sentences(based, excluded, described))
    name = capitalise(translate("bounds of the true share"))
    yield Facts(((name, bounds_cell(bounds.low, bounds.high)),), "bounds")
    yield Paragraph(
        translate(
            "Each bound starts from an end of the interval. Candor then assumes the false answers "
            "that move the bound farthest, up to your maximum values. The bounds are right only if "
            "your assumptions are right. They do not show how likely the assumptions are."
        ),
        HINT,
    )


def refused_check(title: str, refusal: str) -> Iterator[Block]:
    """A check that could not be made, with the reason."""
    yield Heading(title)
    yield Paragraph(refusal, NOTICE, code=REFUSED_CHECK)


def control_blocks(found: Control, answer: str) -> Iterator[Block]:
    """A control question."""
    title = translate("Control question")
    yield Heading(title)
    yield Paragraph(found.sentence, FINDING)
    yield checked_shares(
        "control-figures",
        title,
        translate(
            "Based on %(n)s responses with an answer or report for both questions. All intervals "
            "have a level of 95 %%.",
            n=found.n,
        ),
        [
            checked_share(title, found.control),
            checked_share(
                translate("Answered at random"), found.random if found.explains else None
            ),
            checked_share(
                translate("“%(answer)s”, not corrected", answer=answer), found.uncorrected
            ),
            checked_share(translate("“%(answer)s”, corrected", answer=answer), found.corrected),
        ],
    )
    yield Paragraph(
        translate(
            "p is for the test that the %(control_question)s has the known share. It is below 0.05 "
            "only if the interval does not contain this share. The correction is wrong if "
            "respondents who answer at random do so for only one of the two questions, or prefer "
            "one answer. It is also wrong if the known share is not the true share for these "
            "respondents. With few responses, the estimated share of random answers is imprecise.",
            control_question=glossary_term("control question", translate("control question")),
        ),
        HINT,
    )


def contrast_blocks(found: Contrast, asked: AnalysisColumn) -> Iterator[Block]:
    """A direct arm."""
    title = translate("Direct arm")
    yield Heading(title)
    yield Paragraph(found.sentence, FINDING)
    randomised, direct = (translate_count(n) for n in found.n)
    caption = (
        later(
            "About %(randomised_n)s people answered the randomised question, and %(direct_n)s "
            "people the direct one. All intervals have a level of 95 %%."
        )
        if asked.special_answers
        else later(
            "%(randomised_n)s people answered the randomised question, and %(direct_n)s people the "
            "direct one. All intervals have a level of 95 %%."
        )
    )
    yield checked_shares(
        "contrast-figures",
        title,
        translate(caption, randomised_n=randomised, direct_n=direct),
        [
            checked_share(translate("Randomised"), found.randomised),
            checked_share(translate("Asked directly"), found.direct),
            Row(
                (translate("Difference, in points"),),
                (points_cell(found.difference), error_points_cell(found.difference)),
            ),
        ],
    )
    yield Paragraph(
        translate(
            "The interval of the difference combines those of both arms (MOVER). p is the smallest "
            "significance level at which it excludes zero. Both are wrong if people were not "
            "assigned to the arms at random."
        ),
        HINT,
    )


def deviants_blocks(found: NoncomplianceEstimate, asked: AnalysisColumn) -> Iterator[Block]:
    """A second randomizer."""
    title = translate("Second randomizer")
    yield Heading(title)
    yield Paragraph(found.sentence, FINDING)
    followed = later("Followed the rule, “%(answer)s”")
    yield checked_shares(
        "deviants-figures",
        title,
        translate(
            "This survey has %(n)s responses, and the other survey has %(other)s. All intervals "
            "have a level of 95 %%.",
            n=found.n[0],
            other=found.n[1],
        ),
        [
            checked_share(translate(followed, answer=asked.answers[0]), found.honest_yes),
            checked_share(translate(followed, answer=asked.answers[1]), found.honest_no),
            checked_share(translate("Did not follow the rule"), found.deviating),
        ],
    )
    about = translate(
        "“Yes” stands for the first answer, and “No” for the second. Candor does not use weights "
        "here. p is from a one-sided test that everyone follows the rule. The estimates are wrong "
        "if one of the two surveys has few respondents, or if respondents were not assigned to the "
        "two surveys at random. They are also wrong if some people broke the rule in another way "
        "than you chose."
    )
    yield Paragraph(about, HINT)


def checked_shares(key: str, region: str, caption: str, rows: Sequence[Row]) -> Table:
    """Shares with their standard errors."""
    return Table(
        key=key,
        region=region,
        caption=caption,
        names=("",),
        figures=(translate("Share"), translate("Standard error, in points")),
        rows=tuple(rows),
        tall=False,
    )


def checked_share(name: str, figure: IntervalEstimate | None) -> Row:
    return Row((name,), (share_cell(figure, translate(NO_CORRECTION)), error_points_cell(figure)))


def error_points_cell(figure: IntervalEstimate | None) -> FigureCell:
    """The standard error of a share, in percentage points."""
    if figure is None:
        return FigureCell(text=DASH)
    return value_cell(figure.standard_error, points_text(figure.standard_error))
