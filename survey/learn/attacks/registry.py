"""The list of attacks: their names, sentences and functions, and how to run one."""

import ast
import inspect
import sys
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from functools import lru_cache
from types import MappingProxyType

import numpy as np

from survey.core.mechanisms.registry import ratio_bound_not_above
from survey.core.translate import later
from survey.learn.attacks import attempt
from survey.learn.attacks.all_subsets import search_all_subsets
from survey.learn.attacks.attempt import AttackSetting, Attempt
from survey.learn.attacks.averages import take_majority
from survey.learn.attacks.census_blocks import rebuild_blocks
from survey.learn.attacks.count_differences import subtract_counts
from survey.learn.attacks.dated_ratings import match_ratings
from survey.learn.attacks.hashed_codes import invert_hashes
from survey.learn.attacks.linkage import link_rows
from survey.learn.attacks.mean_differences import subtract_means
from survey.learn.attacks.random_subsets import solve_random_subsets
from survey.learn.attacks.table_joins import join_tables
from survey.learn.dp_draws import draw_discrete_laplace

OWN_REPORT = later(
    "The attacker knows which report is the person’s, and guesses this report. The bound is "
    "exactly its share of right guesses on average."
)
PEOPLE = (60, 120, 240)  # multiples of the groups of 4, 5 and 12 of some attacks
MAX_ERROR = 4
ONE_REPORT = later(
    "A guess about one person depends on this person’s report alone. A report is at most e^ε "
    "times as likely with one answer as with the other, so at most e^ε / (1 + e^ε) of the "
    "guesses are right on average."
)


@dataclass(frozen=True, kw_only=True)
class Attack:
    """An attack with its English texts, which `later` marked.

    Attributes
    ----------
    name : in addresses and for the command
    guess : what the attacker guesses
    raw, candor : what a table of raw answers gives, and what Candor gives
    best : the best known attack on Candor
    reason : why no attack is right more often than the bound on average
    axis : what `Step.x` counts
    labels : the labels of `Attempt.more`
    run : draws the people, and attacks both tables
    """

    name: str
    title: str
    guess: str
    raw: str
    candor: str
    best: str
    reason: str
    axis: str
    run: Callable[[AttackSetting, np.random.Generator], Attempt]
    labels: Mapping[str, str] = field(default_factory=dict)


