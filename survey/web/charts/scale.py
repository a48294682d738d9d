"""Where values lie on an axis of a chart."""

from dataclasses import dataclass


@dataclass(frozen=True)
class Scale:
    """An axis on which the value `low` lies at `start`, and the value `high` at `end`.

    y grows downwards in SVG, so that an upright axis starts at the larger number. Places have as
    many decimals as are printed.
    """

    low: float
    high: float
    start: float
    end: float
    decimals: int = 1

    def at(self, value: float) -> float:
        """The place of a value, also of one beyond an end."""
        place = self.start + (self.end - self.start) * (value - self.low) / (self.high - self.low)
        # numpy rounds its own numbers in another way
        return round(float(place), self.decimals)

    def within(self, value: float) -> float:
        """The place of a value; of one beyond an end, the place of that end."""
        return self.at(min(max(value, self.low), self.high))

    def length(self, size: float) -> float:
        """How long a part of the axis is that stands for `size`."""
        return round(float((self.end - self.start) * size / (self.high - self.low)), self.decimals)
