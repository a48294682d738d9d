"""Requests for central DP releases: the statistics of each question, and parsing of a request."""

import json
import math
from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass, fields
from enum import StrEnum
from fractions import Fraction
from typing import Any

from survey.central_dp.types import ANSWER_STATISTICS
from survey.core.errors import MechanismError, ReleaseError
from survey.core.exact_numbers import exact
from survey.core.number_grid import Grid, decimal_text
from survey.core.translate import later
from survey.definition.questions import Question
from survey.definition.survey import Survey


class Statistic(StrEnum):
    """The statistics that can be released. Requests and pages use the value as text."""

    COUNT = "count"
    HISTOGRAM = "histogram"
    SUM = "sum"
    MEAN = "mean"
    VARIANCE = "variance"
    MEDIAN = "median"
    QUANTILE = "quantile"
    MINIMUM = "minimum"
    MAXIMUM = "maximum"
    MODE = "mode"
    TREE = "tree"
    CURVE = "clipped_sums"


STATISTICS = {
    Statistic.COUNT.value: later("Count"),
    Statistic.HISTOGRAM.value: later("Histogram"),
    Statistic.SUM.value: later("Sum"),
    Statistic.MEAN.value: later("Mean"),
    Statistic.VARIANCE.value: later("Variance"),
    Statistic.MEDIAN.value: later("Median"),
    Statistic.QUANTILE.value: later("Quantile"),
    Statistic.MINIMUM.value: later("Minimum"),
    Statistic.MAXIMUM.value: later("Maximum"),
    Statistic.MODE.value: later("Mode"),
    Statistic.TREE.value: later("Decision tree"),
    Statistic.CURVE.value: later("Sums for several upper bounds"),
}
LAPLACE = "laplace"
GAUSSIAN = "gaussian"
EXPONENTIAL = "exponential"
EXPONENTIAL_AND_LAPLACE = "exponential_and_laplace"  # selected splits, counts with noise
MECHANISMS = {
    LAPLACE: later("Laplace"),
    GAUSSIAN: later("Gaussian"),
    # Requests store the name of the mechanism from which permute-and-flip comes.
    EXPONENTIAL: later("permute-and-flip"),
    EXPONENTIAL_AND_LAPLACE: later("permute-and-flip and Laplace"),
}
ORDERED = (Statistic.MEDIAN, Statistic.QUANTILE, Statistic.MINIMUM, Statistic.MAXIMUM)
SELECTED = (*ORDERED, Statistic.MODE)  # selections of one candidate, without added noise
SUMS = (Statistic.COUNT, Statistic.HISTOGRAM, Statistic.SUM, Statistic.MEAN, Statistic.VARIANCE)
UNBOUNDED = (Statistic.COUNT, Statistic.MODE, Statistic.TREE)  # no bounds for numbers
MAX_BINS = 50
DEFAULT_BINS = 10
MAX_MODE_VALUES = 1_000
MAX_TREE_DEPTH = 4
DEFAULT_TREE_DEPTH = 2
MAX_TREE_LEAVES = 256
# The scores by which a tree selects a split. The first is the default, so requests store no name.
CORRECT = "correct"
GAIN = "gain"
TREE_SCORES = {CORRECT: later("correct predictions"), GAIN: later("information gain")}
MIN_RELEASE_EPSILON = Fraction(1, 1000)
MAX_RELEASE_EPSILON = Fraction(100)
MAX_RELEASE_DELTA = Fraction(1, 1000)
LOSS_LETTERS = {"epsilon": "ε", "delta": "δ"}
EVERYONE = ""  # the answer of a count that stands for any answer


@dataclass(frozen=True, kw_only=True)
class Request:
    """A statistic to release. Numbers are exact decimals as text; unused fields are empty.

    Attributes
    ----------
    answer : for a count, the name of the counted answer, or EVERYONE
    low, high : the bounds to which numbers are clipped, as values of the question's range
    bins : for a number's histogram, the number of bins between the bounds; else 0
    percent : for a quantile, the percentage of answers below it; else 0
    by, depth : for a tree, the names of the non-private questions that it may use, separated by
        spaces, and the maximum number in a row; else empty and 0
    group, member : the non-private question and the answer that select respondents, or empty
    score : for a tree, GAIN, or empty for CORRECT; else empty
    """

    statistic: str
    question: str
    mechanism: str
    epsilon: str
    delta: str = "0"
    answer: str = EVERYONE
    low: str = ""
    high: str = ""
    bins: int = 0
    percent: int = 0
    by: str = ""
    depth: int = 0
    group: str = ""
    member: str = ""
    score: str = ""

    @property
    def loss(self) -> tuple[Fraction, Fraction]:
        """Epsilon and delta, exactly."""
        return Fraction(self.epsilon), Fraction(self.delta)

    def to_json(self) -> str:
        """The canonical text: equal requests have equal texts.

        Defaults are omitted, so that a new field does not change stored requests.
        """
        defaults = {each.name: each.default for each in fields(self)}
        own = {name: value for name, value in asdict(self).items() if value != defaults[name]}
        return json.dumps(own, sort_keys=True, separators=(",", ":"), ensure_ascii=False)

    @classmethod
    def from_json(cls, text: str) -> "Request":
        return cls(**json.loads(text))


