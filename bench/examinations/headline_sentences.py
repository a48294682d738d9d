"""How often the sentence of a headline is false, for each ε, with medians."""

from dataclasses import replace
from functools import partial
from typing import Any

import numpy as np

from bench import headlines
from survey.definition.parse_question import parse_question
from survey.definition.questions import Question
from survey.estimation.build_results import question_results
from survey.estimation.headlines import EITHER, FIRST, MEAN, SHARE, TOGETHER, TOO_FEW_TO_SAY
from survey.estimation.results import QuestionResults

from .answers import EPSILONS, SIZES
from .study import Case, Finding, Study

# Titles of bench/headlines.py, which has all of its types over all ε.
KINDS = ("yes/no, prefer not to say", "choice of 6", "scale of 5, for the mean", "5 boxes")
MEDIANS = {"number, for quantiles": False, "number, for quantiles, prefer not to say": True}
LARGEST = 20
SHAPES = ("even", "falling", "one dominates")
LARGE = 5_000


def asked_for_quantiles(epsilon: float, declines: bool) -> Question:
    entry: dict[str, Any] = {
        "name": "x", "type": "number", "label": "?", "min": 0, "max": LARGEST,
        "privacy": {"epsilon": epsilon, "goal": "quantiles"},
    } | ({"prefer_not_to_say": True} if declines else {})  # fmt: skip
    return parse_question(entry, "", "en")


def interval_misses(found: QuestionResults, truth: headlines.Truth) -> bool | None:
    """Whether the main interval misses, also if the sentence says that it is too wide to state."""
    headline, kind = found.headline, found.question.kind
    if headline.kind == TOO_FEW_TO_SAY and (kind.numeric or kind.dichotomous):
        headline = replace(headline, kind=MEAN if kind.numeric else SHARE)
    return headlines.is_missed(headline, found, truth)


def draw(
    question: Question, truth: headlines.Truth, n: int, generator: np.random.Generator
) -> Finding:
    found = question_results(question, headlines.draw(question, truth, n, generator))
    stated = headlines.is_missed(found.headline, found, truth)
    missed = interval_misses(found, truth)
    ranks = found.headline.kind in (FIRST, TOGETHER, EITHER)
    return Finding(
        held=[] if missed is None else [not missed],
        alarm=bool(stated) or headlines.is_wrong(found.headline, truth.stated),
        found=ranks or stated is not None,
    )


def sizes_of(epsilon: str) -> tuple[int, ...]:
    return (*SIZES, LARGE) if epsilon == "ln 3" else SIZES[1:]


def cases() -> list[Case]:
    found = []
    for epsilon, value in EPSILONS.items():
        questions = {kind: headlines.question_of(kind, value) for kind in KINDS}
        questions |= {name: asked_for_quantiles(value, each) for name, each in MEDIANS.items()}
        for kind, question in questions.items():
            for shape in SHAPES:
                truth = headlines.truth_of(question, shape)
                name = f"{kind}, ε = {epsilon}, {shape}"
                found += [
                    Case(name, n, partial(draw, question, truth, n), 200) for n in sizes_of(epsilon)
                ]
    return found


STUDY = Study(
    "Headlines",
    """The sentence of the results page that states the main result. A false alarm is a false
    sentence: an order that is not true, or an interval without the true value. The power is how
    often the sentence states an order or an interval, not that there are too few responses.
    Coverage is that of the intervals of a share, a mean or a median, stated or not. Where only few
    surveys state a median, these are the ones whose interval is short by chance, so more of these
    intervals are wrong than 5 %. “Even” answers have equal shares (boxes: 20 % each). Of “falling”
    ones, each has 0.85 times the share of the one before it (boxes: from 45 to 12 %). If one
    dominates, 90 % give it (boxes: from 90 to 0 %). [Headlines](headlines.md) has more types, over
    all ε.""",
    cases,
)
