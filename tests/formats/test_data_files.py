"""Files for Excel, Stata and SPSS, read back by pandas, pyreadstat and openpyxl."""

import csv
import datetime
import io
import math
import subprocess
import sys
import time

import openpyxl
import pandas
import pyreadstat
import pytest

from survey.core.errors import StateError
from survey.core.languages import LANGUAGES
from survey.definition.certainty import epsilon_text
from survey.definition.frozen import freeze
from survey.definition.survey import parse_survey
from survey.formats import data_files
from survey.formats.csv_export import responses_csv
from survey.formats.csv_import import read_truth
from survey.formats.data_files import (
    DATA_FILES,
    accepted_name,
    data_table,
    responses_dta,
    responses_sav,
    responses_xlsx,
)
from survey.formats.report_labels import file_note, file_title
from survey.planning.simulation import simulate_responses
from tests.support.definitions import definition, yes_no
from tests.support.every_type import EVERY_TYPE, SAMPLED, TOGETHER, TRUTH, asked, letters
from tests.support.export_bundles import RSCRIPT, needs_r
from tests.support.project import ROOT
from tools.r import has_haven

pytestmark = pytest.mark.fast

# A text with other scripts, a line end, quotes, and what would be a formula.
TEXT = '=1+1 "Xin chào"\nไม่ 中文'


def simulated(content, n=60):
    """A survey with simulated responses: the first with a text, and with no number."""
    survey = parse_survey(content)
    batches = simulate_responses(survey, read_truth(TRUTH, survey), n, seed=4)
    rows = [response.reports for batch in batches for response in batch]
    names = [question.name for question in survey.fields]
    first = list(rows[0])
    first[names.index("remarks")] = TEXT
    first[names.index("years")] = survey.fields[names.index("years")].number_grid.size
    return survey, [tuple(first), *rows[1:]]


def cells(survey, rows):
    """The cells of responses.csv."""
    text = "".join(responses_csv(freeze(survey, to_open=False), rows))
    return list(csv.DictReader(io.StringIO(text, newline="")))


def meant(survey, column, cell):
    """What a labelled file says of a cell of responses.csv."""
    question, box = question_of(survey, column), column.partition("/")[2]
    start = "" if question.non_private else "randomised report: "
    if cell == "":
        return None
    if box and question.one_hot is not None:
        return start + {"0": "does not contain the answer", "1": "contains the answer"}[cell]
    if box:
        return start + {"0": "not ticked", "1": "ticked"}[cell]
    if question.kind.free_text:
        return TEXT if "Xin" in cell else cell
    if question.non_private and question.grid is not None:
        return question.special_answers[0].label if cell == "prefer_not_to_say" else float(cell)
    if not question.non_private and cell in [special.name for special in question.special_answers]:
        start = "randomised report, special answer: "
    return start + next(each.label for each in question.reports if each.name == cell)


def question_of(survey, column):
    """The question of a column. The name of a column with reports says so."""
    name, _, end = column.partition("/")[0].partition(".")
    question = next(each for each in survey.fields if each.name == name)
    assert end == ("" if question.non_private else "randomised")
    return question


def read_back(tmp_path, kind, content):
    path = tmp_path / f"file.{kind}"
    path.write_bytes(content)
    read = pyreadstat.read_dta if kind == "dta" else pyreadstat.read_sav
    return read(str(path), user_missing=True)


@pytest.mark.parametrize("content", [EVERY_TYPE, SAMPLED])
@pytest.mark.parametrize("kind", ["dta", "sav"])
def test_labelled_files_have_the_values_and_labels_of_the_survey(tmp_path, kind, content):
    survey, rows = simulated(content)
    frame, meta = read_back(
        tmp_path, kind, (responses_dta if kind == "dta" else responses_sav)(survey, rows)
    )
    expected = cells(survey, rows)
    columns = list(expected[0])
    assert len(frame) == len(rows)
    assert list(frame.columns) == [accepted_name(column) for column in columns]
    for column, name in zip(columns, frame.columns, strict=True):
        labels = meta.variable_value_labels.get(name, {})
        for value, row in zip(frame[name], expected, strict=True):
            empty = isinstance(value, float) and math.isnan(value)
            found = None if empty else labels.get(value, value)
            wanted = meant(survey, column, row[column])
            # An empty text is a text, not a missing value.
            assert found == wanted or (name == "remarks" and not found and not wanted), column
        question, label = question_of(survey, column), meta.column_names_to_labels[name]
        loss = "" if question.non_private else f"Randomised report, ε = {question.epsilon:.2f}: "
        assert label.startswith(loss + question.label)
        assert question.non_private or "_randomised" in name
    assert meta.file_label == f"Randomised reports: {survey.title}"
    note = " ".join(meta.notes)
    assert "contain randomised reports, not answers" in note
    assert f"ε = {epsilon_text(survey.epsilon)}" in note
    assert "candor analyse estimate health" in note


