"""Numbers, of which conditions name ranges."""

import math
from collections.abc import Sequence
from fractions import Fraction
from typing import TYPE_CHECKING, Any

from survey.definition.types.number import NumberType
from survey.estimation.results import QuantityResults, QuestionResults
from survey.formats.types import EARLIER, FORMATS
from survey.formats.types.select_one import ChoiceFormat, EarlierChoice
from survey.formats.xlsform.conditions import Formula, Held, NumberBounds, unsupported_use
from survey.formats.xlsform.expressions import Expression, UnsupportedCondition, constant_number
from survey.formats.xlsform.read_calculation import Points, PointsRange, points_if_held

if TYPE_CHECKING:
    from survey.formats.citation import Citation


@FORMATS.of(NumberType)
class NumberFormat(ChoiceFormat):
    """A number of a grid."""

    def cited_means(self, result: QuestionResults) -> Sequence[QuantityResults]:
        """The shares of the parts of the range are not cited."""
        return result.quantities

    def cite(self, citation: "Citation", result: QuestionResults) -> str:
        return citation.sentences_of_distribution(self.question, result)

    def points_as_xpath(self, points: Any) -> str:
        never_empty = self.question.relevant is None and not self.question.offers_to_decline
        value = self.answer if never_empty else f"coalesce({self.answer}, 0)"
        return value if points == 1 else f"{points} * {value}"

    def declined_ends(self, points: Any) -> tuple[int, int]:
        grid = self.question.number_grid
        low, high = sorted(int(end * points) for end in (grid.low, grid.high))
        return low, high


@EARLIER.of(NumberType)
class EarlierNumber(EarlierChoice):
    """The number that answers an earlier question."""

    def selected_choices(self, words: Expression) -> list[Expression]:
        raise unsupported_use(words)

    def is_chosen(self, *values: Expression, of_choices: bool) -> Formula:
        raise self.no_choice(values[0])

    def compare(self, sign: str, value: Expression, *, of_choices: bool) -> Formula:
        end = constant_number(value.value)
        if end is None and of_choices:
            return False  # Nothing but != is true of "not a number".
        if end is None:
            raise UnsupportedCondition("compares a number with %(value)s", value=repr(value.value))
        return Held(self.parent.name, self.bounds(sign, end))

    def bounds(self, sign: str, end: Fraction) -> NumberBounds:
        """The numbers of the grid for which a comparison is true, where != is read as =."""
        parent = self.parent
        steps = (end - parent.low) / parent.step
        above = parent.low + (math.floor(steps) + 1) * parent.step
        below = parent.low + (math.ceil(steps) - 1) * parent.step
        low = {">=": end, "=": end, "!=": end, ">": above}.get(sign)
        high = {"<=": end, "=": end, "!=": end, "<": below}.get(sign)
        return NumberBounds(low, high)

    def is_answered(self) -> Formula:
        if not (self.parent.skippable or self.parent.optional):
            return True
        return Held(self.parent.name, NumberBounds(low=self.parent.low))

    def opposite(self, allowed: Any) -> Formula:
        if not self.parent.skippable and not self.parent.names:
            ends = [(">", allowed.high), ("<", allowed.low)]
            signs = [(sign, end) for sign, end in ends if end is not None]
            if len(signs) == 1:
                return Held(self.parent.name, self.bounds(*signs[0]))
        return Held(self.parent.name, allowed, holds=False)

    def either(self, one: Any, other: Any) -> Any:
        """Ranges of numbers may have a gap between them."""
        return None

    def without(self, allowed: Any, excluded: Any) -> Any:
        return None

    def own_points(self) -> Any:
        return Fraction(1)

    def points_if(self, allowed: Any, then: Points, otherwise: Points) -> Points:
        return points_if_held(self.parent.name, allowed, then, otherwise)

    def absorb_constant(self, points: Points) -> Points:
        return points

    def choices_within(self, table: Any, limits: PointsRange) -> frozenset[str] | None:
        return None

    def ends(self, table: Any) -> list[Fraction]:
        return [self.parent.low * table, self.parent.high * table]