def available_statistics(question: Question) -> tuple[str, ...]:
    """The statistics of a question; none if it is private."""
    if not question.non_private:
        return ()
    return ANSWER_STATISTICS[question].offered_statistics()


def has_bounds(question: Question, statistic: str) -> bool:
    """Whether numbers are clipped for this statistic."""
    return question.grid is not None and statistic not in UNBOUNDED


def mechanisms_for(statistic: str) -> tuple[str, ...]:
    if statistic == Statistic.TREE:
        return (EXPONENTIAL_AND_LAPLACE,)
    return (EXPONENTIAL,) if statistic in SELECTED else (LAPLACE, GAUSSIAN)


def question_of(survey: Survey, name: str) -> Question:
    """The non-private question of this name. Raises ReleaseError."""
    for question in survey.fields:
        if question.name == name and question.non_private:
            return question
    raise ReleaseError(
        "question", "There is no non-private question '%(name)s'. Check its name.", name=name[:63]
    )


def groupings(survey: Survey, besides: str) -> list[Question]:
    """The non-private questions whose answers define groups of respondents."""
    return [question for question in survey.groupings if question.name != besides]


def tree_questions(survey: Survey, besides: str) -> list[Question]:
    """The non-private questions by which a tree may split: those of `groupings`, and numbers."""
    return [
        question
        for question in survey.fields
        if question.name != besides
        and (question in survey.groupings or (question.non_private and question.grid is not None))
    ]


def read_request(survey: Survey, typed: Mapping[str, str]) -> Request:
    """A request from a form or a command. Fields that the statistic does not use are ignored.

    Parameters
    ----------
    typed : texts by the names of Request's fields; missing ones are empty

    Raises ReleaseError with the wrong field.
    """
    text = {name: str(value or "").strip() for name, value in typed.items()}
    question = question_of(survey, text.get("question", ""))
    statistic = text.get("statistic", "")
    if statistic not in available_statistics(question):
        choices = ", ".join(available_statistics(question))
        raise ReleaseError(
            "statistic",
            "'%(question)s' does not have this statistic. Choose one of %(statistics)s.",
            question=question.name,
            statistics=choices,
        )
    mechanism = text.get("mechanism") or mechanisms_for(statistic)[0]
    if mechanism not in mechanisms_for(statistic):
        raise ReleaseError(
            "mechanism",
            "The statistic “%(statistic)s” needs another mechanism. Choose one of %(mechanisms)s.",
            statistic=statistic,
            mechanisms=", ".join(mechanisms_for(statistic)),
        )
    epsilon = parse_loss(
        text.get("epsilon", ""), "epsilon", MIN_RELEASE_EPSILON, MAX_RELEASE_EPSILON
    )
    delta = "0"
    if mechanism == GAUSSIAN:
        delta = parse_loss(text.get("delta", ""), "delta", Fraction(1, 10**12), MAX_RELEASE_DELTA)
    more = number_fields(question, statistic, text)
    if statistic == Statistic.COUNT:
        more["answer"] = counted_answer(question, text.get("answer", EVERYONE))
    if statistic == Statistic.TREE:
        more |= tree_fields(survey, question, text)
    if text.get("group"):
        more |= group_fields(survey, question, text)
    return Request(
        statistic=statistic,
        question=question.name,
        mechanism=mechanism,
        epsilon=epsilon,
        delta=delta,
        **more,
    )


def number_fields(question: Question, statistic: str, text: Mapping[str, str]) -> dict[str, Any]:
    """The bounds of a number, the number of bins, and the percentage of a quantile."""
    more: dict[str, Any] = {}
    if has_bounds(question, statistic):
        grid = question.number_grid
        low, high = bound_places(grid, text.get("low", ""), text.get("high", ""))
        more |= {"low": grid[low], "high": grid[high]}
        if statistic == Statistic.HISTOGRAM:
            most = min(MAX_BINS, high - low + 1)
            bins = text.get("bins") or str(min(DEFAULT_BINS, most))
            more["bins"] = parse_whole_number(bins, "bins", 1, most)
    if statistic == Statistic.QUANTILE:
        more["percent"] = parse_whole_number(text.get("percent", ""), "percent", 1, 99)
    return more


