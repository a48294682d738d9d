"""Intervals of the analyses of several questions, groups or surveys, and those for every look.

Each case draws counts of combinations of reports, and passes them through the product's own
functions. Two questions have the true joint shares in JOINT.
"""

import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import cache

import numpy as np

from survey.analysis.changes.changes import METHOD
from survey.analysis.columns.sample_means import complete_case_sample
from survey.analysis.columns.variables import AnalysisColumn
from survey.analysis.groups.figures import IntervalEstimate
from survey.analysis.groups.measures import measure_of
from survey.analysis.tables.correlation import correlation_in
from survey.analysis.tables.crosstabs import (
    ListedCells,
    odds_ratios_and_phis,
    row_share_differences,
)
from survey.analysis.tables.joint_shares import joint_shares
from survey.analysis.tables.odds_ratio import known_chances, odds_ratio
from survey.analysis.validity.noncompliance import deviants
from survey.analysis.validity.two_designs import (
    CHEATING,
    LIE_DETECTOR,
    TwoGroups,
    design_matrix,
    quantities_of,
    two_designs,
)
from survey.analysis.validity.validity import contrast_with_direct, use_control_question
from survey.core.errors import UnanswerableQuestion
from survey.core.mechanisms import build_randomizer
from survey.core.randomizer import Randomizer
from survey.core.scores import probabilities
from survey.definition.questions import Question
from survey.definition.survey import parse_survey
from survey.estimation.build_results import question_results
from survey.estimation.confidence_sequences import confidence_sequence, log_capital
from survey.estimation.mean_estimates import NumberEstimate
from survey.estimation.mean_intervals import possible_ends
from survey.estimation.poststratification import Stratum, weighted_question
from survey.estimation.share_differences import combined_interval, share_own_interval
from survey.estimation.share_intervals import Interval
from tests.support.analysed import column
from tests.support.definitions import definition, yes_no

from .cases import EPSILONS, LEVEL, PLAIN, Case, Measured, median

# Joint shares of two questions: rows are answers to the first.
JOINT = {
    "30 % and 50 %, independent": np.outer([0.3, 0.7], [0.5, 0.5]),
    "5 % and 50 %, independent": np.outer([0.05, 0.95], [0.5, 0.5]),
    "10 % and 10 %, related": np.array([[0.05, 0.05], [0.05, 0.85]]),
}
# The number of responses after which a confidence sequence is looked at again.
LOOK = 10


@cache
def randomizer(epsilon: str, answers: int = 2) -> Randomizer:
    """k-ary randomised response, or answers as given."""
    if epsilon == PLAIN:
        return Randomizer.identity(answers)
    asked = {"mechanism": "k_randomized_response", "epsilon": EPSILONS[epsilon]}
    built = build_randomizer(asked, "choices", answers)
    if not isinstance(built, Randomizer):
        raise TypeError("k-ary randomised response has a table.")
    return built


def as_estimate(figure: IntervalEstimate | None) -> NumberEstimate:
    """The figure of an analysis. Raises UnanswerableQuestion if there is none."""
    if figure is None:
        raise UnanswerableQuestion("There is no figure.")
    interval = Interval(figure.low, figure.high, LEVEL, figure.method)
    error = None if math.isnan(figure.standard_error) else figure.standard_error
    return NumberEstimate(figure.value, error, interval)


def of_samples(
    chances: Sequence[np.ndarray], parts: Sequence[float]
) -> Callable[[int, int, np.random.Generator], np.ndarray]:
    """Counts of several samples, side by side; the n respondents are divided in these parts."""

    def draw(n: int, draws: int, generator: np.random.Generator) -> np.ndarray:
        sizes = [round(n * part) for part in parts]
        found = [
            generator.multinomial(size, each, size=draws)
            for size, each in zip(sizes, chances, strict=True)
        ]
        return np.hstack(found)

    return draw


# --- two questions


Figure = Callable[[AnalysisColumn, AnalysisColumn], IntervalEstimate | None]


def columns_of(
    counts: np.ndarray, tables: Sequence[Randomizer], values: Sequence[float] | None
) -> list[AnalysisColumn]:
    """The columns of two questions, from the counts of pairs of reports."""
    shape = [table.reports for table in tables]
    codes = np.repeat(np.indices(shape).reshape(2, -1), counts, axis=1)
    return [
        column(each, table, name, values, private=table != Randomizer.identity(table.answers))
        for each, table, name in zip(codes, tables, "xy", strict=True)
    ]


