"""Classic designs of the survey literature, and the researcher's own table.

They serve data collected on paper, and researchers who prefer them.
"""

import math
from contextlib import suppress
from fractions import Fraction
from typing import Any

from survey.core.errors import MechanismError, TotalTooLarge
from survey.core.exact_numbers import exact, probability
from survey.core.integer_rounding import round_outwards
from survey.core.mechanisms.registry import mechanism, whole_number_parameter
from survey.core.randomizer import Randomizer, StatedRandomizer

# The largest number of cards in Kuk's design.
MAX_DRAWS = 100


@mechanism(
    "Forced response",
    source="Boruch (1971); several categories: Heck & Moshagen (2018), JSS 85(2)",
    examples=[
        (2, {"p_truth": "2/3", "p_yes": "1/6", "p_no": "1/6"}),
        (5, {"p_truth": 0.65, "p_forced": [0.1, 0.1, 0.05, 0.05, 0.05]}),
    ],
)
def forced_response(
    answers: int, p_truth: Any, p_yes: Any = None, p_no: Any = None, p_forced: Any = None
) -> Randomizer:
    """The truth with probability p_truth, otherwise a forced answer: p_yes, p_no, or one per
    choice.

    The probabilities must add up to 1. For more than two answers, give the list `p_forced`.
    """
    if p_forced is None:
        if answers != 2:
            raise MechanismError(
                "p_forced must be a list of %(n)s probabilities. Give such a list.", n=answers
            )
        p_forced = [p_yes, p_no]
    elif p_yes is not None or p_no is not None:
        raise MechanismError("Give either p_yes and p_no, or p_forced.")
    if not isinstance(p_forced, list | tuple) or len(p_forced) != answers:
        raise MechanismError(
            "p_forced must be a list of %(n)s probabilities. Give such a list.", n=answers
        )
    truth = probability(p_truth, "p_truth")
    forced = [probability(share, "a forced probability") for share in p_forced]
    if truth + sum(forced) != 1:
        raise MechanismError(
            "p_truth and the forced probabilities must add up to 1, not to %(total)s.",
            total=truth + sum(forced),
        )
    if truth == 0:
        raise MechanismError(
            "p_truth must be above 0. Otherwise, the reports contain no information about "
            "the answers."
        )
    return Randomizer.from_probabilities(
        [[forced[y] + (truth if x == y else 0) for y in range(answers)] for x in range(answers)]
    )


@mechanism(
    "Warner's design (mirrored question)",
    source="Warner (1965), JASA 60",
    examples=[(2, {"p": "2/3"}), (2, {"p": 0.25})],
    two_answers_only=True,
)
def warner(answers: int, p: Any) -> Randomizer:
    """Asks whether the respondent has the trait with probability p, else whether they do not.

    p must be above 0, below 1 and not 1/2.
    """
    return symmetric_table(p)


def symmetric_table(p: Any) -> Randomizer:
    """p on the diagonal, 1 - p elsewhere. Raises MechanismError unless 0 < p < 1 and p != 1/2."""
    share = exact(p, "p")
    if not 0 < share < 1 or share == Fraction(1, 2):
        raise MechanismError("p must be above 0, below 1 and other than 1/2, not %(p)s.", p=repr(p))
    return Randomizer.from_probabilities([[share, 1 - share], [1 - share, share]])


@mechanism(
    "Crosswise model",
    source="Yu, Tian & Tang (2008), Metrika 67",
    examples=[(2, {"p": 0.25}), (2, {"p": "1/6"})],
    two_answers_only=True,
)
def crosswise(answers: int, p: Any) -> Randomizer:
    """Asks whether the answers to this and an unrelated question are the same. "Same" means yes.

    p is the known share of yes for the unrelated question: above 0, below 1, not 1/2.
    """
    return symmetric_table(p)


@mechanism(
    "Unrelated question",
    source="Greenberg, Abul-Ela, Simmons & Horvitz (1969), JASA 64; prevalence known",
    examples=[(2, {"p": 0.7, "prevalence": "1/4"}), (2, {"p": "2/3", "prevalence": 0.5})],
    two_answers_only=True,
)
def unrelated_question(answers: int, p: Any, prevalence: Any) -> Randomizer:
    """Asks the question with probability p, else an unrelated one with a known share of yes."""
    share = probability(p, "p")
    yes_share = probability(prevalence, "prevalence")
    if share == 0:
        raise MechanismError("p must be above 0. Otherwise the question is never asked.")
    yes = (1 - share) * yes_share
    return Randomizer.from_probabilities([[share + yes, 1 - share - yes], [yes, 1 - yes]])


@mechanism(
    "Kuk's cards",
    source="Kuk (1990), Biometrika 77",
    examples=[(2, {"p_yes": 0.8, "p_no": 0.2}), (2, {"p_yes": "2/3", "p_no": "1/3", "draws": 3})],
    two_answers_only=True,
)
def kuk(answers: int, p_yes: Any, p_no: Any, draws: Any = 1) -> Randomizer:
    """Cards drawn from one of two packs, chosen by the answer; the report counts the red ones.

    p_yes and p_no are the different shares of red cards in the two packs. draws is 1 to 100, with
    replacement. Report 0 is "all red". With many draws, the probabilities are rounded to multiples
    of 2^-32. If one of them would become 0, they stay exact, and only responses that were
    collected elsewhere can have this design.
    """
    packs = probability(p_yes, "p_yes"), probability(p_no, "p_no")
    if packs[0] == packs[1]:
        raise MechanismError("p_yes and p_no must differ. Equal packs give no information.")
    n = whole_number_parameter(draws, "draws", 1, MAX_DRAWS)
    rows = [
        [math.comb(n, red) * share**red * (1 - share) ** (n - red) for red in range(n, -1, -1)]
        for share in packs
    ]
    try:
        return Randomizer.from_probabilities(rows)
    except TotalTooLarge:
        rounded = round_outwards(rows)
    if rounded.ratio_bound is None and 0 not in rows[0] + rows[1]:
        with suppress(TotalTooLarge):
            return StatedRandomizer.from_probabilities(rows)
    return rounded


@mechanism(
    "Own table",
    source="Defined by the researcher",
    examples=[
        (2, {"rows": [[5, 3, 2], [2, 3, 5]]}),
        (3, {"rows": [[6, 1, 1], [2, 5, 1], [1, 1, 6]]}),
    ],
)
def table(answers: int, rows: Any) -> Randomizer:
    """The researcher's own rows of integers, one row for each answer."""
    randomizer = Randomizer.from_rows(rows)
    if randomizer.answers != answers:
        raise MechanismError(
            "The table has %(rows)s rows, but the question has %(answers)s answers. Give one "
            "row for each answer.",
            rows=randomizer.answers,
            answers=answers,
        )
    randomizer.require_independent_rows()  # All other mechanisms have independent rows.
    return randomizer
