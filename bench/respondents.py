"""Respondents for ± 5 points, compared with the smallest number that any mechanism needs."""

from dataclasses import dataclass
from typing import Any

import numpy as np
import numpy.typing as npt
import scipy

from survey.core.mechanisms import build_randomizer
from survey.core.number_grid import LEVELS_FOR_MEAN
from survey.definition.survey import parse_survey
from survey.planning.precision import planned_questions, precisions, respondents_needed

from . import closed_forms, means, median_bounds, shares
from .tables import EPSILONS, Figure, Table

TITLE = "Respondents for ± 5 points, and their ratio to the optimum"
MARGIN = 0.05
MOST, MOST_MEDIAN = 1.05, 1.3  # the requirements
CHOICES = (2, 4, 16)
# The combinations of three yes/no questions, and the numbers of a median.
COMBINATIONS, NUMBERS = 8, 21
# The values in [-1, 1] at which the linear programme bounds the noise of a mean.
VALUES = np.linspace(-1, 1, 17)
SCORES = 321
# How often scores that break a constraint are added to the programme.
ROUNDS = 2
Array = npt.NDArray[np.float64]
ANY, MEDIAN = "a mean, any answers", f"a median of {NUMBERS} numbers"


@dataclass(frozen=True)
class Cell:
    """The respondents for one estimate: the smallest possible number, and that of Candor."""

    name: str
    what: str
    optimum: int
    ours: int

    @property
    def ratio(self) -> float:
        return self.ours / self.optimum


# A lower bound for the noise of a mean.


def least_noise(odds: float, values: Array = VALUES, scores: int = SCORES) -> float:
    """A lower bound for the largest noise of an unbiased mean of values in [-1, 1].

    Parameters
    ----------
    odds : float above 1
        e^epsilon.
    values : ndarray
        Answers in [-1, 1]. The largest noise of all answers is at least that of these.
    scores : int
        The number of scores in the first programme. With more, the bound is closer.

    Returns
    -------
    float
        For every mechanism of these odds with unbiased scores s, the variance of s given the answer
        is at least this for one of the answers.

    Notes
    -----
    A report with score s is sent with probabilities theta v(x), where 1 <= v(x) <= odds. The
    smallest T with sum theta v(x) = 1, sum theta v(x) s = x and sum theta v(x) s^2 - x^2 <= T for
    all x is a linear programme. Its dual maximises sum a(x) + b(x) x - c(x) x^2, where c >= 0 adds
    up to one. Every score s must meet F(s) = sum_x min(g, odds g) >= 0, with
    g = c(x) s^2 - b(x) s - a(x). If F is at least -d instead, it is at least 0 after subtracting
    d / k from each of the k numbers a(x). So the bound holds for all scores, up to the errors of
    floating-point numbers.
    """
    reach = 2 * (odds + 1) / (odds - 1)
    tried, best = np.linspace(-reach, reach, scores), 0.0
    for _ in range(ROUNDS):
        dual = solve_dual(odds, values, tried)
        at, least = smallest(odds, *dual)
        a, b, c = dual
        best = max(best, float(a.sum() + b @ values - c @ values**2 + min(0.0, least)))
        tried = np.union1d(tried, [at, -at])
    return best


def solve_dual(odds: float, values: Array, scores: Array) -> tuple[Array, Array, Array]:
    """The optimal a, b and c if only these scores are possible."""
    k, each = len(values), len(values) * len(scores)
    sparse = scipy.sparse
    # The rows of g: one for each score and value.
    parts = [
        sparse.kron(column[:, np.newaxis], sparse.eye_array(k))
        for column in (-np.ones(len(scores)), -scores, scores**2)
    ]
    smaller = sparse.eye_array(each)
    summed = sparse.kron(sparse.eye_array(len(scores)), np.ones((1, k)))
    nothing = sparse.csr_array((len(scores), 3 * k))
    found = scipy.optimize.linprog(
        -np.concatenate([np.ones(k), values, -(values**2), np.zeros(each)]),
        A_ub=sparse.vstack(
            [
                sparse.hstack([*(-part for part in parts), smaller]),
                sparse.hstack([*(-odds * part for part in parts), smaller]),
                sparse.hstack([nothing, -summed]),
            ]
        ),
        b_ub=np.zeros(2 * each + len(scores)),
        A_eq=np.concatenate([np.zeros(2 * k), np.ones(k), np.zeros(each)])[np.newaxis, :],
        b_eq=[1.0],
        bounds=[(None, None)] * (2 * k) + [(0, None)] * k + [(None, None)] * each,
        method="highs",
    )
    a, b, c = found.x[: 3 * k].reshape(3, k)
    return a, b, np.maximum(c, 0) / np.maximum(c, 0).sum()


def smallest(odds: float, a: Array, b: Array, c: Array) -> tuple[float, float]:
    """The score at which F is smallest, and F there. F is quadratic between the roots of the g."""
    roots = [np.roots([c[x], -b[x], -a[x]]) for x in range(len(a))]
    real = np.sort(np.concatenate([each[np.isreal(each)].real for each in roots]))
    edges = np.concatenate([[real[0] - 1], real, [real[-1] + 1]])
    tries = [*real]
    for middle in (edges[:-1] + edges[1:]) / 2:
        weights = np.where(c * middle**2 - b * middle - a < 0, odds, 1.0)
        # The vertex of a piece outside of the piece is harmless, because F is evaluated itself.
        tries.append(float(weights @ b / (2 * (weights @ c))))
    each = [height(odds, s, a, b, c) for s in tries]
    place = int(np.argmin(each))
    return float(tries[place]), each[place]


