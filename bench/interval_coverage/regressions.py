"""How often the intervals of a logistic regression contain the true coefficients.

Each cell has a sample size, a privacy loss ε and a prevalence. A survey has two non-private
predictors: a group (two halves) and a number (normal, standard deviation 1). In some cells, the
number has heavy tails instead. Reports are those of randomised response with privacy loss ε.
Everything is seeded. `regression_page` writes the results.

All surveys of a cell are fitted together, by penalised likelihoods that are written out here. An
interval contains the true value if the likelihood ratio there is small enough, after Candor's
Bartlett correction. Some surveys are also fitted by Candor, which simulates the corrections at the
ends of the interval and not at the true value.
"""

from collections.abc import Sequence
from copy import copy
from dataclasses import dataclass
from math import exp, log

import numpy as np
from scipy.optimize import brentq
from scipy.special import chdtri, expit, stdtrit

from survey.analysis.columns.reported_variable import ReportedVariable
from survey.analysis.columns.variables import AnalysisColumn
from survey.analysis.regression.bartlett_correction import (
    LEAST_MEAN,
    can_be_corrected,
    mean_ratio,
)
from survey.analysis.regression.coefficients import Regression
from survey.analysis.regression.estimators import PENALISED
from survey.analysis.regression.likelihood import KnownPredictorLikelihood, to_natural
from survey.analysis.regression.models import Array, Multinomial
from survey.analysis.regression.regression import CONSTANTS_SHARE, regress

SEED, LEVEL = 20261126, 0.95
SIZES, EPSILONS = (100, 200, 500), {"1": 1.0, "ln 3": log(3), "2": 2.0}
PREVALENCES = (0.05, 0.1, 0.2, 0.35, 0.5)
# The coefficients of the group and of the number.
SLOPES, NO_SLOPES = (0.7, 0.5), (0.0, 0.0)
# An interval contains the values whose likelihood ratio statistic is at most this.
LIMIT = float(chdtri(1, 1 - LEVEL))
TINY = 1e-12  # Of the information, so that a flat one has an inverse.
MAX_STEPS, MAX_HALVINGS, MAX_STEP, MAX_START, CLOSE = 100, 15, 3.0, 4.0, 1e-6
# Both ends and the test of three coefficients, and the tests of the predictors.
HYPOTHESES = 12
# The sample size of the cells without slopes.
WITHOUT_SLOPES = 200
# The cells whose number has heavy tails, from Student's t distribution, and its degrees of freedom.
HEAVY_TAILS, HEAVY_PREVALENCES, HEAVY_EPSILON = 2, (0.1, 0.35), "ln 3"


@dataclass(frozen=True)
class Cell:
    """A sample size, a privacy loss, a prevalence, and the coefficients of the predictors.

    If `heavy_tails`, the number has Student's t distribution with HEAVY_TAILS degrees of freedom.
    """

    n: int
    epsilon: str
    prevalence: float
    slopes: tuple[float, float] = SLOPES
    heavy_tails: bool = False

    def numbers(self, generator: np.random.Generator, shape: tuple[int, int]) -> Array:
        """Values of the number, with two decimals."""
        if self.heavy_tails:
            return np.round(generator.standard_t(HEAVY_TAILS, shape), 2)
        return np.round(generator.normal(size=shape), 2)

    @property
    def quadrature(self) -> tuple[Array, Array]:
        """Values of the number, and their weights, which sum to 1."""
        if self.heavy_tails:
            middles = (np.arange(10_000) + 0.5) / 10_000
            return stdtrit(HEAVY_TAILS, middles), np.full(10_000, 1e-4)
        numbers, weights = np.polynomial.hermite_e.hermegauss(60)
        return numbers, weights / weights.sum()

    @property
    def truth(self) -> Array:
        """The constant that gives the prevalence, and the slopes."""
        numbers, weights = self.quadrature

        def excess(constant: float) -> float:
            eta = constant + self.slopes[1] * numbers
            shares = (expit(eta) + expit(eta + self.slopes[0])) / 2
            return float(weights @ shares) - self.prevalence

        return np.array([brentq(excess, -20, 20), *self.slopes])

    @property
    def kept(self) -> float:
        """The probability that a report is the answer."""
        odds = exp(EPSILONS[self.epsilon])
        return odds / (1 + odds)


@dataclass(frozen=True)
class CellResult:
    """What the surveys of a cell gave.

    Attributes
    ----------
    covered : float array (3,), coverage of the intervals of the coefficients
    uncorrected : float array (3,), the same without Bartlett's correction
    with_whole : coverage of the interval of the constant with the whole penalty, uncorrected
    by_candor : the surveys that Candor fitted too
    """

    covered: Array
    uncorrected: Array
    with_whole: float
    by_candor: "CandorResult"


