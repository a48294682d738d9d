"""Eight statistics: the noise of a sum on each of them, next to a mechanism that fits it."""

from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from functools import lru_cache
from statistics import NormalDist
from typing import ClassVar

import numpy as np

from survey.central_dp.accuracy import accuracy_of, noise_outweighs_responses
from survey.central_dp.bounded_sums import Answers
from survey.central_dp.dp_request import EXPONENTIAL, LAPLACE, SELECTED, Request, Statistic
from survey.central_dp.selection import selection_of
from survey.core.translate import (
    join_sentences,
    later,
    translate,
    translate_constant,
    translate_number,
    translate_plural,
)
from survey.definition.survey import Survey, parse_survey
from survey.learn.controls import Draw, NumberChoice, Slider, Values, WordChoice
from survey.learn.dp_draws import SELECTION_SOURCE, Reals, draw_releases, selection_chances
from survey.learn.laplace import laplace_deviation
from survey.learn.lesson import BY_ADDING, Cell, Exercise, Figure, Lesson, LessonPicture, Shown
from survey.learn.pictures import Axis, Columns, Upright, plot
from survey.learn.written_numbers import share_in_percent, with_digits

REPEATS = 200
BINS = 36
LOW = 30
HIGH = 150
# A selected value is called close if it is this near, which is a tenth of the range, with this
# probability.
CLOSE = (HIGH - LOW) / 10
SURE = 0.95
STATISTICS = {
    "count": later("Count"),
    "sum": later("Sum"),
    "mean": later("Mean"),
    "variance": later("Variance"),
    "median": later("Median"),
    "minimum": later("Minimum"),
    "maximum": later("Maximum"),
    "mode": later("Mode"),
}
IN_KILOGRAMS = later("%(number)s kg")
UNITS = {"count": later("%(number)s people"), "variance": later("%(number)s kg²")}


@lru_cache
def made_up_weights(n: int) -> tuple[int, ...]:
    """The weights of n made-up people in kg, always the same: quantiles around 62.5 kg."""
    normal = NormalDist(62.5, 11)
    quantiles = (normal.inv_cdf((place + 0.5) / n) for place in range(n))
    return tuple(min(max(round(weight), LOW), HIGH) for weight in quantiles)


@lru_cache
def weights_survey() -> Survey:
    """A survey with one non-private question on weight. Everyone answers it."""
    question = {
        "name": "weight",
        "type": "number",
        "label": "Weight",
        "min": LOW,
        "max": HIGH,
        "unit": "kg",
        "privacy": "none",
    }
    return parse_survey({"title": "Weights", "slug": "weights", "questions": [question]})


def release_request(statistic: str, epsilon: float) -> Request:
    """The request for a statistic of all weights, with the whole ε."""
    bounded = statistic not in (Statistic.COUNT, Statistic.MODE)
    return Request(
        statistic=statistic,
        question="weight",
        mechanism=EXPONENTIAL if statistic in SELECTED else LAPLACE,
        epsilon=f"{epsilon:g}",
        low=str(LOW) if bounded else "",
        high=str(HIGH) if bounded else "",
    )


@lru_cache
def stored_weights(n: int) -> Answers:
    """The number of people at each place of the question's grid."""
    return Counter(weight - LOW for weight in made_up_weights(n))


def most_frequent(weights: Reals) -> float:
    """The most frequent weight, the smallest one if there are several."""
    values, times = np.unique(weights, return_counts=True)
    return float(values[np.argmax(times)])


TRUE_VALUES: dict[str, Callable[[Reals], float]] = {
    "count": lambda weights: float(len(weights)),
    "sum": lambda weights: float(weights.sum()),
    "mean": lambda weights: float(weights.mean()),
    "variance": lambda weights: float(weights.var()),
    "median": lambda weights: float(np.median(weights)),
    "minimum": lambda weights: float(weights.min()),
    "maximum": lambda weights: float(weights.max()),
    "mode": most_frequent,
}


