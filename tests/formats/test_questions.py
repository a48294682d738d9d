"""Questions of a form: choices, "other", rankings and random order."""

import pytest

from survey.definition.survey import parse_survey
from survey.formats.xlsform.write_form import to_xlsform
from tests.support.check_each import check_each
from tests.support.definitions import definition, yes_no
from tests.support.every_type import asked, letters
from tests.support.xlsform_readings import FAMILIAR, YES_NO, from_xlsform, one, same
from tests.support.xlsforms import ENGLISH, VIETNAMESE, table

pytestmark = pytest.mark.fast


def test_a_question_that_is_not_required_may_be_skipped():
    rows = table(
        ("type", "name", "label", "required"),
        ("select_one yn", "smokes", "Do you smoke?", "no"),
        ("integer", "age", "Age?", "yes"),
    )
    imported = from_xlsform({"survey": rows, "choices": YES_NO, "settings": FAMILIAR})
    smokes, age = imported.survey.questions
    assert smokes.optional
    assert smokes.offers_to_decline
    assert not age.optional
    note = "survey, row 2, column required: Respondents may skip the question. This counts as "
    assert any(each.startswith(note) for each in imported.left_out)


@pytest.mark.parametrize("written", ["or_other", "or other", "or_specify_other"])
def test_other_becomes_a_choice_and_a_text(written):
    language = f"label::{VIETNAMESE}"
    choices = table(("list_name", "name", f"label::{ENGLISH}", language), ("d", "a", "Tea", "Trà"))
    choices = [*choices, *table(tuple(choices[0]), ("d", "b", "Milk", "Sữa"))]
    rows = table(
        ("type", "name", f"label::{ENGLISH}", language, "required"),
        (f"select_multiple d {written}", "drinks", "What do you drink?", "Uống gì?", None),
    )
    survey = from_xlsform({"survey": rows, "choices": choices, "settings": FAMILIAR}).survey
    drinks, text = survey.questions
    assert [choice.label for choice in drinks.choices] == ["Tea", "Milk", "Other"]
    assert (text.name, text.type, text.relevant) == ("drinks_other", "text", {"drinks": ["other"]})
    vietnamese = survey.in_language("vi").questions
    assert [choice.label for choice in vietnamese[0].choices] == ["Trà", "Sữa", "Khác"]
    assert (text.label, vietnamese[1].label) == ("Please specify.", "Xin ghi rõ.")


def test_a_private_question_gets_no_text_after_other():
    rows = table(
        ("type", "name", "label", "required", "privacy"),
        ("select_one yn or_other", "smokes", "Do you smoke?", "yes", "strong"),
    )
    imported = from_xlsform({"survey": rows, "choices": YES_NO, "settings": FAMILIAR})
    [smokes] = imported.survey.questions
    assert [choice.name for choice in smokes.choices] == ["yes", "no", "other"]
    assert any("no text after “Other”" in each for each in imported.left_out)


def test_an_answer_of_those_not_asked_goes_with_its_condition():
    row = {"type": "select_one yn", "name": "q", "relevant": "1 = 1", "candor::otherwise": "no"}
    entry, left_out = one(row)
    assert "otherwise" not in entry
    assert any("column candor::otherwise: needs a condition" in said for said in left_out)


def places(n, label="District"):
    return [{"list_name": "far", "name": f"d{k}", "label": f"{label} {k}"} for k in range(n)]


@check_each(
    ("label", "kind"),
    [("Tỉnh", "select_one"), ("จังหวัด", "select_one"), ("省份", "select_multiple"),
     ("Country", "select_multiple")],
)  # fmt: skip
def test_a_non_private_question_can_have_a_long_list(label, kind):
    entry, left_out = one({"type": f"{kind} far", "name": "q"}, choices=places(1_000, label))
    assert (entry["type"], len(entry["choices"]), entry["privacy"]) == (kind, 1_000, "none")
    assert not any("choices" in each for each in left_out)
    form = {"survey": [{"type": f"{kind} far", "name": "q", "label": "?"}]}
    same(from_xlsform(form | {"choices": places(120, label), "settings": FAMILIAR}).survey)


def test_a_list_of_too_many_choices_drops_the_question_and_says_so():
    before = {"type": "select_one far", "name": "district"}
    entry, left_out = one({"type": "text", "name": "q"}, before, choices=places(1_001))
    assert entry["name"] == "q"
    assert "the list 'far' has 1,001 choices, but Candor needs 1 to 1,000." in left_out[0]
    private = before | {"privacy": "medium"}
    entry, left_out = one({"type": "text", "name": "q"}, private, choices=places(101))
    assert entry["name"] == "q"
    assert (
        "the list 'far' has 101 choices, but a private question can have 2 to 100. Shorten the "
        "list, or set no protection." in left_out[0]
    )
    _, left_out = one({"type": "text", "name": "q"}, {"type": "select_one gone", "name": "gone"})
    assert "the list 'gone' has no choices" in left_out[0]
    alone = {"type": "select_one far", "name": "first", "privacy": "strong"}
    rows = [alone, alone | {"name": "second"}]
    _, left_out = one({"type": "text", "name": "q"}, *rows, choices=places(1))
    assert left_out[0] == (
        "survey, rows 2 and 3, column type: the list 'far' has only 1 choice, but Candor needs "
        "2 to 100. The questions are omitted."
    )


