"""Columns: the scores of all types and mechanisms are unbiased, by enumerating all reports."""

import pytest

from survey.analysis import columns_by_name, question_column
from survey.core.errors import UnanswerableQuestion
from survey.core.mechanisms import BOXES, CHOICES, MECHANISMS, NUMBERS
from survey.definition.survey import parse_survey
from tests.analysis.columns_of_types import QUESTIONS, SURVEY, check_scores, whole
from tests.support.definitions import definition
from tests.support.every_type import FIELDS

pytestmark = pytest.mark.fast


EXAMPLES = [
    pytest.param(entry, answers, parameters, id=f"{entry.name}-{answers}-{number}")
    for entry in MECHANISMS.values()
    for number, (answers, parameters) in enumerate(entry.examples)
]


def boxes(question):
    many = question.type == "select_multiple"
    return [answer.name for answer in question.answers] if many else [None]


@pytest.mark.parametrize("name", [name for name in FIELDS if name != "remarks"])
def test_scores_of_every_type_are_unbiased(name):
    question = QUESTIONS[name]
    for box in boxes(question):
        column = whole(question, box)
        check_scores(column)
        assert column.tabled
        assert column.private is not question.non_private
        # One bit determines only the mean.
        assert (column.scores is None) == (name == "weight")
        assert column.ordered == (question.type in ("number", "scale"))
        assert (column.value_scores is None) == (not column.ordered)
        assert len(column.answers) == len(set(column.answers))


@pytest.mark.parametrize("entry, answers, parameters", EXAMPLES)
def test_scores_of_every_mechanism_are_unbiased(entry, answers, parameters):
    if entry.name.endswith(("unary_encoding", "subset_selection")):
        # With few answers, all reports can be listed.
        answers = min(answers, 8)
    choices = [{"name": f"c{place}", "label": f"C{place}"} for place in range(answers)]
    privacy = {"mechanism": entry.name, **parameters}
    if NUMBERS in entry.serves:
        top = 4 * (answers - 1)
        rest = {"type": "number", "min": 0, "max": top, "step": 4, "privacy": privacy}
        if entry.name != "optimal_quantiles":
            rest |= {"step": 1, "privacy": privacy | {"points": answers}}
    elif BOXES in entry.serves:
        rest = {"type": "select_multiple", "choices": choices[:6], "privacy": privacy}
    else:
        kind = "select_one" if CHOICES in entry.serves else "scale"
        rest = {"type": kind, "choices": choices, "privacy": privacy}
    question = parse_survey(
        definition(
            {"name": "x", "label": "?", **rest}, budget={"epsilon": 99, "per_respondent": "all"}
        )
    ).fields[0]
    for box in boxes(question):
        check_scores(whole(question, box))


@pytest.mark.parametrize("name", [name for name in FIELDS if name != "remarks"])
def test_no_responses_make_an_empty_column(name):
    for box in boxes(QUESTIONS[name]):
        column = question_column(QUESTIONS[name], [], box)
        assert len(column.reports) == 0
        missing = question_column(QUESTIONS[name], [None, None], box)
        assert missing.reports.tolist() == [-1, -1]


@pytest.mark.parametrize(
    "wanted, sentence",
    [
        ("remarks", "remarks is a text, which has no answers."),
        ("welcome", "There is no question 'welcome' to analyse."),
        ("tried", "tried has boxes. Name one of: tried/v, tried/w"),
        ("tried/q", "tried has no box 'q'. Name one of: tried/v"),
        ("smokes/yes", "smokes has no boxes."),
    ],
)
def test_what_is_no_column_is_refused_in_a_sentence(wanted, sentence):
    with pytest.raises(UnanswerableQuestion) as refusal:
        columns_by_name(SURVEY, [], [wanted])
    assert str(refusal.value).startswith(sentence)
