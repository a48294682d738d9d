"""The number of respondents that the planner states, for a margin and for the power of a test."""

from collections.abc import Sequence
from dataclasses import replace
from functools import cache, partial
from itertools import product
from typing import Any

import numpy as np

from bench import headlines
from bench.false_alarms import every_report, group_p, known
from survey.analysis.columns.columns import question_column
from survey.core.scores import Array
from survey.definition.questions import Question
from survey.definition.survey import Survey, parse_survey
from survey.estimation.build_results import question_results
from survey.estimation.results import AnswerResults, QuantityResults
from survey.planning.precision import tilt_shares
from survey.planning.sample_size import PlanParameters, comparison, plan_figures

from .answers import EPSILONS
from .study import Case, Finding, Study

MARGINS = (0.1, 0.05)
# The shares, or the places of a mean on its range, that a test tells apart.
GAPS = {"5 % and 15 %": (0.05, 0.15), "50 % and 40 %": (0.5, 0.4)}
MEAN_GAPS = {"40 % and 50 % of the range": (0.4, 0.5), "20 % and 30 % of the range": (0.2, 0.3)}
CHOICES = [{"name": f"c{place}", "label": str(place + 1)} for place in range(5)]
# The planner assumes that nobody gives a special answer.
KINDS: dict[str, dict[str, Any]] = {
    "yes/no": {"type": "yes_no"},
    "yes/no, special answer": {"type": "yes_no", "prefer_not_to_say": True},
    "choice of 5": {"type": "select_one", "choices": CHOICES},
    "one of 5 boxes": {"type": "select_multiple", "choices": CHOICES},
    "mean of a scale": {"type": "scale", "choices": CHOICES, "goal": "mean"},
    "mean of a scale, special answer": {
        "type": "scale",
        "choices": CHOICES,
        "goal": "mean",
        "prefer_not_to_say": True,
    },
    "mean of a number": {"type": "number", "min": 0, "max": 10, "goal": "mean"},
}
# The test of two groups takes long for the others. tests/planning/test_planned_power.py enumerates
# it for yes/no questions.
WITH_GROUPS = ("yes/no, special answer", "mean of a number")
SURVEYS, SURVEYS_OF_GROUPS = 1_000, 500
# All figures of a number take a tenth of a second, as do the reports of many boxes.
FEWER_SURVEYS = 250
POWER = 0.8


def survey_of(kind: str, epsilon: str) -> Survey:
    privacy: dict[str, Any] = {"epsilon": EPSILONS[epsilon]}
    entry = KINDS[kind].copy()
    if "goal" in entry:
        privacy["goal"] = entry.pop("goal")
    asked = {"name": "x", "label": "?", "privacy": privacy, **entry}
    return parse_survey({"slug": "x", "title": "X", "questions": [asked]})


def spread(question: Question, share: float) -> Array:
    """The first answer has this share, and all others are equally frequent."""
    size = headlines.size_of(question)
    shares = np.full(size, (1 - share) / (size - 1))
    shares[0] = share
    return np.append(shares, np.zeros(len(question.special_answers)))


def even_answers(question: Question, place: float) -> Array:
    """The answers that the planner assumes for a mean at this place of its range."""
    shares = tilt_shares(np.ones(headlines.size_of(question)), place)
    return np.append(shares, np.zeros(len(question.special_answers)))


def estimate(
    question: Question, shares: Array, n: int, generator: np.random.Generator
) -> AnswerResults | QuantityResults:
    """The share of the first answer of n respondents, or their mean."""
    counts = headlines.draw(question, headlines.Truth(shares, {}, {}), n, generator)
    found = question_results(question, counts)
    if (question.privacy or {}).get("goal") != "mean":
        return found.answers[0]
    return next(each for each in found.quantities if each.name == "mean")


def within(
    question: Question, shares: Array, truth: float, margin: float, n: int,
    generator: np.random.Generator,
) -> Finding:  # fmt: skip
    """Whether the estimate is within the planned margin of the truth."""
    error = estimate(question, shares, n, generator).value - truth
    return Finding([error], [abs(error) <= margin])


def from_value(
    question: Question, shares: Array, null: float, n: int, generator: np.random.Generator
) -> Finding:
    """Whether the interval excludes the known value."""
    found = estimate(question, shares, n, generator)
    return Finding(found=not found.low <= null <= found.high)


