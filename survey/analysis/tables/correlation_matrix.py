"""The correlations of all pairs of several questions."""

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import combinations

from survey.analysis.columns.variables import AnalysisColumn, SurveyDesign
from survey.analysis.multiple_comparisons import adjust_by_holm
from survey.analysis.tables.correlation import (
    LACKING_REPORTS_REMARK,
    Correlation,
    pearson_correlation,
)
from survey.core.errors import UnanswerableQuestion
from survey.core.translate import join_sentences, later, translate
from survey.estimation.findings.remarks import NO_FIGURE, OUTSIDE_RANGE, SMALL_SAMPLE, Remark

# The limit of 66 pairs is already more than anyone reads.
MAX_CORRELATED_QUESTIONS = 12
# With fewer responses the interval is too narrow.
MIN_CORRELATED_RESPONSES = 30
BEYOND_ONE_REMARK = later(
    "Random error can cause a coefficient below −1 or above 1, because the answers are "
    "randomised. Candor does not clip this coefficient. Only its sign may be informative."
)
SMALL_SAMPLE_REMARK = later(
    "With fewer than %(n)s responses, a coefficient is biased away from zero, and its interval "
    "is too narrow."
)
NO_VARIANCE_REMARK = later(
    "If a coefficient is exactly −1 or 1, its standard error has no meaning. Use only its interval."
)
NO_OTHER_PAIR = later("Candor cannot estimate the correlation of any other pair either.")


@dataclass(frozen=True, kw_only=True)
class Pair:
    """A pair of questions by their places, the second after the first.

    Attributes
    ----------
    found : Correlation or None
    adjusted : float or None
        Holm's p-value, which controls the probability of any false rejection among all pairs.
    refusal : str
        Why there is no correlation; else empty.
    """

    first: int
    second: int
    found: Correlation | None
    adjusted: float | None
    refusal: str


@dataclass(frozen=True)
class Correlations:
    """All pairs of several questions, in the order of their places."""

    columns: tuple[AnalysisColumn, ...]
    level: float
    pairs: tuple[Pair, ...]
    remarks: tuple[Remark, ...]

    def of(self, one: int, other: int) -> Pair:
        wanted = (min(one, other), max(one, other))
        return next(pair for pair in self.pairs if (pair.first, pair.second) == wanted)


def correlations(
    columns: Sequence[AnalysisColumn],
    design: SurveyDesign | None = None,
    answers: Sequence[int | None] | None = None,
    level: float = 0.95,
) -> Correlations:
    """The correlation of each pair of questions, from the responses that report on both.

    Parameters
    ----------
    columns : 2 to MAX_CORRELATED_QUESTIONS columns of the same responses
    answers : for each the place of an answer or None, as for `pearson_correlation`
    level : float in (0, 1), of each interval by itself

    Raises
    ------
    UnanswerableQuestion
        For fewer or more questions, and if no pair can be correlated. If some can, the other pairs
        have the reason in their place.
    """
    if len(columns) < 2:
        raise UnanswerableQuestion("A correlation needs two questions. Choose another one.")
    if len(columns) > MAX_CORRELATED_QUESTIONS:
        raise UnanswerableQuestion(
            "%(n)s questions make %(pairs)s pairs, which is too many. Choose at most "
            "%(maximum)s questions.",
            n=len(columns),
            pairs=len(columns) * (len(columns) - 1) // 2,
            maximum=MAX_CORRELATED_QUESTIONS,
        )
    places = tuple(answers) if answers is not None else (None,) * len(columns)
    results: list[tuple[Correlation | None, str]] = []
    pairs = list(combinations(range(len(columns)), 2))
    for one, other in pairs:
        try:
            both = places[one], places[other]
            results.append(
                (pearson_correlation(columns[one], columns[other], design, both, level), "")
            )
        except UnanswerableQuestion as refusal:
            results.append((None, str(refusal)))
    computed = [each for each, _ in results if each is not None]
    if not computed:
        more = "" if len(pairs) == 1 else translate(NO_OTHER_PAIR)
        raise UnanswerableQuestion(join_sentences(results[0][1], more))
    tested = [each.p for each in computed if each.p is not None]
    adjusted = iter(adjust_by_holm(tested))
    return Correlations(
        tuple(columns),
        level,
        tuple(
            Pair(
                first=first,
                second=second,
                found=each,
                adjusted=None if each is None or each.p is None else next(adjusted),
                refusal=refusal,
            )
            for (first, second), (each, refusal) in zip(pairs, results, strict=True)
        ),
        correlation_remarks(computed),
    )


def correlation_remarks(told: Sequence[Correlation]) -> tuple[Remark, ...]:
    """Remarks on when these are wrong."""
    remarks = []
    if any(abs(each.figure.value) > 1 + 1e-9 for each in told):
        remarks.append(Remark(OUTSIDE_RANGE, translate(BEYOND_ONE_REMARK)))
    if any(each.p is None for each in told):
        remarks.append(Remark(NO_FIGURE, translate(NO_VARIANCE_REMARK)))
    if any(each.n < MIN_CORRELATED_RESPONSES for each in told):
        few = translate(SMALL_SAMPLE_REMARK, n=MIN_CORRELATED_RESPONSES)
        remarks.append(Remark(SMALL_SAMPLE, few))
    elif any(each.lacks_reports for each in told):
        remarks.append(Remark(SMALL_SAMPLE, translate(LACKING_REPORTS_REMARK)))
    return tuple(remarks)
