"""The page of a class for the projector, and the end of the class."""

import html
import re

import pytest

from survey.core.errors import StateError, UnknownSurvey
from survey.store import ANALYST
from tests.support.classes import class_definition, is_erased, send
from tests.support.definitions import definition, opened, yes_no
from tests.support.researchers import signed_in

pytestmark = pytest.mark.both_stores

PAGE = "/admin/surveys/health/class"
END = f"{PAGE}/end"


def hidden(page: str, name: str = "seen") -> str:
    return html.unescape(re.search(rf'name="{name}" type="hidden" value="([^"]*)"', page)[1])


def dots(page: str) -> int:
    """The number of estimates in the chart, without that of the legend."""
    return page.split('<ul class="legend">')[0].count('<circle class="estimate"')


def looked(researcher, page: str = "", **fields):
    """Send the form of the page, with what the page has seen."""
    return researcher.post(PAGE, {"watched": "0", "seen": hidden(page) if page else "", **fields})


def test_it_shows_the_code_the_link_and_the_number_of_responses(store, researcher):
    opened(store, class_definition())
    send(store, 0, 1, 0)
    page = researcher.client.get(PAGE).text
    assert 'src="/admin/surveys/health/link.svg"' in page
    assert '<p class="address">http://127.0.0.1:8000/s/health</p>' in page
    assert '<strong data-text="responses">3</strong>' in page
    assert "No estimate yet." in page
    assert dots(page) == 0


def test_the_first_estimate_comes_with_five_responses(store, researcher):
    opened(store, class_definition())
    send(store, 0, 0, 0, 1)
    assert "No estimate yet." in researcher.client.get(PAGE).text
    send(store, 1, seed=2)
    page = researcher.client.get(PAGE).text
    # 2 × 3/5 − 1/2
    assert re.search(r"Yes</span>: <strong>70\s%", page)
    assert "from 5 responses" in page
    assert dots(page) == 1


def test_the_page_keeps_what_it_has_seen(store, researcher):
    opened(store, class_definition())
    send(store, 0, 1, 0, 1, 1)
    page = researcher.client.get(PAGE).text
    send(store, 0, 1, 0, 0, 1, seed=2)
    second = looked(researcher, page)
    assert (second.status_code, dots(second.text)) == (200, 2)
    send(store, 0, 1, 0, seed=3)
    third = looked(researcher, second.text)
    assert dots(third.text) == 2  # The next batch is not full.
    # A page that has just been opened has not seen the first batch.
    assert dots(researcher.client.get(PAGE).text) == 1


@pytest.mark.parametrize("language", ["en", "vi", "th", "zh"])
def test_each_language_has_the_estimate_and_the_end(store, researcher, language):
    opened(store, class_definition())
    send(store, 0, 1, 0, 1, 1)
    named = {"Accept-Language": language}
    for path in (PAGE, f"{PAGE}/end"):
        reply = researcher.client.get(path, headers=named)
        assert reply.status_code == 200
        assert f'<html lang="{language}' in reply.text
    assert dots(researcher.client.get(PAGE, headers=named).text) == 1


@pytest.mark.parametrize("forged", ["", "[]", "W10.wrong", "eyJhIjoxfQ.AAAA"])
def test_forged_counts_are_left_out(store, researcher, forged):
    opened(store, class_definition())
    send(store, 0, 1, 0, 1, 1)
    reply = researcher.post(PAGE, {"watched": "0", "seen": forged})
    assert (reply.status_code, dots(reply.text)) == (200, 1)


def test_counts_of_another_survey_are_left_out(store, researcher):
    opened(store, class_definition())
    opened(store, class_definition(yes_no("drinks"), slug="other"))
    send(store, 0, 1, 0, 1, 1)
    send(store, *[0, 1] * 5, slug="other")
    seen = hidden(researcher.client.get(PAGE).text)
    other = researcher.post("/admin/surveys/other/class", {"watched": "0", "seen": seen})
    assert dots(other.text) == 1


def test_the_raised_hands_stand_next_to_the_estimate(store, researcher):
    opened(store, class_definition())
    send(store, 0, 0, 0, 1, 1)
    reply = looked(researcher, raised="7", asked="20")
    assert "7 of 20 people raised a hand: 35 %. The 95 % interval contains this share." in (
        reply.text.replace("\N{NO-BREAK SPACE}", " ")
    )
    assert '<line class="hands"' in reply.text


def test_the_share_of_raised_hands_is_written_as_the_language_does(store, researcher):
    opened(store, class_definition())
    send(store, 0, 0, 0, 1, 1)
    form = {"csrf_token": researcher.token(PAGE), "watched": "0", "raised": "7", "asked": "20"}
    reply = researcher.client.post(PAGE, data=form, headers={"Accept-Language": "vi"})
    assert "7 trong 20 người đã giơ tay: 35%." in reply.text.replace("\N{NO-BREAK SPACE}", " ")


