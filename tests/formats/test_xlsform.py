"""XLSForm in and out: the files lose nothing that Candor supports, and name the rest."""

import io
import json
import re
import unicodedata
from fractions import Fraction

import openpyxl
import pytest
from hypothesis import assume, given, reject, settings
from hypothesis import strategies as st
from pyxform.xls2xform import convert

from survey.core.errors import DataFileError, DefinitionError, SurveyError, ZeroEntry
from survey.core.mechanisms import JOINT, MECHANISMS
from survey.core.nfc import to_nfc
from survey.definition.certainty import epsilon_text
from survey.definition.frozen import fingerprint_of, freeze
from survey.definition.survey import Survey, parse_survey
from survey.formats.definition_files import (
    MAX_DEFINITION_BYTES,
    read_survey,
    slug_with_suffix,
    survey_json,
    survey_xlsx,
)
from survey.formats.xlsform import read_form
from survey.formats.xlsform.write_form import to_xlsform
from survey.formats.xlsx import read_workbook, write_workbook
from survey.formats.xlsx_reader import MAX_COLUMNS, MAX_ROWS, MAX_UNPACKED_BYTES
from tests.support.check_each import check_each
from tests.support.decomposed import same_if_decomposed
from tests.support.definitions import definition, yes_no
from tests.support.derived_survey import unsent
from tests.support.every_type import EVERY_TYPE, SAMPLED, asked, letters
from tests.support.joint_survey import joint_question
from tests.support.project import ROOT
from tests.support.xlsforms import (
    ENGLISH,
    EXIT,
    FRENCH,
    HEALTH,
    HOUSEHOLD,
    SMALL,
    VIETNAMESE,
    repacked,
    table,
    workbook,
)

pytestmark = pytest.mark.fast

# Each import of this module also runs on the decomposed form.
from_xlsform = same_if_decomposed(read_form.from_xlsform)
DOCS = (ROOT / "docs" / "reference" / "xlsform.md").read_text()
YES_NO = table(("list_name", "name", "label"), ("yn", "yes", "Yes"), ("yn", "no", "No"))
OWN = {"name": "own", "type": "yes_no", "label": "Own?", "privacy": "none"}
FAMILIAR = table(("form_title", "form_id", "default_language"), ("F", "f", ENGLISH))
EVERY_MEMBER = definition(
    yes_no(privacy={"mechanism": "randomized_response", "gamma": "0.30"})
    | {"choices": [{"name": "yes", "label": "Oh yes"}, {"name": "no", "label": "No"}]},
    asked("yes_no", "select_one", {"epsilon": 1.0}, choices=letters("ab")),
    asked("both", "select_one", {"epsilon": 1}, relevant={"smokes": "yes", "yes_no": ["a", "b"]},
          choices=[{"name": "yes", "label": "Yes"}, {"name": "no", "label": "No"}], otherwise="no"),
    asked("declined", "scale", "none", choices=[*letters("12"),
          {"name": "prefer_not_to_say", "label": "I will not tell"}]),
    asked("boxes", "select_multiple", {"epsilon": 1e-1}, choices=letters("12"),
          prefer_not_to_say=True, relevant={"both": ["no"]}, otherwise=["1"]),
    asked("none", "select_multiple", {"epsilon": 2}, choices=letters("xy"),
          relevant={"boxes": ["1", "prefer_not_to_say"]}, otherwise=[]),
    asked("deep", "number", {"mechanism": "window", "odds": "8:3"}, min=-4.5, max=0.5, step=0.25,
          unit="=1+1", prefer_not_to_say=True),
    asked("cold", "number", {"epsilon": 1, "goal": "mean"}, min=-40, max=40,
          relevant={"deep": {"min": -1.5, "max": 0}}, otherwise=-7),
    asked("warm", "number", {"epsilon": 2, "goal": "quantiles"}, min=0, max=30),
    asked("told", "note", relevant={"cold": {"max": -2}}, label="#N/A",
          hint="A\r\n _x000D_ \ufffe!"),
    asked("forced", "select_one", {"mechanism": "forced_response", "p_truth": "2/3",
          "p_forced": [0.1, "1/10", "2/15"]}, choices=letters("abc")),
    asked("last", "text", "none", label='"quoted"\tand {"a": 1}'),
    title="=SUM(A1)",
    introduction="**Why**\r\n\r\n[1](https://example.org)",
    language="vi",
    budget={"epsilon": 11.25, "per_respondent": {"sample": 3}},
    asked_by="true",
    contact="1234",
    support="[a]",
    minutes=7,
    layout="one_at_a_time",
    exit="https://www.example.org/",
    series="waves",
    receipts=True,
    comprehension=True,
    batch=7,
    translations={
        "en": {"title": "Health", "questions": {
            "smokes": {"label": "Smoke?", "choices": {"yes": "Indeed", "no": "No"}},
            "deep": {"unit": "7"}, "told": {"hint": "A\rB"},
            "declined": {"choices": {"1": "One"}}}},
        "th": {},
    },
)  # fmt: skip
SECTIONS = definition(
    asked("age", "number", "none", min=0, max=120),
    asked("work", "section", label="Work", hint="Paid or not.", relevant={"age": {"min": 18}}),
    asked("paid", "yes_no", {"epsilon": 1}, prefer_not_to_say=True, optional=True),
    asked("hours", "number", "none", min=0, max=99, relevant={"age": {"max": 65}}, otherwise=0),
    asked("rest", "section", label=""),
    asked("other", "text", "none"),
    asked("rows", "section", label="", battery=True),
    yes_no("one", "none"),
    yes_no("two", "none"),
    translations={"vi": {"questions": {"work": {"label": "Việc làm"}}}},
)
DEFINITIONS = {
    "every type": EVERY_TYPE,
    "three picked": SAMPLED,
    "every member": EVERY_MEMBER,
    "one question": definition(),
    "invited": definition(invitations=True),
    "by hand": definition(by_hand=True),
    "sections": SECTIONS,
    **{path.stem: json.loads(path.read_text()) for path in (ROOT / "demo").glob("*.json")},
    "the docs' example": json.loads(
        re.search(r"```json\n(.*?)```", (ROOT / "docs/reference/definition.md").read_text(), re.S)[
            1
        ]
    ),
}


def same(survey: Survey) -> None:
    """The survey returns from its workbook exactly, and no note says that something is missing."""
    back = read_survey(survey_xlsx(survey))
    assert back.left_out == ()
    assert back.survey == survey
    assert fingerprint_of(back.survey) == fingerprint_of(survey)
    assert back.survey.as_definition() == survey.as_definition()


@check_each("name", DEFINITIONS)
def test_a_definition_comes_back_from_its_workbook(name):
    same(parse_survey(DEFINITIONS[name]))


@check_each("name", DEFINITIONS)
def test_a_definition_comes_back_from_its_json(name):
    survey = parse_survey(DEFINITIONS[name])
    assert read_survey(survey_json(survey).encode()).survey == survey
    assert read_survey(b"\xef\xbb\xbf" + survey_json(survey).encode()).survey == survey


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


def test_sections_become_groups_and_come_back():
    survey = parse_survey(SECTIONS)
    rows = to_xlsform(survey)["survey"]
    groups = [
        (row["type"], row["name"], row["relevant"]) for row in rows if "_group" in row["type"]
    ]
    assert groups == [
        ("begin_group", "work", "${age} >= 18"), ("end_group", None, None),
        ("begin_group", "rest", None), ("end_group", None, None),
        ("begin_group", "rows", None), ("end_group", None, None),
    ]  # fmt: skip
    by_name = {row["name"]: row for row in rows}
    # The group already has the other half of the condition.
    assert by_name["hours"]["relevant"] == "${age} >= 18 and ${age} <= 65"
    assert by_name["paid"]["relevant"] is None
    assert (by_name["paid"]["required"], by_name["hours"]["required"]) == ("no", "yes")
    same(survey)


