"""Composition: losses add up, and a ledger refuses before the truth appears."""

import math
from collections.abc import Mapping, Sequence
from fractions import Fraction
from typing import ClassVar

import numpy as np
import numpy.typing as npt

from survey.central_dp.dp_request import LAPLACE, Request, Statistic
from survey.central_dp.ledger import (
    CentralDPBudget,
    RunningLoss,
    require_within_budget,
    spent,
)
from survey.core.errors import OverBudget
from survey.core.exact_numbers import exact
from survey.core.number_grid import decimal_text
from survey.core.processor_time import require_time
from survey.core.translate import later, translate, translate_count, translate_number
from survey.web.learn.controls import Draw, Slider, Values, WordChoice
from survey.web.learn.dp_draws import draw_discrete_laplace
from survey.web.learn.lesson import (
    BY_ADDING,
    Cell,
    Exercise,
    Figure,
    Lesson,
    LessonPicture,
    Shown,
    generator_of,
)
from survey.web.learn.pictures import Axis, Curve, Upright, plot

TRUTH = 230  # the count that the queries ask for, among 1,000 people
AGAIN, GROUPS = "again", "groups"
KINDS = {
    AGAIN: later("the same count again and again"),
    GROUPS: later("counts of different groups"),
}
Averages = npt.NDArray[np.float64]


def count_request(place: int, kind: str, epsilon: Fraction) -> Request:
    """The query number `place`: of everyone, or of a group that no other query is about."""
    group, member = ("group", f"g{place}") if kind == GROUPS else ("", "")
    loss = decimal_text(epsilon)
    return Request(
        Statistic.COUNT, "smokes", LAPLACE, loss, answer="yes", group=group, member=member
    )


def total_loss(queries: int, kind: str, epsilon: Fraction) -> Fraction:
    """What the ledger charges for this many queries."""
    return spent(count_request(place, kind, epsilon) for place in range(queries))[0]


def allowed_queries(queries: int, kind: str, epsilon: Fraction, budget: Fraction) -> int:
    """How many of the queries, one after the other, the ledger accepts."""
    limit = CentralDPBudget(budget, Fraction(0))
    accepted = RunningLoss()
    for place in range(queries):
        require_time()
        request = count_request(place, kind, epsilon)
        try:
            require_within_budget(limit, request, accepted)
        except OverBudget:
            return place
        accepted.add(request)
    return queries


def average_deviation(epsilon: float, queries: int) -> float:
    """The standard deviation of the mean of this many counts with discrete Laplace noise.

    One count has the variance 2a / (1 − a)² with a = e^−ε, which is about 2/ε².
    """
    a = math.exp(-epsilon)
    return math.sqrt(2 * a / (1 - a) ** 2 / queries)


def running_averages(epsilon: float, queries: int, generator: np.random.Generator) -> Averages:
    """The mean of the first query, of the first two, and so on."""
    drawn = TRUTH + draw_discrete_laplace(1 / epsilon, queries, generator)
    averages: Averages = np.cumsum(drawn) / np.arange(1, queries + 1)
    return averages


class Composition(Lesson):
    """ε of a query, the number and kind of the queries, and the budget vary."""

    address = "composition"
    neighbours = (BY_ADDING,)
    title = later("Composition: privacy losses add up")
    idea = later(
        "Every query uses up a part of the privacy budget. The average of many noisy answers "
        "approaches the truth. So a ledger adds up the privacy losses, and refuses any query "
        "that would exceed the budget."
    )
    controls = (
        WordChoice("kind", later("Queries"), KINDS, AGAIN),
        Slider("queries", later("Number of queries"), "2", "200", "1", "100"),
        Slider("epsilon", later("ε of each query"), "0.05", "1", "0.05", "0.1"),
        Slider("budget", later("Budget: total ε"), "0.5", "20", "0.5", "3"),
        Draw(),
    )
    exercises: ClassVar[tuple[Exercise, ...]] = (
        Exercise(
            "sequential",
            later(
                "Someone asks 12 queries about the same people, with ε = 0.25 each. What is "
                "the total ε?"
            ),
            later("Not yet. The privacy losses of queries about the same people add up."),
            later("Right: 12 × 0.25 = 3. This is sequential composition."),
            lambda: float(total_loss(12, AGAIN, Fraction(1, 4))),
            0.001,
        ),
        Exercise(
            "parallel",
            later(
                "The 12 queries are now about 12 regions, and each person lives in one region. "
                "What is the total ε?"
            ),
            later("Not yet. How many of the queries are about the same person?"),
            later("Right: 0.25. Each person is in one query. This is parallel composition."),
            lambda: float(total_loss(12, GROUPS, Fraction(1, 4))),
            0.001,
        ),
        Exercise(
            "average",
            later(
                "A noisy count has a standard deviation of 14. What is the standard deviation of "
                "the mean of 49 such counts?"
            ),
            later("Not yet. Divide by the square root of the number of counts."),
            later("Right: 14 / √49 = 2. Without a ledger, asking again removes the noise."),
            lambda: 14 / math.sqrt(49),
            0.01,
        ),
    )

    def show(self, values: Values) -> Shown:
        kind, queries = values.words["kind"], int(values["queries"])
        epsilon, budget = (exact(f"{values[name]:g}", name) for name in ("epsilon", "budget"))
        allowed = allowed_queries(queries, kind, epsilon, budget)
        numbers = {
            "asked": float(total_loss(queries, kind, epsilon)),
            "allowed": allowed,
            "spent": float(total_loss(allowed, kind, epsilon)) if allowed else 0.0,
            "one": average_deviation(float(epsilon), 1),
            "average": average_deviation(float(epsilon), queries),
        }
        if allowed == queries:
            sentence = translate(
                "All %(queries)s queries cost ε = %(asked)s. This is within the budget of ε = "
                "%(budget)s.",
                queries=translate_count(queries),
                asked=loss_text(numbers["asked"]),
                budget=loss_text(float(budget)),
            )
        else:
            sentence = translate(
                "%(queries)s queries would cost ε = %(asked)s. The ledger accepts %(allowed)s of "
                "them, and refuses the rest.",
                queries=translate_count(queries),
                asked=loss_text(numbers["asked"]),
                allowed=translate_count(allowed),
            )
        pictures = [losses_picture(queries, kind, epsilon, budget)]
        if kind == AGAIN:
            averages = running_averages(float(epsilon), queries, generator_of(values, self.address))
            pictures.insert(0, averages_picture(averages, float(epsilon), allowed))
        return Shown(sentence, composition_figures(numbers, kind), pictures, numbers)

    def notebook(self, values: Values) -> Sequence[Cell]:
        kind = values.words["kind"]
        total = "len(asked) * epsilon" if kind == AGAIN else "max(asked, default=0)"
        return (
            Cell(
                "Losses are exact fractions, so that a budget is used up to the last digit.", False
            ),
            Cell(
                "import math\nfrom fractions import Fraction\n\n"
                f"queries = {int(values['queries'])}\n"
                f"epsilon, budget = Fraction('{values['epsilon']:g}'), "
                f"Fraction('{values['budget']:g}')\n\n\n"
                f"def total(asked):\n    return Fraction({total})\n\n\n"
                "allowed = 0\nwhile allowed < queries and total([epsilon] * (allowed + 1)) <= "
                "budget:\n    allowed += 1\n"
                "a = math.exp(-float(epsilon))\n"
                "one = math.sqrt(2 * a / (1 - a) ** 2)"
            ),
            Cell(
                "numbers = {'asked': float(total([epsilon] * queries)), 'allowed': allowed,\n"
                "           'spent': float(total([epsilon] * allowed)), 'one': one,\n"
                "           'average': one / math.sqrt(queries)}\nprint(numbers)"
            ),
        )


