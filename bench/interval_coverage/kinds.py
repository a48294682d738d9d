"""The kinds of intervals of docs/evidence/coverage.md, with their truths and sizes."""

from collections.abc import Callable
from dataclasses import dataclass

from . import analyses
from .analyses import JOINT, SCALES, WEIGHTED, EveryLook
from .cases import (
    EPSILONS,
    PLAIN,
    Case,
    Measured,
    bits_case,
    deviation_case,
    mean_case,
    number,
    part_case,
    quantile_case,
    scale,
)
from .enumerated import (
    OWN_TABLES,
    SHARES,
    coin_of,
    mean_of_one_bit,
    share_of_coin,
    share_of_table,
)

FEW = ("0.5", "1", "2", "4")
ALL = tuple(EPSILONS)
FOUR = ("all at the least", "all in the middle", "half at either end", "skewed")
SIX = (*FOUR, "even", "bell")
EIGHT = (*SIX, "all between two points", "one in fifty far out")


@dataclass(frozen=True)
class Table:
    """One kind of interval.

    Attributes
    ----------
    title, about : its heading and description
    rows : (epsilon, truth) of each row
    sizes : numbers of respondents, one column each
    draws : the number of draws for each cell; 0 if every outcome is enumerated
    again : the number of draws of a cell with a low coverage
    case : (epsilon, truth) -> the case to draw
    enumerate : (epsilon, truth, n) -> the result
    """

    title: str
    about: str
    rows: tuple[tuple[str, str], ...]
    sizes: tuple[int, ...]
    draws: int = 0
    case: Callable[[str, str], Case | EveryLook | None] | None = None
    enumerate: Callable[[str, str, int], Measured | None] | None = None
    again: int = 40_000


def every(epsilons: tuple[str, ...], truths: tuple[str, ...]) -> tuple[tuple[str, str], ...]:
    return tuple((epsilon, truth) for epsilon in epsilons for truth in truths)


def own_table(_: str, name: str, n: int) -> Measured | None:
    rows, sizes = OWN_TABLES[name]
    return share_of_table(rows, n) if n in sizes else None


PARTS = {  # the true distribution, and the bin of the histogram
    "all at the least: the first part": ("all at the least", 0),
    "all at the least: a part in the middle": ("all at the least", 5),
    "even: the first part": ("even", 0),
    "bell: a part in the middle": ("bell", 4),
}
BITS = {
    "subset selection": "subset_selection",
    "optimised unary encoding": "optimized_unary_encoding",
    "symmetric unary encoding": "symmetric_unary_encoding",
}


def bits(levels: int, declined: float) -> Callable[[str, str], Case | None]:
    def case(epsilon: str, row: str) -> Case | None:
        name, truth = row.split(": ")
        question = scale(BITS[name], epsilon, levels, declined > 0)
        # With few levels, the best sets have one member, and the reports are not bits.
        return bits_case(question, truth, declined) if question.one_hot else None

    return case


def of_bits(*truths: str) -> tuple[str, ...]:
    return tuple(f"{name}: {truth}" for name in BITS for truth in truths)


QUARTILES = {"median": 0.5, "first quartile": 0.25}


def of_quantiles(*truths: str) -> tuple[str, ...]:
    return tuple(f"{name}: {truth}" for name in QUARTILES for truth in truths)


def quantiles(privacy: str) -> Callable[[str, str], Case]:
    def case(epsilon: str, row: str) -> Case:
        name, truth = row.split(": ")
        return quantile_case(number(privacy, epsilon), truth, QUARTILES[name])

    return case


