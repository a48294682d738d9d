"""Changes of a share or a mean between surveys, such as the waves of a series."""

import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import lru_cache
from statistics import NormalDist
from typing import Any

import numpy as np

from survey.analysis.as_json import part_json
from survey.analysis.columns.sample_means import Sample, complete_case_sample
from survey.analysis.columns.variables import AnalysisColumn, SurveyDesign
from survey.analysis.groups.differences import GroupDifference
from survey.analysis.groups.figures import IntervalEstimate, ratio_estimate
from survey.analysis.groups.measures import Measure, measure_of
from survey.analysis.multiple_comparisons import adjust_by_holm
from survey.core.errors import UnanswerableQuestion
from survey.core.scores import TOLERANCE, Array
from survey.core.translate import later
from survey.estimation.mean_intervals import possible_ends
from survey.estimation.share_differences import (
    DIFFERENT,
    REMEMBERED,
    SHARED,
    AnswerMean,
    OwnInterval,
    combined_error,
    combined_interval,
    p_of_zero,
    share_own_interval,
)

MAX_WAVES = 20
METHOD = "MOVER"
# What each relation of the respondents means for the intervals.
RELATION_NOTES = {
    DIFFERENT: later("The intervals assume that the surveys have different respondents."),
    SHARED: later("The intervals allow for respondents who answered several of the surveys."),
    REMEMBERED: later(
        "These surveys are waves of one series, so the same answer can have the same report in "
        "several waves. Candor does not know who took part again, and who changed an answer. The "
        "intervals are valid for all possible numbers of them, and therefore usually longer than "
        "those of an analysis that could link the responses."
    ),
}


@dataclass(frozen=True, kw_only=True)
class Wave:
    """One survey: its name, its number of responses and its estimate.

    The measure is possible from `bottom` to `top`. `interval_at` gives an interval at any level,
    which is not cut at this range.
    """

    label: str
    n: int
    left_out: int
    figure: IntervalEstimate
    bottom: float
    top: float
    interval_at: Callable[[float], OwnInterval]


@dataclass(frozen=True, kw_only=True)
class SurveyChange:
    """A measure in several surveys, in order, and its change since the first.

    Attributes
    ----------
    differences : each later survey minus the first
    trend : the average change from one survey to the next; None for two surveys
    trend_p : its p-value
    relation : DIFFERENT, SHARED or REMEMBERED respondents
    """

    measure: Measure
    level: float
    waves: tuple[Wave, ...]
    differences: tuple[GroupDifference, ...]
    trend: IntervalEstimate | None
    trend_p: float | None
    relation: str


def relation_of(series: Sequence[str | None], shared: bool) -> str:
    """How the respondents of some surveys are related.

    Parameters
    ----------
    series : the series of waves that each survey belongs to, or None
    shared : whether some respondents may have answered several of the surveys
    """
    named = [name for name in series if name is not None]
    if len(set(named)) < len(named):
        return REMEMBERED
    return SHARED if shared else DIFFERENT


def require_comparable(
    one: AnalysisColumn, other: AnalysisColumn, answer: int | None = None
) -> None:
    """Raise UnanswerableQuestion unless both columns have the same answers, or the same unit.

    The share of one answer needs the same answers: its place must mean the same in both columns.
    """
    folded = [
        [answer.casefold().split() for answer in column.answers[: column.listed]]
        for column in (one, other)
    ]
    numbers = all(column.values is not None for column in (one, other))
    same_numbers = answer is None and numbers and (one.span or one.unit) and one.unit == other.unit
    if folded[0] != folded[1] and not same_numbers:
        raise UnanswerableQuestion(
            "“%(question)s” and “%(other)s” have different answers. Choose questions with the "
            "same answers in the same order.",
            question=one.label,
            other=other.label,
        )


