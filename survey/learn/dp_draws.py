"""Repeated draws of a central DP release of made-up answers, for the lessons.

The scales, scores and figures are those of real releases. The random numbers are not: they come
from a generator that repeats its draws, so they protect nobody.
"""

from collections.abc import Sequence

import numpy as np
import numpy.typing as npt

from survey.central_dp.bounded_sums import Answers
from survey.central_dp.dp_request import SELECTED, Request
from survey.central_dp.figures import dp_figures, selected_figure
from survey.central_dp.noisy_sums import noises_of
from survey.central_dp.selection import selection_of
from survey.core.processor_time import require_time
from survey.definition.survey import Survey

Integers = npt.NDArray[np.int64]
Reals = npt.NDArray[np.float64]


def draw_discrete_laplace(scale: float, size: int, generator: np.random.Generator) -> Integers:
    """Whole numbers with Pr(x) in proportion to exp(−|x| / scale), as differences of two counts."""
    stop = -np.expm1(-1 / scale)
    noise: Integers = generator.geometric(stop, size) - generator.geometric(stop, size)
    return noise


def draw_selected(
    scores: Sequence[int], scale: float, repeats: int, generator: np.random.Generator
) -> Integers:
    """The candidates that permute and flip selects, `repeats` times.

    It selects like the largest of score/scale plus exponential noise (Ding et al. 2021, The
    Permute-and-Flip Mechanism Is Identical to Report-Noisy-Max with Exponential Noise).
    """
    noise = generator.exponential(1.0, (repeats, len(scores)))
    selected: Integers = np.argmax(np.array(scores) / scale + noise, axis=1)
    return selected


def selection_chances(scores: Sequence[int], scale: float) -> Reals:
    """The exact probability that permute and flip selects each of at most 128 candidates.

    A candidate is accepted with q = exp((score − best) / scale), if none before it in a random
    order was. So Pr = q ∫ Π (1 − q_j t) dt from 0 to 1, over all other candidates j. 64 points of
    Gauss and Legendre integrate a polynomial of degree 127 exactly.
    """
    accepted = np.exp((np.array(scores) - max(scores)) / scale)
    points, weights = np.polynomial.legendre.leggauss(64)
    missed = 1 - accepted[:, np.newaxis] * (points + 1) / 2
    chances: Reals = accepted * ((missed.prod(axis=0) / missed) @ weights) / 2
    return chances


# The same as Python for a notebook, which calculates `chances` from `scores` and `scale`.
SELECTION_SOURCE = (
    "# An answer whose acceptance probability is q is selected with probability\n"
    "# q ∫ Π (1 − q_j t) dt from 0 to 1, over all other answers j. 64 points integrate the\n"
    "# polynomial exactly.\n"
    "accepted = np.exp((scores - scores.max()) / scale)\n"
    "points, weights = np.polynomial.legendre.leggauss(64)\n"
    "missed = 1 - accepted[:, np.newaxis] * (points + 1) / 2\n"
    "chances = accepted * ((missed.prod(axis=0) / missed) @ weights) / 2"
)


def draw_releases(
    survey: Survey,
    request: Request,
    answers: Answers,
    repeats: int,
    generator: np.random.Generator,
) -> list[float]:
    """The first figure of each of `repeats` releases of a statistic with Laplace noise."""
    n = sum(answers.values())
    if request.statistic in SELECTED:
        selection = selection_of(survey, request)
        chosen = draw_selected(selection.scores(answers), selection.scale, repeats, generator)
        return [selected_figure(selection, int(each)).value for each in chosen]
    noises = noises_of(survey, request, n)
    drawn = [
        draw_discrete_laplace(noise.scale, repeats, generator) + noise.part.sum_of(answers)[0]
        for noise in noises
    ]
    released = []
    for parts in zip(*drawn, strict=True):
        require_time()
        released.append(dp_figures(survey, request, n, [[int(part)] for part in parts])[0].value)
    return released