def draw_as_text(
    statistic: str, weights: Reals, epsilon: float, generator: np.random.Generator
) -> Reals:
    """REPEATS draws as the course text makes them, with continuous Laplace noise.

    A count has the scale 1/ε, everything else that of a sum of numbers up to 150. The mean is a
    noisy sum by a noisy count with ε/2 each, the variance has ε/3 for each of three parts.
    """
    n = len(weights)

    def noisy(value: float, sensitivity: float, loss: float) -> Reals:
        drawn: Reals = value + generator.laplace(0.0, sensitivity / loss, REPEATS)
        return drawn

    if statistic == "count":
        return noisy(n, 1, epsilon)
    if statistic == "mean":
        return noisy(weights.sum(), HIGH, epsilon / 2) / noisy(n, 1, epsilon / 2)
    if statistic == "variance":
        third = epsilon / 3
        squares = noisy(float((weights**2).sum()), HIGH**2, third)
        total, count = noisy(weights.sum(), HIGH, third), noisy(n, 1, third)
        return squares / count - (total / count) ** 2
    return noisy(TRUE_VALUES[statistic](weights), HIGH, epsilon)


@dataclass(frozen=True)
class BothDraws:
    """The same statistic of the same people, REPEATS times in two ways."""

    truth: float
    candor: Reals
    text: Reals

    def error(self, drawn: Reals) -> float:
        """The root of the mean squared error."""
        return float(np.sqrt(np.mean((drawn - self.truth) ** 2)))


def draw_both(statistic: str, n: int, epsilon: float, generator: np.random.Generator) -> BothDraws:
    weights = np.array(made_up_weights(n), dtype=np.float64)
    request = release_request(statistic, epsilon)
    as_text = draw_as_text(statistic, weights, epsilon, generator)
    released = draw_releases(weights_survey(), request, stored_weights(n), REPEATS, generator)
    return BothDraws(TRUE_VALUES[statistic](weights), np.array(released), as_text)


@lru_cache(maxsize=256)
def selected_distances(statistic: str, n: int, epsilon: float) -> tuple[float, float]:
    """How far a selected value is from the true one, by the exact probability of each candidate.

    Returns the smallest distance in kg that is not exceeded with the probability SURE, and the
    probability of a distance of at most CLOSE.
    """
    selection = selection_of(weights_survey(), release_request(statistic, epsilon))
    chances = selection_chances(selection.scores(stored_weights(n)), selection.scale)
    truth = TRUE_VALUES[statistic](np.array(made_up_weights(n), dtype=np.float64))
    distances = np.abs(LOW + np.array(selection.places) - truth)
    within = [float(chances[distances <= each].sum()) for each in np.unique(distances)]
    place = next(place for place, chance in enumerate(within) if chance >= SURE)
    return float(np.unique(distances)[place]), float(chances[distances <= CLOSE].sum())


def accuracy_verdict(statistic: str, n: int, epsilon: float, distance: float | None) -> str:
    """Whether the released value says something: the warning of real releases, or the distance.

    `distance` is that of a selected value, and None for other statistics.
    """
    request = release_request(statistic, epsilon)
    sentences = []
    if distance is not None:
        sentences.append(
            translate(
                "With a probability of at least 95 %%, the selected value is at most "
                "%(distance)s kg away.",
                distance=with_digits(distance, 3),
            )
        )
    if noise_outweighs_responses(weights_survey(), request, n):
        sentences.append(accuracy_of(weights_survey(), request, n)[0])
    elif distance is not None and distance <= CLOSE:
        sentences.append(translate("This is close: at most a tenth of the range."))
    elif distance is not None:
        sentences.append(
            translate("This is not close. Use a larger ε, or ask more people, to come closer.")
        )
    return join_sentences(*sentences)