@check_each(
    ("label", "rows"),
    [
        ("Bạn làm điều này thường xuyên không?", ["Hút thuốc", "Uống rượu"]),
        ("บ่อยแค่ไหน", ["สูบบุหรี่", "ดื่มสุรา", "เล่นพนัน"]),
        ("多久一次？", ["吸烟", "喝酒"]),
        ("How often?", ["Smoke", "Drink"]),
    ],
)
def test_a_rating_matrix_becomes_a_section_with_a_battery(label, rows):
    matrix = [
        {"type": "begin_score", "name": "m", "label": label, "kobo--score-choices": "yn",
         "relevant": "${own} = 'yes'", "required": "yes"},
        *({"type": "score__row", "name": f"m_{n}", "label": row} for n, row in enumerate(rows)),
        {"type": "end_score"},
    ]  # fmt: skip
    first = {"type": "select_one yn", "name": "own", "label": "Own?", "required": "yes"}
    last = first | {"name": "z", "label": "Z"}
    read = from_xlsform({"survey": [first, *matrix, last], "choices": YES_NO, "settings": FAMILIAR})
    _, section, *battery, end, after = read.survey.questions
    assert (section.label, section.battery, section.relevant) == (label, True, {"own": ["yes"]})
    assert [each.label for each in battery] == rows
    assert {each.kind.name for each in battery} == {"yes_no"}
    assert {str(each.relevant) for each in battery} == {"{'own': ['yes']}"}
    assert (end.kind.name, after.name, after.relevant) == ("section", "z", None)
    assert not any("matrix" in each or "score" in each for each in read.left_out)
    same(read.survey)


def test_a_rating_matrix_in_a_group_keeps_its_questions_below_a_note():
    rows = table(
        ("type", "name", "label", "kobo--score-choices"),
        ("begin_group", "g", "G"), ("begin_score", "m", "How often?", "yn"),
        ("score__row", "a", "A"), ("end_score",), ("select_one yn", "b", "B"), ("end_group",),
    )  # fmt: skip
    read = from_xlsform({"survey": rows, "choices": YES_NO, "settings": FAMILIAR})
    assert [(each.name, each.kind.name) for each in read.survey.questions] == [
        ("g", "section"), ("m", "note"), ("a", "yes_no"), ("b", "yes_no"),
    ]  # fmt: skip


def test_a_section_loses_a_condition_that_a_question_of_it_cannot_have():
    rows = table(
        ("type", "name", "label", "required", "relevant", "privacy"),
        ("select_one yn", "smokes", "Do you smoke?", "yes", None, "medium"),
        ("begin_group", "more", "More", None, "${smokes} = 'yes'"),
        ("select_one yn", "often", "Often?", "yes", None, "medium"),
        ("text", "why", "Why?"),
        ("end_group",),
    )
    imported = from_xlsform({"survey": rows, "choices": YES_NO, "settings": FAMILIAR})
    conditions = {question.name: question.relevant for question in imported.survey.questions}
    assert conditions == {
        "smokes": None, "more": None, "often": {"smokes": ["yes"]}, "why": None,
    }  # fmt: skip
    assert "row 3, column relevant" not in " ".join(imported.left_out)
    assert any("row 5" in each and "'smokes'" in each for each in imported.left_out)


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


# --- in other tools


def xform(content: bytes) -> str:
    """The form that pyxform, which ODK and KoboToolbox use, makes of a workbook."""
    return convert(io.BytesIO(content), validate=False, file_type=".xlsx").xform


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


# --- three forms in the style of public ones


def read(form):
    content = workbook(form)
    assert xform(content)  # The fixture is a valid form.
    return read_survey(content)


@pytest.mark.parametrize("form", [HOUSEHOLD, HEALTH, EXIT])
def test_what_was_read_of_a_form_comes_back_after_another_round(form):
    same(read(form).survey)


def test_a_household_form_keeps_what_candor_knows():
    kept = read(HOUSEHOLD).survey.as_definition()
    assert kept == {
        "slug": "hh-survey-2026",
        "title": "Household survey 2026",
        "language": "en",
        "introduction": "",
        "questions": [
            asked("welcome", "note", label="Good morning. We ask about this household."),
            asked("enumerator_name", "text", "none", label="Name of the enumerator"),
            {"name": "household", "type": "section", "label": "The household"},
            asked("hh_size", "number", "none", label="How many people live here?",
                  hint="Count children too.", min=1, max=30, step=1),
            asked("water", "select_one", "none", label="Where does drinking water come from?",
                  choices=[{"name": "piped", "label": "Piped"}, {"name": "well", "label": "Well"},
                           {"name": "other", "label": "Other"}]),
            asked("water_other", "text", "none", label="Where else?",
                  relevant={"water": ["other"]}),
            asked("minutes", "number", "none", label="Minutes to fetch it?", min=0, max=1_000_000,
                  step=1, relevant={"water": ["well", "other"], "hh_size": {"min": 2}}),
            {"name": "section", "type": "section", "label": ""},
            asked("assets", "select_multiple", "none",
                  label="Which of these does the household own?",
                  choices=[{"name": "1", "label": "Radio"}, {"name": "2", "label": "Bicycle"},
                           {"name": "land", "label": "Land"}]),
            asked("land", "number", "none", label="How many hectares of land?", min=0, max=50,
                  step=0.1, relevant={"assets": ["1", "land"]}),
            asked("visited", "date", "none", label="Date of the visit", earliest="1900-01-01",
                  latest="2100-12-31"),
            asked("again", "yes_no", "none", label="May we come again?",
                  choices=[{"name": "yes", "label": "Yes"}, {"name": "no", "label": "No"}]),
        ],
    }  # fmt: skip


def test_a_household_form_names_what_is_left_out():
    assert read(HOUSEHOLD).left_out == (
        "survey, rows 2, 3 and 22, column type: Candor stores nothing about who answered, where "
        "or when. The rows are omitted.",
        "survey, row 5, column name: 'Enumerator.Name' is now 'enumerator_name'.",
        "survey, rows 5 and 20, column required: respondents may leave a text empty, and boxes "
        "unticked.",
        "survey, row 6, column type: a location can identify a person. The question is omitted.",
        "survey, rows 8, 9, 11, 17, 18 and 21: the form sets no protection, so answers are "
        "stored as given. Choose a protection in the draft if needed.",
        "survey, row 8, column constraint_message: Candor uses its own messages.",
        "survey, row 9, column appearance: Candor has one appearance for each question type.",
        "survey, row 11, column constraint: Candor finds no largest value here, so it set "
        "1000000. Set the true range in the draft.",
        "survey, row 12, column type: Candor has no repeats. The repeat up to row 15 and all "
        "questions in it are omitted.",
        "survey, row 18, column type: Candor set the step to 0.1. Change it in the draft if "
        "needed.",
        "survey, row 19, column calculation: calculates with decimals. Candor does not understand "
        "this calculation. The question is omitted.",
        "survey, row 20, column constraint: is not a comparison such as . >= date('2026-01-31'). "
        "The constraint is omitted.",
        "survey, row 20, column constraint: the form does not limit the date on both sides, so "
        "Candor set 1900-01-01 to 2100-12-31. Set the true range in the draft.",
        "survey, row 21, column default: Candor fills in no answers.",
        "settings, column default_language: is missing, so the main language is English.",
        "settings, row 2, column form_id: 'HH_Survey_2026' cannot be a survey "
        "address, so the address is 'hh-survey-2026'.",
        "settings, row 2, column version: Candor identifies a survey by its fingerprint instead.",
    )


