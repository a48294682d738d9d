"""Exports: files that a researcher downloads are safe to open and complete."""

import csv
import io
import random

import pytest

from survey.core.csv_cells import cell, csv_text
from survey.core.errors import DataFileError
from survey.definition.frozen import freeze
from survey.definition.responses.packed_columns import packs_of
from survey.definition.survey import parse_survey
from survey.estimation.build_results import survey_results
from survey.formats.csv_export import (
    ESTIMATE_COLUMNS,
    codebook,
    csv_column_names,
    estimates_csv,
    responses_csv,
)
from survey.formats.csv_import import read_responses, read_truth
from survey.formats.report_labels import file_note
from tests.support.check_each import check_each
from tests.support.definitions import definition, yes_no
from tests.support.every_type import FIELDS, PICKED, REMARKS, SAMPLED, TOGETHER, drawn, stored
from tests.support.joint_reports import joint_reports
from tests.support.joint_survey import joint_questions

pytestmark = pytest.mark.fast

FROZEN = freeze(parse_survey(definition(yes_no(), yes_no("drinks", privacy="none"))))
COUNTS = {"smokes": {0: 40, 1: 60}, "drinks": {0: 30, 1: 70}}
RESULTS = survey_results(FROZEN, COUNTS, "browser")


def rows(text):
    return list(csv.reader(io.StringIO(text)))


def test_responses_are_one_row_each_by_name_and_without_id():
    text = "".join(responses_csv(FROZEN, [(0, 1), (1, 1)]))
    assert text == "smokes.randomised,drinks\r\nyes,no\r\nno,no\r\n"


@pytest.mark.parametrize(
    "asked",
    [
        SAMPLED,
        definition({"name": "why", "type": "text", "label": "?", "privacy": "none"}),
        definition(yes_no(), yes_no("b"), budget={"per_respondent": {"sample": 1}}),
    ],
    ids=["every type", "one text", "two, one of which is asked"],
)
def test_the_responses_are_what_the_csv_module_reads_as_their_cells(asked):
    """The rows are the same for every packing, for repeated texts and for unique ones."""
    frozen = freeze(parse_survey(asked), to_open=False)
    fields, r = frozen.survey.fields, random.Random(7)
    if len(fields) == len(FIELDS):
        reports = [stored(drawn(r, PICKED)) for _ in range(1_100)]
    elif len(fields) == 1:
        reports = [(text,) for text in (*REMARKS, "", *REMARKS)]
    else:
        reports = [(0, None), (None, 1), (1, None)]
    cells = [[column for question in fields for column in csv_column_names(question)]]
    for row in reports:
        cells.append([])
        for question, report in zip(fields, row, strict=True):
            width = len(csv_column_names(question))
            cells[-1] += [None] * width if report is None else question.form.cells(report)
    written = "".join(responses_csv(frozen, reports))
    assert rows(written) == [[cell(value) for value in row] for row in cells]
    assert written == csv_text(cells)
    packs = packs_of(frozen.survey)
    packed = [[number_of(pack, fields, row) for pack in packs] for row in reports]
    assert "".join(responses_csv(frozen, packed, packs)) == written


def number_of(pack, fields, row):
    """The row that the store would read: the first report is the lowest digit."""
    reports = [row[fields.index(question)] for question in pack.questions]
    if not pack.sizes:
        return reports[0]
    number = 0
    for question, size, report in reversed(
        list(zip(pack.questions, pack.sizes, reports, strict=True))
    ):
        number = number * size + (len(question.form.names) if report is None else report)
    return number


def test_no_responses_is_the_header_alone():
    assert "".join(responses_csv(FROZEN, [])) == "smokes.randomised,drinks\r\n"


def test_estimates_hold_every_figure_at_full_precision():
    header, *lines = rows(estimates_csv(RESULTS))
    assert tuple(header) == ESTIMATE_COLUMNS
    assert len(lines) == 4
    yes = dict(zip(header, lines[0], strict=True))
    answer = RESULTS.questions[0].answers[0]
    assert float(yes["estimate"]) == answer.value
    assert float(yes["standard_error"]) == answer.standard_error
    assert float(yes["low"]) == answer.low
    assert yes["fingerprint"] == FROZEN.fingerprint
    assert float(yes["epsilon"]) == RESULTS.questions[0].epsilon
    plain = dict(zip(header, lines[2], strict=True))
    assert (plain["mechanism"], plain["epsilon"]) == ("none", "")