def text_scale(statistic: str, epsilon: float) -> float:
    """The scale of the text's noise on the statistic, or on its first part."""
    if statistic == "count":
        return 1 / epsilon
    if statistic == "mean":
        return HIGH / (epsilon / 2)
    return HIGH**2 / (epsilon / 3) if statistic == "variance" else HIGH / epsilon


class EightStatistics(Lesson):
    """The statistic, the number of people and ε vary."""

    address = "statistics"
    neighbours = (BY_ADDING,)
    title = later("Eight statistics")
    idea = later(
        "Noise must fit the statistic. Noise that is right for a sum is far too large for a "
        "maximum. At the same ε, permute-and-flip selects a possible value by its rank. How close "
        "it is to the maximum depends on ε and on the number of people."
    )
    controls = (
        WordChoice("statistic", later("Statistic"), STATISTICS, "maximum"),
        NumberChoice("n", later("People"), (100, 1_000, 10_000), 1_000),
        Slider(name="epsilon", label="ε", low="0.1", high="3", step="0.1", start="0.5"),
        Draw(),
    )
    exercises: ClassVar[tuple[Exercise, ...]] = (
        Exercise(
            name="maximum",
            question=later(
                "Weights lie between 30 and 150 kg. One person’s weight changes. By how much "
                "can the maximum change, at most?"
            ),
            hint=later("Not yet. Imagine that all weigh 30 kg, and one weight changes."),
            explanation=later(
                "Right: 120 kg. That is as much as the whole range, so the noise hides the maximum."
            ),
            solution=lambda: HIGH - LOW,
            tolerance=0.1,
            unit=later("kg"),
        ),
        Exercise(
            name="rank",
            question=later(
                "One more person joins. By how many ranks can a given value move, at most?"
            ),
            hint=later("Not yet. Count the people below the value, before and after."),
            explanation=later(
                "Right: 1. So ranks need little noise, and the mechanism uses ranks as scores."
            ),
            solution=lambda: (
                selection_of(weights_survey(), release_request("maximum", 1.0)).sensitivity
            ),
            tolerance=0.01,
        ),
        Exercise(
            name="thirds",
            question=later(
                "A variance has three noisy parts, and the total ε is 0.6. What is the ε of each "
                "part if all parts have the same ε?"
            ),
            hint=later("Not yet. The privacy losses of the three parts add up."),
            explanation=later("Right: 0.6 / 3 = 0.2."),
            solution=lambda: 0.6 / 3,
            tolerance=0.001,
        ),
    )

    def show(self, values: Values) -> Shown:
        statistic, epsilon = values.words["statistic"], values["epsilon"]
        n = values.whole("n")
        both = draw_both(statistic, n, epsilon, self.generator(values))
        numbers = {"truth": both.truth, "scale": text_scale(statistic, epsilon)}
        if statistic in SELECTED:
            numbers["within"], numbers["close"] = selected_distances(statistic, n, epsilon)
        if statistic in (Statistic.MINIMUM, Statistic.MAXIMUM):
            numbers["rank"] = selection_of(
                weights_survey(), release_request(statistic, epsilon)
            ).rank
        ours, theirs = both.error(both.candor), both.error(both.text)
        sentence = translate(
            "%(statistic)s: %(truth)s. In 200 simulated releases with ε = %(epsilon)s, the "
            "typical error is %(ours)s with Candor’s mechanism, and %(theirs)s with the noise "
            "of the course text.",
            statistic=translate_constant(STATISTICS[statistic]),
            truth=value_with_unit(statistic, both.truth),
            epsilon=translate_number(f"{epsilon:g}"),
            ours=value_with_unit(statistic, ours),
            theirs=value_with_unit(statistic, theirs),
        )
        verdict = accuracy_verdict(statistic, n, epsilon, numbers.get("within"))
        return Shown(
            sentence=join_sentences(sentence, verdict),
            figures=statistic_figures(statistic, both, numbers),
            pictures=draws_pictures(statistic, both),
            numbers=numbers,
        )

    def notebook(self, values: Values) -> Sequence[Cell]:
        statistic = values.words["statistic"]
        calculated = {
            "count": "len(weights)",
            "sum": "weights.sum()",
            "mean": "weights.mean()",
            "variance": "weights.var()",
            "median": "np.median(weights)",
            "minimum": "weights.min()",
            "maximum": "weights.max()",
            "mode": "np.unique(weights)[np.argmax(np.unique(weights, return_counts=True)[1])]",
        }[statistic]
        scale = {
            "count": "1 / epsilon",
            "mean": "150 / (epsilon / 2)",
            "variance": "150**2 / (epsilon / 3)",
        }.get(statistic, "150 / epsilon")
        cells = [
            Cell("Made-up weights: quantiles of a normal distribution.", code=False),
            Cell(
                "import math\nfrom statistics import NormalDist\n\nimport numpy as np\n\n"
                f"n, epsilon = {values.whole('n')}, {values['epsilon']}\n"
                "normal = NormalDist(62.5, 11)\n"
                "weights = np.array([min(max(round(normal.inv_cdf((place + 0.5) / n)), 30), 150)\n"
                "                    for place in range(n)])\n"
                f"truth = {calculated}\nscale = {scale}  # of the text's noise"
            ),
            Cell("numbers = {'truth': truth, 'scale': scale}"),
        ]
        if statistic in SELECTED:
            cells += selection_cells(statistic)
        return cells


