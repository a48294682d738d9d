"""The outputs of a mechanism for two neighbouring tables, and what the definition permits.

A table's count is published with noise that is a whole number, or one answer is randomised.
"""

import math
from collections.abc import Sequence
from dataclasses import dataclass

from survey.learn.attacks.attempt import guess_bound

FARTHEST = 500  # of the noise; all noise beyond it together is less likely than e^−50
# Rounding, and the noise beyond FARTHEST, change a probability by less than this.
ROUNDING = 1e-14


@dataclass(frozen=True)
class NeighbourOutputs:
    """Pr[M(x) = r] and Pr[M(y) = r] for each possible output r, in rising order.

    The ratio Pr[M(y) = r] / Pr[M(x) = r] never falls with r. So the events at which the tables
    differ most are all outputs up to a number, or all from a number on.
    """

    outputs: Sequence[int]
    x: Sequence[float]
    y: Sequence[float]

    def chances(self, first: float, last: float) -> tuple[float, float]:
        """Pr[M(x) ∈ S] and Pr[M(y) ∈ S] for the outputs S from `first` to `last`, both included."""
        inside = [place for place, r in enumerate(self.outputs) if first <= r <= last]
        return math.fsum(self.x[i] for i in inside), math.fsum(self.y[i] for i in inside)

    def largest_excess(self, epsilon: float) -> tuple[float, int | None]:
        """The smallest δ for this ε, and the last output of the event S that needs it.

        δ is the sum of Pr[M(x) = r] − e^ε Pr[M(y) = r] over all r at which it is positive. The
        event that needs it contains these r. It is None if δ is 0.
        """
        factor = math.exp(epsilon)
        excesses = [
            (p - factor * q, r)
            for r, p, q in zip(self.outputs, self.x, self.y, strict=True)
            if p - factor * q > ROUNDING
        ]
        if not excesses:
            return 0.0, None
        return math.fsum(excess for excess, _ in excesses), max(r for _, r in excesses)


def permitted_chances(probability: float, epsilon: float, delta: float) -> tuple[float, float]:
    """The lowest and highest Pr[M(x) ∈ S] that (ε, δ) permits at this Pr[M(y) ∈ S].

    The definition holds in both directions, for S and for the outputs outside S.
    """
    factor, outside = math.exp(epsilon), 1 - probability
    low = max(0.0, (probability - delta) / factor, 1 - factor * outside - delta)
    high = min(1.0, factor * probability + delta, 1 - (outside - delta) / factor)
    return low, high


def noisy_counts(count: int, weights: Sequence[float]) -> NeighbourOutputs:
    """Of tables with `count` and one more. Pr(noise is k) and Pr(noise is −k) ~ `weights[k]`."""
    last = len(weights) - 1
    total = math.fsum(weights) + math.fsum(weights[1:])

    def chance(noise: int) -> float:
        return weights[abs(noise)] / total if abs(noise) <= last else 0.0

    outputs = range(count - last, count + last + 2)
    return NeighbourOutputs(
        outputs,
        [chance(r - count) for r in outputs],
        [chance(r - count - 1) for r in outputs],
    )


def laplace_weights(epsilon: float, farthest: int = FARTHEST) -> list[float]:
    """e^(−ε k) for k up to `farthest`: the discrete Laplace distribution of scale 1/ε."""
    return [math.exp(-epsilon * k) for k in range(farthest + 1)]


def cut_point(epsilon: float, delta: float) -> int:
    """The smallest t at which discrete Laplace noise, cut off beyond t, has (ε, δ).

    With one table, the output count − t is impossible, so δ is its probability with the other:
    a^t (1 − a) / (1 + a − 2 a^(t + 1)) with a = e^−ε.
    """
    a, t = math.exp(-epsilon), 0
    while a**t * (1 - a) / (1 + a - 2 * a ** (t + 1)) > delta:
        t += 1
    return t


def reports(epsilon: float) -> NeighbourOutputs:
    """The report 0 (No) or 1 (Yes) by randomised response, of the answers No (x) and Yes (y)."""
    true = guess_bound(math.exp(epsilon))
    return NeighbourOutputs((0, 1), (true, 1 - true), (1 - true, true))
