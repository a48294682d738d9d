"""How often a headline states something that is not true, for every type of question.

It writes docs/evidence/headlines.md.

    python -m bench.headlines

Every cell has its own seed, made from its name. So any cell can be computed again alone, as
tests/estimation/test_headlines.py does with some.
"""

import os
import sys
import zlib
from collections import Counter
from collections.abc import Callable, Collection, Iterator, Sequence
from dataclasses import dataclass, replace
from functools import cache
from multiprocessing import Pool
from pathlib import Path
from typing import Any

import numpy as np

from survey.core.factored_randomizers import Boxes, OneHot, SubsetSelection
from survey.core.scores import probabilities
from survey.definition.choices import NOT_ASKED, listed_by_designer, names_of
from survey.definition.questions import Question
from survey.definition.survey import parse_survey
from survey.estimation.build_results import boxes_of, combinations, question_results
from survey.estimation.headlines import (
    EITHER,
    FIRST,
    MEAN,
    SHARE,
    TOGETHER,
    Headline,
    bounds,
)
from survey.estimation.results import QuestionResults

DOCUMENT = Path(__file__).parent.parent / "docs" / "evidence" / "headlines.md"
SEED = 20261123
SIZES = (50, 100, 200, 500, 1_000, 2_000, 5_000)
EPSILONS = (0.5, 1.0, 4.0)
DRAWS = 100
# For yes/no questions and numbers, whose headlines do not choose an answer. Their entries are
# means over all ε and shapes.
DRAWS_WITHOUT_CHOICE = 50
# A cell with more wrong headlines is drawn again, with this many draws.
SUSPICIOUS, AGAIN = 0.02, 1_000
LIMIT = 0.05
DECLINE, ASKED = 0.1, 0.4

Rng = np.random.Generator


@dataclass(frozen=True)
class Kind:
    """One row of the table: a type of question with its true answers.

    Attributes
    ----------
    entry : the definition of the question, without privacy
    privacy : the privacy for an ε, or "none"
    conditional : whether only 40 % of the respondents are asked
    epsilons : fewer values where a survey takes long to simulate
    """

    title: str
    entry: dict[str, Any]
    privacy: Callable[[float], Any]
    conditional: bool = False
    epsilons: tuple[float, ...] = EPSILONS


def choices(k: int) -> list[dict[str, str]]:
    return [{"name": f"c{place}", "label": f"Choice {place}"} for place in range(k)]


def usual(epsilon: float) -> dict[str, Any]:
    return {"epsilon": epsilon}


def plain(epsilon: float) -> str:
    return "none"


def mean_goal(epsilon: float) -> dict[str, Any]:
    return {"epsilon": epsilon, "goal": "mean"}


def by_mechanism(name: str) -> Callable[[float], dict[str, Any]]:
    return lambda epsilon: {"epsilon": epsilon, "mechanism": name}


YES_NO, ONE, MANY = {"type": "yes_no"}, {"type": "select_one"}, {"type": "select_multiple"}
ORDER = {"type": "ranking"}
SIX, FIVE = {"choices": choices(6)}, {"choices": choices(5)}
DECLINES = {"prefer_not_to_say": True}
NUMBER = {"type": "number", "min": 0, "max": 100}
KINDS = (
    Kind("yes/no", YES_NO, usual),
    Kind("yes/no, prefer not to say", YES_NO | DECLINES, usual),
    Kind("yes/no, with a condition", YES_NO, usual, True),
    Kind("yes/no, non-private", YES_NO, plain),
    Kind("choice of 3", ONE | {"choices": choices(3)}, usual),
    Kind("choice of 6", ONE | SIX, usual),
    Kind("choice of 6, one table", ONE | SIX, by_mechanism("k_randomized_response")),
    Kind("choice of 6, bits", ONE | SIX, by_mechanism("optimized_unary_encoding")),
    Kind("choice of 6, prefer not to say", ONE | SIX | DECLINES, usual),
    Kind("choice of 6, with a condition", ONE | SIX, usual, True),
    Kind(
        "choice of 6, one table, with a condition",
        ONE | SIX, by_mechanism("k_randomized_response"), True,
    ),
    Kind("choice of 6, non-private", ONE | SIX, plain),
    Kind("choice of 6, non-private, with a condition", ONE | SIX, plain, True),
    Kind("choice of 20", ONE | {"choices": choices(20)}, usual),
    Kind("scale of 5", {"type": "scale"} | FIVE, usual),
    Kind("scale of 5, for the mean", {"type": "scale"} | FIVE, mean_goal, epsilons=(1.0,)),
    Kind("5 boxes", MANY | FIVE, usual, epsilons=(1.0, 4.0)),
    Kind("5 boxes, one table", MANY | FIVE, by_mechanism("joint_boxes"), epsilons=(1.0, 4.0)),
    Kind("5 boxes, with a condition", MANY | FIVE, usual, True, (1.0, 4.0)),
    Kind("5 boxes, non-private", MANY | FIVE, plain),
    Kind("ranking of 3", ORDER | {"choices": choices(3)}, usual, epsilons=(1.0, 4.0)),
    Kind("ranking of 4", ORDER | {"choices": choices(4)}, usual, epsilons=(1.0, 4.0)),
    Kind("ranking of 4, non-private", ORDER | {"choices": choices(4)}, plain),
    Kind("number", NUMBER, usual, epsilons=(1.0,)),
    Kind("number, for the mean", NUMBER, mean_goal, epsilons=(1.0,)),
    Kind("number, non-private", NUMBER, plain),
)  # fmt: skip

