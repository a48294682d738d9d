"""The page on which a teacher chooses the privacy loss of a class."""

import html
import re

import pytest

from survey.definition.survey import parse_survey
from survey.store import ANALYST
from tests.support.classes import class_definition
from tests.support.definitions import definition, opened, yes_no
from tests.support.researchers import signed_in

pytestmark = pytest.mark.both_stores

PAGE = "/admin/surveys/health/class-loss"


def draft(store, content=None):
    store.surveys.save_draft(parse_survey(content or class_definition()))


def rows(page: str) -> dict[str, list[str]]:
    """The cells of each choice in the first table."""
    table = page.split("<tbody>")[1].split("</tbody>")[0]
    return {
        choice: re.findall(r'<td class="figure"[^>]*>([^<]*)</td>', row.replace("\u00a0", " "))
        for choice, row in re.findall(r'<tr data-choice="([^"]+)">(.*?)</tr>', table, re.DOTALL)
    }


def test_each_choice_stands_next_to_its_intervals(store, researcher):
    draft(store)
    page = researcher.client.get(PAGE).text
    assert rows(page) == {
        "coins": ["1.10", "10 % to 90 %", rows(page)["coins"][2]],
        "2": ["2.00", "22 % to 78 %", rows(page)["2"][2]],
        "3": ["3.00", "26 % to 74 %", rows(page)["3"][2]],
    }
    assert re.search(r'<input checked[^>]*value="coins"', page)


def test_a_phone_shows_the_heading_of_each_cell(store, researcher):
    draft(store)
    labels = re.findall(
        r'<td class="figure" data-label="([^"]*)"', researcher.client.get(PAGE).text
    )
    assert labels == 3 * ["ε", "20 people", "40 people"]


def test_the_teacher_chooses_before_the_class_opens(store, researcher):
    draft(store)
    reply = researcher.post(PAGE, {"choice": "3"})
    assert (reply.status_code, reply.location) == (302, "/admin/surveys/health")
    assert 2.9 < store.surveys.by_slug("health").survey.private[0].epsilon <= 3
    assert "The total privacy loss of one respondent is ε = 3.00." in (
        researcher.client.get("/admin/surveys/health").text
    )
    assert re.search(r'<input checked[^>]*value="3"', researcher.client.get(PAGE).text)
    assert store.audit.acts()[0].action == "chose the privacy loss of the class"


def test_a_value_of_ones_own_gets_its_row_and_can_be_chosen(store, researcher):
    draft(store)
    page = researcher.client.get(f"{PAGE}?own=1.50").text
    assert list(rows(page)) == ["coins", "2", "3", "1.5"]
    reply = researcher.post(f"{PAGE}?own=1.50", {"choice": "1.5"})
    assert reply.status_code == 302
    assert 1.4 < store.surveys.by_slug("health").survey.private[0].epsilon <= 1.5


@pytest.mark.parametrize("own", ["0", "-1", "12.01", "x", "1e999999", "NaN"])
def test_a_value_out_of_range_is_explained(store, researcher, own):
    draft(store)
    reply = researcher.client.get(PAGE, query_string={"own": own})
    assert reply.status_code == 422
    assert "Type a number from 0.01 to 12." in reply.text
    assert list(rows(reply.text)) == ["coins", "2", "3"]


def test_what_was_not_offered_is_refused(store, researcher):
    draft(store)
    for choice in ("1.7", "", "coins; drop"):
        assert researcher.post(PAGE, {"choice": choice}).status_code == 422
    assert store.surveys.by_slug("health").survey.private[0].mechanism == "coin_flip"


def test_a_loss_above_the_limits_of_the_server_is_refused_with_the_limit(store, researcher):
    draft(store)
    page = html.unescape(researcher.client.get(f"{PAGE}?own=12").text)
    assert "The limit is" in page
    reply = researcher.post(f"{PAGE}?own=12", {"choice": "12"})
    assert reply.status_code == 422
    assert "The limit is" in reply.text
    assert store.surveys.by_slug("health").survey.private[0].mechanism == "coin_flip"


def test_a_class_without_such_a_question_says_so(store, researcher):
    draft(store, class_definition(yes_no(privacy="none")))
    assert "so there is nothing to choose here" in researcher.client.get(PAGE).text


def test_only_drafts_in_class_mode_have_the_page(store, researcher):
    draft(store, definition(yes_no()))
    reply = researcher.client.get(PAGE)
    assert (reply.status_code, "is not in class mode" in reply.text) == (409, True)
    assert PAGE not in researcher.client.get("/admin/surveys/health").text
    opened(store, class_definition(slug="open"))
    reply = researcher.client.get("/admin/surveys/open/class-loss")
    assert (reply.status_code, "You can change only drafts" in reply.text) == (409, True)


def test_the_tab_of_a_draft_leads_to_the_page_for_those_who_may_change_it(store, app, researcher):
    draft(store)
    assert f'href="{PAGE}"' in researcher.client.get("/admin/surveys/health").text
    someone = signed_in(app, "eve", ANALYST)
    assert PAGE not in someone.client.get("/admin/surveys/health").text
    assert someone.client.get(PAGE).status_code == 403


def test_the_sheets_for_the_class_are_linked(store, researcher):
    draft(store)
    page = researcher.client.get(PAGE).text
    assert 'href="/learn/exercises' in page
    assert 'href="/learn/answers' in page
    opened(store, class_definition(slug="open"))
    assert 'href="/learn/exercises' in researcher.client.get("/admin/surveys/open/class").text


@pytest.mark.parametrize("language", ["en", "vi", "th", "zh"])
def test_each_language_has_the_page(store, researcher, language):
    draft(store)
    reply = researcher.client.get(PAGE, headers={"Accept-Language": language})
    assert reply.status_code == 200
    assert f'<html lang="{language}' in reply.text
    assert len(rows(reply.text)) == 3