@dataclass(frozen=True)
class CandorResult:
    """What Candor gave for some surveys of a cell.

    Attributes
    ----------
    differences : intervals that contain the true value here and not there, or the reverse
    infinite : coefficients that are not finite
    contradictions : coefficients whose interval and p-value contradict each other
    effects : int array (2,), intervals of average marginal effects that contain the true one
    widths : float array (3,), median widths of the intervals
    """

    differences: int
    infinite: int
    contradictions: int
    effects: Array
    widths: Array


def yes_no(name: str, codes: Array, chances: Array, private: bool) -> AnalysisColumn:
    return AnalysisColumn(
        name=name,
        label=name,
        answers=("a", "b"),
        values=None,
        chances=chances,
        scores=np.linalg.inv(chances),
        value_scores=None,
        reports=codes.astype(np.int64),
        private=private,
        ordered=False,
        draw=name,
    )


def number(values: Array) -> AnalysisColumn:
    different, codes = np.unique(values, return_inverse=True)
    return AnalysisColumn(
        name="number",
        label="number",
        answers=tuple(map(str, different)),
        values=different,
        chances=np.empty((len(different), 0)),
        scores=None,
        value_scores=different,
        reports=codes.astype(np.int64),
        private=False,
        ordered=True,
        draw="number",
    )