# True shares of exclusive answers, as weights by place, and of boxes.
SHAPES: dict[str, tuple[Callable[[np.ndarray], np.ndarray], tuple[float, ...]]] = {
    "even": (np.ones_like, (0.2, 0.2, 0.2, 0.2, 0.2)),
    "two equal leaders": (lambda at: np.where(at < 2, 3.0, 1.0), (0.45, 0.45, 0.15, 0.15, 0.15)),
    "falling": (lambda at: 0.85**at, (0.45, 0.3, 0.22, 0.15, 0.12)),
    "one leader": (lambda at: np.where(at == 0, 4.0, 1.0), (0.7, 0.3, 0.3, 0.2, 0.1)),
    "one dominates": (
        lambda at: np.where(at == 0, 0.9, 0.1 / (len(at) - 1)),
        (0.9, 0.02, 0.02, 0.01, 0),
    ),
}
# The shapes in which one answer has the largest share.
WITH_LEADER = ("falling", "one leader", "one dominates")
# The shapes that are not simulated for a type, because this takes long.
LEFT_OUT = {
    "number": ("even", "two equal leaders", "one leader"),
    "select_multiple": ("even", "two equal leaders"),
}


@cache
def question_of(title: str, epsilon: float) -> Question:
    kind = next(kind for kind in KINDS if kind.title == title)
    first = {"name": "first", "type": "yes_no", "label": "?", "privacy": plain(0)}
    entry = {"name": "x", "label": "?", **kind.entry, "privacy": kind.privacy(epsilon)}
    if kind.conditional:
        if entry["privacy"] != "none":
            first["privacy"] = {"epsilon": epsilon}
        entry["relevant"] = {"first": "yes"}
    survey = parse_survey({"slug": "x", "title": "X", "questions": [first, entry]})
    return survey.questions[-1]


@dataclass(frozen=True)
class Truth:
    """The true answers of the people from whom the respondents are drawn.

    Attributes
    ----------
    shares : ndarray, shape (answers of the question,)
        The shares of all exclusive answers, or of all boxes and special answers.
    stated : by the name of each answer, its share among those asked
    everyone : by the name of each answer, its share among all respondents
    mean : float or None
    """

    shares: np.ndarray
    stated: dict[str, float]
    everyone: dict[str, float]
    mean: float | None = None