def joint_case(
    epsilon: str, joint: np.ndarray, figure: Figure, truth: float, low: float,
    values: Sequence[float] | None = None,
) -> Case:  # fmt: skip
    """A figure of two questions with the same mechanism, from `low` to 1."""
    tables = [randomizer(epsilon, size) for size in joint.shape]
    one, other = (probabilities(table) for table in tables)
    chances = (one.T @ joint @ other).reshape(-1)
    return Case(
        of_samples([chances], [1.0]),
        lambda counts: as_estimate(figure(*columns_of(counts, tables, values))),
        truth, low, 1.0, chances=chances,
    )  # fmt: skip


def cells_of(*columns: AnalysisColumn) -> ListedCells:
    return ListedCells(joint_shares(columns), LEVEL)


def share_of_row(epsilon: str, name: str) -> Case:
    joint = JOINT[name]
    return joint_case(epsilon, joint, lambda *both: cells_of(*both).share_in_line(0, 1),
                      joint[0, 0] / joint[0].sum(), 0.0)  # fmt: skip


def difference_of_rows(epsilon: str, name: str) -> Case:
    joint = JOINT[name]
    first, second = joint[:, 0] / joint.sum(axis=1)
    return joint_case(epsilon, joint, lambda *both: row_share_differences(cells_of(*both))[0],
                      second - first, -1.0)  # fmt: skip


def phi_of(epsilon: str, name: str) -> Case:
    joint = JOINT[name]
    (a, b), (c, d) = joint
    truth = (a * d - b * c) / math.sqrt(joint.sum(axis=0).prod() * joint.sum(axis=1).prod())
    return joint_case(epsilon, joint, lambda *both: odds_ratios_and_phis(cells_of(*both))[1][0],
                      truth, -1.0)  # fmt: skip


def odds_ratio_of(epsilon: str, name: str) -> Case:
    """On the scale of Yule's Q, (ratio - 1) / (ratio + 1), which is from -1 to 1."""
    joint = JOINT[name]

    def figure(*both: AnalysisColumn) -> IntervalEstimate:
        shares = joint_shares(both)
        found = odds_ratio(shares, np.arange(4), known_chances(shares), LEVEL)
        value, low, high = (1 - 2 / (x + 1) for x in (found.value, found.low, found.high))
        error = 2 * found.standard_error / (found.value + 1) ** 2
        return IntervalEstimate(
            value=value, standard_error=error, low=low, high=high, method=found.method
        )

    ratio = joint[0, 0] * joint[1, 1] / joint[0, 1] / joint[1, 0]
    return joint_case(epsilon, joint, figure, (ratio - 1) / (ratio + 1), -1.0)


# The shares of three levels, and the part of respondents with the same answer to both.
SCALES = {
    "even, correlation 0.4": ([1 / 3, 1 / 3, 1 / 3], 0.4),
    "a rare level, no correlation": ([0.05, 0.35, 0.6], 0.0),
}


def correlation_of(epsilon: str, name: str) -> Case:
    shares, relation = SCALES[name]
    joint = (1 - relation) * np.outer(shares, shares) + relation * np.diag(shares)

    def figure(one: AnalysisColumn, other: AnalysisColumn) -> IntervalEstimate:
        both = measure_of(one), measure_of(other)
        return correlation_in(complete_case_sample((one, other)), both, LEVEL, 0).figure

    return joint_case(epsilon, joint, figure, relation, -1.0, (0.0, 1.0, 2.0))


# --- two samples


def difference_of_surveys(epsilon: str, name: str) -> Case:
    """Two surveys of different respondents with half of n each."""
    shares = {"10 % and 10 %": (0.1, 0.1), "1 % and 5 %": (0.01, 0.05), "30 % and 50 %": (0.3, 0.5)}
    first, second = shares[name]
    (p, _), (q, _) = probabilities(randomizer(epsilon))
    chances = [
        np.array([q + (p - q) * share, 1 - q - (p - q) * share]) for share in (first, second)
    ]
    own = cache(lambda yes, n: share_own_interval(yes, n, p, q, LEVEL))

    def estimate(counts: np.ndarray) -> NumberEstimate:
        owns = [own(int(yes), int(yes + no)) for yes, no in counts.reshape(2, 2)]
        value = owns[1].value - owns[0].value
        ends = possible_ends(value, *combined_interval(owns, (-1, 1), LEVEL), -1.0, 1.0)
        seen = [row[0] / row.sum() for row in counts.reshape(2, 2)]
        sizes = counts.reshape(2, 2).sum(axis=1)
        error = math.sqrt(
            sum(s * (1 - s) / (n - 1) for s, n in zip(seen, sizes, strict=True))
        ) / abs(p - q)
        return NumberEstimate(value, error, Interval(*ends, LEVEL, METHOD))

    return Case(of_samples(chances, (0.5, 0.5)), estimate, second - first, -1.0, 1.0,
                chances=np.concatenate(chances) / 2)  # fmt: skip


