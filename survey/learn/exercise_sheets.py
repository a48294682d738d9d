"""Sheets to print: the exercises of all lessons, without and with their answers.

A sheet has the same exercises as the lessons, in their order. An answer on it is calculated by the
code that checks the answers of readers, and the lesson accepts it.
"""

import math
from collections.abc import Sequence
from dataclasses import dataclass
from itertools import takewhile

from survey.core.translate import later, translate_constant, translate_number
from survey.learn.lesson import Exercise, Lesson

# Significant digits of an answer that is not a whole number.
DIGITS = 3
# A solution that differs from a whole number by less is one, but for rounding.
ROUNDING = 1e-9
# Explanations begin with this word, because they follow a right answer. A sheet leaves it out.
RIGHT = later("Right:")
# A formula that begins with one of these keeps its small letter.
FUNCTIONS = ("ln", "exp", "log")


@dataclass(frozen=True)
class PrintedExercise:
    """An exercise on a sheet, in the language of the page.

    `answer` is a number with its unit, and `explanation` says how to calculate it.
    """

    question: str
    unit: str
    answer: str
    explanation: str


@dataclass(frozen=True)
class SheetPart:
    """The exercises of one lesson."""

    lesson: Lesson
    exercises: Sequence[PrintedExercise]


def sheet_parts(lessons: Sequence[Lesson]) -> list[SheetPart]:
    """The exercises of these lessons in their order, in the language of the page."""
    return [
        SheetPart(lesson, [print_exercise(exercise) for exercise in lesson.exercises])
        for lesson in lessons
        if lesson.exercises
    ]


def print_exercise(exercise: Exercise) -> PrintedExercise:
    explanation = translate_constant(exercise.explanation)
    return PrintedExercise(
        translate_constant(exercise.question),
        unit_text(exercise),
        answer_text(exercise),
        begin_with_capital(explanation.removeprefix(translate_constant(RIGHT)).strip()),
    )


def begin_with_capital(text: str) -> str:
    """The text with a large first letter, if it begins with a word and not with a formula."""
    word = "".join(takewhile(str.isalpha, text))
    if len(word) > 1 and word not in FUNCTIONS:
        return text[0].upper() + text[1:]
    return text


def unit_text(exercise: Exercise) -> str:
    """The unit that follows a number, in the language of the page; "" without one."""
    if exercise.unit == "%":
        return translate_number("1 %").removeprefix("1").strip()
    return translate_constant(exercise.unit)


def answer_text(exercise: Exercise) -> str:
    """The answer with its unit, in the language of the page."""
    number = solution_text(exercise.solution())
    if exercise.unit == "%":
        return translate_number(f"{number} %")
    return f"{translate_number(number)} {translate_constant(exercise.unit)}".strip()


def solution_text(solution: float) -> str:
    """A whole number as it is, and every other one with at most three significant digits.

    Zeros at its end say that it is rounded: 0.25 is exact, and 3.00 is not.
    """
    if abs(solution - round(solution)) <= ROUNDING * max(1.0, abs(solution)):
        text = f"{round(solution):,}"
    else:
        decimals = max(0, DIGITS - 1 - math.floor(math.log10(abs(solution))))
        text = f"{solution:,.{decimals}f}"
        if abs(float(text.replace(",", "")) - solution) <= ROUNDING:
            text = text.rstrip("0")
    return text.replace("-", "−")
