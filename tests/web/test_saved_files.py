"""Saved analyses and coded texts in the ZIP."""

import csv
import io
from pathlib import Path

from flask import Flask

from survey.definition.responses.parse_response import Response
from survey.store import Store
from survey.store.sql.codes import coded_text_key
from tests.support.definitions import definition, opened, yes_no
from tests.support.every_type import asked
from tests.support.researchers import signed_in
from tests.support.saved_analyses import QUESTIONS, SAVED, answers, save_all, unzipped
from tests.support.texts_apart import publish_texts


def test_the_files_of_an_analysis_are_those_of_its_page(
    app: Flask, store: Store, tmp_path: Path
) -> None:
    opened(store, definition(*QUESTIONS), "closed")
    store.responses.add_batches("health", [answers(80)], "loaded")
    save_all(store, a=SAVED["tree"][:2], b=SAVED["share by group"][:2])
    files = unzipped(app, tmp_path)
    reader = signed_in(app, "reader").client
    for number, name in enumerate(("tree", "share by group"), 1):
        kind, query, _ = SAVED[name]
        for ending in ("csv", "json", "svg"):
            address = f"/admin/surveys/health/analysis/{kind}.{ending}?{query}"
            shown = reader.get(address).get_data(as_text=True)
            assert files[f"loaded-analysis-{number}.{ending}"] == shown


def test_an_analysis_that_cannot_be_computed_says_why(
    app: Flask, store: Store, tmp_path: Path
) -> None:
    opened(store, definition(*QUESTIONS))
    save_all(store, a=SAVED["three"][:2], b=("groups", "measure=gone%3A1&group=party"))
    files = unzipped(app, tmp_path)
    assert files["analysis-1.txt"].startswith("a\n")
    assert "No responses" in files["analysis-1.txt"]
    assert "Compare:" in files["analysis-2.txt"]
    assert not [name for name in files if name.startswith("analysis-") and name.endswith("csv")]


def test_a_survey_without_them_has_the_same_zip_as_before(
    app: Flask, store: Store, tmp_path: Path
) -> None:
    opened(store, definition(by_hand=True))
    assert not [name for name in unzipped(app, tmp_path) if name.startswith(("analys", "coded"))]


def test_coded_texts_are_in_the_zip(app: Flask, store: Store, tmp_path: Path) -> None:
    remarks = asked("remarks", "text", "none")
    opened(store, definition(yes_no(), remarks, texts_apart=True, by_hand=True))
    there = Response(bytes(16), ("too expensive",))
    store.responses.add_response("health", Response(b"\1" * 16, (0,), texts=there))
    publish_texts(store)
    store.codes.add_code("health", "cost")
    [code] = store.codes.code_list("health")
    store.codes.set_codings("health", "ada", {coded_text_key(bytes(16), "remarks"): [code.number]})
    files = unzipped(app, tmp_path)
    rows = list(csv.DictReader(io.StringIO(files["coded-texts.csv"])))
    assert [(row["text"], row["coder"], row["cost"]) for row in rows] == [
        ("too expensive", "ada", "1")
    ]
    assert "coded-texts.csv" in files["README.txt"]