def truth_of(question: Question, shape: str) -> Truth:
    """The true shares for a shape; those of a headline are among those asked."""
    weigh, of_boxes = SHAPES[shape]
    asked = 1.0
    if any(extra.name == NOT_ASKED for extra in question.extras):
        asked = ASKED
    given = asked * (1 - DECLINE if question.offers_to_decline else 1.0)
    size = size_of(question)
    if question.kind.boxes:
        shares = np.array(of_boxes)
    else:
        weights = np.asarray(weigh(np.arange(size, dtype=np.float64)))
        shares = weights / weights.sum()
    if question.kind.ranks:
        items = {f"c{place}": float(share) for place, share in enumerate(shares)}
        return Truth(shares_of_orders(question, items), items, items)
    extras = {"prefer_not_to_say": asked - given, NOT_ASKED: 1 - asked}
    every = np.append(shares * given, [extras[extra.name] for extra in question.extras])
    everyone: dict[str, float] = {}
    mean = None
    if question.kind.numeric:
        mean = float(shares @ [float(value) for value in question.number_grid])
    else:
        names = names_of((*question.choices, *question.extras))
        everyone = {name: float(share) for name, share in zip(names, every, strict=True)}
        if question.kind.ordered:
            mean = float(shares @ np.arange(1, size + 1))
    stated = {name: share / asked for name, share in everyone.items() if name != NOT_ASKED}
    return Truth(every, stated, everyone, mean)


def size_of(question: Question) -> int:
    """The number of values, of choices, or of the items of a ranking."""
    if question.kind.numeric:
        return question.number_grid.size
    return len(listed_by_designer(question.choices))


def shares_of_orders(question: Question, items: dict[str, float]) -> np.ndarray:
    """The shares of all orders of the items (Plackett, Appl. Stat. 24 (1975) 193).

    Each place goes to one of the items that are left, with a probability proportional to its share.
    So an item is ranked first with its own share.
    """
    shares = []
    for order in question.choices:
        left, share = 1.0, 1.0
        for item in listed_by_designer([order])[:-1]:
            share, left = share * items[item.name] / left, left - items[item.name]
        shares.append(share)
    return np.array(shares)


def draw(question: Question, truth: Truth, n: int, rng: Rng) -> dict[int, int]:
    """The count of each report of n respondents, by its code."""
    if question.kind.boxes:
        return draw_boxes(question, truth, n, rng)
    shares = truth.shares / truth.shares.sum()
    if question.one_hot is not None:
        return bit_counts(bits_set(question.one_hot, rng.multinomial(n, shares), rng), n)
    if question.table is None:
        return dict(enumerate(map(int, rng.multinomial(n, shares))))
    chances = on_points(question, shares) @ probabilities(question.table)
    return dict(enumerate(map(int, rng.multinomial(n, chances / chances.sum()))))


