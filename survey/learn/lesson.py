"""What a lesson is: its controls, its calculation, its exercises and its notebook.

A lesson is a module of `lessons/` with a class that derives from `Lesson`. The calculation takes
the values of the controls and returns numbers, sentences and pictures. It stores nothing. Random
draws are repeatable: the number of the draw is in the address.
"""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from decimal import Decimal
from typing import Any, ClassVar

import numpy as np

from survey.charts.svg import Chart
from survey.core.translate import later, translate, translate_constant
from survey.learn.controls import Control, ValueRefused, Values, read_answer, write_plain

# Which tables are neighbours: one person's data differ, or one table has one more person.
BY_CHANGE = "change"
BY_ADDING = "adding"
# The largest relative difference of a rounded answer from the solution.
MAX_ROUNDING = 0.02
# The unit of an answer that is a difference of shares.
POINTS = later("percentage points")


@dataclass(frozen=True)
class Figure:
    """A number of a lesson with its label, both as text. `formula` says where it comes from."""

    label: str
    number: str
    formula: str = ""


@dataclass(frozen=True)
class LessonPicture:
    """A chart with the sentence that describes it to people who do not see it."""

    chart: Chart
    description: str
    title: str = ""


@dataclass(frozen=True, kw_only=True)
class Shown:
    """What a lesson shows for the values of its controls.

    Attributes
    ----------
    sentence : the main result in one or two sentences
    figures : numbers with labels
    pictures : at least one chart
    numbers : the same numbers unrounded, which the notebook calculates again
    more : whatever else the template of the lesson prints
    """

    sentence: str
    figures: Sequence[Figure]
    pictures: Sequence[LessonPicture]
    numbers: Mapping[str, float]
    more: Mapping[str, Any] = field(default_factory=dict)


@dataclass(frozen=True, kw_only=True)
class Exercise:
    """A question whose answer is a number.

    Attributes
    ----------
    name : the name in the address, after "answer-"
    question, hint, explanation : English sentences that `later` marked. The hint follows a wrong
        answer, the explanation a right one.
    solution : calculates the right answer with the code of Candor
    tolerance : the largest difference that still counts as right
    unit : follows the field, such as "%"
    """

    name: str
    question: str
    hint: str
    explanation: str
    solution: Callable[[], float]
    tolerance: float
    unit: str = ""

    @property
    def field(self) -> str:
        return f"answer-{self.name}"


@dataclass(frozen=True)
class Reply:
    """The typed answer to an exercise, whether it is right, and what the page says about it."""

    typed: str = ""
    right: bool = False
    sentence: str = ""


def is_right(number: Decimal, solution: float, tolerance: float) -> bool:
    """Whether an answer is within the tolerance, or is the rounded solution.

    The rounded solution may differ from the solution by at most 2 %.
    """
    difference = abs(float(number) - solution)
    if difference <= tolerance:
        return True
    rounded = round(solution, decimals_in(number))
    return difference <= MAX_ROUNDING * abs(solution) and float(number) == rounded


def decimals_in(number: Decimal) -> int:
    exponent = number.as_tuple().exponent
    return max(0, -exponent) if isinstance(exponent, int) else 0


def check_answer(exercise: Exercise, typed: str) -> Reply:
    """The reply to an answer. An empty answer has an empty reply."""
    if not typed.strip():
        return Reply()
    try:
        numbers = read_answer(typed, exercise.unit)
    except ValueRefused:
        return Reply(typed, False, translate("Type a number, such as 12.5."))
    solution = exercise.solution()
    if any(is_right(each, solution, exercise.tolerance) for each in numbers):
        return Reply(typed, True, translate_constant(exercise.explanation))
    in_percent = "%" in write_plain(typed)
    mistakes = (name_mistake(exercise, solution, each, in_percent) for each in numbers)
    hint = next(filter(None, mistakes), translate_constant(exercise.hint))
    return Reply(typed, False, hint)


def name_mistake(exercise: Exercise, solution: float, number: Decimal, in_percent: bool) -> str:
    """What is wrong with an answer, if its sign, unit or number of digits is; else empty."""
    if is_right(-number, solution, exercise.tolerance):
        return translate("Almost. Check the sign.")
    if is_right(100 * number, solution, exercise.tolerance) and not in_percent:
        if exercise.unit == "%":
            return translate("Almost. Write the answer in percent.")
        if exercise.unit == POINTS:
            return translate("Almost. Write the answer in percentage points.")
    if not exercise.unit and is_right(number / 100, solution, exercise.tolerance):
        return translate("Almost. Your number is 100 times the answer.")
    if number and float(number) == round(solution, decimals_in(number)):
        return translate("Almost. Write more digits.")
    return ""


@dataclass(frozen=True)
class Cell:
    """A cell of a notebook: text in Markdown, or Python."""

    source: str
    code: bool = True


class Lesson:
    """The base of all lessons.

    Attributes
    ----------
    address : the end of the page's address, and the name of its template
    title, idea : English texts that `later` marked; the idea is one sentence
    controls : in the order of the page
    exercises : at least three
    neighbours : BY_CHANGE, BY_ADDING, both, or none where ε is not about tables. The lesson on the
        definition lists them.
    """

    address: ClassVar[str]
    title: ClassVar[str]
    idea: ClassVar[str]
    controls: ClassVar[tuple[Control, ...]] = ()
    exercises: ClassVar[tuple[Exercise, ...]] = ()
    neighbours: ClassVar[tuple[str, ...]] = ()

    def show(self, values: Values) -> Shown:
        """The numbers, sentences and pictures for these values, in the language of the page."""
        raise NotImplementedError

    def generator(self, values: Values) -> np.random.Generator:
        """The random numbers of a draw. They are for lessons, and protect nobody's answer."""
        return np.random.default_rng([values.whole("draw"), *self.address.encode()])

    def generator_source(self, values: Values) -> str:
        """A line of a notebook that makes the same random numbers."""
        return f"generator = np.random.default_rng([{values.whole('draw')}, *b{self.address!r}])\n"

    def notebook(self, values: Values) -> Sequence[Cell]:
        """Cells that calculate the page's numbers with Python and NumPy alone.

        The last cell assigns the numbers of `Shown.numbers` to the name `numbers`.
        """
        raise NotImplementedError
