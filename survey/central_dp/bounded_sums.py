"""Statistics that are sums over respondents: the contribution of each, and its maximum.

All sums are of integers, so integer noise is added to them exactly. Numbers are counted in steps of
their grid, from the middle of the bounds. They are doubled, so that the middle is an integer too:
y = 2 place - (low + high), from -width to width.
"""

import math
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import pairwise

from survey.central_dp.dp_request import EVERYONE, Request, Statistic, question_of, request_bounds
from survey.central_dp.types import ANSWER_STATISTICS
from survey.definition.choices import Choice, with_unit
from survey.definition.questions import Question
from survey.definition.report_formats import Stored
from survey.definition.survey import Survey

CURVE_BOUNDS = 10
Answers = Mapping[Stored, int]  # the number of respondents with each stored answer


@dataclass(frozen=True, kw_only=True)
class BoundedSum:
    """A vector that is released at once, as the sum of all respondents' contributions.

    Attributes
    ----------
    name : its name
    of : the contribution of a respondent with this stored answer, a vector of `size` integers
    l1, l2 : the maximum change of the sum by one respondent, in this norm
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
    return BoundedSum(name=name, size=1, of=lambda stored: (of(stored),), l1=most, l2=float(most))


def is_answer(question: Question, name: str, stored: Stored) -> bool:
    """Whether the respondent gave this answer, or any answer for EVERYONE."""
    statistics = ANSWER_STATISTICS[question]
    return statistics.gives(stored) if name == EVERYONE else statistics.has(name, stored)


def count_is_known(survey: Survey, request: Request) -> bool:
    """Whether everyone gave a number. Then their number is that of the responses, and public."""
    question = question_of(survey, request.question)
    return not question.special_answers and not request.group


def bins_of(question: Question, request: Request) -> list[range]:
    """The places of a number in each bin, of sizes that are as equal as possible."""
    if question.grid is None:
        return []
    low, high = request_bounds(question, request)
    size = high - low + 1
    cuts = [low + size * k // request.bins for k in range(request.bins + 1)]
    return [range(*each) for each in pairwise(cuts)]


def categories(question: Question, request: Request) -> list[Choice]:
    """The bars of a histogram. Boxes overlap; all other bars are disjoint."""
    if question.grid is None:
        return list(question.answers)
    grid, named = question.grid, []
    for place, each in enumerate(bins := bins_of(question, request)):
        first, last = grid[each[0]], grid[each[-1]]
        label = first if first == last else f"{first} … {last}"  # equal in all languages
        if place == 0 and each[0] > 0:  # The end bins also count the values beyond the bounds.
            label = f"≤ {last}"
        if place == len(bins) - 1 and each[-1] < grid.size - 1:
            label = f"≥ {first}"
        named.append(Choice(label, with_unit(label, grid)))
    return [*named, *question.special_answers]


def histogram(question: Question, request: Request) -> BoundedSum:
    size, statistics = len(categories(question, request)), ANSWER_STATISTICS[question]
    bins, grid = bins_of(question, request), question.grid

    def bars(stored: Stored) -> Sequence[int]:
        if grid is None:
            return statistics.bars(stored, size)
        if int(stored) >= grid.size:
            return statistics.bars(len(bins) + int(stored) - grid.size, size)
        clipped = min(max(int(stored), bins[0][0]), bins[-1][-1])
        return statistics.bars(next(k for k, each in enumerate(bins) if clipped in each), size)

    most = statistics.most_bars(size)
    return BoundedSum(name=Statistic.HISTOGRAM, size=size, of=bars, l1=most, l2=math.sqrt(most))


def curve_bounds(low: int, high: int) -> list[int]:
    """The upper bounds of a curve: at most ten, evenly spaced, up to the highest value."""
    steps = min(CURVE_BOUNDS, high - low)
    return [low + (high - low) * k // steps for k in range(1, steps + 1)]


def increments(ends: list[int], low: int, clipped: Callable[[Stored], int | None]) -> BoundedSum:
    """The difference of each clipped sum from the one at the bound before.

    The total contribution of a respondent is at most the distance of the bounds. Separate clipped
    sums would cost more.
    """
    starts = [low, *ends[:-1]]

    def of(stored: Stored) -> list[int]:
        place = clipped(stored)
        reached = low if place is None else place
        return [
            min(max(reached, start), end) - start for start, end in zip(starts, ends, strict=True)
        ]

    widths = [end - start for start, end in zip(starts, ends, strict=True)]
    l2 = math.sqrt(sum(width**2 for width in widths))
    return BoundedSum(name=Statistic.CURVE, size=len(ends), of=of, l1=sum(widths), l2=l2)


def requested_sums(survey: Survey, request: Request) -> list[BoundedSum]:
    """The vectors of a request that is released with added noise."""
    question = question_of(survey, request.question)
    if request.statistic == Statistic.COUNT:
        answer = request.answer
        return [scalar_sum(Statistic.COUNT, lambda s: int(is_answer(question, answer, s)), 1)]
    if request.statistic == Statistic.HISTOGRAM:
        return [histogram(question, request)]
    low, high = request_bounds(question, request)
    width = high - low

    def clipped(stored: Stored) -> int | None:
        place = ANSWER_STATISTICS[question].place(stored)
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
        zero = -grid.low / grid.step  # the place of 0, in steps
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
        chosen.append(
            scalar_sum(Statistic.COUNT, lambda s: int(ANSWER_STATISTICS[question].gives(s)), 1)
        )
    return chosen


def count_answers(
    survey: Survey, request: Request, rows: Iterable[Sequence[Stored | None]]
) -> Counter[Stored]:
    """The number of respondents in the request's group with each answer to its question.

    Parameters
    ----------
    rows : the stored reports of each respondent, from `Responses.rows`
    """
    answers = answers_in_group(survey, request, rows, [request.question])
    return Counter(stored for (stored,) in answers if stored is not None)


def answers_in_group(
    survey: Survey,
    request: Request,
    rows: Iterable[Sequence[Stored | None]],
    names: Sequence[str],
) -> Iterator[tuple[Stored | None, ...]]:
    """The answers of each respondent in the request's group to the questions with these names."""
    place_of = {question.name: place for place, question in enumerate(survey.fields)}
    places = [place_of[name] for name in names]
    group = question_of(survey, request.group) if request.group else None
    for row in rows:
        if group is not None:
            member = row[place_of[group.name]]
            if member is None or not is_answer(group, request.member, member):
                continue
        yield tuple(row[place] for place in places)
