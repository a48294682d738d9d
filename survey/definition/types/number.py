"""Number: a typed value of a grid."""

import math
from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any

from survey.core.errors import DefinitionError, MechanismError
from survey.core.mechanisms import NUMBERS
from survey.core.number_grid import Grid, decimal, decimal_text, json_number
from survey.core.translate import later
from survey.definition.choices import (
    Choice,
    GridWithSpecialAnswers,
    names_of,
    parse_text,
    with_unit,
)
from survey.definition.report_formats import OneOf, ReportForm, Stored
from survey.definition.types.registry import DERIVABLE, Answers, QuestionType, question_type

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

    def meets(self, question: "Question", stored: Stored, condition: Any) -> bool:
        grid = question.number_grid
        if int(stored) >= grid.size:
            return False
        number = float(grid.value(int(stored)))
        low, high = condition.get("min", -math.inf), condition.get("max", math.inf)
        return bool(float(low) - 1e-9 <= number <= float(high) + 1e-9)

    def report_weights(self, question: "Question", effect: Sequence[int]) -> list[int]:
        (place,), grid, rows = effect, question.number_grid, question.rows
        levels = len(rows) - len(question.special_answers)
        if place >= grid.size:
            return list(rows[place - grid.size + levels])
        width = grid.width(levels)
        down, up = divmod(place, width)
        if not up:
            return list(rows[down])
        # The page rounds down or up at random, with these weights.
        return [a * (width - up) + b * up for a, b in zip(rows[down], rows[down + 1], strict=True)]

    def ends_of_points(self, points: Any, question: "Question") -> tuple[int, int]:
        grid = question.number_grid
        one, other = int(grid.low * points), int(grid.high * points)
        return min(one, other), max(one, other)

    def derived_outcome(self) -> str:
        return ""

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
