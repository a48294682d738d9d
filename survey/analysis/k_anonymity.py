"""k-anonymity: how many respondents are alone with their answers to non-private questions.

Someone who knows these answers of a person, such as age and region, can find the person's row if
nobody else gave the same answers. The row then shows all other non-private answers. Randomised
reports are not counted, because nobody else knows the report of a person.

Reference: Sweeney (2002), International Journal of Uncertainty, Fuzziness and Knowledge-Based
Systems 10, 557.
"""

import math
from collections import Counter
from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass

from survey.core.translate import translate
from survey.definition.questions import Question
from survey.definition.report_formats import OneOf, Stored
from survey.estimation.number_text import percent

Answers = tuple[Stored | None, ...]
# In smaller groups, a person stands out.
MIN_GROUP_RESPONDENTS = 5
# Ranges into which a change puts the numbers of a question.
RANGES = 5
# Larger tables would take more than a second for each page.
MAX_CELLS_TO_CHANGE = 300_000
# The first and last size of each row of the page's table.
SIZE_CLASSES = ((1, 1), (2, 2), (3, 4), (5, 9), (10, 19), (20, None))


@dataclass(frozen=True)
class GroupSizes:
    """The sizes of the groups of respondents who gave the same answers.

    Attributes
    ----------
    sizes : the number of groups of each size
    """

    sizes: Mapping[int, int]

    @property
    def n(self) -> int:
        """The number of respondents."""
        return self.respondents(1, None)

    @property
    def groups(self) -> int:
        return sum(self.sizes.values())

    @property
    def smallest(self) -> int:
        """The size k of the smallest group: the data are k-anonymous. 0 without respondents."""
        return min(self.sizes, default=0)

    @property
    def alone(self) -> int:
        """The number of respondents whose answers nobody else gave."""
        return self.sizes.get(1, 0)

    @property
    def share_alone(self) -> float:
        return self.alone / self.n if self.n else 0.0

    @property
    def share_alone_text(self) -> str:
        """The share of respondents with unique answers, in percent."""
        return percent(self.share_alone)

    @property
    def one_respondent(self) -> bool:
        """Whether there is only one respondent, so that no change of the answers helps."""
        return self.n == 1

    @property
    def in_small_groups(self) -> int:
        """The number of respondents in groups of fewer than MIN_GROUP_RESPONDENTS."""
        return self.respondents(1, MIN_GROUP_RESPONDENTS - 1)

    def respondents(self, low: int, high: int | None) -> int:
        """The number of respondents in groups of these sizes; `high` is None without a limit."""
        return sum(size * groups for size, groups in self.between(low, high))

    def between(self, low: int, high: int | None) -> list[tuple[int, int]]:
        """Each of these sizes with its number of groups."""
        return [
            (size, groups)
            for size, groups in self.sizes.items()
            if size >= low and (high is None or size <= high)
        ]

    @property
    def rows(self) -> tuple[tuple[str, int, int, str], ...]:
        """For each class of sizes: its name, its groups, its respondents and their share.

        The share is in percent. There are no rows without respondents.
        """
        if not self.n:
            return ()
        return tuple(
            (
                class_name(low, high),
                sum(groups for _, groups in self.between(low, high)),
                respondents,
                percent(respondents / self.n),
            )
            for low, high in SIZE_CLASSES
            for respondents in (self.respondents(low, high),)
        )


@dataclass(frozen=True)
class Change:
    """One way to make respondents stand out less, and the groups after it."""

    sentence: str
    after: GroupSizes


@dataclass(frozen=True)
class SingleAnswer:
    """The groups of two or more respondents who all gave the same answer to another question.

    Anyone who knows that a person is in such a group knows this answer, however large the group is.

    Attributes
    ----------
    question : the other question. The group is that of all other known questions
    groups, respondents : the number of such groups, and of respondents in them
    largest : the respondents in the largest of them
    """

    question: Question
    groups: int
    respondents: int
    largest: int


def class_name(low: int, high: int | None) -> str:
    if high is None:
        return translate("%(low)s or more", low=low)
    return str(low) if low == high else translate("%(low)s to %(high)s", low=low, high=high)


def count_groups(rows: Iterable[Answers]) -> Counter[Answers]:
    """The number of respondents with each combination of stored answers."""
    return Counter(rows)


def group_sizes(groups: Mapping[Answers, int]) -> GroupSizes:
    return GroupSizes(Counter(groups.values()))


