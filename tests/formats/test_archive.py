"""The exported ZIP: its files, the same bytes each time, and its memory."""

import csv
import io
import json
import random
import zipfile
from datetime import date

import pytest

from survey.core.languages import LANGUAGES, Words
from survey.definition.frozen import freeze
from survey.definition.questions import Question
from survey.definition.survey import parse_survey, read_definition
from survey.estimation.build_results import survey_results
from survey.formats.citation import citation_of
from survey.formats.csv_export import ESTIMATE_COLUMNS
from survey.formats.data_files import DATA_FILES
from survey.formats.export_bundle import archive
from survey.formats.export_bundle.archive import LABELLED_FILES, PACKED_FILES, write_archive
from survey.formats.export_bundle.pages import listed_codes
from survey.formats.field_days import FieldDays
from tests.formats.awkward_surveys import AWKWARD, AWKWARD_ROWS, EVERY
from tests.support import cascades
from tests.support.definitions import definition, yes_no
from tests.support.every_type import asked, drawn, stored, tallied
from tests.support.export_bundles import packed, unpacked

# tests/system/test_texts_apart.py has an archive with texts that are stored apart.
WITHOUT_TEXTS = tuple(name for name in PACKED_FILES if not name.startswith("texts"))


def test_the_archive_holds_every_file_and_the_same_bytes_each_time(tmp_path):
    first = packed(AWKWARD, AWKWARD_ROWS)
    assert first == packed(AWKWARD, AWKWARD_ROWS)
    assert first != packed(AWKWARD, AWKWARD_ROWS[:-1])
    entries = zipfile.ZipFile(io.BytesIO(first)).infolist()
    assert tuple(entry.filename for entry in entries) == WITHOUT_TEXTS
    assert {entry.date_time for entry in entries} == {(1980, 1, 1, 0, 0, 0)}


def test_the_definition_and_the_codebook_are_the_frozen_ones(tmp_path):
    folder = unpacked(EVERY, [], tmp_path)
    survey = read_definition((folder / "definition.json").read_bytes())
    assert freeze(survey, to_open=False).fingerprint == EVERY.fingerprint
    book = json.loads((folder / "codebook.json").read_text(encoding="utf-8"))
    assert book["fingerprint"] == EVERY.fingerprint
    page = (folder / "codebook.html").read_text(encoding="utf-8")
    assert EVERY.fingerprint in page
    assert "<script" not in page
    assert f"<code>candor analyse estimate {survey.slug}</code>" in page
    for question in EVERY.survey.fields:
        assert f'id="q-{question.name}"' in page
    table = EVERY.survey.private[0].table
    for entry in {entry for row in table.rows for entry in row}:
        assert f"<td class=\"figure\">{entry}</td>" in page  # fmt: skip
    assert "Of 100 people who answer “Yes”" in page
    readme = (folder / "README.txt").read_text(encoding="utf-8")
    # There is no private question of two answers here.
    for name in set(WITHOUT_TEXTS) - {"rr-and-RRreg.R"}:
        assert name in readme


def test_the_archive_says_how_to_cite_the_survey(tmp_path):
    rows = [stored(drawn(random.Random(seed))) for seed in range(30)]
    text = (unpacked(EVERY, rows, tmp_path) / "citation.txt").read_text(encoding="utf-8")
    results = survey_results(EVERY, tallied(rows), "browser")
    for language in LANGUAGES:
        citation = citation_of(results.as_shown, language)
        assert citation.sentences
        for part in (*citation.sentences, citation.methods, citation.apa, citation.bibtex):
            assert part in text


def test_a_million_non_private_values_are_not_listed(monkeypatch):
    survey = parse_survey(definition(asked("pay", "number", "none", min=0, max=1_000_000)))
    monkeypatch.setattr(Question, "answers", property(lambda self: pytest.fail("listed")))
    assert listed_codes(survey.fields[0], Words()) == []


