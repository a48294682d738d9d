"""Commands of surveys: definitions are imported, listed and opened; instruments."""

import json
from collections.abc import Callable
from datetime import timedelta
from pathlib import Path

import pytest

from survey.definition.instruments.read_instruments import read_instruments
from survey.formats.xlsx import write_workbook
from survey.server.clock import today
from survey.store import Store
from tests.support.definitions import definition, yes_no
from tests.support.written import write


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


def test_a_definition_is_imported_listed_and_opened(run, store, tmp_path):
    file = write(tmp_path / "health.json", definition())
    assert run("survey", "import", file) == "health: draft, 1 question\n"
    assert run("survey", "list") == "health: draft, 0 responses, epsilon 1.10\n"
    other = write(tmp_path / "other.json", definition(slug="other"))
    assert run("survey", "import", other, "--open") == "other: open, 1 question\n"
    assert store.surveys.by_slug("other").state == "open"


def test_opening_a_class_says_when_it_is_erased(run, store, tmp_path):
    file = write(tmp_path / "class.json", definition(class_mode=True, batch=5))
    assert run("survey", "import", file, "--open").splitlines() == [
        "health: open, 1 question",
        "health: in class mode, so Candor erases it at the end of tomorrow (UTC)",
    ]
    assert store.surveys.by_slug("health").last_class_day == today() + timedelta(days=1)
    draft = write(tmp_path / "draft.json", definition(class_mode=True, batch=5, slug="draft"))
    assert run("survey", "import", draft) == "draft: draft, 1 question\n"


@pytest.mark.parametrize(
    ("content", "words"),
    [
        ("{", "This is not JSON"),
        (definition(slug="A"), "slug: is 'A'"),
        (
            definition(yes_no(privacy={"epsilon": 0})),
            "questions[0].privacy: epsilon must be above 0",
        ),
    ],
)
def test_a_faulty_definition_is_a_sentence_and_stores_nothing(run, store, tmp_path, content, words):
    assert words in run("survey", "import", write(tmp_path / "x.json", content), code=1)
    assert store.surveys.all() == []


def test_a_survey_without_finite_epsilon_is_not_opened_and_not_stored(run, store, tmp_path):
    one_sided = yes_no(privacy={"mechanism": "table", "rows": [[2, 0], [1, 1]]})
    file = write(tmp_path / "x.json", definition(one_sided))
    assert "no finite epsilon" in run("survey", "import", file, "--open", code=1)
    assert store.surveys.all() == []


def test_unknown_surveys_are_a_sentence(run, tmp_path):
    assert "There is no survey 'x'" in run("analyse", "estimate", "x", code=1)
    truth = write(tmp_path / "truth.json", {})
    assert "no survey" in run("responses", "simulate", "x", "--n", "5", "--truth", truth, code=1)
    truth = write(tmp_path / "truth.json", "{")
    run("survey", "import", write(tmp_path / "x.json", definition()))
    for content in ("{", "[" * 100_000):
        write(tmp_path / "truth.json", content)
        refused = run("responses", "simulate", "health", "--n", "5", "--truth", truth, code=1)
        assert "is not valid JSON" in refused
