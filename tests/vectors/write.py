"""Writes randomizers.json: what each mechanism's randomizer makes of given random words.

The file is the agreement between the two halves: test_vectors.py holds Python to it and
browser/test_randomizer.py holds static/respondent/randomizer.js to it. Any other client that draws
reports can be held to it too. A word is one of the 2^32 values of a random 32-bit word. There are
three lists, each entry of them with its vectors:

    tables  [answer, word, report]: the number of the column; null if the word must be redrawn
    bits    [answer, [word, ...], report]: the text that is sent. The words are used in this order
            and all of them; some must be redrawn. An answer is a row; for boxes true where ticked
    rounds  [steps, width, word, point]: a number's point of the coarse grid; null as above

The samplers of the factored randomizers (bits) are implemented here a second time, from the
definition and in the order in which words are drawn. Their only random decision is whether a ticket
of n tickets is among the first m. Therefore they also run on a list of words, and test_vectors.py
runs them on exact fractions. Run `make vectors` after you add a mechanism.
"""

import json
import math
from bisect import bisect_right
from collections import defaultdict
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass
from fractions import Fraction
from itertools import accumulate, islice
from pathlib import Path
from typing import Any

from survey.core.factored_randomizers import (
    Boxes,
    FactoredRandomizer,
    SubsetSelection,
    UnaryEncoding,
)
from survey.core.mechanisms import MECHANISMS, LocalRandomizer, build_randomizer

FILE = Path(__file__).parent / "randomizers.json"
WORDS = 2**32
MANY = 8  # answers; of more, not every row has all its vectors in the file

Answer = int | tuple[bool, ...]
Chance = Callable[[int, int], bool]  # hits, tickets: whether a ticket is among the first `hits`


@dataclass(frozen=True)
class Example:
    """An example of a registered mechanism; `kind` is the first kind of answers it serves."""

    mechanism: str
    kind: str
    answers: int
    parameters: dict[str, Any]
    randomizer: LocalRandomizer


def examples() -> dict[str, Example]:
    """Every example of every registered mechanism, by a title."""
    found = {}
    for name, mechanism in MECHANISMS.items():
        kind = mechanism.serves[0]
        for answers, parameters in mechanism.examples:
            given = ", ".join([str(answers), *(f"{k}={v}" for k, v in parameters.items())])
            built = build_randomizer({"mechanism": name, **parameters}, kind, answers)
            found[f"{name}({given})"] = Example(name, kind, answers, parameters, built)
    return found


def limit(tickets: int) -> int:
    """Words from here on are redrawn: below it every remainder is equally frequent."""
    return WORDS - WORDS % tickets


def spread(first: int) -> Iterator[int]:
    """Words spread evenly over all the words (Knuth's multiplicative sequence)."""
    while True:
        first = (first + 0x9E3779B9) % WORDS
        yield first


# Tables: one word, one walk along the row


def report(row: Sequence[int], word: int) -> int | None:
    """Found by bisection over the running totals, where the browser walks and subtracts."""
    total = sum(row)
    return bisect_right(list(accumulate(row)), word % total) if word < limit(total) else None


def words(row: Sequence[int], thorough: bool = True) -> list[int]:
    """Both ends of each report's block of tickets, both ends of the words, and some between.

    Of a row that need not be thorough, the last ticket of each block and the first redrawn word.
    """
    total, ends = sum(row), list(accumulate(row))
    last = limit(total)
    lasts = {end - 1 for end, entry in zip(ends, row, strict=True) if entry}
    if not thorough:
        return sorted(lasts | ({last} - {WORDS}))
    edges = lasts | {0, *ends} - {total}
    far = {last - total, last - 1, last, WORDS - 1} - {WORDS}
    return sorted(edges | far | set(islice(spread(0), 6)))


# Factored randomizers: a word, or several where some are redrawn, for each question to chance


def picked(count: int, size: int, chance: Chance) -> list[bool]:
    """Knuth's algorithm S (The Art of Computer Programming, 3.4.2): so many of so many things.

    Each thing in turn is taken with the chance of those that are missing in those that are left.
    """
    taken: list[bool] = []
    for left in range(count, 0, -1):
        taken.append(chance(size - sum(taken), left))
    return taken


def bit(rows: Sequence[Sequence[int]], is_set: bool, chance: Chance) -> str:
    """A bit through its table, whose first row and column stand for "set"."""
    row = rows[0] if is_set else rows[1]
    return "1" if chance(row[0], row[0] + row[1]) else "0"


