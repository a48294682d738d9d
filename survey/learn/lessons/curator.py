"""The trusted curator: four weights, a published mean, and Laplace noise."""

import math
from collections.abc import Mapping, Sequence
from typing import ClassVar

import numpy as np

from survey.core.translate import later, translate, translate_number
from survey.estimation.number_text import fixed_decimals, rounded_to
from survey.learn.controls import Draw, NumberChoice, Slider, TypedNumber, Values
from survey.learn.laplace import (
    laplace_density,
    laplace_deviation,
    laplace_exceeds,
    laplace_reach,
)
from survey.learn.lesson import BY_CHANGE, Cell, Exercise, Figure, Lesson, LessonPicture, Shown
from survey.learn.pictures import Area, Axis, Curve, Dots, Layer, Upright, plot
from survey.learn.written_numbers import (
    density_text,
    share_in_percent,
    with_decimals,
    with_digits,
)

LOW = 30
HIGH = 150
WIDTH = HIGH - LOW
OTHERS = (60, 70, 80)  # the three who know their own weights
USUAL_MEAN = 62.5  # of the four people of the text, and of all further people
POINTS = 161


def mean_weight(fourth: float, n: int) -> float:
    """The mean of n people: the three, the fourth, and n − 4 others of 62.5 kg on average."""
    return (sum(OTHERS) + fourth + USUAL_MEAN * (n - 4)) / n


def mean_scale(n: int, epsilon: float) -> float:
    """The scale b = 120 / (n ε) of Laplace noise on a mean of n weights from 30 to 150 kg.

    Its neighbours have another weight for one person, so the mean changes by at most 120/n.
    """
    return WIDTH / (n * epsilon)


def ratio_of_tables(released: float, one: float, other: float, scale: float) -> float:
    """How many times as likely the released value is with the mean `one` as with `other`."""
    return math.exp((abs(released - other) - abs(released - one)) / scale)


