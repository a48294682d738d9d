"""The variables of an analysis: their reports, and Pr(report | answer)."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

import numpy as np
import numpy.typing as npt

from survey.core.errors import UnanswerableQuestion
from survey.core.scores import Array

if TYPE_CHECKING:
    from survey.analysis.columns.combinations import Combinations

Codes = npt.NDArray[np.int64]
# The code of a response that does not report on the question.
MISSING = -1


@dataclass(frozen=True)
class BoxSample:
    """The random sample of boxes on which each respondent reports.

    Attributes
    ----------
    question, label : the name and the text of the question
    size : the number of boxes in the sample
    boxes : the number of all boxes
    """

    question: str
    label: str
    size: int
    boxes: int


@dataclass(frozen=True, kw_only=True)
class SummedDraws:
    """What the sum of several questions consists of (survey/analysis/columns/summed.py).

    Attributes
    ----------
    items : tuple of (str, str)
        The label of each question, and its points in words.
    columns : tuple of AnalysisColumn
        The column of each draw.
    counted : ndarray, shape (codes,)
        The score of having given an answer that counts to each question.
    ends : tuple of float
        The smallest and the largest possible sum.
    steps : tuple of ndarray of int
        For each draw but the first, the code of the sum so far, by the code before it and its own.
        Empty if not all possible codes are known.
    """

    items: tuple[tuple[str, str], ...]
    columns: "tuple[AnalysisColumn, ...]"
    counted: Array
    ends: tuple[float, float]
    steps: tuple[Codes, ...]


@dataclass(frozen=True, kw_only=True)
class AnalysisColumn:
    """One variable of an analysis: a question with one answer, or one box of a question.

    It has k answers, codes for `codes` different reports, and n responses.

    Attributes
    ----------
    name : str
        The name of the question, or `question/box`.
    label : str
    answers : tuple of str, length k
        Labels of the answers. The special answers ("prefer not to say", "not asked") are last.
    values : ndarray, shape (k,), or None
        The value of each answer, NaN for special answers. For a number it is the number itself; for
        a private one it is the point to which the number is rounded at random, which keeps its
        mean. For a scale it is 1, 2, .... None if answers are not numbers.
    chances : ndarray, shape (k, codes)
        Pr(report code | answer); the identity for a non-private question. If reports consist of
        bits, there is a code for each report that occurs, so rows need not add up to one.
        The shape is (k, 0) if there is no such table. This applies to a non-private number with
        more than 1,000 different values. It also applies to a box whose reports depend on the
        answers to other boxes.
    scores : ndarray, shape (codes, k), or None
        E[scores[report, j] | answer x] = 1 if x == j else 0. None if the reports determine only the
        mean, and for a non-private number with more than 1,000 different values.
    value_scores : ndarray, shape (codes,), or None
        E[value_scores[report] | answer x] = values[x], and 0 for special answers. None if answers
        are not numbers, or if the reports do not determine their mean.
    reports : ndarray of int, shape (n,)
        The code of each response; -1 if it does not report on the question.
    private : bool
        Whether reports went through a randomizer.
    ordered : bool
        Whether the answers have an order (numbers, scales).
    special_answers : int
        The number of special answers, which are the last answers.
    rounding : float
        The variance that random rounding adds to a private number's values, for evenly spread
        answers.
    report_names : tuple of str, length codes
        The name of each report.
    draw : str
        The random draw that its reports come from. Two columns of one draw, such as boxes of one
        table, have reports that depend on each other even given the answers.
    combinations : Combinations or None
        For a box, or a question behind a joint one, that is reported as a part of a combination.
    all_listed : bool
        Whether there is a code for every possible report. False if there are codes only for reports
        that occur (reports of bits, non-private numbers).
    span : tuple of float, or None
        The smallest and the largest possible number, if `values` may lack them.
    designs : ndarray of int, shape (codes,)
        The design of each code, if respondents were asked in different ways
        (survey/analysis/columns/joined.py). Rows of `chances` add up to one within each. Empty if
        all were asked in one way.
    cases : ndarray of bool, shape (k, cases)
        Which answers are possible in each case of the survey's conditions
        (survey/analysis/columns/conditions.py). Columns of one analysis have the same cases. Empty
        if no condition matters.
    unit : str
        The unit of a number, such as "kg"; empty for other questions.
    sample : BoxSample or None
        For a box on which only some respondents report, chosen at random.
    cuts : tuple of (float, str)
        For a number, the largest value of each of ten parts of its range but the last, with its
        text. They follow from the question alone.
    summed : SummedDraws or None
        For the sum of several questions. Such a column has only `value_scores`, its answers are
        those that do not count, and its draw is the names of all draws.
    """

    name: str
    label: str
    answers: tuple[str, ...]
    values: Array | None
    chances: Array
    scores: Array | None
    value_scores: Array | None
    reports: Codes
    private: bool
    ordered: bool
    special_answers: int = 0
    report_names: tuple[str, ...] = ()
    draw: str = ""
    rounding: float = 0.0
    combinations: "Combinations | None" = None
    all_listed: bool = True
    span: tuple[float, float] | None = None
    designs: Codes = field(default_factory=lambda: np.zeros(0, dtype=np.int64))
    cases: npt.NDArray[np.bool_] = field(default_factory=lambda: np.zeros((0, 0), dtype=bool))
    unit: str = ""
    sample: BoxSample | None = None
    cuts: tuple[tuple[float, str], ...] = ()
    summed: SummedDraws | None = None

    @property
    def listed(self) -> int:
        """The number of the question's own answers, which are the first ones."""
        return len(self.answers) - self.special_answers

    @property
    def tabled(self) -> bool:
        """Whether Pr(report | answer) is known as a table."""
        return bool(self.chances.shape[1] > 0)

    @property
    def reported(self) -> npt.NDArray[np.bool_]:
        """Which responses report on it, shape (n,)."""
        return self.reports >= 0


