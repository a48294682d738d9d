"""Statistics that are sums over respondents: what each adds, and how much that can be at most.

All of them are sums of whole numbers, so that noise of whole numbers is added to them, exactly.
Numbers are counted in steps of their grid, from the middle of the bounds and twice, so that the
middle is a whole number too: y = 2 place - (low + high), from -width to width.
"""

import math
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import pairwise

from survey.central_dp.dp_request import EVERYONE, Request, Statistic, question_of, request_bounds
from survey.definition.choices import Choice, with_unit
from survey.definition.questions import Question
from survey.definition.report_formats import Stored
from survey.definition.survey import Survey

CURVE_BOUNDS = 10
Answers = Mapping[Stored, int]  # how many respondents gave each answer, as it is stored


@dataclass(frozen=True)
class BoundedSum:
    """A vector that is released at once, as the sum of what each respondent adds.

    Attributes
    ----------
    name : what it is
    of : what a respondent with this stored answer adds, a vector of `size` whole numbers
    l1, l2 : the most that one respondent changes the sum by, in that norm
    """

    name: str
    size: int
    of: Callable[[Stored], Sequence[int]]
    l1: int
    l2: float

    def sum_of(self, answers: Answers) -> list[int]:
        total = [0] * self.size
        for stored, times in answers.items():
            for place, amount in enumerate(self.of(stored)):
                total[place] += times * amount
        return total


def scalar_sum(name: str, of: Callable[[Stored], int], most: int) -> BoundedSum:
    return BoundedSum(name, 1, lambda stored: (of(stored),), most, float(most))


def numeric_place(question: Question, stored: Stored) -> int | None:
    """The place of a number on its grid, or of a choice on its scale; None where none is given."""
    if not question.kind.has_mean:
        return None
    size = question.grid.size if question.grid else len(question.choices)
    return int(stored) if int(stored) < size else None


def gives(question: Question, stored: Stored) -> bool:
    """Whether it is an answer, and not an extra such as "prefer not to say"; of a text, whether
    something is written; of boxes always, since all may be left empty."""
    if question.kind.free_text:
        return bool(str(stored).strip())
    if question.kind.boxes:
        extras = len(question.extras)
        return "1" not in str(stored)[len(str(stored)) - extras :] if extras else True
    return int(stored) < (question.grid.size if question.grid else len(question.choices))


def is_answer(question: Question, name: str, stored: Stored) -> bool:
    """Whether this answer was given, or is among the boxes that are ticked."""
    if name == EVERYONE:
        return gives(question, stored)
    place = [each.name for each in (question.extras if question.grid else question.answers)].index(
        name
    )
    if question.kind.boxes:
        return str(stored)[place] == "1"
    return int(stored) == place + (question.grid.size if question.grid else 0)


def count_is_known(survey: Survey, request: Request) -> bool:
    """Whether everyone gave a number: then it is the number of responses, which is public."""
    question = question_of(survey, request.question)
    return not question.extras and not request.group


