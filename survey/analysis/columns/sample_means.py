"""Means over a sample, and their covariance under its design.

Every estimate here is a function of mean scores. Its variance is that of the mean of deviations,
one for each response. This is the ultimate-cluster linearisation of survey statistics (Wolter,
"Introduction to Variance Estimation" (2007), ch. 6; Binder, Int. Stat. Rev. 51 (1983) 279).
"""

import math
from collections.abc import Sequence
from dataclasses import dataclass, replace
from functools import cached_property

import numpy as np
import numpy.typing as npt
import scipy

from survey.analysis.columns.finite_covariance import FiniteCorrection, finite_correction
from survey.analysis.columns.joined import PLUS
from survey.analysis.columns.variables import AnalysisColumn, Codes, SurveyDesign
from survey.core.errors import UnanswerableQuestion
from survey.core.processor_time import require_time
from survey.core.scores import Array
from survey.core.translate import translate, translate_list
from survey.estimation.results import MIN_SHOWN_RESPONSES

# Up to this many combinations of reports are all listed, even those that do not occur.
MAX_LISTED_COMBINATIONS = 20_000
CLUSTERS_AT_ONCE = 20_000


@dataclass(frozen=True, kw_only=True)
class Sample:
    """The responses that report on all of some columns.

    Attributes
    ----------
    reports : ndarray of int, shape (m, columns)
        Combinations of the columns' codes: all possible ones, or those that occur.
    codes : ndarray of int, shape (n,)
        The combination of each response.
    counts : ndarray, shape (m,)
        The number of responses with each combination.
    shares : ndarray, shape (m,)
        The share of the total weight on each combination.
    weights : ndarray, shape (n,), or None
        They add up to one.
    strata : ndarray of int, shape (units,), or None
        The stratum of each unit.
    units : ndarray of int, shape (n,), or None
        The cluster of each response; None if each response is its own.
    all_listed : bool
        Whether `reports` has all possible combinations.
    in_bits : bool
        Whether for some private question only the reports that occur are listed.
    finite : FiniteCorrection or None
        For a sample without replacement from a finite population.
    """

    reports: Codes
    codes: Codes
    counts: Array
    shares: Array
    weights: Array | None
    strata: Codes | None
    units: Codes | None
    all_listed: bool = True
    in_bits: bool = False
    finite: FiniteCorrection | None = None

    @property
    def n(self) -> int:
        return len(self.codes)

    @property
    def simple(self) -> bool:
        """Whether there are no weights, strata, clusters or sizes of populations."""
        parts = (self.weights, self.strata, self.units, self.finite)
        return all(part is None for part in parts)

    @property
    def clusters(self) -> int:
        """The number of clusters, or of responses if each is its own."""
        return self.n if self.units is None else int(self.units.max()) + 1

    @property
    def degrees(self) -> int:
        """The degrees of freedom of its variances if all clusters count alike: clusters minus
        strata."""
        return self.clusters - (1 if self.strata is None else int(self.strata.max()) + 1)

    @cached_property
    def student_degrees(self) -> int:
        """The degrees of freedom of Student's distribution, at least 1.

        They are fewer than `degrees` if weights or clusters are unequal, because a part of the
        responses then decides the variance. Without this, intervals of 50 raked responses cover 1
        or 2 points less.
        """
        if self.weights is None and self.units is None:
            return self.degrees
        members = self.effective_members(np.ones(len(self.reports)))
        return max(1, min(self.degrees, math.floor(members) - 1))

    def mean(self, scores: Array) -> Array:
        """The (weighted) mean of scores, shape (m, t), of each combination."""
        return np.asarray(self.shares @ scores)

    def covariance(self, deviations: Array) -> Array:
        """Covariance of means, shape (t, t), from deviations of shape (m, t) whose mean is zero.

        Let u be the sum of weight times deviation over a cluster. The covariance is the sum over
        strata of h / (h - 1) sum over their h clusters of (u - mean u)(u - mean u)'. Without
        weights, strata or clusters that is the sample covariance over n. In a finite population,
        each stratum has the factor 1 - f, and f times its randomisation part is added.
        """
        if self.simple:
            covariance = (deviations.T * self.shares) @ deviations / (self.n - 1)
            return np.asarray(covariance)
        weights = np.full(self.n, 1 / self.n) if self.weights is None else self.weights
        units = np.arange(self.n) if self.units is None else self.units
        many = int(units.max()) + 1
        strata = np.zeros(many, dtype=np.int64) if self.strata is None else self.strata
        sizes = np.bincount(strata).astype(np.float64)
        raised = sizes / (sizes - 1)
        if self.finite is not None:
            raised = raised * (1 - self.finite.fractions)
        m = len(deviations)
        if self.units is None:
            squares = np.bincount(self.codes, weights**2 * raised[strata], m)
            spread = (deviations.T * squares) @ deviations
        else:
            spread = np.zeros((deviations.shape[1], deviations.shape[1]))
            totals = scipy.sparse.csr_array((weights, (units, self.codes)), shape=(many, m))
            for start in range(0, many, CLUSTERS_AT_ONCE):
                require_time()
                part = slice(start, start + CLUSTERS_AT_ONCE)
                sums = totals[part] @ deviations
                spread += (sums.T * raised[strata[part]]) @ sums
        by_stratum = scipy.sparse.csr_array(
            (weights, (strata[units], self.codes)), shape=(len(sizes), m)
        )
        between = by_stratum @ deviations
        spread = spread - (between.T * (raised / sizes)) @ between
        return np.asarray(spread if self.finite is None else spread + self.finite.noise(deviations))

    def effective_members(self, factors: Array) -> float:
        """How many equal clusters would make a variance as certain as those of the sample.

        `factors`, shape (m,), are the squared factors of the scores of each combination. Each
        cluster adds the sum u of squared weights times factors, and the result is (sum u)² / sum
        u² (Satterthwaite, Biom. Bull. 2 (1946) 110). It is the number of members if `factors` are 1
        in a group and 0 outside, without weights and clusters.
        """
        squares = factors[self.codes] * (1 if self.weights is None else self.weights**2)
        parts = squares if self.units is None else np.bincount(self.units, squares)
        total = float(parts.sum())
        return total**2 / float((parts**2).sum()) if total > 0 else 0.0

    def clusters_with(self, inside: npt.NDArray[np.bool_]) -> int:
        """The number of clusters, or responses, with one of these combinations, shape (m,)."""
        members = inside[self.codes]
        if self.units is None:
            return int(members.sum())
        return int(np.count_nonzero(np.bincount(self.units[members])))


