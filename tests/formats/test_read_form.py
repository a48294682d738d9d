"""XLSForm files as surveys: public forms, and faults that name the sheet and the row."""

import re

import pytest
from hypothesis import given
from hypothesis import strategies as st

from survey.core.errors import DataFileError, SurveyError
from survey.definition.survey import parse_survey
from survey.formats.definition_files import read_survey, survey_json
from survey.formats.xlsform.write_form import to_xlsform
from tests.support.check_each import check_each
from tests.support.every_type import asked
from tests.support.xlsform_readings import (
    DEFINITIONS,
    YES_NO,
    from_xlsform,
    one,
    same,
    with_fault,
    xform,
)
from tests.support.xlsforms import ENGLISH, EXIT, FRENCH, HEALTH, HOUSEHOLD, table, workbook

pytestmark = pytest.mark.fast


@check_each("name", DEFINITIONS)
def test_a_definition_comes_back_from_its_json(name):
    survey = parse_survey(DEFINITIONS[name])
    assert read_survey(survey_json(survey).encode()).survey == survey
    assert read_survey(b"\xef\xbb\xbf" + survey_json(survey).encode()).survey == survey


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


def test_the_texts_after_the_fiftieth_are_left_out():
    rows = [{"type": "text", "name": f"t{n}"} for n in range(52)]
    read = with_fault(*rows, {"type": "integer"})
    assert len(read.survey.questions) == 51
    assert any("Candor takes 50 texts and dates." in each for each in read.left_out)


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


def test_a_dependent_question_of_a_dropped_one_is_asked_of_everyone_and_said():
    dropped = {"type": "geopoint", "name": "place"}
    entry, left_out = one({"type": "text", "name": "q", "relevant": "${place} != ''"}, dropped)
    assert "relevant" not in entry
    assert left_out[1] == (
        "survey, row 3, column relevant: depends on 'place' in row 2, which no condition in "
        "Candor can use. The questions with this condition are asked without it."
    )


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
