"""10,000 smokers: the price of trusting nobody, on the same people and the same ε."""

import math
from collections.abc import Mapping, Sequence
from fractions import Fraction
from typing import ClassVar

import numpy as np

from survey.central_dp.noise_scales import laplace_accuracy, laplace_scale
from survey.charts.analysis_rows import number_tick
from survey.core.translate import (
    join_sentences,
    later,
    translate,
    translate_count,
    translate_number,
    translate_plural,
)
from survey.learn.controls import Draw, NumberChoice, Slider, Values
from survey.learn.dp_draws import Reals
from survey.learn.laplace import laplace_reach
from survey.learn.lesson import (
    BY_ADDING,
    BY_CHANGE,
    Cell,
    Exercise,
    Figure,
    Lesson,
    LessonPicture,
    Shown,
)
from survey.learn.pictures import Axis, Columns, Curve, Dots, Layer, Upright, plot
from survey.learn.written_numbers import with_digits
from survey.learn.yes_no_reports import best_randomizer, draw_yes_reports, estimated_shares
from survey.planning.precision import Z

REPEATS = 1_000
BINS = 40
SIZES = (100, 1_000, 10_000, 100_000)


def local_deviation(n: int, epsilon: float) -> float:
    """The standard deviation of the estimated number of Yes among n fixed people.

    Each report has the variance p (1 − p), whatever the answer. The estimate divides the number of
    reports by 2p − 1, so the result is √(n p (1 − p)) / (2p − 1) for every share.
    """
    p = float(best_randomizer(epsilon).probability(0, 0))
    return math.sqrt(n * p * (1 - p)) / (2 * p - 1)


def central_reach(epsilon: float, beta: float = 0.05) -> int:
    """The error that the curator's noisy count exceeds with a probability of at most β."""
    return laplace_accuracy(laplace_scale(1, epsilon), beta)