class Curator(Lesson):
    """The fourth person's weight, another possible weight, ε, n and the published mean vary."""

    address = "curator"
    neighbours = (BY_CHANGE,)
    title = later("The trusted curator")
    idea = later(
        "A curator who knows all answers publishes a mean with noise, so that nobody can work out "
        "one person’s answer."
    )
    controls = (
        Slider(
            name="weight",
            label=later("Weight of the fourth person"),
            low="30",
            high="150",
            step="1",
            start="40",
            unit=later("kg"),
        ),
        Slider(
            name="other",
            label=later("Weight to compare with"),
            low="30",
            high="150",
            step="1",
            start="50",
            unit=later("kg"),
        ),
        Slider(name="epsilon", label="ε", low="0.1", high="3", step="0.1", start="0.1"),
        NumberChoice("n", later("People in the table"), (4, 10, 100, 1_000), 4),
        TypedNumber(
            name="published",
            label=later("Published mean (leave empty for a draw)"),
            low="-10000",
            high="10000",
            unit=later("kg"),
        ),
        Draw(),
    )
    exercises: ClassVar[tuple[Exercise, ...]] = (
        Exercise(
            name="fourth",
            question=later(
                "The mean of four weights is 62.5 kg. The three others weigh 60, 70 and 80 kg. "
                "What does the fourth person weigh?"
            ),
            hint=later("Not yet. The four weights add up to 4 × 62.5 kg."),
            explanation=later(
                "Right: 250 − 210 = 40 kg. A mean without noise reveals the weight exactly."
            ),
            solution=lambda: 4 * mean_weight(40, 4) - sum(OTHERS),
            tolerance=0.01,
            unit=later("kg"),
        ),
        Exercise(
            name="scale",
            question=later(
                "1,000 people weigh 30 to 150 kg, and ε = 0.1. What is the scale of the Laplace "
                "noise on their mean?"
            ),
            hint=later("Not yet. One person changes the mean by at most 120/n. Divide that by ε."),
            explanation=later("Right: 120 / (1,000 × 0.1) = 1.2 kg."),
            solution=lambda: mean_scale(1_000, 0.1),
            tolerance=0.005,
            unit=later("kg"),
        ),
        Exercise(
            name="tail",
            question=later(
                "How likely is it that Laplace noise is at most two standard deviations from 0?"
            ),
            hint=later(
                "Not yet. The standard deviation is √2 b, and noise exceeds t with probability "
                "exp(−t/b)."
            ),
            explanation=later(
                "Right: 1 − exp(−2√2) = 94.1 %. Chebyshev’s inequality promises only 75 %."
            ),
            solution=lambda: 100 * (1 - laplace_exceeds(laplace_deviation(2.0), 1.0)),
            tolerance=0.1,
            unit="%",
        ),
    )

    def show(self, values: Values) -> Shown:
        n, epsilon = values.whole("n"), values["epsilon"]
        mean, other = mean_weight(values["weight"], n), mean_weight(values["other"], n)
        scale = mean_scale(n, epsilon)
        typed = values.numbers.get("published")
        drawn = mean + float(self.generator(values).laplace(0.0, scale))
        released = drawn if typed is None else typed
        ratio = ratio_of_tables(released, mean, other, scale)
        numbers = {
            "mean": mean,
            "scale": scale,
            "deviation": laplace_deviation(scale),
            "within_95": laplace_reach(scale, 0.05),
            "density": laplace_density(released, mean, scale),
            "other_density": laplace_density(released, other, scale),
            "ratio": max(ratio, 1 / ratio),
            "limit": math.exp(epsilon),
        }
        published = round(drawn, mean_decimals(n)) if typed is None else typed
        return Shown(
            sentence=drawn_sentence(values, mean, published)
            if typed is None
            else typed_sentence(values, published, ratio),
            figures=curator_figures(numbers),
            pictures=[
                two_tables(mean, other, published, scale, n),
                ratio_picture(mean, other, published, scale, epsilon),
                one_density(mean, scale),
            ],
            numbers=numbers,
        )

    def notebook(self, values: Values) -> Sequence[Cell]:
        drawn = "mean + generator.laplace(0, scale)"
        return (
            Cell(
                "import math\n\nimport numpy as np\n\n"
                f"weight, other, epsilon, n = {values['weight']}, {values['other']}, "
                f"{values['epsilon']}, {values.whole('n')}\n\n\n"
                "def mean_of(fourth):\n"
                "    return (60 + 70 + 80 + fourth + 62.5 * (n - 4)) / n\n\n\n"
                "mean = mean_of(weight)\nscale = 120 / (n * epsilon)"
            ),
            Cell(
                self.generator_source(values)
                + f"released = {values.numbers.get('published', drawn)}\n"
                "density = math.exp(-abs(released - mean) / scale) / (2 * scale)\n"
                "other_density = math.exp(-abs(released - mean_of(other)) / scale) / (2 * scale)\n"
                "ratio = math.exp((abs(released - mean_of(other)) - abs(released - mean)) / scale)"
            ),
            Cell(
                "numbers = {'mean': mean, 'scale': scale, 'deviation': math.sqrt(2) * scale,\n"
                "           'within_95': scale * math.log(20), 'density': density,\n"
                "           'other_density': other_density, 'ratio': max(ratio, 1 / ratio),\n"
                "           'limit': math.exp(epsilon)}\nprint(released, numbers)"
            ),
        )


def mean_decimals(n: int) -> int:
    """The decimals from which n times a mean gives a sum to 0.1 kg."""
    return 1 + math.ceil(math.log10(n))


def mean_kilograms(value: float, n: int) -> str:
    """A mean of n weights, without zeros at its end but with at least one decimal."""
    whole, decimals = fixed_decimals(value, mean_decimals(n)).split(".")
    return translate_number(f"{whole}.{decimals.rstrip('0') or '0'}")


