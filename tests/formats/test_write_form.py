"""Definitions as XLSForm: other tools convert them, and nothing is lost."""

import io
import re

import openpyxl
import pytest
from hypothesis import assume, given, reject, settings
from hypothesis import strategies as st
from pyxform.xls2xform import convert

from survey.core.errors import DefinitionError
from survey.core.mechanisms import JOINT, MECHANISMS
from survey.core.nfc import to_nfc
from survey.definition.survey import parse_survey
from survey.formats.definition_files import survey_xlsx
from survey.formats.xlsform.write_form import to_xlsform
from survey.formats.xlsx import write_workbook
from tests.support.check_each import check_each
from tests.support.definitions import definition, yes_no
from tests.support.derived_survey import unsent
from tests.support.every_type import EVERY_TYPE, asked, letters
from tests.support.joint_survey import joint_question
from tests.support.xlsform_readings import DEFINITIONS, from_xlsform, same, xform
from tests.support.xlsforms import ENGLISH

pytestmark = pytest.mark.fast


OWN = {"name": "own", "type": "yes_no", "label": "Own?", "privacy": "none"}


@check_each("name", DEFINITIONS)
def test_a_definition_comes_back_from_its_workbook(name):
    same(parse_survey(DEFINITIONS[name]))


KINDS = {"choices": "select_one", "ordered": "scale", "boxes": "select_multiple"}


@pytest.mark.slow
@pytest.mark.parametrize("mechanism", sorted(MECHANISMS))
def test_every_mechanism_with_its_parameters_comes_back(mechanism):
    entry = MECHANISMS[mechanism]
    for answers, parameters in entry.examples:
        privacy = {"mechanism": mechanism, **parameters}
        for kind in entry.serves:
            if kind == JOINT:
                two = joint_question("smokes", "drinks", privacy=privacy)
                same(parse_survey(definition(unsent("smokes"), unsent("drinks"), two)))
                continue
            if kind == "numbers":
                question = asked("q", "number", privacy, min=0, max=answers - 1)
            else:
                question = asked(
                    "q",
                    KINDS[kind],
                    privacy,
                    choices=letters("abcdefghijklmnopqrstuvwxyz"[:answers]),
                )
            if answers <= 26:
                same(parse_survey(definition(question)))


LETTERS = st.characters(blacklist_categories=("Cs", "Cc")) | st.sampled_from("\r\n\t=_x0'\"<&$ {}")
# An import normalises texts.
TEXTS = st.text(LETTERS, min_size=1, max_size=12).map(to_nfc).map(str.strip).filter(bool)
NAMES = st.from_regex(r"[A-Za-z0-9_][A-Za-z0-9_.-]{0,5}", fullmatch=True).filter(
    lambda name: name not in ("prefer_not_to_say", "not_asked")
)
EPSILONS = st.sampled_from([1, 1.0, 0.1, "1", "3/2", 1.2345678901234567])


