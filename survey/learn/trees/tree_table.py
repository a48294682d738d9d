"""Tables whose last column a tree predicts, and the ways to split them by another column.

A row has the place of each answer. A number in years stands for itself, and one more place stands
for a number that is not recorded.
"""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from itertools import combinations

import numpy as np

from survey.analysis.trees.splits import information_gain
from survey.core.translate import translate, translate_constant, translate_number
from survey.learn.dp_draws import Integers, Reals

People = Integers
# The places of answers that lead to one branch.
Group = tuple[int, ...]


@dataclass(frozen=True)
class Split:
    """A question by its place, and the answers that lead to each branch."""

    place: int
    groups: tuple[Group, ...]

    def branch_of(self, size: int) -> Integers:
        """The branch of each answer of the question, shape (size,)."""
        branches = np.zeros(size, dtype=np.int64)
        for branch, group in enumerate(self.groups):
            branches[list(group)] = branch
        return branches


# The answers to each question that are still possible in a node.
Possible = tuple[Group, ...]


@dataclass(frozen=True, kw_only=True)
class TreeTable:
    """The columns of a table.

    Attributes
    ----------
    questions : the label of each question that may split
    answers : the label of each answer, for each question and then for the outcome. A number has
        only the label of a number that is not recorded
    everyone, counted : the label of all rows, and a sentence with %(first)s and %(second)s outcomes
    oldest : the largest possible number, or None if no question is a number
    cuts : the largest numbers of the first branch, for a split in two or more branches
    ages : the same if each number that occurs, but the largest, may be one
    """

    questions: tuple[str, ...]
    answers: tuple[tuple[str, ...], ...]
    everyone: str
    counted: str
    number: int | None = None
    oldest: int = 0
    cuts: tuple[int, ...] = ()
    ages: tuple[int, ...] = ()

    @property
    def outcomes(self) -> tuple[str, ...]:
        return self.answers[-1]

    @property
    def places(self) -> range:
        return range(len(self.questions))

    def size(self, place: int) -> int:
        """The number of places of a question's answers."""
        return self.oldest + 2 if place == self.number else len(self.answers[place])

    @property
    def possible(self) -> Possible:
        """All answers to each question."""
        return tuple(tuple(range(self.size(place))) for place in self.places)

    def cut_split(self, cut: int, branches: int = 3) -> Split:
        """A number that is at most the cut, more, or not recorded.

        With two branches, a number that is not recorded is in the second.
        """
        low, high = tuple(range(cut + 1)), tuple(range(cut + 1, self.oldest + 1))
        unknown = (self.oldest + 1,)
        groups = (low, high, unknown) if branches == 3 else (low, high + unknown)
        return Split(self.number or 0, groups)

    def answer_split(self, place: int) -> Split:
        """A branch for each answer."""
        return Split(place, tuple((answer,) for answer in range(self.size(place))))

    def wide_splits(self, possible: Possible) -> Iterator[Split]:
        """A question with a branch for each answer, or a number at a public cut point."""
        for place in self.places:
            if place == self.number:
                known = [each for each in possible[place] if each <= self.oldest]
                for cut in self.cuts:
                    if known and known[0] <= cut < known[-1]:
                        yield self.cut_split(cut)
            elif len(possible[place]) > 1:
                yield self.answer_split(place)

    def halves(self, possible: Possible) -> Iterator[Split]:
        """Two branches: a set of answers and the others, or a number that is at most x."""
        for place in self.places:
            here = possible[place]
            if place == self.number:
                for cut in self.ages:
                    if here[0] <= cut < here[-1]:
                        yield self.cut_split(cut, branches=2)
                continue
            first, others = here[0], here[1:]
            for many in range(len(others)):
                for chosen in combinations(others, many):
                    rest = tuple(each for each in others if each not in chosen)
                    yield Split(place, ((first, *chosen), rest))

    def after(self, possible: Possible, split: Split) -> list[Possible]:
        """What is possible in each branch of a split."""
        return [
            tuple(
                tuple(each for each in here if each in group) if place == split.place else here
                for place, here in enumerate(possible)
            )
            for group in split.groups
        ]

    def branches(self, people: People, split: Split) -> list[People]:
        """The rows of each branch of a split."""
        branches = split.branch_of(self.size(split.place))[people[:, split.place]]
        return [people[branches == branch] for branch in range(len(split.groups))]

    def branch_label(self, split: Split, branch: int) -> str:
        """The answers that lead to a branch, in the language of the page."""
        group, labels = split.groups[branch], self.answers[split.place]
        if split.place != self.number:
            [*missing] = {*range(len(labels))} - {*group}
            if len(group) > 1 and len(missing) == 1:
                return translate("not %(answer)s", answer=translate_constant(labels[missing[0]]))
            return translate(", ").join(translate_constant(labels[each]) for each in group)
        if group[0] > self.oldest:
            return translate_constant(labels[0])
        if not group[0]:
            return translate("at most %(value)s", value=translate_number(str(group[-1])))
        value = translate_number(str(group[0] - 1))
        if group[-1] > self.oldest:
            return translate("more than %(value)s, or not recorded", value=value)
        return translate("more than %(value)s", value=value)

    def answer_label(self, place: int, answer: int) -> str:
        """One answer, in the language of the page."""
        labels = self.answers[place]
        if place != self.number:
            return translate_constant(labels[answer])
        if answer > self.oldest:
            return translate_constant(labels[0])
        return translate_number(str(answer))


def outcome_counts(people: People) -> Reals:
    """The numbers of rows with the first outcome and with the second."""
    return np.bincount(people[:, -1], minlength=2).astype(np.float64)


def counts_by_branch(people: People, table: TreeTable, split: Split) -> Reals:
    """The counts of both outcomes in each branch, shape (branches, 2)."""
    return np.array([outcome_counts(rows) for rows in table.branches(people, split)])


def split_gain(people: People, table: TreeTable, split: Split) -> float:
    """The information gain of a split, in bits."""
    counts = counts_by_branch(people, table, split)
    return information_gain(counts / counts.sum())


def answer_labels(answers: Mapping[str, Mapping[str, str]]) -> tuple[tuple[str, ...], ...]:
    """The labels of the answers to each question, in their order."""
    return tuple(tuple(labels.values()) for labels in answers.values())
