"""Number: a typed value of a grid."""

import math
from collections.abc import Mapping, Sequence
from fractions import Fraction
from typing import TYPE_CHECKING, Any

from survey.core.errors import DefinitionError, MechanismError
from survey.core.exact_numbers import exact
from survey.core.mechanisms import NUMBERS
from survey.core.number_grid import Grid, decimal, decimal_text, json_number
from survey.core.randomizer import Randomizer
from survey.core.translate import later
from survey.definition.choices import (
    Choice,
    GridWithSpecialAnswers,
    names_of,
    parse_text,
    with_unit,
)
from survey.definition.report_formats import OneOf, ReportForm, Stored
from survey.definition.types.registry import (
    DERIVABLE,
    Answers,
    QuestionType,
    question_type,
    whole_points,
)

if TYPE_CHECKING:
    from survey.definition.questions import Question

WITH_SPREAD_REPORTS = ("window", "discrete_laplace", "discrete_gaussian")


@question_type
class NumberType(QuestionType):
    """A number of a grid.

    A non-private answer is stored as its place on the grid. A private answer is first rounded at
    random to a point of a coarse grid.
    """

    name = "number"
    title = later("Number")
    answered_by = (
        "Typing a number. The page rounds it to the nearest value, and shows the result. It "
        "refuses numbers outside the range."
    )
    menu_place = 50
    members = DERIVABLE | {"min", "max", "step", "unit"}
    mechanisms = NUMBERS
    usual_mechanism = "window"
    operations = frozenset({"sum", "mean", "count"})
    usual_goal = "mean"
    numeric = True
    builder_parts = ("number", "range", "protected", "skip", "goal", "quantiles", "derivable")
    template = "number"
    reader = "number"
    xlsform_names = ("integer", "int", "decimal", "range")

    def parse_answers(self, entry: Mapping[str, Any], place: str, language: str) -> Answers:
        unit = parse_text(entry, "unit", place, limit=40, optional=True)
        try:
            return (), Grid.between(entry.get("min"), entry.get("max"), entry.get("step", 1), unit)
        except MechanismError as error:
            raise DefinitionError(
                place, "min, max and step: %(error)s", error.reason, error.parameter, error=error
            ) from error

    def parse_otherwise(self, value: Any, answers: Answers, place: str) -> Any:
        grid = answers[1]
        if grid is None:
            raise DefinitionError(place, "needs a number with a range.")
        try:
            return json_number(grid.value(grid.index(value)))
        except ValueError as error:
            raise DefinitionError(place, "must be a possible answer.", "value") from error

    def parse_condition(self, condition: Any, offered: Sequence[Choice], place: str) -> Any:
        if not isinstance(condition, Mapping) or not condition or set(condition) - {"min", "max"}:
            raise DefinitionError(
                place, 'must be an object such as {"min": 18, "max": 65}.', "bounds"
            )
        try:
            return {
                key: json_number(decimal(bound, key)) for key, bound in sorted(condition.items())
            }
        except MechanismError as error:
            raise DefinitionError(place, str(error), "bounds") from error

    def usual_points(self, names: Sequence[str]) -> Any:
        """The weight of a number."""
        return 1

    def name_reports(self, question: "Question", own: int) -> list[Choice]:
        grid = question.levels
        spread = question.mechanism in WITH_SPREAD_REPORTS
        if grid is None or own == grid.size or not spread:
            return super().name_reports(question, own)
        beyond = (own - grid.size) // 2
        values = (decimal_text(grid.value(y - beyond)) for y in range(own))
        return [Choice(value, with_unit(value, grid)) for value in values]

    def report_form(self, question: "Question") -> ReportForm:
        if question.non_private and question.grid is not None:
            special = names_of(question.special_answers)
            return OneOf(
                GridWithSpecialAnswers(question.grid, special) if special else question.grid
            )
        return super().report_form(question)

    def parse_points(self, points: Any, question: "Question", place: str) -> Any:
        grid = question.number_grid
        if any(each.denominator != 1 for each in (grid.low, grid.step)):
            raise DefinitionError(place, "has decimals, and points need whole numbers.", "points")
        return whole_points(points, place)

    def points_between(self, points: Any, question: "Question") -> tuple[int, int]:
        low, high = question.number_grid.low, question.number_grid.high
        ends = int(low * points), int(high * points)
        return min(ends), max(ends)

    def both_conditions(self, one: Any, other: Any) -> Any:
        both = overlap(one, other)
        return both if len(both) < 2 or both["min"] <= both["max"] else None

    def are_all_covered(self, question: "Question", conditions: Sequence[Any], asked: Any) -> bool:
        # A respondent who declines meets no condition on the number.
        declines = question.offers_to_decline and asked is None
        return not declines and covers(conditions, asked or {}, question.number_grid)

    def meets_condition(self, question: "Question", stored: Stored, condition: Any) -> bool:
        grid = question.number_grid
        if int(stored) >= grid.size:
            return False
        number = float(grid.value(int(stored)))
        low, high = condition.get("min", -math.inf), condition.get("max", math.inf)
        return bool(float(low) - 1e-9 <= number <= float(high) + 1e-9)

    def report_weights(
        self, question: "Question", table: Randomizer, answer: Sequence[int]
    ) -> list[int]:
        grid, [place] = question.number_grid, answer
        levels = table.answers - len(question.special_answers)
        if place >= grid.size:
            return list(table.rows[place - grid.size + levels])
        width = grid.width(levels)
        down, up = divmod(place, width)
        if not up:
            return list(table.rows[down])
        # The page rounds down or up at random, with these weights.
        below, above = table.rows[down], table.rows[down + 1]
        return [a * (width - up) + b * up for a, b in zip(below, above, strict=True)]


def overlap(one: Mapping[str, Any], other: Mapping[str, Any]) -> dict[str, Any]:
    """The numbers in two ranges, each with `min` or `max` or both."""
    ends = {}
    for key, chosen in (("max", min), ("min", max)):
        if bounds := [each[key] for each in (one, other) if key in each]:
            ends[key] = chosen(bounds)
    return ends


def covers(ranges: Sequence[Mapping[str, Any]], whole: Mapping[str, Any], grid: Grid) -> bool:
    """Whether every value of a grid that is in the range `whole` is in one of some ranges."""
    needed = places_within(whole, grid)
    reached = needed.start
    for places in sorted((places_within(each, grid) for each in ranges), key=lambda r: r.start):
        if places.start <= reached:
            reached = max(reached, places.stop)
    return reached >= needed.stop


def places_within(bounds: Mapping[str, Any], grid: Grid) -> range:
    """The places of the values of a grid between two bounds."""

    def steps(bound: Any) -> Fraction:
        return (exact(bound, "bound") - grid.low) / grid.step

    first = max(0, math.ceil(steps(bounds["min"]))) if "min" in bounds else 0
    last = math.floor(steps(bounds["max"])) if "max" in bounds else grid.size
    return range(first, max(first, min(last + 1, grid.size)))
