"""A plan in sentences, the same on the page and in the terminal."""

import math
from collections.abc import Collection, Iterator, Mapping, Sequence

from survey.core.exact_numbers import half_up
from survey.core.translate import (
    join_sentences,
    translate,
    translate_count,
    translate_list,
    translate_number,
    translate_plural,
)
from survey.definition.questions import Question
from survey.definition.survey import Survey
from survey.definition.target_population import RESPONDENTS
from survey.estimation.number_text import margin_in_words, percentage_points
from survey.planning.arms import only_arms_decide, share_in_arms
from survey.planning.denial import BreakEven
from survey.planning.precision import (
    MEAN,
    MEDIAN,
    SHARE,
    ExpectedPrecision,
    asked_precision,
    precisions,
)
from survey.planning.sample_size import (
    ComparisonPlan,
    PlannedFigure,
    PlanParameters,
)
from survey.planning.types import PLANNING


def margin_text(precision: ExpectedPrecision, margin: float) -> str:
    """A margin in words, with two digits: "± 8.8 points", "± 21 points", "± 3.1 kg"."""
    if precision.kind == SHARE:
        return margin_in_words(two_digits(margin), None)
    return margin_in_words(margin, precision.unit)


def two_digits(margin: float) -> float:
    """A margin from 0 to 1, with at most two digits when it is shown in percentage points."""
    return half_up(margin, 2) if margin >= 0.0995 else margin


def margin_points(margin: float) -> str:
    """A margin in percentage points for a table, with two digits."""
    return points_shown(two_digits(margin))


def expected_precision_text(
    question: Question, n: int, share: float | None = None, survey: Survey | None = None
) -> str:
    """The expected precision of a question at n respondents, in a few words."""
    first = precisions(question, share, survey)[0]
    margin = margin_text(first, first.margin(n))
    if first.kind == MEDIAN:
        return translate("%(margin)s for the median", margin=margin)
    return translate("%(margin)s for the mean", margin=margin) if first.kind == MEAN else margin


def figure_label(row: PlannedFigure) -> str:
    """The heading of an estimate: its question, and what is estimated if this is not plain."""
    label = row.question.label
    if row.precision.kind == MEAN:
        return translate("%(question)s (mean)", question=label)
    if row.question.joined:
        return translate("%(question)s (each combination)", question=label)
    return label


def goal_sentence(row: PlannedFigure, wishes: PlanParameters) -> str:
    """The number of respondents for the desired margin."""
    question = row.question
    needs = {
        "margin": margin_text(row.precision, wishes.margin * row.precision.width),
        "respondents": respondents_text(row.respondents),
        "openly": translate_count(row.respondents_openly),
    }
    if row.unreachable:
        size = int(row.precision.results_about)
        return translate(
            "Even if all %(size)s people in the population answer, the margin is %(margin)s.",
            size=size,
            margin=margin_text(row.precision, row.precision.margin(size)),
        )
    if row.precision.kind == MEDIAN:
        return translate(
            "If answers are spread evenly, you need %(respondents)s to estimate the median with a "
            "margin of %(margin)s. A direct question needs %(openly)s.",
            **needs,
        )
    if row.precision.kind == MEAN:
        return translate(
            "To estimate the mean with a margin of %(margin)s, you need %(respondents)s. A direct "
            "question needs %(openly)s.",
            **needs,
        )
    return PLANNING[question].needed_sentence(needs)


def margin_sentence(row: PlannedFigure, wishes: PlanParameters) -> str:
    """The margin at the planned number of respondents."""
    margin, openly = (margin_text(row.precision, each) for each in (row.margin, row.margin_openly))
    if row.tells_nothing:
        return translate_plural(
            "%(n)s respondent is too few: the interval can cover the whole range. A direct "
            "question gives %(openly)s.",
            "%(n)s respondents are too few: the interval can cover the whole range. A direct "
            "question gives %(openly)s.",
            wishes.n,
            openly=openly,
        )
    return translate(
        "With %(respondents)s the margin is %(margin)s. A direct question gives %(openly)s.",
        respondents=respondents_text(wishes.n),
        margin=margin,
        openly=openly,
    )


def asked_sentence(question: Question, wishes: PlanParameters, survey: Survey) -> str:
    """Who is asked a question with a condition, and the margin of the shares among them.

    It is empty without a condition. Experimental arms ask a known share of respondents. Without an
    assumed share of those who meet the rest of the condition, it is a half and a quarter.
    """
    in_arms = float(share_in_arms(question, survey))
    sentences = [arm_sentence(in_arms, wishes)] if in_arms < 1 else []
    if only_arms_decide(question, survey):
        return join_sentences(*sentences)
    assumed = (0.5, 0.25) if wishes.asked is None else (wishes.asked,)
    for share in assumed:
        precision = asked_precision(question, share, survey)
        if precision is None:
            break
        about = {
            "percent": points_shown(share),
            "number": translate_count(round(share * in_arms * wishes.n)),
        }
        margin = precision.margin(wishes.n)
        sentences.append(share_asked_sentence(about, precision, margin, in_arms < 1))
    return join_sentences(*sentences)


