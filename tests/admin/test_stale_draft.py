"""A builder form whose draft has changed in the meantime: nothing is overwritten or lost."""

import re
from html import unescape

import pytest

from survey.definition.survey import parse_survey
from survey.store import EDITOR
from tests.support.builder_forms import Form, filled, hidden, sent_again
from tests.support.definitions import definition, yes_no
from tests.support.researchers import signed_in

pytestmark = pytest.mark.fast

PLACE = "/admin/surveys/health"
PATH = f"{PLACE}/edit"
MOMENT = r"</span>, \d{4}-\d\d-\d\d \d\d:\d\d:\d\d UTC\."


def opened_form(researcher):
    """A draft, and the fields that its form sends after typing."""
    researcher.post("/admin/surveys/new", filled({"name": "a", "label": "One?"}))
    return sent_again(researcher, PATH) | {"questions-0-label": "Mine?"}


def two_tabs(researcher, other=None):
    """The form's fields, for a draft that was saved in another tab in the meantime."""
    mine = opened_form(researcher)
    theirs = sent_again(other or researcher, PATH)
    theirs |= {"title": "Theirs", "questions-0-hint": "their hint"}
    assert (other or researcher).client.post(PATH, data=theirs).status_code == 302
    return mine


def refused(researcher, form):
    """The page for an outdated form. It shows the typed texts."""
    reply = researcher.client.post(PATH, data=form)
    page = unescape(reply.get_data(as_text=True))
    assert reply.status_code == 409
    assert "Nothing is lost: your changes are below." in page
    shown = Form()
    shown.feed(reply.get_data(as_text=True))
    assert shown.fields["questions-0-label"] == "Mine?"
    assert 'name="do" value="save-copy">Save my version as a copy</button>' in page
    return page


def their_version(page):
    """The address of the other version, on the page."""
    found = re.search(r'href="([^"]+)" target="_blank">Open the saved version', page)
    return found and found[1]


def test_a_form_that_is_out_of_date_comes_back_and_overwrites_nothing(store, researcher):
    mine = two_tabs(researcher)
    for action in ("save", "close", "save"):
        page = refused(researcher, mine | {"do": action})
        assert "Not saved: this draft has changed" in page
        assert re.search(f'You <span lang="en">saved the draft{MOMENT}', page)
        assert their_version(page) == PATH
        survey = store.surveys.by_slug("health").survey
        assert (survey.title, survey.questions[0].label) == ("Theirs", "One?")


def test_it_says_who_else_saved(app, researcher):
    mine = two_tabs(researcher, other=signed_in(app, "ben", EDITOR))
    assert re.search(f'ben <span lang="en">saved the draft{MOMENT}', refused(researcher, mine))


def test_what_the_log_does_not_have_is_not_made_up(store, researcher):
    mine = opened_form(researcher)
    store.surveys.save_draft(parse_survey(definition(title="Theirs")), replacing="health")
    page = refused(researcher, mine)
    assert (
        "Someone changed the draft in another tab or on another device after you "
        "opened the draft here." in page
    )


def test_a_form_that_does_not_say_what_it_was_made_from_is_out_of_date(store, researcher):
    mine = opened_form(researcher)
    del mine["seen"]
    page = refused(researcher, mine)
    assert re.search(r'name="seen"[^>]*value=""', page)
    assert store.surveys.by_slug("health").survey.questions[0].label == "One?"


def test_a_form_that_is_sent_twice_is_in_date(researcher):
    mine = opened_form(researcher)
    for _ in range(2):
        assert researcher.client.post(PATH, data=mine).status_code == 302


def saved_as_copy(store, researcher, form, path=PATH):
    """The draft that the button creates."""
    reply = researcher.client.post(path, data=form | {"do": "save-copy"})
    assert reply.status_code == 302
    survey = store.surveys.by_slug(reply.location.split("/")[3]).survey
    assert reply.location == f"/admin/surveys/{survey.slug}/edit"
    assert survey.questions[0].label == "Mine?"
    assert "Draft saved." in researcher.client.get(reply.location).get_data(as_text=True)
    return survey


def test_a_copy_has_what_was_typed_and_leaves_the_other_version(store, researcher):
    mine = two_tabs(researcher) | {"respondents": "70"}
    copy = saved_as_copy(store, researcher, mine)
    assert (copy.slug, copy.title) == ("health-copy", "Copy of Health")
    assert store.surveys.by_slug(copy.slug).limits.target == 70
    theirs = store.surveys.by_slug("health").survey
    assert (theirs.title, theirs.questions[0].hint) == ("Theirs", "their hint")
    assert saved_as_copy(store, researcher, mine).slug == "health-copy-2"
    kept = saved_as_copy(store, researcher, mine | {"slug": "mine"})
    assert (kept.slug, kept.title) == ("mine", "Health")


