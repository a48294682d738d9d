"""The audit of the respondents' sampler, in four layers, none of which is enough alone.

* Exact: scripted random words. Every block of tickets begins and ends where the table says. Every
  word has the effect that the definition says. A small source, enumerated completely, gives exactly
  the table's counts.
* Statistical: real randomness. Many draws for each answer are compared with the table.
* Joint: real randomness. Two questions of one respondent share nothing.
* Instrumented: where the randomness comes from, what happens without it, and what is refused.

The audit covers every example of every mechanism: tables, and the factored randomizers with reports
of bits (survey/core/factored_randomizers.py). It also covers the two functions `pick` and `round`.

Each layer takes the text of randomizer.js and yields its findings: sentences that describe faults.
Without findings, the layer passes. The tests in test_randomizer.py run the layers on the real file.
Those in test_audit.py run them on broken copies, where the first finding is enough.

Passing the last three layers alone proves nothing. Only the exact layer detects a leak in one draw
of a thousand, and only the instrumented layer distinguishes a bad generator from a good one. The
module significance.py states how rarely a layer reports a fault in a correct file, and how small a
fault the statistical layer detects. The tests in test_audit.py compute this for the draws here.
"""

import json
import math
import random
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from fractions import Fraction
from functools import cache
from itertools import combinations, combinations_with_replacement
from typing import Any

import numpy as np
from playwright.sync_api import Browser, Page

from survey.core.factored_randomizers import (
    Boxes,
    FactoredRandomizer,
    OneHot,
    SubsetSelection,
    UnaryEncoding,
)
from survey.core.mechanisms import LocalRandomizer
from survey.core.randomizer import Randomizer
from tests.support.lengths import length
from tests.support.project import ROOT
from tests.vectors import write

from .significance import ALPHA, dependence, epsilon_bound, event_bound, misfit

SOURCE = ROOT / "static" / "respondent" / "randomizer.js"
WORDS = 2**32
# The number of draws of a table's report, for each answer.
DRAWS = 1_000_000

Randomizers = Mapping[str, LocalRandomizer]
Findings = list[str]

# One table redraws a quarter of all words. The other never redraws a word.
THIRSTY = Randomizer(((2**31, 2**30), (2**30, 2**31)))
FULL = Randomizer(((3 * 2**30, 2**30), (2**30, 3 * 2**30)))
# The largest number of reports that one digit can represent.
TEN = Randomizer(tuple(tuple(3 if x == y else 1 for y in range(10)) for x in range(2)))

EXAMPLES: Randomizers = {name: each.randomizer for name, each in write.examples().items()}
AUDITED: Randomizers = {
    **EXAMPLES, "total 3 * 2^30": THIRSTY, "total 2^32": FULL, "ten reports": TEN
}  # fmt: skip

# Small enough to try every sequence of small words.
NARROW: Mapping[str, FactoredRandomizer] = {
    "three bits": UnaryEncoding(3, ((2, 2), (1, 3))),
    "two of four": SubsetSelection(4, 2, 3, 1),
    "three of four": SubsetSelection(4, 3, 2, 1),
    "one box of three": Boxes(3, 1, ((3, 1), (1, 3))),
    "two boxes of four": Boxes(4, 2, ((2, 1), (1, 2))),
    "all of three boxes": Boxes(3, 3, ((2, 1), (1, 2))),
}
# Sources that are enumerated completely.
SMALL = [2**bits for bits in (8, 9, 12, 16, 18)]
LARGEST = length(2**16, 2**18)
# Pairs (count, size) with the full real source.
PICKED = [(7, 2), (6, 3), (10, 1), (5, 4)]
ROUNDED = [(17, 5), (1, 2), (9, 10), (12, 4)]  # (steps, width)


def tables(audited: Randomizers) -> dict[str, Randomizer]:
    return {name: each for name, each in audited.items() if isinstance(each, Randomizer)}


def factored(audited: Randomizers) -> dict[str, FactoredRandomizer]:
    return {name: each for name, each in audited.items() if isinstance(each, FactoredRandomizer)}


def as_page(audited: LocalRandomizer) -> dict[str, Any]:
    """The randomizer in the page's form. Choices have numbers as names here."""
    if isinstance(audited, Randomizer):
        return {"rows": audited.rows}
    return {**audited.as_json(), "answers": list(range(audited.answers))}


def answers(audited: LocalRandomizer) -> list[write.Answer]:
    """The answers in the page's form."""
    if isinstance(audited, Randomizer):
        return list(range(audited.answers))
    return write.answers(audited)


def tickets(audited: LocalRandomizer) -> list[int]:
    """The number of tickets of each draw of a report."""
    return [audited.total] if isinstance(audited, Randomizer) else write.tickets(audited)


def padded(table: Randomizer, report: int) -> str:
    """A table's report in the form in which it is sent."""
    return str(report).zfill(len(str(table.reports - 1)))


@contextmanager
def blank(browser: Browser) -> Iterator[Page]:
    """A page for the layers. Each layer begins with a new document in it."""
    context = browser.new_context()
    yield context.new_page()
    context.close()


def load(page: Page, source: str) -> None:
    """A new document that has run this source as a script."""
    page.goto("about:blank")
    page.add_script_tag(content=source)


# Exact layer.