def test_a_health_form_keeps_protection_languages_and_conditions():
    survey = read(HEALTH).survey
    entries = {entry["name"]: entry for entry in survey.as_definition()["questions"]}
    assert {name: entry["type"] for name, entry in entries.items()} == {
        "consent": "select_one", "knowledge": "section", "ways": "select_multiple",
        "risk": "number", "section": "section", "tested": "select_one", "injects": "yes_no",
        "practice": "select_multiple",
        "partners": "number", "comment": "text",
    }  # fmt: skip
    privacy = {name: each["privacy"] for name, each in entries.items() if "privacy" in each}
    assert privacy == {
        "consent": "none", "ways": "none", "risk": "none", "tested": {"epsilon": 1.5},
        "injects": {"mechanism": "randomized_response", "gamma": 0.3}, "practice": {"epsilon": 2},
        "partners": {"epsilon": 1, "goal": "mean"}, "comment": "none",
    }  # fmt: skip
    assert {name: e["relevant"] for name, e in entries.items() if "relevant" in e} == {
        "knowledge": {"consent": ["agree"]},
        "ways": {"consent": ["agree"]},
        "risk": {"consent": ["agree"]},
        "practice": {"injects": ["yes"], "tested": ["yes", "no", "prefer_not_to_say"]},
    }
    declining = [name for name, entry in entries.items() if entry.get("prefer_not_to_say")]
    assert declining == ["tested", "partners"]
    assert [choice.name for choice in survey.questions[5].choices] == ["yes", "no", "dk"]
    assert (entries["risk"]["min"], entries["risk"]["max"]) == (0, 10)
    assert (entries["partners"]["min"], entries["partners"]["max"]) == (0, 50)
    assert survey.languages == ("en", "vi")
    assert survey.untranslated == {"vi": [("asked_by",)]}
    vietnamese = survey.in_language("vi")
    assert vietnamese.title == "Kiến thức, thái độ, hành vi"
    assert vietnamese.questions[1].label == "Kiến thức"
    assert vietnamese.questions[2].hint == "Chọn tất cả."
    assert [choice.label for choice in vietnamese.questions[6].choices] == ["Có", "Không"]
    members = survey.as_definition()
    assert members["introduction"] == "We ask about **health**."
    assert members["budget"] == {"epsilon": 9.0, "per_respondent": "all"}
    assert (members["asked_by"], members["minutes"]) == ("A clinic", 10)
    assert (members["layout"], members["receipts"]) == ("one_at_a_time", True)


def test_a_health_form_names_what_is_left_out():
    no_french = "is omitted. Candor’s pages for respondents are in English, ไทย, Tiếng Việt, 中文."
    assert read(HEALTH).left_out == (
        f"survey, column label::{FRENCH}: {no_french}",
        "survey, row 8, column media::image: Candor’s pages show only text.",
        "survey, row 9, column choice_filter: Candor offers all choices, because the randomisation "
        "of a private answer needs them. Set no protection to use the filter.",
        "survey, row 11, column relevant: depends on 'injects', whose answer is private. Asking "
        "this non-private question would reveal that answer, so the question is asked of "
        "everyone. Protect this question too, and then set the condition again.",
        f"choices, column label::{FRENCH}: {no_french}",
        "choices, row 4, column region: is not supported.",
        "choices, row 10, column label: Candor uses its own words for this answer: “Prefer not "
        "to say”.",
        "settings, row 2, column allow_choice_duplicates: Candor gives choices with equal names "
        "different names.",
    )


def test_an_exit_interview_with_garbling_gets_a_sound_design():
    imported = read(EXIT)
    survey = imported.survey
    by_name = {question.name: question for question in survey.questions}
    assert by_name["harassed"].privacy == {"mechanism": "randomized_response", "gamma": "0.3"}
    assert by_name["paid"].privacy == {"mechanism": "randomized_response", "gamma": "0.4"}
    assert by_name["harassed"].randomizer.ratio_bound == 4
    assert by_name["paid"].randomizer.ratio_bound == 9
    assert by_name["clean"].type == by_name["wait"].type == "scale"
    assert by_name["return"].type == "yes_no"
    assert [choice.label for choice in by_name["return"].choices] == ["Certainly", "No"]
    assert [choice.name for choice in by_name["reason"].choices] == [
        "check_up",
        "ill",
        "minus_99",
        "other",
    ]
    assert by_name["reason_other"].label == "Please specify."
    assert by_name["reason_other"].relevant is None
    assert by_name["return"].relevant == {
        "clean": ["1", "2"],
        "reason": ["ill", "minus_99", "other"],
    }
    design = "Garbling always records the sensitive answer unchanged, so a record of the other "
    design += "answer is always true. Candor instead replaces an answer, with the same "
    design += "probability, by one drawn uniformly from all answers, which protects each of them. "
    design += "Data that were collected with garbling cannot be loaded into this question."
    assert imported.left_out == (
        "survey, rows 3, 4, 5, 7 and 13: the form sets no protection, so answers are stored "
        "as given. Choose a protection in the draft if needed.",
        "survey, rows 4 and 5, column appearance: Candor has one appearance for each question "
        "type.",
        "survey, row 5, column type: the text question 'reason_other' follows “Other”. Delete it "
        "if you protect this question.",
        "survey, row 5, column relevant: the text or date 'reason_other' is asked of everyone, "
        "because the survey has private questions. Otherwise, the texts that someone leaves empty "
        "would show which response this person sent. Say in the question whom it is for.",
        "survey, row 6, column type: Candor has no groups within groups. The questions of this "
        "group stay in their order.",
        "survey, row 10, column garbling::rate: the rate 0.4 is now a privacy loss of ε = 1.39. "
        f"{design}",
        "survey, rows 10 and 11, column garbling::answer: all answers are protected equally, so "
        "none needs to be named.",
        "survey, row 10, column garbling::covariate: is omitted. With it, garbling changes a "
        "fixed share of the answers in each group, which needs a server that sees them. The "
        "browser randomises each answer separately.",
        "survey, row 11, column garbling::rate: the rate 0.2 is now a privacy loss of ε = 2.20. "
        f"{design}",
        "survey, row 12, column relevance: depends on 'harassed', whose answer is private. "
        "Asking this non-private question would reveal that answer, so the question is asked of "
        "everyone. Protect this question too, and then set the condition again.",
        "survey, row 14, column type: 'acknowledge' is not a question type of Candor. The "
        "question is omitted.",
        "choices, row 6, column name: 'check up' is now 'check_up'.",
        "choices, row 8, column name: '-99' is now 'minus_99'.",
        "choices, row 8, column label: an earlier choice has the same label, so this one is now "
        "'Illness (minus_99)'.",
        "settings, column default_language: is missing, so the main language is English.",
        "sheet Read me: Candor does not read this sheet.",
    )


# --- garbling


def test_the_same_share_is_replaced_as_under_garbling_and_every_report_is_possible():
    """Half is replaced by a fair coin, which is the coin flip's own table."""
    columns = ("type", "name", "label", "required", "garbling::answer", "garbling::rate")
    rows = table(columns, ("select_one yn", "q", "Q?", "yes", "yes", 0.5))
    question = from_xlsform({"survey": rows, "choices": YES_NO}).survey.questions[0]
    assert question.table.rows == ((3, 1), (1, 3))
    three = [*YES_NO, {"list_name": "yn", "name": "dk", "label": "Perhaps"}]
    question = from_xlsform({"survey": rows, "choices": three}).survey.questions[0]
    assert question.privacy == {"mechanism": "k_randomized_response", "odds": "4"}
    # A half stays, and a third of the other half returns to the answer.
    assert question.table.rows[0] == (4, 1, 1)