DESIGNS = {
    "the trait, of 20 %": (LIE_DETECTOR, 0, (0.2, 0.7), 0.2),
    "honesty with the trait, of 70 %": (LIE_DETECTOR, -1, (0.2, 0.7), 0.7),
    "honest yes, of 20 %": (CHEATING, 0, (0.2, 0.65), 0.2),
    "did not follow the rule, 15 %": (CHEATING, -1, (0.2, 0.65), 0.15),
}
RULES = (0.25, 0.75)


def design_of_two_groups(_: str, name: str) -> Case:
    """Half of n in each group, with the probabilities in RULES."""
    design, place, (share, other), truth = DESIGNS[name]
    if design == LIE_DETECTOR:
        # People without the trait answer yes if the rule does not demand the truth.
        yes = [share * other + (1 - share) * (1 - p) for p in RULES]
    else:
        yes = [share + other * p for p in RULES]
    chances = [np.array([each, 1 - each]) for each in yes]

    def estimate(counts: np.ndarray) -> NumberEstimate:
        (a, b), (c, d) = counts.reshape(2, 2)
        yes, sizes = (int(a), int(c)), (int(a + b), int(c + d))
        if name.startswith("honesty"):
            found = two_designs(design, RULES, yes, sizes, LEVEL)[1:]
            return as_estimate(found[0].figure if found else None)
        inverse = np.linalg.inv(design_matrix(design, RULES)).astype(np.float64)
        # The same figure as that of `two_designs`, which also searches the slower one.
        quantity = quantities_of(design, inverse)[place]
        return as_estimate(TwoGroups(yes, sizes, LEVEL).linear(quantity))

    return Case(of_samples(chances, (0.5, 0.5)), estimate, truth, 0.0, 1.0,
                chances=np.concatenate(chances) / 2)  # fmt: skip


def disobedient(_: str, name: str) -> Case:
    """`deviants` in two groups of half of n, with forced response by dice."""
    place, truth = {"honest yes, of 20 %": (0, 0.2), "did not follow the rule, 15 %": (2, 0.15)}[
        name
    ]
    tables = [[[1.0, 0.0], [p, 1 - p]] for p in (0.25, 0.75)]
    yes = [0.2 + 0.65 * p for p in (0.25, 0.75)]
    chances = [np.array([each, 1 - each]) for each in yes]

    def estimate(counts: np.ndarray) -> NumberEstimate:
        one, other = counts.reshape(2, 2).tolist()
        found = deviants((one, tables[0]), (other, tables[1]), level=LEVEL)
        return as_estimate((found.honest_yes, found.honest_no, found.deviating)[place])

    return Case(of_samples(chances, (0.5, 0.5)), estimate, truth, 0.0, 1.0,
                chances=np.concatenate(chances) / 2)  # fmt: skip


def direct_arm(epsilon: str, name: str) -> Case:
    """Half of n asked directly; the true shares are in the name."""
    first, second = {"30 % and 30 %": (0.3, 0.3), "5 % and 2 %": (0.05, 0.02)}[name]
    tables = randomizer(epsilon), randomizer(PLAIN)
    chances = [
        np.array([share, 1 - share]) @ probabilities(table)
        for share, table in zip((first, second), tables, strict=True)
    ]

    def estimate(counts: np.ndarray) -> NumberEstimate:
        arms = [
            column(np.repeat([0, 1], row), table, name, private=name == "x")
            for row, table, name in zip(counts.reshape(2, 2), tables, "xy", strict=True)
        ]
        return as_estimate(contrast_with_direct(arms[0], arms[1], level=LEVEL).difference)

    return Case(of_samples(chances, (0.5, 0.5)), estimate, first - second, -1.0, 1.0,
                chances=np.concatenate(chances) / 2)  # fmt: skip


def control_question(epsilon: str, name: str) -> Case:
    """10 % answer both questions at random. 30 % of the others have the trait, none the control."""
    careless, trait = 0.1, 0.3
    random = np.full((2, 2), 0.25)
    joint = (1 - careless) * np.outer([trait, 1 - trait], [0.0, 1.0]) + careless * random
    is_random = name.startswith("random")

    def figure(one: AnalysisColumn, other: AnalysisColumn) -> IntervalEstimate | None:
        found = use_control_question(one, other, 0.0, level=LEVEL)
        return found.random if is_random else found.corrected

    return joint_case(epsilon, joint, figure, careless if is_random else trait, 0.0)