SCORES = {
    "median": "-np.maximum(np.maximum(100 * below - 50 * n, 50 * n - 100 * up_to), 0)",
    "minimum": "-np.maximum(np.maximum(below - (rank - 1), rank - up_to), 0)",
    "maximum": "-np.maximum(np.maximum(n - up_to - (rank - 1), rank - (n - below)), 0)",
    "mode": "counts",
}
SCALES = {"median": "100 / epsilon", "mode": "1 / epsilon"}


def selection_cells(statistic: str) -> list[Cell]:
    """Cells of the notebook with the exact probability that each weight is selected."""
    scale = SCALES.get(statistic, "2 / epsilon")
    cells = [
        Cell("Permute-and-flip scores each of the 121 possible weights:", code=False),
        Cell(
            f"scale = {scale} * (1 + 1e-9)\n"
            "counts = np.bincount(weights - 30, minlength=121)\n"
            "up_to = counts.cumsum()\nbelow = up_to - counts\n"
            "rank = max(1, math.ceil(scale * math.log(121 / 0.05)))  # of a minimum or maximum\n"
            f"scores = {SCORES[statistic]}"
        ),
        Cell(SELECTION_SOURCE),
        Cell(
            "distances = np.abs(30 + np.arange(121) - truth)\n"
            "order = np.unique(distances)\n"
            "sums = np.array([chances[distances <= each].sum() for each in order])\n"
            "numbers['within'] = order[np.argmax(sums >= 0.95)]\n"
            "numbers['close'] = chances[distances <= 12].sum()"
        ),
    ]
    if statistic in (Statistic.MINIMUM, Statistic.MAXIMUM):
        cells.append(Cell("numbers['rank'] = rank\nprint(numbers)"))
    return cells


def value_with_unit(statistic: str, value: float) -> str:
    """A value of the statistic with three significant digits."""
    return translate(UNITS.get(statistic, IN_KILOGRAMS), number=with_digits(value, 3))


