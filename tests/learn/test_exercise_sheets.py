"""Sheets to print with the exercises of the lessons and their answers."""

import html
import re

import pytest

from survey.core.languages import LANGUAGES
from survey.core.translate import in_language, translate_constant
from survey.learn.exercise_sheets import (
    RIGHT,
    answer_text,
    begin_with_capital,
    sheet_parts,
    solution_text,
)
from survey.learn.lesson import check_answer
from survey.learn.lessons import LESSONS
from tests.support.check_each import check_each

pytestmark = pytest.mark.fast

EXERCISES = [exercise for lesson in LESSONS for exercise in lesson.exercises]
MAX_PAGE_BYTES = 100_000


def text_of(page: str) -> str:
    return " ".join(html.unescape(re.sub(r"<[^>]+>", " ", page)).replace("\u00a0", " ").split())


def test_both_sheets_have_every_exercise_in_the_order_of_the_lessons(client):
    for address in ("exercises", "answers"):
        page = text_of(client.get(f"/learn/{address}").text)
        places = [page.index(" ".join(each.question.split())) for each in EXERCISES]
        assert places == sorted(places)
        titles = [page.index(f"{n}. {each.title}") for n, each in enumerate(LESSONS, start=1)]
        assert titles == sorted(titles)


def test_only_the_second_sheet_has_answers(client):
    sheet, answers = (
        text_of(client.get(f"/learn/{each}").text) for each in ("exercises", "answers")
    )
    assert "Right:" not in answers
    for exercise in EXERCISES:
        explanation = begin_with_capital(exercise.explanation.removeprefix("Right: "))
        assert explanation in answers
        assert explanation not in sheet
    assert "Answer" in sheet


@check_each("language", [*LANGUAGES])
def test_the_lesson_accepts_each_printed_answer(language):
    with in_language(language):
        for exercise in EXERCISES:
            assert check_answer(exercise, answer_text(exercise)).right, (
                exercise.name, answer_text(exercise),
            )  # fmt: skip


@check_each("language", [*LANGUAGES])
def test_no_printed_explanation_begins_as_a_reply(language):
    with in_language(language):
        right = translate_constant(RIGHT)
        assert (right == RIGHT) == (language == "en")
        for part in sheet_parts(LESSONS):
            for exercise in part.exercises:
                assert exercise.explanation
                assert not exercise.explanation.startswith(right)


def test_printed_sentences_begin_with_a_large_letter_and_formulas_stay():
    sentences = {
        "khoảng 96 người": "Khoảng 96 người",
        "ln 20 = 3.0": "ln 20 = 3.0",
        "e² = 7.39": "e² = 7.39",
        "exp(1) = e": "exp(1) = e",
        "ตอบ": "ตอบ",
        "40 kg": "40 kg",
        "": "",
    }
    for text, printed in sentences.items():
        assert begin_with_capital(text) == printed


def test_numbers_have_three_digits_or_are_whole():
    numbers = {
        26_000: "26,000",
        94.0894: "94.1",
        2.99573: "3.00",
        0.246749: "0.247",
        15 + 3e-14: "15",
    }
    for number, text in numbers.items():
        assert solution_text(number) == text
    assert solution_text(-0.5) == "−0.5"


@check_each("language", [*LANGUAGES])
def test_the_sheets_are_small_and_keep_the_language(language, client):
    for address in ("exercises", "answers"):
        reply = client.get(f"/learn/{address}?language={language}")
        assert reply.status_code == 200
        assert len(reply.data) < MAX_PAGE_BYTES
        assert f'<html lang="{language}' in reply.text
        assert f'href="/learn/two-coins?language={language}"' in reply.text


def test_the_contents_lead_to_both_sheets(client):
    page = client.get("/learn/").text
    assert 'href="/learn/exercises"' in page
    assert 'href="/learn/answers"' in page
