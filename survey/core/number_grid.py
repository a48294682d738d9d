"""The values of a number question: evenly spaced, from a minimum to a maximum."""

import math
from collections.abc import Sequence
from dataclasses import dataclass
from fractions import Fraction
from typing import Any, overload

from survey.core.errors import MechanismError
from survey.core.exact_numbers import exact

MAX_VALUES = 1_000_001
# The default levels of a private number's coarse grid. The variance of a cumulative share grows
# with their number, so the distribution needs few levels. A mean loses nothing with more.
LEVELS_FOR_DISTRIBUTION = 11
LEVELS_FOR_MEAN = 21
# The parts of a number's range between which a decision tree may split.
TREE_PARTS = 10


def decimal_text(value: Fraction) -> str:
    """A decimal fraction as people write it: 62, 62.5."""
    if value.denominator == 1:
        return str(value.numerator)
    places = 0
    while (value * 10**places).denominator != 1:
        places += 1
    sign = "-" if value < 0 else ""
    digits = str(abs((value * 10**places).numerator)).rjust(places + 1, "0")
    return f"{sign}{digits[:-places]}.{digits[-places:]}"


def decimal(value: Any, name: str) -> Fraction:
    """A number with finitely many decimals, exactly, and no more digits than JSON can hold.

    Raises MechanismError for any other number.
    """
    number = exact(value, name)
    rest = number.denominator
    for prime in (2, 5):
        while rest % prime == 0:
            rest //= prime
    if rest != 1:
        raise MechanismError(
            "%(name)s must be a decimal number such as 0.5, not %(value)s.",
            name,
            "number",
            name=name,
            value=repr(value),
        )
    if abs(number) > 2**53 or Fraction(repr(float(number))) != number:
        raise MechanismError(
            "%(name)s has too many digits: %(value)s. Use fewer.",
            name,
            "digits",
            name=name,
            value=repr(value),
        )
    return number


def json_number(value: Fraction) -> float | int:
    """The number as JSON writes it: 62, 62.5."""
    return int(value) if value.denominator == 1 else float(value)


@dataclass(frozen=True)
class Grid(Sequence[str]):
    """`size` values: low, low + step, ... As a sequence, it has their texts.

    Before its table is used, a private number is rounded at random to every `width`-th value, up or
    down, so that its mean does not change.
    """

    low: Fraction
    step: Fraction
    size: int
    unit: str = ""

    @classmethod
    def between(cls, low: Any, high: Any, step: Any, unit: str = "") -> "Grid":
        """The grid from `low` to `high`. Raises MechanismError."""
        first, last, by = decimal(low, "min"), decimal(high, "max"), decimal(step, "step")
        if by <= 0:
            raise MechanismError("step must be above 0.", "step", "positive")
        if last <= first:
            raise MechanismError("max must be above min.", "max", "order")
        steps = (last - first) / by
        if steps.denominator != 1:
            raise MechanismError(
                "max must be min plus whole steps, but steps of %(step)s from %(min)s do not "
                "reach %(max)s.",
                "step",
                "steps",
                step=decimal_text(by),
                min=decimal_text(first),
                max=decimal_text(last),
            )
        if steps >= MAX_VALUES:
            raise MechanismError(
                "A number can have at most %(most)s values. Use larger steps.",
                "step",
                "many",
                most=MAX_VALUES,
            )
        return cls(first, by, int(steps) + 1, unit)

    @property
    def high(self) -> Fraction:
        return self.value(self.size - 1)

    def value(self, index: int) -> Fraction:
        return self.low + index * self.step

    def __len__(self) -> int:
        return self.size

    @overload
    def __getitem__(self, index: int) -> str: ...
    @overload
    def __getitem__(self, index: slice) -> Sequence[str]: ...
    def __getitem__(self, index: int | slice) -> str | Sequence[str]:
        if isinstance(index, slice):
            return [self[i] for i in range(*index.indices(self.size))]
        if not 0 <= index < self.size:
            raise IndexError(index)
        return decimal_text(self.value(index))

    def index(self, value: Any, start: int = 0, stop: int | None = None) -> int:
        """The index of a value. Raises ValueError if it is not on the grid."""
        try:
            steps = (exact(value, "value") - self.low) / self.step
        except MechanismError as error:
            raise ValueError(str(error)) from error
        if steps.denominator != 1 or not 0 <= steps < self.size:
            raise ValueError(f"{value} is not one of the values.")
        return int(steps)

    def cuts(self, parts: int) -> list[int]:
        """The index of the last value of each part but the last, for parts of about equal size.

        There are fewer parts if there are fewer values.
        """
        parts = min(parts, self.size)
        return [self.size * part // parts - 1 for part in range(1, parts)]

    def width(self, levels: int) -> int:
        """The number of steps between two levels, if `levels` levels cover the range."""
        return -(-(self.size - 1) // (levels - 1))

    def levels(self, most: int) -> int:
        """The default number of levels of a private number's table.

        It is the number of values if that is at most `most`. Otherwise it is the largest number of
        levels that divides the range evenly, down to half of `most`. If there is none, the last
        level may lie beyond the maximum.
        """
        steps = self.size - 1
        if self.size <= most:
            return self.size
        least = math.ceil(steps / (most - 1))
        for width in range(least, 2 * least + 1):
            if steps % width == 0:
                return steps // width + 1
        return math.ceil(steps / least) + 1

    def coarse(self, levels: int) -> "Grid":
        """The grid of the levels."""
        return Grid(self.low, self.step * self.width(levels), levels, self.unit)
