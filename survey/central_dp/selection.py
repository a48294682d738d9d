"""Statistics that are selected from candidates by a score: quantiles, minimum, maximum, mode.

The score of a candidate is its distance from the statistic, counted in respondents. The true one
has score 0, or the highest score. One respondent changes each score by at most `sensitivity`.
"""

import math
from collections.abc import Sequence
from dataclasses import dataclass

from survey.central_dp.bounded_sums import Answers
from survey.central_dp.dp_request import Request, Statistic, question_of, request_bounds
from survey.central_dp.noise_scales import BETA, selection_accuracy, selection_scale
from survey.central_dp.types import ANSWER_STATISTICS
from survey.definition.choices import Choice, with_unit
from survey.definition.questions import Question
from survey.definition.survey import Survey

MAX_CANDIDATES = 1_001


@dataclass(frozen=True, kw_only=True)
class Selection:
    """Candidates, and the parameters of their scores.

    Attributes
    ----------
    places : the place of each candidate on the grid or in the list of choices; numbers are rounded
        to the nearest candidate before they are ranked
    sensitivity : the maximum change of a score by one respondent
    monotonic : whether an additional respondent never lowers a score
    rank : for a minimum or maximum, the target rank from that end; else 0
    percent : for a quantile, else 0
    """

    question: Question
    statistic: str
    places: tuple[int, ...]
    labels: tuple[Choice, ...]
    sensitivity: int
    monotonic: bool
    scale: float
    rank: int = 0
    percent: int = 0

    @property
    def percent_above(self) -> int:
        """For a quantile, the percentage of the answers above it."""
        return 100 - self.percent

    @property
    def accuracy(self) -> float:
        """A bound on the score below the best that holds with a probability of 1 - BETA."""
        return selection_accuracy(self.scale, len(self.places), BETA)

    @property
    def deficit(self) -> int:
        """The same bound as an integer. For a quantile, it is in hundredths of a respondent."""
        return max(0, math.ceil(self.accuracy) - 1)

    @property
    def answers_beyond(self) -> int:
        """The same bound in respondents, rounded up."""
        return math.ceil(self.deficit / 100) if self.percent else self.deficit

    @property
    def off_by(self) -> int:
        """The maximum number of answers between the selected value and the true statistic.

        For a minimum or maximum, the target rank is already away from the end, and the score is as
        far from the rank.
        """
        return 2 * (self.rank - 1) if self.rank else self.answers_beyond

    def scores(self, answers: Answers) -> list[int]:
        if self.statistic == Statistic.MODE:
            return ANSWER_STATISTICS[self.question].times_given(answers, self.places)
        counts = self.count_values(answers)
        total, below, scores = sum(counts), 0, []
        for count in counts:
            up_to = below + count
            scores.append(-max(0, *self.misses(below, up_to, total)))
            below = up_to
        return scores

    def misses(self, below: int, up_to: int, total: int) -> tuple[int, int]:
        """The excess of values below a candidate, and the lack of values up to it."""
        if self.statistic == Statistic.MINIMUM:
            return below - (self.rank - 1), self.rank - up_to
        if self.statistic == Statistic.MAXIMUM:
            return (total - up_to) - (self.rank - 1), self.rank - (total - below)
        share = self.percent  # in hundredths of a respondent, so that scores are integers
        return 100 * below - share * total, share * total - 100 * up_to

    def count_values(self, answers: Answers) -> list[int]:
        """The number of values at each candidate."""
        counts = [0] * len(self.places)
        first, last = self.places[0], self.places[-1]
        width = self.places[1] - first if len(self.places) > 1 else 1
        for stored, times in answers.items():
            place = ANSWER_STATISTICS[self.question].place(stored)
            if place is not None:
                clipped = min(max(place, first), last)
                counts[min((clipped - first + width // 2) // width, len(counts) - 1)] += times
        return counts


def selection_of(survey: Survey, request: Request) -> Selection:
    """The selection of a request that uses permute-and-flip."""
    question = question_of(survey, request.question)
    epsilon = float(request.loss[0])
    places = candidates(question, request)
    labels = tuple(choice_at(question, place) for place in places)

    def selection(
        sensitivity: int, *, monotonic: bool = False, rank: int = 0, percent: int = 0
    ) -> Selection:
        return Selection(
            question=question,
            statistic=request.statistic,
            places=places,
            labels=labels,
            sensitivity=sensitivity,
            monotonic=monotonic,
            scale=selection_scale(sensitivity, epsilon, monotonic=monotonic),
            rank=rank,
            percent=percent,
        )

    if request.statistic == Statistic.MODE:
        return selection(1, monotonic=True)
    if request.statistic in (Statistic.MINIMUM, Statistic.MAXIMUM):
        # So far from the end that the selected value is most likely not beyond it.
        scale = selection_scale(1, epsilon, monotonic=False)
        rank = max(1, math.ceil(selection_accuracy(scale, len(places), BETA)))
        return selection(1, rank=rank)
    percent = 50 if request.statistic == Statistic.MEDIAN else request.percent
    return selection(max(percent, 100 - percent), percent=percent)


def candidates(question: Question, request: Request) -> tuple[int, ...]:
    """At most 1,001 values of a number, evenly spaced; all choices of a list."""
    if question.grid is None:
        return tuple(range(len(question.choices)))
    if request.statistic == Statistic.MODE:
        return tuple(range(question.grid.size))
    low, high = request_bounds(question, request)
    width = math.ceil((high - low) / (MAX_CANDIDATES - 1))
    return tuple(range(low, high + 1, width))


def choice_at(question: Question, place: int) -> Choice:
    if question.grid is None:
        return question.choices[place]
    return Choice(question.grid[place], with_unit(question.grid[place], question.grid))


def is_rounded(selection: Selection) -> bool:
    """Whether numbers are rounded to candidates that are more than one step apart."""
    places: Sequence[int] = selection.places
    return len(places) > 1 and places[1] - places[0] > 1


def is_clipped(selection: Selection) -> bool:
    """Whether a value of the question's range is farther beyond the candidates than rounding."""
    places, grid = selection.places, selection.question.grid
    if grid is None or selection.statistic == Statistic.MODE:
        return False
    width = places[1] - places[0] if len(places) > 1 else 1
    return places[0] > 0 or grid.size - 1 - places[-1] >= width
