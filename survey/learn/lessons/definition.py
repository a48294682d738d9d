"""The definition: two neighbouring tables, a set of outputs, and both of its probabilities."""

import math
from collections.abc import Sequence
from dataclasses import dataclass
from typing import ClassVar

from survey.central_dp.figure_noise import gaussian_weights
from survey.charts.analysis_rows import number_tick
from survey.core.translate import later, translate, translate_number
from survey.learn.controls import Slider, Values, WordChoice
from survey.learn.gaussian import CANDOR_SOURCE, candor_sigma
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
from survey.learn.neighbour_outputs import (
    FARTHEST,
    NeighbourOutputs,
    cut_point,
    laplace_weights,
    noisy_counts,
    permitted_chances,
    reports,
)
from survey.learn.pictures import Area, Axis, Columns, Curve, Dots, Upright, plot
from survey.learn.written_numbers import probability_text, with_decimals, with_digits

COUNT = 100  # of the table x; the table y has one patient more
LOWEST = 80
HIGHEST = 121
LAPLACE = "laplace"
RESPONSE = "response"
CUT = "cut"
GAUSSIAN = "gaussian"
MECHANISMS = {
    LAPLACE: later("Count with Laplace noise"),
    CUT: later("Count with Laplace noise that is cut off"),
    GAUSSIAN: later("Count with Gaussian noise"),
    RESPONSE: later("One answer with randomised response"),
}
NEEDS_DELTA = (CUT, GAUSSIAN)
REPORTS = {"yes": later("only Yes"), "no": later("only No"), "both": later("Yes and No")}
PLACES = 61  # of the band in the chart
CLOSE = 1e-3  # of two points of a curve, both coordinates together


@dataclass(frozen=True)
class Event:
    """The outputs S from `first` to `last`. An end of −∞ or ∞ is no limit."""

    first: float
    last: float
    words: str


def event_of(values: Values) -> Event:
    """S in the address. The smaller number is the first, whichever slider has it."""
    if values.words["mechanism"] == RESPONSE:
        named = {"yes": translate("Yes"), "no": translate("No"), "both": translate("Yes or No")}
        report = values.words["report"]
        return Event(float(report == "yes"), float(report != "no"), named[report])
    first, last = sorted((values["first"], values["last"]))
    if first == LOWEST and last == HIGHEST:
        return Event(-math.inf, math.inf, translate("every number"))
    if first == LOWEST:
        return Event(-math.inf, last, at_most(last))
    if last == HIGHEST:
        words = translate("%(number)s or more", number=translate_number(f"{first:.0f}"))
        return Event(first, math.inf, words)
    if first == last:
        return Event(first, last, translate_number(f"{first:.0f}"))
    words = translate("%(low)s to %(high)s", low=f"{first:.0f}", high=f"{last:.0f}")
    return Event(first, last, words)


def at_most(number: float) -> str:
    return translate("%(number)s or less", number=translate_number(f"{number:.0f}"))


def outputs_of(mechanism: str, epsilon: float, delta: float) -> NeighbourOutputs:
    """Both distributions of a mechanism with (ε, δ). Only CUT and GAUSSIAN use δ."""
    if mechanism == RESPONSE:
        return reports(epsilon)
    if mechanism == CUT:
        return noisy_counts(COUNT, laplace_weights(epsilon, cut_point(epsilon, delta)))
    if mechanism == GAUSSIAN:
        return noisy_counts(COUNT, gaussian_weights(candor_sigma(epsilon, delta), FARTHEST))
    return noisy_counts(COUNT, laplace_weights(epsilon))


