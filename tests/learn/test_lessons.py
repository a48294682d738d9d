"""What holds for every lesson: its exercises, languages, size and address."""

import math
import re

import pytest

from survey.core.languages import LANGUAGES
from survey.core.translate import in_language, translate_number
from survey.learn.controls import NumberChoice, read_values
from survey.learn.lesson import check_answer
from survey.learn.lessons import LESSONS
from tests.learn.lesson_values import each_lesson, some_values

pytestmark = pytest.mark.fast


MAX_PAGE_BYTES = 100_000
# A plural after 1, or a sentence about none of several values.
WRONG_NUMBER = re.compile(r"(?<![\d.,])(1 (people|counts|values|rows)|[01] (are|have))\b")


def test_addresses_and_titles_differ():
    assert len({lesson.address for lesson in LESSONS}) == len(LESSONS)
    assert len({lesson.title for lesson in LESSONS}) == len(LESSONS)


@each_lesson
def test_what_it_shows_is_finite_and_described(lesson):
    for values in some_values(lesson):
        shown = lesson.show(values)
        assert shown.sentence
        assert shown.pictures
        assert all(picture.description for picture in shown.pictures)
        assert all(math.isfinite(number) for number in shown.numbers.values())
        texts = [shown.sentence, *(figure.number for figure in shown.figures)]
        for text in texts:
            assert "nan" not in text.lower()
            assert "inf" not in text.replace("information", "").lower()
        for text in (*texts, *(picture.description for picture in shown.pictures)):
            assert not WRONG_NUMBER.search(text), text


@each_lesson
def test_each_exercise_accepts_its_solution_and_explains_a_wrong_answer(lesson):
    assert len(lesson.exercises) >= 3
    assert len({exercise.name for exercise in lesson.exercises}) == len(lesson.exercises)
    for exercise in lesson.exercises:
        solution = exercise.solution()
        assert check_answer(exercise, f"{solution:.6f}").right
        assert check_answer(exercise, f"{solution:.6f}".replace(".", ",")).right
        wrong = check_answer(exercise, f"{solution + 3 * exercise.tolerance + 1:.6f}")
        assert not wrong.right
        assert wrong.sentence == exercise.hint
        assert check_answer(exercise, "many").sentence == "Type a number, such as 12.5."
        assert not check_answer(exercise, " ").sentence


@each_lesson
def test_each_exercise_accepts_its_solution_as_the_page_writes_it(lesson):
    """In every language, alone and with the unit."""
    for language in LANGUAGES:
        with in_language(language):
            for exercise in lesson.exercises:
                written = translate_number(f"{exercise.solution():,.3f}")
                assert check_answer(exercise, written).right
                assert check_answer(exercise, f"{written} {exercise.unit}").right


@each_lesson
def test_the_page_is_for_everyone_in_each_language_and_small(lesson, client):
    pages = set()
    for language in LANGUAGES:
        reply = client.get(f"/learn/{lesson.address}?language={language}")
        assert reply.status_code == 200
        assert "Set-Cookie" not in reply.headers
        assert len(reply.data) < MAX_PAGE_BYTES
        page = reply.get_data(as_text=True)
        assert page.count("<h1") == 1
        with in_language(language):
            assert lesson.show(read_values(lesson.controls, {})).sentence.split()[0] in page
        pages.add(page)
    assert len(pages) == len(LANGUAGES)


@each_lesson
def test_choices_are_offered_with_the_usual_one_selected(lesson, client):
    page = client.get(f"/learn/{lesson.address}").get_data(as_text=True)
    for control in lesson.controls:
        if isinstance(control, NumberChoice):
            assert f'<option value="{control.start}" selected>' in page