ATTACKS = (
    Attack(
        name="linkage",
        title=later("Linkage"),
        guess=later("A yes/no answer of each person, whose sex, region and birth date are known."),
        raw=later(
            "Hardly any two people share all three facts. So the attacker finds a person’s row, "
            "although the row contains no name."
        ),
        candor=later(
            "The attacker finds the row, too. But the row contains a report instead of the answer."
        ),
        best=OWN_REPORT,
        reason=ONE_REPORT,
        axis=later("known facts: sex, region, birth date"),
        run=link_rows,
        labels={"alone": later("People whose three facts nobody else shares")},
    ),
    Attack(
        name="counts",
        title=later("Differencing of counts"),
        guess=later(
            "A yes/no answer of one person in each batch. All other answers in this batch are "
            "known."
        ),
        raw=later(
            "The count of Yes, minus the known Yes answers, is the answer of the last person."
        ),
        candor=later(
            "Results change with a whole batch of reports. The other reports hide the last one."
        ),
        best=later(
            "It is the same attack: for each answer, the attacker calculates the probability of "
            "the change, and guesses the answer with the larger one (a likelihood ratio test)."
        ),
        reason=later(
            "The attacker sees only how the count changes. The bound is exact: a guess of the "
            "more likely answer is right this often on average."
        ),
        axis=later("responses in a batch"),
        run=subtract_counts,
        labels={"at_once": later("Right with Candor, if each response is published immediately")},
    ),
    Attack(
        name="means",
        title=later("Differencing of a mean"),
        guess=later(
            "Whether a fourth person weighs more than 90 kg. The three others know their weights."
        ),
        raw=later(
            "Four times the mean, minus the weights of the three, is exactly the fourth weight."
        ),
        candor=later("The mean is a central DP release. The noise changes the deduced weight."),
        best=later(
            "The attacker also knows beforehand that the person weighs 30 or 150 kg, and guesses "
            "the weight that is nearer to the deduced one."
        ),
        reason=later(
            "Noise hides 30 and 150 kg worst, and for these two, a guess of the nearer weight is "
            "wrong with a probability of e^(−ε) / 2. So at most 1 − e^(−ε) / 2 of the guesses "
            "are right on average. This is less than e^(2ε) / (1 + e^(2ε)), which follows from "
            "ε alone: a different weight is one person less and one person more."
        ),
        axis="ε",
        run=subtract_means,
        labels={"exact": later("Weights deduced to the kilogram from the raw mean")},
    ),
    Attack(
        name="k-anonymity",
        title=later("Join of two k-anonymous tables"),
        guess=later(
            "An illness of each person, as one of 1,000 codes. Two hospitals publish tables."
        ),
        raw=later(
            "Each table lists illnesses for groups of four people. A person’s two groups rarely "
            "have another illness in common."
        ),
        candor=later("Each hospital has a report on the illness. The two reports rarely agree."),
        best=later(
            "The attacker knows which two reports are the person’s, and guesses their code if "
            "they agree, and one of the two if they differ."
        ),
        reason=later(
            "If the two reports differ, both codes are equally likely, and if they agree, the "
            "first says the same. So the second report does not help, and at most e^ε / (e^ε + "
            "999) of the guesses are right on average. With more tables, the most frequent report "
            "is the best guess."
        ),
        axis=later("joined tables"),
        run=join_tables,
        labels={"one_table": later("Right with one raw table")},
    ),
    Attack(
        name="hashes",
        title=later("Hashed licence numbers"),
        guess=later("The licence number behind each MD5 sum. A licence number looks like 5X41."),
        raw=later("There are 26,000 licences. A computer hashes them all in a moment."),
        candor=later(
            "An invitation code has 128 random bits. The same number of tries finds no code."
        ),
        best=later(
            "No attack is known that needs fewer tries: the hashes are SHA-256, and the codes are "
            "random."
        ),
        reason=later(
            "There are 2^128 codes. At any ε, k tries find a given code with a probability of "
            "k / 2^128."
        ),
        axis=later("tries, as a power of ten"),
        run=invert_hashes,
        labels={
            "licences": later("Possible licence numbers"),
            "codes": later("Possible invitation codes"),
        },
    ),
    Attack(
        name="ratings",
        title=later("Ratings joined by dates"),
        guess=later(
            "A yes/no answer of each person. Four film ratings are public elsewhere, with dates "
            "that are off by up to 3 days."
        ),
        raw=later("Dates make rows unique. A few dates identify one row."),
        candor=later(
            "Candor stores no dates. Films alone identify fewer rows, and these rows contain "
            "reports."
        ),
        best=later(
            "The attacker knows all films that a person rated, finds the row, and guesses its "
            "report. The bound is exactly its share of right guesses on average."
        ),
        reason=ONE_REPORT,
        axis=later("known ratings"),
        run=match_ratings,
        labels={"found": later("People found in the raw table")},
    ),
    Attack(
        name="census",
        title=later("Census reconstruction"),
        guess=later(
            "All five ages of a block, from counts, means and medians with suppressed cells."
        ),
        raw=later(
            "Subtraction reveals the suppressed cells. A search finds all blocks that fit, "
            "often a single one."
        ),
        candor=later(
            "The same statistics are central DP releases, which share ε. Their noise is larger "
            "than the differences between the possible blocks."
        ),
        best=later(
            "The attacker knows the noise, and climbs to a block that makes the published values "
            "most likely."
        ),
        reason=later(
            "Beforehand, each block has a probability of at most 12 / 90^5. Each value has ε/10, "
            "and is about three, four or five people. So it makes a block at most e^(3ε/10), "
            "e^(4ε/10) or e^(5ε/10) times as likely, and all ten together at most e^(4ε) times."
        ),
        axis=later("published values that the search uses"),
        run=rebuild_blocks,
        labels={
            "single": later("Raw blocks with a single solution"),
            "fits": later("Solutions of a raw block on average"),
        },
    ),
    Attack(
        name="all-subsets",
        title=later("Dinur and Nissim: all subsets"),
        guess=later("The yes/no answers of 12 people, from counts of all 4,096 subsets."),
        raw=later(
            "Each count is rounded, so its error is at most E. The search chooses answers that "
            "fit all counts: at most 4E of these answers are wrong."
        ),
        candor=later("The attacker counts reports in each subset. The search finds the reports."),
        best=OWN_REPORT,
        reason=ONE_REPORT,
        axis=later("largest error E of a count"),
        run=search_all_subsets,
        labels={
            "worst": later("Most wrong answers among all that fit"),
            "allowed": later("The theorem allows at most"),
        },
    ),
    Attack(
        name="random-subsets",
        title=later("Dinur and Nissim: random subsets"),
        guess=later("The yes/no answers of n people, from counts of 4n random subsets."),
        raw=later(
            "The error of each count is at most E. The attacker finds the answers that fit "
            "best by least squares."
        ),
        candor=later(
            "The counts are central DP releases, which share ε. Each has noise of scale 4n/ε."
        ),
        best=later(
            "The attacker knows all other answers, and subtracts them from each count with the "
            "person. The rest is 1 or more, or 0 or less: each count is a vote for Yes or No, "
            "and the majority is the guess."
        ),
        reason=later(
            "A vote is right with odds of only e^(ε/(4n)), and no guess is better than the "
            "majority. The bound is its exact share of right guesses. This is less than e^ε / (1 "
            "+ e^ε), which follows from the total ε alone."
        ),
        axis=later("α: the error E of a count divided by √n"),
        run=solve_random_subsets,
        labels={
            "queries": later("Subset counts"),
            "alpha": later("Error E divided by √n"),
            "wrong": later("Wrong answers, raw table"),
            "share": later("Share of wrong answers, raw table"),
        },
    ),
    Attack(
        name="averages",
        title=later("Averaging"),
        guess=later("A yes/no answer of each person, from the majority of many reports."),
        raw=later(
            "A survey that accepts 13 randomised responses of each person reveals nearly every "
            "answer."
        ),
        candor=later("An invitation works once. The attacker has one report of each person."),
        best=OWN_REPORT,
        reason=ONE_REPORT,
        axis=later("responses of each person"),
        run=take_majority,
    ),
)
BY_NAME = MappingProxyType({attack.name: attack for attack in ATTACKS})


