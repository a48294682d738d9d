"""The largest likelihood ratio of all reports that depend on one answer.

Someone knows a respondent's other answers, and compares two values of one answer. Reports are drawn
independently of each other. So the ratio of the probabilities of all reports is the product of a
ratio for each report. Candor finds the largest product: it tries every combination of the other
answers with two values of this one. A report on which the two values have the same effect has the
ratio 1: a derived answer that is Yes anyway reveals nothing more.

Candor compares the combinations in floating point, and multiplies fractions for those that could be
the largest. The result is exact.
"""

import math
from collections.abc import Sequence
from fractions import Fraction

import numpy as np
import numpy.typing as npt

from survey.core.factored_randomizers import CLEAR, SET, Boxes, FactoredRandomizer
from survey.definition.answer_bounds.calculated_answers import (
    Answers,
    Flags,
    derive_answers,
    effective,
    who_is_asked,
)
from survey.definition.derived_answers import sources_of
from survey.definition.questions import Question

# A combination is one of all other answers, with two values of the answer in question.
MAX_COMBINATIONS = 100_000
# The largest rounding error of a sum of logarithms.
ROUNDING = 1e-9
# Rows can have as many different numbers (`different_rows`). Whole numbers of numpy go up to 2**63.
MAX_ROW_NUMBERS = 2**40

Places = npt.NDArray[np.int64]
# An answer that goes through a randomizer: its place in the list of answers, or the ticked boxes.
Effect = tuple[int, ...]


def names_behind(question: Question) -> set[str]:
    """The names of the questions that decide whether a question is asked, or what its answer is."""
    sources = () if question.derived is None else sources_of(question.derived)
    return {*question.depends_on, *sources}