@check_each(
    ("name", "label"),
    [("dong_y", "Tôi đồng ý tham gia"), ("yes", "ข้าพเจ้ายินยอม"), ("ok", "我同意"), ("1", "I agree")],
)
def test_a_list_of_one_choice_is_a_box_for_consent(name, label):
    choices = [{"list_name": "consent", "name": name, "label": label}]
    consent = {"type": "select_one consent", "name": "agree"}
    group = {"type": "begin_group", "name": "g", "relevant": f"${{agree}} = '{name}'"}
    inner = {"type": "integer", "name": "age", "constraint": ". >= 0 and . <= 99"}
    rows = [{"label": "?", "required": "yes"} | each for each in (consent, group, inner)]
    read = from_xlsform(
        {"survey": [*rows, {"type": "end_group"}], "choices": choices, "settings": FAMILIAR}
    )
    box, section, age = read.survey.as_definition()["questions"]
    assert (box["type"], box["choices"]) == ("select_multiple", [{"name": name, "label": label}])
    assert section["relevant"] == age["relevant"] == {"agree": [name]}
    assert any("so the question becomes a box to tick" in each for each in read.left_out)
    same(read.survey)


def test_one_choice_and_prefer_not_to_say_are_a_box_too():
    choices = [
        {"list_name": "c", "name": "yes", "label": "Yes"},
        {"list_name": "c", "name": "prefer_not_to_say", "label": "Prefer not to say"},
    ]
    entry, _ = one({"type": "select_one c", "name": "q"}, choices=choices)
    assert (entry["type"], entry["prefer_not_to_say"]) == ("select_multiple", True)


def test_truth_values_of_excel_are_names_in_capital_letters():
    choices = table(("list_name", "name", "label"), ("tf", True, "Đúng"), ("tf", False, "Sai"))
    rows = [
        {"type": "select_one tf", "name": "a", "label": "A", "required": True},
        {"type": "text", "name": "b", "label": "B", "relevant": "${a} = 'TRUE'"},
        {"type": "text", "name": "c", "label": "C", "relevant": False},
        {"type": "text", "name": "d", "label": "D", "relevant": True},
    ]
    read = from_xlsform({"survey": rows, "choices": choices, "settings": FAMILIAR})
    asked_if = {each.name: each.relevant for each in read.survey.questions}
    assert asked_if == {"a": None, "b": {"a": ["TRUE"]}, "d": None}


def test_a_random_order_is_that_of_xlsform():
    question = asked("tea", "select_one", "none", choices=letters("abc"), random_order=True)
    question["anchors"] = ["c"]
    survey = parse_survey(definition(question))
    sheets = to_xlsform(survey)
    [row] = sheets["survey"]
    assert (row["parameters"], row["candor::anchors"]) == ("randomize=true", "c")
    assert from_xlsform(sheets).survey == survey
    # A seed is not kept, and a scale has its order.
    [row] = sheets["survey"] = [dict(row, parameters="randomize = true seed=12")]
    back = from_xlsform(sheets)
    assert back.survey == survey
    assert back.left_out == (
        "survey, row 2, column parameters: Candor shows the choices in the order of the list, or "
        "in a new random order.",
    )
    row["appearance"], row["candor::anchors"] = "likert", None
    back = from_xlsform(sheets)
    assert not back.survey.questions[0].random_order
    assert "column parameters" in back.left_out[-1]


def test_a_ranking_is_a_rank_of_xlsform():
    question = asked("foods", "ranking", {"epsilon": 1}, choices=letters("abc"))
    question |= {"prefer_not_to_say": True, "optional": True, "random_order": True}
    survey = parse_survey(definition(question, yes_no()))
    sheets = to_xlsform(survey)
    row = sheets["survey"][0]
    assert (row["type"], row["parameters"], row["required"]) == (
        "rank foods",
        "randomize=true",
        "no",
    )
    # In other tools, "prefer not to say" would be an item.
    assert [each["name"] for each in sheets["choices"]][:3] == ["a", "b", "c"]
    assert row["candor::prefer_not_to_say"] == "yes"
    back = from_xlsform(sheets)
    assert (back.survey, back.left_out) == (survey, ())


def test_what_a_ranking_cannot_be_is_noted():
    rows = [
        {"type": "rank many", "name": "foods", "label": "Foods?", "required": "yes"},
        {"type": "rank few or_other", "name": "drinks", "label": "Drinks?", "required": "yes"},
        {"type": "text", "name": "why", "label": "Why?", "relevant": "${drinks} = 'a b'"},
    ]
    choices = [{"list_name": "many", "name": n, "label": n} for n in "abcde"]
    choices += [{"list_name": "few", "name": n, "label": n} for n in "ab"]
    back = from_xlsform({"survey": rows, "choices": choices, "settings": [{"form_title": "T"}]})
    assert [(q.name, q.type, q.relevant) for q in back.survey.questions] == [
        ("drinks", "ranking", None), ("why", "text", None),
    ]  # fmt: skip
    notes = " ".join(back.left_out)
    assert "has 5 choices, but Candor needs 2 to 4. The question is omitted." in notes
    assert "row 4, column relevant" in notes
    assert back.unprotected == ("drinks",)
