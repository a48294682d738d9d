"""γ: how much the report leans to the answer, from no information to no privacy."""

import math
from collections.abc import Mapping, Sequence
from fractions import Fraction
from typing import ClassVar

import numpy as np

from survey.charts.analysis_rows import number_tick, percent_tick
from survey.core.mechanisms.randomized_response import two_levels
from survey.core.randomizer import Randomizer
from survey.core.translate import later, translate, translate_count, translate_number
from survey.definition.certainty import epsilon_text
from survey.estimation.number_text import error_points
from survey.estimation.share_estimates import estimate_shares, variance_at_observed, variance_bound
from survey.learn.controls import Draw, NumberChoice, Slider, Values
from survey.learn.dp_draws import Reals
from survey.learn.lesson import (
    BY_CHANGE,
    POINTS,
    Cell,
    Exercise,
    Figure,
    Lesson,
    LessonPicture,
    Shown,
)
from survey.learn.pictures import Axis, Columns, Curve, Layer, Upright, plot
from survey.learn.written_numbers import share_in_percent, with_decimals, with_digits
from survey.learn.yes_no_reports import estimated_shares, reported_yes
from survey.planning.precision import Z, respondents_needed

REPEATS = 1_000
BINS = 40
MARGIN = 0.05  # the margin of the second picture
MAX_NEEDED = 40_000  # the end of its axis


def table_of(gamma: Fraction) -> Randomizer | None:
    """The randomizer of 0 < γ < 1/2. The identity for γ = 1/2, and None for γ = 0."""
    half = Fraction(1, 2)
    if gamma == 0:
        return None
    return Randomizer.identity(2) if gamma == half else leaning(gamma)


def leaning(gamma: Fraction) -> Randomizer:
    """The randomizer that reports the answer with probability 1/2 + γ, for 0 < γ < 1/2."""
    half = Fraction(1, 2)
    return two_levels(2, (half + gamma) / (half - gamma))


def draw_estimates(
    table: Randomizer, share: float, n: int, generator: np.random.Generator
) -> Reals:
    """The estimates of REPEATS surveys, each of n people drawn by chance."""
    return estimated_shares(table, generator.binomial(n, reported_yes(table, share), REPEATS), n)


def people_needed(gamma: float) -> int:
    """The people for whom 1.96 times the largest standard error is at most MARGIN."""
    return respondents_needed(1 / (16 * gamma**2), MARGIN)


