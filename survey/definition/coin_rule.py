"""Randomising by hand: which questions people can answer with real coins, without a program.

The rule for k answers: toss a coin in secret. Heads: say your real answer. Tails: toss as many
coins as it takes to number k answers; the coins choose the answer, and numbers above k are tossed
again. Each answer is so reported with probability 1/2 + 1/(2k) if it is true and 1/(2k) if not:
the table of the coin flip, odds k + 1. What is sent is what the coins made of it; the server never
sees them. How well people keep to the rule nobody knows, so these responses are a group of their
own in the results.
"""

from collections.abc import Iterator, Sequence
from itertools import product

from survey.definition.questions import Question

MAX_TOSSED_ANSWERS = 8  # three coins number them


def tossable(question: Question) -> bool:
    """Whether the question's table is the one that the rule above comes to."""
    table = question.table
    if not question.kind.single_choice or table is None:
        return False
    k = table.answers
    rows = tuple(tuple(k + 1 if x == y else 1 for y in range(k)) for x in range(k))
    return k <= MAX_TOSSED_ANSWERS and table.rows == rows


def tosses(answers: int) -> list[tuple[tuple[bool, ...], int | None]]:
    """What the coins of the tails side say: for each way that they can fall, True for heads, the
    place of the answer to choose, or None where all are to be tossed again."""
    ways = product((True, False), repeat=(answers - 1).bit_length())
    return [(way, place if place < answers else None) for place, way in enumerate(ways)]


def by_hand_faults(
    questions: Sequence[Question], sample: int | None, series: str | None, invitations: bool
) -> Iterator[str]:
    """The reasons why a survey cannot have paper-and-coin mode."""
    if all(question.plain for question in questions):
        yield "needs at least one private question."
    if invitations:
        yield "does not support invitations yet. Turn one of them off."
    if sample is not None:
        yield "needs reports on every private question, without a sample."
    if series is not None:
        yield "does not support a series, because new coin tosses in each wave could be averaged."
    for question in questions:
        if question.relevant is not None:
            yield f"needs questions without conditions, but {question.name!r} has one."
        if not question.plain and not tossable(question):
            yield (
                "needs the coin flip for every private question, with at most "
                f"{MAX_TOSSED_ANSWERS} answers and without “prefer not to say”. Change "
                f"{question.name!r}."
            )
