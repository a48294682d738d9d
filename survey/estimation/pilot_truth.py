"""The value that each estimate should have, given the assumed true shares of a simulation.

The values are exact. They follow the rules by which survey/planning/simulation.py draws answers:
within a group of respondents, answers to different questions are independent. The probability that
a member of a group is asked a question therefore follows from the group's shares of the questions
on which it depends. A value of all respondents is the mean over the groups, weighted by their
shares. Groups whose shares differ make the answers of all respondents related (a latent class
model; Lazarsfeld and Henry 1968, Latent Structure Analysis).

A derived answer that the simulation calculates depends on several answers, and so does the answer
to a question whose choices have conditions. Their true values, and those of questions that are
asked only after them, are the values among the simulated respondents. An interval contains such a
value at least as often as the value in the population, because the interval also covers the error
of sampling.
"""

import math
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from statistics import NormalDist
from typing import Any

import numpy as np

from survey.core.number_grid import Grid, decimal_text
from survey.core.translate import join_sentences, translate, translate_number
from survey.definition.choices import names_of
from survey.definition.questions import Question
from survey.definition.survey import Survey
from survey.estimation.number_text import number, percent, rounded_to
from survey.estimation.quantile_estimates import QUANTILES
from survey.estimation.results import QuestionResults, Results
from survey.estimation.types import ESTIMATION
from survey.estimation.types.joint_items import answer_counts, item_codes
from survey.estimation.types.number import histogram_ranges, part_choice

ROUNDING_SLACK = 1e-9
# A smaller share beyond an end of the range is ignored.
MAX_IGNORED_TAIL_SHARE = 0.001
# As `read_truth` of survey/formats/csv_import.py returns it.
Truth = Mapping[str, Sequence[float]]
# The name of a question, and the condition on its answer.
Condition = tuple[str, Any]


@dataclass(frozen=True)
class AssumedGroup:
    """A group of simulated respondents with its own true values.

    Attributes
    ----------
    share : the share of respondents who belong to it, from 0 to 1
    truth : for each question, the shares within the group that `read_truth` returns
    """

    share: float
    truth: Truth


@dataclass(frozen=True, kw_only=True)
class TruthComparison:
    """One estimate of the results and its assumed true value, as text in its unit."""

    name: str
    label: str
    assumed: str
    estimate: str
    low: str
    high: str
    held: bool


def compare_with_truth(
    results: Results,
    groups: Sequence[AssumedGroup],
    answers: Mapping[str, Mapping[int, int]] | None = None,
) -> dict[str, tuple[TruthComparison, ...]]:
    """Compare each estimate with its true value. Free texts have none.

    Parameters
    ----------
    results : the results of a simulation with these groups
    groups : their shares add up to 1
    answers : for each question, the counted true answers of the simulated respondents. Questions
        that depend on calculated answers have no comparison without them.
    """
    survey, answers = results.frozen.survey, answers or {}
    compared = {}
    for each in results.questions:
        question = each.question
        if not question.answers:
            continue
        if not follows_calculation(question, survey, groups):
            shares = shares_of_all(question, survey, groups)
        elif counts := answers.get(question.name):
            shares = ESTIMATION[question].counted_shares(counts)
        else:
            continue
        compared[question.name] = tuple(compared_figures(each, shares))
        for place, item in enumerate(survey.items_of(question)):
            found = each.items[place]
            codes = item_codes(question, item, place)
            counts = answer_counts(codes, answers[question.name])
            figures = compared_figures(found, ESTIMATION[found.question].counted_shares(counts))
            compared[found.question.name] = tuple(figures)
    return compared


def follows_calculation(question: Question, survey: Survey, groups: Sequence[AssumedGroup]) -> bool:
    """Whether the simulation calculates the answer, or an answer that decides who is asked.

    It also calculates which choices a respondent is offered.
    """
    known = {other.name: other for other in survey.questions}
    names = [question.name, *(name for name, _ in conditions(question, known))]
    calculated = any(name not in group.truth for name in names for group in groups)
    return calculated or any(known[name].choice_conditions for name in names)


def compared_figures(found: QuestionResults, shares: Sequence[float]) -> Iterator[TruthComparison]:
    """Each estimate of a question next to its value for these true shares of all answers."""
    question = found.question
    by_name = assumed_shares(question, shares)
    for answer in found.answers:
        share = by_name[answer.choice.name]
        yield TruthComparison(
            name=answer.choice.name,
            label=answer.choice.label,
            assumed=percent(share),
            estimate=answer.shown,
            low=answer.between[0],
            high=answer.between[1],
            held=answer.low - ROUNDING_SLACK <= share <= answer.high + ROUNDING_SLACK,
        )
    quantities = assumed_quantities(question, shares)
    for quantity in found.quantities:
        value = quantities.get(quantity.name)
        if value is None:
            continue
        yield TruthComparison(
            name=quantity.name,
            label=quantity.label,
            assumed=quantity.write_value(value),
            estimate=quantity.shown,
            low=quantity.between[0],
            high=quantity.between[1],
            held=quantity.low - ROUNDING_SLACK <= value <= quantity.high + ROUNDING_SLACK,
        )


# The distribution of the answers.