def arm_sentence(in_arms: float, wishes: PlanParameters) -> str:
    """How many respondents are in the experimental arms that ask a question."""
    return translate(
        "Only some experimental arms ask this question: %(percent)s %% of the respondents (about "
        "%(number)s) are in them. The figures are for an analysis of these arms.",
        percent=points_shown(in_arms),
        number=round(in_arms * wishes.n),
    )


def share_asked_sentence(
    about: Mapping[str, str], precision: ExpectedPrecision, margin: float, in_arms: bool
) -> str:
    """The margin among those asked, if this share of respondents is asked, or of those in arms."""
    if margin >= 0.5:
        if in_arms:
            return translate(
                "If %(percent)s %% of them are asked (about %(number)s), the interval of a share "
                "among those asked can cover the whole range.",
                **about,
            )
        return translate(
            "If %(percent)s %% of the respondents are asked (about %(number)s), the interval of a "
            "share among those asked can cover the whole range.",
            **about,
        )
    shown = margin_text(precision, margin)
    if in_arms:
        return translate(
            "If %(percent)s %% of them are asked (about %(number)s), the margin among those asked "
            "is %(margin)s.",
            **about,
            margin=shown,
        )
    return translate(
        "If %(percent)s %% of the respondents are asked (about %(number)s), the margin among those "
        "asked is %(margin)s.",
        **about,
        margin=shown,
    )


def comparison_sentences(found: ComparisonPlan, wishes: PlanParameters) -> Iterator[str]:
    """The number of respondents that distinguishes two shares, or two means."""
    value = {
        "null": points_shown(wishes.null),
        "truth": points_shown(wishes.truth),
        "respondents": respondents_text(found.value.surely),
        "openly": translate_count(found.value_openly.surely),
    }
    groups = value | {
        "respondents": respondents_text(found.groups.surely),
        "openly": translate_count(found.groups_openly.surely),
    }
    if found.kind == SHARE:
        yield translate(
            "To distinguish a true share of %(truth)s %% from a known share of %(null)s %%, you "
            "need %(respondents)s. Direct questions need %(openly)s.",
            **value,
        )
        yield translate(
            "To distinguish two groups with shares of %(null)s %% and %(truth)s %%, you need "
            "%(respondents)s in each group. Direct questions need %(openly)s in each group.",
            **groups,
        )
        yield from omitted_answers_sentence(found)
        return
    yield translate(
        "To distinguish a true mean at %(truth)s %% of the range from a known mean at %(null)s %%, "
        "you need %(respondents)s. Direct questions need %(openly)s.",
        **value,
    )
    yield translate(
        "To distinguish two groups with means at %(null)s %% and %(truth)s %% of the range, you "
        "need %(respondents)s in each group. Direct questions need %(openly)s in each group.",
        **groups,
    )
    yield from omitted_answers_sentence(found)


def omitted_answers_sentence(found: ComparisonPlan) -> Iterator[str]:
    if found.special_answers:
        yield translate(
            "Comparisons of groups leave out special answers, such as “prefer not to say” or “not "
            "asked”. The plan assumes that there are none."
        )


def target_sentence(survey: Survey, wishes: PlanParameters) -> str:
    """Whom the planned results describe; empty for people like the respondents."""
    about = survey.fieldwork.results_about
    tests = translate(
        "Design effects and the sample sizes of tests are for people like the respondents."
    )
    if any(question.mechanism == "optimal_quantiles" for question in survey.private):
        medians = translate(
            "Margins of medians are an exception: they are for people like the respondents."
        )
        tests = join_sentences(medians, tests)
    if about == RESPONDENTS:
        only = translate(
            "The results describe the respondents themselves, so margins include only the "
            "error from the randomisation, and no sampling error."
        )
        return join_sentences(only, tests)
    if isinstance(about, int):
        corrected = translate(
            "The results describe a population of %(size)s people, so margins have a finite "
            "population correction.",
            size=about,
        )
        more = (
            translate("This plan has more respondents than this population has people.")
            if wishes.n > about
            else ""
        )
        return join_sentences(*filter(None, (corrected, more, tests)))
    return ""


def points_shown(share: float) -> str:
    """A share in percentage points, with the signs of the page's language."""
    return translate_number(percentage_points(share))


