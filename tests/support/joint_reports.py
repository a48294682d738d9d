"""Reports on joint questions from people whose true answers are known."""

from collections.abc import Iterable, Mapping
from dataclasses import replace
from itertools import combinations
from typing import Any

import numpy as np
import numpy.typing as npt

from survey.analysis.columns.joint_items import joint_item_column
from survey.analysis.columns.variables import AnalysisColumn
from survey.core.factored_randomizers import FactoredRandomizer, SubsetSelection
from survey.core.randomizer import Randomizer
from survey.core.scores import Array
from survey.definition.frozen import FrozenSurvey
from survey.definition.questions import Question
from survey.definition.responses.parse_response import Response
from survey.definition.survey import Survey, parse_survey
from survey.definition.types.joint import JointAnswer
from survey.planning.simulation import bit_reports
from survey.store import Store
from tests.support.definitions import definition, opened
from tests.support.derived_survey import unsent
from tests.support.every_type import letters
from tests.support.joint_survey import joint_question

Codes = npt.NDArray[np.int64]
# The shares of the twelve combinations.
TRUTH = {
    "yes+yes+never": 0.05,
    "yes+yes+some": 0.05,
    "yes+yes+often": 0.1,
    "yes+no+never": 0.15,
    "yes+no+some": 0.1,
    "yes+no+often": 0.05,
    "no+not_asked+never": 0.3,
    "no+not_asked+some": 0.1,
    "no+not_asked+often": 0.05,
    "prefer_not_to_say+not_asked+never": 0.03,
    "prefer_not_to_say+not_asked+some": 0.01,
    "prefer_not_to_say+not_asked+often": 0.01,
}
# Two questions, and the shares of their six combinations.
OF_TWO = {
    "yes+never": 0.2,
    "yes+some": 0.1,
    "yes+often": 0.15,
    "no+never": 0.4,
    "no+some": 0.1,
    "no+often": 0.05,
}


def survey_of_items(
    items: Mapping[str, int],
    epsilon: float = 2.0,
    odds: int | None = None,
    conditions: Mapping[str, str] | None = None,
    mechanism: str = "k_randomized_response",
) -> tuple[Survey, Question]:
    """A survey with these private questions, and the joint question `habits` of all of them.

    Parameters
    ----------
    items : the number of answers for each name; two answers are Yes and No. A name that ends with ?
        also has "prefer not to say".
    conditions : for a name, the one that must have the answer Yes
    odds : replaces ε; the answer is that much more likely than any other
    mechanism : the other one is subset_selection, with the set size of least variance
    """
    questions = []
    for item, answers in items.items():
        name = item.rstrip("?")
        rest: dict[str, Any] = {"label": f"What of {name}"}
        if answers > 2:
            rest["choices"] = letters("abcdef"[:answers])
        if name != item:
            rest["prefer_not_to_say"] = True
        if conditions and name in conditions:
            rest["relevant"] = {conditions[name]: "yes"}
        questions.append(unsent(name, "yes_no" if answers == 2 else "select_one", **rest))
    names = [each["name"] for each in questions]
    joint = joint_question(*names, privacy={"mechanism": mechanism, "epsilon": epsilon})
    budget = {"epsilon": max(3, epsilon)}
    survey = parse_survey(definition(*questions, joint, slug="habits", budget=budget))
    question = survey.questions[-1]
    if odds is not None:
        assert question.table is not None
        count = question.table.answers
        rows = tuple(tuple(odds if x == y else 1 for y in range(count)) for x in range(count))
        question = replace(question, randomizer=Randomizer(rows))
    return survey, question


def combinations_of(question: Question) -> Codes:
    """The places of the items' answers in each combination, shape (m, items)."""
    parts = [each.parts for each in question.choices if isinstance(each, JointAnswer)]
    columns = []
    for item in zip(*parts, strict=True):
        names = list(dict.fromkeys(each.name for each in item))
        columns.append([names.index(each.name) for each in item])
    return np.array(columns).T


def transitions(question: Question) -> Array:
    """Pr(report | combination)."""
    assert question.table is not None
    return np.array(question.table.rows, dtype=float) / question.table.total


def every_set(question: Question) -> tuple[list[str], Array]:
    """All reports, and Pr(report | combination), shape (combinations, reports)."""
    drawn = question.randomizer
    assert isinstance(drawn, SubsetSelection)
    k = drawn.answers
    sets = [*combinations(range(k), drawn.size)]
    texts = ["".join(str(int(place in chosen)) for place in range(k)) for chosen in sets]
    weights = np.array(
        [[drawn.near if x in chosen else drawn.far for chosen in sets] for x in range(k)]
    )
    return texts, weights / weights.sum(axis=1, keepdims=True)


def report_on(
    generator: np.random.Generator, question: Question, answers: Codes
) -> npt.NDArray[Any]:
    """A stored report on each true combination: its code, or its bits as a text.

    A code is the inverse of the distribution function of each respondent's row.
    """
    if isinstance(question.randomizer, FactoredRandomizer):
        return np.array(bit_reports(question.randomizer, answers, generator))
    chances = np.cumsum(transitions(question), axis=1)
    return (generator.random((len(answers), 1)) > chances[answers, :-1]).sum(axis=1)


def columns_of(
    survey: Survey, question: Question, reports: npt.NDArray[Any], names: Iterable[str]
) -> list[AnalysisColumn]:
    """The columns of some of its questions."""
    return [joint_item_column(survey, question, name, reports.tolist()) for name in names]


def joint_reports(
    survey: Survey, n: int, seed: int, truth: Mapping[str, float] = TRUTH, name: str = "habits"
) -> npt.NDArray[Any]:
    """The stored reports of n respondents to a joint question."""
    joint = next(each for each in survey.fields if each.name == name)
    assert [choice.name for choice in joint.choices] == list(truth)
    generator = np.random.default_rng(seed)
    answers = generator.choice(len(truth), n, p=np.array([*truth.values()]))
    return report_on(generator, joint, answers)


def with_responses(
    store: Store,
    content: dict,
    n: int,
    truth: Mapping[str, float] = TRUTH,
    *,
    state: str = "closed",
) -> FrozenSurvey:
    """An open or closed survey with a joint question and responses to all of its questions.

    Other questions have reports that are drawn at random.
    """
    survey = parse_survey(content)
    generator = np.random.default_rng(1)
    columns = [
        joint_reports(survey, n, 1, truth).tolist()
        if question.kind.joint
        else generator.integers(0, len(question.reports), n).tolist()
        for question in survey.fields
    ]
    frozen = opened(store, content, "closed")
    responses = [
        Response(place.to_bytes(16, "big"), row)
        for place, row in enumerate(zip(*columns, strict=True), start=1)
    ]
    store.responses.add_batches(survey.slug, [responses], "browser")
    if state != "closed":
        store.lifecycle.set_state(survey.slug, state)
    return frozen