def require_common_sample(columns: Sequence[AnalysisColumn]) -> None:
    """Require that a response can have reports on all columns. Raises UnanswerableQuestion."""
    for column in columns:
        boxes = [other for other in columns if other.sample == column.sample]
        if column.sample is not None and len(boxes) > column.sample.size:
            raise UnanswerableQuestion(
                "Each respondent reports on %(size)s of the %(boxes)s boxes of "
                "“%(question)s”, chosen at random. So no response has reports on %(n)s "
                "boxes, and these cannot be analysed together.",
                size=column.sample.size,
                boxes=column.sample.boxes,
                question=column.sample.label,
                n=len(boxes),
            )


def require_separate_draws(columns: Sequence[AnalysisColumn]) -> None:
    """Require columns of different random draws. Raises UnanswerableQuestion."""
    for place, column in enumerate(columns):
        for other in columns[:place]:
            if column.name == other.name:
                raise UnanswerableQuestion(
                    "“%(question)s” is chosen twice. Choose different questions.",
                    question=column.label,
                )
            sums = column.summed is not None or other.summed is not None
            if sums and set(column.draw.split(PLUS)) & set(other.draw.split(PLUS)):
                raise UnanswerableQuestion(
                    "“%(question)s” is a question of the sum, or is randomised together with "
                    "one. Choose another question.",
                    question=(other if column.summed else column).label,
                )
            if column.draw == other.draw:
                raise UnanswerableQuestion(
                    "“%(first)s” and “%(second)s” are randomised together. Use a "
                    "cross-tabulation if they are boxes of one table, or belong to one joint "
                    "question. Otherwise choose another question.",
                    first=other.label,
                    second=column.label,
                )