def height(odds: float, s: float, a: Array, b: Array, c: Array) -> float:
    g = c * s**2 - b * s - a
    return float(np.minimum(g, odds * g).sum())


# The numbers of respondents.


def cells_of(name: str) -> list[Cell]:
    epsilon = EPSILONS[name]
    odds = float(np.exp(epsilon))
    found = []
    for k in CHOICES:
        ours = shares.exact(build_randomizer({"epsilon": epsilon}, "choices", k))
        bound = closed_forms.lower_bound(k, odds)
        what = f"a share of {k} choices"
        found.append(
            Cell(
                name,
                what,
                respondents_needed(bound / k, MARGIN),
                respondents_needed(ours / k, MARGIN),
            )
        )
    noise = means.of_built(
        build_randomizer({"epsilon": epsilon, "goal": "mean"}, "numbers", LEVELS_FOR_MEAN)
    ).worst
    # A margin of 5 % of the range of [-1, 1].
    best = respondents_needed(least_noise(odds), 2 * MARGIN)
    found.append(Cell(name, "a mean, equal answers", best, respondents_needed(noise, 2 * MARGIN)))
    # At its two ends alone, a mean is a share, so no mechanism needs fewer for any answers.
    best = respondents_needed(closed_forms.each_box(1, epsilon), MARGIN)
    found.append(Cell(name, "a derived cut-off", best, planned(epsilon, "yes_no")))
    found.append(Cell(name, ANY, best, planned(epsilon, "number")))
    table = build_randomizer({"epsilon": epsilon, "goal": "quantiles"}, "numbers", NUMBERS)
    variances = median_bounds.bound(table, odds), median_bounds.largest_variance(table)
    found.append(Cell(name, MEDIAN, *(respondents_needed(each, MARGIN) for each in variances)))
    return [*found, *joint_cells(name)]


def joint_cells(name: str) -> list[Cell]:
    """A combination of the answers to three yes/no questions, and an answer to one of them."""
    entries: list[dict[str, Any]] = [
        {"name": each, "type": "yes_no", "label": each, "privacy": "not_sent"} for each in "abc"
    ]
    entries.append(
        {"name": "all", "type": "joint", "label": "All", "derived": {"joint": [*"abc"]},
         "privacy": {"epsilon": EPSILONS[name]}}
    )  # fmt: skip
    survey = parse_survey({"slug": "s", "title": "S", "questions": entries})
    whole, part, *_ = planned_questions(survey)
    k = COMBINATIONS
    # The sum of the variances of all combinations, and the noise of one without that of the sample.
    least = closed_forms.lower_bound(k, float(np.exp(EPSILONS[name])))
    noise = least / k - (1 - 1 / k) / k
    # The noise of combinations sums to zero, so half of them have k / 4 / (1 - 1 / k) times that.
    of_part = 1 / 4 + noise * k / 4 / (1 - 1 / k)
    exact = shares.exact(whole.randomizer)
    (planned_part,) = precisions(part, None, survey)
    return [
        Cell(
            name,
            "a combination of three answers",
            respondents_needed(least / k, MARGIN),
            respondents_needed(exact / k, MARGIN),
        ),
        Cell(
            name,
            "one of the three answers",
            respondents_needed(of_part, MARGIN),
            planned_part.respondents(MARGIN),
        ),
    ]


def planned(epsilon: float, kind: str) -> int:
    """The respondents on the page "Plan" for a result of nine items with 0 to 3 points.

    For `yes_no`, it is the share with at least 10 points, and for `number` the mean.
    """
    names = [f"q{place}" for place in range(1, 10)]
    choices = [{"name": f"c{place}", "label": str(place)} for place in range(4)]
    items = [
        {"name": name, "type": "scale", "label": name, "choices": choices, "privacy": "not_sent"}
        for name in names
    ]
    points = {"sum": {name: {f"c{place}": place for place in range(4)} for name in names}}
    ways: dict[str, dict[str, Any]] = {
        "yes_no": {"derived": points | {"at_least": 10}, "privacy": {"epsilon": epsilon}},
        "number": {"derived": points, "min": 0, "max": 27, "step": 1,
                   "privacy": {"epsilon": epsilon, "goal": "mean"}},
    }  # fmt: skip
    result = {"name": "result", "type": kind, "label": "Result"} | ways[kind]
    survey = parse_survey({"slug": "s", "title": "S", "questions": [*items, result]})
    (figure,) = precisions(survey.private[0], None, survey)
    return figure.respondents(MARGIN * figure.width)


def cells() -> list[Cell]:
    return [cell for name in EPSILONS for cell in cells_of(name)]


def table(found: list[Cell]) -> Table:
    """For each estimate and ε, Candor's number of respondents, and its ratio to the optimum."""
    figures = [
        Figure(
            f"{what}, ε from 0.5 to 4",
            "respondents for ± 5 points / the optimum, at most",
            max(cell.ratio for cell in found if cell.what == what),
            most={ANY: None, MEDIAN: MOST_MEDIAN}.get(what, MOST),
        )
        for what in dict.fromkeys(cell.what for cell in found)
    ]
    rows = [
        [what, *(f"{cell.ours:,} ({cell.ratio:.3f})" for cell in found if cell.what == what)]
        for what in dict.fromkeys(cell.what for cell in found)
    ]
    return Table(TITLE, ["estimate", *(f"ε = {name}" for name in EPSILONS)], rows, figures)
