"""The comparison of estimates with assumed values on the page of a simulation."""

from collections import Counter
from functools import cache, partial
from typing import Any

import numpy as np

from survey.definition.frozen import FrozenSurvey, freeze
from survey.definition.sub_surveys import pilot_answers_of, pilot_of
from survey.definition.survey import Survey, parse_survey
from survey.estimation.build_results import survey_results
from survey.estimation.pilot_truth import compare_with_truth
from survey.estimation.results import AnswerResults, QuantityResults
from survey.formats.csv_import import read_groups
from survey.planning.simulation import Row, simulate_groups

from .answers import EPSILONS, SIZES
from .study import Case, Finding, Study

CHOICES = [{"name": f"c{place}", "label": str(place + 1)} for place in range(5)]
RARE = {"c0": 0.05, "c1": 0.05, "c2": 0.05, "c3": 0.05, "c4": 0.8}
EVEN = dict.fromkeys(RARE, 0.2)
# The members of two groups answer differently, so that the questions are related.
SHARES = (0.3, 0.7)
Given = dict[str, Any]


def entry(name: str, kind: str, epsilon: str, **more: Any) -> Given:
    privacy = more.pop("privacy", {"epsilon": EPSILONS[epsilon]})
    return {"name": name, "type": kind, "label": "?", "privacy": privacy, **more}


@cache
def survey_of(kind: str, epsilon: str) -> Survey:
    goal = {"epsilon": EPSILONS[epsilon], "goal": "mean"}
    questions = {
        "yes/no": [entry("x", "yes_no", epsilon)],
        "yes/no, special answer": [entry("x", "yes_no", epsilon, prefer_not_to_say=True)],
        "yes/no, with a condition": [
            entry("first", "yes_no", epsilon, privacy="none"),
            entry("x", "yes_no", epsilon, relevant={"first": "yes"}),
        ],
        "choice of 5": [entry("x", "select_one", epsilon, choices=CHOICES)],
        "5 boxes": [entry("x", "select_multiple", epsilon, choices=CHOICES)],
        "mean of a scale": [entry("x", "scale", epsilon, choices=CHOICES, privacy=goal)],
        "mean of a number": [entry("x", "number", epsilon, min=0, max=10, privacy=goal)],
        "derived answer": [
            entry("first", "yes_no", epsilon, privacy="not_sent"),
            entry("second", "yes_no", epsilon, privacy="not_sent"),
            entry("x", "yes_no", epsilon, derived={
                "sum": {"first": {"yes": 1, "no": 0}, "second": {"yes": 1, "no": 0}},
                "at_least": 2,
            }),
        ],
    }[kind]  # fmt: skip
    return pilot_of(parse_survey({"slug": "x", "title": "X", "questions": questions}))


# What is typed for both groups, and the true values of all respondents, calculated without Candor.
TYPED: dict[str, tuple[Given, Given]] = {
    "yes/no": ({"x": {"yes": 0.1}}, {"x": {"yes": 0.02}}),
    "yes/no, special answer": (
        {"x": {"yes": 0.6, "prefer_not_to_say": 0.1}},
        {"x": {"yes": 0.3, "prefer_not_to_say": 0}},
    ),
    "yes/no, with a condition": (
        {"first": {"yes": 0.5}, "x": {"yes": 0.8}},
        {"first": {"yes": 0.2}, "x": {"yes": 0.1}},
    ),
    "choice of 5": ({"x": EVEN}, {"x": RARE}),
    "5 boxes": ({"x": EVEN}, {"x": RARE}),
    "mean of a scale": ({"x": EVEN}, {"x": RARE}),
    "mean of a number": (
        {"x": {str(place): 1 / 11 for place in range(11)}},
        {"x": {"0": 0.5, "10": 0.5}},
    ),
    "derived answer": (
        {"first": {"yes": 0.5}, "second": {"yes": 0.5}},
        {"first": {"yes": 0.2}, "second": {"yes": 0.1}},
    ),
}
FIRST, SECOND = SHARES
MIXED = {f"c{place}": FIRST * 0.2 + SECOND * (0.8 if place == 4 else 0.05) for place in range(5)}
TRUE: dict[str, dict[str, float]] = {
    "yes/no": {"yes": FIRST * 0.1 + SECOND * 0.02},
    "yes/no, special answer": {
        "yes": FIRST * 0.6 + SECOND * 0.3, "no": FIRST * 0.3 + SECOND * 0.7,
        "prefer_not_to_say": FIRST * 0.1,
    },
    "yes/no, with a condition": {
        "yes": FIRST * 0.5 * 0.8 + SECOND * 0.2 * 0.1,
        "no": FIRST * 0.5 * 0.2 + SECOND * 0.2 * 0.9,
    },
    "choice of 5": MIXED,
    "5 boxes": MIXED,
    "mean of a scale": {"mean": FIRST * 3 + SECOND * (0.05 * (1 + 2 + 3 + 4) + 0.8 * 5)},
    "mean of a number": {"mean": 5.0},
    "derived answer": {"yes": FIRST * 0.25 + SECOND * 0.02},
}  # fmt: skip
ROUNDING = 1e-9
DERIVED = "derived answer"
DERIVED_REASON = (
    "The shares of the simulated respondents differ from the estimate only by the noise, but the "
    "interval is about a population, so it is longer."
)


