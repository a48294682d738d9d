"""Filters of lists in XLSForm: read as conditions of choices, and written for other tools."""

import random
import re
from xml.etree import ElementTree

import pytest

from survey.definition.choices import DECLINED
from survey.definition.survey import parse_survey
from survey.formats.definition_files import read_survey, survey_xlsx
from tests.browser import tape
from tests.formats.odk_calculation import Calculation, in_odk, xform
from tests.support.cascades import asked, chain, choice, offered_in, random_cascade
from tests.support.check_each import check_each
from tests.support.definitions import definition
from tests.support.xlsforms import table, workbook

pytestmark = pytest.mark.fast

PROVINCES = [("p", "a", "Area A"), ("p", "b", "Area B"), ("p", "c", "Area C")]
EARLIER = [
    ("select_one p", "province", "Province?", "yes"),
    ("select_multiple p", "lived", "Lived where?", "yes"),
    ("integer", "age", "Age?", "yes", None, ". >= 0 and . <= 100"),
    ("select_one p", "maybe", "Maybe?", "yes", "${province} = 'a'"),
    ("text", "free", "Free?"),
]
COLUMNS = ("type", "name", "label", "required", "relevant", "constraint", "choice_filter",
           "privacy", "appearance")  # fmt: skip
DISTRICTS = [
    ("d", "d1", "First", "a", "a b", 18, 30), ("d", "d2", "Second", "b", "b", 18, None),
    ("d", "d3", "Third", "b", "c", None, 65), ("d", "d4", "Fourth", None, None, None, None),
]  # fmt: skip
CHOICE_COLUMNS = ("list_name", "name", "label", "area", "areas", "least", "most")


def form(choice_filter, districts=DISTRICTS, columns=CHOICE_COLUMNS, **cells):
    row = {"type": "select_one d", "name": "district", "label": "District?", "required": "yes",
           "choice_filter": choice_filter, **cells}  # fmt: skip
    named = [dict(zip(COLUMNS, each, strict=False)) for each in EARLIER]
    choices = [dict(zip(columns, each, strict=False)) for each in (*PROVINCES, *districts)]
    settings = table(("form_title", "form_id", "default_language"), ("D", "d", "en"))
    sheets = {"survey": [*named, row], "choices": choices, "settings": settings}
    return {
        name: [{column: each.get(column) for column in dict.fromkeys(c for r in rows for c in r)}
               for each in rows]
        for name, rows in sheets.items()
    }  # fmt: skip


def read(*arguments, **cells):
    """The conditions of the choices, and the notes about the filter and the choices."""
    imported = read_survey(workbook(form(*arguments, **cells)))
    [question] = [each for each in imported.survey.questions if each.name == "district"]
    notes = [
        note for note in imported.left_out if "choice_filter" in note or note.startswith("choices")
    ]
    return {each.name: each.relevant for each in question.choices}, notes


NEVER = "no answer offers this choice in 'district', so it is omitted there."


@check_each(
    ("choice_filter", "conditions", "never"),
    [
        ("area = ${province}", {"d1": "a", "d2": "b", "d3": "b"}, "row 8"),
        ("${province}=area", {"d1": "a", "d2": "b", "d3": "b"}, "row 8"),
        ("selected(area, ${province})", {"d1": "a", "d2": "b", "d3": "b"}, "row 8"),
        ("selected(${province}, area)", {"d1": "a", "d2": "b", "d3": "b"}, "row 8"),
        ("selected(areas, ${province})", {"d1": "a b", "d2": "b", "d3": "c"}, "row 8"),
        ("area = ${province} or not(area)", {"d1": "a", "d2": "b", "d3": "b", "d4": None}, ""),
        ("area = ${province} or name = 'd4'",
         {"d1": "a", "d2": "b", "d3": "b", "d4": None}, ""),
        ("area != ${province}", {"d1": "b c", "d2": "a c", "d3": "a c", "d4": None}, ""),
        ("name = 'd1' or ${province} = 'c'", {"d1": None, "d2": "c", "d3": "c", "d4": "c"}, ""),
        ("true()", dict.fromkeys(("d1", "d2", "d3", "d4")), ""),
        ("area = 'b'", {"d2": None, "d3": None}, "rows 5 and 8"),
    ],
)  # fmt: skip
def test_a_filter_on_one_answer_becomes_sets_of_answers(choice_filter, conditions, never):
    found, notes = read(choice_filter)
    assert found == {
        name: {"province": each.split()} if each else None for name, each in conditions.items()
    }
    named = [note for note in notes if "column name" in note]
    assert named == ([f"choices, {never}, column name: {NEVER}"] if never else [])


