"""The places of values on an axis of a chart."""

import math
from dataclasses import dataclass


@dataclass(frozen=True, kw_only=True)
class Scale:
    """An axis on which the value `low` lies at `start`, and the value `high` at `end`.

    In SVG, y grows downwards, so a vertical axis starts at the larger number. Places have as many
    decimals as are printed.
    """

    low: float
    high: float
    start: float
    end: float
    decimals: int = 1

    def at(self, value: float) -> float:
        """The place of a value, which may lie beyond an end."""
        place = self.start + (self.end - self.start) * (value - self.low) / (self.high - self.low)
        # NumPy rounds its own numbers differently.
        return round(float(place), self.decimals)

    def within(self, value: float) -> float:
        """The place of a value, limited to the axis."""
        return self.at(min(max(value, self.low), self.high))

    def length(self, size: float) -> float:
        """The length on the axis that represents `size`."""
        return round(float((self.end - self.start) * size / (self.high - self.low)), self.decimals)

    def ticks(self, most: int = 5) -> list[float]:
        """At most `most` + 1 round numbers on the axis, with equal steps of 1, 2 or 5 units."""
        return round_numbers(self.low, self.high, most)


def round_numbers(low: float, high: float, most: int = 5) -> list[float]:
    """The multiples of a round step from `low` to `high`, both included where they are multiples.

    The step is 1, 2 or 5 times a power of ten, and at least (high - low) / most. Raises ValueError
    unless low < high and both are finite.
    """
    if not (math.isfinite(low) and math.isfinite(high) and low < high):
        raise ValueError("An axis needs two different finite ends.")
    least = (high - low) / most
    power = 10.0 ** math.floor(math.log10(least))
    # The tolerance keeps a step that rounding makes too small by a little.
    step = next(power * times for times in (1, 2, 5, 10) if power * times >= least * (1 - 1e-9))
    first, last = math.ceil(low / step - 1e-9), math.floor(high / step + 1e-9)
    return [place * step for place in range(first, last + 1)]