def counted(frozen: FrozenSurvey, rows: list[Row]) -> dict[str, Counter[int]]:
    """The counts of each code, as the store keeps them."""
    found = {}
    for place, question in enumerate(frozen.survey.fields):
        stored = (row[place] for row in rows)
        codes = (question.form.codes(each) for each in stored if each is not None)
        found[question.name] = Counter(code for each in codes for code in each)
    return found


def draw(kind: str, epsilon: str, n: int, generator: np.random.Generator) -> Finding:
    """A simulation with its page. An alarm is a figure whose comparison is not the right one."""
    survey = survey_of(kind, epsilon)
    typed = [{"share": share, "answers": given}
             for share, given in zip(SHARES, TYPED[kind], strict=True)]  # fmt: skip
    groups = read_groups({"groups": typed}, survey)
    [(reports, answers)] = simulate_groups(survey, groups, n, int(generator.integers(2**31)))
    frozen = freeze(survey, to_open=False)
    direct = freeze(pilot_answers_of(survey), None, to_open=False)
    results = survey_results(frozen, counted(frozen, reports), "simulated")
    compared = compare_with_truth(results, groups, counted(direct, answers))["x"]
    [found] = [each for each in results.questions if each.question.name == "x"]
    figures: dict[str, AnswerResults | QuantityResults] = {
        **{each.choice.name: each for each in found.answers},
        **{each.name: each for each in found.quantities},
    }
    errors, held, wrong = [], [], False
    for name, truth in TRUE[kind].items():
        figure = figures[name]
        errors.append(figure.value - truth)
        holds = figure.low - ROUNDING <= truth <= figure.high + ROUNDING
        [stated] = [each.held for each in compared if each.name == name]
        held.append(stated)
        # A derived answer is compared with its share among the simulated respondents.
        wrong |= kind != DERIVED and holds != stated
    # Errors of all shares add up to zero, so their mean says nothing about a bias.
    return Finding(errors[:1], held, alarm=wrong)


def reason_for(kind: str) -> str:
    return DERIVED_REASON if kind == DERIVED else ""


def cases() -> list[Case]:
    return [
        Case(f"{kind}, ε = {epsilon}", n, partial(draw, kind, epsilon, n), 1_000, reason_for(kind))
        for kind in TYPED
        for epsilon in EPSILONS
        for n in (SIZES if epsilon == "ln 3" else SIZES[1:2])
    ]


STUDY = Study(
    "Comparisons on the page of a simulation",
    """The simulated respondents are 30 % of one group and 70 % of another, which answer
    differently. The page states whether the interval of each estimate contains its assumed value.
    Coverage is how often it says so. A false alarm is a survey in which it does not agree with the
    value from separate code. Derived answers are compared with their shares among the simulated
    respondents, so their intervals contain these more often.""",
    cases,
)
