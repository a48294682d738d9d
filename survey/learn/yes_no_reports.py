"""A yes/no answer and its report: the two coins, chances, and draws that repeat."""

from fractions import Fraction

import numpy as np

from survey.core.mechanisms.randomized_response import two_levels
from survey.core.mechanisms.registry import ratio_bound_not_above
from survey.core.randomizer import Randomizer
from survey.core.scores import unbiased_scores
from survey.learn.dp_draws import Integers, Reals

YES = 0
NO = 1
TWO_COINS = two_levels(2, Fraction(3))  # the mechanism coin_flip for two answers


def best_randomizer(epsilon: float) -> Randomizer:
    """The best randomizer of a yes/no answer with a privacy loss of at most ε."""
    return two_levels(2, ratio_bound_not_above(epsilon))


def report_chances(table: Randomizer) -> tuple[float, float]:
    """Pr(report Yes) of someone whose answer is Yes, and of someone whose answer is No."""
    return float(table.probability(YES, YES)), float(table.probability(YES, NO))


def reported_yes(table: Randomizer, share: float) -> float:
    """The expected share of reports Yes: share/2 + 1/4 for two coins."""
    of_yes, of_no = report_chances(table)
    return share * of_yes + (1 - share) * of_no


def chance_of_trait(share: float, report: int) -> float:
    """Pr(answer Yes | report) after two coins, by Bayes' rule.

    `share` is the known share of Yes, from 0 to 1, and `report` is YES or NO.
    """
    of_yes, of_no = (float(TWO_COINS.probability(report, answer)) for answer in (YES, NO))
    return share * of_yes / (share * of_yes + (1 - share) * of_no)


def draw_yes_reports(
    table: Randomizer, yes: int, n: int, repeats: int, generator: np.random.Generator
) -> Integers:
    """The numbers of reports Yes in `repeats` surveys of the same n people, `yes` of whom say Yes.

    Their shape is (repeats,).
    """
    of_yes, of_no = report_chances(table)
    drawn: Integers = generator.binomial(yes, of_yes, repeats)
    return drawn + generator.binomial(n - yes, of_no, repeats)


def estimated_shares(table: Randomizer, yes: Integers, n: int) -> Reals:
    """The unbiased estimates of the share of Yes, from numbers of reports Yes among n."""
    scores = unbiased_scores(table, np.eye(2))[:, YES]
    shares: Reals = (yes * scores[YES] + (n - yes) * scores[NO]) / n
    return shares
