"""Sensitivity and clipping: a bound on each answer trades bias against noise.

The ages are those of the course texts: the Adult data, and the passengers of the Titanic. The file
adult-ages.csv in demo/ counts the 48,842 people of the Adult data by age, and by whether
"education-num" is above 10. Sources and licences are in docs/evidence/textbooks.md.
"""

import csv
import math
from collections import Counter
from collections.abc import Mapping, Sequence
from functools import lru_cache
from typing import ClassVar

import numpy as np

from survey import PROJECT_FOLDER
from survey.central_dp.bounded_sums import Answers, BoundedSum, increments
from survey.core.processor_time import require_time
from survey.core.translate import later, translate, translate_count
from survey.learn.controls import Draw, Slider, Values, WordChoice
from survey.learn.dp_draws import Reals
from survey.learn.laplace import laplace_deviation
from survey.learn.lesson import BY_ADDING, Cell, Exercise, Figure, Lesson, LessonPicture, Shown
from survey.learn.pictures import Axis, Curve, Upright, plot
from survey.learn.written_numbers import with_decimals
from survey.web.titanic_people import NAMES, UNKNOWN, passengers

ADULT_FILE = PROJECT_FOLDER / "demo" / "adult-ages.csv"
ADULT = "adult"
THOUSAND = "thousand"
HUNDRED = "hundred"
PASSENGERS = "titanic"
TABLES = {
    ADULT: later("15,772 people (Adult)"),
    THOUSAND: later("1,000 of such ages"),
    HUNDRED: later("100 of such ages"),
    PASSENGERS: later("714 people (Titanic)"),
}
# Of the Adult data, as many people as these.
PARTS = {THOUSAND: 1_000, HUNDRED: 100}
MAX_BOUND = 150
COARSE = tuple(range(15, MAX_BOUND + 1, 15))  # ten bounds, as in a release of clipped sums
FINE = tuple(range(1, MAX_BOUND + 1))  # the 150 bounds of the text