def loss_text(epsilon: float) -> str:
    return translate_number(f"{epsilon:.2f}")


def composition_figures(numbers: Mapping[str, float], kind: str) -> list[Figure]:
    figures = [
        Figure(
            translate("Cost of all queries"), f"ε = {loss_text(numbers['asked'])}",
            "Σ ε" if kind == AGAIN else translate("largest ε"),
        ),
        Figure(translate("Accepted queries"), translate_count(int(numbers["allowed"]))),
        Figure(translate("Spent"), f"ε = {loss_text(numbers['spent'])}"),
        Figure(
            translate("Error of one count"),
            translate("± %(n)s people", n=translate_number(f"{numbers['one']:.1f}")),
            translate("standard deviation"),
        ),
    ]  # fmt: skip
    if kind == AGAIN:
        figures.append(
            Figure(
                translate("Error of the mean of all counts"),
                translate("± %(n)s people", n=translate_number(f"{numbers['average']:.1f}")),
                translate("standard deviation / √queries"),
            )
        )
    return figures


def averages_picture(averages: Averages, epsilon: float, allowed: int) -> LessonPicture:
    """The running average, the true count, and the last accepted query."""
    queries = len(averages)
    reach = max(1.2 * float(np.max(np.abs(averages - TRUTH))), 1.5 * average_deviation(epsilon, 1))
    points = [(float(place + 1), float(each)) for place, each in enumerate(averages)]
    chart = plot(
        Axis(0, max(queries, 2), translate("queries")),
        Axis(TRUTH - reach, TRUTH + reach, translate("average of the noisy counts")),
        [
            Curve([(0.0, TRUTH), (float(max(queries, 2)), TRUTH)], translate("true count"),
                  dashes="6 3"),
            Curve(points, translate("average so far"), own=True),
            *([Upright(allowed, translate("last accepted query"), "2 2")]
              if allowed < queries else []),
        ],
    )  # fmt: skip
    description = translate(
        "After %(queries)s queries the average is %(average)s. The true count is %(truth)s.",
        queries=translate_count(queries),
        average=translate_number(f"{averages[-1]:.1f}"),
        truth=translate_count(TRUTH),
    )
    return LessonPicture(chart, description, translate("Averages if every query is accepted"))


def losses_picture(queries: int, kind: str, epsilon: Fraction, budget: Fraction) -> LessonPicture:
    """The total loss by number of queries for both kinds, and the budget."""
    width = max(queries, 2)
    top = 1.15 * max(float(budget), min(float(epsilon) * width, 2 * float(budget)))
    sequential = [(float(k), float(k * epsilon)) for k in range(width + 1)]
    parallel = [(0.0, 0.0), (1.0, float(epsilon)), (float(width), float(epsilon))]
    chart = plot(
        Axis(0, width, translate("queries")),
        Axis(0, top, translate("total privacy loss ε")),
        [
            Curve(sequential, translate("about the same people"), own=kind == AGAIN),
            Curve(parallel, translate("about different groups"), own=kind == GROUPS, dashes="6 3"),
            Curve([(0.0, float(budget)), (float(width), float(budget))], translate("budget"),
                  dashes="2 2"),
        ],
    )  # fmt: skip
    description = translate(
        "The privacy losses of queries about the same people add up. For groups that do not "
        "overlap, the total is only the largest ε of a query."
    )
    return LessonPicture(chart, description, translate("Total privacy loss of the queries"))