def test_a_copy_keeps_the_translations_of_what_is_still_there(store, researcher):
    content = definition(yes_no("a", label="One?"), translations={"vi": {"title": "Sức khỏe"}})
    store.surveys.save_draft(parse_survey(content))
    mine = sent_again(researcher, PATH) | {"questions-0-label": "Mine?"}
    store.surveys.save_draft(parse_survey(content | {"introduction": "Theirs"}), replacing="health")
    refused(researcher, mine)
    copy = saved_as_copy(store, researcher, mine)
    assert copy.in_language("vi").title == "Bản sao của Sức khỏe"


def test_a_copy_with_a_fault_is_not_saved(store, researcher):
    mine = two_tabs(researcher)
    reply = researcher.client.post(PATH, data=mine | {"title": "", "do": "save-copy"})
    assert reply.status_code == 422
    assert "Title: type a title." in reply.get_data(as_text=True)
    assert [each.slug for each in store.surveys.list_surveys()] == ["health"]


def renamed(researcher):
    form = sent_again(researcher, PATH) | {"slug": "wellbeing"}
    assert researcher.client.post(PATH, data=form).status_code == 302


def deleted(researcher):
    researcher.post(f"{PLACE}/delete", form=PLACE)


def now_open(researcher):
    seen = {"fingerprint": hidden(researcher, PLACE, "fingerprint"), "looked": "yes"}
    assert researcher.post(f"{PLACE}/open", seen, form=PLACE).status_code == 302


def now_closed(researcher):
    now_open(researcher)
    researcher.post(f"{PLACE}/close", form=PLACE)


def now_archived(researcher):
    now_closed(researcher)
    researcher.post(f"{PLACE}/archive", form=PLACE)


@pytest.mark.parametrize(
    ("errand", "heading", "act", "address"),
    [
        (renamed, "this draft has changed", "saved the draft, and changed its address from health",
         "/admin/surveys/wellbeing/edit"),
        (deleted, "this draft no longer exists", "deleted the draft", None),
        (now_open, "this survey is now open", "opened the survey", PLACE),
        (now_closed, "this survey is now closed", "closed the survey", PLACE),
        (now_archived, "this survey is now archived", "archived the survey", PLACE),
    ],
)  # fmt: skip
def test_what_was_typed_is_kept_where_the_draft_is_none_any_more(
    app, store, researcher, errand, heading, act, address
):
    mine = opened_form(researcher)
    errand(signed_in(app, "ben", EDITOR))
    before = store.surveys.list_surveys()
    page = refused(researcher, mine)
    assert f"Not saved: {heading}" in page
    assert re.search(f'ben <span lang="en">{re.escape(act)}{MOMENT}', page)
    assert their_version(page) == address
    # The page for a new survey offers the form that the browser kept.
    assert 'action="/admin/surveys/new"' in page
    assert store.surveys.list_surveys() == before
    # From that page, and from a page that was loaded before the deletion of the draft.
    slugs = [
        saved_as_copy(store, researcher, mine, path).slug for path in ("/admin/surveys/new", PATH)
    ]
    free = errand in (renamed, deleted)
    assert slugs == (["health", "health-copy"] if free else ["health-copy", "health-copy-2"])
    assert [each for each in store.surveys.list_surveys() if each.slug not in slugs] == before


def test_a_draft_whose_choices_have_line_ends_can_be_edited(store, researcher):
    choices = [{"name": "a", "label": "One\nmore"}, {"name": "b", "label": "Two"}]
    several = yes_no() | {"type": "select_one", "choices": choices}
    store.surveys.save_draft(parse_survey(definition(several)))
    form = sent_again(researcher, PATH)
    assert researcher.client.post(PATH, data=form).status_code == 302
    labels = [
        choice.label for choice in store.surveys.by_slug("health").survey.questions[0].choices
    ]
    assert labels == ["One more", "Two"]


def test_translating_in_another_tab_is_no_conflict(store, researcher):
    researcher.post("/admin/surveys/new", filled() | {"languages": "vi"})
    mine = sent_again(researcher, PATH)
    place = "/admin/surveys/health/translations/vi"
    texts = {"title": "Sức khỏe", "seen": hidden(researcher, place, "seen")}
    assert researcher.post(place, texts).status_code == 302
    assert researcher.client.post(PATH, data=mine | {"title": "New"}).status_code == 302
    survey = store.surveys.by_slug("health").survey
    assert survey.title == "New"
    assert survey.in_language("vi").title == "Sức khỏe"