def test_the_table_of_rates_in_the_docs_is_what_is_made_of_them():
    stated = re.findall(r"^\| (0\.\d+) \| ([\d:]+).*?\| ([\d.]+) \|$", DOCS, re.MULTILINE)
    assert len(stated) == 7
    for rate, odds, epsilon in stated:
        row = {"type": "select_one yn", "name": "q", "label": "?", "garbling::rate": float(rate)}
        question = from_xlsform({"survey": [row], "choices": YES_NO}).survey.questions[0]
        assert question.randomizer.ratio_bound == Fraction(odds.replace(":", "/"))
        assert epsilon_text(question.epsilon) == epsilon


def test_the_table_of_garbling_in_the_docs_can_be_analysed_and_not_opened():
    assert "[[1, 0], [rate, 1 − rate]]" in DOCS
    rows = {"mechanism": "table", "rows": [[10, 0], [4, 6]]}
    survey = parse_survey(definition(yes_no(privacy=rows)))
    assert survey.ratio_bound is None
    with pytest.raises(ZeroEntry):
        freeze(survey)


@pytest.mark.parametrize(
    ("kind", "rate", "words"),
    [
        ("select_one yn", 0, "survey, row 2, column garbling::rate: must be above 0 and below 1."),
        ("select_one yn", 1, "survey, row 2, column garbling::rate: must be above 0 and below 1."),
        ("select_one yn", "often", "survey, row 2, column garbling::rate: rate must be a number"),
        ("select_one yn", None, "survey, row 2, column garbling::rate: rate must be a number"),
        ("text", 0.4, "survey, row 2, column garbling::rate: only choices can be garbled"),
        ("integer", 0.4, "survey, row 2, column garbling::rate: only choices can be garbled"),
    ],
)
def test_a_question_whose_garbling_cannot_be_read_is_left_out_not_stored_as_given(
    kind, rate, words
):
    columns = ("type", "name", "label", "garbling::answer", "garbling::rate")
    rows = table(columns, (kind, "q", "Q?", "yes", rate), ("text", "t", "T?"))
    read = from_xlsform({"survey": rows, "choices": YES_NO})
    assert [each.name for each in read.survey.questions] == ["t"]
    assert any(each.startswith(words) for each in read.left_out)
    assert any(each.endswith("The question is omitted.") for each in read.left_out)


# --- errors name the sheet and the row


TEXT = {"type": "text", "name": "first", "label": "First"}


def with_fault(*rows, choices=YES_NO, columns=FAMILIAR):
    """The import of a form with a question, then these rows, which have faults."""
    whole = [TEXT, *({"name": "q", "label": "?"} | row for row in rows)]
    return from_xlsform({"survey": whole, "choices": choices, "settings": columns})


@check_each(
    ("row", "words"),
    [
        ({"type": "select_one yn", "privacy::epsilon": 50},
         "survey, row 3, column privacy: epsilon must"),
        ({"type": "select_one yn", "privacy::epsilom": 1},
         "survey, row 3, column privacy: the mechanism is missing. Write it into privacy::mech"),
        ({"type": "text", "privacy::epsilon": 1},
         "survey, row 3, column privacy: A text is always non-private"),
        ({"type": "select_one yn", "privacy::epsilon": 1, "privacy::goal": "mean"},
         "survey, row 3, column privacy: Only numbers and scales have a goal. Remove the goal."),
        ({"type": "integer", "privacy::epsilon": 1, "constraint": ". >= 0"},
         "survey, row 3, column constraint: q is private and needs a smallest and a largest value"),
        ({"type": "integer", "name": "tuoi", "label": "Tuổi", "privacy": "strong"},
         "survey, row 3, column constraint: tuoi is private and needs a smallest and a largest"),
        ({"type": "decimal", "label": "รายได้", "privacy": "light", "constraint": ". < 9"},
         "survey, row 3, column constraint: q is private and needs a smallest and a largest value"),
        ({"type": "range", "parameters": "start=a", "privacy::epsilon": 1},
         "survey, row 3, column parameters: start must be a number"),
        ({"type": "range", "parameters": "start=3 end=3"},
         "survey, row 3, column parameters: Candor cannot ask for numbers from"),
        ({"type": "range", "parameters": "start=0 end=3 step=0"},
         "survey, row 3, column parameters: Candor cannot ask for numbers from"),
        ({"type": "integer", "constraint": ". = 5"},
         "survey, row 3, column constraint: Candor cannot ask for numbers from 5 to 5 in steps"),
        ({"type": "note", "label": "x" * 2001},
         "survey, row 3, column label: has 2,001 characters, but Candor takes 2,000."),
        ({"type": "text", "label": "同意书" * 700},
         "survey, row 3, column label: has 2,100 characters, but Candor takes 2,000."),
        ({"type": "note", "label": "คำชี้แจง " * 300},
         "survey, row 3, column label: has 2,699 characters, but Candor takes 2,000."),
        ({"type": "date", "label": "Ngày", "constraint": ". = date('2026-01-31')"},
         "survey, row 3, column constraint: must be after the earliest date."),
        ({"type": "select_one yn", "candor::otherwise": "maybe", "relevant": "${a} = 'yes'"},
         "survey, row 3, column candor::otherwise: must be one of"),
    ],
)  # fmt: skip
def test_a_question_with_a_fault_is_left_out_and_the_note_names_the_place(row, words):
    asked_before = {"type": "select_one yn", "name": "a"}
    read = with_fault(row, asked_before) if "relevant" not in row else with_fault(
        asked_before, row
    )  # fmt: skip
    kept = [each.name for each in read.survey.questions]
    assert kept == ["first", "a"]
    place = words if "relevant" not in row else words.replace("row 3", "row 4")
    [note] = [each for each in read.left_out if each.startswith(place)]
    assert note.endswith(" The question is omitted.")


def test_what_depends_on_a_question_with_a_fault_is_asked_without_it():
    row = {"type": "range", "name": "n", "parameters": "start=x"}
    read = with_fault(row, {"type": "text", "relevant": "${n} > 3"})
    assert [each.relevant for each in read.survey.questions] == [None, None]
    assert any("depends on 'n'" in each for each in read.left_out)


@check_each(
    ("parameters", "members", "said"),
    [
        ("start=10 end=1 step=-1", (1, 10, 1), "in ascending order"),
        ("start=5;end=0;step=-0.5", (0, 5, 0.5), "in ascending order"),
        ("start=1 end=10 step=2", (1, 9, 2), "so Candor set the largest value to 9."),
        ("start=0 end=1 step=0.3", (0, 0.9, 0.3), "steps of 0.3 from 0 do not reach 1,"),
    ],
)
def test_a_range_is_put_in_order(parameters, members, said):
    read = with_fault({"type": "range", "parameters": parameters})
    entry = read.survey.as_definition()["questions"][-1]
    assert tuple(entry[key] for key in ("min", "max", "step")) == members
    assert any(said in each for each in read.left_out)