@pytest.mark.parametrize(
    ("fields", "fault"),
    [
        ({"raised": "21", "asked": "20"}, "More people raised a hand than were asked."),
        ({"raised": "-1", "asked": "20"}, "Type a number between 0 and 10000."),
        ({"raised": "some", "asked": "20"}, "This is not a whole number. Type one, such as 25."),
        ({"raised": "0", "asked": "0"}, "Type a number between 1 and 10000."),
    ],
)
def test_wrong_numbers_are_explained_and_nothing_else_is_lost(store, researcher, fields, fault):
    opened(store, class_definition())
    send(store, 0, 0, 0, 1, 1)
    reply = looked(researcher, **fields)
    assert reply.status_code == 422
    assert fault in reply.text
    assert dots(reply.text) == 1
    assert '<line class="hands"' not in reply.text


def test_one_number_alone_draws_nothing(store, researcher):
    opened(store, class_definition())
    reply = looked(researcher, raised="7")
    assert (reply.status_code, '<line class="hands"' in reply.text) == (200, False)


def test_the_teacher_chooses_the_question(store, researcher):
    colours = [{"name": "red", "label": "Red"}, {"name": "blue", "label": "Blue"},
               {"name": "green", "label": "Green"}]  # fmt: skip
    colour = {"name": "colour", "type": "select_one", "label": "Colour?", "choices": colours,
              "privacy": {"epsilon": 2}}  # fmt: skip
    opened(store, class_definition(yes_no(), colour))
    page = researcher.client.get(PAGE).text
    assert re.findall(r'<option[^>]*value="\d">([^<]*)', page) == [
        "Do you smoke? – Yes", "Colour? – Red", "Colour? – Blue", "Colour? – Green",
    ]  # fmt: skip
    for place, status in (("3", 200), ("4", 422), ("x", 422)):
        assert researcher.post(PAGE, {"watched": place}).status_code == status


def test_a_class_without_a_share_leads_to_the_results(store, researcher):
    number = {"name": "age", "type": "number", "label": "Age?", "min": 0, "max": 10,
              "privacy": {"epsilon": 1, "goal": "mean"}}  # fmt: skip
    opened(store, class_definition(number))
    page = researcher.client.get(PAGE).text
    assert "This survey has no question with a share to compare." in page
    assert researcher.post(PAGE, {}).status_code == 200


def test_other_surveys_and_drafts_have_no_such_page(store, researcher):
    opened(store, definition())
    for path in (PAGE, END):
        reply = researcher.client.get(path)
        assert reply.status_code == 409
        assert "is not in class mode" in reply.text
    assert "/class" not in researcher.client.get("/admin/surveys/health").text


def test_the_overview_leads_to_the_page(store, researcher):
    opened(store, class_definition())
    assert f'href="{PAGE}"' in researcher.client.get("/admin/surveys/health").text


def test_a_closed_class_still_shows_its_estimate(store, researcher):
    opened(store, class_definition())
    send(store, 0, 0, 0, 1, 1)
    store.lifecycle.set_state("health", "closed")
    page = researcher.client.get(PAGE).text
    assert "The survey is closed and accepts no more responses." in page
    assert "progress.js" not in page
    assert dots(page) == 1


# --- the end of the class


def test_one_confirmation_erases_everything(store, settings, researcher):
    opened(store, class_definition(by_hand=True, comprehension=True))
    send(store, 0, 0, 0, 1, 1, 0, 0)
    page = researcher.client.get(END).text
    assert "<strong>7 responses</strong>" in page
    assert "You cannot undo this." in page
    assert store.counts.number_of_responses("health") == 7  # Reading changes nothing.
    assert not is_erased(settings.database)
    reply = researcher.post(END)
    assert (reply.status_code, reply.location) == (302, "/admin/class-ended")
    last = researcher.client.get(reply.location).text
    assert "“Health” is erased, with 7 responses." in last
    assert "The class is over" in last
    with pytest.raises(UnknownSurvey):
        store.surveys.by_slug("health")
    assert is_erased(settings.database)
    for path in (PAGE, END, "/s/health", "/s/health/how", "/s/health.comprehension"):
        assert researcher.client.get(path).status_code == 404
    act = store.audit.acts()[0]
    assert (act.survey, act.action) == ("health", "ended the class and erased it")


def test_an_analyst_sees_the_page_and_cannot_end_the_class(store, app):
    opened(store, class_definition())
    someone = signed_in(app, "eve", ANALYST)
    page = someone.client.get(PAGE)
    assert page.status_code == 200
    assert END not in page.text
    assert someone.client.get(END).status_code == 403
    assert someone.post(END, form=PAGE).status_code == 403
    assert store.surveys.by_slug("health").state == "open"


def test_only_a_class_is_erased_this_way(store):
    opened(store, definition())
    with pytest.raises(StateError, match="is not in class mode"):
        store.lifecycle.end_class("health")
    assert store.surveys.by_slug("health").state == "open"
