"""Dates on researchers' pages: the summary, files, the paper form, and k-anonymity."""

import csv
import io

import pytest

from survey.definition.responses.parse_response import Response
from tests.support.definitions import definition, opened, yes_no
from tests.support.researchers import signed_in
from tests.support.texts_apart import publish_texts

VISIT = {
    "name": "visit", "type": "date", "label": "Last visit?", "privacy": "none",
    "earliest": "2024-01-01", "latest": "2026-12-31",
}  # fmt: skip
GIVEN = ["2025-01-31", "2025-03-01", "2025-03-02", "", "2025-03-30", "2025-02-01"]


@pytest.fixture
def researcher(app):
    return signed_in(app)


@pytest.fixture
def apart(store):
    opened(store, definition(yes_no(), VISIT, batch=1))
    for number, day in enumerate(GIVEN):
        texts = Response(bytes([number]) * 16, (day,))
        store.responses.add_response("health", Response(bytes([number]) * 16, (0,), texts=texts))
    publish_texts(store)


@pytest.fixture
def together(store):
    opened(store, definition(yes_no(privacy="none"), VISIT, batch=1))
    for number, day in enumerate(GIVEN):
        store.responses.add_response("health", Response(bytes([number]) * 16, (0, day)))


@pytest.mark.parametrize("stored", ["apart", "together"])
def test_the_page_of_texts_summarises_dates(researcher, request, stored):
    request.getfixturevalue(stored)
    page = researcher.client.get("/admin/surveys/health/texts").get_data(as_text=True)
    assert "5 dates: from 2025-01-31 to 2025-03-30, median 2025-03-01." in page
    for period, count in (("2025-01", 1), ("2025-02", 1), ("2025-03", 3)):
        row = page[page.index(f'<th scope="row">{period}') :]
        assert row[: row.index("</tr>")].count(f">{count}</td>") == 1
    assert "2025-03-02" in page


def test_two_dates_with_the_same_label_are_not_mixed(researcher, store):
    again = VISIT | {"name": "again"}
    opened(store, definition(yes_no(privacy="none"), VISIT, again, batch=1))
    for number, day in enumerate(GIVEN):
        response = Response(bytes([number]) * 16, (0, day, "2026-05-05"))
        store.responses.add_response("health", response)
    page = researcher.client.get("/admin/surveys/health/texts").get_data(as_text=True)
    assert "5 dates: from 2025-01-31 to 2025-03-30, median 2025-03-01." in page
    assert "6 dates: from 2026-05-05 to 2026-05-05, median 2026-05-05." in page


def test_results_count_dates(researcher, together):
    page = researcher.client.get("/admin/surveys/health/results").get_data(as_text=True)
    assert "5 of 6 respondents gave a date." in page
    file = researcher.client.get("/admin/surveys/health/responses.csv").get_data(as_text=True)
    assert sorted(row["visit"] for row in csv.DictReader(io.StringIO(file))) == sorted(GIVEN)


def test_the_check_of_unique_respondents_names_dates(researcher, together):
    page = researcher.client.get("/admin/surveys/health/results/alone").get_data(as_text=True)
    assert "Candor does not count texts and dates." in page


def test_a_date_on_the_paper_form_is_checked(store, client):
    opened(store, definition(yes_no(), VISIT, by_hand=True, batch=1))
    page = client.get("/s/health/by-hand").get_data(as_text=True)
    assert '<input type="date" name="visit" min="2024-01-01" max="2026-12-31"' in page