def test_texts_that_are_too_long_are_left_out_or_cut():
    choices = [YES_NO[0] | {"label": "có " * 200}, YES_NO[1]]
    read = with_fault({"type": "select_one yn", "hint": "y" * 3000}, choices=choices)
    question = read.survey.questions[-1]
    assert question.hint == ""
    assert len(question.choices[0].label) == 500
    assert question.choices[0].label.endswith("…")
    assert any("column hint: has 3,000 characters" in each for each in read.left_out)
    assert any("choices, row 2, column label: has 599 characters" in each
               for each in read.left_out)  # fmt: skip


def test_a_group_with_a_fault_loses_its_heading_and_keeps_its_questions():
    group = {"type": "begin_group", "name": "g", "label": "x" * 2001, "relevant": "${a} = 'yes'"}
    read = with_fault(
        {"type": "select_one yn", "name": "a"}, group, {"type": "text", "name": "t"},
        {"type": "end_group", "name": None},
    )  # fmt: skip
    assert [each.name for each in read.survey.questions] == ["first", "a", "g", "t"]
    assert read.survey.questions[2].label == ""
    assert read.survey.questions[3].relevant == {"a": ["yes"]}
    assert any(each.startswith("survey, row 4, column label: is longer than 2,000 characters. The "
                               "heading") for each in read.left_out)  # fmt: skip


def test_the_texts_after_the_fiftieth_are_left_out():
    rows = [{"type": "text", "name": f"t{n}"} for n in range(52)]
    read = with_fault(*rows, {"type": "integer"})
    assert len(read.survey.questions) == 51
    assert any("Candor takes 50 texts and dates." in each for each in read.left_out)


def test_a_column_that_a_type_does_not_have_is_ignored_and_named():
    read = with_fault({"type": "select_one yn", "candor::colour": "red"})
    assert len(read.survey.questions) == 2
    assert any("row 3, column candor::colour: is no column of Candor" in each
               for each in read.left_out)  # fmt: skip


@check_each(
    ("column", "value", "words"),
    [
        ("candor::minutes", "soon", "settings, column candor::minutes: must be a whole number"),
        ("form_title", "x" * 301, "settings, column form_title: is longer than 300"),
        ("candor::budget", -1, "settings, column candor::budget: must be above 0"),
        ("candor::per_respondent", 3, "settings, column candor::per_respondent: must be a whole"),
    ],
)
def test_a_fault_of_the_settings_names_their_columns(column, value, words):
    with pytest.raises(DefinitionError, match=re.escape(words)):
        with_fault(columns=[FAMILIAR[0] | {column: value}])


@check_each(
    ("rows", "n"),
    [
        ([{"type": "select_one yn", "label": "?"}] * 200, 201),
        ([{"type": "integer", "label": "Bao nhiêu tuổi?"}] * 260, 261),
        ([{"type": "note", "label": "โปรดอ่าน"}, {"type": "range", "label": "几次？"}] * 150, 301),
        (
            [
                {"type": "begin_group", "label": "健康"},
                {"type": "select_one yn", "label": "吸烟？"},
                {"type": "end_group"},
            ]
            * 101,
            203,
        ),
    ],
)
def test_a_form_that_is_too_long_says_how_long_it_is(rows, n):
    fault = f"has {n} questions, notes and groups, but Candor takes"
    with pytest.raises(DataFileError, match=fault):
        with_fault(*(row | {"name": f"q{place}"} for place, row in enumerate(rows)))


def test_a_condition_that_needs_a_further_question_may_have_no_room():
    rows = [{"type": "select_one yn", "name": f"q{n}"} for n in range(200)]
    condition = {"relevant": "${q0} = 'yes' or ${q1} = 'yes'"}
    read = with_fault(*rows[:198], rows[198] | condition)
    assert len(read.survey.questions) == 200
    assert any("needs one more question, but a survey has at most 200" in each
               for each in read.left_out)  # fmt: skip


@check_each(
    ("rows", "words"),
    [
        ([{"type": "begin_repeat"}, {"type": "text", "name": "Tên"}, {"type": "end_repeat"}],
         "survey, row 2, column type: Candor has no repeats."),
        ([{"type": "geopoint", "name": "ที่อยู่"}], "survey, row 2, column type: a location"),
        ([{"type": "note", "name": "n", "label": "只有说明"}], ""),
        ([{"type": "range", "name": "r", "parameters": "start=x"}],
         "survey, row 2, column parameters: start must be a number"),
        ([{"type": "time", "name": f"t{n}", "hint": f"{n}"} for n in range(5)],
         "survey, rows 2, 3, 4, 5 and 6, column type: Candor asks for no times."),
    ],
)  # fmt: skip
def test_a_form_of_which_nothing_is_left_says_why(rows, words):
    with pytest.raises(
        DataFileError, match=r"^Candor can store no answer to this form\."
    ) as caught:
        from_xlsform({"survey": rows})
    assert words in str(caught.value)


def test_a_workbook_without_questions_is_refused():
    with pytest.raises(DataFileError, match="no sheet “survey”"):
        from_xlsform({"choices": YES_NO})
    with pytest.raises(DataFileError, match="Candor stores nothing about who answered"):
        from_xlsform({"survey": table(("type", "name"), ("start", "start"))})


# --- details


def one(row, *before, choices=YES_NO, **sheets):
    """The last question's entry and the notes, from rows with labels."""
    rows = [{"label": "?", "required": "yes"} | each for each in (*before, row)]
    form = {"survey": rows, "choices": choices, "settings": FAMILIAR, **sheets}
    imported = from_xlsform(form)
    left_out = [s for s in imported.left_out if "the form sets no protection" not in s]
    return imported.survey.as_definition()["questions"][-1], left_out


@check_each(
    ("row", "members", "said"),
    [
        ({"constraint": ". >= 0 and . <= 40"}, (0, 40, 1), None),
        ({"constraint": "0 <= . and 40 >= ."}, (0, 40, 1), None),
        ({"constraint": "(. > -1) and . < 41"}, (0, 40, 1), None),
        ({"constraint": ". > 0"}, (1, 1_000_001, 1), "no largest value here, so it set 1000001."),
        ({"privacy::mechanism": "none"}, (0, 1_000_000, 1), "no smallest value here, so it set 0."),
        (
            {"constraint": ". <= -5"},
            (-1_000_005, -5, 1),
            "no smallest value here, so it set -1000005",
        ),
        (
            {"constraint": ". >= 0 and . <= 9000000"},
            (0, 9_000_000, 10),
            "so Candor set the step to 10.",
        ),
        ({"constraint": ". >= 18 and . <= 99 and . != 77"}, (18, 99, 1), "“. != 77” excludes"),
        ({"constraint": ". >= 2 and . < 10 * 12 and . <= ${o}"}, (2, 119, 1), "“. <= ${o}” compa"),
        ({"constraint": "(. >= 3 and . <= 9) and (. != 4 or . = 5)"}, (3, 9, 1), "“. != 4 or . ="),
        ({"constraint": "not(. < 3) and . <= 9 and true()"}, (3, 9, 1), None),
        ({"constraint": ". < 5 or . = 99"}, (0, 1_000_000, 1), "joins ranges of numbers with or."),
        ({"constraint": "regex(., '[0-9]')"}, (0, 1_000_000, 1), "uses 'regex'"),
        ({"constraint": ". <= ${other}"}, (0, 1_000_000, 1), "compares with '${other}'"),
        ({"constraint": ". <= 1.5", "type": "decimal"}, (0, 1.5, 0.1), "set the step to 0.1."),
        ({"constraint": ". < 0.25", "type": "decimal"}, (0, 0.24, 0.01), "set the step to 0.01."),
        ({"type": "range", "parameters": "start=2;end=8, step=2"}, (2, 8, 2), None),
        ({"type": "range"}, (1, 10, 1), None),
        (
            {"type": "range", "parameters": "tick_interval=2"},
            (1, 10, 1),
            "no parameter tick_interval",
        ),
    ],
)
def test_numbers(row, members, said):
    entry, left_out = one({"type": "integer", "name": "n"} | row)
    assert tuple(entry[key] for key in ("min", "max", "step")) == members
    assert (said is None) == (not left_out)
    assert said is None or said in left_out[0], left_out