def attack_setting(people: int, epsilon: float, error: int) -> AttackSetting:
    """The ratio bound is the one that Candor uses for a yes/no question with at most this ε."""
    ratio_bound = ratio_bound_not_above(epsilon)
    return AttackSetting(people, float(ratio_bound), epsilon, error)


@lru_cache(maxsize=256)
def run_attack(name: str, people: int, epsilon: float, error: int, draw: int) -> Attempt:
    """The attack with this draw. The same arguments always give the same figures."""
    generator = np.random.default_rng([draw, *name.encode()])
    return BY_NAME[name].run(attack_setting(people, epsilon, error), generator)


def attack_code(attack: Attack) -> str:
    """The code of the attack as one program, which needs only Python and NumPy."""
    module = sys.modules[attack.run.__module__]
    parts = [without_imports(inspect.getsource(attempt)), inspect.getsource(draw_discrete_laplace)]
    return "\n\n".join([*parts, without_imports(inspect.getsource(module))])


def without_imports(source: str) -> str:
    """A module without its docstring, and without what it imports from Candor."""
    lines = source.splitlines()
    for node in reversed(ast.parse(source).body):
        own = isinstance(node, ast.ImportFrom) and (node.module or "").startswith("survey.")
        text = isinstance(node, ast.Expr) and isinstance(node.value, ast.Constant)
        if own or text:
            del lines[node.lineno - 1 : node.end_lineno]
    return "\n".join(lines).strip()