class Gamma(Lesson):
    """γ, the true share and the number of people vary."""

    address = "gamma"
    neighbours = (BY_CHANGE,)
    title = later("How often a report is true: γ")
    idea = later(
        "A report equals the answer with probability 1/2 + γ. A larger γ gives more precise "
        "estimates, but protects less."
    )
    controls = (
        Slider(name="gamma", label="γ", low="0", high="0.5", step="0.01", start="0.25"),
        Slider(
            name="share",
            label=later("True share of Yes"),
            low="0",
            high="100",
            step="1",
            start="20",
            unit="%",
        ),
        NumberChoice("n", later("People who answer"), (100, 1_000, 10_000), 1_000),
        Draw(),
    )
    exercises: ClassVar[tuple[Exercise, ...]] = (
        Exercise(
            name="coins",
            question=later("What is γ for two coins?"),
            hint=later("Not yet. With two coins, the report is the answer with probability 3/4."),
            explanation=later("Right: 3/4 = 1/2 + γ, so γ = 1/4."),
            solution=lambda: 0.25,
            tolerance=0.001,
        ),
        Exercise(
            name="estimate",
            question=later("γ = 0.3, and 44 % of the reports are Yes. What is the estimate?"),
            hint=later("Not yet. Calculate (P − 1/2 + γ) / (2γ) with P = 0.44."),
            explanation=later("Right: (0.44 − 0.5 + 0.3) / 0.6 = 0.4 = 40 %."),
            solution=lambda: (
                100 * estimate_shares(leaning(Fraction("0.3")), (44, 56)).shares[0].value
            ),
            tolerance=0.05,
            unit="%",
        ),
        Exercise(
            name="bound",
            question=later(
                "γ = 1/4 and n = 1,600. What is the largest possible standard error of the "
                "estimate, in percentage points?"
            ),
            hint=later("Not yet. It is the square root of 1/(16 γ² n)."),
            explanation=later(
                "Right: √(1/(16 × 1/16 × 1,600)) = 1/40, which is 2.5 percentage points."
            ),
            solution=lambda: 100 * math.sqrt(variance_bound(leaning(Fraction(1, 4)), 1_600) or 0.0),
            tolerance=0.05,
            unit=POINTS,
        ),
    )

    def show(self, values: Values) -> Shown:
        gamma = Fraction(round(100 * values["gamma"]), 100)
        n, share = values.whole("n"), values["share"] / 100
        table = table_of(gamma)
        if table is None:
            return self.show_nothing()
        estimates = draw_estimates(table, share, n, self.generator(values))
        spread = float(np.std(estimates, ddof=1))
        exact = math.sqrt(variance_at_observed(table, reported_yes(table, share), n) or 0.0)
        largest = math.sqrt(variance_bound(table, n) or 0.0)
        mean = float(np.mean(estimates))
        numbers = {
            "mean": mean,
            "spread": spread,
            "exact": exact,
            "largest": largest,
            "needed": people_needed(float(gamma)),
        }
        return Shown(
            sentence=case_sentence(gamma, table),
            figures=gamma_figures(table, numbers),
            pictures=[self.histogram(estimates, share, exact), self.sizes(gamma)],
            numbers=numbers,
        )

    def show_nothing(self) -> Shown:
        """γ = 0, where there is no estimate."""
        return Shown(
            sentence=translate(
                "γ = 0: every report is a fair coin, whatever the answer. The reports contain "
                "no information, so there is no estimate."
            ),
            figures=[
                Figure(translate("Privacy loss ε"), translate_number("0.00")),
                Figure(translate("Estimate"), translate("impossible"), translate("division by 0")),
            ],
            pictures=[self.sizes(Fraction(0))],
            numbers={"epsilon": 0.0},
        )

    def histogram(self, estimates: Reals, share: float, error: float) -> LessonPicture:
        """1,000 estimates, and the normal curve with the exact standard error."""
        reach = max(4.5 * error, 0.02)
        edges = np.linspace(share - reach, share + reach, BINS + 1)
        counts, _ = np.histogram(estimates, edges)
        curve = []
        if error > 0:
            each = (edges[1] - edges[0]) * REPEATS / (error * math.sqrt(2 * math.pi))
            curve = [
                (float(x), float(each * math.exp(-(((x - share) / error) ** 2) / 2)))
                for x in np.linspace(edges[0], edges[-1], 121)
            ]
        highest = max(float(counts.max()), *(height for _, height in curve), 1.0)
        layers: list[Layer] = [
            Columns(edges.tolist(), counts.tolist(), translate("1,000 simulated estimates")),
            *([Curve(curve, translate("normal curve, exact standard error"))] if curve else []),
            Upright(share, translate("true share"), "4 3"),
        ]
        chart = plot(
            Axis(
                low=float(edges[0]),
                high=float(edges[-1]),
                title=translate("estimate"),
                tick=percent_tick,
            ),
            Axis(low=0, high=1.1 * highest, title=translate("estimates in each column")),
            layers,
        )
        description = translate(
            "The middle 95 %% of the 1,000 estimates lie between %(low)s and %(high)s.",
            low=share_in_percent(float(np.quantile(estimates, 0.025))),
            high=share_in_percent(float(np.quantile(estimates, 0.975))),
        )
        return LessonPicture(chart, description, translate("1,000 surveys"))

    def sizes(self, gamma: Fraction) -> LessonPicture:
        """The people needed for a margin of 5 points, by γ."""
        lowest = Z / (4 * MARGIN * math.sqrt(MAX_NEEDED))
        places = np.linspace(lowest + 1e-6, 0.5, 120).tolist()
        points = [(at, float(people_needed(at))) for at in places]
        chart = plot(
            Axis(low=0, high=0.5, title="γ", tick=number_tick),
            Axis(low=0, high=MAX_NEEDED, title=translate("people")),
            [
                Curve(points, translate("people needed for ± 5 percentage points"), own=True),
                Upright(float(gamma), translate("selected γ")),
            ],
        )
        if not gamma:
            description = translate("With γ = 0, no number of people is enough.")
        elif people_needed(float(gamma)) > MAX_NEEDED:
            description = translate("With this γ, more than 40,000 people are needed.")
        else:
            description = translate(
                "With γ = %(gamma)s, %(n)s people are enough for ± 5 percentage points.",
                gamma=with_decimals(float(gamma), 2),
                n=people_needed(float(gamma)),
            )
        return LessonPicture(chart, description, translate("A smaller γ needs more people"))

    def notebook(self, values: Values) -> Sequence[Cell]:
        gamma, share, n = values["gamma"], values["share"] / 100, values.whole("n")
        if gamma == 0:
            return (
                Cell("With γ = 0, every report is a fair coin: ε = 0.", code=False),
                Cell(
                    "import math\n\nepsilon = math.log(0.5 / 0.5)\nnumbers = {'epsilon': epsilon}"
                ),
            )
        return (
            Cell(
                "import math\nfrom statistics import NormalDist\n\nimport numpy as np\n\n"
                f"gamma, share, n = {gamma}, {share!r}, {n}\n"
                "P = 0.5 + 2 * gamma * (share - 0.5)\n"
                "exact = math.sqrt(P * (1 - P) / (4 * gamma**2 * n))\n"
                "largest = math.sqrt(1 / (16 * gamma**2 * n))\n"
                "z = NormalDist().inv_cdf(0.975)\n"
                "needed = math.ceil(z**2 / (16 * gamma**2 * 0.05**2))"
            ),
            Cell("1,000 surveys of n people each:", code=False),
            Cell(
                self.generator_source(values)
                + "chance = share * (0.5 + gamma) + (1 - share) * (0.5 - gamma)\n"
                "yes = generator.binomial(n, chance, 1000)\n"
                "estimates = (yes / n - 0.5 + gamma) / (2 * gamma)\n"
                "mean, spread = estimates.mean(), estimates.std(ddof=1)"
            ),
            Cell(
                "numbers = {'mean': mean, 'spread': spread, 'exact': exact, 'largest': largest,\n"
                "           'needed': needed}\nprint(numbers)"
            ),
        )


