"""Paper-and-coin mode: the rule for real coins, and the questions that support it.

The rule for k answers: toss a coin in secret. Heads: give your real answer. Tails: toss as many
coins as are needed to number k answers. These coins choose the answer; numbers above k are tossed
again.

A true answer is then reported with probability 1/2 + 1/(2k), and any other answer with probability
1/(2k). This is the table of the coin flip, with the likelihood ratio bound k + 1. The respondent
sends only the result of the rule, and the server never sees the coins. Nobody knows how well people
follow the rule, so the results show these responses as a separate group.
"""

from collections.abc import Iterator, Sequence
from itertools import product

from survey.core.translate import translate
from survey.definition.questions import Question

# Three coins can number 8 answers.
MAX_TOSSED_ANSWERS = 8


def tossable(question: Question) -> bool:
    """Whether the rule above produces the question's table."""
    table = question.table
    # Each row of the table must be one choice: no range of numbers, and no set of boxes.
    if table is None or table.answers != len(question.choices) + len(question.special_answers):
        return False
    k = table.answers
    rows = tuple(tuple(k + 1 if x == y else 1 for y in range(k)) for x in range(k))
    return k <= MAX_TOSSED_ANSWERS and table.rows == rows


def tosses(answers: int) -> list[tuple[tuple[bool, ...], int | None]]:
    """The outcome of the coins after tails, for each way in which they can fall.

    Each way is a tuple with True for heads. With it comes the place of the answer to choose, or
    None if the respondent tosses all coins again.
    """
    ways = product((True, False), repeat=(answers - 1).bit_length())
    return [(way, place if place < answers else None) for place, way in enumerate(ways)]


def by_hand_faults(
    questions: Sequence[Question], sample: int | None, series: str | None, invitations: bool
) -> Iterator[str]:
    """The reasons why real coins cannot do everything that the browser does in this survey."""
    if all(question.non_private for question in questions):
        yield translate("needs at least one private question.")
    if invitations:
        yield translate("does not support invitations yet. Turn one of them off.")
    if sample is not None:
        yield translate("needs reports on all private questions, not on a sample of them.")
    if series is not None:
        yield translate(
            "does not support a series, because new coin tosses in each wave could be averaged."
        )
    for question in questions:
        if question.derived is not None or not question.sent:
            yield translate(
                "does not support derived answers, because paper cannot calculate them. Remove "
                "'%(name)s'.",
                name=question.name,
            )
            continue
        if question.relevant is not None:
            yield translate(
                "needs questions without conditions, but '%(name)s' has one.", name=question.name
            )
        elif question.choice_conditions:
            yield translate(
                "needs choices without conditions, but those of '%(name)s' have some.",
                name=question.name,
            )
        if not question.non_private and not tossable(question):
            yield translate(
                "needs two coin flips for every private question, with at most %(most)s answers "
                "and without “prefer not to say”. Change '%(name)s'.",
                most=MAX_TOSSED_ANSWERS,
                name=question.name,
            )
