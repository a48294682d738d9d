"""Results that are weighted by a question with known totals."""

from functools import partial
from itertools import product

import numpy as np

from bench import headlines
from survey.core.errors import UnanswerableQuestion
from survey.definition.questions import Question
from survey.estimation.poststratification import Stratum, weighted_question

from .answers import EPSILONS, SIZES
from .planned_sizes import KINDS, even_answers, spread, survey_of
from .study import Case, Finding, Study

# The share of each group among all people, and among respondents.
OF_PEOPLE, OF_SAMPLE = (0.2, 0.3, 0.5), (0.5, 0.3, 0.2)
# The share of the first answer in each group, or the place of the mean on its range.
SHARES = {"30 %": (0.6, 0.3, 0.18), "5 %": (0.1, 0.05, 0.03)}
MEANS = {"middle of the range": (0.7, 0.5, 0.4)}
REASON = (
    "The interval combines those of the groups, which are valid by themselves and long in groups "
    "of 10 to 50 respondents."
)


def draw(
    question: Question, places: tuple[float, ...], n: int, generator: np.random.Generator
) -> Finding:
    """The weighted share of the first answer among all respondents, or the weighted mean."""
    for_mean = (question.privacy or {}).get("goal") == "mean"
    groups = []
    for place, weight, part in zip(places, OF_PEOPLE, OF_SAMPLE, strict=True):
        shares = even_answers(question, place) if for_mean else spread(question, place)
        truth = headlines.Truth(shares, {}, {})
        counts = headlines.draw(question, truth, round(n * part), generator)
        groups.append(Stratum(str(weight), str(weight), weight, {question.name: counts}))
    found = weighted_question(question, groups)
    truth_of_all = float(np.dot(OF_PEOPLE, places))
    if not for_mean:
        answer = found.answers[0]
        return Finding([answer.value - truth_of_all], [answer.low <= truth_of_all <= answer.high])
    if not found.quantities:
        raise UnanswerableQuestion("A group has no mean.")
    mean = found.quantities[0]
    low, high = found.ends
    truth_of_all = low + truth_of_all * (high - low)
    return Finding([mean.value - truth_of_all], [mean.low <= truth_of_all <= mean.high])


def cases() -> list[Case]:
    found = []
    for kind, epsilon, n in product(KINDS, EPSILONS, SIZES):
        question = survey_of(kind, epsilon).questions[0]
        for title, places in (MEANS if kind.startswith("mean") else SHARES).items():
            name = f"{kind}, ε = {epsilon}, {title}"
            surveys = 200 if kind.startswith("mean") else 1_000
            found.append(Case(name, n, partial(draw, question, places, n), surveys, REASON))
    return found


STUDY = Study(
    "Results weighted by known totals",
    """Half of the respondents are from a group with a fifth of the people, in which the first
    answer is commonest. Another fifth is from a group with half of the people. The results page
    weights by the known sizes of the three groups.""",
    cases,
)
