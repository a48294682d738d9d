"""A survey with sections and skipped questions on every researcher's page and in every file."""

import csv
import io
import json
import zipfile

import pytest

from survey.definition.responses.parse_response import Response
from survey.definition.survey import parse_survey
from tests.support.definitions import definition, opened, yes_no

ADULT = {"min": 18}
CONTENT = definition(
    {"name": "age", "type": "number", "label": "How old are you?", "min": 0, "max": 120,
     "privacy": "none", "prefer_not_to_say": True, "optional": True},
    {"name": "work", "type": "section", "label": "Heading of work", "relevant": {"age": ADULT}},
    yes_no("paid", "none", label="Are you paid?"),
    yes_no("happy", label="Are you happy?") | {"prefer_not_to_say": True, "optional": True},
    {"name": "rest", "type": "section", "label": ""},
    {"name": "drink", "type": "select_one", "label": "What do you drink?", "privacy": "none",
     "choices": [{"name": "tea", "label": "Tea"}, {"name": "other", "label": "Other"}]},
    {"name": "drink_other", "type": "text", "privacy": "none",
     "label": "If you chose “Other”: please specify."},
    batch=1,
)  # fmt: skip
OVERVIEW = "/admin/surveys/health"
COLUMNS = ["age", "paid", "happy", "drink"]
PAGES = (
    "", "/results", "/plan", "/analysis", "/share", "/log", "/preview", "/results/alone",
    "/try-out", "/releases", "/analysis?columns=happy&columns=paid",
)  # fmt: skip


@pytest.fixture
def answered(store):
    """Sixty responses. A third of the respondents are 10 years old, and are not asked about work.
    Every fourth skips the question on the age."""
    frozen = opened(store, CONTENT)
    assert len(frozen.survey.fields) == 4
    for number in range(60):
        age = 121 if number % 4 == 0 else 10 if number % 3 == 0 else 40
        asked = age == 40
        reports = (age, number % 2 if asked else 2, number % 4, number % 2)
        texts = Response(bytes([number, 1] * 8), ("Cocoa" if number % 2 else "",))
        store.responses.add_response(
            "health", Response(bytes([number, 0] * 8), reports, texts=texts)
        )
    return frozen


@pytest.mark.slow
@pytest.mark.parametrize("path", PAGES)
def test_every_page_of_the_survey_works(researcher, answered, path):
    reply = researcher.client.get(f"/admin/surveys/health{path}")
    assert reply.status_code == 200


def test_a_section_has_no_results(researcher, answered):
    page = researcher.client.get("/admin/surveys/health/results").text
    assert "Are you happy?" in page
    # The filter of the page names it.
    assert page.count("Heading of work") == 1
    assert '<option value="work">Heading of work</option>' in page


def test_files_have_the_columns_of_questions_only(researcher, answered, store):
    rows = list(csv.reader(io.StringIO(
        researcher.client.get("/admin/surveys/health/responses.csv").get_data(as_text=True)
        .removeprefix("\ufeff")
    )))  # fmt: skip
    assert rows[0] == [*COLUMNS[:2], "happy.randomised", COLUMNS[3]]
    assert {row[0] for row in rows[1:]} == {"prefer_not_to_say", "10", "40"}
    assert {(row[0] == "40", row[1] == "not_asked") for row in rows[1:]} == {
        (True, False), (False, True),
    }  # fmt: skip
    for kind in ("xlsx", "dta", "sav"):
        reply = researcher.client.get(f"/admin/surveys/health/responses.{kind}")
        assert reply.status_code == 200
    store.lifecycle.set_state("health", "closed")
    packed = researcher.client.get("/admin/surveys/health/export.zip").data
    with zipfile.ZipFile(io.BytesIO(packed)) as archive:
        texts = archive.read("texts.csv").decode("utf-8-sig")
        assert texts.count("Cocoa") == 30
        codebook = next(name for name in archive.namelist() if name.endswith("codebook.html"))
        assert "Are you happy?" in archive.read(codebook).decode()
        definitions = [
            json.loads(archive.read(n)) for n in archive.namelist() if "codebook.json" in n
        ]
        assert all(parse_survey(each["definition"]) for each in definitions)


def test_a_copy_and_a_simulation_work(researcher, answered, store):
    assert researcher.post(f"{OVERVIEW}/copy", form=OVERVIEW).status_code == 302
    copy = next(s for s in store.surveys.list_surveys() if s.state == "draft")
    reply = researcher.client.get(f"/admin/surveys/{copy.slug}/try-out")
    assert reply.status_code == 200
    assert "Heading of work" not in reply.text
    page = researcher.client.get(f"/admin/surveys/{copy.slug}")
    assert "A section begins a new page. It has no answer." in page.text
    assert "(page break)" in page.text