# crypto.getRandomValues returns the scripted words, one for each call, and no more. JSON both ways
# is much faster than Playwright's own serialisation.
SCRIPTED = """(given) => {
    const [name, first, cases] = JSON.parse(given);
    return JSON.stringify(cases.map(([second, words]) => {
        let used = 0;
        crypto.getRandomValues = (array) => {
            if (used === words.length) throw 'asked for one word too many'; // a text: quicker
            array[0] = words[used];
            used += 1;
            return array;
        };
        try {
            return [randomizer[name](first, second), used];
        } catch (error) {
            return [`${error}`, used];
        }
    }));
}"""

# Every sequence of this many words of a small source. It counts results, including the text of an
# error, and 'redrawn' if the words are not enough.
ENUMERATED = """(given) => JSON.stringify(JSON.parse(given).map(
    ([name, first, second, draws, words]) => {
        const counts = {};
        for (let number = 0; number < words ** draws; number += 1) {
            let rest = number;
            let used = 0;
            const draw = () => {
                if (used === draws) throw 'redrawn';
                used += 1;
                const word = rest % words;
                rest = (rest - word) / words;
                return word;
            };
            let made;
            try {
                made = `${randomizer[name](first, second, draw, words)}`;
                if (used < draws) made += ` after ${used} words`;
            } catch (error) {
                made = `${error}`;
            }
            counts[made] = (counts[made] ?? 0) + 1;
        }
        return counts;
    }
))"""

# The number of words of a tape that each answer uses. Many words on the tape are redrawn.
THIRST = """(given) => {
    const [spec, answers, tapes] = JSON.parse(given);
    return JSON.stringify(answers.map((answer) => tapes.map((tape) => {
        let used = 0;
        const draw = () => {
            used += 1;
            return tape[(used - 1) % tape.length];
        };
        try {
            randomizer.report(spec, answer, draw);
        } catch {
            return -1; // for every answer, then this test says nothing
        }
        return used;
    })));
}"""


def replay(page: Page, name: str, first: Any, cases: Sequence) -> list[list]:
    """The function's result and the number of words that it used, for each (argument, words)."""
    return json.loads(page.evaluate(SCRIPTED, json.dumps([name, first, cases])))


def compared(title: str, got: Sequence, cases: Sequence, wanted: Sequence) -> Findings:
    """The first difference, and the number of differences."""
    wrong = [
        f"{title}: answer {answer}, words {words}: report and words used are {here}, not {there}"
        for (answer, words), here, there in zip(cases, got, wanted, strict=True)
        if here != there
    ]
    return [f"{wrong[0]} (and {len(wrong) - 1} more)"] if wrong else []


def scripts(row: tuple[int, ...], seed: int) -> list[list[int]]:
    """Words for the production path. Each list is exactly long enough for one draw."""
    first = 0
    tickets = []
    for entry in row:
        if entry:
            tickets += [first, first + entry - 1]
        first += entry
    limit = write.limit(first)
    redrawn = [[limit, 0], [WORDS - 1, limit, first - 1]] if limit < WORDS else []
    # Words of full width, to detect code that depends on more of the word than its ticket.
    # Always the same words, so there is no false alarm and no missed fault.
    source = random.Random(seed)
    wide = [source.randrange(limit) for _ in range(1_000)]
    return [[word] for word in [*tickets, limit - first, limit - 1, *wide]] + redrawn


@cache
def scripts_of_table(table: Randomizer) -> tuple[list, list]:
    """Pairs (answer, words), with the report of an independent walk.

    The number of words that it uses comes with it.
    """
    cases = [
        (answer, words) for answer, row in enumerate(table.rows) for words in scripts(row, answer)
    ]
    # Only the last word of a script counts. The words before it are redrawn.
    return cases, [
        (write.report(table.rows[answer], words[-1]), len(words)) for answer, words in cases
    ]


def scripted_table(page: Page, name: str, table: Randomizer) -> Findings:
    """The production path with known words, compared with the report of an independent walk."""
    cases, wanted = scripts_of_table(table)
    findings = []
    for function, first, reports in (
        ("randomize", table.rows, [[report, used] for report, used in wanted]),
        ("report", as_page(table), [[padded(table, report), used] for report, used in wanted]),
    ):
        got = replay(page, function, first, cases)
        findings += compared(f"{name}: {function}", got, cases, reports)
    return findings


@cache
def scripts_of_bits(spec: FactoredRandomizer) -> tuple[list, list]:
    """Pairs (answer, words), with the text that the samplers of the vectors make of them."""
    source = random.Random(spec.answers)
    cases, wanted = [], []
    for answer in write.answers(spec):
        wide = [
            write.recorded(spec, answer, lambda _, __, of: [source.randrange(write.limit(of))])
            for _ in range(200)
        ]
        for words, text in [*write.tapes(spec, answer), *wide]:
            cases.append((answer, words))
            wanted.append([text, len(words)])
    return cases, wanted


def scripted_bits(page: Page, name: str, spec: FactoredRandomizer) -> Findings:
    cases, wanted = scripts_of_bits(spec)
    return compared(name, replay(page, "report", as_page(spec), cases), cases, wanted)


