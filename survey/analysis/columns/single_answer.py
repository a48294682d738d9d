"""Columns of questions with one answer: reported by a table or by bits, or non-private."""

from collections.abc import Callable, Iterable, Sequence
from fractions import Fraction

import numpy as np

from survey.analysis.columns.variables import MISSING, AnalysisColumn, Codes
from survey.analysis.types import ANALYSIS
from survey.core.errors import UnanswerableQuestion
from survey.core.factored_randomizers import OneHot, SubsetSelection, UnaryEncoding
from survey.core.number_grid import Grid
from survey.core.randomizer import Randomizer
from survey.core.scores import Array, probabilities, unbiased_scores
from survey.definition.choices import Choice, with_unit
from survey.definition.questions import Question
from survey.definition.report_formats import Stored
from survey.estimation.mean_estimates import rounding_adds
from survey.estimation.types.number import with_thousands

# Beyond this many different values, a non-private number has no table.
MAX_TABLED_VALUES = 1_000


def single_column(question: Question, stored: Sequence[Stored | None]) -> AnalysisColumn:
    """The column of a yes/no question, a choice, a scale or a number."""
    if question.one_hot is not None:
        return column_of_bits(question, question.one_hot, stored)
    if question.non_private and question.grid is not None:
        return column_of_numbers(question, stored)
    if question.table is None:
        k = len(question.answers)
        return column(
            question,
            np.eye(k),
            np.eye(k),
            report_codes(stored),
            shown_labels(question, question.answers),
        )
    return column(
        question,
        probabilities(question.table),
        scores_or_none(question.table, np.eye(question.table.answers)),
        report_codes(stored),
        shown_labels(question, question.reports),
        lambda target: scores_or_none(question.table, target),
    )


def column(
    question: Question,
    chances: Array,
    scores: Array | None,
    reports: Codes,
    names: Sequence[str],
    score: Callable[[Array], Array | None] | None = None,
    all_listed: bool = True,
) -> AnalysisColumn:
    """A column with all of a question's answers.

    `score` gives the scores of a target, shape (k, 1), if they are not simply `scores` times it.
    """
    values = answer_values(question)
    value_scores = None
    if values is not None:
        target = np.nan_to_num(values)[:, np.newaxis]
        target_scores = None if scores is None else scores @ target
        if score is not None:
            target_scores = score(target)
        value_scores = None if target_scores is None else target_scores[:, 0]
    return AnalysisColumn(
        name=question.name,
        label=question.label,
        answers=shown_labels(question, question.answers),
        values=values,
        chances=chances,
        scores=scores,
        value_scores=value_scores,
        reports=reports,
        private=not question.non_private,
        ordered=values is not None,
        special_answers=len(question.special_answers),
        report_names=tuple(names),
        draw=question.name,
        rounding=rounding_of(question),
        all_listed=all_listed,
    )


def rounding_of(question: Question) -> float:
    """The variance that random rounding to the levels of a number adds."""
    grid, levels = question.grid, question.levels
    if grid is None or levels is None or levels.step == grid.step:
        return 0.0
    return rounding_adds(float(levels.step), float(grid.step))[0]


def labels(choices: Iterable[Choice]) -> tuple[str, ...]:
    return tuple(choice.label for choice in choices)


def shown_labels(question: Question, choices: Iterable[Choice]) -> tuple[str, ...]:
    """Answers or reports as they are shown: numbers with the signs of the page's language."""
    grid = question.grid
    if grid is None:
        return labels(choices)
    return tuple(
        number_label(Fraction(choice.name), grid)
        if choice.label == with_unit(choice.name, grid)
        else choice.label
        for choice in choices
    )


def number_label(value: Fraction, grid: Grid) -> str:
    """A number with the unit of its grid and the signs of the page's language: 1,500 kg."""
    return with_unit(with_thousands(value), grid).replace("-", "−", 1 if value < 0 else 0)


def answer_values(question: Question) -> Array | None:
    """The value of each answer to a scale or a private number; NaN for special answers."""
    own = ANALYSIS[question].values()
    if own is None:
        return None
    return np.append(own, np.full(len(question.special_answers), np.nan))


def scores_or_none(table: Randomizer | None, target: Array) -> Array | None:
    """Unbiased scores, or None if the reports do not determine the target."""
    if table is None:
        return target
    try:
        return unbiased_scores(table, target)
    except UnanswerableQuestion:
        return None


