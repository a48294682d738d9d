"""Composition: losses add up, and a ledger refuses before the truth appears."""

import math
from collections.abc import Mapping, Sequence
from fractions import Fraction
from typing import ClassVar

import numpy as np

from survey.central_dp.budget import CentralDPBudget, RunningLoss, require_within_budget, total_loss
from survey.central_dp.dp_request import LAPLACE, Request, Statistic
from survey.central_dp.figure_noise import discrete_laplace_deviation
from survey.core.errors import OverBudget
from survey.core.number_grid import decimal_text
from survey.core.processor_time import require_time
from survey.core.translate import later, translate, translate_count
from survey.learn.controls import Draw, Slider, Values, WordChoice
from survey.learn.dp_draws import Reals, draw_discrete_laplace
from survey.learn.lesson import BY_ADDING, Cell, Exercise, Figure, Lesson, LessonPicture, Shown
from survey.learn.pictures import Axis, Curve, Upright, plot
from survey.learn.written_numbers import with_decimals

TRUTH = 230  # the count that the queries ask for, among 1,000 people
AGAIN = "again"
GROUPS = "groups"
KINDS = {
    AGAIN: later("the same count again and again"),
    GROUPS: later("counts of different groups"),
}


def count_request(place: int, kind: str, epsilon: Fraction) -> Request:
    """The query number `place`: of everyone, or of a group that no other query is about."""
    group, member = ("group", f"g{place}") if kind == GROUPS else ("", "")
    loss = decimal_text(epsilon)
    return Request(
        statistic=Statistic.COUNT,
        question="smokes",
        mechanism=LAPLACE,
        epsilon=loss,
        answer="yes",
        group=group,
        member=member,
    )


def loss_of_queries(queries: int, kind: str, epsilon: Fraction) -> Fraction:
    """What the ledger charges for this many queries."""
    return total_loss(count_request(place, kind, epsilon) for place in range(queries))[0]


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


def running_averages(epsilon: float, queries: int, generator: np.random.Generator) -> Reals:
    """The mean of the first query, of the first two, and so on."""
    drawn = TRUTH + draw_discrete_laplace(1 / epsilon, queries, generator)
    averages: Reals = np.cumsum(drawn) / np.arange(1, queries + 1)
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
        Slider(
            name="queries",
            label=later("Number of queries"),
            low="2",
            high="200",
            step="1",
            start="100",
        ),
        Slider(
            name="epsilon",
            label=later("ε of each query"),
            low="0.05",
            high="1",
            step="0.05",
            start="0.1",
        ),
        Slider(
            name="budget",
            label=later("Budget: total ε"),
            low="0.5",
            high="20",
            step="0.5",
            start="3",
        ),
        Draw(),
    )
    exercises: ClassVar[tuple[Exercise, ...]] = (
        Exercise(
            name="sequential",
            question=later(
                "Someone asks 12 queries about the same people, with ε = 0.25 each. What is "
                "the total ε?"
            ),
            hint=later("Not yet. The privacy losses of queries about the same people add up."),
            explanation=later("Right: 12 × 0.25 = 3. This is sequential composition."),
            solution=lambda: float(loss_of_queries(12, AGAIN, Fraction(1, 4))),
            tolerance=0.001,
        ),
        Exercise(
            name="parallel",
            question=later(
                "The 12 queries are now about 12 regions, and each person lives in one region. "
                "What is the total ε?"
            ),
            hint=later("Not yet. How many of the queries are about the same person?"),
            explanation=later(
                "Right: 0.25. Each person is in one query. This is parallel composition."
            ),
            solution=lambda: float(loss_of_queries(12, GROUPS, Fraction(1, 4))),
            tolerance=0.001,
        ),
        Exercise(
            name="average",
            question=later(
                "A noisy count has a standard deviation of 14. What is the standard deviation of "
                "the mean of 49 such counts?"
            ),
            hint=later("Not yet. Divide by the square root of the number of counts."),
            explanation=later(
                "Right: 14 / √49 = 2. Without a ledger, asking again removes the noise."
            ),
            solution=lambda: 14 / math.sqrt(49),
            tolerance=0.01,
        ),
    )

    def show(self, values: Values) -> Shown:
        kind, queries = values.words["kind"], int(values["queries"])
        epsilon, budget = (Fraction(values.written[name]) for name in ("epsilon", "budget"))
        allowed = allowed_queries(queries, kind, epsilon, budget)
        one = discrete_laplace_deviation(float(1 / epsilon))
        numbers = {
            "asked": float(loss_of_queries(queries, kind, epsilon)),
            "allowed": allowed,
            "spent": float(loss_of_queries(allowed, kind, epsilon)) if allowed else 0.0,
            "one": one,
            "average": one / math.sqrt(queries),
        }
        if allowed == queries:
            sentence = translate(
                "All %(queries)s queries cost ε = %(asked)s. This is within the budget of ε = "
                "%(budget)s.",
                queries=queries,
                asked=with_decimals(numbers["asked"], 2),
                budget=with_decimals(float(budget), 2),
            )
        else:
            sentence = translate(
                "%(queries)s queries would cost ε = %(asked)s. The ledger accepts %(allowed)s of "
                "them, and refuses the rest.",
                queries=queries,
                asked=with_decimals(numbers["asked"], 2),
                allowed=allowed,
            )
        pictures = [losses_picture(queries, kind, epsilon, budget)]
        if kind == AGAIN:
            averages = running_averages(float(epsilon), queries, self.generator(values))
            pictures.insert(0, averages_picture(averages, float(epsilon), allowed))
        return Shown(
            sentence=sentence,
            figures=composition_figures(numbers, kind),
            pictures=pictures,
            numbers=numbers,
        )

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


