"""Two coins: the share of a yes/no answer from reports, and what one report reveals."""

from collections.abc import Mapping, Sequence
from fractions import Fraction
from typing import ClassVar

import numpy as np

from survey.core.mechanisms.randomized_response import two_levels
from survey.core.translate import later, translate, translate_count, translate_number
from survey.estimation.number_text import error_points, percent
from survey.estimation.share_estimates import estimate_shares
from survey.estimation.share_intervals import Interval
from survey.web.learn.controls import Draw, NumberChoice, Slider, Values
from survey.web.learn.lesson import (
    BY_CHANGE,
    Cell,
    Exercise,
    Figure,
    Lesson,
    LessonPicture,
    Shown,
    generator_of,
)
from survey.web.learn.pictures import SplitBar, split_bars

COINS = two_levels(2, Fraction(3))  # the mechanism coin_flip for two answers
YES, NO = 0, 1


def report_chances() -> tuple[Fraction, Fraction]:
    """Pr(report Yes) of someone whose answer is Yes, and of someone whose answer is No."""
    return Fraction(COINS.rows[YES][YES], COINS.total), Fraction(COINS.rows[NO][YES], COINS.total)


def reported_yes(share: float) -> float:
    """The expected share of reports Yes: P = share/2 + 1/4 for two coins."""
    of_yes, of_no = map(float, report_chances())
    return share * of_yes + (1 - share) * of_no


def chance_of_trait(share: float, report: int) -> float:
    """Pr(answer Yes | report) by Bayes' rule, if the share of Yes is known to be `share`.

    `report` is YES or NO.
    """
    of_yes, of_no = (float(Fraction(COINS.rows[x][report], COINS.total)) for x in (YES, NO))
    return share * of_yes / (share * of_yes + (1 - share) * of_no)