def complete_case_sample(
    columns: Sequence[AnalysisColumn],
    design: SurveyDesign | None = None,
    finite: bool = False,
) -> Sample:
    """The responses that report on all of the columns.

    `finite` says whether the analysis uses the finite population correction of a design.

    Respondents who do not report on one of them, or have weight zero, are omitted, as if the sample
    had been drawn without them. If a random sample decides who reports on what, this changes no
    estimate on average.

    Raises
    ------
    UnanswerableQuestion
        If fewer than five responses remain, two columns come from one draw, or a stratum has a
        single cluster. If the design has sizes of populations, as `finite_correction`.
    """
    n = len(columns[0].reports)
    if any(len(column.reports) != n for column in columns):
        raise UnanswerableQuestion("The columns are of different responses.")
    require_separate_draws(columns)
    require_common_sample(columns)
    design = design or SurveyDesign()
    design.check(n)
    if not finite:
        design.refuse_populations()
    kept = np.logical_and.reduce([column.reported for column in columns])
    if design.weights is not None:
        kept &= np.asarray(design.weights, dtype=np.float64) > 0
    if n == 0:
        raise UnanswerableQuestion("No responses are published yet.")
    if kept.sum() < MIN_SHOWN_RESPONSES:
        raise UnanswerableQuestion(
            "Responses with an answer or report for %(questions)s: %(n)s of %(total)s. An "
            "analysis needs at least %(minimum)s.",
            questions=translate_list([f"“{column.label}”" for column in columns]),
            n=kept.sum(),
            total=n,
            minimum=MIN_SHOWN_RESPONSES,
        )
    reports, codes, listed = report_combinations(columns, kept)
    grid = listed
    counts: Array = np.bincount(codes, minlength=len(reports)).astype(np.float64)
    weights: Array | None = None
    shares = counts / len(codes)
    if design.weights is not None:
        weights = np.asarray(design.weights, dtype=np.float64)[kept]
        weights = weights / weights.sum()
        shares = np.asarray(np.bincount(codes, weights, len(reports)), dtype=np.float64)
    strata, units = strata_and_clusters(design, kept)
    in_bits = any(column.private and not column.all_listed for column in columns)
    listed = listed and all(column.all_listed for column in columns)
    sample = Sample(
        reports=reports,
        codes=codes,
        counts=counts,
        shares=shares,
        weights=weights,
        strata=strata,
        units=units,
        all_listed=listed,
        in_bits=in_bits,
    )
    if design.populations is None:
        return sample
    return with_correction(sample, columns, design, kept, grid)


def with_correction(
    sample: Sample,
    columns: Sequence[AnalysisColumn],
    design: SurveyDesign,
    kept: npt.NDArray[np.bool_],
    grid: bool,
) -> Sample:
    """The sample with the finite population correction. Raises UnanswerableQuestion.

    `grid` says whether the combinations of reports are all possible ones.
    """
    if design.clusters is not None:
        raise UnanswerableQuestion(
            "Population sizes need a sample of people, not of clusters. Leave out the clusters "
            "or the population sizes."
        )
    private = any(column.private for column in columns)
    draws = [each for column in columns for each in draws_of(column)]
    shape = tuple(codes_of(draw) for draw in draws)
    if private and not (grid and is_expandable(columns, shape)):
        raise UnanswerableQuestion(
            "These questions have too many combinations of reports for the finite population "
            "correction. Choose fewer questions, or leave out the population sizes."
        )
    names = [translate("all")]
    if design.strata is not None:
        found = np.unique(np.asarray(design.strata)[kept]).tolist()
        names = [str(design.called.get(name, name)) for name in found]
    sizes = np.asarray(design.populations, dtype=np.float64)[kept]
    codes = sample.codes
    if private:
        codes = np.ravel_multi_index([draw.reports[kept] for draw in draws], shape)
    correction = finite_correction(draws, shape, codes, sample.weights, sample.strata, sizes, names)
    if private:
        correction = replace(correction, places=combinations_of_draws(columns, shape))
    return replace(sample, finite=correction)