def largest_ratio(
    answer: Question, reports: Sequence[Question], questions: Sequence[Question], sample: int | None
) -> Fraction | None:
    """The largest ratio of the probabilities of some reports, over two values of an answer.

    None if there are more than MAX_COMBINATIONS combinations to try.

    Parameters
    ----------
    answer : the question whose answer has two values; a derived answer is set as if it was given
    reports : private questions with finite bounds that depend on the answer. Each respondent
        reports on `sample` of all private questions, or on each of them if that is None.
    questions : all questions of the survey, in order
    """
    needed = questions_behind([answer, *reports], questions)
    given = [
        each
        for each in needed
        if each.name != answer.name and (each.derived is None or each.is_arm)
    ]
    values, others = number_of_values(answer), math.prod(map(number_of_values, given))
    if others * values**2 > MAX_COMBINATIONS:
        return None
    drawn = all_combinations([*given, answer])
    asked = answer_all(needed, drawn, others * values)
    pairs, ratios = [], []
    for report in reports:
        answers = effective(report, drawn[report.name], asked[report.name])
        effects, places = effects_of(report, answers)
        before, after = pair_places(places.reshape(others, values))
        found, each = np.unique(before * len(effects) + after, return_inverse=True)
        ratios.append(
            [
                ratio_of(report, effects[pair // len(effects)], effects[pair % len(effects)])
                for pair in found.tolist()
            ]
        )
        pairs.append(each.reshape(-1))
    return largest_product(different_rows(np.column_stack(pairs))[0], ratios, sample)


def questions_behind(wanted: Sequence[Question], questions: Sequence[Question]) -> list[Question]:
    """These questions and all on which their answers depend, in order."""
    names = {each.name for each in wanted}
    for question in reversed(questions):
        if question.name in names:
            names |= names_behind(question)
    return [each for each in questions if each.name in names]


def number_of_values(question: Question) -> int:
    """The number of answers that a respondent who is asked a question can give."""
    declined = int(question.offers_to_decline)
    if question.grid is not None:
        return question.grid.size + declined
    return question.kind.number_of_answers(len(question.choices)) + declined


def all_combinations(questions: Sequence[Question]) -> dict[str, Answers]:
    """Every combination of answers, in the form of `calculated_answers`. The last changes first."""
    sizes = [number_of_values(question) for question in questions]
    places = np.indices(sizes).reshape(len(sizes), -1)
    return {
        question.name: question.kind.answers_at(question, column)
        for question, column in zip(questions, places, strict=True)
    }


def answer_all(
    questions: Sequence[Question], drawn: dict[str, Answers], n: int
) -> dict[str, Flags]:
    """Who is asked each question. Adds the derived answers that are missing in `drawn`."""
    known = {question.name: question for question in questions}
    asked: dict[str, Flags] = {}
    for name, question in known.items():
        asked[name] = who_is_asked(question, known, drawn, asked, n)
        if name not in drawn:
            drawn[name] = derive_answers(question, known, drawn, asked)
    return asked


def effects_of(question: Question, answers: Answers) -> tuple[list[Effect], Places]:
    """The different effects that answers have on the report, and the place of each answer's."""
    found, places = different_rows(answers.reshape(len(answers), -1))
    return [tuple(row) for row in found.tolist()], places


def different_rows(rows: Answers) -> tuple[Answers, Places]:
    """The different rows of whole numbers, and the place of each row among them.

    It numbers the rows by one column after the other. `np.unique` with an axis sorts whole rows,
    which takes many times as long.
    """
    numbers, count = np.zeros(len(rows), dtype=np.int64), 1
    for column in rows.T.astype(np.int64):
        places = column - column.min()
        width = int(places.max()) + 1
        if count * width > MAX_ROW_NUMBERS:
            found, numbers = np.unique(numbers, return_inverse=True)
            count = len(found)
        numbers, count = numbers * width + places, count * width
    _, first, places = np.unique(numbers, return_index=True, return_inverse=True)
    return rows[first], places


def pair_places(places: Places) -> tuple[Places, Places]:
    """Every pair of two columns, for each row: those of the first values, and of the second."""
    values = places.shape[1]
    first, second = np.indices((values, values)).reshape(2, -1)
    return places[:, first].reshape(-1), places[:, second].reshape(-1)


def ratio_of(question: Question, one: Effect, other: Effect) -> Fraction:
    """The largest ratio of the probabilities of a report, over two answers."""
    randomizer = question.randomizer
    if one == other or randomizer is None:
        return Fraction(1)
    if isinstance(randomizer, Boxes):
        return ratio_of_boxes(randomizer, one, other)
    if isinstance(randomizer, FactoredRandomizer):
        # Every two answers of the other factored randomizers have the same ratio.
        return randomizer.ratio_bound or Fraction(1)
    rows = [report_weights(question, effect) for effect in (one, other)]
    most, least = 0, 1
    for a, b in zip(*rows, strict=True):
        # Comparing products of whole numbers is faster than comparing fractions.
        if a * least > most * b:
            most, least = a, b
    return Fraction(most * sum(rows[1]), least * sum(rows[0]))


def report_weights(question: Question, effect: Effect) -> list[int]:
    """Whole numbers in proportion to the probabilities of each report to an answer."""
    if question.table is None:
        raise TypeError(f"{question.name} has no table.")
    return question.kind.report_weights(question, question.table, effect)


def ratio_of_boxes(randomizer: Boxes, one: Effect, other: Effect) -> Fraction:
    """The ratio of a sample of boxes that contains those with the largest ratios."""
    ratio = [
        Fraction(a, b) for a, b in zip(randomizer.rows[SET], randomizer.rows[CLEAR], strict=True)
    ]
    ratios = {(1, 0): max(ratio), (0, 1): max(1 / each for each in ratio)}
    each = [ratios[pair] for pair in zip(one, other, strict=True) if pair in ratios]
    return math.prod(sorted(each, reverse=True)[: randomizer.sample], start=Fraction(1))


def largest_product(
    combinations: Places, ratios: Sequence[Sequence[Fraction]], sample: int | None
) -> Fraction:
    """The largest product of one ratio for each report, with the `sample` largest of each.

    Parameters
    ----------
    combinations : int, shape (combinations, reports): the place in `ratios` for each report
    """
    every = sorted({ratio for each in ratios for ratio in each})
    place = {ratio: at for at, ratio in enumerate(every)}
    ranks = np.column_stack(
        [
            np.array([place[ratio] for ratio in each])[column]
            for each, column in zip(ratios, combinations.T, strict=True)
        ]
    )
    # The ratios are in ascending order, so the last places of each row are the largest.
    largest = np.sort(ranks, axis=1)[:, -(sample or ranks.shape[1]) :]
    reported, _ = different_rows(largest)
    logarithms = np.array([math.log(r.numerator) - math.log(r.denominator) for r in every])
    sums = logarithms[reported].sum(axis=1)
    candidates = reported[sums >= sums.max() - ROUNDING]
    products = [
        math.prod((every[at] for at in row), start=Fraction(1)) for row in candidates.tolist()
    ]
    return max(products)
