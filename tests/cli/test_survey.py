"""Commands of surveys: the instruments."""

import json
from collections.abc import Callable
from pathlib import Path

import pytest

from survey.definition.instruments.read_instruments import read_instruments
from survey.formats.xlsx import write_workbook
from survey.store import Store


def test_instruments_are_listed_with_their_terms(run: Callable[..., str]) -> None:
    listed = run("survey", "instruments")
    for each in read_instruments().values():
        assert f"{each.slug}: {each.title}\n  Language: English\n" in listed
        assert f"  Citation: {each.citation}\n  Terms of use: {each.terms}\n" in listed


@pytest.mark.parametrize("name", read_instruments())
def test_the_definition_of_an_instrument_can_be_imported(
    run: Callable[..., str], store: Store, name: str, tmp_path: Path
) -> None:
    file = tmp_path / "instrument.json"
    file.write_text(run("survey", "instruments", name), encoding="utf-8")
    run("survey", "import", str(file), "--open")
    stored = store.surveys.by_slug(name)
    assert stored.state == "open"
    assert stored.survey.as_definition() == read_instruments()[name].survey().as_definition()


def test_an_unknown_instrument_is_refused_with_the_names(run: Callable[..., str]) -> None:
    message = run("survey", "instruments", "phq-10", code=1)
    assert "There is no instrument 'phq-10'. Choose one of: audit-c, gad-2, gad-7," in message


def test_a_taken_name_is_refused_with_the_place_of_another(
    run: Callable[..., str], tmp_path: Path
) -> None:
    definition, surveyjs = tmp_path / "instrument.json", tmp_path / "other.json"
    definition.write_text(run("survey", "instruments", "gad-2"), encoding="utf-8")
    element = {"type": "boolean", "name": "q"}
    surveyjs.write_text(json.dumps({"title": "Tea", "elements": [element]}), encoding="utf-8")
    workbook = tmp_path / "form.xlsx"
    question = {"type": "text", "name": "a", "label": "A?"}
    workbook.write_bytes(write_workbook({"survey": [question], "settings": [{"form_id": "form"}]}))
    places = {definition: "slug", surveyjs: "title", workbook: "settings, column form_id"}
    for file, place in places.items():
        slug = run("survey", "import", str(file)).partition(":")[0]
        message = run("survey", "import", str(file), code=1)
        refusal = f"There is already a survey '{slug}'. Choose another name. The file states it"
        assert f"{refusal} here: {place}." in message