def test_special_answers_of_numbers_are_missing_for_other_programs(tmp_path):
    """pandas and pyreadstat leave them out by default, so that a mean is right."""
    survey, rows = simulated(EVERY_TYPE)
    names = [question.name for question in survey.fields]
    years = [row[names.index("years")] for row in rows[1:]]
    stata, spss = tmp_path / "a.dta", tmp_path / "a.sav"
    stata.write_bytes(responses_dta(survey, rows))
    spss.write_bytes(responses_sav(survey, rows))
    for frame in (
        pandas.read_stata(stata, convert_categoricals=False),
        pyreadstat.read_dta(str(stata))[0],
        pyreadstat.read_sav(str(spss))[0],
    ):
        assert math.isnan(frame.years[0])
        assert frame.years.mean() == pytest.approx(sum(years) / len(years))
    _, meta = pyreadstat.read_sav(str(spss), user_missing=True)
    assert meta.missing_ranges["years"] == [{"lo": -1.0, "hi": -1.0}]


def test_a_number_that_few_people_are_asked_is_a_number_in_stata(tmp_path):
    """The first number comes after more special answers than the writer looks at."""
    number = asked("years", "number", "none", min=0, max=90, relevant={"smokes": "yes"})
    survey = parse_survey(definition(yes_no("smokes", "none"), number))
    rows = [(1, 91)] * 150 + [(0, 40), (0, 41)]
    path = tmp_path / "a.dta"
    path.write_bytes(responses_dta(survey, rows))
    frame = pandas.read_stata(path, convert_categoricals=False)
    assert sorted(frame.years.dropna()) == [40, 41]
    assert sorted(zip(frame.smokes, frame.years.isna(), strict=True)) == [
        *[(1, False)] * 2, *[(2, True)] * 150
    ]  # fmt: skip


def test_stata_has_the_same_categories_in_pandas(tmp_path):
    survey, rows = simulated(EVERY_TYPE)
    path = tmp_path / "a.dta"
    path.write_bytes(responses_dta(survey, rows))
    with pandas.io.stata.StataReader(path) as reader:
        titles = reader.variable_labels()
    assert titles["sleep"] == "What of sleep?"
    frame = pandas.read_stata(path)
    expected = [row["sleep"] for row in cells(survey, rows)]
    assert list(frame.sleep) == [each.upper() for each in expected]


def test_a_workbook_has_the_cells_of_the_csv_file(tmp_path):
    survey, rows = simulated(EVERY_TYPE)
    book = openpyxl.load_workbook(io.BytesIO(responses_xlsx(survey, rows)))
    assert book.sheetnames == ["responses", "codebook", "about"]
    about = [row[0] for row in book["about"].iter_rows(2, values_only=True)]
    assert about == [file_title(survey), *file_note(survey)]
    head, *lines = book["responses"].iter_rows(values_only=True)
    expected = cells(survey, rows)
    assert list(head) == list(expected[0])
    for line, row in zip(lines, expected, strict=True):
        for value, (column, cell) in zip(line, row.items(), strict=True):
            if column == "remarks" and "Xin" in cell:
                assert value == TEXT
            else:
                assert ("" if value is None else str(value)) == cell, column
    # A formula in a text stays a text, and a number is a number.
    remarks = [cell for cell in book["responses"][2] if cell.value == TEXT]
    assert [cell.data_type for cell in remarks] == ["s"]
    assert isinstance(lines[1][list(head).index("years")], int)
    labels = {(row[0], row[2]): row[3] for row in book["codebook"].iter_rows(2, values_only=True)}
    assert labels["smokes.randomised", "yes"] == "randomised report: Yes"
    assert labels["pets.randomised/c", 0] == "randomised report: not ticked"
    assert labels["years", "prefer_not_to_say"] == "Prefer not to say"
    assert labels["news/p", 1] == "ticked"
    frame = pandas.read_excel(io.BytesIO(responses_xlsx(survey, rows)))
    assert len(frame) == len(rows)