class Surveys:
    """All surveys of a cell: a row for each survey, a column for each respondent.

    Attributes
    ----------
    constant_share : the share of the penalty of the constant
    is_penalised : whether there is a penalty
    counts : the respondents in each column, if several are alike
    estimator : that of `regression`
    """

    constant_share = 1.0
    is_penalised = True
    counts: Array | float = 1.0
    estimator = PENALISED

    def __init__(self, cell: Cell, count: int) -> None:
        key = [SEED, cell.n, list(EPSILONS).index(cell.epsilon), round(1_000 * cell.prevalence)]
        generator = np.random.default_rng([*key, round(100 * cell.slopes[0])])
        self.cell = cell
        self.group = np.arange(cell.n) % 2.0
        self.number = cell.numbers(generator, (count, cell.n))
        constant, *slopes = cell.truth
        eta = constant + slopes[0] * self.group + slopes[1] * self.number
        has = generator.random((count, cell.n)) < expit(eta)
        self.yes = has == (generator.random((count, cell.n)) < cell.kept)

    @property
    def chances(self) -> Array:
        """The transition matrix: Yes, No."""
        kept = self.cell.kept
        return np.array([[kept, 1 - kept], [1 - kept, kept]])

    def __len__(self) -> int:
        return len(self.yes)

    def moments(self, weights: Array) -> Array:
        """sum_i w_i x_i x_i' of each survey, shape (surveys, 3, 3)."""
        weights = weights * self.counts
        total, grouped = weights.sum(axis=1), weights @ self.group
        numbers = weights * self.number
        one, two, three = numbers.sum(axis=1), numbers @ self.group, (numbers * self.number).sum(1)
        rows = [[total, grouped, one], [grouped, grouped, two], [one, two, three]]
        return np.moveaxis(np.array(rows), 2, 0)

    def eta(self, b: Array) -> Array:
        constant, group, number = b.T[:, :, np.newaxis]
        return np.asarray(constant + group * self.group + number * self.number)

    def heights(self, b: Array) -> Array:
        """The log likelihood of each survey, with the penalty if there is one."""
        yes = expit(self.eta(b))
        said = 1 - self.cell.kept + (2 * self.cell.kept - 1) * yes
        likelihood = (self.counts * np.log(np.where(self.yes, said, 1 - said))).sum(axis=1)
        if not self.is_penalised:
            return np.asarray(likelihood)
        dense = yes * (1 - yes)
        penalty = np.linalg.slogdet(self.moments(dense))[1] / 2
        penalty -= (1 - self.constant_share) * np.log((self.counts * dense).sum(axis=1)) / 2
        return np.asarray(likelihood + penalty)

    def derivatives(self, b: Array) -> tuple[Array, Array]:
        """Slopes (surveys, 3), and expected information with pseudo-data (surveys, 3, 3)."""
        yes = expit(self.eta(b))
        dense = yes * (1 - yes)
        share = 2 * self.cell.kept - 1
        said = 1 - self.cell.kept + share * yes
        leverage = self.leverage(dense) if self.is_penalised else 0 * dense
        slope = share * dense * np.where(self.yes, 1 / said, -1 / (1 - said))
        slope = self.counts * (slope + leverage * (1 - 2 * yes) / 2)
        information = (share * dense) ** 2 / (said * (1 - said)) + leverage * dense
        slopes = [slope.sum(axis=1), slope @ self.group, (slope * self.number).sum(axis=1)]
        return np.transpose(slopes), self.moments(information)

    def leverage(self, dense: Array) -> Array:
        """The leverage of each respondent, less what the constant's smaller penalty takes."""
        inverse = np.linalg.inv(self.moments(dense))
        corner = inverse[:, :, :, np.newaxis]
        leverage = dense * (
            corner[:, 0, 0]
            + self.group * (2 * corner[:, 0, 1] + corner[:, 1, 1])
            + self.number
            * (
                2 * corner[:, 0, 2]
                + 2 * corner[:, 1, 2] * self.group
                + corner[:, 2, 2] * self.number
            )
        )
        total = (self.counts * dense).sum(axis=1, keepdims=True)
        return np.asarray(leverage - (1 - self.constant_share) * dense / total)

    def some(self, rows: Array) -> "Surveys":
        """Some of the surveys."""
        part = copy(self)
        part.number, part.yes = self.number[rows], self.yes[rows]
        if isinstance(self.counts, np.ndarray):
            part.counts = self.counts[rows]
        return part

    def fit(self, start: Array, held: Sequence[int] = ()) -> tuple[Array, Array]:
        """The maximum from this start, shape (surveys, 3), with some coefficients held."""
        b, heights, free = start.copy(), self.heights(start), [j for j in range(3) if j not in held]
        left = np.arange(len(self))
        for _ in range(MAX_STEPS):
            part, here, best = self.some(left), b[left], heights[left]
            slopes, information = part.derivatives(here)
            inside = information[:, free][:, :, free]
            if not self.is_penalised:
                # A likelihood without a maximum becomes flat.
                inside = inside + TINY * np.trace(inside, axis1=1, axis2=2).max() * np.eye(
                    len(free)
                )
            step = np.linalg.solve(inside, slopes[:, free, np.newaxis])[:, :, 0]
            gain = (step * slopes[:, free]).sum(axis=1)
            step *= np.minimum(1, MAX_STEP / (np.abs(step).max(axis=1) + CLOSE))[:, np.newaxis]
            for _ in range(MAX_HALVINGS):
                there = here.copy()
                there[:, free] += step
                new = part.heights(there)
                worse = ~(new >= best - 1e-9)
                if not worse.any():
                    break
                step[worse] /= 2
            b[left[~worse]], heights[left[~worse]] = there[~worse], new[~worse]
            left = left[(gain > CLOSE) & ~worse]
            if not len(left):
                break
        return b, heights

    def ratios(self, coefficients: Sequence[int], values: Array) -> tuple[Array, Array]:
        """The likelihood ratio statistics of some coefficients, shape (surveys, ...).

        `values` are the values of all coefficients under the hypotheses, shape (surveys, 3). The
        second array has the estimates under each hypothesis, shape (..., surveys, 3).
        """
        best, heights = self.best()
        nested = []
        for j in coefficients:
            start = np.clip(best, -MAX_START, MAX_START)
            start[:, j] = values[:, j]
            nested.append(self.fit(start, [j]))
        lower = np.array([height for _, height in nested])
        return np.transpose(2 * (heights - lower)), np.array([b for b, _ in nested])

    def best(self) -> tuple[Array, Array]:
        """The highest maximum of each survey, and its height."""
        slopes = (0.0, 3.0, -3.0)
        fits = [self.fit(np.tile([-0.5, 0.0, slope], (len(self), 1))) for slope in slopes]
        heights = np.array([height for _, height in fits])
        # Of maxima that differ only by rounding, the first is used.
        chosen = np.argmax(heights >= heights.max(axis=0) - CLOSE, axis=0)
        best = np.array([b for b, _ in fits])[chosen, np.arange(len(self))]
        return best, heights.max(axis=0)

    def contained(self, coefficients: Sequence[int]) -> tuple[Array, Array]:
        """Whether the interval of each coefficient contains the true one, shape (surveys, ...).

        The second array is for the intervals without Bartlett's correction.
        """
        truth = np.tile(self.cell.truth, (len(self), 1))
        ratios, held = self.ratios(coefficients, truth)
        means = [
            self.means(j, ratio, b)
            for j, ratio, b in zip(coefficients, ratios.T, held, strict=True)
        ]
        return np.asarray(ratios <= LIMIT * np.transpose(means)), np.asarray(ratios <= LIMIT)

    def means(self, j: int, ratios: Array, held: Array) -> Array:
        """The means of the statistics under the true value of coefficient j, shape (surveys,).

        They are those of Candor's correction. They are calculated only where they can matter.
        """
        means = np.ones(len(self))
        for place in np.flatnonzero((ratios > LEAST_MEAN * LIMIT) & (ratios <= LIMIT)):
            likelihood = self.likelihood(place)
            if not can_be_corrected(likelihood, HYPOTHESES):
                continue
            back = to_natural(likelihood)
            theta = np.linalg.solve(back, held[place])
            means[place] = mean_ratio(likelihood, theta, back[j][:, np.newaxis])
        return means

    def likelihood(self, place: int) -> KnownPredictorLikelihood:
        """Candor's likelihood of one survey."""
        yes, group, number = self.respondents(place)
        return KnownPredictorLikelihood(
            model=Multinomial(2, 1),
            outcome=ReportedVariable(self.chances, (~yes).astype(np.int64)),
            non_private=np.column_stack([group, number]),
            constants_share=self.constant_share,
        )

    def respondents(self, place: int) -> tuple[Array, Array, Array]:
        """The reports, groups and numbers of all respondents of one survey."""
        columns = self.yes[place], self.group, self.number[place]
        if not isinstance(self.counts, np.ndarray):
            return columns
        yes, group, number = (np.repeat(each, self.counts[place]) for each in columns)
        return yes, group, number

    def covered(self) -> tuple[Array, Array, Array]:
        """Whether each interval contains the true coefficient, shape (surveys, 3).

        The second array is for the intervals without Bartlett's correction. The third, shape
        (surveys,), is for that of the constant with the whole penalty and without correction.
        """
        less = copy(self)
        less.constant_share = CONSTANTS_SHARE
        constant, slopes = less.contained([0]), self.contained([1, 2])
        whole = self.ratios([0], np.tile(self.cell.truth, (len(self), 1)))[0] <= LIMIT
        corrected, usual = (
            np.hstack([one, other]) for one, other in zip(constant, slopes, strict=True)
        )
        return corrected, usual, np.asarray(whole[:, 0])

    def regression(self, place: int) -> Regression:
        """Candor's regression of one survey, with the estimator that the surveys have."""
        yes, group, values = self.respondents(place)
        outcome = yes_no("outcome", ~yes, self.chances, True)
        predictors = [yes_no("group", 1 - group, np.eye(2), False), number(values)]
        return regress(outcome, predictors, estimator=self.estimator)

    def true_effects(self, place: int) -> tuple[float, float]:
        """The true average marginal effects of the group and of the number."""
        constant, group, number = self.cell.truth
        rest = constant + number * self.number[place]
        share = expit(rest + group * self.group)
        step = float((expit(rest + group) - expit(rest)).mean())
        return step, float((share * (1 - share)).mean() * number)


