"""The pages at /learn over HTTP."""

import itertools
import re

import pytest

from survey.core.languages import LANGUAGES
from survey.learn.controls import read_values
from survey.learn.lesson import check_answer
from survey.learn.lessons import LESSONS

pytestmark = pytest.mark.fast


def test_the_list_leads_to_every_lesson_and_each_lesson_to_the_next(client):
    contents = client.get("/learn/").get_data(as_text=True)
    for before, after in itertools.pairwise(LESSONS):
        assert f'href="/learn/{before.address}"' in contents
        page = client.get(f"/learn/{before.address}").get_data(as_text=True)
        assert f'href="/learn/{after.address}" rel="next"' in page
    assert f'href="/learn/{LESSONS[-1].address}"' in contents


def test_the_home_page_and_the_help_lead_to_the_lessons(client):
    assert 'href="/learn/?language=en"' in client.get("/").get_data(as_text=True)


def test_an_unknown_lesson_says_what_to_do(client):
    for address in ("/learn/nothing", "/learn/nothing.ipynb", "/learn/two-coins/x"):
        reply = client.get(address)
        assert reply.status_code == 404
    page = client.get("/learn/nothing").get_data(as_text=True)
    assert "There is no lesson at this address. Choose one from the list of lessons." in page


def test_a_chosen_language_stays_on_the_links(client):
    page = client.get("/learn/two-coins?language=vi&share=30").get_data(as_text=True)
    assert 'href="/learn/gamma?language=vi"' in page
    assert 'href="/learn/two-coins?share=30&amp;language=th"' in page
    assert '<html lang="vi">' in page


def test_the_language_of_the_browser_is_the_usual_one(client):
    page = client.get("/learn/", headers={"Accept-Language": "th"}).get_data(as_text=True)
    assert '<html lang="th">' in page


@pytest.mark.parametrize("language", LANGUAGES)
def test_no_label_in_a_picture_is_shortened(client, language):
    for lesson in LESSONS:
        page = client.get(f"/learn/{lesson.address}?language={language}").get_data(as_text=True)
        assert re.findall(r"<text[^>]*>[^<]*…[^<]*</text>", page) == []


def test_a_refused_value_is_named_and_escaped(client):
    page = client.get("/learn/two-coins?share=%3Cb%3E").get_data(as_text=True)
    assert "“&lt;b&gt;” is not possible here. The page shows its usual value." in page


def test_an_answer_gets_a_reply_and_stays_in_its_field(client):
    page = client.get("/learn/two-coins?answer-posterior=25").get_data(as_text=True)
    assert "Right: 75 of the 75 + 225 people who report Yes are ill" in page
    assert 'value="25"' in page
    page = client.get("/learn/two-coins?answer-posterior=75").get_data(as_text=True)
    assert "Not yet. Imagine 1,000 people." in page


HOSTILE_NUMBERS = (
    "1e999999", "-1e999999", "1e-999999", "1e999999/1e-999999", "1/1e-999999", "0/1e-99", "1/0",
    "1e99", "-1e99/1e-99", "1e99 %", "NaN", "sNaN", "-Infinity", "1_000", "٣", "９", "0x10",
    "9" * 5_000, "0." + "9" * 5_000, "1/" + "9" * 5_000, "1" + ",000" * 2_000, "1/2/3", "−1e99",
)  # fmt: skip


def test_every_exercise_and_control_accepts_or_refuses_every_number():
    for lesson in LESSONS:
        for typed in HOSTILE_NUMBERS:
            for exercise in lesson.exercises:
                assert check_answer(exercise, typed).sentence
            read_values(lesson.controls, {control.name: typed for control in lesson.controls})


def test_pages_with_numbers_that_no_calculation_can_hold_are_answered(client):
    for typed in ("1e999999", "1e999999/1e-999999", "1/1e-999999"):
        page = client.get("/learn/two-coins", query_string={"answer-expected": typed})
        assert page.status_code == 200
        assert "Type a number, such as 12.5." in page.get_data(as_text=True)
    for place, lesson in enumerate(LESSONS):
        typed = HOSTILE_NUMBERS[place % len(HOSTILE_NUMBERS)]
        fields = [each.field for each in lesson.exercises] + [each.name for each in lesson.controls]
        for path in (f"/learn/{lesson.address}", f"/learn/{lesson.address}.ipynb"):
            reply = client.get(path, query_string=dict.fromkeys(fields, typed))
            assert reply.status_code == 200


def test_the_page_may_only_send_its_form_to_this_server(client):
    policy = client.get("/learn/two-coins").headers["Content-Security-Policy"]
    assert "form-action 'self'" in policy
    assert "script-src 'self'" in policy