def test_a_dependent_question_of_a_dropped_one_is_asked_of_everyone_and_said():
    dropped = {"type": "geopoint", "name": "place"}
    entry, left_out = one({"type": "text", "name": "q", "relevant": "${place} != ''"}, dropped)
    assert "relevant" not in entry
    assert left_out[1] == (
        "survey, row 3, column relevant: depends on 'place' in row 2, which no condition in "
        "Candor can use. The questions with this condition are asked without it."
    )


def test_an_answer_of_those_not_asked_goes_with_its_condition():
    row = {"type": "select_one yn", "name": "q", "relevant": "1 = 1", "candor::otherwise": "no"}
    entry, left_out = one(row)
    assert "otherwise" not in entry
    assert any("column candor::otherwise: needs a condition" in said for said in left_out)


def test_nested_repeats_are_left_out_as_one():
    rows = [{"type": kind, "name": f"r{n}"} for n, kind in enumerate(
        ["begin_repeat", "text", "begin repeat", "text", "end repeat", "end_repeat"])]  # fmt: skip
    entry, left_out = one({"type": "text", "name": "after"}, *rows)
    assert entry["name"] == "after"
    assert [said for said in left_out if "repeat" in said] == [
        "survey, row 2, column type: Candor has no repeats. The repeat up to row 7 and all "
        "questions in it are omitted."
    ]


def test_a_repeat_that_never_ends_is_said():
    rows = table(
        ("type", "name", "label"), ("text", "q", "?"), ("begin_repeat", "r"), ("note", "n")
    )
    assert from_xlsform({"survey": rows, "settings": FAMILIAR}).left_out == (
        "survey, row 3, column type: the repeat has no end, so it and all rows below it are "
        "omitted. Add a row end_repeat where it ends.",
    )


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


def test_choices_in_another_file_drop_the_question_and_say_so():
    elsewhere = {"type": "select_one_from_file towns.csv", "name": "town"}
    entry, left_out = one({"type": "text", "name": "q"}, elsewhere)
    assert entry["name"] == "q"
    assert left_out[0].endswith(
        "column type: Candor reads choices only from the sheet choices. Move them there. The "
        "question is omitted."
    )


def test_a_form_without_an_address_gets_one():
    rows = table(("type", "name", "label"), ("text", "q", "?"))
    imported = from_xlsform({"survey": rows})
    assert imported.survey.slug == "imported"
    assert imported.left_out[-1] == (
        "settings, column form_id: the form states no address, so the address is 'imported'."
    )


def vietnamese_form(yes, no, question, *words):
    """A form with a private question and another one that depends on it, with texts as written."""
    rows = table(
        ("type", "name", "label::Tiếng Việt", "relevant"),
        ("select_one yn", question, words[0], ""),
        ("text", words[1], words[1], f"${{{question}}} = '{yes}'"),
    )
    choices = table(
        ("list_name", "name", "label::Tiếng Việt"), ("yn", yes, words[2]), ("yn", no, words[3])
    )
    return {"survey": rows, "choices": choices, "settings": [{"form_id": "f"}]}


@check_each(
    ("written", "names"),
    [
        (("có", "không", "hút_thuốc", "Hút?", "lần", "Có", "Không"),
         ["hut_thuoc", "lan", "co", "khong"]),
        (("ใช่", "ไม่", "สูบบุหรี่", "สูบไหม", "กี่ครั้ง", "ใช่", "ไม่"),
         ["subbuhri", "kikhrang", "aich", "aim"]),
        (("是", "否", "吸烟", "吸烟吗", "次数", "是", "否"), ["xiyan", "cishu", "shi", "fou"]),
        (("да", "нет", "курит", "Курит?", "ещё", "Да", "Нет"), ["kurit", "eshche", "da", "net"]),
        (("예", "아니요", "흡연", "흡연?", "횟수", "예", "아니요"),
         ["heubyeon", "hoessu", "ye", "aniyo"]),
    ],
)  # fmt: skip
def test_names_of_any_script_are_transliterated_and_labels_stay(written, names):
    """The form is also read decomposed, as macOS writes it, and gives the same."""
    imported = from_xlsform(vietnamese_form(*written))
    first, second = imported.survey.questions
    assert [first.name, second.name, *(choice.name for choice in first.choices)] == names
    assert (first.label, second.label) == written[3:5]
    assert [choice.label for choice in first.choices] == [*written[5:]]
    assert second.relevant == {first.name: [names[2]]}


@check_each("tag", ["Tiếng Việt", "Tiếng Việt (vi)", "tiếng việt", "TIẾNG VIỆT", "Việt (vi)"])
def test_a_decomposed_tag_of_a_language_is_that_language(tag):
    """In headings of both sheets and in the settings, as different programs on macOS write it."""
    apart = unicodedata.normalize("NFD", tag)
    assert apart != tag
    rows = table(
        (
            "type",
            "name",
            *(f"{each}::{t}" for each in ("label", "hint") for t in ("English", apart)),
        ),
        ("select_one ab", "q", "Why?", "Tại sao?", "Hint", "Gợi ý"),
    )
    choices = table(
        ("list_name", "name", "label::English", f"label::{apart}"),
        ("ab", "a", "This", "Này"),
        ("ab", "b", "That", "Đó"),
    )
    settings = [{"form_id": "f", "default_language": apart}]
    for tags in (FAMILIAR, settings):
        read = from_xlsform({"survey": rows, "choices": choices, "settings": tags})
        question = read.survey.in_language("vi").questions[0]
        assert (question.label, question.hint) == ("Tại sao?", "Gợi ý")
        assert [each.label for each in question.choices] == ["Này", "Đó"]
        assert not [note for note in read.left_out if "Việt" in unicodedata.normalize("NFC", note)]
    assert read.survey.language == "vi"


def test_names_become_sound_and_different():
    before = [{"type": "text", "name": name} for name in ("Q-1", "q_1", "1st", "id", "")]
    entry, left_out = one({"type": "text", "name": "ไทย"}, *before)
    names = [said.partition(": ")[2] for said in left_out if "column name" in said]
    assert names == [
        "'Q-1' is now 'q_1'.", "'q_1' is now 'q_1_2'.", "'1st' is now 'q1st'.",
        "'id' is now 'id_2'.", "is missing, so 'q6' is used.", "'ไทย' is now 'aithy'.",
    ]  # fmt: skip
    assert entry["name"] == "aithy"


@check_each(
    ("columns", "default", "languages", "labels", "said"),
    [
        (["label"], None, ("en",), "A", ["language is English"]),
        (["label"], "English", ("en",), "A", []),
        (["label", "label::Vietnamese (vi)"], "English (en)", ("en", "vi"), "A", []),
        (["label:English", "label:Vietnamese"], "Vietnamese", ("vi", "en"), "B", []),
        (["label::zh-CN", "label::th"], None, ("zh", "th"), "A", []),
        (["label::French (fr)", "label::English (en)"], "French (fr)", ("en",), "B",
         ["label::French (fr): is omitted"]),
        (["label::French (fr)"], "French (fr)", ("en",), "A",
         ["not translated into 'French (fr)'"]),
        (["label", "label::English (en)"], "French", ("en",), "B", ["column label: is omitted"]),
    ],
)  # fmt: skip
def test_languages(columns, default, languages, labels, said):
    row = {"type": "text", "name": "q"} | dict(zip(columns, "AB", strict=False))
    settings = [{"form_id": "f", "default_language": default}]
    imported = from_xlsform({"survey": [row], "settings": settings})
    assert imported.survey.languages == languages
    assert imported.survey.questions[0].label == labels
    assert len(imported.left_out) == len(said)
    for sentence, part in zip(imported.left_out, said, strict=True):
        assert part in sentence