# --- the results page


@cache
def conditional(epsilon: str) -> Question:
    """A yes/no question that is asked if another one was answered with yes."""
    privacy: object = "none" if epsilon == PLAIN else {"epsilon": EPSILONS[epsilon]}
    then = yes_no("then", privacy) | {"relevant": {"first": "yes"}}
    return parse_survey(definition(yes_no("first", privacy), then)).questions[-1]


def share_of_asked(epsilon: str, name: str) -> Case:
    asked, share = {"50 % asked, 30 % yes": (0.5, 0.3), "10 % asked, 50 % yes": (0.1, 0.5)}[name]
    question = conditional(epsilon)
    rows = np.array([asked * share, asked * (1 - share), 1 - asked])
    chances = rows if question.table is None else rows @ probabilities(question.table)

    def estimate(counts: np.ndarray) -> NumberEstimate:
        found = question_results(question, dict(enumerate(map(int, counts))), LEVEL).asked
        if not found:
            raise UnanswerableQuestion("The share cannot be estimated.")
        first = found[0]
        interval = Interval(first.low, first.high, LEVEL, first.method)
        return NumberEstimate(first.value, first.standard_error, interval)

    return Case(of_samples([chances], [1.0]), estimate, share, 0.0, 1.0, chances=chances)


# The shares in two groups, which are 30 % of the respondents and half of the population.
WEIGHTED = {"10 % and 40 %": (0.1, 0.4), "2 % and 2 %": (0.02, 0.02)}


def weighted_share(epsilon: str, name: str) -> Case:
    privacy: object = "none" if epsilon == PLAIN else {"epsilon": EPSILONS[epsilon]}
    question = parse_survey(definition(yes_no("x", privacy))).questions[0]
    table = np.eye(2) if question.table is None else probabilities(question.table)
    chances = [np.array([share, 1 - share]) @ table for share in WEIGHTED[name]]

    def estimate(counts: np.ndarray) -> NumberEstimate:
        groups = [
            Stratum(name, name, 0.5, {"x": dict(enumerate(map(int, row)))})
            for name, row in zip("ab", counts.reshape(2, 2), strict=True)
        ]
        first = weighted_question(question, groups, LEVEL).answers[0]
        interval = Interval(first.low, first.high, LEVEL, first.method)
        return NumberEstimate(first.value, first.standard_error, interval)

    return Case(of_samples(chances, (0.3, 0.7)), estimate, sum(WEIGHTED[name]) / 2, 0.0, 1.0,
                chances=np.concatenate([0.3 * chances[0], 0.7 * chances[1]]))  # fmt: skip


@dataclass(frozen=True)
class EveryLook:
    """A confidence sequence of a share, looked at after every LOOK responses up to n.

    `chances` is None, because no number of looks makes its coverage the nominal one.
    """

    p: float
    q: float
    truth: float
    chances: None = None

    def measure(self, n: int, draws: int, generator: np.random.Generator, full: int) -> Measured:
        """How often the interval contains the truth at all looks. The width is that at n."""
        p, q = self.p, self.q
        gains = np.array([(1 - q) / (p - q), -q / (p - q)])
        held, widths = 0, []
        capital = cache(
            lambda yes, m: log_capital(
                np.array([self.truth]), (yes, m - yes), gains, np.ones(2), n
            )[0]
        )
        looks = np.arange(LOOK, n + 1, LOOK)
        steps = generator.binomial(LOOK, q + (p - q) * self.truth, (draws, len(looks)))
        for place, sums in enumerate(np.cumsum(steps, axis=1)):
            pairs = zip(sums.tolist(), looks.tolist(), strict=True)
            held += all(capital(*pair) < math.log(1 / (1 - LEVEL)) for pair in pairs)
            if place < full:
                found = confidence_sequence(
                    (int(sums[-1]), n - int(sums[-1])), gains, planned=n, level=LEVEL
                )
                widths.append(0.0 if found is None else found.high - found.low)
        return Measured(
            held / draws, 1.0, median(widths, [1] * len(widths)), None, min(widths), 0.0
        )


def every_look(epsilon: str, name: str) -> EveryLook:
    (p, _), (q, _) = probabilities(randomizer(epsilon))
    return EveryLook(float(p), float(q), {"1 %": 0.01, "10 %": 0.1, "50 %": 0.5}[name])
