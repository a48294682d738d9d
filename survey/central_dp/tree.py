"""A decision tree on plain questions: ID3 with noise, so much of the loss on each level.

A node's question is selected by the exponential mechanism; its score is how many respondents would
be told right if each answer to it were told its most frequent class (the "max" of Friedman and
Schuster 2010). One respondent more raises a score by at most 1 and lowers none. The leaves count
the classes, with Laplace noise. Nodes of one level have no respondent in common and cost as one;
the levels add up, so each has epsilon / (depth + 1).
"""

import math
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction

from survey.central_dp.bounded_sums import answers_in_group
from survey.central_dp.dp_request import Request, question_of
from survey.central_dp.noise_scales import (
    BETA,
    as_float,
    each_of,
    laplace_accuracy,
    laplace_scale,
    selection_accuracy,
    selection_scale,
)
from survey.definition.questions import Question
from survey.definition.report_formats import Stored
from survey.definition.survey import Survey

# respondents by their answers: to the tree's own question, then to those that it may ask
Table = Mapping[tuple[int, ...], int]


@dataclass(frozen=True)
class DPTree:
    """What a request for a tree asks for.

    Attributes
    ----------
    question : whose answers are the classes
    by : the questions that it may ask
    loss : epsilon of each level
    split, leaf : the scales of a selection, and of the noise of a count
    """

    question: Question
    by: tuple[Question, ...]
    depth: int
    loss: float
    split: float
    leaf: float

    @property
    def widest(self) -> int:
        """The most leaves that it may have."""
        arities = sorted((len(each.answers) for each in self.by), reverse=True)
        return math.prod(arities[: self.depth])

    @property
    def within(self) -> int:
        """All counts of all leaves are so close, with a probability of 1 - BETA/2."""
        beta = each_of(BETA / 2, self.widest * len(self.question.answers))
        return laplace_accuracy(self.leaf, beta)

    @property
    def fewer(self) -> int:
        """Each selected question tells at most so many fewer right than the best of its node, all
        of them with a probability of 1 - BETA/2; there are fewer nodes than leaves."""
        bound = selection_accuracy(self.split, len(self.by), BETA / 2 / self.widest)
        return max(0, math.ceil(bound) - 1)

    def scores(self, table: Table, open_to: Sequence[int]) -> list[int]:
        """Of each question that was not asked yet: how many it would tell right."""
        correct_counts = []
        for place in open_to:
            counts: dict[int, Counter[int]] = {}
            for answers, times in table.items():
                counts.setdefault(answers[place + 1], Counter())[answers[0]] += times
            correct_counts.append(sum(max(classes.values()) for classes in counts.values()))
        return correct_counts

    def branches(self, table: Table, place: int) -> list[Table]:
        """The respondents apart by their answers to one question."""
        return [
            {each: times for each, times in table.items() if each[place + 1] == answer}
            for answer in range(len(self.by[place].answers))
        ]

    def counts(self, table: Table) -> list[int]:
        """How many there are of each class."""
        return [
            sum(times for each, times in table.items() if each[0] == one)
            for one in range(len(self.question.answers))
        ]

    def leaves(
        self, drawn: Iterable[tuple[int, ...]]
    ) -> Iterator[tuple[list[tuple[int, int]], tuple[int, ...]]]:
        """Each leaf of a tree that was drawn, a node before its branches: the questions and
        answers on the way to it, and its counts."""
        yield from self.below(iter(drawn), [])

    def below(
        self, drawn: Iterator[tuple[int, ...]], way: list[tuple[int, int]]
    ) -> Iterator[tuple[list[tuple[int, int]], tuple[int, ...]]]:
        node = next(drawn)
        if len(way) == self.depth:
            yield way, node
            return
        for answer in range(len(self.by[node[0]].answers)):
            yield from self.below(drawn, [*way, (node[0], answer)])


def tree_of(survey: Survey, request: Request) -> DPTree:
    by = tuple(question_of(survey, name) for name in request.by.split())
    loss = as_float(Fraction(request.epsilon) / (request.depth + 1))
    return DPTree(
        question_of(survey, request.question),
        by,
        request.depth,
        loss,
        selection_scale(1, loss, monotonic=True),
        laplace_scale(1, loss),
    )


def answer_combination_counts(
    survey: Survey, request: Request, rows: Iterable[Sequence[Stored | None]]
) -> Counter[tuple[int, ...]]:
    """The respondents of the request's group by their answers."""
    names = (request.question, *request.by.split())
    answers = answers_in_group(survey, request, rows, names)
    # one answer each: never None
    return Counter(tuple(int(stored or 0) for stored in each) for each in answers)