def unary(spec: UnaryEncoding, answer: int, chance: Chance) -> str:
    return "".join(bit(spec.rows, choice == answer, chance) for choice in range(spec.answers))


def subset(spec: SubsetSelection, answer: int, chance: Chance) -> str:
    """First whether the answer is in the set, then which of the other choices are."""
    holding, lacking = spec.size * spec.near, (spec.answers - spec.size) * spec.far
    inside = chance(holding, holding + lacking)
    others = picked(spec.answers - 1, spec.size - inside, chance)
    return "".join("01"[taken] for taken in [*others[:answer], inside, *others[answer:]])


def boxes(spec: Boxes, answer: Sequence[bool], chance: Chance) -> str:
    """First which boxes are reported, then each of those through its table."""
    places = picked(spec.answers, spec.sample, chance)
    return "".join(
        bit(spec.rows, ticked, chance) if reported else "-"
        for reported, ticked in zip(places, answer, strict=True)
    )


def text(spec: FactoredRandomizer, answer: Any, chance: Chance) -> str:
    """The report of a factored randomizer as it is sent."""
    if isinstance(spec, UnaryEncoding):
        return unary(spec, answer, chance)
    if isinstance(spec, SubsetSelection):
        return subset(spec, answer, chance)
    if isinstance(spec, Boxes):
        return boxes(spec, answer, chance)
    raise TypeError(f"There is no sampler for {spec}.")


def tickets(spec: FactoredRandomizer) -> list[int]:
    """Among how many tickets each draw of a report is, in order; the same whatever the answer."""
    if isinstance(spec, UnaryEncoding):
        return [sum(spec.rows[0])] * spec.answers
    if isinstance(spec, SubsetSelection):
        return [spec.total, *range(spec.answers - 1, 0, -1)]
    if isinstance(spec, Boxes):
        return [*range(spec.answers, 0, -1), *[sum(spec.rows[0])] * spec.sample]
    raise TypeError(f"There are no draws of {spec}.")


def answers(spec: FactoredRandomizer) -> list[Answer]:
    """Every answer; of boxes, none ticked, all, each third, and the first or last alone."""
    if not isinstance(spec, Boxes):
        return list(range(spec.answers))
    k = spec.answers
    patterns = [[False] * k, [True] * k, [box % 3 == 1 for box in range(k)]]
    alone = [[box == place for box in range(k)] for place in (0, k - 1)]
    return [tuple(pattern) for pattern in (*patterns, *alone)]


def from_words(tape: Iterable[int]) -> Chance:
    """Chance as a page has it: the remainder of the next word that need not be redrawn."""
    rest = iter(tape)

    def chance(hits: int, of: int) -> bool:
        return next(word for word in rest if word < limit(of)) % of < hits

    return chance


Choose = Callable[[int, int, int], list[int]]  # draw, hits, tickets: words, the last one accepted


def recorded(spec: FactoredRandomizer, answer: Answer, choose: Choose) -> tuple[list[int], str]:
    """All the words that `choose` gives, and the report that they make."""
    draws: list[list[int]] = []

    def chance(hits: int, of: int) -> bool:
        draws.append(choose(len(draws), hits, of))
        return draws[-1][-1] % of < hits

    made = text(spec, answer, chance)
    return [word for words in draws for word in words], made


def edge(hit: bool, hits: int, of: int) -> int:
    """The last ticket that hits, or the first that misses, where there is one."""
    return max(hits - 1, 0) if hit else min(hits, of - 1)


def hits_from(first: int) -> Choose:
    return lambda draw, hits, of: [edge(draw >= first, hits, of)]


def hits_once(only: int) -> Choose:
    return lambda draw, hits, of: [edge(draw == only, hits, of)]


def far_edges(draw: int, hits: int, of: int) -> list[int]:
    """Hits and misses in turn with the last words that are accepted, after all that are not."""
    redrawn = [limit(of), WORDS - 1] if limit(of) < WORDS else []
    return [*redrawn, limit(of) - of + edge(draw % 2 == 0, hits, of)]


def anywhere(start: int) -> Choose:
    source = spread(start)
    return lambda draw, hits, of: [next(word for word in source if word < limit(of))]