@check_each(
    ("column", "first", "second"),
    [
        ("label::English (en)", "Age", "Age in years"),
        ("label::Tiếng Việt (vi)", "Tuổi", "Bao nhiêu tuổi?"),
        ("label::ไทย (th)", "อายุ", "อายุเท่าไร"),
        ("label::中文 (zh)", "年龄", "您多大年龄？"),
    ],
)
def test_a_second_text_in_the_same_language_is_named(column, first, second):
    language = column.removeprefix("label::")
    rows = [
        {"type": "text", "name": "a", "label": second, column: first},
        {"type": "text", "name": "b", "label": first, column: first},
    ]
    read = from_xlsform(
        {"survey": rows, "settings": [FAMILIAR[0] | {"default_language": language}]}
    )
    assert [each.label for each in read.survey.questions] == [first, first]
    assert read.left_out == (
        f"survey, row 2, column label: is omitted, because {column} has another text in the same "
        "language. Delete one of them.",
    )


def test_columns_of_languages_that_candor_does_not_have_are_one_note_for_each_sheet():
    row = {"type": "text", "name": "q", "label::English (en)": "A", "label::French (fr)": "B",
           "hint::French (fr)": "C", "label::Kiswahili (sw)": "D"}  # fmt: skip
    read = from_xlsform({"survey": [row], "settings": FAMILIAR})
    assert read.left_out == (
        "survey, column label::French (fr), hint::French (fr), label::Kiswahili (sw): are omitted. "
        "Candor’s pages for respondents are in English, ไทย, Tiếng Việt, 中文.",
    )


@check_each(
    ("main", "other"),
    [
        ("English (en)", "Tiếng Việt (vi)"),
        ("ไทย (th)", "English (en)"),
        ("中文 (zh)", "ไทย (th)"),
        ("Tiếng Việt (vi)", "中文 (zh)"),
    ],
)
def test_a_label_that_only_the_main_language_lacks_names_its_own_column(main, other):
    row = {"type": "select_one yn", "name": "q", f"label::{main}": None, f"label::{other}": "B"}
    choices = [{"list_name": "yn", "name": name, f"label::{main}": None, f"label::{other}": name}
               for name in ("a", "b")]  # fmt: skip
    settings = [FAMILIAR[0] | {"default_language": main}]
    read = from_xlsform({"survey": [row], "choices": choices, "settings": settings})
    empty = [each for each in read.left_out if "is empty" in each]
    assert empty == [
        f"survey, row 2, column label::{main}: is empty, so 'q' is used.",
        f"choices, row 2, column label::{main}: is empty, so 'a' is used.",
        f"choices, row 3, column label::{main}: is empty, so 'b' is used.",
    ]


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


# --- any content of cells

HEADERS = [
    "type", "name", "label", f"label::{ENGLISH}", f"label::{FRENCH}", "label::vi", "hint",
    "required", "relevant", "constraint", "appearance", "parameters", "privacy::mechanism",
    "privacy::epsilon", "privacy::rows", "garbling::rate", "candor::otherwise", "candor::type",
    "candor::unit", "candor::prefer_not_to_say", "candor::translations", "::", "media::", "bind",
    "candor::label", "candor::name", "candor::choices", "candor::min", "calculation",
    "candor::answer", "candor::derived",
]  # fmt: skip
TYPED = [
    "select_one a", "select_multiple a", "select_one b or_other", "integer", "decimal", "range",
    "text", "note", "begin_group", "end_group", "begin_repeat", "end_repeat", "date", "select_one",
    "calculate",
]  # fmt: skip
SAID = st.sampled_from([
    *TYPED, "q", "a", "yes", "no", "1", ". > 0", ". < 1e5", "${q} = 1", "selected(${q}, 'a')",
    "not(${a} = 'yes')", "start=1 end=9 step=0", "start=1e99", "likert", "none", "coin_flip",
    "[1, [2", "{}", "[]", '{"a": NaN}', "9" * 400, "prefer_not_to_say", "English (en)", "en", "=1",
    "${q} + 1", "if(${q} >= 1, 1, 0)", "once(random())", '{"sum": {"q": 1}}', "not_sent",
])  # fmt: skip
CELLS = SAID | st.none() | st.booleans() | st.integers() | st.floats() | st.text(max_size=5)


# Words that only people who read definitions in JSON know.
WORDS_OF_DEFINITIONS = re.compile(
    r"None|min, max and step|choices\[|questions\[|settings, questions|must be a list of 1 to"
)


def rows_of(headers, *required):
    rest = {name: CELLS for name in headers if name not in dict(required)}
    return st.lists(st.fixed_dictionaries(dict(required), optional=rest), max_size=6)


@pytest.mark.slow
@given(
    survey=rows_of(HEADERS, ("type", st.sampled_from(TYPED)), ("name", st.sampled_from("qab"))),
    choices=rows_of(["label", "label::vi", "x", "name"], ("list_name", st.sampled_from("ab"))),
    of_all=rows_of(
        ["form_title", "form_id", "default_language", "style", "candor::budget", "candor::minutes",
         "candor::per_respondent", "candor::title::vi", "candor::questions", "candor::receipts"]
    ),
)  # fmt: skip
def test_any_cells_become_a_survey_or_a_sentence(survey, choices, of_all):
    try:
        imported = from_xlsform({"survey": survey, "choices": choices, "settings": of_all})
    except SurveyError as error:
        assert str(error)
        assert not WORDS_OF_DEFINITIONS.search(str(error))
        return
    assert not WORDS_OF_DEFINITIONS.search(" ".join(imported.left_out))
    assert from_xlsform(to_xlsform(imported.survey)).survey == imported.survey


# --- workbooks from outside


ENTITIES = (
    b'<?xml version="1.0"?><!DOCTYPE w [<!ENTITY a "aaaaaaaaaa"><!ENTITY b "&a;&a;&a;&a;&a;">]>'
    b'<worksheet xmlns="http://schemas.openxmlformats.org/spreadsheetml/2006/main"><sheetData>'
    b'<row r="1"><c r="A1" t="inlineStr"><is><t>&b;</t></is></c></row></sheetData></worksheet>'
)


def test_a_bomb_is_refused_before_it_is_unpacked():
    bomb = repacked(SMALL, sheet1=b"<a>" + b" " * MAX_UNPACKED_BYTES)
    assert len(bomb) < 60_000
    with pytest.raises(DataFileError, match="unpack to more than 8 MB"):
        read_workbook(bomb)


def test_a_bomb_whose_directory_lies_is_not_unpacked_further():
    bomb = repacked(SMALL, sheet1=b"<a>" + b" " * MAX_UNPACKED_BYTES)
    size = (MAX_UNPACKED_BYTES + 3).to_bytes(4, "little")
    assert bomb.count(size) >= 1
    with pytest.raises(DataFileError, match="cannot read this file"):
        read_workbook(bomb.replace(size, (1_000).to_bytes(4, "little")))


