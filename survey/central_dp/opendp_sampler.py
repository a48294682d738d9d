"""The draws of releases. This is the only module that calls OpenDP, whose samplers are exact.

Noise is an integer from the discrete Laplace or Gaussian distribution, added to integers.
Candidates are selected by permute and flip on integer scores. So no floating-point rounding, in our
code or in the noise, can reveal anything. Before each draw, the code compares OpenDP's own bound on
the loss, rounded up, with the charged loss.
"""

from collections.abc import Sequence
from fractions import Fraction

import opendp.prelude as dp

from survey.central_dp.dp_request import GAUSSIAN, Request
from survey.central_dp.noisy_sums import Noise
from survey.central_dp.selection import Selection
from survey.central_dp.tree import DPTree, Drawn, Table

dp.enable_features("contrib")  # Proofs of these measurements are published; some are unreviewed.
WHOLE = dp.vector_domain(dp.atom_domain(T="i64"))


class LossExceeded(RuntimeError):
    """A measurement would lose more than is charged. This is a bug, and nothing is drawn."""


def measurement_of(noise: Noise) -> dp.Measurement:
    if noise.gaussian:
        return dp.m.make_gaussian(WHOLE, dp.l2_distance(T=float), scale=noise.scale)
    return dp.m.make_laplace(WHOLE, dp.l1_distance(T="i64"), scale=noise.scale)


def opendp_loss(noise: Noise) -> float:
    """OpenDP's bound on the loss: an epsilon, or a rho."""
    sensitivity = noise.part.l2 if noise.gaussian else noise.part.l1
    return float(measurement_of(noise).map(sensitivity))


def epsilon_at(rho: float, delta: float) -> float:
    """OpenDP's epsilon of rho-zCDP at this delta."""
    one = dp.m.make_gaussian(WHOLE, dp.l2_distance(T=float), scale=1.0)
    converted = dp.c.make_fix_delta(dp.c.make_zCDP_to_approxDP(one), delta)
    return float(converted.map((2 * rho) ** 0.5 * (1 + 1e-12))[0])


def draw_sums(request: Request, noises: Sequence[Noise], sums: Sequence[list[int]]) -> Drawn:
    """Each sum with noise. Raises LossExceeded."""
    total = sum((Fraction(opendp_loss(noise)) for noise in noises), Fraction(0))
    if request.mechanism == GAUSSIAN:
        total = Fraction(epsilon_at(float(total) * (1 + 1e-15), float(request.loss[1])))
    refuse_beyond(total, request)
    return tuple(
        tuple(measurement_of(noise)(each)) for noise, each in zip(noises, sums, strict=True)
    )


def draw_selection(request: Request, selection: Selection, scores: list[int]) -> Drawn:
    """The index of one selected candidate. Raises LossExceeded."""
    metric = dp.linf_distance(T="i64", monotonic=selection.monotonic)
    select = dp.m.make_noisy_max(WHOLE, metric, dp.max_divergence(), scale=selection.scale)
    refuse_beyond(Fraction(select.map(selection.sensitivity)), request)
    return ((int(select(scores)),),)


def draw_tree(request: Request, tree: DPTree, table: Table) -> Drawn:
    """A tree in depth-first order, as `DPTree.drawn_nodes`. Raises LossExceeded."""
    metric = dp.linf_distance(T="i64", monotonic=True)
    select = dp.m.make_noisy_max(WHOLE, metric, dp.max_divergence(), scale=tree.split)
    count = dp.m.make_laplace(WHOLE, dp.l1_distance(T="i64"), scale=tree.leaf)
    refuse_beyond(
        tree.depth * Fraction(select.map(tree.sensitivity)) + Fraction(count.map(1)), request
    )
    return tree.drawn_nodes(table, select, count)


def refuse_beyond(loss: Fraction, request: Request) -> None:
    if loss > request.loss[0]:
        raise LossExceeded(f"{float(loss)} is more than the {request.epsilon} that is charged.")