def counted_answer(question: Question, answer: str) -> str:
    """The answer that a count uses, if the question has it. Raises ReleaseError."""
    if answer in dict(ANSWER_STATISTICS[question].countable()):
        return answer
    raise ReleaseError(
        "answer",
        "'%(question)s' has no answer '%(answer)s'. Choose one of its answers.",
        question=question.name,
        answer=answer[:63],
    )


def group_fields(survey: Survey, question: Question, text: Mapping[str, str]) -> dict[str, Any]:
    """The question and the answer that select respondents. Raises ReleaseError."""
    group = next((q for q in groupings(survey, question.name) if q.name == text["group"]), None)
    if group is None:
        raise ReleaseError("group", "Choose a non-private yes/no, single-choice or scale question.")
    if text.get("member", "") not in {each.name for each in group.answers}:
        raise ReleaseError("member", "Choose an answer to '%(question)s'.", question=group.name)
    return {"group": group.name, "member": text["member"]}


def tree_fields(survey: Survey, question: Question, text: Mapping[str, str]) -> dict[str, Any]:
    """The questions that a tree may use, in the order of the survey, its depth and its score."""
    named = set(text.get("by", "").split())
    split_questions = [each for each in tree_questions(survey, question.name) if each.name in named]
    if not split_questions or len(split_questions) < len(named):
        raise ReleaseError(
            "by", "Choose non-private yes/no, single-choice, scale or number questions."
        )
    depth = parse_whole_number(
        text.get("depth") or str(DEFAULT_TREE_DEPTH), "depth", 1, MAX_TREE_DEPTH
    )
    # A number may split several nodes on a path.
    if not any(each.grid is not None for each in split_questions):
        depth = min(depth, len(split_questions))
    if max_leaves(split_questions, depth) > MAX_TREE_LEAVES:
        raise ReleaseError(
            "depth",
            "The tree could have more than %(most)s leaves. Use fewer levels.",
            most=MAX_TREE_LEAVES,
        )
    score = text.get("score") or CORRECT
    if score not in TREE_SCORES:
        raise ReleaseError(
            "score", "Choose one of the scores %(scores)s.", scores=", ".join(TREE_SCORES)
        )
    by = " ".join(each.name for each in split_questions)
    return {"by": by, "depth": depth, "score": "" if score == CORRECT else score}


def max_leaves(split_questions: Sequence[Question], depth: int) -> int:
    """The maximum number of leaves. A split of a number has two branches and special answers."""
    arities = []
    for question in split_questions:
        if question.grid is not None:
            arities += [2 + len(question.special_answers)] * depth
        else:
            arities.append(len(question.answers))
    return math.prod(sorted(arities, reverse=True)[:depth])


def parse_loss(typed: str, field: str, least: Fraction, most: Fraction) -> str:
    """An epsilon or a delta as an exact decimal with at most twelve places. Raises ReleaseError."""
    try:
        value = exact(typed, field)
    except MechanismError:
        value = least - 1
    if not least <= value <= most or (value * 10**12).denominator != 1:
        raise ReleaseError(
            field,
            "Type a decimal number for %(letter)s, from %(low)s to %(high)s.",
            letter=LOSS_LETTERS[field],
            low=decimal_text(least),
            high=decimal_text(most),
        )
    return decimal_text(value)


def parse_whole_number(typed: str, field: str, least: int, most: int) -> int:
    if not (typed.isascii() and typed.isdigit() and len(typed) < 9 and least <= int(typed) <= most):
        raise ReleaseError(
            field, "Type a whole number from %(low)s to %(high)s.", low=least, high=most
        )
    return int(typed)


def request_bounds(question: Question, request: Request) -> tuple[int, int]:
    """The places of a request's bounds on the grid of the number."""
    return bound_places(question.number_grid, request.low, request.high)


def bound_places(grid: Grid, low: str, high: str) -> tuple[int, int]:
    """The places of the bounds on the question's grid; its ends if a bound is empty."""
    places = []
    for field, typed, otherwise in (("low", low, 0), ("high", high, grid.size - 1)):
        try:
            places.append(grid.index(typed) if typed else otherwise)
        except ValueError:
            raise ReleaseError(
                field,
                "Type one of the question’s values, from %(low)s to %(high)s in steps of %(step)s.",
                low=grid[0],
                high=grid[grid.size - 1],
                step=decimal_text(grid.step),
            ) from None
    if places[0] >= places[1]:
        raise ReleaseError("high", "The upper bound must be above the lower one.")
    return places[0], places[1]