def test_filters_on_boxes_numbers_and_several_answers():
    found, _ = read("selected(${lived}, area) and ${age} >= least and (not(most) or ${age} < most)")
    assert found == {
        "d1": {"lived": ["a"], "age": {"min": 18, "max": 29}},
        "d2": {"lived": ["b"], "age": {"min": 18}},
    }


def test_parts_that_candor_does_not_understand_are_left_out_with_a_note():
    without = "Candor offers the choices without this part of the filter."
    found, notes = read("area = ${province} and regex(${free}, areas)")
    assert found["d1"] == {"province": ["a"]}
    assert notes[0] == (
        "survey, row 7, column choice_filter: “regex(${free}, areas)” uses 'regex', which Candor "
        f"does not compute. {without}"
    )
    found, notes = read("region = ${province}")
    assert set(found.values()) == {None}
    assert notes[0] == (
        "survey, row 7, column choice_filter: names 'region', which is no column of the sheet "
        f"choices. {without}"
    )
    found, notes = read("area = ${maybe} or areas = ${province}")
    assert found["d2"] is None
    assert any("joins or excludes answers" in note and without in note for note in notes)
    # A column that no filter uses is still named.
    assert any("column least: is not supported" in note for note in notes)


@check_each(
    ("cells", "words"),
    [
        ({"privacy": "medium"}, "because the randomisation of a private answer needs them"),
        ({"privacy": "not_sent"}, "because the randomisation of a private answer needs them"),
        ({"appearance": "likert"}, "Candor offers all choices of such a question."),
        ({"type": "rank d"}, "Candor offers all choices of such a question."),
        ({"choice_filter": "area = 'nowhere'"}, "offers fewer than 2 choices"),
    ],
)
def test_a_question_that_offers_all_its_choices_says_so(cells, words):
    imported = read_survey(workbook(form("area = ${province}") | {}))
    assert imported.survey.questions[-1].choice_conditions
    found = form(cells.pop("choice_filter", "area = ${province}"), **cells)
    if "privacy" in cells:
        found["survey"].append(found["survey"][-1] | {"name": "last", "privacy": None,
                                                      "choice_filter": None})  # fmt: skip
    imported = read_survey(workbook(found))
    [question] = [each for each in imported.survey.questions if each.name == "district"]
    assert len(question.listed) == 4
    assert not question.choice_conditions
    assert [note for note in imported.left_out if words in note and "choice_filter" in note]


def test_a_filter_on_a_private_answer_is_left_out():
    sheets = form("area = ${province} and ${age} >= 18")
    sheets["survey"][0]["privacy"] = "medium"
    imported = read_survey(workbook(sheets))
    assert imported.survey.questions[-1].choices[0].relevant == {"age": {"min": 18}}
    assert any(
        "column choice_filter: depends on 'province', whose answer is private. The choices that "
        "are offered would reveal that answer" in note
        for note in imported.left_out
    )


def test_equal_names_and_labels_of_different_parents_are_told_apart():
    """As with allow_choice_duplicates: every province has a district with the same name."""
    districts = [("d", "centre", "Centre", "a"), ("d", "centre", "Centre", "b"),
                 ("d", "other", "Other", "b")]  # fmt: skip
    communes = [("e", f"c{n}", f"Commune {n}", None, None, None, None, name)
                for n, name in enumerate(("centre", "other"))]  # fmt: skip
    sheets = form("area = ${province}", [*districts, *communes], (*CHOICE_COLUMNS, "parent"))
    sheets["survey"].append({"type": "select_one e", "name": "commune", "label": "Commune?",
                             "choice_filter": "parent = ${district}"})  # fmt: skip
    imported = read_survey(workbook(sheets))
    *_, district, commune = imported.survey.questions
    assert [(each.name, each.label, each.relevant) for each in district.choices] == [
        ("centre", "Centre", {"province": ["a"]}),
        ("centre_2", "Centre (Area B)", {"province": ["b"]}),
        ("other", "Other", {"province": ["b"]}),
    ]
    # Both districts have the name that the communes refer to.
    assert [each.relevant for each in commune.choices] == [
        {"district": ["centre", "centre_2"]},
        {"district": ["other"]},
    ]


