"""Adjust p-values for the number of comparisons."""

from collections.abc import Sequence


def adjust_by_holm(p_values: Sequence[float]) -> tuple[float, ...]:
    """Holm's adjusted p-values, in the given order.

    The i-th smallest of m is multiplied by m - i + 1. It is at least the adjusted one before it,
    and at most 1 (Holm, Scand. J. Stat. 6 (1979) 65).
    """
    adjusted, highest = [0.0] * len(p_values), 0.0
    for rank, place in enumerate(sorted(range(len(p_values)), key=p_values.__getitem__)):
        highest = max(highest, min(1.0, (len(p_values) - rank) * p_values[place]))
        adjusted[place] = highest
    return tuple(adjusted)
