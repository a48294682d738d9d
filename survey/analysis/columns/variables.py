"""The variables of an analysis: what came, and Pr(report | answer)."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

import numpy as np
import numpy.typing as npt

from survey.core.errors import UnanswerableQuestion
from survey.core.scores import Array

Codes = npt.NDArray[np.int64]
MISSING = -1  # the code of a response that does not report on the question


@dataclass(frozen=True)
class Combinations:
    """The table of all combinations of boxes that one box's column was made from.

    Attributes
    ----------
    chances : ndarray, shape (combinations, reports)
    sorts : ndarray of int, shape (combinations,)
        The column's answer in each combination.
    reports : ndarray of int, shape (n,)
        The combination that each response reports, or -1.
    report_names : tuple of str
    """

    chances: Array
    sorts: Codes
    reports: Codes
    report_names: tuple[str, ...]


@dataclass(frozen=True)
class AnalysisColumn:
    """One variable of an analysis: a question with one answer, or one box of a question.

    With k answers, codes for `codes` different reports, and n responses.

    Attributes
    ----------
    name : str
        Of the question, or `question/box`.
    label : str
    answers : tuple of str, length k
        Labels of the answers, the extras ("prefer not to say", "not asked") last.
    values : ndarray, shape (k,), or None
        What each answer is worth, NaN for extras: of a number the number itself (of a private one
        the point that it is rounded to by chance, which keeps its mean), of a scale 1, 2, ...; None
        where answers are no numbers.
    chances : ndarray, shape (k, codes)
        Pr(report code | answer); the identity of a plain question. Of reports that are made of bits
        there is a code for each that came, so rows need not add up to one. Shape (k, 0) where there
        is no such table: a plain number with more than 1,000 different values, and a box of a
        table that says something else for different answers to the other boxes.
    scores : ndarray, shape (codes, k), or None
        E[scores[report, j] | answer x] = 1 if x == j else 0. None where the reports tell the mean
        alone, and for a plain number with more than 1,000 different values.
    value_scores : ndarray, shape (codes,), or None
        E[value_scores[report] | answer x] = values[x], and 0 for extras. None where answers are no
        numbers, or the reports do not tell their mean.
    reports : ndarray of int, shape (n,)
        The code of each response, -1 where it does not report on the question.
    private : bool
        Whether reports went through a randomizer.
    ordered : bool
        Whether the answers have an order (numbers, scales).
    extras : int
        How many of the answers, the last ones, are extras.
    rounding : float
        What rounding by chance adds to the variance of a private number's values, for evenly spread
        answers.
    report_names : tuple of str, length codes
        What each report is called.
    draw : str
        Which chance its reports come from. Two columns of one draw, such as boxes of one table,
        have reports that depend on each other beyond the answers.
    combinations : Combinations or None
        Of a box that is reported with the others as one combination.
    all_listed : bool
        Whether there is a code for every report that could have come, and not only for those that
        did (as of reports made of bits, and of plain numbers).
    span : tuple of float, or None
        The least and the largest number that the question takes, where `values` may lack them.
    designs : ndarray of int, shape (codes,)
        By which design each code was reported, where respondents were asked in different ways
        (survey/analysis/columns/joined.py): rows of `chances` add up to one within each. Empty
        where all were asked in one.
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
    extras: int = 0
    report_names: tuple[str, ...] = ()
    draw: str = ""
    rounding: float = 0.0
    combinations: Combinations | None = None
    all_listed: bool = True
    span: tuple[float, float] | None = None
    designs: Codes = field(default_factory=lambda: np.zeros(0, dtype=np.int64))

    @property
    def listed(self) -> int:
        """How many of the answers, the first ones, are the question's own."""
        return len(self.answers) - self.extras

    @property
    def tabled(self) -> bool:
        """Whether Pr(report | answer) is known as a table."""
        return bool(self.chances.shape[1] > 0)

    @property
    def reported(self) -> npt.NDArray[np.bool_]:
        """Which responses report on it, shape (n,)."""
        return self.reports >= 0


@dataclass(frozen=True)
class SurveyDesign:
    """How the respondents were sampled, as far as an analysis is to know it.

    Attributes
    ----------
    weights : ndarray, shape (n,), or None
        How many people of the population each stands for, in any unit; none is negative.
    strata, clusters : ndarray, shape (n,), or None
        Which stratum each was sampled from, and with which cluster (a household, a school).
        Clusters of the same name in two strata are two clusters.
    called : dict
        What a stratum is called, where it is the code of an answer.
    """

    weights: npt.NDArray[Any] | None = None
    strata: npt.NDArray[Any] | None = None
    clusters: npt.NDArray[Any] | None = None
    called: Mapping[Any, str] = field(default_factory=dict)

    @property
    def given(self) -> bool:
        return any(part is not None for part in (self.weights, self.strata, self.clusters))

    def check(self, n: int) -> None:
        """Raises UnanswerableQuestion, with what is wrong, unless this is a design of n."""
        for name in ("weights", "strata", "clusters"):
            values = getattr(self, name)
            if values is not None and np.shape(values) != (n,):
                raise UnanswerableQuestion(
                    f"The {name} need one value for each response: {n:,}, not {np.size(values):,}."
                )
        if self.weights is None:
            return
        weights = np.asarray(self.weights, dtype=np.float64)
        if not np.isfinite(weights).all() or (weights < 0).any():
            raise UnanswerableQuestion("Weights must be numbers, and none may be below zero.")
        if n and not weights.any():
            raise UnanswerableQuestion("All weights are zero, so no response is left.")