class Definition(Lesson):
    """The mechanism, ε, δ and the set S of outputs vary."""

    address = "definition"
    neighbours = (BY_CHANGE, BY_ADDING)
    title = later("The definition")
    idea = later(
        "Differential privacy compares two tables that differ in one person. No set of outputs may "
        "be much more likely with one table than with the other."
    )
    controls = (
        WordChoice("mechanism", later("Mechanism M"), MECHANISMS, LAPLACE),
        Slider(name="epsilon", label="ε", low="0.1", high="3", step="0.1", start="1"),
        Slider(
            name="first",
            label=later("S: first count"),
            low=str(LOWEST),
            high=str(HIGHEST),
            step="1",
            start="100",
        ),
        Slider(
            name="last",
            label=later("S: last count"),
            low=str(LOWEST),
            high=str(HIGHEST),
            step="1",
            start="102",
        ),
        Slider(
            name="delta",
            label=later("δ (for noise that is cut off, and Gaussian noise)"),
            low="0.01",
            high="0.2",
            step="0.01",
            start="0.05",
        ),
        WordChoice("report", later("S for randomised response"), REPORTS, "yes"),
    )
    exercises: ClassVar[tuple[Exercise, ...]] = (
        Exercise(
            name="upper",
            question=later(
                "ε = ln 3 and δ = 0. Pr[M(y) ∈ S] is 0.2. What is the largest value that "
                "Pr[M(x) ∈ S] can have?"
            ),
            hint=later("Not yet. e^ε is 3 here."),
            explanation=later("Right: 3 × 0.2 = 0.6."),
            solution=lambda: permitted_chances(0.2, math.log(3), 0.0)[1],
            tolerance=0.001,
        ),
        Exercise(
            name="lower",
            question=later("The same ε, δ and Pr[M(y) ∈ S]. What is the smallest value?"),
            hint=later("Not yet. The definition also holds with x and y exchanged."),
            explanation=later("Right: 0.2 / 3 = 0.067."),
            solution=lambda: permitted_chances(0.2, math.log(3), 0.0)[0],
            tolerance=0.0005,
        ),
        Exercise(
            name="delta",
            question=later(
                "ε = ln 2 and δ = 0.05. Pr[M(y) ∈ S] is 0.1. What is the largest value that "
                "Pr[M(x) ∈ S] can have?"
            ),
            hint=later("Not yet. Multiply by e^ε = 2 first, and then add δ."),
            explanation=later("Right: 2 × 0.1 + 0.05 = 0.25."),
            solution=lambda: permitted_chances(0.1, math.log(2), 0.05)[1],
            tolerance=0.001,
        ),
        Exercise(
            name="after",
            question=later(
                "A release has ε = 0.5. Someone draws 1,000 charts of the released value. What is "
                "the ε of the value and all charts together?"
            ),
            hint=later("Not yet. The charts use only the released value."),
            explanation=later("Right: 0.5. This is post-processing."),
            solution=lambda: 0.5,
            tolerance=0.001,
        ),
    )

    def show(self, values: Values) -> Shown:
        mechanism, epsilon = values.words["mechanism"], values["epsilon"]
        delta = values["delta"] if mechanism in NEEDS_DELTA else 0.0
        both, event = outputs_of(mechanism, epsilon, delta), event_of(values)
        x, y = both.chances(event.first, event.last)
        low, high = permitted_chances(y, epsilon, delta)
        least, worst = both.largest_excess(epsilon)
        factor = math.exp(epsilon)
        numbers = {
            "x": x,
            "y": y,
            "low": low,
            "high": high,
            "factor": factor,
            "excess": max(0.0, x - factor * y, y - factor * x) if mechanism in NEEDS_DELTA else 0.0,
            "delta": least,
        }
        sentence = translate(
            "S: %(event)s. Pr[M(x) ∈ S] = %(x)s, and Pr[M(y) ∈ S] = %(y)s. With this value for y, "
            "the definition permits %(low)s to %(high)s for x.",
            event=event.words,
            x=probability_text(x),
            y=probability_text(y),
            low=probability_text(low),
            high=probability_text(high),
        )
        return Shown(
            sentence=sentence,
            figures=definition_figures(numbers, worst),
            pictures=[
                *both_tables(mechanism, both, event, (x, y)),
                band_picture(both, (x, y), epsilon, delta),
            ],
            numbers=numbers,
        )

    def notebook(self, values: Values) -> Sequence[Cell]:
        mechanism, event = values.words["mechanism"], event_of(values)
        delta = values["delta"] if mechanism in NEEDS_DELTA else 0.0
        return (
            Cell(
                "import math\n\nimport numpy as np\n\n"
                f"epsilon, delta = {values['epsilon']}, {delta}\n"
                f"first, last = (float(end) for end in ('{event.first}', '{event.last}'))  # of S"
            ),
            Cell(NOTEBOOK_NOISE[mechanism]),
            Cell("Pr[M(x) = r] and Pr[M(y) = r] for every output r:", code=False),
            Cell(NOTEBOOK_REPORTS if mechanism == RESPONSE else NOTEBOOK_COUNTS),
            Cell(
                "inside = (first <= r) & (r <= last)\nx, y = p[inside].sum(), q[inside].sum()\n"
                "factor = math.exp(epsilon)\n"
                "low = max(0, (y - delta) / factor, 1 - factor * (1 - y) - delta)\n"
                "high = min(1, factor * y + delta, 1 - (1 - y - delta) / factor)\n"
                "excess = max(0, x - factor * y, y - factor * x) if delta else 0\n"
                "above = p - factor * q > 1e-14\n"
                "numbers = {'x': x, 'y': y, 'low': low, 'high': high, 'factor': factor,\n"
                "           'excess': excess, 'delta': (p - factor * q)[above].sum()}\n"
                "print(numbers)"
            ),
        )