@pytest.mark.parametrize(
    "content",
    [
        b"PK\x03\x04 and no more",
        SMALL[:-40],
        repacked(SMALL, sheet1=ENTITIES),
        repacked(SMALL, workbook=ENTITIES),
        repacked(SMALL, sheet1=b"<not XML"),
    ],
)
def test_what_is_no_workbook_is_a_sentence(content):
    with pytest.raises(DataFileError, match=r"Candor cannot read this file"):
        read_survey(content)


def test_old_and_large_files_are_refused():
    with pytest.raises(DataFileError, match=r"Save it as \.xlsx"):
        read_survey(b"\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1")
    with pytest.raises(DataFileError, match="larger than 2 MB"):
        read_survey(b" " * (MAX_DEFINITION_BYTES + 1))


def test_too_many_rows_columns_and_sheets_are_refused():
    rows = table(("type", "name"), *[("note", n) for n in range(MAX_ROWS)])
    with pytest.raises(DataFileError, match="Sheet survey has more than 5,000 rows"):
        read_workbook(workbook({"survey": rows}))
    wide = [{f"c{n}": 1 for n in range(MAX_COLUMNS + 1)}]
    with pytest.raises(DataFileError, match="or 200 columns"):
        read_workbook(workbook({"survey": wide}))
    with pytest.raises(DataFileError, match="more than 20 sheets"):
        read_workbook(workbook({f"s{n}": [] for n in range(21)}))


def test_a_last_row_of_a_million_that_is_only_formatted_is_read_quickly():
    book = openpyxl.load_workbook(io.BytesIO(SMALL))
    book["survey"].cell(1_048_576, 3).font = openpyxl.styles.Font(bold=True)
    content = io.BytesIO()
    book.save(content)
    assert read_workbook(content.getvalue()) == {
        "survey": [{"type": "text", "name": "q", "label": "?"}]
    }


def test_formulas_are_not_computed_and_texts_are_never_formulas():
    computed = workbook({"survey": [{"type": "text", "name": '="q"&1', "label": "?"}]})
    assert read_workbook(computed)["survey"][0]["name"] is None  # No program has calculated it yet.
    survey = parse_survey(definition(yes_no(label='=HYPERLINK("https://example.org")')))
    book = openpyxl.load_workbook(io.BytesIO(survey_xlsx(survey)))
    kinds = {cell.data_type for sheet in book for row in sheet.iter_rows() for cell in row}
    assert "f" not in kinds


def test_what_does_not_fit_into_a_cell_is_refused_in_a_sentence():
    with pytest.raises(DataFileError, match="40,000 characters does not fit into a cell"):
        write_workbook({"survey": [{"label": "x" * 40_000}]})


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


@pytest.mark.parametrize(
    ("slug", "taken", "free"),
    [
        ("health", [], "health"),
        ("health", ["health"], "health-2"),
        ("health", ["health", "health-2", "health-3"], "health-4"),
        ("a" * 63, ["a" * 63], "a" * 61 + "-2"),
        ("a" * 60 + "-bc", ["a" * 60 + "-bc"], "a" * 60 + "-2"),
    ],
)
def test_a_free_address_is_found(slug, taken, free):
    assert slug_with_suffix(slug, taken) == free
    parse_survey(definition(slug=free))


def form_with_privacy(*cells):
    rows = [
        {"type": "select_one yes_no", "name": f"q{number}", "label::English (en)": f"Q{number}?",
         "required": "yes", "privacy": cell}
        for number, cell in enumerate(cells)
    ]  # fmt: skip
    choices = [{"list_name": "yes_no", "name": n, "label::English (en)": n.title()}
               for n in ("yes", "no")]  # fmt: skip
    return {"survey": rows, "choices": choices, "settings": [{"form_title": "T", "form_id": "t"}]}


def test_the_words_of_the_builder_protect_and_others_are_named():
    cells = ("Medium", "strong", "Light: slightly private", "none", "high", None)
    imported = from_xlsform(form_with_privacy(*cells))
    assert [question.privacy for question in imported.survey.questions] == [
        {"mechanism": "coin_flip"}, {"epsilon": "0.5"}, {"epsilon": "2"}, None, None, None,
    ]  # fmt: skip
    assert imported.unprotected == ("q4", "q5")
    assert "survey, row 6, column privacy: 'high' is not a protection. Write strong, medium, " \
        "light or none." in imported.left_out  # fmt: skip


def test_a_second_statement_of_the_protection_is_named():
    sheets = form_with_privacy("medium")
    sheets["survey"][0]["privacy::epsilon"] = 0.7
    imported = from_xlsform(sheets)
    assert imported.survey.questions[0].privacy == {"epsilon": 0.7}
    assert imported.left_out == (
        "survey, row 2, column privacy: 'medium' is ignored, because `privacy::` defines the "
        "protection.",
    )


def test_a_protection_without_its_mechanism_says_in_which_column_it_belongs():
    sheets = form_with_privacy("warner", "medium")
    sheets["survey"][0]["privacy::p"] = "2/3"
    imported = from_xlsform(sheets)
    assert [question.name for question in imported.survey.questions] == ["q1"]
    assert imported.left_out == (
        "survey, row 2, column privacy: the mechanism is missing. Write it into "
        "privacy::mechanism, or fill only privacy::epsilon. The question is omitted.",
    )


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


def test_odk_reads_a_ranking(tmp_path):
    question = asked("foods", "ranking", "none", choices=letters("abc"))
    workbook = tmp_path / "form.xlsx"
    workbook.write_bytes(write_workbook(to_xlsform(parse_survey(definition(question)))))
    converted = convert(str(workbook))
    assert "odk:rank" in converted.xform


VISIT = asked("visit", "date", "none", earliest="2024-02-28", latest="2026-01-31")


def test_a_date_is_a_date_of_xlsform(tmp_path):
    survey = parse_survey(definition(VISIT, yes_no()))
    sheets = to_xlsform(survey)
    row = sheets["survey"][0]
    assert row["type"] == "date"
    assert row["constraint"] == ". >= date('2024-02-28') and . <= date('2026-01-31')"
    back = from_xlsform(sheets)
    assert (back.survey, back.left_out) == (survey, ())
    workbook = tmp_path / "form.xlsx"
    workbook.write_bytes(write_workbook(sheets))
    assert 'type="date"' in convert(str(workbook)).xform


@pytest.mark.parametrize(
    ("constraint", "earliest", "latest", "note"),
    [
        (". <= date('2025-01-01') and . >= date(\"2024-01-01\")", "2024-01-01", "2025-01-01", ""),
        (". >= date('2024-01-01')", "2024-01-01", "2100-12-31", "does not limit the date"),
        (None, "1900-01-01", "2100-12-31", "does not limit the date"),
        (". <= today()", "1900-01-01", "2100-12-31", "The constraint is omitted"),
        (". >= date('2024-02-30')", "1900-01-01", "2100-12-31", "The constraint is omitted"),
        (". > '2024-02-28' and date('2026-01-01') > .", "2024-02-29", "2025-12-31", ""),
        (
            ". >= date('2024-01-01') and . <= today()",
            "2024-01-01",
            "2100-12-31",
            "“. <= today()” is not a comparison such as",
        ),
    ],
)
def test_the_ends_of_a_date_come_from_its_constraint(constraint, earliest, latest, note):
    row = {"type": "date", "name": "d", "label": "D?", "constraint": constraint}
    back = from_xlsform({"survey": [row], "settings": [{"form_title": "T"}]})
    [question] = back.survey.questions
    assert tuple(end.isoformat() for end in question.dates) == (earliest, latest)
    assert note in " ".join(back.left_out)
    if not note:
        assert not any("constraint" in each for each in back.left_out)