class TwoCoins(Lesson):
    """The share of Yes and the number of people vary; two coins randomise each answer."""

    address = "two-coins"
    neighbours = (BY_CHANGE,)
    title = later("Two coins")
    idea = later(
        "One report does not say what a person answered. Many reports still give the share of Yes."
    )
    controls = (
        Slider("share", later("True share of Yes"), "0", "100", "1", "5", "%"),
        NumberChoice("n", later("People who answer"), (100, 1_000, 10_000), 1_000),
        Draw(),
    )
    exercises: ClassVar[tuple[Exercise, ...]] = (
        Exercise(
            "expected",
            later("The true share of Yes is 20 %. What share of reports is Yes, on average?"),
            later("Not yet. Of those whose answer is Yes, 3/4 report Yes. Of the others, 1/4 do."),
            later("Right: 0.2 × 3/4 + 0.8 × 1/4 = 0.35 = 35 %."),
            lambda: 100 * reported_yes(0.2),
            0.05,
            "%",
        ),
        Exercise(
            "estimate",
            later("Of 400 reports, 130 are Yes. What is the estimate of the true share?"),
            later("Not yet. P is 130/400. The estimate is 2P − 1/2."),
            later("Right: 2 × 130/400 − 1/2 = 0.15 = 15 %."),
            lambda: 100 * estimate_shares(COINS, (130, 270)).shares[YES].value,
            0.05,
            "%",
        ),
        Exercise(
            "posterior",
            later(
                "10 % of people have an illness. Someone’s report is Yes. How likely is it that "
                "this person has the illness?"
            ),
            later(
                "Not yet. Imagine 1,000 people. Count the Yes reports of the 100 who are ill, and "
                "of the 900 who are not."
            ),
            later("Right: 75 of the 75 + 225 people who report Yes are ill, which is 25 %."),
            lambda: 100 * chance_of_trait(0.1, YES),
            0.05,
            "%",
        ),
    )

    def show(self, values: Values) -> Shown:
        n, share = values.whole("n"), values["share"] / 100
        with_trait = round(share * n)
        generator = generator_of(values, self.address)
        yes = draw_yes_reports(with_trait, n, generator)
        estimate = estimate_shares(COINS, (yes, n - yes)).shares[YES]
        truth = with_trait / n
        sentence = translate(
            "%(yes)s of %(n)s people report Yes, so the estimate is 2 × %(yes)s/%(n)s − 1/2 = "
            "%(estimate)s. The true share is %(truth)s.",
            yes=translate_count(yes),
            n=translate_count(n),
            estimate=translate_number(percent(estimate.value)),
            truth=translate_number(percent(truth)),
        )
        numbers = {
            "yes": yes,
            "estimate": estimate.value,
            "standard_error": estimate.standard_error or 0.0,
            "after_yes": chance_of_trait(truth, YES),
            "after_no": chance_of_trait(truth, NO),
        }
        return Shown(
            sentence, coin_figures(numbers, estimate.interval), [self.picture(truth)], numbers
        )

    def picture(self, share: float) -> LessonPicture:
        """1,000 people on average, by report and by true answer."""
        of_yes, of_no = map(float, report_chances())
        trait, others = 1_000 * share, 1_000 * (1 - share)
        bars = []
        for label, first, second in (
            (translate("Report Yes"), trait * of_yes, others * of_no),
            (translate("Report No"), trait * (1 - of_yes), others * (1 - of_no)),
        ):
            words = (
                translate("answer Yes: %(n)s", n=translate_number(expected_people(first))),
                translate("answer No: %(n)s", n=translate_number(expected_people(second))),
            )
            bars.append(SplitBar(label, first, second, words))
        description = translate(
            "Of 1,000 people, on average %(yes)s report Yes. The true answer of %(ill)s of these "
            "is Yes.",
            yes=translate_number(expected_people(bars[0].first + bars[0].second)),
            ill=translate_number(expected_people(bars[0].first)),
        )
        chart = split_bars(bars, 750, (translate("true answer Yes"), translate("true answer No")))
        return LessonPicture(chart, description, translate("1,000 people, on average"))

    def notebook(self, values: Values) -> Sequence[Cell]:
        n, share = values.whole("n"), values["share"] / 100
        yes = int(self.show(values).numbers["yes"])
        return (
            Cell(
                "Two coins: heads keeps the answer, tails lets a second coin decide. So the report "
                "is the answer with probability 3/4.",
                code=False,
            ),
            Cell(
                f"import math\n\nn, share = {n}, {share!r}\n"
                f"yes = {yes}  # reports of this draw\n"
                "p = yes / n\nestimate = 2 * p - 1 / 2\n"
                "standard_error = 2 * math.sqrt(p * (1 - p) / (n - 1))\n"
                "print(estimate, standard_error)"
            ),
            Cell("What one report reveals, by Bayes' rule:", code=False),
            Cell(
                "s = round(share * n) / n\n"
                "after_yes = 3 * s / (3 * s + (1 - s))\n"
                "after_no = s / (s + 3 * (1 - s))\n"
                "print(after_yes, after_no)"
            ),
            Cell(
                "numbers = {'yes': yes, 'estimate': estimate, 'standard_error': standard_error,\n"
                "           'after_yes': after_yes, 'after_no': after_no}"
            ),
        )


def expected_people(expected: float) -> str:
    """An expected number of people, with at most one decimal."""
    return f"{round(expected, 1):g}"


def coin_figures(numbers: Mapping[str, float], interval: Interval) -> list[Figure]:
    """The figures of the page, from its unrounded numbers."""
    return [
        Figure(
            translate("Estimate of the true share"),
            translate_number(percent(numbers["estimate"])),
            "2P − 1/2",
        ),
        Figure(
            translate("95 %% interval"),
            translate(
                "%(low)s to %(high)s",
                low=translate_number(percent(interval.low)),
                high=translate_number(percent(interval.high)),
            ),
        ),
        Figure(translate("Standard error"), error_points(numbers["standard_error"])),
        Figure(
            translate("Pr(Yes | report Yes)"),
            translate_number(percent(numbers["after_yes"])),
            "3s / (3s + (1 − s))",
        ),
        Figure(
            translate("Pr(Yes | report No)"),
            translate_number(percent(numbers["after_no"])),
            "s / (s + 3(1 − s))",
        ),
    ]


def draw_yes_reports(with_trait: int, n: int, generator: np.random.Generator) -> int:
    """The number of reports Yes of n people, of whom `with_trait` answer Yes."""
    of_yes, of_no = map(float, report_chances())
    own = generator.binomial(with_trait, of_yes)
    return int(own + generator.binomial(n - with_trait, of_no))
