"""What a truth comes to: the value that each figure of the results estimates.

For a pilot, where the truth is known because somebody assumed it. Exact, by the rules by which
survey/planning/simulation.py draws: answers to different questions are independent of each other,
so that who is asked a question follows from the shares of what it depends on.
"""

import math
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import combinations
from statistics import NormalDist
from typing import Any

import numpy as np

from survey.core.number_grid import Grid, decimal_text
from survey.definition.choices import DECLINED, names_of
from survey.definition.questions import Question
from survey.definition.survey import Survey
from survey.estimation.build_number_results import histogram_ranges, part_choice
from survey.estimation.mean_estimates import QUANTILES
from survey.estimation.number_text import percent, rounded_to
from survey.estimation.results import QuestionResults, Results

ROUNDING_SLACK = 1e-9
# The share beyond an end of the range that does not count as cut off.
MAX_IGNORED_TAIL_SHARE = 0.001
Truth = Mapping[str, Sequence[float]]  # as `read_truth` of survey/formats/csv_import.py gives it
Condition = tuple[str, Any]  # a question's name, and what has to hold of its answer


@dataclass(frozen=True)
class TruthComparison:
    """One figure of the results beside what was assumed, as text in its unit."""

    name: str
    label: str
    assumed: str
    estimate: str
    low: str
    high: str
    held: bool


def compare_with_truth(results: Results, truth: Truth) -> dict[str, tuple[TruthComparison, ...]]:
    """Each figure of each question beside what was assumed of it; texts have none.

    Parameters
    ----------
    results : the results of respondents who were simulated from that truth
    truth : for each question, the shares that `read_truth` gives
    """
    survey = results.frozen.survey
    return {
        each.question.name: tuple(compared_figures(each, survey, truth))
        for each in results.questions
        if not each.question.kind.free_text
    }


def compared_figures(
    found: QuestionResults, survey: Survey, truth: Truth
) -> Iterator[TruthComparison]:
    question = found.question
    shares = true_shares(question, survey, truth)
    by_name = assumed_shares(question, shares)
    for answer in found.answers:
        share = by_name[answer.choice.name]
        yield TruthComparison(
            name=answer.choice.name,
            label=answer.choice.label,
            assumed=percent(share),
            estimate=percent(answer.value),
            low=percent(answer.low),
            high=percent(answer.high),
            held=answer.low - ROUNDING_SLACK <= share <= answer.high + ROUNDING_SLACK,
        )
    quantities = assumed_quantities(question, shares)
    for quantity in found.quantities:
        value = quantities.get(quantity.name)
        if value is None:
            continue
        error = quantity.standard_error or (quantity.high - quantity.low) / 4
        low, high = quantity.between
        yield TruthComparison(
            name=quantity.name,
            label=quantity.label,
            assumed=rounded_to(value, error),
            estimate=quantity.shown,
            low=low,
            high=high,
            held=quantity.low - ROUNDING_SLACK <= value <= quantity.high + ROUNDING_SLACK,
        )


# What answers there are


def chance_asked(question: Question, survey: Survey, truth: Truth) -> float:
    """The share of respondents who are asked the question."""
    questions_by_name = {other.name: other for other in survey.questions}
    of_each: dict[str, list[Any]] = {}
    for name, condition in conditions(question, questions_by_name):
        of_each.setdefault(name, [])
        if condition not in of_each[name]:
            of_each[name].append(condition)
    return math.prod(
        condition_chance(questions_by_name[name], truth[name], all_)
        for name, all_ in of_each.items()
    )


def conditions(question: Question, known: Mapping[str, Question]) -> Iterator[Condition]:
    """All that has to hold for it to be asked: its own conditions, and those of what it depends
    on."""
    for name, condition in (question.relevant or {}).items():
        yield name, condition
        yield from conditions(known[name], known)


def condition_chance(parent: Question, shares: Sequence[float], conditions: Sequence[Any]) -> float:
    """The chance that one answer fits all the conditions."""
    if parent.grid is not None:
        values = [float(parent.grid.value(place)) for place in range(parent.grid.size)]
        low = max(float(each.get("min", -math.inf)) for each in conditions)
        high = min(float(each.get("max", math.inf)) for each in conditions)
        pairs = zip(values, shares, strict=False)
        return sum(
            share
            for value, share in pairs
            if low - ROUNDING_SLACK <= value <= high + ROUNDING_SLACK
        )
    names = names_of(parent.offered)
    if parent.kind.boxes:
        # any of these boxes, and any of those: by inclusion and exclusion of "none of them"
        return math.fsum(
            (-1.0) ** size * chance_of_none(names, shares, set().union(*chosen))
            for size in range(len(conditions) + 1)
            for chosen in combinations(conditions, size)
        )
    return sum(
        share
        for name, share in zip(names, shares, strict=True)
        if all(name in each for each in conditions)
    )