def composition_figures(numbers: Mapping[str, float], kind: str) -> list[Figure]:
    figures = [
        Figure(
            translate("Cost of all queries"),
            f"ε = {with_decimals(numbers['asked'], 2)}",
            "Σ ε" if kind == AGAIN else translate("largest ε"),
        ),
        Figure(translate("Accepted queries"), translate_count(int(numbers["allowed"]))),
        Figure(translate("Spent"), f"ε = {with_decimals(numbers['spent'], 2)}"),
        Figure(
            translate("Error of one count"),
            translate("± %(n)s people", n=with_decimals(numbers["one"], 1)),
            translate("standard deviation"),
        ),
    ]
    if kind == AGAIN:
        figures.append(
            Figure(
                translate("Error of the mean of all counts"),
                translate("± %(n)s people", n=with_decimals(numbers["average"], 1)),
                translate("standard deviation / √queries"),
            )
        )
    return figures


def averages_picture(averages: Reals, epsilon: float, allowed: int) -> LessonPicture:
    """The running average, the true count, and the last accepted query."""
    queries = len(averages)
    deviation = discrete_laplace_deviation(1 / epsilon)
    reach = max(1.2 * float(np.max(np.abs(averages - TRUTH))), 1.5 * deviation)
    points = [(float(place + 1), float(each)) for place, each in enumerate(averages)]
    chart = plot(
        Axis(low=0, high=queries, title=translate("queries")),
        Axis(low=TRUTH - reach, high=TRUTH + reach, title=translate("average of the noisy counts")),
        [
            Curve([(0.0, TRUTH), (float(queries), TRUTH)], translate("true count"), dashes="6 3"),
            Curve(points, translate("average so far"), own=True),
            *(
                [Upright(allowed, translate("last accepted query"), "2 2")]
                if allowed < queries
                else []
            ),
        ],
    )
    description = translate(
        "After %(queries)s queries the average is %(average)s. The true count is %(truth)s.",
        queries=queries,
        average=with_decimals(averages[-1], 1),
        truth=TRUTH,
    )
    return LessonPicture(chart, description, translate("Averages if every query is accepted"))


def losses_picture(queries: int, kind: str, epsilon: Fraction, budget: Fraction) -> LessonPicture:
    """The total loss by number of queries for both kinds, and the budget."""
    top = 1.15 * max(float(budget), min(float(epsilon) * queries, 2 * float(budget)))
    sequential = [(float(k), float(k * epsilon)) for k in range(queries + 1)]
    parallel = [(0.0, 0.0), (1.0, float(epsilon)), (float(queries), float(epsilon))]
    chart = plot(
        Axis(low=0, high=queries, title=translate("queries")),
        Axis(low=0, high=top, title=translate("total privacy loss ε")),
        [
            Curve(sequential, translate("about the same people"), own=kind == AGAIN),
            Curve(parallel, translate("about different groups"), own=kind == GROUPS, dashes="6 3"),
            Curve(
                [(0.0, float(budget)), (float(queries), float(budget))],
                translate("budget"),
                dashes="2 2",
            ),
        ],
    )
    description = translate(
        "The privacy losses of queries about the same people add up. For groups that do not "
        "overlap, the total is only the largest ε of a query."
    )
    return LessonPicture(chart, description, translate("Total privacy loss of the queries"))