def single_answers(
    questions: Sequence[Question], known: Collection[str], combinations: Mapping[Answers, int]
) -> tuple[SingleAnswer, ...] | None:
    """For each question, the groups by all other known questions in which all answered the same.

    Questions without such a group are left out. A question that was not answered counts as
    different from all answers, and not as an answer.

    Parameters
    ----------
    known : the names of the questions that group the respondents
    combinations : the respondents with each combination, in the order of `questions`

    Returns None if there are too many combinations.

    Reference: the attack by homogeneity of Machanavajjhala, Kifer, Gehrke and Venkitasubramaniam
    (2007), l-Diversity, ACM Transactions on Knowledge Discovery from Data 1, 3.
    """
    if len(combinations) * len(questions) > MAX_CELLS_TO_CHANGE:
        return None
    found = []
    for place, question in enumerate(questions):
        others = [
            other for other, each in enumerate(questions) if each.name in known and other != place
        ]
        if not others:
            continue
        answers: dict[Answers, Counter[Stored | None]] = {}
        for combination, respondents in combinations.items():
            key = tuple(combination[other] for other in others)
            answers.setdefault(key, Counter())[combination[place]] += respondents
        sizes = [
            given.total()
            for given in answers.values()
            if len(given) == 1 and None not in given and given.total() > 1
        ]
        if sizes:
            found.append(SingleAnswer(question, len(sizes), sum(sizes), max(sizes)))
    return tuple(found)


def helpful_changes(
    questions: Sequence[Question], groups: Mapping[Answers, int]
) -> tuple[Change, ...] | None:
    """Single changes after which fewer respondents are alone, or the smallest group is larger.

    Each change leaves out one question, merges two of its answers, or puts its numbers into ranges.
    The change that leaves the fewest respondents alone comes first.

    Parameters
    ----------
    groups : the respondents with each combination, in the order of `questions`

    Returns None if there are too many combinations to try all changes.
    """
    if len(groups) * len(questions) > MAX_CELLS_TO_CHANGE:
        return None
    now, changes = group_sizes(groups), []
    for place, question in enumerate(questions):
        answers: Counter[Stored | None] = Counter()
        for combination, respondents in groups.items():
            answers[combination[place]] += respondents
        for sentence, merged in ways_to_merge(question, answers):
            after: Counter[Answers] = Counter()
            for combination, respondents in groups.items():
                new = merged(combination[place])
                after[(*combination[:place], new, *combination[place + 1 :])] += respondents
            sizes = group_sizes(after)
            if (sizes.alone, -sizes.smallest) < (now.alone, -now.smallest):
                changes.append(Change(sentence, sizes))
    return tuple(sorted(changes, key=lambda each: (each.after.alone, -each.after.smallest)))


Merge = Callable[[Stored | None], Stored | None]


def ways_to_merge(
    question: Question, answers: Mapping[Stored | None, int]
) -> list[tuple[str, Merge]]:
    """Sentences, each with the stored answer in place of each stored answer."""
    ways: list[tuple[str, Merge]] = [
        (translate("Leave out “%(question)s”", question=question.label), lambda _: None)
    ]
    if question.grid is not None and question.grid.size > RANGES:
        grid, width = question.grid, math.ceil(question.grid.size / RANGES)
        # The special answers follow the values of the grid.
        ways.append(
            (
                translate(
                    "Put the answers to “%(question)s” into %(number)s ranges",
                    question=question.label,
                    number=math.ceil(grid.size / width),
                ),
                lambda place: (
                    int(place) // width
                    if place is not None and int(place) < grid.size
                    else place
                    if place is None
                    else -int(place)
                ),
            )
        )
    elif question.grid is None and isinstance(question.form, OneOf):
        rarest = sorted(
            (
                place
                for place in answers
                if place is not None and int(place) < len(question.choices)
            ),
            key=lambda place: (answers[place], int(place)),
        )[:2]
        if len(rarest) == 2 and len(question.choices) > 2:
            first, second = sorted(map(int, rarest))
            labels = [question.choices[place].label for place in (first, second)]
            ways.append(
                (
                    translate(
                        "Merge “%(first)s” and “%(second)s” in “%(question)s”",
                        first=labels[0],
                        second=labels[1],
                        question=question.label,
                    ),
                    lambda place: first if place == second else place,
                )
            )
    return ways