def chance_of_none(names: Sequence[str], shares: Sequence[float], unwanted: set[str]) -> float:
    """The chance that none of these boxes is ticked. Who declines ticks nothing else."""
    by_name = dict(zip(names, shares, strict=True))
    declined = by_name.pop(DECLINED, 0.0)
    none = math.prod(1 - by_name[name] for name in unwanted if name != DECLINED)
    return (1 - declined) * none + (0.0 if DECLINED in unwanted else declined)


def true_shares(question: Question, survey: Survey, truth: Truth) -> list[float]:
    """The shares of all answers that go through the randomizer, those of people who are not asked
    among them: of the choices or the grid's values, then of the extras. Boxes have a share each."""
    asked = chance_asked(question, survey, truth)
    shares = list(truth[question.name])
    values = question.grid.size if question.grid else len(question.choices)
    if question.kind.boxes and question.offers_to_decline:
        shares[:values] = [share * (1 - shares[values]) for share in shares[:values]]
    all_shares = [share * asked for share in shares]
    all_shares += [0.0] * (values + len(question.extras) - len(all_shares))
    if question.kind.boxes:
        instead = question.otherwise or []
        places = [place for place, c in enumerate(question.choices) if c.name in instead]
    elif question.otherwise is not None:
        places = [answer_index(question, question.otherwise)]
    else:
        places = []
    if question.otherwise is None and question.relevant is not None:
        places = [len(all_shares) - 1]
    for place in places:
        all_shares[place] += 1 - asked
    return all_shares


def answer_index(question: Question, answer: Any) -> int:
    if question.grid is not None:
        return question.grid.index(answer)
    return names_of(question.choices).index(answer)


# What the results show of them


def assumed_shares(question: Question, shares: Sequence[float]) -> dict[str, float]:
    """The share of each answer that results name; of a number, of each part of its range."""
    if question.grid is None:
        return dict(zip(names_of(question.answers), shares, strict=True))
    grid, extras = question.grid, shares[question.grid.size :]
    points = question.points or grid
    rounded = on_points(shares[: grid.size], grid, points)
    parts = histogram_ranges(points)
    part_shares = {
        part_choice(points, part).name: float(rounded[part.start : part.stop].sum())
        for part in parts
    }
    return part_shares | dict(zip(names_of(question.extras), extras, strict=True))


def on_points(shares: Sequence[float], grid: Grid, points: Grid) -> np.ndarray:
    """The shares of a number's points after rounding by chance."""
    width = grid.width(points.size)
    places = np.arange(grid.size)
    up = (places % width) / width
    rounded = np.zeros(points.size + 1)
    np.add.at(rounded, places // width, np.asarray(shares) * (1 - up))
    np.add.at(rounded, places // width + 1, np.asarray(shares) * up)
    return rounded[: points.size]


def assumed_quantities(question: Question, shares: Sequence[float]) -> dict[str, float]:
    """Mean, deviation and quartiles of those who give a number; of a scale the mean, counting 1,
    2, 3."""
    if question.kind.ordered:
        values = np.arange(1.0, len(question.choices) + 1)
    elif question.kind.numeric and question.grid is not None:
        grid = question.grid
        values = np.array([float(grid.value(place)) for place in range(grid.size)])
    else:
        return {}
    weights = np.asarray(shares[: len(values)])
    if not weights.sum():
        return {}
    weights = weights / weights.sum()
    mean = float(weights @ values)
    quantities = {"mean": mean, "deviation": math.sqrt(float(weights @ (values - mean) ** 2))}
    reached = np.cumsum(weights)
    for share in QUANTILES:
        place = min(int(np.searchsorted(reached, share - ROUNDING_SLACK)), len(values) - 1)
        quantities[f"quantile_{100 * share:g}"] = float(values[place])
    return quantities


def cut_off(question: Question, typed: Mapping[str, Any], shares: Sequence[float]) -> str:
    """Says that a typed mean and spread reach beyond the range, and what is left of them; empty
    where they came out as typed, to a twentieth of the spread.

    Parameters
    ----------
    typed : {"mean": ..., "sd": ...}, or shares, of which there is nothing to say
    shares : of the grid's values, as `read_truth` makes them
    """
    grid = question.grid
    if grid is None or not {"mean", "sd"} <= set(typed):
        return ""
    mean, spread = float(typed["mean"]), float(typed["sd"])
    quantities = assumed_quantities(question, shares)
    if max(abs(quantities["mean"] - mean), abs(quantities["deviation"] - spread)) <= spread / 20:
        return ""
    law = NormalDist(mean, spread)
    beyond = {grid[0]: law.cdf(float(grid.low)), grid[grid.size - 1]: 1 - law.cdf(float(grid.high))}
    ends = " and ".join(end for end, share in beyond.items() if share > MAX_IGNORED_TAIL_SHARE)
    how = f"cut off at {ends}" if ends else f"in steps of {decimal_text(grid.step)}"
    return (
        f"You entered a mean of {mean:g} and a standard deviation of {spread:g}. Because values "
        f"are {how}, the simulation uses "
        f"{rounded_to(quantities['mean'], quantities['deviation'])} and "
        f"{rounded_to(quantities['deviation'], quantities['deviation'])}."
    )