def test_the_codebook_has_what_recomputing_takes():
    book = codebook(RESULTS)
    assert book["column_labels"]["smokes.randomised"].startswith("Randomised report, ε = 1.10: ")
    assert book["note"] == file_note(FROZEN.survey)
    assert book["tables"]["smokes"]["rows"] == ((3, 1), (1, 3))
    assert book["fingerprint"] == FROZEN.fingerprint
    assert set(book["versions"]) == {"candor", "numpy", "python"}
    assert book["origin_meaning"] == "answered in browsers"


def test_what_is_exported_can_be_loaded_again():
    reports = [(0, 1), (1, 0), (1, 1)]
    text = "".join(responses_csv(FROZEN, reports))
    assert list(read_responses(io.BytesIO(text.encode()), FROZEN.survey)) == reports


def test_the_columns_of_reports_may_have_the_names_of_their_questions():
    text = "smokes,drinks\nyes,no\n"
    full = text.replace("smokes", "smokes.randomised")
    for lines in (text, full):
        assert list(read_responses(io.BytesIO(lines.encode()), FROZEN.survey)) == [(0, 1)]
    with pytest.raises(DataFileError, match=r"twice: smokes\.randomised"):
        list(read_responses(io.BytesIO(b"smokes,smokes.randomised,drinks\n"), FROZEN.survey))


def test_columns_may_come_in_any_order_and_empty_lines_are_passed_over():
    lines = ["drinks,smokes\n", "no,yes\n", "\n"]
    assert list(read_responses(io.BytesIO("".join(lines).encode()), FROZEN.survey)) == [(0, 1)]


@pytest.mark.parametrize(
    ("lines", "words"),
    [
        ([], "Line 1 is empty. Write these column names into it: smokes.randomised, drinks."),
        (["smokes\n"], "Line 1 lacks these columns: drinks. Correct line 1."),
        (["smokes,drinks,id\n"], "The survey does not have these columns: id. Correct line 1."),
        (
            ["smokes,smokes\n"],
            "drinks. Line 1 has these columns twice: smokes.randomised. Correct line 1.",
        ),
        (["smokes,drinks\n", "yes\n"], "Line 2 has 1 cell, but line 1 has 2"),
        (["smokes,drinks\n", "yes,no\n", "maybe,no\n"], "Line 3, column smokes: 'maybe' is no"),
        (["smokes,drinks\n", '"yes,no\n'], "is not CSV"),
    ],
)
def test_a_faulty_file_is_refused_with_its_line(lines, words):
    with pytest.raises(DataFileError, match=words):
        list(read_responses(io.BytesIO("".join(lines).encode()), FROZEN.survey))


def test_a_truth_may_leave_out_one_choice():
    truth = read_truth({"smokes": {"yes": 0.3}, "drinks": {"yes": 0.5, "no": 0.5}}, FROZEN.survey)
    assert truth == {"smokes": [0.3, pytest.approx(0.7)], "drinks": [0.5, 0.5]}


@check_each(
    ("content", "words"),
    [
        ([], "The file is not a JSON object"),
        ({"eats": {}}, "'eats' is not a question"),
        ({"smokes": {"yes": 0.3}}, "true shares of 'drinks'"),
        ({"smokes": 0.3, "drinks": {}}, "true shares of 'smokes'"),
        ({"smokes": {"maybe": 1}, "drinks": {}}, "no choice 'maybe'"),
        ({"smokes": {"yes": 1.2}, "drinks": {}}, "from 0 to 1"),
        ({"smokes": {"yes": True}, "drinks": {}}, "from 0 to 1"),
        ({"smokes": {"yes": 0.5, "no": 0.6}, "drinks": {"yes": 1}}, "add up to 1.1"),
        ({"smokes": {}, "drinks": {"yes": 1}}, "You can leave out one choice"),
    ],
)
def test_a_faulty_truth_is_refused(content, words):
    with pytest.raises(DataFileError, match=words):
        read_truth(content, FROZEN.survey)