def by_candor(surveys: Surveys, covered: Array) -> CandorResult:
    """Fit the first surveys by Candor."""
    truth = surveys.cell.truth
    differences = infinite = contradictions = 0
    effects, widths = np.zeros(2), []
    for place, contained in enumerate(covered):
        found = surveys.regression(place)
        rows = found.coefficients
        figures = [(row.value, row.error, row.low, row.high, row.p) for row in rows]
        infinite += int((~np.isfinite(figures)).any(axis=1).sum())
        inside = [row.low <= t <= row.high for row, t in zip(rows, truth, strict=True)]
        differences += int(np.sum(inside != contained))
        contradictions += sum((row.low > 0 or row.high < 0) != (row.p < 1 - LEVEL) for row in rows)
        widths.append([row.high - row.low for row in rows])
        shown = [effect for effect in found.effects if effect.answer == "a"]
        true = surveys.true_effects(place)
        effects += [row.low <= t <= row.high for row, t in zip(shown, true, strict=True)]
    return CandorResult(differences, infinite, contradictions, effects, np.median(widths, axis=0))


def simulate(cell: Cell, count: int, fitted: int) -> CellResult:
    """Simulate a cell with `count` surveys, and fit the first ones by Candor, too."""
    surveys = Surveys(cell, count)
    covered, uncorrected, with_whole = surveys.covered()
    candor = by_candor(surveys, covered[:fitted])
    return CellResult(
        covered.mean(axis=0), uncorrected.mean(axis=0), float(with_whole.mean()), candor
    )


def cells() -> list[Cell]:
    """The cells with a normal number: all with slopes, and those of 200 responses without."""
    sized = [
        Cell(n, epsilon, prevalence, slopes)
        for slopes in (SLOPES, NO_SLOPES)
        for n in SIZES
        for epsilon in EPSILONS
        for prevalence in PREVALENCES
    ]
    return [cell for cell in sized if cell.slopes == SLOPES or cell.n == WITHOUT_SLOPES]


def heavy_tailed_cells() -> list[Cell]:
    """The cells with heavy tails."""
    return [
        Cell(n, HEAVY_EPSILON, prevalence, heavy_tails=True)
        for n in SIZES
        for prevalence in HEAVY_PREVALENCES
    ]