@lru_cache
def age_counts(table: str) -> Mapping[int, int]:
    """How many people of a table have each age in years, by age.

    The smaller tables have the ages at the middles of equal parts of the sorted Adult data.
    """
    if table == PASSENGERS:
        ages = passengers()[:, NAMES.index("age")]
        return dict(sorted(Counter(ages[ages != UNKNOWN].tolist()).items()))
    with ADULT_FILE.open(encoding="utf-8", newline="") as file:
        rows = [(int(row["age"]), int(row["above_10"])) for row in csv.DictReader(file)]
    above = {age: people for age, people in rows if people}
    if table == ADULT:
        return above
    n, everyone = PARTS[table], list(Counter(above).elements())
    places = ((2 * part + 1) * len(everyone) // (2 * n) for part in range(n))
    return dict(sorted(Counter(everyone[place] for place in places).items()))


def people_of(table: str) -> int:
    """The number of people of a table."""
    return sum(age_counts(table).values())


def sum_of_ages(table: str, bound: float = math.inf) -> int:
    """The sum of ages in years, each clipped to at most `bound`."""
    return sum(int(min(age, bound)) * people for age, people in age_counts(table).items())


def clipped_bias(table: str, bound: int) -> float:
    """The mean of ages clipped to at most `bound`, less the mean of the ages. At most 0."""
    require_time()
    return (sum_of_ages(table, bound) - sum_of_ages(table)) / people_of(table)


def mean_noise(n: int, bound: int, epsilon: float) -> float:
    """The standard deviation √2 · bound / (n ε) of Laplace noise on the clipped mean.

    n is public. One person more adds at most `bound` to the sum.
    """
    return laplace_deviation(bound / epsilon) / n


def total_error(table: str, bound: int, epsilon: float) -> float:
    """The root of the mean squared error: √(bias² + noise²)."""
    return math.hypot(clipped_bias(table, bound), mean_noise(people_of(table), bound, epsilon))


@lru_cache
def best_bound(table: str, epsilon: float) -> int:
    """The whole bound with the smallest total error."""
    return min(range(1, MAX_BOUND + 1), key=lambda bound: total_error(table, bound, epsilon))


def draw_mean(
    table: str, bound: int, epsilon: float, generator: np.random.Generator
) -> tuple[float, float, float]:
    """A count, a clipped sum and their ratio, with Laplace noise and ε/2 for each of the two.

    A count that is not above 1 divides as 1.
    """
    count = people_of(table) + generator.laplace(0.0, 2 / epsilon)
    total = sum_of_ages(table, bound) + generator.laplace(0.0, 2 * bound / epsilon)
    return count, total, total / max(count, 1.0)


def sums_at(bounds: Sequence[int]) -> BoundedSum:
    """The sums of ages clipped at each bound, as the vector of differences that Candor releases."""
    return increments(list(bounds), 0, int)


def vector_deviation(place: int, bounds: Sequence[int], epsilon: float) -> float:
    """The standard deviation of the clipped sum at the bound with this place.

    Each difference gets noise of scale (largest bound)/ε, and the sum adds `place` + 1 of them.
    """
    return laplace_deviation(sums_at(bounds).l1 / epsilon) * math.sqrt(place + 1)


def separate_deviation(bound: int, queries: int, epsilon: float) -> float:
    """The same if every bound is a query of its own, with ε / queries for each."""
    return laplace_deviation(bound * queries / epsilon)


class Clipping(Lesson):
    """The table, the bound and ε vary."""

    address = "clipping"
    neighbours = (BY_ADDING,)
    title = later("Sensitivity and clipping")
    idea = later(
        "Without clipping at a bound, one person can change a sum by any amount. A low bound "
        "distorts the mean, and a high bound needs more noise."
    )
    controls = (
        WordChoice("table", later("Ages of"), TABLES, ADULT),
        Slider(
            name="bound",
            label=later("Bound"),
            low="10",
            high="150",
            step="1",
            start="60",
            unit=later("years"),
        ),
        Slider(name="epsilon", label="ε", low="0.1", high="3", step="0.1", start="1.5"),
        Draw(),
    )
    exercises: ClassVar[tuple[Exercise, ...]] = (
        Exercise(
            name="sum",
            question=later(
                "15,772 people have a mean age of 40.26756 years. What is the sum of their ages?"
            ),
            hint=later(
                "Not yet. The sum is the number of people times the mean. 15,772 is the count."
            ),
            explanation=later("Right: 15,772 × 40.26756 = 635,100 years."),
            solution=lambda: sum_of_ages(ADULT),
            tolerance=50,
            unit=later("years"),
        ),
        Exercise(
            name="sensitivity",
            question=later(
                "Ages are clipped to 0 to 90 years. By how much can one more person change the "
                "sum of ages?"
            ),
            hint=later("Not yet. One person adds at most the bound."),
            explanation=later("Right: 90 years. Without a bound there is no limit."),
            solution=lambda: increments([90], 0, int).l1,
            tolerance=0.1,
            unit=later("years"),
        ),
        Exercise(
            name="queries",
            question=later(
                "Someone asks for 150 clipped sums, with ε = 0.01 for each. What is the total ε?"
            ),
            hint=later("Not yet. The privacy losses of queries about the same people add up."),
            explanation=later("Right: 150 × 0.01 = 1.5."),
            solution=lambda: 150 * 0.01,
            tolerance=0.001,
        ),
        Exercise(
            name="best",
            question=later(
                "Choose 100 people and ε = 0.5. Which bound has the smallest total error? Move the "
                "slider."
            ),
            hint=later("Not yet. Look for the lowest point of the thick line."),
            explanation=later(
                "Right: 58 years. Below this bound, the bias is larger. Above it, the noise is "
                "larger."
            ),
            solution=lambda: best_bound(HUNDRED, 0.5),
            tolerance=0.5,
            unit=later("years"),
        ),
    )

    def show(self, values: Values) -> Shown:
        table, epsilon, bound = values.words["table"], values["epsilon"], int(values["bound"])
        best = best_bound(table, epsilon)
        generator = self.generator(values)
        n, total = people_of(table), sum_of_ages(table)
        noisy_count, noisy_sum, noisy_mean = draw_mean(table, bound, epsilon, generator)
        numbers = {
            "count": n,
            "sum": total,
            "mean": total / n,
            "noisy_count": noisy_count,
            "noisy_sum": noisy_sum,
            "noisy_mean": noisy_mean,
            "bias": clipped_bias(table, bound),
            "noise": mean_noise(n, bound, epsilon),
            "total": total_error(table, bound, epsilon),
            "best": best,
            "separate": separate_deviation(90, len(FINE), epsilon),
            "vector": vector_deviation(FINE.index(90), FINE, epsilon),
            "coarse": vector_deviation(COARSE.index(90), COARSE, epsilon),
        }
        sentence = translate(
            "With the bound %(bound)s, clipping lowers the mean by %(bias)s years, and the "
            "noise has a standard deviation of %(noise)s years. The total error is %(total)s "
            "years. The best bound is %(best)s years.",
            bound=bound,
            bias=in_years(abs(numbers["bias"])),
            noise=in_years(numbers["noise"]),
            total=in_years(numbers["total"]),
            best=best,
        )
        pictures = [
            errors_picture(table, epsilon, bound, best),
            sums_picture(table, epsilon, generator),
        ]
        return Shown(
            sentence=sentence, figures=clipping_figures(numbers), pictures=pictures, numbers=numbers
        )

    def notebook(self, values: Values) -> Sequence[Cell]:
        table, epsilon, bound = values.words["table"], values["epsilon"], int(values["bound"])
        return (
            Cell("The numbers of people by their age in years:", code=False),
            Cell(
                "import math\n\nimport numpy as np\n\n"
                f"epsilon, bound = {epsilon}, {bound}\n"
                f"people = {dict(age_counts(table))}\n"
                "ages = np.array([age for age in people for _ in range(people[age])])\n"
                "n = len(ages)"
            ),
            Cell("Count, sum and mean, and a mean from a noisy sum and a noisy count:", code=False),
            Cell(
                self.generator_source(values)
                + "noisy_count = n + generator.laplace(0.0, 2 / epsilon)\n"
                "noisy_sum = np.minimum(ages, bound).sum() + generator.laplace(0.0, "
                "2 * bound / epsilon)\n"
                "noisy_mean = noisy_sum / max(noisy_count, 1)"
            ),
            Cell(
                "def errors(bound):\n"
                "    bias = np.minimum(ages, bound).mean() - ages.mean()\n"
                "    noise = math.sqrt(2) * bound / (n * epsilon)\n"
                "    return bias, noise, math.hypot(bias, noise)\n\n\n"
                "bias, noise, total = errors(bound)\n"
                "best = min(range(1, 151), key=lambda each: errors(each)[2])"
            ),
            Cell("The standard deviation of the clipped sum at the bound 90:", code=False),
            Cell(
                "separate = math.sqrt(2) * 90 * 150 / epsilon\n"
                "vector = math.sqrt(2) * 150 / epsilon * math.sqrt(90)\n"
                "coarse = math.sqrt(2) * 150 / epsilon * math.sqrt(6)"
            ),
            Cell(
                "numbers = {'count': n, 'sum': ages.sum(), 'mean': ages.mean(),\n"
                "           'noisy_count': noisy_count, 'noisy_sum': noisy_sum,\n"
                "           'noisy_mean': noisy_mean,\n"
                "           'bias': bias, 'noise': noise, 'total': total, 'best': best,\n"
                "           'separate': separate, 'vector': vector, 'coarse': coarse}\n"
                "print(numbers)"
            ),
        )


def in_years(value: float) -> str:
    """A number of years with two decimals, or with four if it is small."""
    decimals = 4 if 0 < abs(value) < 0.1 else 2
    return with_decimals(value, decimals)


def clipping_figures(numbers: Mapping[str, float]) -> list[Figure]:
    def years(value: float) -> str:
        return translate("%(number)s years", number=with_decimals(value, 0))

    half = translate("with noise: %(number)s (ε/2)", number=round(numbers["noisy_count"]))
    return [
        Figure(translate("Number of people"), translate_count(round(numbers["count"])), half),
        Figure(
            translate("Sum of ages"),
            years(numbers["sum"]),
            translate(
                "clipped, with noise: %(number)s (ε/2)",
                number=with_decimals(numbers["noisy_sum"], 0),
            ),
        ),
        Figure(
            translate("Mean age"),
            translate("%(number)s years", number=with_decimals(numbers["mean"], 4)),
            translate(
                "noisy sum / noisy count: %(number)s",
                number=in_years(numbers["noisy_mean"]),
            ),
        ),
        Figure(
            translate("Bias of the mean"),
            translate("%(number)s years", number=in_years(numbers["bias"])),
        ),
        Figure(
            translate("Noise of the mean"),
            translate("± %(number)s years", number=in_years(numbers["noise"])),
            translate("√2 · bound / (n ε)"),
        ),
        Figure(
            translate("Total error"),
            translate("%(number)s years", number=in_years(numbers["total"])),
            translate("√(bias² + noise²)"),
        ),
        Figure(
            translate("Noise of the sum at 90: 150 queries"),
            years(numbers["separate"]),
            "√2 · 90 · 150 / ε",
        ),
        Figure(
            translate("Noise of the sum at 90: one vector of 150 differences"),
            years(numbers["vector"]),
            "√2 · 150/ε · √90",
        ),
        Figure(
            translate("Noise of the sum at 90: ten bounds in one vector (Candor’s method)"),
            years(numbers["coarse"]),
            "√2 · 150/ε · √6",
        ),
    ]


def errors_picture(table: str, epsilon: float, bound: int, best: int) -> LessonPicture:
    n, bounds = people_of(table), range(10, MAX_BOUND + 1, 2)
    bias = [(float(each), abs(clipped_bias(table, each))) for each in bounds]
    noise = [(float(each), mean_noise(n, each, epsilon)) for each in bounds]
    total = [(float(each), total_error(table, each, epsilon)) for each in bounds]
    # The error at the selected bound is in the picture, unless it is too large for the others.
    selected = min(1.15 * total_error(table, bound, epsilon), 1.0)
    top = max(2.5 * total_error(table, best, epsilon), 1.15 * noise[-1][1], 0.2, selected)
    chart = plot(
        Axis(low=10, high=MAX_BOUND, title=translate("bound, years")),
        Axis(low=0, high=top, title=translate("error of the mean, years")),
        [
            Curve(bias, translate("bias"), dashes="6 3"),
            Curve(noise, translate("noise"), dashes="2 3"),
            Curve(total, translate("total error"), own=True),
            Upright(bound, translate("selected bound")),
        ],
    )
    description = translate(
        "The lines of bias and noise cross. The total error is smallest at a bound of %(best)s "
        "years.",
        best=best,
    )
    return LessonPicture(chart, description, translate("Bias and noise"))


def as_answers(table: str) -> Answers:
    """How many people gave each age as their answer."""
    return dict[int | str, int](age_counts(table).items())


def draw_curve(
    bounds: Sequence[int], table: str, epsilon: float, generator: np.random.Generator
) -> Reals:
    """The noisy sums at all bounds, from one vector of noisy differences."""
    part = sums_at(bounds)
    differences = np.array(part.sum_of(as_answers(table)), dtype=np.float64)
    noisy = differences + generator.laplace(0.0, part.l1 / epsilon, part.size)
    sums: Reals = np.cumsum(noisy)
    return sums


def draw_separately(
    bounds: Sequence[int], table: str, epsilon: float, generator: np.random.Generator
) -> Reals:
    """The noisy sums at all bounds, each from a query of its own with an equal share of ε."""
    true = np.cumsum(sums_at(bounds).sum_of(as_answers(table)))
    scales = np.array(bounds, dtype=np.float64) * len(bounds) / epsilon
    sums: Reals = true + generator.laplace(0.0, scales)
    return sums


def sums_picture(table: str, epsilon: float, generator: np.random.Generator) -> LessonPicture:
    """Clipped sums by bound: exact, from ten bounds in one vector, and from 150 queries."""
    true = np.cumsum(sums_at(FINE).sum_of(as_answers(table)))
    vector = draw_curve(COARSE, table, epsilon, generator)
    separate = draw_separately(FINE, table, epsilon, generator)
    top = 1.5 * float(true[-1])
    chart = plot(
        Axis(low=0, high=MAX_BOUND, title=translate("bound, years")),
        Axis(low=-0.4 * top, high=top, title=translate("sum of clipped ages, years")),
        [
            Curve(
                list(zip(map(float, FINE), separate.tolist(), strict=True)),
                translate("with noise: 150 sums, one query each"),
                dashes="1 2",
            ),
            Curve(
                list(zip(map(float, FINE), map(float, true), strict=True)),
                translate("without noise"),
                dashes="6 3",
            ),
            Curve(
                list(zip(map(float, COARSE), vector.tolist(), strict=True)),
                translate("with noise: ten bounds together (one vector)"),
                own=True,
            ),
        ],
    )
    description = translate(
        "Both noisy curves have the same total ε. Where the curve stops rising, hardly any "
        "answer is above the bound. The chart omits values outside its range."
    )
    return LessonPicture(chart, description, translate("The curve of clipped sums"))