def on_points(question: Question, shares: np.ndarray) -> np.ndarray:
    """The shares of the rows of the table. A number is rounded at random to one of its levels."""
    if question.points is None or question.grid is None:
        return shares
    points, places = question.points, np.arange(question.grid.size)
    width = question.grid.width(points.size)
    rounded = np.zeros(points.size + 1)
    np.add.at(rounded, places // width, shares[: len(places)] * (1 - places % width / width))
    np.add.at(rounded, places // width + 1, shares[: len(places)] * (places % width / width))
    return np.append(rounded[: points.size], shares[len(places) :])


def bits_set(randomizer: OneHot, people: np.ndarray, rng: Rng) -> np.ndarray:
    """The number of reports with each bit set, for the number of people with each answer."""
    k = len(people)
    own = rng.binomial(people, float(randomizer.p))
    if not isinstance(randomizer, SubsetSelection):
        return np.asarray(own + rng.binomial(people.sum() - people, float(randomizer.q)))
    total = own.astype(np.int64)
    for answer, (here, with_own) in enumerate(zip(people, own, strict=True)):
        # The other answers of a report are a random sample without replacement.
        sizes = np.full(here, randomizer.size)
        sizes[:with_own] -= 1
        order = rng.random((here, k - 1)).argsort(axis=1).argsort(axis=1)
        total[np.arange(k) != answer] += (order < sizes[:, np.newaxis]).sum(axis=0)
    return total


def bit_counts(ones: Sequence[int] | np.ndarray, n: int | np.ndarray) -> dict[int, int]:
    pairs = np.column_stack([ones, n - np.asarray(ones)]).ravel()
    return dict(enumerate(map(int, pairs)))


def draw_boxes(question: Question, truth: Truth, n: int, rng: Rng) -> dict[int, int]:
    """Boxes are ticked independently of each other by those who are asked and do not decline."""
    k = len(question.choices)
    special = truth.shares[k:]
    group = rng.choice(len(special) + 1, n, p=np.append(1 - special.sum(), special))
    ticked = np.zeros((n, len(truth.shares)), dtype=bool)
    ticked[:, :k] = rng.random((n, k)) < truth.shares[:k] / (1 - special.sum())
    ticked[group > 0] = False
    ticked[np.flatnonzero(group), k + group[group > 0] - 1] = True
    boxes = boxes_of(question)
    if boxes is None:
        table = question.table
        if table is None:
            raise TypeError("These boxes have no table.")
        powers = 2 ** np.arange(ticked.shape[1])
        people = np.bincount(ticked @ powers, minlength=int(powers.sum()) + 1)
        rows = (combinations(question) > 0) @ powers
        counts = rng.multinomial(people[rows], probabilities(table)).sum(axis=0)
        return dict(enumerate(map(int, counts)))
    return sampled_bits(boxes, ticked, rng)


def sampled_bits(boxes: Boxes, ticked: np.ndarray, rng: Rng) -> dict[int, int]:
    order = rng.random(ticked.shape).argpartition(boxes.sample - 1, axis=1)[:, : boxes.sample]
    picked = np.zeros(ticked.shape, dtype=bool)
    np.put_along_axis(picked, order, True, axis=1)
    p, q = float(boxes.table.probability(0, 0)), float(boxes.table.probability(0, 1))
    reported = rng.random(ticked.shape) < np.where(ticked, p, q)
    return bit_counts((reported & picked).sum(axis=0), picked.sum(axis=0))


def is_wrong(headline: Headline, true_shares: dict[str, float]) -> bool:
    """Whether a headline states an order, a set or an interval that is not true.

    An answer comes first only if its true share is above all others, and a set only if each of its
    true shares is. The interval of an answer is wrong if the answer was named because it came
    first, and the interval misses its true share.
    """
    named = [answer.choice.name for answer in headline.answers]
    rest = [share for name, share in true_shares.items() if name not in named]
    shares = [true_shares[name] for name in named if name in true_shares]
    if headline.kind == FIRST:
        low, high = bounds(headline.answers[0])
        return shares[0] <= max(rest) or not low <= shares[0] <= high
    if headline.kind == TOGETHER:
        return min(shares) <= max(rest)
    return headline.kind == EITHER and max(shares) <= max(rest)


def is_missed(headline: Headline, result: QuestionResults, truth: Truth) -> bool | None:
    """Whether the interval of a share or mean that is named before the data misses it.

    None if the headline states no such interval.
    """
    if headline.kind == SHARE:
        [answer] = headline.answers
        return not answer.low <= truth.stated[answer.choice.name] <= answer.high
    if headline.kind == MEAN and truth.mean is not None:
        slack = 1e-6 * truth.mean
        mean = result.quantities[0]
        return not mean.low - slack <= truth.mean <= mean.high + slack
    return None


def old_headline(result: QuestionResults) -> Headline:
    """The headline of Candor before 2026-11-23: the largest estimate, with its own interval.

    Rankings came later; for them, this is the item with the largest estimate.
    """
    kind = result.question.kind
    answers = result.firsts if kind.ranks else result.answers
    if kind.dichotomous or kind.numeric or not answers:
        return result.headline
    most = max(answers, key=lambda answer: answer.value)
    return Headline(FIRST, "", (replace(most, simultaneous=None),))


@dataclass(frozen=True)
class Measured:
    """Shares of the surveys of one cell.

    Attributes
    ----------
    wrong, old_wrong : the headline states something that is not true; so did the old one
    ranked : the headline names an answer or a set of answers that comes first
    missed : the interval of a share or mean misses, among the headlines with such an interval
    told : the number of these headlines
    """

    wrong: float
    old_wrong: float
    ranked: float
    missed: float
    told: int
    draws: int


Cell = tuple[str, float, str, int]  # title, epsilon, shape, n


def measured(cell: Cell, draws: int | None = None) -> Measured:
    """The result of one cell, drawn again with more surveys if many headlines are wrong."""
    title, epsilon, shape, n = cell
    question = question_of(title, epsilon)
    if draws is None:
        chosen = not (question.kind.numeric or question.kind.dichotomous)
        draws = DRAWS if chosen else DRAWS_WITHOUT_CHOICE
    truth = truth_of(question, shape)
    rng = np.random.default_rng([SEED, zlib.crc32("|".join(map(str, cell)).encode()), draws])
    tally: Counter[str] = Counter()
    for _ in range(draws):
        result = question_results(question, draw(question, truth, n, rng))
        headline = result.headline
        tally["wrong"] += is_wrong(headline, truth.stated)
        tally["old"] += is_wrong(old_headline(result), truth.everyone)
        tally["ranked"] += headline.kind in (FIRST, TOGETHER, EITHER)
        missed = is_missed(headline, result, truth)
        tally["told"] += missed is not None
        tally["missed"] += bool(missed)
    if draws < AGAIN and tally["wrong"] > SUSPICIOUS * draws:
        return measured(cell, AGAIN)
    shares = [tally[name] / draws for name in ("wrong", "old", "ranked")]
    missed_share = tally["missed"] / tally["told"] if tally["told"] else 0.0
    return Measured(*shares, missed_share, tally["told"], draws)


def epsilons_of(kind: Kind) -> tuple[float, ...]:
    """The values of ε; a non-private question has none, here 0."""
    return (0.0,) if kind.privacy is plain else kind.epsilons


def cells() -> Iterator[Cell]:
    for kind in KINDS:
        for epsilon in epsilons_of(kind):
            for shape in SHAPES:
                if shape in LEFT_OUT.get(kind.entry["type"], ()):
                    continue
                for n in SIZES:
                    yield kind.title, epsilon, shape, n


def document(results: dict[Cell, Measured]) -> str:
    """The page of evidence."""

    def of(title: str, n: int, shapes: Collection[str] = SHAPES) -> list[Measured]:
        return [
            found
            for cell, found in results.items()
            if (cell[0], cell[3]) == (title, n) and cell[2] in shapes
        ]

    def table(
        entry: Callable[[list[Measured]], str],
        titles: Sequence[str],
        shapes: Collection[str] = SHAPES,
    ) -> str:
        lines = ["| type of question | " + " | ".join(f"{n:,}" for n in SIZES) + " |"]
        lines.append("|---|" + "---|" * len(SIZES))
        for title in titles:
            entries = (entry(of(title, n, shapes)) for n in SIZES)
            lines.append(f"| {title} | " + " | ".join(entries) + " |")
        return "\n".join(lines)

    def most(name: str) -> Callable[[list[Measured]], str]:
        return lambda found: percent_text(max(getattr(each, name) for each in found))

    def mean_missed(found: list[Measured]) -> str:
        told = sum(each.told for each in found)
        return percent_text(sum(e.missed * e.told for e in found) / told) if told else "–"

    def mean_ranked(found: list[Measured]) -> str:
        return percent_text(sum(each.ranked for each in found) / len(found))

    titles = [kind.title for kind in KINDS]
    told = [t for t in titles if any(each.told for n in SIZES for each in of(t, n))]
    ranks = [t for t in titles if t not in told]
    worst = max(results.values(), key=lambda found: found.wrong)
    return TEXT.format(
        cells=f"{len(results):,}",
        worst=percent_text(worst.wrong),
        draws=DRAWS,
        without_choice=DRAWS_WITHOUT_CHOICE,
        suspicious=percent_text(SUSPICIOUS),
        again=f"{AGAIN:,}",
        declined=percent_text(DECLINE),
        asked=percent_text(ASKED),
        wrong=table(most("wrong"), ranks),
        old=table(most("old_wrong"), ranks, WITH_LEADER),
        ranked=table(mean_ranked, ranks),
        missed=table(mean_missed, told),
    )


def percent_text(share: float) -> str:
    return f"{100 * share:.1f} %"


TEXT = """\
# Headlines

The results page states the main result of each question in one sentence, the headline
([mathematics](../explanation/mathematics.md#headlines)). This page shows how often a headline is
wrong in simulated surveys with known true answers. The study has {cells} combinations of question,
true answers and number of respondents. For choices, scales, boxes and rankings, {worst} of the
headlines are wrong in the worst combination. The project accepts at most 5 %.

## When is a headline wrong?

A headline is wrong in each of these cases:

* It says that an answer comes first, but the true share of another answer is at least as large.
* It says that several answers come first, but an answer that it does not name has at least the same
  true share as one of them.
* It says that one of several answers comes first, but an answer that it does not name has at least
  the same true share as each of them.
* It states an interval for the answer that comes first, but the true share of this answer is not in
  the interval.

A headline that states no order and no interval is never wrong. An example is “There are too few
responses to say which answer comes first”.

These rules are for choices, scales, boxes and rankings. For a ranking, the items take the place of
the answers, and the share of an item is the share of the orders with this item first. The headline
of a yes/no question or of a number states one 95 % interval, and no order. The last table shows how
often this interval does not contain the true value.

## Method

`python -m bench.headlines` repeats the study and writes this page. The test
`tests/estimation/test_headlines.py` repeats some of the combinations.

A combination consists of a type of question, a privacy loss ε, a distribution of the true answers,
and a number of respondents. For private questions, ε is 0.5, 1 or 4. For each combination, the
study simulates {draws} surveys ({without_choice} for yes/no questions and numbers). If more than
{suspicious} of the headlines are wrong, it simulates {again} other surveys and uses only these.
The study leaves out some combinations that take long to simulate.

The tables add these words to the type of a question:

* **one table**: the mechanism is `k_randomized_response`, or `joint_boxes` for boxes.
* **bits**: the mechanism is `optimized_unary_encoding`.
* **for the mean**: the definition sets `"goal": "mean"`.
* **prefer not to say**: {declined} of the respondents choose “Prefer not to say”.
* **with a condition**: only {asked} of the respondents are asked the question.

If a private question has neither “one table” nor “bits”, Candor chooses the mechanism. The next
table shows the distributions of the true answers. For numbers, read “value” instead of “choice”.
For rankings, read “item”. Its share is the probability that it is ranked first. Each further place
goes to one of the remaining items, with probabilities proportional to their shares (Plackett 1975).

| distribution | true shares of the choices | true shares of 5 boxes |
|---|---|---|
| even | all the same | not simulated |
| two equal leaders | two choices each have 3 times the share of any other choice | not simulated |
| falling | each choice has 0.85 times the share of the choice before it | 45, 30, 22, 15, 12 % |
| one leader | one choice has 4 times the share of any other choice | 70, 30, 30, 20, 10 % |
| one dominates | one choice has 90 %, the others have equal shares | 90, 2, 2, 1, 0 % |

## Wrong headlines

In this table and the next ones, the column headings 50, 100, ... are numbers of respondents. For
each distribution and, for private questions, each ε, the study calculates the share of wrong
headlines. An entry of this table is the largest of these shares.

{wrong}

## Wrong headlines by a simpler rule

For comparison, a simpler rule always says that the answer with the largest estimate comes first,
and states its ordinary 95 % interval. An entry is the largest share of wrong headlines over all ε
and distributions. The distributions “even” and “two equal leaders” are not included, because no
single answer comes first in them.

{old}

## Headlines that rank answers

A rule that never ranks answers is never wrong, but it is useless. A headline ranks answers if it
says which answers come first, or that one of several answers comes first. An entry of this table
is the share of such headlines, averaged over all ε and distributions. In the distribution “even”,
no answer comes first, so a correct headline does not rank answers.

{ranked}

## Intervals in the headlines of yes/no questions and numbers

An entry is the share of intervals that do not contain the true value, over all ε and
distributions. If the coverage is exactly 95 %, an entry is 5 % on average. Its standard error is
then at least 0.8 percentage points for yes/no questions, and 2.2 for numbers.

{missed}
"""


def main() -> None:
    every = list(cells())
    results = {}
    with Pool(os.cpu_count()) as pool:
        for place, (cell, found) in enumerate(
            zip(every, pool.imap(measured, every, chunksize=4), strict=True), 1
        ):
            results[cell] = found
            print(f"\r{place} of {len(every)}", end="", file=sys.stderr, flush=True)
    print(file=sys.stderr)
    DOCUMENT.write_text(document(results))
    wrong = [cell for cell, found in results.items() if found.wrong >= LIMIT]
    sys.exit(f"Too many wrong headlines: {wrong}" if wrong else 0)


if __name__ == "__main__":
    main()
