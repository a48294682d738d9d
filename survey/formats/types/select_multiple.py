"""Boxes, of which people tick several or none."""

from collections.abc import Sequence
from fractions import Fraction
from typing import Any

from survey.definition.types.select_multiple import SelectMultipleType
from survey.formats.types import EARLIER, FORMATS
from survey.formats.types.select_one import ChoiceFormat, EarlierChoice, comparison_of_choices
from survey.formats.xlsform.conditions import Formula, Held, unsupported_use
from survey.formats.xlsform.expressions import Expression, UnsupportedCondition
from survey.formats.xlsform.read_calculation import (
    SEVERAL_ANSWERS,
    Points,
    PointsRange,
    choices_of,
    gain_of,
    points_if_held,
)


@FORMATS.of(SelectMultipleType)
class BoxFormat(ChoiceFormat):
    """A list of ticked boxes."""

    def required_cell(self) -> str | None:
        """All boxes may stay empty."""
        return None

    def is_answer(self, choice: str) -> str:
        return f"selected({self.answer}, '{choice}')"

    def filter_columns(self, allowed: Sequence[str]) -> int:
        """Each column has a box, because no function compares two lists."""
        return len(allowed)

    def points_as_xpath(self, points: Any) -> str:
        if set(points.values()) == {1} and not self.question.offers_to_decline:
            return f"count-selected({self.answer})"
        each_box = [f"if({self.is_answer(box)}, {points[box]}, 0)" for box in points if points[box]]
        return " + ".join(each_box) or "0"

    def declined_ends(self, points: Any) -> tuple[int, int]:
        low, high = (sum(pick(each, 0) for each in points.values()) for pick in (min, max))
        return low, high


@EARLIER.of(SelectMultipleType)
class EarlierBoxes(EarlierChoice):
    """The ticked boxes of an earlier question."""

    def selected_choices(self, words: Expression) -> list[Expression]:
        raise unsupported_use(words)

    def compare(self, sign: str, value: Expression, *, of_choices: bool) -> Formula:
        """Only a single box is ticked exactly if the whole answer equals its name."""
        if len(self.parent.names) > 1 or sign not in ("=", "!="):
            raise comparison_of_choices()
        return self.is_chosen(value, of_choices=of_choices)

    def is_answered(self) -> Formula:
        return Held(self.parent.name, frozenset(self.parent.names))

    def opposite(self, allowed: Any) -> Formula:
        return Held(self.parent.name, allowed, holds=False)

    def both(self, one: Any, other: Any) -> Any:
        """Different boxes can fulfil each of the conditions."""
        both = one & other
        return both if both in (one, other) else None

    def without(self, allowed: Any, excluded: Any) -> Any:
        return None

    def own_points(self) -> Any:
        raise UnsupportedCondition("calculates with %(name)s", name=repr(self.parent.name))

    def points_of_ticks(self, count: Expression) -> dict[str, Fraction]:
        return dict.fromkeys(choices_of(self.parent), Fraction(1))

    def points_if(self, allowed: Any, then: Points, otherwise: Points) -> Points:
        if len(allowed) > 1:
            return points_if_held(self.parent.name, allowed, then, otherwise)
        gain = gain_of(then, otherwise)
        table = {each: gain if each in allowed else Fraction(0) for each in choices_of(self.parent)}
        return Points(otherwise.constant, {self.parent.name: table})

    def absorb_constant(self, points: Points) -> Points:
        return points

    def choices_within(self, table: Any, limits: PointsRange) -> frozenset[str] | None:
        return None

    def require_countable(self, chosen: Sequence[str]) -> None:
        if len(chosen) > 1:
            raise UnsupportedCondition(SEVERAL_ANSWERS)

    def ends(self, table: Any) -> list[Fraction]:
        picks = (min, max)
        zero = Fraction(0)
        return [sum((pick(each, zero) for each in table.values()), start=zero) for pick in picks]