@st.composite
def questions(draw, before):
    """A question of any type, possibly depending on earlier ones."""
    kind = draw(
        st.sampled_from(["yes_no", "select_one", "select_multiple", "scale", "number", "section"])
    )
    entry = {"name": f"q{len(before)}", "type": kind, "label": draw(TEXTS)}
    if draw(st.booleans()):
        entry["hint"] = draw(TEXTS)
    if kind == "number":
        step = draw(st.sampled_from([1, 5, 0.5, 0.001]))
        low = draw(st.integers(-50, 50)) * step
        entry |= {"min": round(low, 3), "max": round(low + 40 * step, 3), "step": step}
        if draw(st.booleans()):
            entry["unit"] = draw(TEXTS)
    elif kind == "section":
        entry["label"] = draw(st.just("") | TEXTS)
        entry["random_order"] = draw(st.booleans())
    elif kind != "yes_no":
        names = draw(st.lists(NAMES, min_size=2, max_size=5, unique=True))
        labels = draw(st.lists(TEXTS, min_size=len(names), max_size=len(names), unique=True))
        entry["choices"] = [{"name": n, "label": w} for n, w in zip(names, labels, strict=True)]
    if kind in ("select_one", "select_multiple") and draw(st.booleans()):
        entry["random_order"] = True
        entry["anchors"] = draw(st.lists(st.sampled_from(names), unique=True)) if names[3:] else []
        entry["anchors"] = entry["anchors"][: len(names) - 2]
    plain_only = False
    if kind != "section":
        entry["prefer_not_to_say"] = draw(st.booleans())
        entry["privacy"] = {"epsilon": draw(EPSILONS)} if draw(st.booleans()) else "none"
        plain_only = entry["privacy"] == "none"
        if kind != "select_multiple" and entry["prefer_not_to_say"]:
            entry["optional"] = draw(st.booleans())
    asking = [question for question in before if question["type"] != "section"]
    parents = [q for q in asking if not plain_only or q["privacy"] == "none"]
    for parent in draw(st.lists(st.sampled_from(parents), max_size=2)) if parents else []:
        if parent["type"] == "number":
            condition = draw(st.sampled_from([{"min": -3}, {"max": 2.5}, {"min": 0, "max": 7}]))
        else:
            offered = [c["name"] for c in parent.get("choices", [])] or ["yes", "no"]
            offered += ["prefer_not_to_say"] * parent["prefer_not_to_say"]
            condition = draw(st.lists(st.sampled_from(offered), min_size=1, unique=True))
        entry.setdefault("relevant", {})[parent["name"]] = condition
    if kind != "section" and "relevant" in entry and draw(st.booleans()):
        own = [c["name"] for c in entry.get("choices", [])] or ["yes", "no"]
        of_boxes = st.lists(st.sampled_from(own), unique=True)
        entry["otherwise"] = (
            entry["min"] if kind == "number"
            else draw(of_boxes if kind == "select_multiple" else st.sampled_from(own))
        )  # fmt: skip
    return entry


@st.composite
def surveys(draw):
    asking = []
    for _ in range(draw(st.integers(1, 6))):
        asking.append(draw(questions(asking)))
    assume(any(question["type"] != "section" for question in asking))
    content = definition(*asking, title=draw(TEXTS), introduction=draw(TEXTS), asked_by=draw(TEXTS))
    try:
        survey = parse_survey(content)
    except DefinitionError as error:
        # The conditions of a section and of its question can exclude each other, or ask a
        # non-private question because of a private answer.
        assert re.search("cannot hold together|is private", error.fault)
        reject()
    if draw(st.booleans()):
        content["translations"] = {}
        for language in draw(st.lists(st.sampled_from(["vi", "th", "zh"]), unique=True)):
            texts: dict = {}
            for path in draw(st.lists(st.sampled_from(list(survey.texts)), unique=True)):
                inner = texts
                for key in path[:-1]:
                    inner = inner.setdefault(key, {})
                inner[path[-1]] = draw(TEXTS)
            content["translations"][language] = texts
    return parse_survey(content)


@pytest.mark.slow
@settings(max_examples=60)
@given(surveys())
def test_any_definition_comes_back_from_its_workbook(survey):
    same(survey)


@check_each("name", DEFINITIONS)
def test_other_tools_can_convert_what_is_exported(name):
    survey = parse_survey(DEFINITIONS[name])
    converted = xform(survey_xlsx(survey))
    section = ""
    for question in survey.questions:
        if question.kind.begins_page:
            section = f"{question.name}/"
            assert f'<group appearance="field-list" ref="/data/{question.name}">' in converted
        else:
            assert f'nodeset="/data/{section}{question.name}"' in converted
    assert f'<data id="{survey.slug}"' in converted


def test_other_tools_see_ranges_conditions_and_languages():
    years = asked("years", "number", "none", min=0, max=120)
    far = asked("far", "number", "none", min=0, max=1, step=0.5)
    adult = yes_no("adult", "none") | {"relevant": {"years": {"min": 18, "max": 65.5}}}
    survey = parse_survey(
        definition(years, far, adult, translations={"vi": {"questions": {"far": {"label": "Xa?"}}}})
    )
    converted = xform(survey_xlsx(survey))
    assert 'constraint=". &gt;= 0 and . &lt;= 120"' in converted
    assert '<range ref="/data/far" start="0" end="1" step="0.5">' in converted
    assert 'relevant=" /data/years  &gt;= 18 and  /data/years  &lt;= 65.5"' in converted
    assert '<translation lang="Tiếng Việt (vi)"><text id="yes_no-0"><value>Có</value>' in converted


