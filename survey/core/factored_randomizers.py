"""Factored randomizers: one bit for each choice, where a single table would be too large.

A table of all reports for twenty choices would have a million columns. The randomizers here need
only a few integers, and still have an exact privacy loss:

* unary encoding: the answer becomes bits with one of them set, and each bit goes through `rows`;
* subset selection: the report is a set of `size` choices, and sets with the answer are likelier;
* boxes: a random sample of the boxes is reported, each through `rows`;
* part of a subset: for a question behind a joint question, the number of chosen combinations with
  each of its answers.

In a report each choice has one character: 1, 0, or - if it is not reported.
"""

import hashlib
import json
import math
from dataclasses import dataclass
from fractions import Fraction
from typing import Any

from survey.core.errors import ShapeError
from survey.core.exact_numbers import epsilon_of_ratio_bound
from survey.core.randomizer import MAX_TOTAL, Randomizer

SET = 0
CLEAR = 1


@dataclass(frozen=True)
class FactoredRandomizer:
    """The base of the factored randomizers. `answers` is the number of choices or bits."""

    answers: int

    @property
    def ratio_bound(self) -> Fraction | None:
        raise NotImplementedError

    def as_json(self) -> dict[str, Any]:
        """The data that a browser needs to draw a report."""
        raise NotImplementedError

    @property
    def reported(self) -> int:
        """The number of bits in one report."""
        return self.answers

    @property
    def epsilon(self) -> float:
        return epsilon_of_ratio_bound(self.ratio_bound)

    @property
    def sha256(self) -> str:
        """SHA-256 of `as_json` with sorted keys and no spaces, in hexadecimal."""
        text = json.dumps(self.as_json(), sort_keys=True, separators=(",", ":"))
        return hashlib.sha256(text.encode()).hexdigest()


@dataclass(frozen=True)
class OneHot(FactoredRandomizer):
    """One bit for each choice, with exactly one of them set in an answer.

    `p` is the probability that the answer's own bit is set in the report, and `q` that of any other
    bit. For covariances, `both_own` and `both_other` are the probabilities that two given bits are
    both set: `both_own` if one of them is the answer's, `both_other` if neither is.
    """

    @property
    def sizes(self) -> tuple[int, ...]:
        """The number of bits that each answer has; more than one only in `SubsetPart`."""
        return (1,) * self.answers

    def numbers_of(self, answer: int) -> tuple[int, int]:
        """The smallest and the largest number of an answer's bits that a report can set."""
        return 0, self.sizes[answer]

    @property
    def p(self) -> Fraction:
        raise NotImplementedError

    @property
    def q(self) -> Fraction:
        raise NotImplementedError

    @property
    def both_own(self) -> Fraction:
        raise NotImplementedError

    @property
    def both_other(self) -> Fraction:
        raise NotImplementedError


@dataclass(frozen=True)
class UnaryEncoding(OneHot):
    """Each bit of the one-hot answer goes through its own coin: `rows[SET]` or `rows[CLEAR]`.

    Two answers differ in two bits, once set and once clear. So the ratio bound is the product of
    the largest ratios in the two directions. Wang, Blocki, Li & Jha, USENIX Security 2017.
    """

    rows: tuple[tuple[int, int], tuple[int, int]]

    def __post_init__(self) -> None:
        table = Randomizer.from_rows(self.rows)
        if (table.answers, table.reports) != (2, 2) or self.answers < 2:
            raise ShapeError(
                "Unary encoding needs a 2 x 2 table and at least two choices. Change the table."
            )

    @property
    def ratio_bound(self) -> Fraction | None:
        if min(entry for row in self.rows for entry in row) == 0:
            return None
        ratios = [Fraction(a, b) for a, b in zip(*self.rows, strict=True)]
        return max(ratios) * max(1 / ratio for ratio in ratios)

    @property
    def p(self) -> Fraction:
        return Fraction(self.rows[SET][SET], sum(self.rows[SET]))

    @property
    def q(self) -> Fraction:
        return Fraction(self.rows[CLEAR][SET], sum(self.rows[CLEAR]))

    @property
    def both_own(self) -> Fraction:
        return self.p * self.q

    @property
    def both_other(self) -> Fraction:
        return self.q**2

    def as_json(self) -> dict[str, Any]:
        return {"kind": "unary", "answers": self.answers, "rows": self.rows}


@dataclass(frozen=True)
class SubsetSelection(OneHot):
    """A set of `size` choices, with weight `near` if it contains the answer, and `far` if not.

    C(k-1, d-1) sets contain the answer, and C(k-1, d) do not. So a set with the answer has
    probability d near / (d near + (k - d) far). All sets of one kind are equally likely.
    Ye & Barg, IEEE Trans. Inf. Theory 64 (2018) 5662; Wang et al., arXiv 1607.08025.
    """

    size: int
    near: int
    far: int

    def __post_init__(self) -> None:
        if not 1 <= self.size < self.answers or min(self.near, self.far) < 0:
            raise ShapeError(
                "Subset selection needs a size below the number of choices. Choose a smaller size."
            )
        if self.total > MAX_TOTAL or self.near == self.far:
            raise ShapeError(
                "The weights of subset selection must differ, and add up to at most 2^32. "
                "Change them."
            )

    @property
    def total(self) -> int:
        return self.size * self.near + (self.answers - self.size) * self.far

    @property
    def weight(self) -> int:
        """The sum of the weights of all subsets: `near` if the answer is in it, else `far`.

        It is C(m - 1, d - 1) near + C(m - 1, d) far for subsets of d of m choices. Pr(subset |
        answer) is the weight of the subset divided by it.
        """
        return math.comb(self.answers, self.size) * self.total // self.answers

    @property
    def ratio_bound(self) -> Fraction | None:
        low, high = sorted((self.near, self.far))
        return None if low == 0 else Fraction(high, low)

    @property
    def p(self) -> Fraction:
        return Fraction(self.size * self.near, self.total)

    @property
    def q(self) -> Fraction:
        return (self.size - self.p) / (self.answers - 1)

    @property
    def both_own(self) -> Fraction:
        return self.p * Fraction(self.size - 1, self.answers - 1)

    @property
    def both_other(self) -> Fraction:
        if self.answers == 2:
            return Fraction(0)
        d, others = self.size, self.answers - 1
        pairs = others * (others - 1)
        with_it = Fraction((d - 1) * (d - 2), pairs)
        return self.p * with_it + (1 - self.p) * Fraction(d * (d - 1), pairs)

    def as_json(self) -> dict[str, Any]:
        return {
            "kind": "subset",
            "answers": self.answers,
            "size": self.size,
            "near": self.near,
            "far": self.far,
        }


