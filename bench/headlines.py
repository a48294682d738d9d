"""How often a headline states something that is not true, for every type of question.

It writes docs/evidence/headlines.md and its data.

    python -m bench.headlines

With `--page`, it only writes the page.
Every cell has its own seed, made from its name. So any cell can be computed again alone, as
tests/estimation/test_headlines.py does with some.
"""

import os
import sys
import zlib
from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, replace
from functools import cache
from multiprocessing import Pool
from typing import Any

import numpy as np

from bench.evidence import EVIDENCE, Row, markdown_table, read_rows, wrapped, write_rows
from survey.core.factored_randomizers import Boxes, OneHot, SubsetSelection
from survey.core.scores import probabilities
from survey.definition.choices import NOT_ASKED, names_of
from survey.definition.questions import Question
from survey.definition.survey import parse_survey
from survey.estimation.build_results import question_results
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
from survey.estimation.types.select_multiple import boxes_of, combinations

NAME = "headlines"
DOCUMENT = EVIDENCE / "headlines.md"
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
# The name of the quantity in the headline of a number with the goal "quantiles".
MEDIAN = "quantile_50"
ROUNDING = 1e-6

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
    mean, median : float or None
    """

    shares: np.ndarray
    stated: dict[str, float]
    everyone: dict[str, float]
    mean: float | None = None
    median: float | None = None


def truth_of(question: Question, shape: str) -> Truth:
    """The true shares for a shape; those of a headline are among those asked."""
    weigh, of_boxes = SHAPES[shape]
    asked = 1.0
    if any(special.name == NOT_ASKED for special in question.special_answers):
        asked = ASKED
    given = asked * (1 - DECLINE if question.offers_to_decline else 1.0)
    size = size_of(question)
    if question.kind.boxes:
        shares = np.array(of_boxes)
    else:
        weights = np.asarray(weigh(np.arange(size, dtype=np.float64)))
        shares = weights / weights.sum()
    if question.type == "ranking":
        items = {f"c{place}": float(share) for place, share in enumerate(shares)}
        return Truth(shares_of_orders(question, items), items, items)
    special_answers = {"prefer_not_to_say": asked - given, NOT_ASKED: 1 - asked}
    every = np.append(
        shares * given, [special_answers[special.name] for special in question.special_answers]
    )
    everyone: dict[str, float] = {}
    mean = median = None
    if question.kind.numeric:
        values = [float(value) for value in question.number_grid]
        mean = float(shares @ values)
        median = values[int(np.argmax(shares.cumsum() >= 0.5 - ROUNDING))]
    else:
        names = names_of((*question.choices, *question.special_answers))
        everyone = {name: float(share) for name, share in zip(names, every, strict=True)}
        if question.kind.ordered:
            mean = float(shares @ np.arange(1, size + 1))
    stated = {name: share / asked for name, share in everyone.items() if name != NOT_ASKED}
    return Truth(every, stated, everyone, mean, median)


def size_of(question: Question) -> int:
    """The number of values, of choices, or of the items of a ranking."""
    if question.kind.numeric:
        return question.number_grid.size
    return len(question.listed)


def shares_of_orders(question: Question, items: dict[str, float]) -> np.ndarray:
    """The shares of all orders of the items (Plackett, Appl. Stat. 24 (1975) 193).

    Each place goes to one of the items that are left, with a probability proportional to its share.
    So an item is ranked first with its own share.
    """
    shares = []
    for order in question.choices:
        left, share = 1.0, 1.0
        for item in order.items[:-1]:
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
    chances = on_levels(question, shares) @ probabilities(question.table)
    return dict(enumerate(map(int, rng.multinomial(n, chances / chances.sum()))))


def on_levels(question: Question, shares: np.ndarray) -> np.ndarray:
    """The shares of the rows of the table. A number is rounded at random to one of its levels."""
    if question.levels is None or question.grid is None:
        return shares
    levels, places = question.levels, np.arange(question.grid.size)
    width = question.grid.width(levels.size)
    rounded = np.zeros(levels.size + 1)
    np.add.at(rounded, places // width, shares[: len(places)] * (1 - places % width / width))
    np.add.at(rounded, places // width + 1, shares[: len(places)] * (places % width / width))
    return np.append(rounded[: levels.size], shares[len(places) :])


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
    """Whether the interval of a share, mean or median that is named before the data misses it.

    None if the headline states no such interval.
    """
    if headline.kind == SHARE:
        [answer] = headline.answers
        return not answer.low <= truth.stated[answer.choice.name] <= answer.high
    if headline.kind == MEAN and result.lead is not None:
        correct = truth.median if result.lead.name == MEDIAN else truth.mean
        if correct is not None:
            slack = ROUNDING * abs(correct)
            return not result.lead.low - slack <= correct <= result.lead.high + slack
    return None


def old_headline(result: QuestionResults) -> Headline:
    """The headline of Candor before 2026-11-23: the largest estimate, with its own interval.

    Rankings came later; for them, this is the item with the largest estimate.
    """
    kind = result.question.kind
    answers = result.item_shares or result.answers
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


def summary_rows(results: dict[Cell, Measured]) -> list[dict[str, object]]:
    """The rows of the data: for each type and n, over all ε and shapes.

    `wrong` and `simpler rule` are the largest shares of wrong headlines, the second only of shapes
    in which one answer comes first. `ranks` is the mean share of headlines that rank answers, and
    `missed` the share of intervals that miss. Shares without surveys are empty.
    """
    rows: list[dict[str, object]] = []
    for kind in KINDS:
        for n in SIZES:
            here = {c: found for c, found in results.items() if (c[0], c[3]) == (kind.title, n)}
            found = list(here.values())
            told = sum(each.told for each in found)
            row: dict[str, object] = {"type of question": kind.title, "n": n}
            shares = dict.fromkeys(("wrong", "simpler rule", "ranks", "missed"), "")
            if told:
                shares["missed"] = share_text(sum(e.missed * e.told for e in found) / told)
            else:
                led = (each.old_wrong for cell, each in here.items() if cell[2] in WITH_LEADER)
                shares["wrong"] = share_text(max(each.wrong for each in found))
                shares["simpler rule"] = share_text(max(led))
                shares["ranks"] = share_text(sum(each.ranked for each in found) / len(found))
            rows.append(row | shares)
    return rows


def share_text(share: float) -> str:
    return f"{share:.3f}"


def percent(share: str | float) -> str:
    return f"{100 * float(share):.1f}"


SHOWN_SIZES = (50, 500, 5_000)


def ranking_table(rows: Sequence[Row]) -> str:
    """Types whose headlines choose an answer."""
    lines = []
    for title in dict.fromkeys(row["type of question"] for row in rows if row["wrong"]):
        mine = {int(row["n"]): row for row in rows if row["type of question"] == title}
        lines.append(
            [
                title,
                percent(max(float(row["wrong"]) for row in mine.values())),
                *(percent(mine[n]["simpler rule"]) for n in SHOWN_SIZES),
                *(percent(mine[n]["ranks"]) for n in SHOWN_SIZES),
            ]
        )
    heads = ["type of question", "wrong, any n", *(f"simpler rule, {n:,}" for n in SHOWN_SIZES)]
    return markdown_table([*heads, *(f"ranks, {n:,}" for n in SHOWN_SIZES)], lines)


def missed_table(rows: Sequence[Row]) -> str:
    """Types whose headlines state an interval of a share or mean."""
    lines = []
    for title in dict.fromkeys(row["type of question"] for row in rows if row["missed"]):
        missed = [float(row["missed"]) for row in rows if row["type of question"] == title]
        figures = (min(missed), sum(missed) / len(missed), max(missed))
        lines.append([title, *map(percent, figures)])
    return markdown_table(["type of question", "smallest", "mean", "largest"], lines)


def document(rows: Sequence[Row]) -> str:
    """The page that these rows of data lead to."""
    worst = max(float(row["wrong"] or 0) for row in rows)
    return wrapped(
        TEXT.format(
            cells=f"{len(list(cells())):,}",
            worst=percent(worst),
            draws=DRAWS,
            without_choice=DRAWS_WITHOUT_CHOICE,
            suspicious=percent(SUSPICIOUS),
            again=f"{AGAIN:,}",
            declined=percent(DECLINE),
            asked=percent(ASKED),
            ranking=ranking_table(rows),
            missed=missed_table(rows),
        )
    )


TEXT = """\
# Headlines

