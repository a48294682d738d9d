"""Noncompliance: estimated from two designs, or bounded if only one is available."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

import numpy as np
import scipy

from survey.analysis.columns.variables import AnalysisColumn
from survey.analysis.groups.figures import (
    IntervalEstimate,
    estimated_share,
    is_possible_share,
    p_words,
    share_in_words,
)
from survey.analysis.validity.two_designs import Quantity, TwoGroups
from survey.core.errors import UnanswerableQuestion
from survey.core.scores import Array
from survey.core.translate import (
    join_sentences,
    later,
    translate,
    translate_list,
    translate_number,
)
from survey.estimation.number_text import percent
from survey.estimation.results import MIN_SHOWN_RESPONSES

# With a smaller determinant, two designs have the same information.
APART = 1e-9
# So many degrees of freedom make Student's distribution normal.
NORMAL = 10**9
# The probability of the report "yes" from deviants who always say no, or toss a coin.
DENIED = 0.0
AT_RANDOM = 0.5


@dataclass(frozen=True, kw_only=True)
class NoncomplianceEstimate:
    """Shares of honest and deviating respondents, estimated from two designs. They add up to one.

    `p` is for the test of no deviation against some. It is None if nothing varies.
    """

    honest_yes: IntervalEstimate
    honest_no: IntervalEstimate
    deviating: IntervalEstimate
    p: float | None
    # The number of responses in each group.
    n: tuple[int, int]

    @property
    def sentence(self) -> str:
        shares = (self.deviating, self.honest_yes, self.honest_no)
        # Shares outside by rounding errors count as possible.
        possible = all(-1e-9 <= share.value <= 1 + 1e-9 for share in shares)
        outside = translate(
            "A true share cannot be below 0 or above 100 %%. This is random error, or people broke "
            "the rule in another way than assumed."
        )
        return join_sentences(self.shares_sentence, "" if possible else outside)

    @property
    def shares_sentence(self) -> str:
        texts = {
            "deviating": estimated_or_unknown(self.deviating),
            "yes": estimated_or_unknown(self.honest_yes),
            "no": estimated_or_unknown(self.honest_no),
        }
        if self.p is None:
            return translate(
                "Of all respondents, %(deviating)s did not follow the rule, %(yes)s followed it "
                "with the answer Yes, and %(no)s with the answer No.",
                **texts,
            )
        return translate(
            "Of all respondents, %(deviating)s did not follow the rule (%(p)s), %(yes)s followed "
            "it with the answer Yes, and %(no)s with the answer No.",
            p=p_words(self.p),
            **texts,
        )


def estimated_or_unknown(share: IntervalEstimate) -> str:
    """A share with its interval. Nothing is known about it if the interval has every share."""
    if share.any_share:
        return translate("an unknown share (0 %% to 100 %%)")
    return estimated_share(share)


@dataclass(frozen=True, kw_only=True)
class TrueShareBounds:
    """Bounds of a true share under limited errors: see `true_share_bounds`."""

    said: IntervalEstimate
    denied: float
    false: float
    random: float
    low: float
    high: float

    def sentence(self, answer: str, question: str) -> str:
        """The share of an answer, what is assumed, and the bounds that follow."""
        texts = {"answer": answer, "question": question, "share": share_in_words(self.said)}
        if self.said.any_share:
            share = translate(
                "The share of “%(answer)s” in “%(question)s” can have any value.", **texts
            )
        elif is_possible_share(self.said):
            share = translate(
                "The estimated share of “%(answer)s” in “%(question)s” is %(share)s.", **texts
            )
        else:
            share = translate("The share of “%(answer)s” in “%(question)s” is %(share)s.", **texts)
        ends = {
            "low": translate_number(percent(self.low)),
            "high": translate_number(percent(self.high)),
        }
        assumed = list(self.assumptions)
        bounds = (
            translate(
                "Assume that %(assumptions)s. Then the true share is between %(low)s and %(high)s.",
                assumptions=translate_list(assumed),
                **ends,
            )
            if assumed
            else translate(
                "If all answers are true, the true share is between %(low)s and %(high)s.", **ends
            )
        )
        return join_sentences(share, bounds)

    @property
    def assumptions(self) -> Iterator[str]:
        """The errors that are assumed to be possible, each as a clause."""
        clauses = (
            (self.denied, later("at most %(n)s %% of people with this answer denied it")),
            (self.false, later("at most %(n)s %% of the others claimed it")),
            (self.random, later("at most %(n)s %% of all people answered at random")),
        )
        for part, clause in clauses:
            if part > 0:
                yield translate(clause, n=translate_number(f"{100 * part:g}"))


@dataclass(frozen=True)
class Denial:
    """The true share if a part of the respondents with the trait denied it.

    Attributes
    ----------
    denied : that part
    estimate : the share if exactly this part denied it, without other errors; None if it is not
        from 0 to 1
    low, high : the bounds if at most this part denied it
    """

    denied: float
    estimate: float | None
    low: float
    high: float


def report_counts_and_table(column: AnalysisColumn) -> tuple[list[int], list[list[float]]]:
    """The count of each report to a question, and its table, for `deviants`.

    Raises UnanswerableQuestion unless it has two answers and two reports.
    """
    if column.chances.shape != (2, 2):
        raise UnanswerableQuestion(
            "“%(question)s” does not have two answers and two reports.", question=column.label
        )
    reports = column.reports[column.reported]
    return [int((reports == code).sum()) for code in (0, 1)], column.chances.tolist()


def chances_of_yes(counts: Sequence[int], table: Sequence[Sequence[float]]) -> Array:
    """The probabilities of the report "yes" in one group, for each answer."""
    cells = np.asarray(table, dtype=np.float64)
    n = sum(counts)
    if cells.shape != (2, 2) or len(counts) != 2:
        raise UnanswerableQuestion("Each group needs a two-by-two table and two counts.")
    if n < MIN_SHOWN_RESPONSES:
        raise UnanswerableQuestion(
            "A group has too few responses (%(n)s). This analysis needs at least %(minimum)s "
            "in each group.",
            n=n,
            minimum=MIN_SHOWN_RESPONSES,
        )
    return np.asarray(cells[:, 0] / cells.sum(axis=1))


def deviants(
    first: tuple[Sequence[int], Sequence[Sequence[float]]],
    second: tuple[Sequence[int], Sequence[Sequence[float]]],
    says: float = DENIED,
    level: float = 0.95,
) -> NoncomplianceEstimate:
    """The respondents who disobey the randomizer, from two groups with different ones.

    It is for paper-and-coin mode and data collected elsewhere, with coins, cards or dice that
    people can ignore. They cannot ignore a browser's randomizer: to it, a person who answers No is
    an honest No.

    Parameters
    ----------
    first, second : counts of (yes, no) in a group, and its table: rows answers, columns reports
    says : float in [0, 1]
        The probability of the report "yes" from a deviant: DENIED or AT_RANDOM.
    level : float in (0, 1)

    Raises
    ------
    UnanswerableQuestion
        For a group of fewer than five, tables that are not two by two, and designs with the same
        information, such as two symmetric coins for random reports.

    Notes
    -----
    With honest shares pi and beta, and 1 - pi - beta for the deviants, a group's share of yes is
    pi p + beta q + (1 - pi - beta) says. Here p and q are its probabilities of yes for either
    answer. Two groups give two linear equations.

    With q different, p = 1 and says = 0 this is the cheating detection of Clark & Desharnais
    (Psychological Methods 3 (1998) 160). It gives pi = (q2 L1 - q1 L2) / (q2 - q1) and
    beta = (L2 - L1) / (q2 - q1). Variances are binomial, over n - 1. Intervals are those of
    `two_designs`. The test is one-sided, and its p-value too small if a group is small.
    """
    matrix = np.array([chances_of_yes(*group) for group in (first, second)]) - says
    if abs(np.linalg.det(matrix)) < APART:
        raise UnanswerableQuestion(
            "The two randomizers give the same information, so they cannot show how many "
            "people did not follow the rule. Use randomizers with different probabilities for "
            "people without the trait."
        )
    inverse = np.linalg.inv(matrix)
    inverse = np.vstack([inverse, -inverse.sum(axis=0)])
    constants = np.array([0.0, 0.0, 1.0]) - says * inverse.sum(axis=1)
    groups = TwoGroups((first[0][0], second[0][0]), (sum(first[0]), sum(second[0])), level)
    figures = [
        groups.linear(Quantity("", float(constant), (float(row[0]), float(row[1]))))
        for constant, row in zip(constants, inverse, strict=True)
    ]
    deviating = figures[2]
    is_certain = deviating.standard_error <= 0
    some = None if is_certain else deviating.value / deviating.standard_error
    p = None if some is None else float(scipy.special.stdtr(NORMAL, -some))
    return NoncomplianceEstimate(
        honest_yes=figures[0],
        honest_no=figures[1],
        deviating=deviating,
        p=p,
        n=(sum(first[0]), sum(second[0])),
    )


def bounds_with_inputs(
    figure: IntervalEstimate,
    denied: float = 0.0,
    false: float = 0.0,
    random: float = 0.0,
    answers: int = 2,
) -> TrueShareBounds:
    """The result of `true_share_bounds`, with its inputs."""
    low, high = true_share_bounds(figure, denied, false, random, answers)
    return TrueShareBounds(
        said=figure, denied=denied, false=false, random=random, low=low, high=high
    )


def denials(found: TrueShareBounds, answers: int = 2, most: float = 0.5) -> tuple[Denial, ...]:
    """A share and its bounds for each part of respondents who denied, in steps of one percent.

    The part goes from 0 to `most`. The other errors stay the same.
    """
    moved = []
    for hundredth in range(round(100 * most) + 1):
        denied = hundredth / 100
        if denied + found.false >= 1:
            break
        low, high = true_share_bounds(found.said, denied, found.false, found.random, answers)
        estimate = found.said.value / (1 - denied)
        moved.append(Denial(denied, estimate if 0 <= estimate <= 1 else None, low, high))
    return tuple(moved)


def true_share_bounds(
    figure: IntervalEstimate,
    denied: float = 0.0,
    false: float = 0.0,
    random: float = 0.0,
    answers: int = 2,
) -> tuple[float, float]:
    """Bounds of the true share under limited errors, with the estimate's level.

    Parameters
    ----------
    figure : the reported share of an answer
    denied : float in [0, 1)
        At most this part of respondents with the trait denied it.
    false : float in [0, 1)
        At most this part of respondents without it claimed it; denied + false < 1.
    random : float in [0, 1)
        At most this part of all respondents picked one of `answers` answers at random.

    Raises
    ------
    UnanswerableQuestion
        For parts outside these ranges.

    Notes
    -----
    said = (1 - r) (pi (1 - d) + (1 - pi) f) + r / k increases with pi. The ends of the interval are
    therefore inverted with the errors that move them farthest out. Low: d = 0, f = false. High:
    d = denied, f = 0. For r, 0 or `random`, whichever is farther.
    """
    if min(denied, false, random) < 0 or denied + false >= 1 or random >= 1:
        raise UnanswerableQuestion(
            "Each share of errors must be at least 0 and below 1. The sum of the shares of "
            "denials and false admissions must be below 1."
        )

    def back(said: float, rate: float) -> float:
        return (said - rate / answers) / (1 - rate)

    low = min(back(figure.low, rate) for rate in (0.0, random))
    high = max(back(figure.high, rate) for rate in (0.0, random))
    low, high = (low - false) / (1 - false), high / (1 - denied)
    return min(1.0, max(0.0, low)), min(1.0, max(0.0, high))
