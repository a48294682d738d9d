"""The places of values on an axis of a chart."""

from dataclasses import dataclass


@dataclass(frozen=True)
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