def no_population_correction() -> UnanswerableQuestion:
    """The refusal of population sizes, by an analysis in which they have no effect."""
    return UnanswerableQuestion(
        "This analysis has no finite population correction. Leave out the population sizes. "
        "If nearly everyone was sampled, its intervals are then too long."
    )


@dataclass(frozen=True, kw_only=True)
class SurveyDesign:
    """The sampling design, as far as an analysis needs it.

    Attributes
    ----------
    weights : ndarray, shape (n,), or None
        The number of people in the population that each respondent represents, in any unit; never
        negative.
    strata, clusters : ndarray, shape (n,), or None
        The stratum and the cluster (a household, a school) of each respondent. Clusters with the
        same name in two strata are two clusters.
    called : dict
        The name of each stratum that is the code of an answer.
    populations : ndarray, shape (n,), or None
        The number of people in the stratum of each respondent, or in the population without strata,
        for the finite population correction.
    """

    weights: npt.NDArray[Any] | None = None
    strata: npt.NDArray[Any] | None = None
    clusters: npt.NDArray[Any] | None = None
    called: Mapping[Any, str] = field(default_factory=dict)
    populations: npt.NDArray[Any] | None = None

    @property
    def given(self) -> bool:
        parts = (self.weights, self.strata, self.clusters, self.populations)
        return any(part is not None for part in parts)

    def refuse_populations(self) -> None:
        """Raise UnanswerableQuestion if there are sizes of populations, which have no effect."""
        if self.populations is not None:
            raise no_population_correction()

    def check(self, n: int) -> None:
        """Raise UnanswerableQuestion, with the fault, unless this is a design for n responses."""
        for name in ("weights", "strata", "clusters", "populations"):
            values = getattr(self, name)
            if values is not None and np.shape(values) != (n,):
                raise UnanswerableQuestion(
                    "The %(name)s need one value for each response: %(n)s, not %(size)s.",
                    name=name,
                    n=n,
                    size=np.size(values),
                )
        if self.weights is None:
            return
        weights = np.asarray(self.weights, dtype=np.float64)
        if not np.isfinite(weights).all() or (weights < 0).any():
            raise UnanswerableQuestion("Weights must be numbers, and none may be below zero.")
        if n and not weights.any():
            raise UnanswerableQuestion("All weights are zero, so no response is left.")