def with_kilograms(value: float) -> str:
    return translate("%(number)s kg", number=with_digits(value, 4))


def drawn_sentence(values: Values, mean: float, published: float) -> str:
    n = values.whole("n")
    return translate(
        "Without noise, the mean is %(mean)s kg, and the others calculate a weight of "
        "%(weight)s kg. With noise, the curator publishes %(released)s kg, from which the "
        "others calculate %(deduced)s kg.",
        mean=mean_kilograms(mean, n),
        weight=with_decimals(values["weight"], 1),
        released=mean_kilograms(published, n),
        deduced=with_decimals(n * published - (n * mean - values["weight"]), 1),
    )


def typed_sentence(values: Values, published: float, ratio: float) -> str:
    """Which weight makes the typed mean more likely, and by what factor."""
    shown = {
        "released": with_digits(published, 10),
        "weight": f"{values['weight']:.0f}",
        "other": f"{values['other']:.0f}",
        "ratio": with_decimals(max(ratio, 1 / ratio), 3),
        "limit": with_decimals(math.exp(values["epsilon"]), 3),
    }
    if math.isclose(ratio, 1, rel_tol=1e-9):
        return translate(
            "A published mean of %(released)s kg is equally likely with %(weight)s kg and with "
            "%(other)s kg. It does not help to tell which weight is the true one.",
            **shown,
        )
    if ratio < 1:
        shown["weight"], shown["other"] = shown["other"], shown["weight"]
    return translate(
        "A published mean of %(released)s kg is %(ratio)s times as likely with %(weight)s kg as "
        "with %(other)s kg. This ratio is at most e^ε = %(limit)s for every published mean.",
        **shown,
    )


def curator_figures(numbers: Mapping[str, float]) -> list[Figure]:
    return [
        Figure(translate("Scale b of the noise"), with_kilograms(numbers["scale"]), "120 / (n ε)"),
        Figure(
            translate("Standard deviation of the noise"),
            with_kilograms(numbers["deviation"]),
            "√2 b",
        ),
        Figure(
            translate("Noise within two standard deviations"),
            translate(
                "at least %(chebyshev)s (Chebyshev), exactly %(exact)s",
                chebyshev=share_in_percent(0.75),
                exact=share_in_percent(1 - laplace_exceeds(2 * math.sqrt(2), 1.0)),
            ),
        ),
        Figure(
            translate("Noise with probability 95 %%"),
            f"± {with_kilograms(numbers['within_95'])}",
            "b ln 20",
        ),
        Figure(
            translate("Density with the weight"),
            density_text(numbers["density"]),
            translate("per kg, at the published mean"),
        ),
        Figure(
            translate("Density with the other weight"),
            density_text(numbers["other_density"]),
            translate("per kg, at the published mean"),
        ),
        Figure(
            translate("Likelihood ratio of the two weights"),
            with_decimals(numbers["ratio"], 3),
            translate("larger by smaller density"),
        ),
        Figure(translate("Largest possible ratio"), with_decimals(numbers["limit"], 3), "e^ε"),
    ]


def density_points(
    places: Sequence[float], centre: float, scale: float
) -> list[tuple[float, float]]:
    return [(float(x), laplace_density(float(x), centre, scale)) for x in places]