The results page states the main result of each question in one sentence, the
[headline](../explanation/mathematics.md#headlines). This page shows how often a headline is wrong
in simulated surveys with known true answers. In the worst of {cells} combinations of question, ε,
true answers and number of respondents, {worst} % of the headlines about choices, scales, boxes and
rankings are wrong. The project accepts at most 5 %.

`.venv/bin/python -m bench.headlines` repeats the study, and writes this page and its data,
[headlines.csv](data/headlines.csv), for 50 to 5,000 respondents. tests/estimation/test_headlines.py
repeats some combinations. For private questions, ε is 0.5, 1 or 4. There are {draws} surveys for
each combination ({without_choice} for yes/no questions and numbers), or {again} others if more than
{suspicious} % of the headlines are wrong.

## When is a headline wrong?

* It names an answer or several answers that come first, but an answer that it does not name has at
  least the same true share as one of them.
* It says that one of several answers comes first, but an answer that it does not name has at least
  the same true share as each of them.
* It states an interval for the answer that comes first, but the true share is not in the interval.

For a ranking, the share of an item is that of the orders with this item first. A headline that
states no order and no interval is never wrong.

## Choices, scales, boxes and rankings

The table is in percent. “Wrong” is the largest share of wrong headlines over all ε, true answers
and n. The simpler rule always says that the answer with the largest estimate comes first, with its
ordinary 95 % interval. Its columns have the largest share of wrong headlines for 50, 500 and 5,000
respondents, if one answer comes first. “Ranks” is the mean share of headlines that say which
answers come first: a rule that never did so would never be wrong, but useless.

{ranking}

“One table” is the mechanism `k_randomized_response`, or `joint_boxes` for boxes, and “bits” is
`optimized_unary_encoding`. Otherwise Candor chooses the mechanism. “For the mean” sets `"goal":
"mean"`. With “prefer not to say”, {declined} % of the respondents choose this answer, and “with a
condition”, only {asked} % are asked. There are five sets of true answers, of which boxes have the
last three: all choices have the same share; two leaders have 3 times the share of any other. Or
each has 0.85 times the share of the one before it (boxes: 45, 30, 22, 15, 12 %). Or one has 4 times
the share of any other (boxes: 70, 30, 30, 20, 10 %), or one has 90 % (boxes: 90, 2, 2, 1, 0 %).
Each further place of a ranking goes to a remaining item with a probability in proportion to its
share (Plackett 1975).

## Yes/no questions and numbers

Their headline states one 95 % interval. The table has the percentage of intervals that do not
contain the true value, over 50 to 5,000 respondents. If the coverage is exactly 95 %, it is 5 % on
average, with a standard error of at least 0.8 percentage points for yes/no questions, and 2.2 for
numbers.

{missed}
"""


def main() -> None:
    """Write the data and the page; with `--page`, only the page."""
    wrong = []
    if "--page" not in sys.argv:
        every = list(cells())
        results = {}
        with Pool(os.cpu_count()) as pool:
            for place, (cell, found) in enumerate(
                zip(every, pool.imap(measured, every, chunksize=4), strict=True), 1
            ):
                results[cell] = found
                print(f"\r{place} of {len(every)}", end="", file=sys.stderr, flush=True)
        print(file=sys.stderr)
        write_rows(NAME, summary_rows(results))
        wrong = [cell for cell, found in results.items() if found.wrong >= LIMIT]
    DOCUMENT.write_text(document(read_rows(NAME)), encoding="utf-8")
    sys.exit(f"Too many wrong headlines: {wrong}" if wrong else 0)


if __name__ == "__main__":
    main()
