"""A plan in sentences, the same on the page and in the terminal."""

import math
from collections.abc import Iterator, Sequence

from survey.definition.questions import Question
from survey.definition.survey import Survey
from survey.estimation.number_text import margin_in_words, percentage_points
from survey.planning.denial import BreakEven
from survey.planning.precision import MEAN, SHARE, ExpectedPrecision, asked_precision, precisions
from survey.planning.sample_size import (
    ComparisonPlan,
    PlannedFigure,
    PlanParameters,
    RequiredRespondents,
)


def margin_text(precision: ExpectedPrecision, margin: float) -> str:
    """A margin in words, with two digits: "± 8.8 points", "± 21 points", "± 3.1 kg"."""
    if precision.kind == SHARE and margin >= 0.0995:
        return margin_in_words(round(margin, 2), None)
    return margin_in_words(margin, None if precision.kind == SHARE else precision.unit)


def expected_precision_text(
    question: Question, n: int, share: float | None = None, survey: Survey | None = None
) -> str:
    """The expected precision of a question at n respondents, in a few words."""
    first = precisions(question, share, survey)[0]
    mean = " for the mean" if first.kind == MEAN else ""
    return margin_text(first, first.margin(n)) + mean


def figure_of(question: Question, kind: str) -> str:
    """The estimated quantity: "the share of Yes", "the share of each answer", "the mean"."""
    if kind == MEAN:
        return "the mean"
    if question.kind.dichotomous:
        return f"the share of {question.choices[0].label}"
    return f"the share of each {'box' if question.kind.boxes else 'answer'}"


def goal_sentence(row: PlannedFigure, wishes: PlanParameters) -> str:
    """The number of respondents for the desired margin."""
    margin = margin_text(row.precision, wishes.margin * row.precision.width)
    return (
        f"To estimate {figure_of(row.question, row.precision.kind)} with a margin of {margin}, you "
        f"need {respondents_text(row.respondents)}. A direct question needs "
        f"{row.respondents_openly:,}."
    )


def margin_sentence(row: PlannedFigure, wishes: PlanParameters) -> str:
    """The margin at the planned number of respondents."""
    margin, openly = (margin_text(row.precision, each) for each in (row.margin, row.margin_openly))
    if row.tells_nothing:
        return (
            f"{respondents_text(wishes.n)} {'is' if wishes.n == 1 else 'are'} too few: the "
            f"interval can cover the whole range. A direct question gives {openly}."
        )
    return (
        f"With {respondents_text(wishes.n)} the margin is {margin}. A direct question gives "
        f"{openly}."
    )


def asked_sentence(question: Question, n: int, survey: Survey) -> str:
    """The margin of the shares among those asked, or an empty text without a condition."""
    half, quarter = (asked_precision(question, asked, survey) for asked in (0.5, 0.25))
    if half is None or quarter is None:
        return ""
    if quarter.margin(n) >= 0.5:
        end = "If a quarter are asked, the interval can cover the whole range."
    else:
        end = f"If a quarter are asked, it is {margin_text(quarter, quarter.margin(n))}."
    if half.margin(n) >= 0.5:
        return (
            f"{respondents_text(n)} {'is' if n == 1 else 'are'} too few for shares among those "
            "asked, even if half of the respondents are asked."
        )
    return (
        "Among those asked, the margin is larger. If half of the respondents are asked, it is "
        f"{margin_text(half, half.margin(n))}. {end}"
    )


def comparison_sentences(found: ComparisonPlan, wishes: PlanParameters) -> Iterator[str]:
    """The number of respondents that distinguishes two shares, or two means."""
    null, truth = f"{percentage_points(wishes.null)} %", f"{percentage_points(wishes.truth)} %"
    if found.kind == SHARE:
        one = f"To distinguish a true share of {truth} from a known share of {null}"
        two = f"To distinguish two groups with shares of {null} and {truth}"
    else:
        one = f"To distinguish a true mean at {truth} of the range from a known mean at {null}"
        two = f"To distinguish two groups with means at {null} and {truth} of the range"
    yield f"{one}, you need {respondents_text(found.value.surely)}. {openly(found.value_openly)}."
    yield (
        f"{two}, you need {respondents_text(found.groups.surely)} in each group. "
        f"{openly(found.groups_openly)} in each group."
    )


def openly(needed: RequiredRespondents) -> str:
    return f"Direct questions need {needed.surely:,}"


def respondents_text(n: int) -> str:
    return f"{n:,} respondent{'' if n == 1 else 's'}"


def least_sentence(rows: Sequence[PlannedFigure], wishes: PlanParameters) -> str:
    """The precision of the least precise estimate of all."""
    least = max(rows, key=lambda row: row.margin / row.precision.width)
    of = "the mean of " if least.precision.kind == MEAN else ""
    respondents, which = respondents_text(wishes.n), f"{of}“{least.question.label}”"
    if least.tells_nothing:
        return f"{respondents} {'is' if wishes.n == 1 else 'are'} too few to estimate {which}."
    margin = margin_text(least.precision, least.margin)
    return f"With {respondents}, {which} is the least precise: {margin}."


def denial_sentence(found: BreakEven) -> str:
    """From which denial randomising has the smaller error than a direct question."""
    assumed = (
        f"With {respondents_text(found.n)} and a true share of {percentage_points(found.share)} %"
    )
    if found.denied is None:
        return (
            f"{assumed}, a direct question has the smaller error, even if everyone concerned "
            "denies it."
        )
    return (
        f"{assumed}, randomising has the smaller error if more than {denied_text(found.denied)} of "
        "those concerned would deny it when asked directly."
    )


def denied_text(denied: float) -> str:
    """A share of denial in percent, rounded up, so that "more than" stays true."""
    return f"{math.ceil(1000 * denied - 1e-9) / 10:g} %"


def survey_sentence(rows: Sequence[PlannedFigure], wishes: PlanParameters) -> str:
    """The number of respondents for the desired margin in all questions."""
    most = max(rows, key=lambda row: row.respondents)
    return (
        f"For a margin of {margin_in_words(wishes.margin, None)} in every private question (for a "
        f"mean, {percentage_points(wishes.margin)} % of the question’s range), you need "
        f"{respondents_text(most.respondents)}. “{most.question.label}” needs the most."
    )