REFERENCES = [
    "Did you pay more than ${price}?",
    "Bạn đã trả hơn ${giá tiền} chưa? $ {không} và $  {}",
    "คุณจ่ายมากกว่า ${ราคา} บาทหรือไม่",
    "你付了超过${price}元吗？$${",
    "Combien ? ${a}${b}, $ {c}",
]


@check_each("text", REFERENCES)
def test_a_reference_in_a_text_is_text_in_other_tools_too(text):
    question = asked(
        "q", "select_one", "none", label=text, hint=text,
        choices=[{"name": "a", "label": text}, {"name": "b", "label": "B"}],
    )  # fmt: skip
    survey = parse_survey(
        definition(
            question, asked("n", "number", "none", min=0, max=9, unit=f"{text[:30]}"),
            title=text, introduction=text,
            translations={"vi": {"title": text, "questions": {"q": {"label": f"{text} (vi)"}}}},
        )
    )  # fmt: skip
    same(survey)
    converted = xform(survey_xlsx(survey))
    assert "<output" not in converted
    assert "${" not in converted


def test_sheets_look_as_people_know_them():
    sheets = to_xlsform(parse_survey(EVERY_TYPE))
    assert list(sheets) == ["survey", "choices", "settings"]
    assert list(sheets["survey"][0])[:9] == [
        "type", "name", f"label::{ENGLISH}", f"hint::{ENGLISH}", "required", "relevant",
        "constraint", "appearance", "parameters",
    ]  # fmt: skip
    book = openpyxl.load_workbook(io.BytesIO(survey_xlsx(parse_survey(EVERY_TYPE))))
    assert book["survey"].freeze_panes == "A2"
    assert book["survey"]["A1"].font.bold


def test_questions_with_the_same_choices_share_a_list():
    same_choices = {"choices": letters("123"), "privacy": "none"}
    likert = [{"name": n, "type": "scale", "label": n, **same_choices} for n in ("one", "two")]
    sheets = to_xlsform(parse_survey(definition(*likert, OWN)))
    assert [row["type"] for row in sheets["survey"]] == [
        "select_one one", "select_one one", "select_one yes_no"
    ]  # fmt: skip
    assert len(sheets["choices"]) == 5


def test_the_file_says_that_other_tools_do_not_randomise():
    [settings_row] = to_xlsform(parse_survey(definition(yes_no())))["settings"]
    assert "as given" in settings_row["candor::warning"]
    assert from_xlsform(to_xlsform(parse_survey(definition(yes_no())))).left_out == ()
    [settings_row] = to_xlsform(parse_survey(definition(yes_no(privacy="none"))))["settings"]
    assert "candor::warning" not in settings_row


def test_the_random_order_of_questions_is_a_column_of_candor():
    section = {"name": "habits", "type": "section", "label": "Habits"}
    rest = section | {"name": "rest"}
    questions = section | {"random_order": True}, yes_no(), rest, yes_no("r")
    survey = parse_survey(definition(*questions))
    sheets = to_xlsform(survey)
    orders = [row["candor::random_order"] for row in sheets["survey"]]
    assert orders == ["yes", None, None, None, None, None]
    back = from_xlsform(sheets)
    assert (back.survey, back.left_out) == (survey, ())
    sheets["survey"][0]["candor::random_order"] = "no"
    assert not from_xlsform(sheets).survey.questions[0].random_order
    sheets["survey"][0]["candor::random_order"] = "often"
    back = from_xlsform(sheets)
    assert not back.survey.questions[0].random_order
    assert any("row 2, column candor::random_order: must be true or false" in each
               for each in back.left_out)  # fmt: skip


def test_odk_reads_a_ranking(tmp_path):
    question = asked("foods", "ranking", "none", choices=letters("abc"))
    workbook = tmp_path / "form.xlsx"
    workbook.write_bytes(write_workbook(to_xlsform(parse_survey(definition(question)))))
    converted = convert(str(workbook))
    assert "odk:rank" in converted.xform