def statistic_figures(
    statistic: str, both: BothDraws, numbers: Mapping[str, float]
) -> list[Figure]:
    selected = statistic in SELECTED
    figures = [
        Figure(translate("Value without noise"), value_with_unit(statistic, both.truth)),
        Figure(
            translate("Typical error, Candor"),
            value_with_unit(statistic, both.error(both.candor)),
            translate("selection by score") if selected else translate("noise that fits"),
        ),
        Figure(
            translate("Typical error, course text"),
            value_with_unit(statistic, both.error(both.text)),
            translate("noise of a sum") if selected else translate("noise of the course text"),
        ),
        Figure(
            translate("Scale of the course text’s noise"),
            value_with_unit(statistic, numbers["scale"]),
        ),
        Figure(
            translate("Standard deviation of this noise"),
            value_with_unit(statistic, laplace_deviation(numbers["scale"])),
            "√2 b",
        ),
    ]
    if selected:
        figures += [
            Figure(
                translate("Distance with probability 95 %%"),
                translate("at most %(n)s kg", n=with_digits(numbers["within"], 3)),
            ),
            Figure(translate("Pr(distance ≤ 12 kg)"), share_in_percent(numbers["close"])),
        ]
    if "rank" in numbers:
        figures.append(
            Figure(
                translate("Target rank from the end"), translate_number(f"{numbers['rank']:.0f}")
            )
        )
    return figures


def column_edges(drawn: Reals, truth: float) -> Reals:
    """Edges of columns for the middle 97.5 % of the draws, with the truth in the middle of all.

    Each column has the same number of whole numbers if all draws are whole.
    """
    low, high = (float(np.quantile(drawn, part)) for part in (0.0125, 0.9875))
    whole = bool(np.all(drawn == np.rint(drawn)))
    # Whole numbers may all be equal to the truth.
    reach = 1.2 * max(abs(high - truth), abs(low - truth), 1.0 if whole else 0.0)
    if not whole:
        return np.linspace(truth - reach, truth + reach, BINS + 1)
    width = max(1, round(2 * reach / BINS))
    first = np.floor(truth - reach) - 0.5
    return np.arange(first, truth + reach + width + 1, width, dtype=np.float64)


def draws_pictures(statistic: str, both: BothDraws) -> list[LessonPicture]:
    """A histogram for each way. The axes differ, because the text's noise is often far wider."""
    edges, wide = (column_edges(each, both.truth) for each in (both.candor, both.text))
    times = float((wide[-1] - wide[0]) / (edges[-1] - edges[0]))
    more = ""
    if times >= 2:
        more = translate(
            "The axis is %(times)s times as wide as that of Candor’s mechanism.",
            times=with_digits(times, 3),
        )
    candor = translate("Candor’s mechanism, 200 releases")
    text = translate("The course text’s noise, 200 releases")
    return [
        draws_histogram(statistic, both.candor, both.truth, edges, candor),
        draws_histogram(statistic, both.text, both.truth, wide, text, more),
    ]


def draws_histogram(
    statistic: str, each: Reals, truth: float, edges: Reals, title: str, more: str = ""
) -> LessonPicture:
    """A histogram with the true value. `more` follows its description."""
    counts, _ = np.histogram(each, edges)
    unit = {
        "count": translate("released value, people"),
        "variance": translate("released value, kg²"),
    }.get(statistic, translate("released value, kg"))
    chart = plot(
        Axis(low=float(edges[0]), high=float(edges[-1]), title=unit),
        Axis(
            low=0, high=1.1 * max(1, int(counts.max())), title=translate("releases in each column")
        ),
        [
            Columns(edges.tolist(), counts.tolist(), translate("released values")),
            Upright(truth, translate("value without noise"), "4 3"),
        ],
    )
    first, third = (float(np.quantile(each, part)) for part in (0.25, 0.75))
    low, high = with_digits(first, 3), value_with_unit(statistic, third)
    if low == with_digits(third, 3):
        description = translate(
            "At least half of the released values are about %(value)s.", value=high
        )
    else:
        description = translate(
            "Half of the released values lie between %(low)s and %(high)s.", low=low, high=high
        )
    missing = REPEATS - int(counts.sum())
    if missing:
        more = join_sentences(
            translate_plural(
                "%(n)s value is outside the chart.", "%(n)s values are outside the chart.", missing
            ),
            more,
        )
    return LessonPicture(chart, join_sentences(description, more), title)