def between(
    question: Question, shares: Sequence[Array], n: int, generator: np.random.Generator
) -> Finding:
    """Whether the comparison of two groups of n respondents finds the difference."""
    column = question_column(question, every_report(question))
    points = [headlines.on_levels(question, each) for each in shares]
    reports = [
        generator.choice(len(chances), n, p=chances / chances.sum())
        for chances in (each @ column.chances for each in points)
    ]
    group = replace(known("group", 2).column, reports=np.repeat([0, 1], n))
    for_mean = (question.privacy or {}).get("goal") == "mean"
    p = group_p(replace(column, reports=np.concatenate(reports)), group, None if for_mean else 0)
    return Finding(found=p[1] is not None and p[1] < 0.05)


def of_range(question: Question, place: float) -> float:
    """The value at this place of the range, in the question's unit."""
    if question.grid is None:
        return 1 + place * (len(question.choices) - 1)
    values = [float(value) for value in question.number_grid]
    return values[0] + place * (values[-1] - values[0])


def surveys_of(question: Question) -> int:
    return FEWER_SURVEYS if question.kind.numeric or question.kind.boxes else SURVEYS


def margin_cases(kind: str, epsilon: str) -> list[Case]:
    survey = survey_of(kind, epsilon)
    question, found = survey.questions[0], []
    margins = MARGINS if epsilon == "2" else MARGINS[-1:]
    for share, margin in product((0.05, 0.5), margins):
        for_mean = "goal" in (question.privacy or {})
        if for_mean and share != 0.5:
            # The planner assumes that the answers are evenly spread, whatever the share is.
            continue
        rows = plan_figures(survey, PlanParameters(margin=margin, share=share))
        # A scale has a share before its mean.
        row = next(each for each in rows if each.precision.kind == "mean" or not for_mean)
        shares = even_answers(question, 0.5) if for_mean else spread(question, share)
        truth = of_range(question, 0.5) if for_mean else share
        goal = "even answers" if for_mean else f"{100 * share:g} %"
        name = f"{kind}, ε = {epsilon}, {goal}, margin {margin:g}"
        wide = margin * row.precision.width
        draw = partial(within, question, shares, truth, wide, row.respondents)
        found.append(Case(name, row.respondents, draw, surveys_of(question)))
    return found


def power_cases(kind: str, epsilon: str) -> list[Case]:
    survey = survey_of(kind, epsilon)
    question, found = survey.questions[0], []
    for_mean = "goal" in (question.privacy or {})
    for title, (null, truth) in (MEAN_GAPS if for_mean else GAPS).items():
        plan = comparison(question, survey, PlanParameters(null=null, truth=truth, power=POWER))
        shares = [even_answers(question, each) if for_mean else spread(question, each)
                  for each in (null, truth)]  # fmt: skip
        value = of_range(question, null) if for_mean else null
        name = f"{kind}, ε = {epsilon}, {title}"
        n = plan.value.surely
        draw = partial(from_value, question, shares[1], value, n)
        found.append(Case(f"{name}, known value", n, draw, surveys_of(question), stated=POWER))
        if kind in WITH_GROUPS:
            n = plan.groups.surely
            draw = partial(between, question, shares, n)
            found.append(Case(f"{name}, two groups", n, draw, SURVEYS_OF_GROUPS, stated=POWER))
    return found


# The planner enumerates many sizes.
@cache
def cases() -> list[Case]:
    return [
        case
        for kind, epsilon in product(KINDS, EPSILONS)
        for case in (*margin_cases(kind, epsilon), *power_cases(kind, epsilon))
    ]


STUDY = Study(
    "Planned numbers of respondents",
    """Surveys with the number of respondents that the planner states. The coverage is how often the
    estimate is within the planned margin of the truth, and should be 95 %. The power is how often
    the interval excludes a known value, or the comparison of two groups has a p-value below 0.05.
    Nobody gives a special answer, as the planner assumes. For a mean, the answers are as evenly
    spread as the mean allows.""",
    cases,
    """A scale for its mean was planned for the share of one level, 25,813 respondents in place of
    3,233. Rare traits were planned with another test than the one of the results page, and needed
    up to 17 % fewer respondents.""",
)