OF_QUESTIONS = (
    Table(
        "Shares from two-valued scores",
        "Each report either supports an answer or does not, so its "
        "score for this answer has one of two values. Each coverage is the smallest over all true "
        "shares, calculated by enumeration. The widths are for a true share of 0.3. “A sample of "
        "10 boxes” is the mechanism `sampled_boxes`, and “all combinations of 3 boxes” is the "
        "mechanism `joint_boxes`.",
        (*every(ALL, tuple(SHARES)), (PLAIN, "as given")),
        (10, 20, 50, 200, 501, 1000),
        enumerate=lambda epsilon, name, n: share_of_coin(
            *coin_of(*SHARES.get(name, ("", "", 0)), epsilon), n
        ),
    ),
    Table(
        "Shares by own tables",
        "Researchers can set the probabilities of a randomizer themselves, as a table of integers. "
        "Each coverage is the smallest over a grid of true shares, calculated by enumeration. The "
        "widths are for a true share of 0.3. An entry is empty if there are too many outcomes to "
        "enumerate. “Kuk's cards” is the mechanism `kuk`.",
        tuple(("–", name) for name in OWN_TABLES),
        (10, 20, 50, 200),
        enumerate=own_table,
    ),
    Table(
        "Mean of a number by one bit",
        "Each coverage is the smallest over all true means, calculated by enumeration. The widths "
        "are for a true mean of 30.",
        every(ALL, ("all means",)),
        (10, 20, 50, 200, 1000),
        enumerate=lambda epsilon, _, n: mean_of_one_bit(number("one_bit", epsilon), n),
    ),
    Table(
        "Mean of a number by the window",
        "Numbers are rounded at random to 11 levels.",
        every(ALL, EIGHT),
        (10, 20, 50, 200, 1000, 5000),
        10_000,
        lambda epsilon, truth: mean_case(number("window", epsilon), truth),
    ),
    Table(
        "Mean of a number by the optimal table",
        "Numbers are rounded at random to 21 levels.",
        every(ALL, FOUR),
        (10, 20, 50, 200, 1000),
        10_000,
        lambda epsilon, truth: mean_case(number("optimal_mean", epsilon), truth),
    ),
    Table(
        "Mean of a number by discrete Laplace",
        "Numbers are rounded at random to 21 levels.",
        every(ALL, FOUR),
        (10, 20, 50, 200, 1000),
        10_000,
        lambda epsilon, truth: mean_case(number("discrete_laplace", epsilon), truth),
    ),
    Table(
        "Mean of a scale by the exponential mechanism",
        "The scale has seven levels.",
        every(ALL, FOUR),
        (10, 20, 50, 200, 1000),
        10_000,
        lambda epsilon, truth: mean_case(scale("exponential", epsilon, 7), truth),
    ),
    Table(
        "Mean of those who gave a number",
        "30 % of the people prefer not to say. The mechanism is `window`, with 11 levels.",
        every(ALL, ("all at the least", "half at either end", "skewed")),
        (10, 20, 50, 200, 1000),
        10_000,
        lambda epsilon, truth: mean_case(number("window", epsilon, True), truth, 0.3),
    ),
    Table(
        "Mean of a plain number",
        "Numbers are stored as given.",
        every((PLAIN,), EIGHT),
        (10, 20, 50, 200, 1000, 5000),
        10_000,
        lambda epsilon, truth: mean_case(number("", epsilon), truth),
    ),
    Table(
        "Mean of those who gave a plain number",
        "30 % of the people prefer not to say. Numbers are stored as given.",
        every((PLAIN,), ("all at the least", "half at either end", "skewed")),
        (10, 20, 50, 200, 1000),
        10_000,
        lambda epsilon, truth: mean_case(number("", epsilon, True), truth, 0.3),
    ),
    Table(
        "Shares of the parts of a number's histogram",
        "The mechanism is `window`, with 11 levels. The true share of a bin is its share of "
        "the rounded numbers.",
        every(ALL, tuple(PARTS)),
        (10, 20, 50, 200, 1000),
        10_000,
        lambda epsilon, name: part_case(number("window", epsilon), *PARTS[name]),
    ),
    Table(
        "Standard deviation by the window",
        "Numbers are rounded at random to 11 levels.",
        every(("1", "4"), EIGHT),
        (10, 200, 1000),
        2_000,
        lambda epsilon, truth: deviation_case(number("window", epsilon), truth),
    ),
    Table(
        "Standard deviation of a plain number",
        "Numbers are stored as given.",
        every((PLAIN,), (*SIX, "one in fifty far out")),
        (10, 50, 200, 1000),
        2_000,
        lambda epsilon, truth: deviation_case(number("", epsilon), truth),
    ),
    Table(
        "Quantiles by the window",
        "Numbers are rounded at random to 11 levels.",
        every(("1", "4"), of_quantiles(*FOUR[:2], "bell")),
        (10, 200, 1000),
        2_000,
        quantiles("window"),
    ),
    Table(
        "Quantiles of a plain number",
        "Numbers are stored as given.",
        every((PLAIN,), of_quantiles(*SIX)),
        (10, 50, 200, 1000),
        2_000,
        quantiles(""),
    ),
    Table(
        "Standard deviation of those who gave a number",
        "30 % of the people prefer not to say. The mechanism is `window`, or the numbers are "
        "stored as given.",
        every(("1", "4", PLAIN), ("half at either end", "skewed", "even")),
        (50, 200),
        2_000,
        lambda epsilon, truth: deviation_case(number("window", epsilon, True), truth, 0.3),
    ),
    Table(
        "Median of those who gave a number",
        "30 % of the people prefer not to say. The mechanism is `window`, or the numbers are "
        "stored as given.",
        every(("1", "4", PLAIN), ("half at either end", "skewed", "even")),
        (50, 200),
        2_000,
        lambda epsilon, truth: quantile_case(number("window", epsilon, True), truth, 0.5, 0.3),
    ),
    Table(
        "Mean of a scale from reports of bits",
        "The scale has seven levels. A report has one bit for each level.",
        every(("1", "4"), of_bits("all at the least", "half at either end", "skewed")),
        (10, 50, 1000),
        2_000,
        bits(7, 0),
    ),
    Table(
        "Mean of a longer scale from reports of bits",
        "The scale has eleven levels.",
        every(("0.5", "2"), of_bits("all at the least", "half at either end", "even")),
        (10, 200),
        2_000,
        bits(11, 0),
    ),
    Table(
        "Mean of those who chose a level, from reports of bits",
        "The scale has seven levels, and 10 % of the people prefer not to say.",
        every(("0.5", "2"), of_bits("all at the least", "half at either end", "even")),
        (10, 200),
        2_000,
        bits(7, 0.1),
    ),
)  # fmt: skip
SOME = ("2", PLAIN)


