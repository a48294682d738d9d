"""Rankings: 2 to 4 items, whose orders are the answers."""

import pytest

from survey.core.errors import DefinitionError
from survey.definition.coin_rule import by_hand_faults
from survey.definition.frozen import FrozenSurvey, freeze
from survey.definition.survey import parse_survey
from tests.support.definitions import definition, yes_no

pytestmark = pytest.mark.fast


def foods(*names, **rest):
    items = [{"name": name, "label": name.title()} for name in names or ("rice", "fish", "egg")]
    question = {"name": "foods", "type": "ranking", "label": "Order?", "choices": items}
    return question | {"privacy": {"epsilon": 1}} | rest


def test_the_definition_lists_the_items_and_comes_back():
    survey = parse_survey(definition(foods(random_order=True, anchors=["egg"])))
    [entry] = survey.as_definition()["questions"]
    assert [choice["name"] for choice in entry["choices"]] == ["rice", "fish", "egg"]
    assert parse_survey(survey.as_definition()) == survey
    frozen = freeze(survey)
    assert FrozenSurvey.from_json(frozen.to_json()) == frozen
    assert frozen.document()["tables"]["foods"]["answers"][0] == "rice>fish>egg"


@pytest.mark.parametrize(
    ("question", "place", "fault"),
    [
        (foods("a"), "questions[0].choices", "2 to 4 items"),
        (foods(*"abcde"), "questions[0].choices", "2 to 4 items"),
        (foods() | {"choices": "abc"}, "questions[0].choices", "must be a list"),
        (foods("a", "a"), "questions[0].choices[1].name", "used twice"),
        (foods("a", "prefer_not_to_say", prefer_not_to_say=True), "questions[0].choices", "itself"),
        (foods(anchors=["egg"]), "questions[0].anchors", "needs `random_order`"),
        (foods(relevant={"foods": "rice>fish>egg"}), "questions[0].relevant.foods", "earlier"),
        (foods(privacy={"mechanism": "warner", "p": "2/3"}), "questions[0].privacy", "two"),
    ],
)
def test_faults_are_named(question, place, fault):
    with pytest.raises(DefinitionError, match=fault) as refused:
        parse_survey(definition(question))
    assert refused.value.place == place


def test_no_question_has_a_condition_on_a_ranking():
    with pytest.raises(DefinitionError, match="is a ranking, and conditions cannot use") as refused:
        parse_survey(definition(foods(), yes_no() | {"relevant": {"foods": "rice>fish>egg"}}))
    assert refused.value.place == "questions[1].relevant.foods"


def test_another_answer_may_stand_for_not_asked():
    asked = foods(relevant={"smokes": "yes"}, otherwise="fish>rice>egg")
    assert parse_survey(definition(yes_no(), asked)).questions[1].otherwise == "fish>rice>egg"
    with pytest.raises(DefinitionError, match="must be one of"):
        parse_survey(definition(yes_no(), asked | {"otherwise": "fish"}))


def test_translations_are_those_of_the_items():
    words = {"rice": "Cơm", "fish": "Cá", "egg": "Trứng"}
    texts = {"vi": {"title": "T", "questions": {"foods": {"label": "Gì?", "choices": words}}}}
    survey = parse_survey(definition(foods(), translations=texts))
    assert not survey.untranslated
    translated = survey.in_language("vi").questions[0]
    assert translated.choices[1].label == "Cơm > Trứng > Cá"
    assert translated.choices[1].name == survey.questions[0].choices[1].name


@pytest.mark.parametrize(("items", "fits"), [("ab", True), ("abc", True), ("abcd", False)])
def test_paper_and_coins_allow_three_items(items, fits):
    coins = foods(*items, privacy={"mechanism": "coin_flip"})
    questions = parse_survey(definition(coins)).questions
    assert (not list(by_hand_faults(questions, None, None, False))) is fits