BOXES = [{"name": name, "label": name.upper()} for name in "abcdefgh"]
KINDS = freeze(
    parse_survey(
        definition(
            yes_no(),
            {
                "name": "drugs", "type": "select_multiple", "label": "?", "choices": BOXES,
                "prefer_not_to_say": True, "privacy": {"epsilon": 1},
            },
            {
                "name": "joint", "type": "select_multiple", "label": "?", "choices": BOXES[:2],
                "relevant": {"smokes": "yes"}, "privacy": {"epsilon": 3},
            },
            {
                "name": "party", "type": "select_one", "label": "?", "choices": BOXES,
                "privacy": {"epsilon": 1},
            },
            {
                "name": "weight", "type": "number", "label": "?", "min": -5, "max": 5,
                "prefer_not_to_say": True, "privacy": {"epsilon": 1},
            },
            {"name": "hint", "type": "note", "label": "Nearly there."},
            {
                "name": "age", "type": "number", "label": "?", "min": 0, "max": 120,
                "privacy": "none",
            },
            {
                "name": "eats", "type": "select_multiple", "label": "?", "choices": BOXES[:3],
                "privacy": "none",
            },
            {"name": "why", "type": "text", "label": "?", "privacy": "none"},
            budget={"per_respondent": {"sample": 4}}, **TOGETHER,
        )
    ),
    to_open=False,
)  # fmt: skip
STORED = [
    (0, "-1-------", None, "10000001", 3, 41, "101", "=1+1"),
    (None, "--------0", 2, "00000110", 0, 0, "000", ""),
    (1, None, 4, "01000010", 12, 120, "111", "a, b\r\nc"),
]


def test_every_kind_of_question_has_its_columns():
    header, first, *_ = rows("".join(responses_csv(KINDS, STORED)))
    cells = dict(zip(header, first, strict=True))
    assert cells["smokes.randomised"] == "yes"
    assert [cells[f"drugs.randomised/{name}"] for name in "abc"] == ["", "1", ""]
    assert "drugs.randomised/prefer_not_to_say" in header
    assert [cells[f"joint.randomised/{name}"] for name in ("a", "b", "not_asked")] == ["", "", ""]
    assert cells["party.randomised/a"] == "1"
    assert cells["age"] == "41"
    assert [cells[f"eats/{name}"] for name in "abc"] == ["1", "0", "1"]
    assert cells["why"] == "'=1+1"
    assert not any(name.startswith("hint") for name in header)


def test_every_kind_can_be_loaded_again():
    text = "".join(responses_csv(KINDS, STORED))
    assert list(read_responses(io.BytesIO(text.encode()), KINDS.survey)) == STORED


def test_a_set_of_combinations_has_a_column_for_each_and_can_be_loaded_again():
    questions = joint_questions(privacy={"epsilon": 1})
    frozen = freeze(parse_survey(definition(*questions)), to_open=False)
    reports = [(report,) for report in joint_reports(frozen.survey, 20, 1).tolist()]
    text = "".join(responses_csv(frozen, reports))
    header, first, *_ = rows(text)
    names = [choice.name for choice in frozen.survey.fields[0].choices]
    assert header == [f"habits.randomised/{name}" for name in names]
    assert first == [*reports[0][0]]
    assert list(read_responses(io.BytesIO(text.encode()), frozen.survey)) == reports
    items = codebook(survey_results(frozen, {}, "browser"))["joint_items"]
    assert items["habits/smokes"]["parts"] == [name.rsplit("+", 1)[1] for name in names]
    assert items["habits/smokes"]["rows"] == []


@pytest.mark.parametrize(
    ("column", "cell", "words"),
    [
        ("drugs.randomised/a", "1", "leave the others empty"),
        ("drugs.randomised/b", "2", "'2' is no report on a choice"),
        ("party.randomised/a", "0", "exactly 2 of the 8 cells must be 1"),
        ("weight.randomised", "99", "'99' is not a value"),
        ("age", "121", "'121' is not a value"),
        ("eats/a", "", "fill all 3 cells"),
        ("joint.randomised/a", "1", "cannot occur together"),
    ],
)
def test_a_cell_that_cannot_be_is_refused_with_its_column(column, cell, words):
    header, first, *_ = rows("".join(responses_csv(KINDS, STORED)))
    first[header.index(column)] = cell
    name = column.partition(".")[0].partition("/")[0]
    with pytest.raises(DataFileError, match=f"Line 2, column {name}: .*{words}"):
        list(read_responses(io.BytesIO(csv_text([header, first]).encode()), KINDS.survey))


