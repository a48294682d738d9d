"""A decision tree on non-private questions: ID3 with noise and an equal loss for each level.

Permute-and-flip selects the split of a node: a question with a branch for each answer, or a number
with a cut point. Its score is one of two (Friedman and Schuster 2010):

- The number of respondents that it predicts correctly. Each branch predicts its most frequent
  class. An additional respondent raises a score by at most 1 and lowers none.
- The information gain, as minus the entropy left in all branches together. An additional respondent
  lowers a score by at most log2(n + 1) + 1/ln 2 bits and raises none (split_gain.py).

The leaves count the classes with Laplace noise. The nodes of one level are disjoint and cost as
much as one. The levels add up, so each has epsilon / (depth + 1).
"""

import math
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction

from survey.central_dp.bounded_sums import answers_in_group
from survey.central_dp.dp_request import GAIN, Request, max_leaves, question_of
from survey.central_dp.noise_scales import (
    BETA,
    as_float,
    each_of,
    laplace_accuracy,
    laplace_scale,
    selection_accuracy,
    selection_scale,
)
from survey.central_dp.split_gain import entropy_left, gain_sensitivity
from survey.core.number_grid import TREE_PARTS
from survey.core.translate import translate
from survey.definition.choices import with_unit
from survey.definition.questions import Question
from survey.definition.report_formats import Stored
from survey.definition.survey import Survey

# The number of respondents by their answers: to the target question, then to the splitting ones. A
# number is the part of its range in which it lies, or a special answer after the parts.
Table = Mapping[tuple[int, ...], int]
Drawn = tuple[tuple[int, ...], ...]


@dataclass(frozen=True)
class DPSplit:
    """The place of a splitting question, and for a number the last part of the first branch."""

    place: int
    cut: int | None = None

    @property
    def drawn(self) -> tuple[int, ...]:
        """As a node of a drawn tree."""
        return (self.place,) if self.cut is None else (self.place, self.cut)


# The splits on the way to a node, each with the branch that leads there.
Way = Sequence[tuple[DPSplit, int]]