def test_negative_numbers_stay_apart_from_special_answers(tmp_path):
    cold = asked("cold", "number", "none", min=-20.5, max=0, step=0.5, prefer_not_to_say=True)
    survey = parse_survey(definition(cold, yes_no()))
    rows = [(0, 0), (41, 1), (42, 0)]
    frame, meta = read_back(tmp_path, "sav", responses_sav(survey, rows))
    assert list(frame.cold) == [-20.5, 0, -22]
    assert meta.variable_value_labels["cold"] == {-22: "Prefer not to say"}
    assert meta.missing_ranges["cold"] == [{"lo": -22.0, "hi": -22.0}]


@pytest.mark.parametrize("kind", ["dta", "sav"])
def test_pandas_reads_the_same_labels(tmp_path, kind):
    """pandas leaves out special answers of non-private numbers."""
    survey, rows = simulated(EVERY_TYPE)
    path = tmp_path / f"a.{kind}"
    path.write_bytes(DATA_FILES[kind][0](survey, rows))
    frame = pandas.read_stata(path) if kind == "dta" else pandas.read_spss(path)
    expected = cells(survey, rows)
    compared = 0
    for column, name in zip(expected[0], frame.columns, strict=True):
        for value, row in zip(frame[name], expected, strict=True):
            wanted = meant(survey, column, row[column])
            if wanted is None or (not wanted and name == "remarks"):
                continue
            if column in ("years", "region") and row[column] in ("prefer_not_to_say", "not_asked"):
                assert pandas.isna(value)
                continue
            assert value == wanted, (column, value)
            compared += 1
    assert compared > 50 * len(frame.columns) / 2


IN_R = """
library(haven)
files <- commandArgs(trailingOnly = TRUE)
spss <- endsWith(files[1], "sav")
responses <- if (spss) read_sav(files[1], user_na = TRUE) else read_dta(files[1])
titles <- vapply(responses, function(column) attr(column, "label", exact = TRUE), "")
plain <- as.data.frame(lapply(responses, function(column) {
  if (is.null(attr(column, "labels"))) column else as.character(as_factor(column))
}))
names(plain) <- names(responses)
connection <- file(files[2], "w", encoding = "UTF-8")
write.csv(rbind(titles, as.matrix(plain)), connection, row.names = FALSE, na = "")
close(connection)
"""


@needs_r
@pytest.mark.parametrize("content", [EVERY_TYPE, SAMPLED])
@pytest.mark.parametrize("kind", ["dta", "sav"])
def test_r_reads_the_same_values_and_labels(tmp_path, kind, content):
    if not has_haven():
        pytest.skip("R has no package haven: see tools/r.py.")
    survey, rows = simulated(content)
    path, read = tmp_path / f"a.{kind}", tmp_path / "read.csv"
    path.write_bytes(DATA_FILES[kind][0](survey, rows))
    subprocess.run([RSCRIPT, "-e", IN_R, str(path), str(read)], check=True, timeout=120)
    with read.open(encoding="utf-8", newline="") as file:
        titles, *found = csv.DictReader(file)
    expected = cells(survey, rows)
    assert len(found) == len(expected)
    for column, name in zip(expected[0], titles, strict=True):
        question = question_of(survey, column)
        assert question.label in titles[name]
        assert titles[name].startswith("Randomised report") != question.non_private
        for line, row in zip(found, expected, strict=True):
            wanted = meant(survey, column, row[column])
            if isinstance(wanted, float):
                assert float(line[name]) == wanted, column
            else:
                assert line[name] == (wanted or ""), column