def analysis(
    title: str, about: str, rows: tuple[tuple[str, str], ...],
    case: Callable[[str, str], Case | EveryLook], sizes: tuple[int, ...] = (20, 200),
) -> Table:  # fmt: skip
    """A kind of interval whose draws take longer."""
    return Table(title, about, rows, sizes, 1_000, case, again=5_000)


TABLES = (
    *OF_QUESTIONS,
    analysis(
        "Percentage of a row",
        "Two yes/no questions have the same mechanism. The percentage is the share of people with "
        "Yes to the second question among those with Yes to the first. The column “true answers” "
        "has the shares of Yes.",
        every(SOME, tuple(JOINT)), analyses.share_of_row,
    ),
    analysis(
        "Difference of two rows",
        "The questions are those of the table above. The difference is the percentage "
        "of Yes to the second question among people with No to the first, minus that among people "
        "with Yes.",
        every(SOME, tuple(JOINT)), analyses.difference_of_rows,
    ),
    analysis(
        "φ of two questions", "The questions are those of the table above.",
        every(SOME, tuple(JOINT)), analyses.phi_of,
    ),
    analysis(
        "Odds ratio",
        "The questions are those of the table above. Widths are on the scale (ratio − 1) / "
        "(ratio + 1).",
        every(SOME, tuple(JOINT)), analyses.odds_ratio_of,
    ),
    analysis(
        "Correlation of two scales",
        "Two scales have three levels and the same mechanism. In “a rare level”, the first level "
        "has a share of 5 %.",
        every(SOME, tuple(SCALES)), analyses.correlation_of,
    ),
    analysis(
        "Difference of two surveys",
        "Two surveys of different people, with n / 2 respondents each, ask the same yes/no "
        "question.",
        every(SOME, ("10 % and 10 %", "1 % and 5 %", "30 % and 50 %")),
        analyses.difference_of_surveys,
    ),
    analysis(
        "Shares of a design with two groups",
        "The command `analyse two-designs` analyses two groups of n / 2 respondents. In the "
        "first two rows (the lie detector), a rule can ask people without the trait for a true "
        "answer. In the others (cheating detection), a rule can ask for the answer Yes. In all "
        "rows, the rule does so with a probability of 25 % in one group, and of 75 % in the other. "
        "Each row has an estimated quantity and its true value. “Honesty with the trait” is the "
        "share of people with the trait who admit it. “Honest yes” is the share of people who have "
        "the trait and follow the rule.",
        every(("–",), tuple(analyses.DESIGNS)), analyses.design_of_two_groups,
    ),
    analysis(
        "Respondents who disobey the randomizer",
        "The randomizer forces the answer Yes with a probability of 25 % in one group of n / 2 "
        "respondents, and of 75 % in the other. The rows are the last two of the table above.",
        every(("–",), ("honest yes, of 20 %", "did not follow the rule, 15 %")),
        analyses.disobedient,
    ),
    analysis(
        "Difference from direct questions",
        "Half of the respondents get a randomised question, and half are asked directly. The "
        "column “true answers” has the true shares of Yes, first that of the randomised question.",
        every(("2",), ("30 % and 30 %", "5 % and 2 %")), analyses.direct_arm,
    ),
    analysis(
        "Control question",
        "The survey has a yes/no question, and a control question with a true share of 0 %. 10 % "
        "of the respondents answer at random. Each row has an estimated quantity and its true "
        "value.",
        every(SOME, ("random answers, of 10 %", "corrected share, of 30 %")),
        analyses.control_question,
    ),
    analysis(
        "Share among those asked",
        "The survey asks a yes/no question only after Yes to another question.",
        every(SOME, ("50 % asked, 30 % yes", "10 % asked, 50 % yes")), analyses.share_of_asked,
    ),
    analysis(
        "Share weighted by known totals",
        "A yes/no question is asked in two groups. One group has 30 % of the respondents, but half "
        "of the population. The column “true answers” has the shares of Yes in the two groups.",
        every(SOME, tuple(WEIGHTED)), analyses.weighted_share,
    ),
    analysis(
        "Confidence sequence of a share, at every look",
        "The researcher looks at the interval of a yes/no question after every 10 responses, up to "
        "the planned n. The coverage is the share of surveys in which all these intervals contain "
        "the true share.",
        every(SOME, ("1 %", "10 %", "50 %")), analyses.every_look, (200, 1000),
    ),
)  # fmt: skip