def compare_surveys(
    columns: Sequence[AnalysisColumn],
    labels: Sequence[str],
    designs: Sequence[SurveyDesign],
    answer: int | None = None,
    relation: str = DIFFERENT,
    level: float = 0.95,
) -> SurveyChange:
    """Compare a share or a mean between surveys.

    Parameters
    ----------
    columns : the question in each survey, in the order of time
    labels : the name of each survey
    answer : the place of the answer whose share is compared; by default as in `measure_of`
    relation : how the respondents of the surveys are related (estimation/share_differences.py)

    Raises
    ------
    UnanswerableQuestion
        If the answers differ, for one survey or more than 20, and as `complete_case_sample`.

    Notes
    -----
    Differences and the trend use MOVER with each survey's own interval. The p-value belongs to the
    longest such interval without zero. The trend is the slope of the least-squares line through the
    estimates, with one step from each survey to the next.
    """
    if not 2 <= len(columns) <= MAX_WAVES:
        raise UnanswerableQuestion(
            "Choose two to %(maximum)s surveys to compare.", maximum=MAX_WAVES
        )
    for column in columns[1:]:
        require_comparable(columns[0], column, answer)
    measures = [measure_of(column, answer) for column in columns]
    waves = tuple(
        wave_of(label, measure, design, level)
        for label, measure, design in zip(labels, measures, designs, strict=True)
    )
    first, pairs = waves[0], range(1, len(waves))
    single = [contrast((waves[place], first), (1, -1), relation, level) for place in pairs]
    together = 1 - (1 - level) / len(pairs)
    wide = [contrast((waves[place], first), (1, -1), relation, together)[0] for place in pairs]
    adjusted = adjust_by_holm([p for _, p in single])
    differences = tuple(
        GroupDifference(
            group=place,
            other=0,
            figure=figure,
            low=all_at_once.low,
            high=all_at_once.high,
            p=p,
            adjusted=by_holm,
        )
        for place, (figure, p), all_at_once, by_holm in zip(
            pairs, single, wide, adjusted, strict=True
        )
    )
    trend, trend_p = None, None
    if len(waves) > 2:
        steps = np.arange(len(waves)) - (len(waves) - 1) / 2
        slope = [float(step) for step in steps / (steps @ steps)]
        trend, trend_p = contrast(waves, slope, relation, level)
    return SurveyChange(
        measure=measures[0],
        level=level,
        waves=waves,
        differences=differences,
        trend=trend,
        trend_p=trend_p,
        relation=relation,
    )


def contrast(
    waves: Sequence[Wave], coefficients: Sequence[float], relation: str, level: float
) -> tuple[IntervalEstimate, float]:
    """The sum of coefficient times estimate, with its interval and the p-value for zero."""

    def interval_at(each: float) -> tuple[float, float]:
        return combined_interval(
            [wave.interval_at(each) for wave in waves], coefficients, each, relation
        )

    intervals = [wave.interval_at(level) for wave in waves]
    value = sum(c * own.value for c, own in zip(coefficients, intervals, strict=True))
    errors = [wave.figure.standard_error for wave in waves]
    answers = [own.answers for own in intervals]
    error = combined_error(errors, answers, coefficients, relation)
    ranges = [
        sorted((c * wave.bottom, c * wave.top)) for c, wave in zip(coefficients, waves, strict=True)
    ]
    least, most = (sum(ends) for ends in zip(*ranges, strict=True))
    ends = interval_at(level)
    low, high = possible_ends(value, *ends, least, most)
    # With few responses, intervals of higher levels need not contain those of lower ones. The
    # verdict of the interval that is shown decides.
    p, rest = p_of_zero(interval_at), 1 - level
    p = max(p, rest) if ends[0] <= 0 <= ends[1] else min(p, rest)
    return IntervalEstimate(value=value, standard_error=error, low=low, high=high, method=METHOD), p