def test_or_other_and_prefer_not_to_say_are_always_offered():
    sheets = form("area = ${province}", [*DISTRICTS, ("d", DECLINED, "No answer")],
                  type="select_one d or_other")  # fmt: skip
    question = read_survey(workbook(sheets)).survey.questions[-2]
    assert question.choices[-1].name == "other"
    assert question.choices[-1].relevant is None
    assert question.offers_to_decline


# --- out and in again


def filters(converted: str) -> dict[str, tuple[str, list[dict[str, str]]]]:
    """The filter of each list in a converted form, and the columns of its choices."""
    root = ElementTree.fromstring(converted)
    space = "{http://www.w3.org/2002/xforms}"
    items = {
        instance.get("id"): [
            {column.tag.removeprefix(space): column.text or "" for column in item}
            for item in instance.iter(f"{space}item")
        ]
        for instance in root.iter(f"{space}instance")
    }
    found = {}
    for tag in ("select", "select1"):
        for element in root.iter(f"{space}{tag}"):
            for itemset in element.iter(f"{space}itemset"):
                whole = re.search(r"instance\('(\w+)'\)/\w+/item(?:\[(.*)\])?",
                                     itemset.attrib["nodeset"])  # fmt: skip
                name = element.attrib["ref"].rsplit("/", 1)[1]
                found[name] = (whole[2] or "true()", items[whole[1]])
    return found


def offered_by_odk(written: str, item: dict[str, str], answers: dict[str, str]) -> bool:
    """Whether ODK offers a choice, whose empty columns are the empty text."""
    columns = dict.fromkeys(re.findall(r"(?<![/\w'])[A-Za-z]\w*(?!\w*\()", written), "")
    place = Calculation(written, answers, iter(()), columns | item)
    return place.value() == "True"


@pytest.mark.parametrize("seeds", [range(3), pytest.param(range(3, 40), marks=pytest.mark.slow)])
def test_every_cascade_goes_out_and_comes_in_again_and_odk_offers_the_same(seeds):
    for seed in seeds:
        odk_offers_the_same(seed)


def odk_offers_the_same(seed):
    content = random_cascade(seed)
    survey = parse_survey(content)
    exported = survey_xlsx(survey)
    imported = read_survey(exported)
    assert imported.survey == survey
    assert not [note for note in imported.left_out if "filter" in note]
    entries, chance = survey.as_definition()["questions"], random.Random(seed)
    written = filters(xform(exported))
    for _ in range(20):
        answers = {}
        for entry in entries:
            given = chance.choice(tape.possible_answers(entry))
            decline = entry.get(DECLINED) and chance.random() < 0.2
            answers[entry["name"]] = DECLINED if decline else given
        shown, offered = offered_in(entries, answers)
        in_form = {
            entry["name"]: in_odk(entry, answers[entry["name"]]) if entry["name"] in shown else ""
            for entry in entries
        }
        for entry in entries:
            if entry["name"] in written:
                text, items = written[entry["name"]]
                names = [
                    item["name"] for item in items
                    if item["name"] != DECLINED and (text == "true()"
                                                     or offered_by_odk(text, item, in_form))
                ]  # fmt: skip
                assert names == offered[entry["name"]], (seed, entry["name"], text)


def test_a_chain_has_one_column_for_each_parent():
    """As people write it, and in columns that have no other meaning."""
    exported = survey_xlsx(parse_survey(definition(*chain())))
    written = filters(xform(exported))
    assert written["district"][0] == "province =  /data/province "
    assert written["commune"][0] == "district =  /data/district "
    label = asked("label", choices=[choice("a"), choice("b")])
    caption = asked("place", choices=[choice("x", label=["a"]), choice("y", label=["b"])])
    survey = parse_survey(definition(label, caption))
    assert read_survey(survey_xlsx(survey)).survey == survey
    assert filters(xform(survey_xlsx(survey)))["place"][0] == "label_2 =  /data/label "