@dataclass(frozen=True)
class Enumerated:
    """A call with this many words, its draws in turn among `of` tickets, and its probabilities.

    The probabilities are those of its results.
    """

    title: str
    call: tuple[str, Any, Any]
    of: Sequence[int]
    words: int
    chances: Mapping[str, Fraction]

    def finding(self, got: Mapping[str, int]) -> Findings:
        """Compare all sequences of words of a small source with the exact probabilities.

        Sequences with a redraw are omitted.
        """
        accepted = math.prod(self.words // tickets * tickets for tickets in self.of)
        wanted = {made: chance * accepted for made, chance in self.chances.items() if chance}
        if redrawn := self.words ** len(self.of) - accepted:
            wanted["redrawn"] = Fraction(redrawn)
        if got == wanted:
            return []
        wanted_counts = [(made, int(count)) for made, count in wanted.items()]
        return [f"{self.title}, all of {self.words} words: {got}, not {wanted_counts}"]


def enumerated(page: Page, each: Sequence[Enumerated]) -> Findings:
    """All of these calls in one script."""
    given = json.dumps([[*one.call, len(one.of), one.words] for one in each])
    found = json.loads(page.evaluate(ENUMERATED, given))
    return [said for one, got in zip(each, found, strict=True) for said in one.finding(got)]


@cache
def of_table(name: str, table: Randomizer) -> list[Enumerated]:
    """With the two smallest sources that are not smaller than the table, up to the largest."""
    return [
        Enumerated(
            f"{name}: answer {answer}",
            ("randomize", table.rows, answer),
            [table.total],
            words,
            {str(y): table.probability(y, answer) for y in range(table.reports)},
        )
        for words in [w for w in SMALL if table.total <= w <= LARGEST][:2]
        for answer in range(table.answers)
    ]


@cache
def of_bits(name: str, spec: FactoredRandomizer) -> list[Enumerated]:
    """With the smallest sufficient source, and the next one, which redraws other words."""
    of = write.tickets(spec)
    return [
        Enumerated(
            f"{name}: answer {answer}",
            ("report", as_page(spec), answer),
            of,
            words,
            write.chances(spec, answer),
        )
        for words in (max(of), max(of) + 1)
        for answer in write.answers(spec)
    ]


def pick_chances(count: int, size: int) -> dict[str, Fraction]:
    """Every subset is equally likely. The list is in JavaScript's format."""
    subsets = [
        ",".join("true" if place in taken else "false" for place in range(count))
        for taken in combinations(range(count), size)
    ]
    return dict.fromkeys(subsets, Fraction(1, len(subsets)))


def round_chances(steps: int, width: int) -> dict[str, Fraction]:
    """Upwards with probability (steps mod width) / width."""
    below, beyond = divmod(steps, width)
    return {
        str(below): Fraction(width - beyond, width), str(below + 1): Fraction(beyond, width)
    }  # fmt: skip


@cache
def of_parts() -> list[Enumerated]:
    """Every subset of up to five things, and every number with up to seven steps to a point."""
    picked = [("pick", count, size) for count in range(1, 6) for size in range(count + 1)]
    rounded = [("round", steps, width) for width in range(1, 8) for steps in range(2 * width + 1)]
    return [
        Enumerated(f"{call}", call, range(call[1], 0, -1), 6, pick_chances(*call[1:]))
        for call in picked
    ] + [Enumerated(f"{call}", call, [call[2]], 16, round_chances(*call[1:])) for call in rounded]


def thirst(page: Page, name: str, audited: LocalRandomizer) -> Findings:
    """The same words are used in the same way for every answer.

    The number of words therefore reveals nothing about it.
    """
    source = random.Random(name)
    # Most totals redraw half of the first kind. A zero is never redrawn, so it ends the draw.
    often = [0, 1, WORDS // 3, WORDS // 2, WORDS - 2, WORDS - 1, WORDS - 1]
    tapes = [[*(source.choice(often) for _ in range(96)), 0] for _ in range(20)]
    tapes += [[source.randrange(WORDS) for _ in range(97)] for _ in range(20)]
    given = json.dumps([as_page(audited), answers(audited), tapes])
    used = json.loads(page.evaluate(THIRST, given))
    if all(each == used[0] for each in used):
        return []
    return [f"{name}: how many words are drawn depends on the answer: {used}"]


def exact(page: Page, source: str, audited: Randomizers = AUDITED) -> Iterator[str]:
    load(page, source)
    for name, each in audited.items():
        yield from thirst(page, name, each)
    all_of_them = [*of_parts()]
    for name, table in tables(audited).items():
        yield from scripted_table(page, name, table)
        all_of_them += of_table(name, table)
    for name, spec in factored(audited).items():
        yield from scripted_bits(page, name, spec)
    yield from enumerated(page, all_of_them)
    if factored(audited):
        yield from enumerated(page, [e for n, s in NARROW.items() for e in of_bits(n, s)])


# Statistical layer.

# One call of the browser's generator takes 2 microseconds, mostly for the transfer. The generator
# therefore fills 16,384 words at once, while randomizer.js still requests and receives one at a
# time. The words come from the same generator. test_randomizer.py also runs the layer without this.
IN_BLOCKS = """() => {
    const real = crypto.getRandomValues.bind(crypto);
    const block = new Uint32Array(16384);
    let next = block.length;
    crypto.getRandomValues = (array) => {
        if (array.length !== 1) return real(array);
        if (next === block.length) {
            real(block);
            next = 0;
        }
        array[0] = block[next];
        next += 1;
        return array;
    };
}"""

COUNTED = """([rows, answer, draws]) => {
    const counts = rows[0].map(() => 0);
    for (let i = 0; i < draws; i += 1) counts[randomizer.randomize(rows, answer)] += 1;
    return counts;
}"""

# The count of each result, as JSON.
RESULTS = """([name, first, second, draws]) => {
    const counts = new Map();
    for (let i = 0; i < draws; i += 1) {
        const made = `${randomizer[name](first, second)}`;
        counts.set(made, (counts.get(made) ?? 0) + 1);
    }
    return JSON.stringify([...counts]);
}"""


def counted(page: Page, name: str, first: Any, second: Any, draws: int) -> dict[str, int]:
    return dict(json.loads(page.evaluate(RESULTS, [name, first, second, draws])))


def matched(chances: Mapping[str, Fraction], counts: Mapping[str, int]) -> tuple[list, list]:
    """Probabilities and counts of the same results in the same order."""
    made = sorted(chances.keys() | counts.keys())
    return [chances.get(each, Fraction(0)) for each in made], [counts.get(each, 0) for each in made]


def statistical_tables(page: Page, audited: Mapping[str, Randomizer], draws: int) -> Iterator[str]:
    """Two families: each row's chi-square, and each table's lower bound on epsilon."""
    rows = sum(table.answers for table in audited.values())
    for name, table in audited.items():
        counts = []
        for answer, row in enumerate(table.rows):
            counts.append(page.evaluate(COUNTED, [table.rows, answer, draws]))
            if sum(counts[-1]) != draws:
                yield f"chi-square: {name}: answer {answer} gives no known report"
            elif (p := misfit(row, counts[-1])) < ALPHA / rows:
                yield f"chi-square: {name}: answer {answer}: {counts[-1]} (p = {p:.1g})"
        bound = epsilon_bound(counts, ALPHA / len(audited))
        if bound > table.epsilon:
            yield f"epsilon: {name}: {bound} at least, not {table.epsilon}"


def extremes(spec: FactoredRandomizer) -> tuple[write.Answer, write.Answer]:
    """Two answers that differ as much as possible: for boxes, none ticked and all."""
    given = write.answers(spec)
    return (given[0], given[1]) if isinstance(spec, Boxes) else (given[0], given[-1])


def draws_of_bits(spec: FactoredRandomizer, answer: write.Answer, draws: int) -> int:
    """The number of reports to draw: fewer than for tables, and few for most answers.

    A report takes a draw for each bit.
    """
    most = min(draws // 2, draws * 8 // spec.answers)
    return most if answer in extremes(spec) else min(most, draws // 20)


# For each answer, the count of each text.
Sample = dict[write.Answer, dict[str, int]]


def sampled(
    page: Page, audited: Mapping[str, FactoredRandomizer], draws: int
) -> Iterator[tuple[str, Sample]]:
    """A sample of each randomizer in turn, drawn on request."""
    for name, spec in audited.items():
        yield (
            name,
            {
                answer: counted(
                    page, "report", as_page(spec), answer, draws_of_bits(spec, answer, draws)
                )
                for answer in write.answers(spec)
            },
        )


LETTERS = "10-"


def alone(spec: FactoredRandomizer, answer: Any, place: int) -> list[Fraction]:
    """The probability of each letter at a place, by survey/core/factored_randomizers.py."""
    if isinstance(spec, OneHot):
        one, there = (spec.p if place == answer else spec.q), Fraction(1)
    else:
        there = Fraction(spec.sample, spec.answers)
        one = there * spec.table.probability(0, 0 if answer[place] else 1)
    return [one, there - one, 1 - there]


def together(spec: FactoredRandomizer, answer: Any, i: int, j: int) -> list[Fraction]:
    """The probability of each pair of letters at two places; the second place changes first."""
    first, second = alone(spec, answer, i), alone(spec, answer, j)
    if isinstance(spec, OneHot):
        both = spec.both_own if answer in (i, j) else spec.both_other
        if isinstance(spec, UnaryEncoding):
            both = first[0] * second[0]
        one_only, other_only = first[0] - both, second[0] - both
        zero = Fraction(0)
        return [both, one_only, zero, other_only, 1 - both - one_only - other_only, *[zero] * 4]
    k, s = spec.answers, spec.sample
    reported = Fraction(s * (s - 1), k * (k - 1)) / Fraction(s, k) ** 2 if k > 1 else Fraction(0)
    of_two = [[a * b * reported for b in second[:2]] for a in first[:2]]
    rest = [a - sum(pairs) for a, pairs in zip(first[:2], of_two, strict=True)]
    other = [b - of_two[0][y] - of_two[1][y] for y, b in enumerate(second[:2])]
    cells = [*of_two[0], rest[0], *of_two[1], rest[1], *other]
    return [*cells, 1 - sum(cells)]


def misshapen(spec: FactoredRandomizer, text: str) -> bool:
    """Whether the number of letters, or of one kind of letter, differs from every valid report."""
    wrong = len(text) != spec.answers or not set(text) <= set(LETTERS)
    if isinstance(spec, SubsetSelection):
        wrong |= text.count("1") != spec.size
    return wrong or text.count("-") != spec.answers - spec.reported


def pairs(spec: FactoredRandomizer, texts: Mapping[str, int]) -> dict[tuple[int, int], list[int]]:
    """The count of each pair of letters at each two places; the second place changes first."""
    codes = np.frombuffer("".join(texts).encode(), dtype=np.uint8).reshape(len(texts), spec.answers)
    # For each text and place, one of three. It is exact, because these integers are below 2^24.
    each = (codes[:, :, None] == np.frombuffer(LETTERS.encode(), dtype=np.uint8)).astype(np.float32)
    times = np.array(list(texts.values()), dtype=np.float32)
    flat = each.reshape(len(texts), -1)
    both = (flat.T @ (flat * times[:, None])).astype(int)
    found = both.reshape(spec.answers, len(LETTERS), spec.answers, len(LETTERS))
    return {
        (i, j): found[i, :, j].ravel().tolist()
        for i, j in combinations_with_replacement(range(spec.answers), 2)
    }


def events(spec: FactoredRandomizer, texts: Mapping[str, int]) -> np.ndarray:
    """The count of each pair of letters, and of texts without 0."""
    together = [count for counts in pairs(spec, texts).values() for count in counts]
    return np.array([*together, sum(n for text, n in texts.items() if "0" not in text)])


# The expected count of each report that is needed to test all reports at once.
LEAST = 50


def reports(spec: FactoredRandomizer) -> int:
    """The number of different reports."""
    if isinstance(spec, SubsetSelection):
        return math.comb(spec.answers, spec.size)
    if isinstance(spec, Boxes):
        return math.comb(spec.answers, spec.sample) * 2**spec.sample
    return 2**spec.answers


all_chances = cache(write.chances)


def misfits(
    spec: FactoredRandomizer, answer: write.Answer, texts: Mapping[str, int]
) -> Iterator[tuple[str, Sequence[float], list[int]]]:
    """The tests of an answer's reports: letters alone, letters in pairs, whole reports."""
    for (i, j), counts in pairs(spec, texts).items():
        if i == j:
            # Each letter is paired with itself.
            yield f"letter {i}", alone(spec, answer, i), counts[::4]
        else:
            yield f"letters {i} and {j}", together(spec, answer, i, j), counts
    draws = sum(texts.values())
    # The rarest report is at most as likely as the average one, which needs no sums.
    if draws >= LEAST * reports(spec):
        whole = all_chances(spec, answer)
        if min(whole.values()) * draws >= LEAST:
            yield "whole reports", *matched(whole, texts)


def tests_of_bits(audited: Mapping[str, FactoredRandomizer]) -> int:
    """An upper bound for the number of chi-square tests."""
    return sum(len(write.answers(s)) * (1 + math.comb(s.answers + 1, 2)) for s in audited.values())


def statistical_bits(
    audited: Mapping[str, FactoredRandomizer], samples: Iterable[tuple[str, Sample]]
) -> Iterator[str]:
    """Two families of tests.

    One has the chi-squares of letters, pairs of letters and whole reports. The other has each
    randomizer's lower bound on epsilon.
    """
    tests = tests_of_bits(audited)
    for name, sample in samples:
        spec = audited[name]
        texts = {text for counts in sample.values() for text in counts}
        if wrong := sorted(text for text in texts if misshapen(spec, text)):
            yield f"shape: {name}: {wrong[0]!r}"
            continue
        for answer, counted_texts in sample.items():
            for what, chances, counts in misfits(spec, answer, counted_texts):
                if (p := misfit(chances, counts)) < ALPHA / tests:
                    title = f"chi-square: {name}: answer {answer}: {what}"
                    yield f"{title}: {counts[:9]} (p = {p:.1g})"
        if (bound := loss_bound(spec, sample, ALPHA / len(audited))) > spec.epsilon:
            yield f"epsilon: {name}: {bound} at least, not {spec.epsilon}"


def loss_bound(spec: FactoredRandomizer, sample: Sample, share: float) -> float:
    """A lower bound of the randomizer's epsilon, from two answers that differ most."""
    one, other = (sample[answer] for answer in extremes(spec))
    return event_bound(events(spec, one), events(spec, other), sum(one.values()), share)


def statistical_parts(page: Page, draws: int) -> Iterator[str]:
    """One family: every subset is picked equally often.

    Numbers are rounded up with the right frequency.
    """
    calls = [("pick", *each, pick_chances(*each)) for each in PICKED]
    calls += [("round", *each, round_chances(*each)) for each in ROUNDED]
    for name, first, second, chances in calls:
        counts = counted(page, name, first, second, draws)
        if (p := misfit(*matched(chances, counts))) < ALPHA / len(calls):
            yield f"chi-square: {name}({first}, {second}): {counts} (p = {p:.1g})"


def statistical(
    page: Page, source: str, audited: Randomizers = AUDITED, draws: int = DRAWS
) -> Iterator[str]:
    """All families: two of tables, two of bits, and one of the functions that both use."""
    load(page, source)
    page.evaluate(IN_BLOCKS)
    yield from statistical_parts(page, draws // 5)
    yield from statistical_tables(page, tables(audited), draws)
    bits = factored(audited)
    yield from statistical_bits(bits, sampled(page, bits, draws))


# Joint layer.

# As respond.js does: all questions of a respondent at once, then the next respondent. Of a text of
# bits, only the first four letters count.
RESPONDENTS = """([pair, answers, draws]) => {
    const specs = JSON.parse(pair); // two questions never have one array between them
    const [together, neighbours] = [{}, {}];
    const count = (counts, a, b) => {
        counts[a] ??= {};
        counts[a][b] = (counts[a][b] ?? 0) + 1;
    };
    let last = null;
    for (let i = 0; i < draws; i += 1) {
        const [one, two] = specs.map((spec, question) =>
            randomizer.report(spec, answers[question]).slice(0, 4));
        count(together, one, two);
        if (last !== null) count(neighbours, one, last);
        last = two;
    }
    return JSON.stringify([together, neighbours]); // much faster than Playwright's own form
}"""


def matrix(counts: Mapping[str, Mapping[str, int]]) -> list[list[int]]:
    columns = sorted({column for row in counts.values() for column in row})
    return [[counts[row].get(column, 0) for column in columns] for row in sorted(counts)]


def joint(
    page: Page, source: str, audited: Randomizers = AUDITED, draws: int = DRAWS // 10
) -> Iterator[str]:
    """Two questions of one respondent, and the second with the next respondent's first.

    Each randomizer is paired with itself, where a shared word is easiest to detect: the remainders
    of one word by two totals without a common factor are independent. Each is also paired with the
    next one.
    """
    names = list(audited)
    couples = [*zip(names, names, strict=True), *zip(names, names[1:] + names[:1], strict=True)]
    load(page, source)
    page.evaluate(IN_BLOCKS)
    for couple in couples:
        specs = [audited[name] for name in couple]
        given = [answers(specs[0])[0], answers(specs[1])[-1]]
        texts = json.dumps([as_page(spec) for spec in specs])
        found = json.loads(page.evaluate(RESPONDENTS, [texts, given, draws]))
        for where, counts in zip(("one respondent", "neighbours"), found, strict=True):
            if (p := dependence(matrix(counts))) < ALPHA / (2 * len(couples)):
                yield f"{couple} of {where}: {counts} (p = {p:.1g})"


# Instrumented layer.

RECORDED = """([audited, repeats]) => {
    const real = crypto.getRandomValues.bind(crypto);
    const findings = new Set();
    let asked = [];
    let redrawn = 0;
    Math.random = () => {
        findings.add('Math.random is called');
        throw new Error('Math.random is called');
    };
    crypto.getRandomValues = (array) => {
        real(array);
        asked.push([array.constructor.name, array.length, [...array]]);
        return array;
    };
    const attempt = (what, task) => {
        asked = [];
        try {
            task();
        } catch (error) {
            findings.add(`${what}: ${error}`);
        }
    };
    // one accepted word for each draw among so many tickets in turn, after those that are not
    const account = (tickets) => {
        if (asked.some(([type, length]) => type !== 'Uint32Array' || length !== 1)) {
            findings.add('a draw asks for something else than one 32-bit word');
            return;
        }
        let draw = 0;
        for (const [, , [word]] of asked) {
            if (draw === tickets.length) findings.add('a draw goes on after its accepted word');
            else if (word < 2 ** 32 - (2 ** 32 % tickets[draw])) draw += 1;
            else redrawn += 1;
        }
        if (draw < tickets.length) findings.add('a draw takes fewer accepted words than it must');
    };
    for (let i = 0; i < repeats; i += 1) {
        // one report of each answer of each randomizer in turn, as questions follow each other
        for (const [spec, answers, tickets] of audited) {
            for (const answer of answers) {
                attempt('report', () => {
                    randomizer.report(spec, answer);
                    account(tickets);
                });
            }
        }
        attempt('pick', () => {
            randomizer.pick(6, 2);
            account([6, 5, 4, 3, 2, 1]);
        });
        attempt('round', () => {
            randomizer.round(17, 5);
            account([5]);
        });
        attempt('identifier', () => {
            const id = randomizer.identifier();
            const [type, length, bytes] = asked[0] ?? [];
            const hexadecimal = bytes?.map((byte) => (byte + 256).toString(16).slice(1)).join('');
            const once = asked.length === 1 && type === 'Uint8Array' && length === 16;
            if (!once || id !== hexadecimal) {
                findings.add('an identifier is not 16 random bytes in hexadecimal');
            }
        });
    }
    return [[...findings], redrawn];
}"""


def sources(page: Page, source: str, audited: Randomizers = AUDITED) -> Findings:
    """All randomness is crypto.getRandomValues, with one accepted 32-bit word for each draw."""
    load(page, source)
    given = [[as_page(each), answers(each), tickets(each)] for each in [*audited.values(), THIRSTY]]
    findings, redrawn = page.evaluate(RECORDED, [given, 50])
    # THIRSTY redraws a quarter of the words. None in 100 draws has probability (3/4)^100 = 3e-13.
    return findings + ([] if redrawn else ["no word is ever redrawn"])


# The state of the browser before randomizer.js runs, and what happens after that.
WITHOUT = {
    "no crypto": ("Object.defineProperty(globalThis, 'crypto', { value: undefined });", ""),
    "no getRandomValues": ("Object.defineProperty(globalThis, 'crypto', { value: {} });", ""),
    "getRandomValues is no function": ("crypto.getRandomValues = 4;", ""),
    "getRandomValues throws": ("crypto.getRandomValues = () => { throw new Error('spent'); };", ""),
    "getRandomValues gives nothing": ("crypto.getRandomValues = () => undefined;", ""),
    "getRandomValues goes away": ("", "crypto.getRandomValues = undefined;"),
}
BOXES = "{ kind: 'boxes', answers: ['a', 'b', 'c'], sample: 2, rows: [[3, 1], [1, 3]] }"
SUBSET = "{ kind: 'subset', answers: ['a', 'b', 'c'], size: 2, near: 3, far: 1 }"
UNARY = "{ kind: 'unary', answers: ['a', 'b', 'c'], rows: [[3, 1], [1, 3]] }"
NEED_RANDOMNESS = (
    "randomizer.randomize([[3, 1], [1, 3]], 0)",
    "randomizer.report({ rows: [[3, 1], [1, 3]] }, 0)",
    f"randomizer.report({BOXES}, [true, false, true])",
    f"randomizer.report({SUBSET}, 0)",
    f"randomizer.report({UNARY}, 0)",
    "randomizer.pick(3, 1)",
    "randomizer.round(5, 2)",
    "randomizer.identifier()",
)


def attempted(page: Page, calls: Sequence[str]) -> list[list | None]:
    """The result of each call as a list of one, or None if it throws.

    All calls are in one script, because most of the time is for the transfer.
    """
    each = ", ".join(f"() => {call}" for call in calls)
    return page.evaluate(
        f"[{each}].map((call) => {{ try {{ return [call()]; }} catch {{ return null; }} }})"
    )


# The results of the calls in a frame for each state, which is faster than a document.
IN_STATES = """([source, states, calls]) => states.map(([before, after]) => {
    const frame = document.body.appendChild(document.createElement('iframe'));
    for (const text of [before, source, after]) {
        const script = frame.contentDocument.createElement('script');
        script.textContent = text;
        frame.contentDocument.body.append(script);
    }
    const given = calls.map((call) => {
        try {
            return [frame.contentWindow.eval(call)];
        } catch {
            return null;
        }
    });
    frame.remove();
    return given;
})"""


def in_states(
    page: Page, source: str, states: Sequence[tuple[str, str]]
) -> list[list[list | None]]:
    """The result of each call that needs randomness in each state; None if it throws."""
    page.goto("about:blank")
    return page.evaluate(IN_STATES, [source, states, NEED_RANDOMNESS])


def fallbacks(page: Page, source: str) -> Findings:
    """Without secure randomness, each function that needs it throws."""
    found = in_states(page, source, [*WITHOUT.values()])
    return [
        f"{state}: {call} gives {got} and does not throw"
        for state, all_given in zip(WITHOUT, found, strict=True)
        for call, got in zip(NEED_RANDOMNESS, all_given, strict=True)
        if got is not None
    ]


# Arguments of check, as JavaScript, which it must refuse. Each name describes the fault.
REFUSED = {
    "no rows": "[], 1",
    "not a table": "null, 1",
    "a row that is no list": "[[3, 1], null], 2",
    "one row": "[[3, 1]], 2",
    "rows without reports": "[[], []], 1",
    "one report": "[[4], [4]], 1",
    "infinity stated": "[[4, 0], [1, 3]], Infinity",
    "rows of unequal length": "[[3, 1], [1, 2, 1]], 9",
    "a longer second row with the same total": "[[2, 2], [2, 2, 0]], 9",
    "unequal totals": "[[3, 1], [3, 2]], 9",
    "a negative entry": "[[5, -1], [1, 3]], 9",
    "a negative column": "[[5, -1], [5, -1]], 9",
    "fractions": "[[2.5, 1.5], [1.5, 2.5]], 9",
    "a text for a number": "[['3', '1'], ['1', '3']], 9",
    "null for a number": "[[4, null], [4, null]], 9",
    "an entry that is not a number": "[[NaN, 1], [1, NaN]], 9",
    "an infinite entry": "[[Infinity, 1], [Infinity, 1]], 9",
    "an entry beyond exact whole numbers": "[[2 ** 53, 1], [2 ** 53, 1]], 9",
    "a total above 2^32": "[[2 ** 32, 1], [2 ** 32, 1]], 9",
    "a zero beside a positive entry": "[[4, 0], [1, 3]], 700",
    "a column of zeros": "[[3, 1, 0], [1, 3, 0]], 9",
    "only zeros": "[[0, 0], [0, 0]], 9",
    "no stated epsilon": "[[2, 2], [2, 2]]",
    "undefined stated": "[[2, 2], [2, 2]], undefined",
    "null stated": "[[2, 2], [2, 2]], null",
    "NaN stated": "[[2, 2], [2, 2]], NaN",
    "a text stated": "[[2, 2], [2, 2]], '1'",
    "a list stated": "[[2, 2], [2, 2]], [1]",
    "true stated": "[[2, 2], [2, 2]], true",
    "a negative epsilon stated": "[[2, 2], [2, 2]], -1",
    "1.05 times the epsilon stated": "[[3, 1], [1, 3]], Math.log(3) / 1.05",
}


def unlike(spec: str, **changes: str) -> str:
    return f"{{ ...{spec}, {', '.join(f'{key}: {value}' for key, value in changes.items())} }}"


# Arguments of verify for reports of bits. Each stated loss is valid except for the named fault.
LOG3 = "Math.log(3)"
REFUSED_BITS = {
    "no table at all": "undefined, 9",
    "neither a kind nor rows": "{}, 9",
    "an unknown kind": f"{unlike(UNARY, kind=repr('plain'))}, 9",
    "null for a kind": f"{unlike(UNARY, kind='null')}, 9",
    "an empty kind": f"{unlike(UNARY, kind=repr(''))}, 9",
    "bits: one loss stated, two added": f"{UNARY}, {LOG3}",
    "bits: almost both losses stated": f"{UNARY}, 2 * {LOG3} - 1e-9",
    "bits: unlike losses, twice the larger needed": (
        f"{unlike(UNARY, rows='[[4, 4], [2, 6]]')}, {LOG3} - 1e-9"
    ),
    "bits: a zero": f"{unlike(UNARY, rows='[[4, 0], [1, 3]]')}, 700",
    "bits: a zero on both sides": f"{unlike(UNARY, rows='[[4, 0], [4, 0]]')}, 700",
    "bits: a row too many": f"{unlike(UNARY, rows='[[3, 1], [1, 3], [2, 2]]')}, 9",
    "bits: a column too many": f"{unlike(UNARY, rows='[[2, 1, 1], [1, 1, 2]]')}, 9",
    "bits: unequal totals": f"{unlike(UNARY, rows='[[3, 1], [1, 2]]')}, 9",
    "bits: no rows": f"{unlike(UNARY, rows='undefined')}, 9",
    "bits: nothing stated": f"{unlike(UNARY, rows='[[2, 2], [2, 2]]')}",
    "bits: infinity stated": f"{UNARY}, Infinity",
    "boxes: the loss of one stated, two reported": f"{BOXES}, {LOG3}",
    "boxes: almost the loss of both stated": f"{BOXES}, 2 * {LOG3} - 1e-9",
    "boxes: none reported": f"{unlike(BOXES, sample='0')}, 9",
    "boxes: fewer than none reported": f"{unlike(BOXES, sample='-1')}, 9",
    "boxes: more reported than there are": f"{unlike(BOXES, sample='4')}, 9",
    "boxes: one and a half reported": f"{unlike(BOXES, sample='1.5')}, 9",
    "boxes: a text for a number": f"{unlike(BOXES, sample=repr('2'))}, 9",
    "boxes: not said how many": f"{unlike(BOXES, sample='undefined')}, 9",
    "boxes: no boxes": f"{unlike(BOXES, answers='undefined')}, 9",
    "boxes: a row too many": f"{unlike(BOXES, rows='[[3, 1], [1, 3], [2, 2]]')}, 9",
    "boxes: a column too many": f"{unlike(BOXES, rows='[[2, 1, 1], [1, 1, 2]]')}, 9",
    "boxes: a zero": f"{unlike(BOXES, rows='[[4, 0], [1, 3]]')}, 700",
    "boxes: no rows": f"{unlike(BOXES, rows='undefined')}, 9",
    "boxes: a text stated": f"{BOXES}, '9'",
    "boxes: nothing stated": f"{unlike(BOXES, rows='[[2, 2], [2, 2]]')}",
    "subset: less stated": f"{SUBSET}, {LOG3} - 1e-9",
    "subset: less stated, the answer rarer": f"{unlike(SUBSET, near='1', far='3')}, {LOG3} - 1e-9",
    "subset: of size nought": f"{unlike(SUBSET, size='0')}, 9",
    "subset: as large as the whole": f"{unlike(SUBSET, size='3')}, 9",
    "subset: of size one and a half": f"{unlike(SUBSET, size='1.5')}, 9",
    "subset: a text for its size": f"{unlike(SUBSET, size=repr('2'))}, 9",
    "subset: no size": f"{unlike(SUBSET, size='undefined')}, 9",
    "subset: no choices": f"{unlike(SUBSET, answers='undefined')}, 9",
    "subset: a negative weight": f"{unlike(SUBSET, far='-1')}, 9",
    "subset: weights of nought": f"{unlike(SUBSET, near='0', far='0')}, 9",
    "subset: no weight for others": f"{unlike(SUBSET, far='0')}, 700",
    "subset: fractions": f"{unlike(SUBSET, near='1.5', far='0.5')}, 9",
    "subset: no weights": f"{unlike(SUBSET, near='undefined', far='undefined')}, 9",
    "subset: a total above 2^32": f"{unlike(SUBSET, near='2 ** 31 + 1', far='2 ** 30')}, 9",
    "subset: infinity stated": f"{SUBSET}, Infinity",
    "subset: nothing stated": f"{unlike(SUBSET, near='2', far='2')}",
}


def refusals(page: Page, source: str, audited: Randomizers = AUDITED) -> Findings:
    """check and verify refuse invalid tables and those with less protection than stated.

    They refuse nothing else.
    """
    load(page, source)
    # Each call, and the finding if it is accepted.
    refuse: dict[str, str] = {}
    accept: dict[str, str] = {}
    for what, arguments in REFUSED.items():
        for call in (
            f"check({arguments})",
            f"verify(...((rows, stated) => [{{ rows }}, stated])({arguments}))",
        ):
            refuse[call] = f"lets pass: {what}: {call}"
    for what, arguments in REFUSED_BITS.items():
        refuse[f"verify({arguments})"] = f"verify lets pass: {what}: {arguments}"
    given = [("verify", name, as_page(each), each.epsilon) for name, each in audited.items()]
    given += [("check", name, each.rows, each.epsilon) for name, each in tables(audited).items()]
    for function, name, first, epsilon in given:
        spec = json.dumps(first)
        accept[f"{function}({spec}, {epsilon!r})"] = f"{name}: {function} refuses its own epsilon"
        refuse[f"{function}({spec}, {epsilon - 1e-9!r})"] = (
            f"{name}: {function} lets pass a smaller epsilon than its own"
        )
    calls = refuse | accept
    found = attempted(page, [f"randomizer.{call}" for call in calls])
    findings = [
        finding
        for (call, finding), got in zip(calls.items(), found, strict=True)
        if (got is None) is (call in accept)
    ]
    counted = attempted(
        page, [f"randomizer.epsilon({json.dumps(t.rows)})" for t in tables(audited).values()]
    )
    for (name, table), got in zip(tables(audited).items(), counted, strict=True):
        if got is None or abs(got[0] - table.epsilon) > 1e-12:
            findings.append(f"{name}: epsilon differs from Python's")
    return findings


def instrumented(page: Page, source: str, audited: Randomizers = AUDITED) -> Iterator[str]:
    yield from sources(page, source, audited)
    yield from refusals(page, source, audited)
    yield from fallbacks(page, source)


def layers(page: Page, source: str, audited: Randomizers, draws: int) -> dict[str, Iterator[str]]:
    """Every layer, which runs when a finding is requested. The joint one needs fewer draws."""
    return {
        "exact": exact(page, source, audited),
        "statistical": statistical(page, source, audited, draws),
        "joint": joint(page, source, audited, min(draws // 4, 50_000)),
        "instrumented": instrumented(page, source, audited),
    }