def report_codes(stored: Sequence[Stored | None]) -> Codes:
    """Reports that are stored as integers, as codes."""
    return np.fromiter(
        (MISSING if report is None else report for report in stored), np.int64, len(stored)
    )


def distinct(stored: Sequence[Stored | None]) -> tuple[list[str], Codes]:
    """The texts that occur, sorted, and the place of each response's text among them."""
    texts = sorted(str(report) for report in set(stored) if report is not None)
    codes: dict[Stored | None, int] = {text: code for code, text in enumerate(texts)}
    codes[None] = MISSING
    return texts, np.fromiter(map(codes.__getitem__, stored), np.int64, len(stored))


def column_of_numbers(question: Question, stored: Sequence[Stored | None]) -> AnalysisColumn:
    """A non-private number. Its answers are the values that occur, then the special answers."""
    grid, special_answers = question.number_grid, question.special_answers
    reports = report_codes(stored)
    came = np.unique(reports[(reports >= 0) & (reports < grid.size)])
    codes = np.where(
        reports < grid.size,
        np.searchsorted(came, reports),
        reports - grid.size + len(came),
    )
    codes[reports < 0] = MISSING
    answers = (
        *(number_label(grid.value(int(place)), grid) for place in came),
        *labels(special_answers),
    )
    numbers = float(grid.low) + came * float(grid.step)
    k = len(came) + len(special_answers)
    tabled = k <= MAX_TABLED_VALUES
    return AnalysisColumn(
        name=question.name,
        label=question.label,
        answers=answers,
        values=np.append(numbers, np.full(len(special_answers), np.nan)),
        chances=np.eye(k) if tabled else np.empty((k, 0)),
        scores=np.eye(k) if tabled else None,
        value_scores=np.append(numbers, np.zeros(len(special_answers))),
        reports=codes,
        private=False,
        ordered=True,
        special_answers=len(special_answers),
        report_names=answers,
        draw=question.name,
        all_listed=False,
        span=(float(grid.low), float(grid.high)),
    )


def column_of_bits(
    question: Question, randomizer: OneHot, stored: Sequence[Stored | None]
) -> AnalysisColumn:
    """A choice whose reports have one bit for each answer, with a code for each report that occurs.

    Notes
    -----
    The scores are (b_j - q) / (p - q), as in `share_estimates.estimate_one_hot`. The score of a
    value is c (1 - e) + sum over j of (v_j - c) s_j. Here c is the middle of the values, and e the
    sum of the scores of the special answers. This has less variance than sum over j of v_j s_j.
    """
    texts, reports = distinct(stored)
    bits = bits_of(texts, randomizer.answers)
    p, q = float(randomizer.p), float(randomizer.q)
    scores = (bits - q) / (p - q)
    listed = len(question.choices)

    def score(target: Array) -> Array:
        middle = (target[:listed].max() + target[:listed].min()) / 2
        listed_scores = 1 - scores[:, listed:].sum(axis=1, keepdims=True)
        return np.asarray(middle * listed_scores + scores[:, :listed] @ (target[:listed] - middle))

    chances = chances_of_bits(randomizer, bits)
    return column(question, chances, scores, reports, texts, score, all_listed=False)


def bits_of(texts: Iterable[str], width: int) -> Array:
    """Texts of 0 and 1 as an array, shape (texts, width)."""
    joined = "".join(texts)
    marks = np.frombuffer(joined.encode(), dtype=np.uint8).reshape(-1, width)
    return np.asarray(marks == ord("1"), dtype=np.float64)


def chances_of_bits(randomizer: OneHot, bits: Array) -> Array:
    """Pr(bits | answer), shape (answers, reports), for reports of shape (reports, answers)."""
    if isinstance(randomizer, SubsetSelection):
        holds, lacks = (
            float(Fraction(each, randomizer.weight)) for each in (randomizer.near, randomizer.far)
        )
        return np.where(bits.T == 1, holds, lacks)
    if isinstance(randomizer, UnaryEncoding):
        own, other = bernoulli(float(randomizer.p), bits), bernoulli(float(randomizer.q), bits)
        # Multiply the other bits before and after each one, because division fails at zero.
        before = np.cumprod(other[:, :-1], axis=1)
        after = np.cumprod(other[:, :0:-1], axis=1)[:, ::-1]
        own[:, 1:] *= before
        own[:, :-1] *= after
        return np.asarray(own.T)
    raise TypeError(f"There are no chances of {type(randomizer).__name__}.")


def bernoulli(chance: float, bits: Array) -> Array:
    return np.where(bits == 1, chance, 1 - chance)
