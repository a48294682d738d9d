"""Responses to the survey with a joint question, from people whose true answers are known."""

from collections.abc import Mapping

import numpy as np

from survey.definition.frozen import FrozenSurvey
from survey.definition.responses.parse_response import Response
from survey.definition.survey import Survey, parse_survey
from survey.store import Store
from tests.support.definitions import opened, yes_no
from tests.support.derived_survey import unsent
from tests.support.every_type import asked, letters
from tests.support.joint_survey import joint_questions

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
TWO = (
    {"name": "drinks", "type": "yes_no", "label": "Do you drink?", "privacy": "not_sent"},
    unsent("smokes", label="How often do you smoke?"),
    {"name": "habits", "type": "joint", "label": "Drinking and smoking",
     "derived": {"joint": ["drinks", "smokes"]}, "privacy": {"epsilon": 2.2}},
)  # fmt: skip
WITH_OTHERS = (
    *joint_questions(),
    asked("region", "select_one", "none", choices=letters("ns")),
    yes_no("cheated", {"epsilon": 1}, "Did you cheat?"),
)


def joint_reports(
    survey: Survey, n: int, seed: int, truth: Mapping[str, float] = TRUTH, name: str = "habits"
) -> np.ndarray:
    """The codes of the reports of n respondents to a joint question."""
    joint = next(each for each in survey.fields if each.name == name)
    assert joint.table is not None
    assert [choice.name for choice in joint.choices] == list(truth)
    generator = np.random.default_rng(seed)
    chances = np.array(joint.table.rows) / joint.table.total
    answers = generator.choice(len(truth), n, p=np.array([*truth.values()]))
    # The inverse of the distribution function of each respondent's row.
    return (generator.random((n, 1)) > np.cumsum(chances, axis=1)[answers]).sum(axis=1)


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