class Smokers(Lesson):
    """The number of smokers, the number of people and ε vary."""

    address = "smokers"
    neighbours = (BY_CHANGE, BY_ADDING)
    title = later("Smokers among 10,000 people: central and local privacy")
    idea = later(
        "A curator who knows all answers needs little noise. If everyone randomises their own "
        "answer, nobody needs to be trusted, and the error is larger."
    )
    controls = (
        Slider(
            name="share",
            label=later("Share of smokers"),
            low="0",
            high="100",
            step="1",
            start="23",
            unit="%",
        ),
        NumberChoice("n", later("People"), SIZES, 10_000),
        Slider(name="epsilon", label="ε", low="0.1", high="4", step="0.1", start="1"),
        Draw(),
    )
    exercises: ClassVar[tuple[Exercise, ...]] = (
        Exercise(
            name="reach",
            question=later(
                "A count has Laplace noise of scale 1 (ε = 1). What number does the absolute "
                "value of the noise exceed with probability 5 %?"
            ),
            hint=later("Not yet. Solve exp(−t) = 0.05."),
            explanation=later("Right: ln 20 = 3.0, and not 20."),
            solution=lambda: laplace_reach(1.0, 0.05),
            tolerance=0.05,
        ),
        Exercise(
            name="local",
            question=later(
                "10,000 people randomise their own answers with ε = 1. Each report is true with "
                "probability p = e/(1 + e) = 0.731. "
                "What is the standard deviation of the estimated number of smokers?"
            ),
            hint=later("Not yet. Calculate √(n p (1 − p)) / (2p − 1)."),
            explanation=later(
                "Right: about 96 people, so a 95 % interval is ± 189 people, rounded up."
            ),
            solution=lambda: local_deviation(10_000, 1.0),
            tolerance=0.5,
        ),
        Exercise(
            name="size",
            question=later(
                "n grows from 10,000 to 1,000,000 people. By what factor does the error of "
                "the estimated number of smokers grow with randomised answers?"
            ),
            hint=later("Not yet. The error grows with the square root of n."),
            explanation=later("Right: √100 = 10. The curator’s error stays the same."),
            solution=lambda: local_deviation(1_000_000, 1.0) / local_deviation(10_000, 1.0),
            tolerance=0.01,
        ),
    )

    def show(self, values: Values) -> Shown:
        n, epsilon = values.whole("n"), values["epsilon"]
        smokers = round(n * values["share"] / 100)
        generator = self.generator(values)
        local = draw_local_counts(smokers, n, epsilon, generator)
        deviation = local_deviation(n, epsilon)
        numbers = {
            "smokers": smokers,
            "central_reach": central_reach(epsilon),
            "local_deviation": deviation,
            "local_reach": Z * deviation,
            "spread": float(np.std(local, ddof=1)),
        }
        texts = {
            "smokers": translate_count(smokers),
            "n": translate_count(n),
            "epsilon": translate_number(f"{epsilon:g}"),
            "local": translate_count(math.ceil(numbers["local_reach"])),
        }
        if numbers["central_reach"]:
            sentence = translate(
                "%(smokers)s of %(n)s people smoke. With ε = %(epsilon)s, the curator’s count is "
                "within %(central)s with a probability of at least 95 %%. The estimate from "
                "randomised answers is within about ± %(local)s people.",
                central=people_range(numbers["central_reach"]),
                **texts,
            )
        else:
            sentence = translate(
                "%(smokers)s of %(n)s people smoke. With ε = %(epsilon)s, the curator’s count is "
                "exact with a probability of at least 95 %%. The estimate from randomised "
                "answers is within about ± %(local)s people.",
                **texts,
            )
        pictures = [
            draws_picture(local, smokers, numbers),
            sizes_picture(n, epsilon),
        ]
        return Shown(
            sentence=sentence,
            figures=smoker_figures(numbers, n),
            pictures=pictures,
            numbers=numbers,
        )

    def notebook(self, values: Values) -> Sequence[Cell]:
        n, epsilon = values.whole("n"), values["epsilon"]
        p: Fraction = best_randomizer(epsilon).probability(0, 0)
        return (
            Cell(
                "import math\nfrom statistics import NormalDist\n\nimport numpy as np\n\n"
                f"n, epsilon = {n}, {epsilon}\nsmokers = round(n * {values['share']} / 100)"
            ),
            Cell(
                "The curator adds whole numbers, with Pr(noise = x) in proportion to exp(−ε|x|). "
                "The largest error with probability 95 %:",
                code=False,
            ),
            Cell(
                "reach = 0\nwhile 2 * math.exp(-epsilon * (reach + 1)) / (1 + math.exp(-epsilon)) "
                "> 0.05:\n    reach += 1"
            ),
            Cell("Everyone reports the answer with probability p:", code=False),
            Cell(
                f"p = {p.numerator} / {p.denominator}\n"
                "local_deviation = math.sqrt(n * p * (1 - p)) / (2 * p - 1)\n"
                + self.generator_source(values)
                + "yes = generator.binomial(smokers, p, 1000) + "
                "generator.binomial(n - smokers, 1 - p, 1000)\n"
                "estimates = (yes - n * (1 - p)) / (2 * p - 1)"
            ),
            Cell(
                "numbers = {'smokers': smokers, 'central_reach': reach,\n"
                "           'local_deviation': local_deviation,\n"
                "           'local_reach': NormalDist().inv_cdf(0.975) * local_deviation,\n"
                "           'spread': estimates.std(ddof=1)}\nprint(numbers)"
            ),
        )


def draw_local_counts(
    smokers: int, n: int, epsilon: float, generator: np.random.Generator
) -> Reals:
    """The estimated numbers of smokers of REPEATS surveys of the same n people."""
    table = best_randomizer(epsilon)
    yes = draw_yes_reports(table, smokers, n, REPEATS, generator)
    return n * estimated_shares(table, yes, n)


def people_range(reach: float) -> str:
    return translate_plural("± %(n)s person", "± %(n)s people", int(reach))