def bins_of(question: Question, request: Request) -> list[range]:
    """The places of a number in each bin: as even as they can be."""
    if question.grid is None:
        return []
    low, high = request_bounds(question, request)
    size = high - low + 1
    cuts = [low + size * k // request.bins for k in range(request.bins + 1)]
    return [range(*each) for each in pairwise(cuts)]


def categories(question: Question, request: Request) -> list[Choice]:
    """What a histogram has bars for; boxes each by itself, all others disjoint."""
    if question.grid is None:
        return list(question.answers)
    grid, named = question.grid, []
    for place, each in enumerate(bins := bins_of(question, request)):
        first, last = grid[each[0]], grid[each[-1]]
        label = first if first == last else f"{first} … {last}"  # the same in each language
        if place == 0 and each[0] > 0:  # what is beyond the bounds counts to the last bin
            label = f"≤ {last}"
        if place == len(bins) - 1 and each[-1] < grid.size - 1:
            label = f"≥ {first}"
        named.append(Choice(label, with_unit(label, grid)))
    return [*named, *question.extras]


def histogram(question: Question, request: Request) -> BoundedSum:
    size = len(categories(question, request))

    def ticks(stored: Stored) -> list[int]:
        return [int(bit == "1") for bit in str(stored)]

    if question.kind.boxes:  # one respondent may tick all boxes
        return BoundedSum(Statistic.HISTOGRAM, size, ticks, size, math.sqrt(size))
    bins = bins_of(question, request)

    def category(stored: Stored) -> int:
        if question.grid is None:
            return int(stored)
        if int(stored) >= question.grid.size:
            return len(bins) + int(stored) - question.grid.size
        clipped = min(max(int(stored), bins[0][0]), bins[-1][-1])
        return next(k for k, each in enumerate(bins) if clipped in each)

    def one_hot(stored: Stored) -> list[int]:
        at = category(stored)
        return [int(place == at) for place in range(size)]

    return BoundedSum(Statistic.HISTOGRAM, size, one_hot, 1, 1.0)


def curve_bounds(low: int, high: int) -> list[int]:
    """The upper bounds of a curve: at most ten, evenly between, the last the highest."""
    steps = min(CURVE_BOUNDS, high - low)
    return [low + (high - low) * k // steps for k in range(1, steps + 1)]


def increments(ends: list[int], low: int, clipped: Callable[[Stored], int | None]) -> BoundedSum:
    """What each bound adds to the sum clipped at the one before it. All that a respondent adds is
    at most the distance of the bounds, where each clipped sum by itself would cost its own."""
    starts = [low, *ends[:-1]]

    def of(stored: Stored) -> list[int]:
        place = clipped(stored)
        reached = low if place is None else place
        return [
            min(max(reached, start), end) - start for start, end in zip(starts, ends, strict=True)
        ]

    widths = [end - start for start, end in zip(starts, ends, strict=True)]
    l2 = math.sqrt(sum(width**2 for width in widths))
    return BoundedSum(Statistic.CURVE, len(ends), of, sum(widths), l2)


def requested_sums(survey: Survey, request: Request) -> list[BoundedSum]:
    """The vectors of a request that is released by added noise."""
    question = question_of(survey, request.question)
    if request.statistic == Statistic.COUNT:
        answer = request.answer
        return [scalar_sum(Statistic.COUNT, lambda s: int(is_answer(question, answer, s)), 1)]
    if request.statistic == Statistic.HISTOGRAM:
        return [histogram(question, request)]
    low, high = request_bounds(question, request)
    width = high - low

    def clipped(stored: Stored) -> int | None:
        place = numeric_place(question, stored)
        return None if place is None else min(max(place, low), high)

    def centred(stored: Stored) -> int:
        place = clipped(stored)
        return 0 if place is None else 2 * place - low - high

    def square(stored: Stored) -> int:
        return 0 if clipped(stored) is None else 2 * centred(stored) ** 2 - width**2

    if request.statistic == Statistic.CURVE:
        return [increments(curve_bounds(low, high), low, clipped)]
    if request.statistic == Statistic.SUM:
        grid = question.number_grid
        zero = -grid.low / grid.step  # where 0 would lie, in steps
        parts, at = zero.denominator, zero.numerator

        def in_units(stored: Stored) -> int:
            place = clipped(stored)
            return 0 if place is None else place * parts - at

        most = max(abs(low * parts - at), abs(high * parts - at))
        return [scalar_sum(Statistic.SUM, in_units, most)]
    chosen = [scalar_sum(Statistic.SUM, centred, width)]
    if request.statistic == Statistic.VARIANCE:
        chosen.append(scalar_sum(Statistic.VARIANCE, square, width**2))
    if not count_is_known(survey, request):
        chosen.append(scalar_sum(Statistic.COUNT, lambda s: int(gives(question, s)), 1))
    return chosen


def count_answers(
    survey: Survey, request: Request, rows: Iterable[Sequence[Stored | None]]
) -> Counter[Stored]:
    """How many respondents of the request's group gave each answer to its question.

    Parameters
    ----------
    rows : the stored reports of each respondent, as `Responses.rows` gives them
    """
    answers = answers_in_group(survey, request, rows, [request.question])
    return Counter(stored for (stored,) in answers if stored is not None)


def answers_in_group(
    survey: Survey,
    request: Request,
    rows: Iterable[Sequence[Stored | None]],
    names: Sequence[str],
) -> Iterator[tuple[Stored | None, ...]]:
    """What each respondent of the request's group answered to the questions of these names."""
    place_of = {question.name: place for place, question in enumerate(survey.fields)}
    places = [place_of[name] for name in names]
    group = question_of(survey, request.group) if request.group else None
    for row in rows:
        if group is not None:
            member = row[place_of[group.name]]
            if member is None or not is_answer(group, request.member, member):
                continue
        yield tuple(row[place] for place in places)