NOTEBOOK_COUNTS = (
    "noise = np.concatenate([weights[:0:-1], weights]) / (weights.sum() + weights[1:].sum())\n"
    f"r = np.arange({COUNT} - len(weights) + 1, {COUNT} + len(weights) + 1)\n"
    "p, q = np.append(noise, 0), np.append(0, noise)"
)
NOTEBOOK_REPORTS = (
    "r = np.array([0, 1])\np, q = np.array([true, 1 - true]), np.array([1 - true, true])"
)
NOTEBOOK_NOISE = {
    LAPLACE: f"weights = np.exp(-epsilon * np.arange({FARTHEST + 1}))  # of the noise 0, 1, 2, ...",
    RESPONSE: "true = 1 / (1 + math.exp(-epsilon))  # Pr(report = answer)",
    CUT: (
        "a, t = math.exp(-epsilon), 0\n"
        "while a**t * (1 - a) / (1 + a - 2 * a ** (t + 1)) > delta:\n    t += 1\n"
        "weights = np.exp(-epsilon * np.arange(t + 1))  # of the noise 0 to t"
    ),
    GAUSSIAN: (
        f"{CANDOR_SOURCE}\nweights = np.exp(-np.arange({FARTHEST + 1})**2 / (2 * sigma**2))"
    ),
}


def definition_figures(numbers: dict[str, float], worst: int | None) -> list[Figure]:
    x, y = numbers["x"], numbers["y"]
    most, least = max(x, y), min(x, y)
    limit = with_decimals(numbers["factor"], 3)
    figures = [
        Figure("Pr[M(x) ∈ S]", probability_text(x)),
        Figure("Pr[M(y) ∈ S]", probability_text(y)),
        Figure(
            translate("Permitted for Pr[M(x) ∈ S]"),
            translate(
                "%(low)s to %(high)s",
                low=probability_text(numbers["low"]),
                high=probability_text(numbers["high"]),
            ),
        ),
    ]
    if least > 0:
        ratio = with_digits(most / least, 4) if most / least < 1e6 else "> 10⁶"
        figures.append(Figure(translate("Larger by smaller probability"), ratio, f"e^ε = {limit}"))
    figures.append(
        Figure(
            translate("Excess over e^ε times the other probability"),
            probability_text(numbers["excess"]),
            translate("at most δ"),
        )
    )
    figures.append(
        Figure(
            translate("Largest excess of any S"),
            probability_text(numbers["delta"]),
            "" if worst is None else translate("for S: %(event)s", event=at_most(worst)),
        )
    )
    return figures