def chance_asked(question: Question, survey: Survey, truth: Truth) -> float:
    """The share of respondents who are asked the question."""
    questions_by_name = {other.name: other for other in survey.questions}
    of_each: dict[str, list[Any]] = {}
    for name, condition in conditions(question, questions_by_name):
        of_each.setdefault(name, [])
        if condition not in of_each[name]:
            of_each[name].append(condition)
    chances: list[float] = [
        ESTIMATION[questions_by_name[name]].chance_of_meeting(truth[name], all_)
        for name, all_ in of_each.items()
    ]
    return math.prod(chances)


def conditions(question: Question, known: Mapping[str, Question]) -> Iterator[Condition]:
    """All conditions for asking a question: its own, and those of the questions in them."""
    for name, condition in (question.relevant or {}).items():
        yield name, condition
        yield from conditions(known[name], known)


def shares_of_all(
    question: Question, survey: Survey, groups: Sequence[AssumedGroup]
) -> list[float]:
    """The shares of `true_shares` among the respondents of all groups."""
    of_each = [true_shares(question, survey, group.truth) for group in groups]
    return [
        math.fsum(group.share * share for group, share in zip(groups, shares, strict=True))
        for shares in zip(*of_each, strict=True)
    ]


def true_shares(question: Question, survey: Survey, truth: Truth) -> list[float]:
    """The shares of all answers that go through the randomizer.

    They include the answers of respondents who are not asked. The order is choices or values of the
    grid, then special answers. Boxes have a share each.
    """
    estimation = ESTIMATION[question]
    asked = chance_asked(question, survey, truth)
    shares = estimation.shares_of_asked(truth[question.name])
    values = question.grid.size if question.grid else len(question.choices)
    all_shares = [share * asked for share in shares]
    all_shares += [0.0] * (values + len(question.special_answers) - len(all_shares))
    places = estimation.filled_places()
    if question.may_be_unasked:
        places = [len(all_shares) - 1]
    for place in places:
        all_shares[place] += 1 - asked
    return all_shares


# The quantities that the results show.


def assumed_shares(question: Question, shares: Sequence[float]) -> dict[str, float]:
    """The share of each answer in the results; for a number, of each part of its range."""
    if question.grid is None:
        return dict(zip(names_of(question.answers), shares, strict=True))
    grid, special_answers = question.grid, shares[question.grid.size :]
    levels = question.levels or grid
    rounded = on_levels(shares[: grid.size], grid, levels)
    parts = histogram_ranges(levels)
    part_shares = {
        part_choice(levels, part).name: float(rounded[part.start : part.stop].sum())
        for part in parts
    }
    return part_shares | dict(zip(names_of(question.special_answers), special_answers, strict=True))


def on_levels(shares: Sequence[float], grid: Grid, levels: Grid) -> np.ndarray:
    """The shares of a number's levels after random rounding."""
    width = grid.width(levels.size)
    places = np.arange(grid.size)
    up = (places % width) / width
    rounded = np.zeros(levels.size + 1)
    np.add.at(rounded, places // width, np.asarray(shares) * (1 - up))
    np.add.at(rounded, places // width + 1, np.asarray(shares) * up)
    return rounded[: levels.size]


def assumed_quantities(question: Question, shares: Sequence[float]) -> dict[str, float]:
    """Mean, deviation and quartiles among respondents who give a number.

    For a scale, it is only the mean of the ranks 1, 2, 3, ....
    """
    values = ESTIMATION[question].values()
    if values is None:
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
    """A sentence if a typed mean and spread exceed the range, with the resulting values.

    It is empty if both are as typed, to a twentieth of the spread.

    Parameters
    ----------
    typed : {"mean": ..., "sd": ...}, or shares, which need no sentence
    shares : of the grid's values, from `read_truth`
    """
    grid = question.grid
    if grid is None or not {"mean", "sd"} <= set(typed):
        return ""
    mean, spread = float(typed["mean"]), float(typed["sd"])
    quantities = assumed_quantities(question, shares)
    if max(abs(quantities["mean"] - mean), abs(quantities["deviation"] - spread)) <= spread / 20:
        return ""
    law = NormalDist(mean, spread)
    smaller = law.cdf(float(grid.low)) > MAX_IGNORED_TAIL_SHARE
    larger = 1 - law.cdf(float(grid.high)) > MAX_IGNORED_TAIL_SHARE
    low, high = grid[0], grid[grid.size - 1]
    ends = {"low": translate_number(str(low)), "high": translate_number(str(high))}
    if smaller and larger:
        why = translate(
            "The range is %(low)s to %(high)s, so values outside it are left out.", **ends
        )
    elif smaller:
        why = translate("The range begins at %(low)s, so smaller values are left out.", **ends)
    elif larger:
        why = translate("The range ends at %(high)s, so larger values are left out.", **ends)
    else:
        step = translate_number(decimal_text(grid.step))
        why = translate("Answers are in steps of %(step)s.", step=step)
    error = quantities["deviation"] / 100
    return join_sentences(
        translate(
            "You entered a mean of %(mean)s and a standard deviation of %(spread)s.",
            mean=translate_number(number(mean)),
            spread=translate_number(number(spread)),
        ),
        why,
        translate(
            "The simulation uses a mean of %(mean)s and a standard deviation of %(spread)s.",
            mean=translate_number(rounded_to(quantities["mean"], error)),
            spread=translate_number(rounded_to(quantities["deviation"], error)),
        ),
    )
