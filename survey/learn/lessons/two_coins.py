"""Two coins: the share of a yes/no answer from reports, and what one report reveals."""

from collections.abc import Mapping, Sequence
from typing import ClassVar

from survey.core.translate import later, translate
from survey.estimation.number_text import error_points
from survey.estimation.share_estimates import estimate_shares
from survey.estimation.share_intervals import Interval
from survey.learn.controls import Draw, NumberChoice, Slider, Values
from survey.learn.lesson import BY_CHANGE, Cell, Exercise, Figure, Lesson, LessonPicture, Shown
from survey.learn.pictures import SplitBar, split_bars
from survey.learn.written_numbers import round_to_text, share_in_percent
from survey.learn.yes_no_reports import (
    NO,
    TWO_COINS,
    YES,
    chance_of_trait,
    draw_yes_reports,
    report_chances,
    reported_yes,
)


class TwoCoins(Lesson):
    """The share of Yes and the number of people vary; two coins randomise each answer."""

    address = "two-coins"
    neighbours = (BY_CHANGE,)
    title = later("Two coins")
    idea = later(
        "One report does not say what a person answered. Many reports still give the share of Yes."
    )
    controls = (
        Slider(
            name="share",
            label=later("True share of Yes"),
            low="0",
            high="100",
            step="1",
            start="5",
            unit="%",
        ),
        NumberChoice("n", later("People who answer"), (100, 1_000, 10_000), 1_000),
        Draw(),
    )
    exercises: ClassVar[tuple[Exercise, ...]] = (
        Exercise(
            name="expected",
            question=later(
                "The true share of Yes is 20 %. What share of reports is Yes, on average?"
            ),
            hint=later(
                "Not yet. Of those whose answer is Yes, 3/4 report Yes. Of the others, 1/4 do."
            ),
            explanation=later("Right: 0.2 × 3/4 + 0.8 × 1/4 = 0.35 = 35 %."),
            solution=lambda: 100 * reported_yes(TWO_COINS, 0.2),
            tolerance=0.05,
            unit="%",
        ),
        Exercise(
            name="estimate",
            question=later("Of 400 reports, 130 are Yes. What is the estimate of the true share?"),
            hint=later("Not yet. P is 130/400. The estimate is 2P − 1/2."),
            explanation=later("Right: 2 × 130/400 − 1/2 = 0.15 = 15 %."),
            solution=lambda: 100 * estimate_shares(TWO_COINS, (130, 270)).shares[YES].value,
            tolerance=0.05,
            unit="%",
        ),
        Exercise(
            name="posterior",
            question=later(
                "10 % of people have an illness. Someone’s report is Yes. How likely is it that "
                "this person has the illness?"
            ),
            hint=later(
                "Not yet. Imagine 1,000 people. Count the Yes reports of the 100 who are ill, and "
                "of the 900 who are not."
            ),
            explanation=later(
                "Right: 75 of the 75 + 225 people who report Yes are ill, which is 25 %."
            ),
            solution=lambda: 100 * chance_of_trait(0.1, YES),
            tolerance=0.05,
            unit="%",
        ),
    )

    def show(self, values: Values) -> Shown:
        n, share = values.whole("n"), values["share"] / 100
        with_trait = round(share * n)
        generator = self.generator(values)
        yes = int(draw_yes_reports(TWO_COINS, with_trait, n, 1, generator)[0])
        estimate = estimate_shares(TWO_COINS, (yes, n - yes)).shares[YES]
        truth = with_trait / n
        sentence = translate(
            "%(yes)s of %(n)s people report Yes, so the estimate is 2 × %(yes)s/%(n)s − 1/2 = "
            "%(estimate)s. The true share is %(truth)s.",
            yes=yes,
            n=n,
            estimate=share_in_percent(estimate.value),
            truth=share_in_percent(truth),
        )
        numbers = {
            "yes": yes,
            "estimate": estimate.value,
            "standard_error": estimate.standard_error or 0.0,
            "after_yes": chance_of_trait(truth, YES),
            "after_no": chance_of_trait(truth, NO),
        }
        return Shown(
            sentence=sentence,
            figures=coin_figures(numbers, estimate.interval),
            pictures=[self.picture(truth)],
            numbers=numbers,
        )

    def picture(self, share: float) -> LessonPicture:
        """1,000 people on average, by report and by true answer."""
        of_yes, of_no = report_chances(TWO_COINS)
        trait, others = 1_000 * share, 1_000 * (1 - share)
        bars = []
        for label, first, second in (
            (translate("Report Yes"), trait * of_yes, others * of_no),
            (translate("Report No"), trait * (1 - of_yes), others * (1 - of_no)),
        ):
            words = (
                translate("answer Yes: %(n)s", n=round_to_text(first, 1)),
                translate("answer No: %(n)s", n=round_to_text(second, 1)),
            )
            bars.append(SplitBar(label, first, second, words))
        description = translate(
            "Of 1,000 people, on average %(yes)s report Yes. The true answer of %(ill)s of these "
            "is Yes.",
            yes=round_to_text(bars[0].first + bars[0].second, 1),
            ill=round_to_text(bars[0].first, 1),
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


def coin_figures(numbers: Mapping[str, float], interval: Interval) -> list[Figure]:
    """The figures of the page, from its unrounded numbers."""
    return [
        Figure(
            translate("Estimate of the true share"),
            share_in_percent(numbers["estimate"]),
            "2P − 1/2",
        ),
        Figure(
            translate("95 %% interval"),
            translate(
                "%(low)s to %(high)s",
                low=share_in_percent(interval.low),
                high=share_in_percent(interval.high),
            ),
        ),
        Figure(translate("Standard error"), error_points(numbers["standard_error"])),
        Figure(
            translate("Pr(Yes | report Yes)"),
            share_in_percent(numbers["after_yes"]),
            "3s / (3s + (1 − s))",
        ),
        Figure(
            translate("Pr(Yes | report No)"),
            share_in_percent(numbers["after_no"]),
            "s / (s + 3(1 − s))",
        ),
    ]