def test_every_figure_is_a_row_with_its_measure():
    counts = {"weight": {0: 10, 5: 20, 8: 10}, "party": dict.fromkeys(range(16), 10)}
    header, *lines = rows(estimates_csv(survey_results(KINDS, counts, "browser")))
    measures = [dict(zip(header, line, strict=True)) for line in lines]
    weight = [row["measure"] for row in measures if row["question"] == "weight"]
    assert weight.count("share") == 12  # eleven values, and the people who declined
    assert weight[-5:] == ["mean", "deviation", "quantile_25", "quantile_50", "quantile_75"]
    party = [row for row in measures if row["question"] == "party"]
    assert {row["possible_by"] for row in party} == {"nearest shares that add up to one"}


@pytest.mark.parametrize("apart", [False, True])
def test_a_text_has_one_row_without_figures(apart):
    text = {"name": "why", "type": "text", "label": "?", "privacy": "none"}
    # A survey without private questions has its texts next to the other answers.
    privacy = {"mechanism": "coin_flip"} if apart else "none"
    frozen = freeze(parse_survey(definition(yes_no(privacy=privacy), text)))
    counts = {"smokes": {0: 30, 1: 70}, "why": {0: 60, 1: 40}}
    header, *lines = rows(estimates_csv(survey_results(frozen, counts, "browser")))
    *_, last = (dict(zip(header, line, strict=True)) for line in lines)
    assert [line[header.index("question")] for line in lines] == ["smokes", "smokes", "why"]
    assert (last["type"], last["mechanism"]) == ("text", "none")
    assert not any(last[name] for name in header[header.index("measure") : -1])


def test_the_codebook_names_the_columns_and_the_factored_tables():
    book = codebook(survey_results(KINDS, {}, "browser"))
    assert book["columns"]["drugs"][0] == "drugs.randomised/a"
    assert book["tables"]["drugs"]["kind"] == "boxes"
    assert book["tables"]["party"]["kind"] == "subset"
    assert book["tables"]["weight"]["width"] == 1


def test_truths_of_every_kind():
    truth = read_truth(
        {
            "smokes": {"yes": 0.3},
            "drugs": {"a": 0.2, "prefer_not_to_say": 0.1},
            "joint": {},
            "party": {"a": 1, **dict.fromkeys("bcdefgh", 0)},
            "weight": {"mean": 0, "sd": 2, "prefer_not_to_say": 0.2},
            "age": {"30": 0.5, "40": 0.5},
            "eats": {},
        },
        KINDS.survey,
    )
    assert truth["drugs"] == [0.2, 0, 0, 0, 0, 0, 0, 0, 0.1]
    assert truth["weight"][-1] == 0.2
    assert sum(truth["weight"]) == pytest.approx(1)
    assert truth["age"][30] == 0.5
    assert "why" not in truth


@check_each(
    ("name", "content", "words"),
    [
        ("weight", {"mean": 0, "sd": 0}, "sd > 0"),
        ("weight", {"mean": "x", "sd": 1}, "must be numbers"),
        ("weight", {"mean": 9999, "sd": 1}, "too far out"),
        ("weight", {"7": 1}, "has no value '7'"),
        ("weight", {"1": 0.5}, "add up to 0.5"),
        ("age", {"30": 0.9, "prefer_not_to_say": 0.1}, "no choice 'prefer_not_to_say'"),
        ("drugs", {"z": 1}, "no choice 'z'"),
        ("age", 3, "the share of each value"),
    ],
)
def test_a_faulty_truth_of_a_number_or_boxes_is_refused(name, content, words):
    good = {
        "smokes": {"yes": 0.3}, "drugs": {}, "joint": {},
        "party": {"a": 1, **dict.fromkeys("bcdefgh", 0)},
        "weight": {"mean": 0, "sd": 2}, "age": {"30": 1}, "eats": {},
    }  # fmt: skip
    with pytest.raises(DataFileError, match=words):
        read_truth(good | {name: content}, KINDS.survey)