def wave_of(label: str, measure: Measure, design: SurveyDesign, level: float) -> Wave:
    """The estimate of one survey, and its own interval at any level."""
    column = measure.column
    try:
        sample = complete_case_sample([column], design)
    except UnanswerableQuestion as refusal:
        raise UnanswerableQuestion(f"{label}: {refusal}") from None
    scores, among = (each[sample.reports[:, 0]] for each in (measure.scores, measure.among))
    support = supporting(measure, sample)

    def figure_at(each: float, low: float, high: float) -> IntervalEstimate:
        figure = ratio_estimate(sample, scores, among, low, high, each)
        if figure is None:
            raise UnanswerableQuestion(
                "Too few people in “%(survey)s” gave an answer for an estimate.", survey=label
            )
        return figure

    # The ends of an interval for a difference must not be cut at the possible range.
    width = measure.high - measure.low
    reach = max(1.0, float(np.ptp(scores)) / width) * width
    shown = figure_at(level, measure.low, measure.high)

    @lru_cache(maxsize=128)
    def interval_at(confidence: float) -> OwnInterval:
        if support is not None:
            return share_own_interval(*support, confidence)
        figure = figure_at(confidence, measure.low - reach, measure.high + reach)
        answers = answer_mean(sample, among, figure, measure, confidence)
        return OwnInterval(figure.value, figure.low, figure.high, answers)

    if support is not None:
        exact = interval_at(level)
        low, high = (min(max(end, 0.0), 1.0) for end in (exact.low, exact.high))
        error = shown.standard_error
        shown = IntervalEstimate(
            value=exact.value,
            standard_error=error,
            low=low,
            high=high,
            method="exact, mapped through the table",
        )
    left_out = len(column.reports) - sample.n
    return Wave(
        label=label,
        n=sample.n,
        left_out=left_out,
        figure=shown,
        bottom=measure.low,
        top=measure.high,
        interval_at=interval_at,
    )


def answer_mean(
    sample: Sample, among: Array, figure: IntervalEstimate, measure: Measure, level: float
) -> AnswerMean | None:
    """What the answers alone add to an estimate; None for a design, or if nobody may have answered.

    `among`, shape (m,), are the scores of having given a listed answer. The influence of someone
    with a special answer is zero, so the variance is that of an answer, divided by the number of
    people with one.
    """
    if not sample.simple:
        return None
    share, error = float(sample.mean(among)), 0.0
    if measure.column.special_answers:
        error = math.sqrt(float(sample.covariance((among - share)[:, np.newaxis])[0, 0]))
    least = share - NormalDist().inv_cdf((1 + level) / 2) * error
    if least <= 0:
        return None
    low, high = (min(max(end, measure.low), measure.high) for end in (figure.low, figure.high))
    everyone = not measure.column.special_answers
    return AnswerMean(
        low=low,
        high=high,
        bottom=measure.low,
        top=measure.high,
        n=sample.n * least,
        everyone=everyone,
    )


def supporting(measure: Measure, sample: Sample) -> tuple[int, int, float, float] | None:
    """The count of reports that support an answer, n, and the probabilities p and q of such a
    report.

    It is p for people with the answer and q for others. Without two different scores it is None.
    The scores s of supporting reports and t of others are unbiased, so p s + (1 - p) t = 1 and q s
    + (1 - q) t = 0.
    """
    column = measure.column
    if (
        measure.answer is None
        or column.special_answers
        or not sample.simple
        or column.scores is None
    ):
        return None
    place = int(np.argmax(measure.of_answer))
    scores = column.scores[:, place]
    top, bottom = float(scores.max()), float(scores.min())
    speaks = scores > (top + bottom) / 2
    if top <= bottom or np.abs(scores - np.where(speaks, top, bottom)).max() > TOLERANCE * top:
        return None
    count = int(sample.counts[speaks[sample.reports[:, 0]]].sum())
    return count, sample.n, (1 - bottom) / (top - bottom), -bottom / (top - bottom)


def change_json(found: SurveyChange) -> dict[str, Any]:
    """The comparison as a JSON value."""
    return {
        "question": part_json(found.measure),
        "level": found.level,
        "respondents": found.relation,
        "surveys": [
            {
                "survey": wave.label,
                "n": wave.n,
                "left_out": wave.left_out,
                **part_json(wave.figure),
            }
            for wave in found.waves
        ],
        "differences": [
            {
                "survey": found.waves[each.group].label,
                "less": found.waves[each.other].label,
                **part_json(each.figure),
                "simultaneous_low": each.low,
                "simultaneous_high": each.high,
                "p": each.p,
                "adjusted_p": each.adjusted,
            }
            for each in found.differences
        ],
        "trend": part_json(found.trend),
        "trend_p": found.trend_p,
    }
