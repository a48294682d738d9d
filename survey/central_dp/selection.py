"""Statistics that are selected among candidates by a score: quantiles, both ends, the mode.

The score of a candidate is how far it is from being the statistic, counted in respondents; the
true one has 0, or the most. One respondent more or fewer changes each score by `sensitivity` at
most.
"""

import math
from collections.abc import Sequence
from dataclasses import dataclass

from survey.central_dp.bounded_sums import Answers, numeric_place
from survey.central_dp.dp_request import Request, Statistic, question_of, request_bounds
from survey.central_dp.noise_scales import BETA, selection_accuracy, selection_scale
from survey.definition.choices import Choice, with_unit
from survey.definition.questions import Question
from survey.definition.survey import Survey

MAX_CANDIDATES = 1_001


@dataclass(frozen=True)
class Selection:
    """Candidates, and what their scores need.

    Attributes
    ----------
    places : of each candidate, on the grid or in the list of choices; numbers are rounded to the
        nearest one before they are ranked
    sensitivity : the most that one respondent changes any score by
    monotonic : whether one respondent more never lowers a score
    rank : of a minimum or maximum, the how-manieth value from that end is aimed at; else 0
    percent : of a quantile, else 0
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
    def accuracy(self) -> float:
        """With a probability of 1 - BETA the score is less than this below the best."""
        return selection_accuracy(self.scale, len(self.places), BETA)

    @property
    def answers_beyond(self) -> int:
        """The same in respondents, rounded up; scores are whole, those of quantiles hundredths."""
        most = max(0, math.ceil(self.accuracy) - 1)
        return math.ceil(most / 100) if self.percent else most

    @property
    def off_by(self) -> int:
        """How many answers, at most, lie between what is selected and the true statistic: of an
        end the rank is off it already, and the score as much off the rank."""
        return 2 * (self.rank - 1) if self.rank else self.answers_beyond

    def scores(self, answers: Answers) -> list[int]:
        if self.statistic == Statistic.MODE:
            return self.times_given(answers)
        counts = self.ranked(answers)
        total, below, scores = sum(counts), 0, []
        for count in counts:
            up_to = below + count
            scores.append(-max(0, *self.misses(below, up_to, total)))
            below = up_to
        return scores

    def misses(self, below: int, up_to: int, total: int) -> tuple[int, int]:
        """By how much too many values lie below a candidate, and by how much too few up to it."""
        if self.statistic == Statistic.MINIMUM:
            return below - (self.rank - 1), self.rank - up_to
        if self.statistic == Statistic.MAXIMUM:
            return (total - up_to) - (self.rank - 1), self.rank - (total - below)
        share = self.percent  # in hundredths of a respondent, so that they are whole
        return 100 * below - share * total, share * total - 100 * up_to

    def ranked(self, answers: Answers) -> list[int]:
        """How many values there are at each candidate."""
        counts = [0] * len(self.places)
        first, last = self.places[0], self.places[-1]
        width = self.places[1] - first if len(self.places) > 1 else 1
        for stored, times in answers.items():
            place = numeric_place(self.question, stored)
            if place is not None:
                clipped = min(max(place, first), last)
                counts[min((clipped - first + width // 2) // width, len(counts) - 1)] += times
        return counts

    def times_given(self, answers: Answers) -> list[int]:
        if not self.question.kind.boxes:
            return [answers.get(place, 0) for place in self.places]
        return [
            sum(times for ticked, times in answers.items() if str(ticked)[place] == "1")
            for place in self.places
        ]


def selection_of(survey: Survey, request: Request) -> Selection:
    """What a request asks for that is released by the exponential mechanism."""
    question = question_of(survey, request.question)
    epsilon = float(request.loss[0])
    places = candidates(question, request)
    labels = tuple(choice_at(question, place) for place in places)
    about = (question, request.statistic, places, labels)
    if request.statistic == Statistic.MODE:
        return Selection(*about, 1, True, selection_scale(1, epsilon, monotonic=True))
    if request.statistic in (Statistic.MINIMUM, Statistic.MAXIMUM):
        # so far from the end that, most likely, what is selected is not beyond it
        scale = selection_scale(1, epsilon, monotonic=False)
        rank = max(1, math.ceil(selection_accuracy(scale, len(places), BETA)))
        return Selection(*about, 1, False, scale, rank=rank)
    percent = 50 if request.statistic == Statistic.MEDIAN else request.percent
    sensitivity = max(percent, 100 - percent)
    scale = selection_scale(sensitivity, epsilon, monotonic=False)
    return Selection(*about, sensitivity, False, scale, percent=percent)


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
    """Whether numbers are rounded to candidates farther apart than their steps."""
    places: Sequence[int] = selection.places
    return not selection.question.kind.ordered and len(places) > 1 and places[1] - places[0] > 1