def gamma_figures(table: Randomizer, numbers: Mapping[str, float]) -> list[Figure]:
    """The figures of the page, from its unrounded numbers."""
    return [
        Figure(translate("Privacy loss ε"), privacy_loss(table), "ln((1/2 + γ) / (1/2 − γ))"),
        Figure(translate("Mean of 1,000 estimates"), share_in_percent(numbers["mean"])),
        Figure(
            translate("Standard deviation of the 1,000 estimates"), error_points(numbers["spread"])
        ),
        Figure(
            translate("Exact standard error"),
            error_points(numbers["exact"]),
            "√(P(1 − P) / (4 γ² n))",
        ),
        Figure(
            translate("Largest standard error"),
            error_points(numbers["largest"]),
            "√(1 / (16 γ² n))",
        ),
        Figure(
            translate("People needed for ± 5 percentage points"),
            translate_count(int(numbers["needed"])),
            translate_number("1.96² / (16 γ² 0.05²)"),
        ),
    ]


def privacy_loss(table: Randomizer) -> str:
    return "∞" if math.isinf(table.epsilon) else translate_number(epsilon_text(table.epsilon))


def case_sentence(gamma: Fraction, table: Randomizer) -> str:
    """The sentence on a γ above 0."""
    if table.ratio_bound is None:
        return translate(
            "γ = 1/2: every report is the answer itself. The estimate is as precise as a direct "
            "question, and there is no privacy."
        )
    return translate(
        "The report is the answer with probability %(keeps)s. It is at most %(odds)s times as "
        "likely with one answer as with the other.",
        keeps=with_decimals(float(Fraction(1, 2) + gamma), 2),
        odds=with_digits(float(table.ratio_bound), 3),
    )