def respondents_text(n: int) -> str:
    return translate_plural("%(n)s respondent", "%(n)s respondents", n)


def least_sentence(rows: Sequence[PlannedFigure], wishes: PlanParameters) -> str:
    """The precision of the least precise estimates of all: those with the same margin as shown."""
    least = max(rows, key=lambda row: row.relative_margin)
    tied = [
        row
        for row in rows
        if (row.tells_nothing if least.tells_nothing else shown_alike(row, least))
    ]
    names = labels_by_name(tied)
    margins = translate_list([*dict.fromkeys(margin_text(r.precision, r.margin) for r in tied)])
    which = some_questions(names.values(), len(labels_by_name(rows)))
    if len(names) == 1 and least.precision.kind == MEAN:
        which = translate("the mean of “%(question)s”", question=least.question.label)
    if len(names) == 1 and least.precision.kind == MEDIAN:
        which = translate("the median of “%(question)s”", question=least.question.label)
    if least.tells_nothing:
        return translate_plural(
            "%(n)s respondent is too few to estimate %(which)s.",
            "%(n)s respondents are too few to estimate %(which)s.",
            wishes.n,
            which=which,
        )
    known = {"respondents": respondents_text(wishes.n), "margin": margins}
    if len(names) == 1:
        return translate(
            "With %(respondents)s, %(which)s is the least precise: %(margin)s.",
            which=which,
            **known,
        )
    if len(tied) == len(rows):
        return translate(
            "With %(respondents)s, all questions are equally precise: %(margin)s.", **known
        )
    return translate(
        "With %(respondents)s, %(which)s are the least precise: %(margin)s.", which=which, **known
    )


def shown_alike(row: PlannedFigure, other: PlannedFigure) -> bool:
    """Whether the page shows the same margins of two estimates, as parts of their ranges."""
    return margin_points(row.relative_margin) == margin_points(other.relative_margin)


def labels_by_name(rows: Sequence[PlannedFigure]) -> dict[str, str]:
    """The labels of the questions of these estimates, by name."""
    return {row.question.name: row.question.label for row in rows}


def some_questions(labels: Collection[str], total: int) -> str:
    """Some of all questions in a sentence: one or two with their labels, more as a number."""
    if len(labels) <= 2:
        return translate_list([f"“{label}”" for label in labels])
    if len(labels) == total:
        return translate("all %(n)s questions", n=total)
    return translate("%(n)s of the %(all)s questions", n=len(labels), all=total)


def denial_sentence(found: BreakEven) -> str:
    """From which denial randomising has the smaller error than a direct question."""
    assumed = {
        "respondents": respondents_text(found.n),
        "share": points_shown(found.share),
    }
    if found.denied is None:
        return translate(
            "With %(respondents)s and a true share of %(share)s %%, a direct question has the "
            "smaller error, even if all those with the sensitive answer deny it.",
            **assumed,
        )
    return translate(
        "With %(respondents)s and a true share of %(share)s %%, randomising has the smaller error "
        "if more than %(denied)s of those with the sensitive answer deny it when asked directly.",
        denied=denied_text(found.denied),
        **assumed,
    )


def denied_text(denied: float) -> str:
    """A share of denial in percent, rounded up, so that "more than" stays true."""
    return translate_number(f"{math.ceil(1000 * denied - 1e-9) / 10:g} %")


def survey_sentence(rows: Sequence[PlannedFigure], wishes: PlanParameters) -> str:
    """The number of respondents for the desired margin in all questions, and which need it."""
    total = len(labels_by_name(rows))
    if unreachable := labels_by_name([row for row in rows if row.unreachable]):
        return translate(
            "The population is too small for a margin of %(margin)s in every private question, "
            "even if everyone answers. It is too small for %(which)s.",
            margin=margin_in_words(wishes.margin, None),
            which=some_questions(unreachable.values(), total),
        )
    most = max(row.respondents for row in rows)
    needed = translate(
        "For a margin of %(margin)s in every private question (for a mean, %(percent)s %% of the "
        "question’s range), you need %(respondents)s.",
        margin=margin_in_words(wishes.margin, None),
        percent=points_shown(wishes.margin),
        respondents=respondents_text(most),
    )
    names = labels_by_name([row for row in rows if row.respondents == most])
    return join_sentences(needed, most_sentence([*names.values()], total))


def most_sentence(labels: Sequence[str], total: int) -> str:
    """Which of all questions need the most respondents. It is empty for a single question."""
    if total == 1:
        return ""
    if len(labels) == total:
        return translate("Each question needs this number.")
    if len(labels) == 1:
        return translate("“%(question)s” needs the most respondents.", question=labels[0])
    return translate("%(which)s need the most respondents.", which=some_questions(labels, total))