def both_tables(
    mechanism: str, both: NeighbourOutputs, event: Event, chances: tuple[float, float]
) -> list[LessonPicture]:
    """Both distributions on the same axes, each with the part in S filled."""
    if mechanism == RESPONSE:
        low, high, title = 0, 1, translate("report")
        names = (translate("x: the answer is No"), translate("y: the answer is Yes"))
    else:
        low, high = shown_counts(both, event)
        title = translate("published count")
        names = (translate("x: 100 patients"), translate("y: 101 patients"))
    top = 1.1 * max(both.x)
    pictures = []
    for each, (name, heights, chance) in enumerate(
        zip(names, (both.x, both.y), chances, strict=True)
    ):
        inside = {r: p for r, p in zip(both.outputs, heights, strict=True) if low <= r <= high}
        shown = [inside.get(r, 0.0) for r in range(low, high + 1)]
        filled = [
            height if event.first <= r <= event.last else 0.0
            for r, height in zip(range(low, high + 1), shown, strict=True)
        ]
        edges = [r - 0.5 for r in range(low, high + 2)]
        outline = [
            point
            for r, height in zip(range(low, high + 1), shown, strict=True)
            for point in ((r - 0.5, height), (r + 0.5, height))
        ]
        outline = [(low - 0.5, 0.0), *outline, (high + 0.5, 0.0)]
        truth = each if mechanism == RESPONSE else COUNT + each
        tick = report_tick if mechanism == RESPONSE else number_tick
        chart = plot(
            Axis(
                low=low - 0.5,
                high=high + 0.5,
                title=title,
                tick=tick,
                step=1 if mechanism == RESPONSE else 0,
            ),
            Axis(low=0, high=top, title=translate("probability")),
            [
                Columns(edges, filled, translate("in S")),
                Curve(outline, translate("all outputs"), own=True),
                Upright(truth, translate("without noise"), "4 3"),
            ],
        )
        description = translate(
            "The filled part is the probability that the output is in S: %(chance)s.",
            chance=probability_text(chance),
        )
        pictures.append(LessonPicture(chart, description, name))
    return pictures


def report_tick(value: float) -> str:
    return translate("Yes") if value else translate("No")


def shown_counts(both: NeighbourOutputs, event: Event) -> tuple[int, int]:
    """The counts of the axis: where the distributions and the limits of S are."""
    spread = math.sqrt(sum(p * (r - COUNT) ** 2 for r, p in zip(both.outputs, both.x, strict=True)))
    middle = COUNT + 0.5
    ends = [abs(end - middle) for end in (event.first, event.last) if math.isfinite(end)]
    reach = math.ceil(max(6.0, min(4 * spread, HIGHEST - middle), *ends))
    return COUNT - reach, COUNT + 1 + reach


def band_picture(
    both: NeighbourOutputs, chances: tuple[float, float], epsilon: float, delta: float
) -> LessonPicture:
    """What (ε, δ) permits for both probabilities, the tails of the outputs, and S."""
    places = sorted({*(k / (PLACES - 1) for k in range(PLACES)), *band_corners(epsilon, delta)})
    limits = [permitted_chances(y, epsilon, delta) for y in places]
    layers: list[Area | Curve | Dots] = [
        Area(
            [(y, low) for y, (low, _) in zip(places, limits, strict=True)],
            [(y, high) for y, (_, high) in zip(places, limits, strict=True)],
            translate("permitted"),
        )
    ]
    below = tail_points(both)
    above = [(1 - y, 1 - x) for y, x in below]
    layers.append(Curve(below, translate("outputs up to a limit, or from a limit on"), own=True))
    layers.append(Curve(above, own=True))
    layers.append(Dots([(chances[1], chances[0])], translate("the chosen S"), 6))
    chart = plot(
        Axis(low=0, high=1, title="Pr[M(y) ∈ S]"), Axis(low=0, high=1, title="Pr[M(x) ∈ S]"), layers
    )
    description = translate(
        "No set S has a point outside the band. The curves show the sets that differ most. Where a "
        "curve touches the edge of the band, the mechanism uses all that ε and δ permit."
    )
    return LessonPicture(chart, description, translate("The band of e^ε and δ"))


def tail_points(both: NeighbourOutputs) -> list[tuple[float, float]]:
    """Pr[M(y) ∈ S] and Pr[M(x) ∈ S] of all outputs up to each number, without points too close."""
    points, x, y = [(0.0, 0.0)], 0.0, 0.0
    for p, q in zip(both.x, both.y, strict=True):
        x, y = min(1.0, x + p), min(1.0, y + q)
        if x + y > sum(points[-1]) + CLOSE:
            points.append((y, x))
    return [*points, (1.0, 1.0)]


def band_corners(epsilon: float, delta: float) -> tuple[float, float]:
    """Where the upper and the lower edge of the band have their corner."""
    upper = (1 - delta) / (1 + math.exp(epsilon))
    return upper, 1 - upper