def test_the_files_do_not_say_when_they_were_made(monkeypatch: pytest.MonkeyPatch):
    """The ZIP contains them, and gives the same bytes for the same responses."""
    survey, rows = simulated(EVERY_TYPE)
    for kind, (write, _) in DATA_FILES.items():
        before = write(survey, rows)
        # Workbooks have seconds, and a ZIP two of them.
        time.sleep(2.1 if kind == "xlsx" else 1.1 if kind == "sav" else 0)
        assert write(survey, rows) == before, kind
        year = str(datetime.datetime.now(tz=datetime.UTC).year).encode()
        assert kind == "xlsx" or year not in before[:2_000]
    assert b"01 Jan 1980 00:00" in responses_dta(survey, rows)[:2_000]
    assert b"01 Jan 8000:00:00" in responses_sav(survey, rows)[:200]


@pytest.mark.parametrize("write", [responses_dta, responses_sav, responses_xlsx])
def test_no_responses_make_a_file_with_its_columns(tmp_path, write):
    survey, _ = simulated(EVERY_TYPE, 1)
    assert len(write(survey, [])) > 1_000


@pytest.mark.parametrize(
    ("name", "accepted"),
    [
        ("smokes", "smokes"), ("if", "if_1"), ("news/Other thing", "news_other_thing"),
        ("q" * 58, "q" * 24), ("by", "by_1"), ("smokes.randomised", "smokes_randomised"),
        ("q" * 58 + ".randomised", "q" * 13 + "_randomised"),
        ("q" * 58 + ".randomised/" + "c" * 20, "q" * 6 + "_randomised_cccccc"),
        ("q" * 58 + ".randomised/ab", "q" * 10 + "_randomised_ab"),
        ("habit.randomised/" + "c" * 20, "habit_randomised_ccccccc"),
    ],
)  # fmt: skip
def test_names_that_programs_accept(name, accepted):
    assert accepted_name(name) == accepted


def test_names_stay_different_when_they_are_cut(tmp_path):
    long = [yes_no(f"{'q' * 40}{n}", "none") for n in range(12)]
    boxes = asked("a", "select_multiple", "none", choices=letters("bc"))
    survey = parse_survey(definition(*long, boxes, yes_no("a_b", "none"), yes_no("if", "none")))
    rows = [(*[n % 2 for n in range(12)], "10", 0, 1)]
    for kind, write in (("dta", responses_dta), ("sav", responses_sav)):
        frame, _ = read_back(tmp_path, kind, write(survey, rows))
        assert len(set(frame.columns)) == 16
        assert list(frame.columns)[-4:] == ["a_b", "a_c", "a_b_2", "if_1"]
        assert frame.iloc[0].tolist() == [*[n % 2 + 1 for n in range(12)], 1, 0, 1, 2]


def test_long_labels_and_texts_are_kept_as_far_as_programs_can(tmp_path):
    label = "ไ" * 290
    text = asked("why", "text", "none", label=label)
    survey = parse_survey(definition(text, yes_no("b", "none"), **TOGETHER, title="ไ" * 100))
    rows = [("ก" * 1_500, 0), ("", 1)]
    frame, meta = read_back(tmp_path, "sav", responses_sav(survey, rows))
    assert meta.column_names_to_labels["why"] == "ไ" * 85
    assert frame.why[0] == "ก" * 1_500
    frame, meta = read_back(tmp_path, "dta", responses_dta(survey, rows))
    assert meta.column_names_to_labels["why"] == "ไ" * 80
    assert frame.why[0] == "ก" * 1_500


def test_too_many_responses_are_refused(monkeypatch: pytest.MonkeyPatch):
    monkeypatch.setattr(data_files, "MAX_CELLS", 10)
    survey = parse_survey(definition(yes_no(), yes_no("b")))
    assert len(data_table(survey, [(0, 1)] * 5).cells[0]) == 5
    with pytest.raises(StateError, match=r"Download responses\.csv\."):
        data_table(survey, [(0, 1)] * 6)


def test_pandas_is_not_loaded_before_a_file_is_made():
    code = (
        "import sys; "
        "import survey.admin.results.downloads; "
        "assert not {'pandas', 'pyreadstat'} & {*sys.modules}"
    )
    subprocess.run([sys.executable, "-c", code], cwd=ROOT, check=True)