@dataclass(frozen=True, kw_only=True)
class DPTree:
    """The parameters of a requested tree.

    Attributes
    ----------
    question : the question whose answers are the classes
    by : the questions that may split
    loss : epsilon of each level
    split, leaf : the scales of a selection, and of the noise of a count
    sensitivity : by how much a respondent changes the score of a split
    n : the number of responses, which is public; for the information gain
    score : as in a request
    """

    question: Question
    by: tuple[Question, ...]
    depth: int
    loss: float
    split: float
    leaf: float
    sensitivity: int = 1
    n: int = 0
    score: str = ""

    @property
    def widest(self) -> int:
        """The maximum number of leaves."""
        return max_leaves(self.by, self.depth)

    @property
    def within(self) -> int:
        """The error bound of all counts in all leaves, with a probability of 1 - BETA/2."""
        beta = each_of(BETA / 2, self.widest * len(self.question.answers))
        return laplace_accuracy(self.leaf, beta)

    @property
    def fewer(self) -> int:
        """The maximum deficit in the score of each split against the best of its node.

        It holds for all nodes with a probability of 1 - BETA/2. There are fewer nodes than leaves.
        """
        candidates = len(self.open_splits(()))
        bound = selection_accuracy(self.split, candidates, BETA / 2 / self.widest)
        return max(0, math.ceil(bound) - 1)

    def open_splits(self, way: Way) -> list[DPSplit]:
        """The splits that are possible in a node. They follow from the way there, so are public."""
        splits = []
        for place, question in enumerate(self.by):
            here = [(split.cut, branch) for split, branch in way if split.place == place]
            if question.grid is None:
                splits += [] if here else [DPSplit(place)]
                continue
            first, last = 0, len(part_ends(question))  # the parts that the branch still has
            for cut, branch in here:
                if cut is None or branch > 1:  # Where only a special answer is, nothing is left.
                    first, last = 1, 0
                elif branch == 0:
                    last = min(last, cut)
                else:
                    first = max(first, cut + 1)
            splits += [DPSplit(place, cut) for cut in range(first, last)]
        return splits

    def branch_of(self, split: DPSplit, answer: int) -> int:
        """The branch of a split to which an answer leads."""
        if split.cut is None:
            return answer
        parts = len(part_ends(self.by[split.place])) + 1
        return 2 + answer - parts if answer >= parts else int(answer > split.cut)

    def branch_labels(self, split: DPSplit) -> list[str]:
        """The label of each branch of a split."""
        question = self.by[split.place]
        if split.cut is None or question.grid is None:
            return [each.label for each in question.answers]
        value = with_unit(question.grid[part_ends(question)[split.cut]], question.grid)
        return [
            translate("at most %(value)s", value=value),
            translate("more than %(value)s", value=value),
            *(special.label for special in question.special_answers),
        ]

    def branches(self, table: Table, split: DPSplit) -> list[Table]:
        """The respondents, separated by the branches of a split."""
        question = self.by[split.place]
        many = len(question.answers) if split.cut is None else 2 + len(question.special_answers)
        separate: list[dict[tuple[int, ...], int]] = [{} for _ in range(many)]
        for answers, times in table.items():
            separate[self.branch_of(split, answers[split.place + 1])][answers] = times
        return list(separate)

    def scores(self, table: Table, splits: Sequence[DPSplit]) -> list[int]:
        """The score of each split: correct predictions, or minus thousandths of a bit left."""
        counts = [[self.counts(branch) for branch in self.branches(table, s)] for s in splits]
        if self.score == GAIN:
            return [-entropy_left(each, self.n) for each in counts]
        return [sum(max(classes) for classes in each) for each in counts]

    def counts(self, table: Table) -> list[int]:
        """The number of respondents in each class."""
        counts = [0] * len(self.question.answers)
        for answers, times in table.items():
            counts[answers[0]] += times
        return counts

    def drawn_nodes(
        self,
        table: Table,
        select: Callable[[list[int]], int],
        count: Callable[[list[int]], Sequence[int]],
    ) -> Drawn:
        """A drawn tree in depth-first order: each node's split, or the counts of a leaf.

        Parameters
        ----------
        select : the place of the score that permute-and-flip selects
        count : counts with noise
        """

        def grow_below(below: Table, way: list[tuple[DPSplit, int]]) -> Drawn:
            splits = self.open_splits(way) if len(way) < self.depth else []
            if not splits:
                return (tuple(count(self.counts(below))),)
            chosen = splits[int(select(self.scores(below, splits)))]
            branches = (
                grow_below(each, [*way, (chosen, branch)])
                for branch, each in enumerate(self.branches(below, chosen))
            )
            return (chosen.drawn, *(node for branch in branches for node in branch))

        return grow_below(table, [])

    def drawn_split(self, node: tuple[int, ...], way: Way) -> DPSplit | None:
        """The split of a drawn node, or None for a leaf."""
        if len(way) == self.depth or not self.open_splits(way):
            return None
        return DPSplit(node[0], node[1] if len(node) > 1 else None)

    def leaves(
        self, drawn: Iterable[tuple[int, ...]]
    ) -> Iterator[tuple[list[tuple[DPSplit, int]], tuple[int, ...]]]:
        """Each leaf of a drawn tree in depth-first order.

        It has the splits and branches on the way to it, and its counts.
        """
        yield from self.below(iter(drawn), [])

    def below(
        self, drawn: Iterator[tuple[int, ...]], way: list[tuple[DPSplit, int]]
    ) -> Iterator[tuple[list[tuple[DPSplit, int]], tuple[int, ...]]]:
        node = next(drawn)
        split = self.drawn_split(node, way)
        if split is None:
            yield way, node
            return
        for branch in range(len(self.branch_labels(split))):
            yield from self.below(drawn, [*way, (split, branch)])


def part_ends(question: Question) -> list[int]:
    """The last place of each part of a number's range but the last. They are public."""
    return question.number_grid.cuts(TREE_PARTS)


def range_part(question: Question, stored: int) -> int:
    """The part of a number in which an answer lies; special answers follow the parts."""
    ends, size = part_ends(question), question.number_grid.size
    if stored >= size:
        return len(ends) + 1 + stored - size
    return sum(end < stored for end in ends)


def tree_of(survey: Survey, request: Request, n: int) -> DPTree:
    """The tree of a request for n responses."""
    by = tuple(question_of(survey, name) for name in request.by.split())
    loss = as_float(Fraction(request.epsilon) / (request.depth + 1))
    sensitivity = gain_sensitivity(n) if request.score == GAIN else 1
    return DPTree(
        question=question_of(survey, request.question),
        by=by,
        depth=request.depth,
        loss=loss,
        split=selection_scale(sensitivity, loss, monotonic=True),
        leaf=laplace_scale(1, loss),
        sensitivity=sensitivity,
        n=n,
        score=request.score,
    )


def answer_combination_counts(
    survey: Survey, request: Request, rows: Iterable[Sequence[Stored | None]]
) -> Counter[tuple[int, ...]]:
    """The respondents of the request's group by their answers, numbers by their parts."""
    names = (request.question, *request.by.split())
    questions = [question_of(survey, name) for name in names]

    def code(question: Question, stored: Stored | None) -> int:
        # Each has exactly one answer, so none is None.
        place = int(stored or 0)
        return place if question.grid is None else range_part(question, place)

    return Counter(
        tuple(code(question, stored) for question, stored in zip(questions, answers, strict=True))
        for answers in answers_in_group(survey, request, rows, names)
    )