def tapes(
    spec: FactoredRandomizer, answer: Answer, thorough: bool = True
) -> list[tuple[list[int], str]]:
    """Words and the report that they make; for an answer that need not be thorough, a few."""
    draws = len(tickets(spec))
    choices = [hits_from(0), hits_from(draws), far_edges, anywhere(0)]
    if thorough:
        choices += [hits_from(draw) for draw in range(1, draws)]
        choices += [hits_once(draw) for draw in range(draws)]
        choices += [anywhere(start) for start in range(1, 4)]
    return [recorded(spec, answer, choose) for choose in choices]


Course = tuple[bool, ...]  # whether the first few draws hit


def followed(
    spec: FactoredRandomizer, answer: Answer, course: Course
) -> tuple[str, Fraction, list[Course]]:
    """The report where the draws go on to hit, how likely that is, and where else they can go."""
    path: list[bool] = []
    factors: list[Fraction] = []
    elsewhere: list[Course] = []

    def chance(hits: int, of: int) -> bool:
        new = len(path) >= len(course)
        hit = hits > 0 if new else course[len(path)]
        if new and 0 < hits < of:
            elsewhere.append((*path, not hit))
        path.append(hit)
        factors.append(Fraction(hits if hit else of - hits, of))
        return hit

    return text(spec, answer, chance), math.prod(factors, start=Fraction(1)), elsewhere


def chances(spec: FactoredRandomizer, answer: Answer) -> dict[str, Fraction]:
    """Exactly how likely each report is, over every course that the draws can take."""
    found: dict[str, Fraction] = defaultdict(Fraction)
    courses: list[Course] = [()]
    while courses:
        made, likely, elsewhere = followed(spec, answer, courses.pop())
        found[made] += likely
        courses += elsewhere
    return dict(found)


# Numbers: a step of the fine grid becomes a point of the coarse one below or above it

ROUNDS = [
    (steps, width)
    for width in (1, 2, 3, 7, 10, 4000)
    for steps in sorted({0, 1, width - 1, width, width + 1, 5 * width - 1, 5 * width + width // 2})
]


def point(steps: int, width: int, word: int) -> int | None:
    """Up with a chance of (steps mod width) in width, so that the mean stays what it was."""
    below, beyond = divmod(steps, width)
    return below + (word % width < beyond) if word < limit(width) else None


# The file


def thorough(place: int, count: int) -> bool:
    """Whether the answer has all its vectors in the file."""
    return count <= MANY or place in (0, count // 2, count - 1)


def record(example: Example) -> dict[str, Any]:
    built = example.randomizer
    about = {
        "mechanism": example.mechanism,
        "kind": example.kind,
        "answers": example.answers,
        "parameters": example.parameters,
        "sha256": built.sha256,
        "epsilon": round(built.epsilon, 12),
    }
    if isinstance(built, FactoredRandomizer):
        given = answers(built)
        vectors = [
            [answer, tape, made]
            for place, answer in enumerate(given)
            for tape, made in tapes(built, answer, thorough(place, len(given)))
        ]
        return {**about, "bits": built.as_json(), "vectors": vectors}
    vectors = [
        [answer, word, report(row, word)]
        for answer, row in enumerate(built.rows)
        for word in words(row, thorough(answer, built.answers))
    ]
    return {**about, "rows": built.rows, "vectors": vectors}


def content() -> dict[str, list]:
    records = [record(example) for example in examples().values()]
    return {
        "tables": [entry for entry in records if "rows" in entry],
        "bits": [entry for entry in records if "bits" in entry],
        "rounds": [
            [steps, width, word, point(steps, width, word)]
            for steps, width in ROUNDS
            for word in words((steps % width, width - steps % width))
        ],
    }


def written() -> str:
    """The content as JSON, one line for each entry of a record, and one for all the rounds."""

    def compact(value: Any) -> str:
        return json.dumps(value, separators=(",", ":"))

    def lines(entry: dict[str, Any]) -> str:
        return ",\n".join(f'  "{key}": {compact(value)}' for key, value in entry.items())

    whole = content()
    parts = [
        f'"{name}": [\n' + ",\n".join(f" {{\n{lines(entry)}\n }}" for entry in whole[name]) + "\n]"
        for name in ("tables", "bits")
    ]
    return "{\n" + ",\n".join([*parts, f'"rounds": {compact(whole["rounds"])}']) + "\n}\n"


if __name__ == "__main__":
    FILE.write_text(written(), encoding="utf-8")
