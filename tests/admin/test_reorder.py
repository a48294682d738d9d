"""The builder's questions in another order, and back."""

import re
from html import unescape

import pytest

from survey.admin.builder.form_to_definition import EMPTY_QUESTION
from survey.admin.builder.reorder import rearranged
from tests.support.builder_forms import filled, questions_on

pytestmark = pytest.mark.fast


def three():
    return [EMPTY_QUESTION | {"label": label, "name": label} for label in "abc"]


def labels(change):
    return [question["label"] for question in change.questions]


@pytest.mark.parametrize(
    ("action", "after", "said", "at"),
    [
        ("up-1", "bac", "Moved up: question 2 is question 1 now.", 0),
        ("down-1", "acb", "Moved down: question 2 is question 3 now.", 2),
        ("remove-1", "ac", "Question 2 deleted.", 1),
        ("remove-2", "ab", "Question 3 deleted.", 1),
        ("copy-0", "aabc", "Question 2 is a copy of question 1.", 1),
        ("up-0", "abc", "", None),
        ("down-2", "abc", "", None),
        ("remove-3", "abc", "", None),
        ("remove-x", "abc", "", None),
        ("shuffle-1", "abc", "", None),
        ("show", "abc", "", None),
    ],
)
def test_each_change_says_what_it_did_and_where(action, after, said, at):
    change = rearranged(three(), action)
    assert "".join(labels(change)) == after
    assert (change.said, change.at) == (said, at)


@pytest.mark.parametrize("action", ["up-1", "down-0", "remove-0", "remove-2", "copy-1", "add"])
def test_undo_takes_each_change_back_and_undo_again_does_it_anew(action):
    change = rearranged(three(), action)
    back = rearranged(change.questions, "undo", undo=change.undo)
    assert back.questions == three()
    again = rearranged(back.questions, "undo", undo=back.undo)
    assert labels(again) == labels(change)


def test_a_copy_gets_a_name_of_its_own_and_a_new_question_its_kind():
    copied = rearranged(three(), "copy-1").questions[2]
    assert (copied["label"], copied["name"], copied["was"]) == ("b", "", "")
    assert rearranged(three(), "add", "scale").questions[3]["type"] == "scale"


@pytest.mark.parametrize(
    "undo",
    ["", "{", "[]", '{"remove": 9}', '{"insert": -1, "question": {}}', '{"move": [9, 0]}',
     '{"move": [0, 9]}', '{"insert": 0, "question": 1}', "[" * 5_000],
)  # fmt: skip
def test_an_undo_that_cannot_be_read_changes_nothing(undo):
    assert rearranged(three(), "undo", undo=undo).questions == three()


def test_without_javascript_a_deleted_question_comes_back_with_what_was_typed(researcher):
    form = filled({"label": "Kept?"}, {"label": "Deleted?", "hint": "typed"}, do="remove-1")
    page = researcher.post("/admin/surveys/new", form).get_data(as_text=True)
    assert questions_on(page) == 1
    assert "Question 2 deleted." in page
    undo = hidden_in(page, "undo")
    back = filled({"label": "Kept?"}, do="undo") | {"undo": undo}
    page = researcher.post("/admin/surveys/new", back).get_data(as_text=True)
    assert questions_on(page) == 2
    assert "Question 2 is back." in page
    assert 'value="typed"' in page


def test_without_javascript_the_focus_stays_with_the_button_of_what_was_moved(researcher):
    form = filled({"label": "One?"}, {"label": "Two?"}, {"label": "Three?"}, do="up-2")
    page = researcher.post("/admin/surveys/new", form).get_data(as_text=True)
    assert page.count(" autofocus") == 1
    assert ">Three?</span>" in page.partition('aria-label="Move question 2 up" autofocus')[2]


def hidden_in(page, name):
    return unescape(re.search(rf'name="{name}"[^>]*value="([^"]*)"', page)[1])