def two_tables(mean: float, other: float, released: float, scale: float, n: int) -> LessonPicture:
    """The densities for both weights near the two means, in percent of the largest density."""
    middle, gap = (mean + other) / 2, abs(mean - other)
    distance = abs(released - middle)
    reach = max(1.5 * gap, 1.2 * distance if distance <= 3 * gap else 0) or 4 * scale
    places = sorted({*np.linspace(middle - reach, middle + reach, POINTS).tolist(), mean, other})
    lowest = 100 * math.exp(-(reach + gap / 2) / scale)
    low = lowest - 0.1 * (100 - lowest) if lowest > 50 else 0.0
    layers: list[Layer] = [
        Curve(percent_of_top(places, mean, scale), translate("with the weight"), own=True),
        Curve(
            percent_of_top(places, other, scale), translate("with the other weight"), dashes="6 3"
        ),
    ]
    if distance <= reach:
        layers.append(Upright(released, translate("published mean"), "2 2"))
    chart = plot(
        Axis(low=middle - reach, high=middle + reach, title=translate("published mean, kg")),
        Axis(
            low=low,
            high=100 + 0.1 * (100 - low),
            title=translate("density, in %% of the largest density"),
        ),
        layers,
    )
    shown = mean_kilograms(released, n)
    if low:
        description = translate(
            "The published mean of %(released)s kg is possible with both weights. The vertical "
            "axis does not begin at 0, because the two densities are so close.",
            released=shown,
        )
    else:
        description = translate(
            "The published mean of %(released)s kg is possible with both weights.", released=shown
        )
    return LessonPicture(chart, description, translate("Two neighbouring tables"))


def percent_of_top(
    places: Sequence[float], centre: float, scale: float
) -> list[tuple[float, float]]:
    return [(x, 200 * scale * density) for x, density in density_points(places, centre, scale)]


def ratio_picture(
    mean: float, other: float, released: float, scale: float, epsilon: float
) -> LessonPicture:
    """The logarithm of the likelihood ratio, which stays between −ε and ε."""
    middle, gap = (mean + other) / 2, abs(mean - other)
    reach = max(3 * gap, 1.2 * abs(released - middle)) or 4 * scale
    ends = middle - reach, middle + reach
    places = sorted({*ends, *np.linspace(*ends, POINTS).tolist(), mean, other})

    def log_ratio(x: float) -> float:
        return (abs(x - other) - abs(x - mean)) / scale

    chart = plot(
        Axis(low=ends[0], high=ends[1], title=translate("published mean, kg")),
        Axis(
            low=-1.2 * epsilon,
            high=1.2 * epsilon,
            title=translate("natural logarithm of the ratio"),
        ),
        [
            Curve([(end, epsilon) for end in ends], translate("limits −ε and ε"), dashes="6 3"),
            Curve([(end, -epsilon) for end in ends], dashes="6 3"),
            Curve(
                [(x, log_ratio(x)) for x in places], translate("ratio of the densities"), own=True
            ),
            Dots([(released, log_ratio(released))], translate("published mean")),
        ],
    )
    description = translate(
        "Above 0, the weight makes the published mean more likely than the other weight does. "
        "Below 0, the other weight does."
    )
    return LessonPicture(chart, description, translate("Likelihood ratio of the two weights"))


def one_density(mean: float, scale: float) -> LessonPicture:
    """The density of the published mean, with two standard deviations shaded."""
    deviation = laplace_deviation(scale)
    low, high = mean - 3.2 * deviation, mean + 3.2 * deviation
    inside = sorted({*np.linspace(mean - 2 * deviation, mean + 2 * deviation, 81).tolist(), mean})
    everywhere = sorted({*np.linspace(low, high, POINTS).tolist(), mean})
    chart = plot(
        Axis(low=low, high=high, title=translate("published mean, kg")),
        Axis(low=0, high=1.1 / (2 * scale), title=translate("density")),
        [
            Area(
                [(x, 0.0) for x in inside],
                density_points(inside, mean, scale),
                translate("within two standard deviations: 94.1 %%"),
            ),
            Curve(density_points(everywhere, mean, scale)),
        ],
    )
    description = translate(
        "With probability 94.1 %%, the published mean is between %(low)s and %(high)s kg.",
        low=translate_number(rounded_to(mean - 2 * deviation, deviation)),
        high=translate_number(rounded_to(mean + 2 * deviation, deviation)),
    )
    return LessonPicture(chart, description, translate("Density of the published mean"))
