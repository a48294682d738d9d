"""A decision tree on non-private questions: ID3 with noise and an equal loss for each level.

The exponential mechanism selects the question of a node. The score of a question is the number
of respondents that it predicts correctly. Each of its answers predicts its most frequent class (the
"max" of Friedman and Schuster 2010). An additional respondent raises a score by at most 1 and
lowers none. The leaves count the classes with Laplace noise. The nodes of one level are disjoint
and cost as much as one. The levels add up, so each has epsilon / (depth + 1).
"""

import math
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
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

# The number of respondents by their answers: to the target question, then to the splitting ones.
Table = Mapping[tuple[int, ...], int]
Drawn = tuple[tuple[int, ...], ...]


@dataclass(frozen=True)
class DPTree:
    """The parameters of a requested tree.

    Attributes
    ----------
    question : the question whose answers are the classes
    by : the questions that may split
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
        """The maximum number of leaves."""
        arities = sorted((len(each.answers) for each in self.by), reverse=True)
        return math.prod(arities[: self.depth])

    @property
    def within(self) -> int:
        """The error bound of all counts in all leaves, with a probability of 1 - BETA/2."""
        beta = each_of(BETA / 2, self.widest * len(self.question.answers))
        return laplace_accuracy(self.leaf, beta)

    @property
    def fewer(self) -> int:
        """The maximum deficit in correct predictions of each split against the best of its node.

        It holds for all nodes with a probability of 1 - BETA/2. There are fewer nodes than leaves.
        """
        bound = selection_accuracy(self.split, len(self.by), BETA / 2 / self.widest)
        return max(0, math.ceil(bound) - 1)

    def scores(self, table: Table, open_to: Sequence[int]) -> list[int]:
        """The number of correct predictions of each question that is still available."""
        correct_counts = []
        for place in open_to:
            counts: dict[int, Counter[int]] = {}
            for answers, times in table.items():
                counts.setdefault(answers[place + 1], Counter())[answers[0]] += times
            correct_counts.append(sum(max(classes.values()) for classes in counts.values()))
        return correct_counts

    def branches(self, table: Table, place: int) -> list[Table]:
        """The respondents, separated by their answers to one question."""
        return [
            {each: times for each, times in table.items() if each[place + 1] == answer}
            for answer in range(len(self.by[place].answers))
        ]

    def counts(self, table: Table) -> list[int]:
        """The number of respondents in each class."""
        return [
            sum(times for each, times in table.items() if each[0] == one)
            for one in range(len(self.question.answers))
        ]

    def drawn_nodes(
        self,
        table: Table,
        select: Callable[[list[int]], int],
        count: Callable[[list[int]], Sequence[int]],
    ) -> Drawn:
        """A drawn tree in depth-first order: each node's question, or the counts of a leaf.

        Parameters
        ----------
        select : the place of the score that the exponential mechanism selects
        count : counts with noise
        """

        def grown(below: Table, open_to: list[int], depth: int) -> Drawn:
            if depth == self.depth:
                return (tuple(count(self.counts(below))),)
            chosen = open_to[int(select(self.scores(below, open_to)))]
            others = [place for place in open_to if place != chosen]
            branches = (grown(each, others, depth + 1) for each in self.branches(below, chosen))
            return ((chosen,), *(node for branch in branches for node in branch))

        return grown(table, list(range(len(self.by))), 0)

    def leaves(
        self, drawn: Iterable[tuple[int, ...]]
    ) -> Iterator[tuple[list[tuple[int, int]], tuple[int, ...]]]:
        """Each leaf of a drawn tree in depth-first order.

        It has the questions and answers on the way to it, and its counts.
        """
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
    # Each has exactly one answer, so none is None.
    return Counter(tuple(int(stored or 0) for stored in each) for each in answers)