@pytest.mark.parametrize("given", [("2024-02-29", "", "2026-01-31"), ("", "", "")])
def test_dates_are_dates_in_files_with_labels(given, tmp_path):
    visit = asked("visit", "date", "none", earliest="2024-01-01", latest="2026-12-31")
    survey = parse_survey(definition(visit))
    rows = [(text,) for text in given]
    days = [datetime.date.fromisoformat(text) if text else None for text in given]
    for write, read, name in (
        (responses_sav, pyreadstat.read_sav, "responses.sav"),
        (responses_dta, pyreadstat.read_dta, "responses.dta"),
    ):
        path = tmp_path / name
        path.write_bytes(write(survey, rows))
        frame, meta = read(str(path))
        assert [None if pandas.isna(day) else day for day in frame["visit"]] == days
        if any(given):
            assert meta.original_variable_types["visit"] in ("DATE11", "%td")
    book = openpyxl.load_workbook(io.BytesIO(responses_xlsx(survey, rows)))
    cells = [row[0].value for row in book["responses"].iter_rows(min_row=2)]
    # A workbook does not store empty rows.
    cells += [None] * (len(days) - len(cells))
    assert [cell and cell.date() for cell in cells] == days
    assert [row[2].value for row in book["codebook"].iter_rows(min_row=2)] == [None]


def frequencies(frame, meta, name):
    """A frequency table as programs print it: the title, and the label of each line."""
    labels = meta.variable_value_labels.get(name, {})
    lines = [f"{labels.get(value, value)}" for value in frame[name].dropna().unique()]
    return meta.column_names_to_labels[name], lines


@pytest.mark.parametrize("language", LANGUAGES)
@pytest.mark.parametrize("kind", ["dta", "sav"])
def test_no_frequency_table_can_be_mistaken_for_a_result(tmp_path, kind, language):
    """Its name, its title and each of its lines say that these are randomised reports."""
    words = {
        "en": "andomised report", "vi": "áo cáo đã ngẫu nhiên hóa", "th": "รายงานที่สุ่มสลับแล้ว",
        "zh": "随机变换后的报告",
    }[language]  # fmt: skip
    survey, rows = simulated(EVERY_TYPE | {"language": language})
    frame, meta = read_back(tmp_path, kind, DATA_FILES[kind][0](survey, rows))
    assert words in meta.file_label
    private = [name for name in frame.columns if "_randomised" in name]
    assert len(private) == 25
    for name in frame.columns:
        title, lines = frequencies(frame, meta, name)
        for text in (title, *lines):
            assert (words in text) == (name in private), (name, text)
        assert ("ε = " in title) == (name in private)


def test_long_labels_still_say_that_a_cell_is_randomised(tmp_path):
    label = "ไ" * 170
    private = {"mechanism": "k_randomized_response", "odds": 4}
    choices = [{"name": name, "label": label[:80] + name} for name in "abc"]
    question = asked("party", "select_one", private, label=label, choices=choices)
    survey = parse_survey(definition(question, title="ไ" * 100, language="th"))
    for kind, (write, _) in DATA_FILES.items():
        if kind == "xlsx":
            continue
        _, meta = read_back(tmp_path, kind, write(survey, [(0,), (1,), (2,)]))
        texts = [
            meta.file_label, *meta.column_labels,
            *meta.variable_value_labels["party_randomised"].values(),
        ]  # fmt: skip
        assert all(text.startswith("รายงานที่สุ่มสลับแล้ว") for text in texts)
        assert "candor analyse estimate health" in " ".join(meta.notes)


def test_special_answers_of_plain_choices_are_missing(tmp_path):
    sick = asked("sick", "select_one", "none", choices=letters("ab"), prefer_not_to_say=True,
                 relevant={"smokes": "yes"})  # fmt: skip
    survey = parse_survey(definition(yes_no("smokes", "none"), sick))
    rows = [(0, 0), (0, 1), (0, 2), (1, 3)]
    frame, meta = read_back(tmp_path, "sav", responses_sav(survey, rows))
    assert [each["lo"] for each in meta.missing_ranges["sick"]] == [3, 4]
    assert list(frame.sick) == [1, 2, 3, 4]
    assert meta.file_label == survey.title
    frame, meta = read_back(tmp_path, "dta", responses_dta(survey, rows))
    assert list(frame.sick) == [1, 2, "a", "b"]
    assert not meta.notes
