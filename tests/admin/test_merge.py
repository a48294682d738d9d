"""Two versions of one draft: told apart, and put together as the researcher chooses."""

import re
from html import unescape

import pytest

from survey.admin.builder.form_to_definition import to_form_data
from survey.admin.builder.merge import draft_differences, merged
from survey.definition.survey import parse_survey
from tests.support.builder_forms import filled, hidden, sent_again
from tests.support.definitions import definition, yes_no

pytestmark = pytest.mark.fast

PATH = "/admin/surveys/health/edit"


def data(*questions, **rest):
    return to_form_data(parse_survey(definition(*questions, **rest)))


def found(mine, theirs):
    return {each.key: each for each in draft_differences(mine, theirs, {"title": "Title"})}


A, B, C = (yes_no(name, label=f"{name}?") for name in "abc")


def test_equal_versions_do_not_differ_and_neither_do_ends_of_lines():
    mine = data(A, B, introduction="One\nTwo")
    theirs = data(A, B, introduction="One\nTwo")
    mine["introduction"] = "One\r\nTwo "
    assert found(mine, theirs) == {}


def test_each_field_and_question_that_differs_is_told_with_both_values():
    mine = data(A, B, title="Mine")
    theirs = data(A, yes_no("b", "none", "Other?"), title="Theirs")
    told = found(mine, theirs)
    assert set(told) == {"title", "question-b"}
    assert told["title"].fields == (("Title", "Mine", "Theirs"),)
    assert ("label", "b?", "Other?") in told["question-b"].fields
    assert ("privacy", "medium", "none") in told["question-b"].fields


def test_a_question_of_one_version_alone_and_another_order_are_told():
    told = found(data(A, B), data(C, B, A))
    assert (told["question-c"].mine, told["question-c"].theirs) == (False, True)
    assert told["order"].fields == (("Order", "a, b", "c, b, a"),)


def test_a_renamed_question_is_known_by_its_former_name():
    mine = data(A, B)
    mine["questions"][1]["name"] = "renamed"
    told = found(mine, data(A, B))
    assert list(told) == ["question-b"]
    assert ("name", "renamed", "b") in told["question-b"].fields


def labels(whole):
    return [question["label"] for question in whole["questions"]]


def test_each_difference_is_taken_from_the_version_that_was_chosen():
    mine, theirs = data(A, B, title="Mine"), data(C, yes_no("b", label="B!"), A, title="Theirs")
    assert labels(merged(mine, theirs, ())) == ["a?", "b?"]
    assert merged(mine, theirs, {"title"})["title"] == "Theirs"
    assert labels(merged(mine, theirs, {"question-b"})) == ["a?", "B!"]
    assert labels(merged(mine, theirs, {"question-c"})) == ["c?", "a?", "b?"]
    assert labels(merged(mine, theirs, {"question-c", "order"})) == ["c?", "b?", "a?"]
    assert labels(merged(mine, data(A), {"question-b"})) == ["a?"]


# --- by HTTP


def two_tabs(researcher):
    """A draft that was saved from another tab after this form was made: the form's fields."""
    researcher.post("/admin/surveys/new", filled({"name": "a", "label": "One?"}))
    mine = sent_again(researcher, PATH)
    theirs = mine | {"title": "Theirs", "questions-0-hint": "their hint"}
    assert researcher.client.post(PATH, data=theirs).status_code == 302
    return mine | {"questions-0-label": "Mine?"}


def test_a_conflict_is_laid_side_by_side_and_nothing_is_overwritten(store, researcher):
    mine = two_tabs(researcher)
    reply = researcher.client.post(PATH, data=mine)
    page = unescape(reply.get_data(as_text=True))
    assert reply.status_code == 409
    assert "this draft was changed meanwhile" in page
    for text in ("Mine?", "One?", "their hint", "Theirs"):
        assert f"<dd>{text}</dd>" in page
    assert 'name="take-title"' in page and 'name="take-question-a"' in page
    assert store.surveys.by_slug("health").survey.title == "Theirs"


def compared(researcher, mine):
    page = researcher.client.post(PATH, data=mine).get_data(as_text=True)
    return re.search(r'name="compared" value="(\w+)"', page)[1]


def test_taking_mine_whole_saves_it(store, researcher):
    mine = two_tabs(researcher)
    chosen = {"do": "mine", "compared": compared(researcher, mine)}
    assert researcher.client.post(PATH, data=mine | chosen).status_code == 302
    survey = store.surveys.by_slug("health").survey
    assert (survey.title, survey.questions[0].label) == ("Health", "Mine?")
    assert survey.questions[0].hint == ""


def test_what_is_put_together_is_shown_before_it_is_saved(store, researcher):
    mine = two_tabs(researcher)
    chosen = {"do": "merge", "compared": compared(researcher, mine), "take-title": "theirs",
              "take-question-a": "mine"}  # fmt: skip
    reply = researcher.client.post(PATH, data=mine | chosen)
    page = reply.get_data(as_text=True)
    assert reply.status_code == 200
    assert "Nothing is saved yet" in page
    assert store.surveys.by_slug("health").survey.questions[0].label == "One?"
    seen = re.search(r'name="seen"[^>]*value="(\w+)"', page)[1]
    put = mine | {"title": "Theirs", "seen": seen}
    assert researcher.client.post(PATH, data=put).status_code == 302
    survey = store.surveys.by_slug("health").survey
    assert (survey.title, survey.questions[0].label) == ("Theirs", "Mine?")


def test_a_draft_that_changed_once_more_is_compared_once_more(store, researcher):
    mine = two_tabs(researcher)
    chosen = {"do": "mine", "compared": compared(researcher, mine)}
    later = sent_again(researcher, PATH) | {"title": "Later"}
    assert researcher.client.post(PATH, data=later).status_code == 302
    assert researcher.client.post(PATH, data=mine | chosen).status_code == 409
    assert store.surveys.by_slug("health").survey.title == "Later"


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


@pytest.mark.parametrize(
    ("errand", "reason"), [("open", "is open; only a draft"), ("delete", "There is no survey")]
)
def test_what_was_typed_comes_back_where_the_draft_is_one_no_more(
    store, researcher, errand, reason
):
    mine = two_tabs(researcher)
    place = "/admin/surveys/health"
    seen = {"fingerprint": hidden(researcher, place, "fingerprint"), "looked": "yes"}
    assert researcher.post(f"{place}/{errand}", seen, form=place).status_code == 302
    reply = researcher.client.post(PATH, data=mine)
    page = unescape(reply.get_data(as_text=True))
    assert reply.status_code == 409
    assert reason in page and "can be saved as a new survey" in page
    assert "Mine?" in page and 'action="/admin/surveys/new"' in page
    saved = researcher.client.post("/admin/surveys/new", data=mine | {"slug": "again"})
    assert saved.location == "/admin/surveys/again/edit"
    assert store.surveys.by_slug("again").survey.questions[0].label == "Mine?"


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
