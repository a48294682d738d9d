"""The archive of surveys, and copies of them."""

import pytest

from survey.core.errors import StateError, UnknownSurvey
from survey.definition.responses.invitation_codes import token_hash
from survey.definition.survey import MAX_SLUG_CHARACTERS, parse_survey
from survey.store import Limits, Store
from tests.admin.overviews import OVERVIEW, text_of
from tests.support.batches import responses
from tests.support.database_contents import with_texts_apart
from tests.support.definitions import definition, opened
from tests.support.every_type import EVERY_TYPE

pytestmark = pytest.mark.both_stores


def test_an_archived_survey_is_out_of_the_list_and_comes_back(researcher, store: Store, app):
    opened(store, definition())
    with pytest.raises(StateError, match="Close it first"):
        store.lifecycle.set_archived("health", True)
    store.lifecycle.set_state("health", "closed")
    assert researcher.post(f"{OVERVIEW}/archive", form=OVERVIEW).location == "/admin/"
    listed = text_of(researcher.client.get("/admin/"))
    assert "All surveys are archived." in listed
    assert "Archived (1)" in listed
    assert OVERVIEW not in listed
    listed = text_of(researcher.client.get("/admin/?show=archived"))
    assert f'<a href="{OVERVIEW}">Health</a>' in listed
    assert "<span>archived</span>" in listed
    assert "health: archived" in app.test_cli_runner().invoke(args=["survey", "list"]).output
    page = text_of(researcher.client.get(OVERVIEW))
    assert "<dd>archived</dd>" in page
    assert "Reopen survey" not in page
    reply = researcher.post(f"{OVERVIEW}/open", form=OVERVIEW)
    assert reply.status_code == 409
    assert "Unarchive it first" in text_of(reply)
    # What is refused changes nothing, also not the limits in the same form.
    before = store.surveys.by_slug("health").limits
    reply = researcher.post(f"{OVERVIEW}/open", {"cap": "50", "target": "20"}, form=OVERVIEW)
    assert reply.status_code == 409
    assert store.surveys.by_slug("health").limits == before
    # Its results are still available.
    assert researcher.client.get(f"{OVERVIEW}/results").status_code == 200
    assert researcher.post(f"{OVERVIEW}/restore", form=OVERVIEW).location == OVERVIEW
    assert OVERVIEW in text_of(researcher.client.get("/admin/"))
    store.lifecycle.set_state("health", "open")


def test_any_survey_is_copied_as_a_new_draft(researcher, store: Store):
    content = definition(
        *EVERY_TYPE["questions"], by_hand=False, comprehension=True, batch=7, invitations=True,
        language="en", support="Call *us*.",
    )  # fmt: skip
    opened(store, content)
    store.lifecycle.set_limits("health", Limits(cap=5))
    store.invitations.add_invitations("health", [token_hash("A" * 26)])
    store.responses.add_response("health", with_texts_apart(responses(1)[0], "A" * 26))
    reply = researcher.post(f"{OVERVIEW}/copy", form=OVERVIEW)
    assert reply.location == "/admin/surveys/health-copy/edit"
    copy = store.surveys.by_slug("health-copy")
    assert (copy.state, copy.origin, copy.limits) == ("draft", "browser", Limits())
    assert copy.survey.title == "Copy of Health"
    was, now = (store.surveys.by_slug(s).survey.as_definition() for s in ("health", "health-copy"))
    same = {"slug": "", "title": ""}
    assert was | same == now | same
    assert store.invitations.issued_and_spent("health-copy") == (0, 0)
    assert store.surveys.by_slug("health").state == "open"
    with pytest.raises(UnknownSurvey):
        store.surveys.by_slug("health-copy.comprehension")
    # A second time, also for the copy.
    for path in (OVERVIEW, f"{OVERVIEW}-copy"):
        researcher.post(f"{path}/copy", form=OVERVIEW)
    slugs = {each.survey.slug for each in store.surveys.all()}
    assert slugs == {"health", "health-copy", "health-copy-2", "health-copy-copy"}


def test_the_address_and_title_of_a_copy_fit(researcher, store: Store):
    slug = "a" * MAX_SLUG_CHARACTERS
    opened(store, definition(slug=slug) | {"title": "T" * 300})
    for ending in ("-copy", "-copy-2"):
        researcher.post(f"/admin/surveys/{slug}/copy", form=f"/admin/surveys/{slug}")
        found = store.surveys.by_slug("a" * (MAX_SLUG_CHARACTERS - len(ending)) + ending).survey
        assert found.title == "Copy of " + "T" * 292


@pytest.mark.parametrize(
    ("language", "title"),
    [("en", "Copy of Health"), ("vi", "Bản sao của Health"), ("th", "สำเนาของ Health"),
     ("zh", "副本：Health")],
)  # fmt: skip
def test_a_copy_is_called_one_in_the_language_of_each_title(
    researcher, store: Store, language, title
):
    further = "th" if language != "th" else "vi"
    content = definition(language=language, translations={further: {"title": "X 100 %"}})
    store.surveys.save_draft(parse_survey(content))
    researcher.post(f"{OVERVIEW}/copy", form=OVERVIEW)
    copy = store.surveys.by_slug("health-copy").survey
    assert copy.title == title
    called = {"th": "สำเนาของ X 100 %", "vi": "Bản sao của X 100 %"}
    assert copy.in_language(further).title == called[further]