def test_estimates_follow_from_the_very_responses_that_are_packed():
    """The figures do not come from stored counts, which may have changed meanwhile."""
    rows = [stored(drawn(random.Random(seed))) for seed in range(30)]
    archive = zipfile.ZipFile(io.BytesIO(packed(EVERY, iter(rows))))
    published = list(csv.DictReader(io.StringIO(archive.read("estimates.csv").decode())))
    assert tuple(published[0]) == ESTIMATE_COLUMNS
    results = survey_results(EVERY, tallied(rows), "browser")
    expected = [a.value for q in results.questions for a in q.answers]
    found = [float(row["estimate"]) for row in published if row["measure"] == "share"]
    assert found == expected


def test_the_archive_is_written_without_holding_the_responses(tmp_path, monkeypatch):
    """They come from an iterator that permits no second one at the same time.

    Files with labels hold the responses, so there is a limit for them.
    """
    monkeypatch.setattr(archive, "MAX_CELLS_WITH_LABELS", 1_000)
    alive: set[int] = set()

    class Row(tuple):
        def __del__(self):
            alive.discard(id(self))

    def arriving():
        for number in range(5_000):
            assert len(alive) < 2_000
            row = Row((number % 2,))
            alive.add(id(row))
            yield row

    with (tmp_path / "all.zip").open("wb") as file:
        write_archive(file, freeze(parse_survey(definition())), "browser", arriving())
    packed_files = zipfile.ZipFile(tmp_path / "all.zip")
    assert len(packed_files.read("responses.csv").splitlines()) == 5_001
    assert not {*LABELLED_FILES} & {*packed_files.namelist()}


@pytest.mark.parametrize(("responses", "there"), [(0, True), (20, True), (21, False)])
def test_files_with_labels_are_in_the_archive_up_to_a_limit(responses, there, monkeypatch):
    """They are those of the results page, and README and codebook list them."""
    monkeypatch.setattr(archive, "MAX_CELLS_WITH_LABELS", 40)
    frozen = freeze(parse_survey(definition(yes_no(), yes_no("drinks"))))
    rows = [(number % 2, 0) for number in range(responses)]
    files = zipfile.ZipFile(io.BytesIO(packed(frozen, rows, "simulated")))
    read_me = files.read("simulated-README.txt").decode()
    for name, kind in LABELLED_FILES.items():
        assert (f"simulated-{name}" in files.namelist()) == there
        assert (f"simulated-{name}" in read_me) == there
        if there:
            write, _ = DATA_FILES[kind]
            assert files.read(f"simulated-{name}") == write(frozen.survey, rows)


def test_the_archive_says_who_was_asked_and_on_which_days():
    survey = parse_survey(definition(recruitment="All 500 members"))
    file, days = io.BytesIO(), FieldDays(date(2026, 3, 30), None)
    write_archive(file, freeze(survey), "browser", [], field_days=days)
    with zipfile.ZipFile(file) as packed_files:
        texts = {
            name: packed_files.read(name).decode() for name in ("codebook.html", "citation.txt")
        }
    for text in texts.values():
        assert "All 500 members" in text
    assert "The survey opened on 30 March 2026 (UTC)." in texts["citation.txt"]


def test_the_codebook_says_when_a_choice_is_offered():
    province, district, _ = cascades.chain(1, 1)
    # People in the last province have no district to choose.
    district["choices"] = district["choices"][:-1]
    survey = parse_survey(definition(province, district))
    frozen = freeze(survey)
    archive = zipfile.ZipFile(io.BytesIO(packed(frozen, iter([(0, 0), (1, 1), (2, 2)]))))
    page = archive.read("codebook.html").decode()
    assert page.count('<th scope="col">Offered only if</th>') == 1
    assert "<td><code>province</code> is dn</td>" in page
    assert "<dt>Without choices to offer</dt><dd>the answer is <code>not_asked</code></dd>" in page