def smoker_figures(numbers: Mapping[str, float], n: int) -> list[Figure]:
    reach, central = numbers["local_reach"], numbers["central_reach"]
    return [
        Figure(
            translate("Curator, probability 95 %%"),
            people_range(central) if central else translate("the exact count"),
            "2 e^(−ε(t + 1)) / (1 + e^(−ε)) ≤ β",
        ),
        Figure(
            translate("Randomised answers, probability 95 %%"),
            translate("± %(n)s people", n=math.ceil(reach)),
            translate_number("1.96 √(n p (1 − p)) / (2p − 1)"),
        ),
        Figure(
            translate("Share from randomised answers, probability 95 %%"),
            translate("± %(n)s percentage points", n=with_digits(100 * reach / n, 2)),
        ),
        Figure(
            translate("1.96 standard deviations of the 1,000 simulated estimates"),
            translate("± %(n)s people", n=round(Z * numbers["spread"])),
        ),
    ]


def draws_picture(local: Reals, smokers: int, numbers: Mapping[str, float]) -> LessonPicture:
    """1,000 estimates from randomised answers, and the curator's narrow band."""
    reach = max(3.5 * numbers["local_deviation"], 4 * numbers["central_reach"], 5.0)
    edges = np.linspace(smokers - reach, smokers + reach, BINS + 1)
    counts, _ = np.histogram(local, edges)
    central = numbers["central_reach"]
    if central:
        uprights = [
            Upright(smokers - central, translate("ends of the curator’s range"), "2 2"),
            Upright(smokers + central, "", "2 2"),
        ]
        description = translate(
            "The curator’s range of %(central)s is narrower than that of the estimates from "
            "randomised answers: about ± %(local)s people.",
            central=people_range(central),
            local=math.ceil(numbers["local_reach"]),
        )
    else:
        uprights = [Upright(smokers, translate("the curator’s count"), "2 2")]
        description = translate(
            "The curator’s count is exact with a probability of at least 95 %%. The estimates "
            "from randomised answers vary by about ± %(local)s people.",
            local=math.ceil(numbers["local_reach"]),
        )
    chart = plot(
        Axis(
            low=float(edges[0]),
            high=float(edges[-1]),
            title=translate("estimated number of smokers"),
        ),
        Axis(
            low=0,
            high=1.15 * max(1, int(counts.max())),
            title=translate("estimates in each column"),
        ),
        [
            Columns(
                edges.tolist(),
                counts.tolist(),
                translate("1,000 estimates from randomised answers"),
            ),
            *uprights,
        ],
    )
    return LessonPicture(
        chart, description, translate("1,000 simulated surveys of the same people")
    )


def power_tick(value: float) -> str:
    return number_tick(10.0**value)


def curator_line(places: Sequence[float], reach: int) -> list[Layer]:
    """The curator's error, unless it is 0, which has no place on a logarithmic axis."""
    if not reach:
        return []
    height = math.log10(reach)
    return [Curve([(places[0], height), (places[-1], height)], translate("curator"), dashes="6 3")]


def sizes_picture(n: int, epsilon: float) -> LessonPicture:
    """The error in people by n, on logarithmic axes."""
    places = [math.log10(SIZES[0]) + part / 20 for part in range(61)]
    local = [(x, math.log10(Z * local_deviation(round(10**x), epsilon))) for x in places]
    reach = central_reach(epsilon)
    top = math.ceil(max(y for _, y in local))
    chart = plot(
        Axis(low=places[0], high=places[-1], title=translate("people"), tick=power_tick, step=1),
        Axis(
            low=0,
            high=max(1, top),
            title=translate("error in people (95 %%)"),
            tick=power_tick,
            step=1,
        ),
        [
            Curve(local, translate("randomised answers"), own=True),
            *curator_line(places, reach),
            Dots([(math.log10(n), math.log10(Z * local_deviation(n, epsilon)))]),
        ],
    )
    description = translate(
        "The curator’s error does not depend on the number of people. The error with "
        "randomised answers grows with the square root of this number, so the error of the "
        "share still shrinks."
    )
    if not reach:
        description = join_sentences(
            description,
            translate(
                "The curator’s error is 0 with a probability of at least 95 %%. A logarithmic "
                "axis has no 0, so the chart does not show it."
            ),
        )
    return LessonPicture(chart, description, translate("Error by number of people"))