def draws_of(column: AnalysisColumn) -> tuple[AnalysisColumn, ...]:
    """The columns whose reports a column consists of: those of a sum, or itself."""
    return (column,) if column.summed is None else column.summed.columns


def is_expandable(columns: Sequence[AnalysisColumn], shape: Sequence[int]) -> bool:
    """Whether all combinations of the reports behind these columns are known, and not too many."""
    sums = [column.summed for column in columns if column.summed is not None]
    is_known = all(len(each.steps) == len(each.columns) - 1 for each in sums)
    return is_known and math.prod(shape) <= MAX_LISTED_COMBINATIONS


def combinations_of_draws(columns: Sequence[AnalysisColumn], shape: tuple[int, ...]) -> Codes:
    """The combination of the columns' codes for each combination of the reports behind them."""
    reports = iter(np.indices(shape).reshape(len(shape), -1))
    codes = []
    for column in columns:
        code = next(reports)
        for step in () if column.summed is None else column.summed.steps:
            code = step[code, next(reports)]
        codes.append(code)
    return np.ravel_multi_index(codes, tuple(map(codes_of, columns)))


def report_combinations(
    columns: Sequence[AnalysisColumn], kept: npt.NDArray[np.bool_]
) -> tuple[Codes, Codes, bool]:
    """The combinations of reports, the combination of each response, and whether all are listed.

    All are listed if every combination of the columns' codes is among them.
    """
    sizes = [codes_of(column) for column in columns]
    reports = [column.reports[kept] for column in columns]
    if math.prod(sizes) <= MAX_LISTED_COMBINATIONS:
        listed = np.indices(sizes).reshape(len(sizes), -1).T
        return listed, np.ravel_multi_index(reports, sizes), True
    mixed = np.ravel_multi_index(reports, sizes)
    came, codes = np.unique(mixed, return_inverse=True)
    return np.array(np.unravel_index(came, sizes)).T, codes.reshape(-1), False


def codes_of(column: AnalysisColumn) -> int:
    """The number of codes of its reports, at least 1."""
    return int(max(column.chances.shape[1], number_of_reports(column), 1))


def number_of_reports(column: AnalysisColumn) -> int:
    """The number of its different reports."""
    score_array = column.scores if column.value_scores is None else column.value_scores
    return 0 if score_array is None else len(score_array)


def strata_and_clusters(
    design: SurveyDesign, kept: npt.NDArray[np.bool_]
) -> tuple[Codes | None, Codes | None]:
    """The stratum of each cluster, and the cluster of each response."""
    if design.strata is None and design.clusters is None:
        return None, None
    if design.strata is None:
        strata, names = np.zeros(int(kept.sum()), dtype=np.int64), np.array(["all"])
    else:
        names, strata = np.unique(np.asarray(design.strata)[kept], return_inverse=True)
    if design.clusters is None:
        units, of_units = None, strata
    else:
        clusters = np.unique(np.asarray(design.clusters)[kept], return_inverse=True)[1]
        mixed = strata.astype(np.int64) * (int(clusters.max()) + 1) + clusters
        first, units = np.unique(mixed, return_index=True, return_inverse=True)[1:]
        of_units = strata[first]
    sizes = np.bincount(of_units)
    if sizes.min() < 2:
        name = names[int(np.argmin(sizes))]
        name = design.called.get(name, name)
        if design.strata is None:
            raise UnanswerableQuestion(
                "All respondents are in one cluster, so the variance cannot be estimated. Use "
                "a design with at least two clusters."
            )
        raise UnanswerableQuestion(
            translate(
                "Stratum %(stratum)s has a single response, so its variance cannot be estimated. "
                "Merge it with another stratum.",
                stratum=f"“{name}”",
            )
            if design.clusters is None
            else translate(
                "Stratum %(stratum)s has a single cluster, so its variance cannot be estimated. "
                "Merge it with another stratum.",
                stratum=f"“{name}”",
            )
        )
    return (None if design.strata is None else of_units.astype(np.int64)), units