@dataclass(frozen=True)
class SubsetPart(OneHot):
    """What a subset of combinations reports on one of the questions that they combine.

    The report is n = (n_1, ..., n_k), where n_y of the `sizes[y]` combinations with the answer y
    are in the subset. Subset selection treats all other combinations alike. So the probability of
    n depends on the answer to this question only:

        Pr(n | answer x) = prod_y C(c_y, n_y) (far + (near - far) n_x / c_x) / W

    Here c = `sizes`, and W is the `weight` of the subset selection. `p`, `q` and the probabilities
    of two bits are those of the combinations.
    """

    whole: SubsetSelection
    counted: tuple[int, ...]

    @property
    def sizes(self) -> tuple[int, ...]:
        return self.counted

    @property
    def p(self) -> Fraction:
        return self.whole.p

    @property
    def q(self) -> Fraction:
        return self.whole.q

    @property
    def both_own(self) -> Fraction:
        return self.whole.both_own

    @property
    def both_other(self) -> Fraction:
        return self.whole.both_other

    @property
    def ratio_bound(self) -> Fraction | None:
        """That of the whole report, because someone can know the answers to the other questions."""
        return self.whole.ratio_bound

    def numbers_of(self, answer: int) -> tuple[int, int]:
        size, rest = self.counted[answer], self.whole.answers - self.counted[answer]
        return max(0, self.whole.size - rest), min(size, self.whole.size)

    def chances_of(self, answer: int) -> tuple[tuple[float, ...], tuple[float, ...]]:
        """Pr(n_y = 0, 1, ..., c_y) for people with the answer y, and for all others."""
        whole, own = self.whole, self.counted[answer]
        rest, near, far, total = whole.answers - own, whole.near, whole.far, whole.weight
        with_it, without = [], []
        for n in range(own + 1):
            missing = whole.size - n
            inside = chosen_of(own - 1, n - 1) * near + chosen_of(own - 1, n) * far
            with_it.append(inside * chosen_of(rest, missing) / total)
            outside = chosen_of(rest - 1, missing - 1) * near + chosen_of(rest - 1, missing) * far
            without.append(chosen_of(own, n) * outside / total)
        return tuple(with_it), tuple(without)


def chosen_of(things: int, size: int) -> int:
    """The number of subsets of this size; 0 for a negative size."""
    return math.comb(things, size) if size >= 0 else 0


@dataclass(frozen=True)
class Boxes(FactoredRandomizer):
    """A random `sample` of the boxes is reported through `rows`; the others are not.

    The sample does not depend on the answer, and two answers may differ in any number of boxes. So
    the privacy loss is `sample` times that of one box.
    """

    sample: int
    rows: tuple[tuple[int, int], tuple[int, int]]

    def __post_init__(self) -> None:
        table = Randomizer.from_rows(self.rows)
        if (table.answers, table.reports) != (2, 2) or not 1 <= self.sample <= self.answers:
            raise ShapeError(
                "Boxes need a 2 x 2 table, and a sample from 1 to the number of boxes. Change them."
            )

    @property
    def table(self) -> Randomizer:
        """The table of one box: ticked, not ticked."""
        return Randomizer(self.rows)

    @property
    def reported(self) -> int:
        return self.sample

    @property
    def ratio_bound(self) -> Fraction | None:
        ratio_bound = self.table.ratio_bound
        return None if ratio_bound is None else ratio_bound**self.sample

    def as_json(self) -> dict[str, Any]:
        return {"kind": "boxes", "answers": self.answers, "sample": self.sample, "rows": self.rows}


def from_json(spec: dict[str, Any]) -> FactoredRandomizer:
    """The inverse of `as_json`."""
    if spec["kind"] == "unary":
        return UnaryEncoding(spec["answers"], bit_table_rows(spec["rows"]))
    if spec["kind"] == "subset":
        return SubsetSelection(spec["answers"], spec["size"], spec["near"], spec["far"])
    if spec["kind"] == "boxes":
        return Boxes(spec["answers"], spec["sample"], bit_table_rows(spec["rows"]))
    raise ShapeError(
        "There is no kind of randomizer %(kind)s. Use unary, subset or boxes.",
        kind=repr(spec["kind"]),
    )


def bit_table_rows(rows: Any) -> tuple[tuple[int, int], tuple[int, int]]:
    (a, b), (c, d) = rows
    return (a, b), (c, d)
