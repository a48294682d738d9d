"""What holds for every lesson: its notebook, exercises, languages, size and address."""

import json
import math
import random
import re

import pytest

from survey.core.languages import LANGUAGES
from survey.core.translate import in_language, translate_constant, translate_number
from survey.learn.controls import (
    Draw,
    NumberChoice,
    Slider,
    TypedNumber,
    Values,
    read_values,
)
from survey.learn.lesson import Exercise, Lesson, Reply, check_answer
from survey.learn.lessons import LESSONS
from survey.learn.notebook import write_notebook
from tests.support.check_each import check_each

pytestmark = pytest.mark.fast

MAX_PAGE_BYTES = 100_000
# A plural after 1, or a sentence about none of several values.
WRONG_NUMBER = re.compile(r"(?<![\d.,])(1 (people|counts|values|rows)|[01] (are|have))\b")
each_lesson = pytest.mark.parametrize("lesson", LESSONS, ids=lambda lesson: lesson.address)


def some_values(lesson: Lesson) -> list[Values]:
    """The usual values, both ends of all controls, and four draws of all by chance."""
    generator = random.Random(17)
    chosen = []
    for place in range(7):
        address = {}
        for control in lesson.controls:
            if isinstance(control, Slider):
                steps = (float(control.high) - float(control.low)) / float(control.step)
                at = generator.randint(0, round(steps)) * float(control.step)
                places = {0: control.start, 1: float(control.low), 2: float(control.high)}
                value: object = places.get(place, float(control.low) + at)
            elif isinstance(control, Draw):
                value = place + 1
            elif isinstance(control, TypedNumber):
                value = {0: "", 1: control.low, 2: control.high}.get(place, "63.75")
            else:
                options = list(control.options)
                places_of = {0: control.start, 1: options[0], 2: options[-1]}
                value = places_of.get(place, generator.choice(options))
            address[control.name] = str(value)
        chosen.append(read_values(lesson.controls, address))
    assert not any(values.refused for values in chosen)
    return chosen


def test_addresses_and_titles_differ():
    assert len({lesson.address for lesson in LESSONS}) == len(LESSONS)
    assert len({lesson.title for lesson in LESSONS}) == len(LESSONS)


@each_lesson
def test_the_notebook_calculates_the_numbers_of_the_page(lesson):
    """Its code runs as it is, with Python and NumPy alone."""
    for values in some_values(lesson):
        document = json.loads(write_notebook(lesson, values, "http://127.0.0.1/learn/x"))
        assert (document["nbformat"], document["nbformat_minor"]) == (4, 5)
        code = [
            "".join(cell["source"]) for cell in document["cells"] if cell["cell_type"] == "code"
        ]
        assert not [line for line in code if "survey" in line]
        names: dict[str, object] = {}
        for source in code:
            exec(compile(source, lesson.address, "exec"), names)  # our own notebook
        page = lesson.show(values).numbers
        calculated = names["numbers"]
        assert isinstance(calculated, dict)
        assert set(calculated) == set(page)
        for name, number in page.items():
            assert math.isclose(calculated[name], number, rel_tol=1e-9, abs_tol=1e-9), name


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


def exercise_of(address: str, name: str) -> Exercise:
    [lesson] = [each for each in LESSONS if each.address == address]
    [exercise] = [each for each in lesson.exercises if each.name == name]
    return exercise


@check_each(
    ("address", "name", "right", "wrong"),
    [
        ("titanic-tree", "commonest", ["68", "67.7"], ["67", "70"]),
        ("titanic-tree", "gain", ["0.25", "0.247"], ["0.2", "0.24"]),
        ("break-it", "majority", ["98", "97.6"], ["97", "100"]),
        ("curator", "tail", ["94"], ["95", "93"]),
        ("smokers", "local", ["96"], ["95", "97"]),
        ("clipping", "best", ["58", "58 years"], ["56", "60"]),
        ("gamma", "coins", ["1/4", "0.25"], ["0.3", "1/3"]),
        ("break-it", "licences", ["26000", "26,000", "26.000", "26 000"], ["26", "2.600"]),
    ],
)
def test_rounded_answers_are_right(address, name, right, wrong):
    exercise = exercise_of(address, name)
    assert all(check_answer(exercise, typed).right for typed in right)
    assert not any(check_answer(exercise, typed).right for typed in wrong)


def test_a_share_in_place_of_a_percentage_has_its_own_hint():
    [coins] = [lesson for lesson in LESSONS if lesson.address == "two-coins"]
    exercise = coins.exercises[0]
    for typed in ("0.35", "35/100"):
        assert check_answer(exercise, typed).sentence == "Almost. Write the answer in percent."
    assert check_answer(exercise, "0.35 %").sentence == exercise.hint
    assert check_answer(exercise, "35 %").right


@check_each(
    ("address", "name", "typed"),
    [
        ("slips", "power", ["7.389", "7,389", "๗.๓๘๙", "７．３８９", " 7.39 ", "7.4"]),
        ("slips", "reach", ["4.605", "4,605", "4.61"]),
        ("smokers", "reach", ["2.996", "2,996"]),
        ("break-it", "licences", ["26.000", "26,000", "26 000", "๒๖๐๐๐", "26000"]),
        ("gamma", "coins", ["¼", "1/4", "25%", "0,250", ".25"]),
        ("gamma", "bound", ["2.5", "2,5", "2½", "5/2", "2.5 %", "๒.๕"]),
        ("slips", "ill", ["75", "75%", "75 %", "75％", "75,0", "150/2"]),
    ],
)
def test_a_right_answer_is_right_in_either_convention_and_in_every_language(address, name, typed):
    exercise = exercise_of(address, name)
    for language in LANGUAGES:
        with in_language(language):
            for each in typed:
                assert check_answer(exercise, each).right, (language, each)


@check_each(
    ("address", "name", "typed", "hint"),
    [
        ("gamma", "bound", "0.025", "Almost. Write the answer in percentage points."),
        ("gamma", "bound", "1/40", "Almost. Write the answer in percentage points."),
        ("gamma", "bound", "0.025 %", None),
        ("gamma", "coins", "25", "Almost. Your number is 100 times the answer."),
        ("slips", "power", "-7.39", "Almost. Check the sign."),
        ("slips", "power", "–7,39", "Almost. Check the sign."),
        ("slips", "power", "7", "Almost. Write more digits."),
        ("slips", "power", "5.44", None),
        ("slips", "ill", "¾", "Almost. Write the answer in percent."),
        ("slips", "power", "1e999999", "Type a number, such as 12.5."),
        ("slips", "power", "e²", "Type a number, such as 12.5."),
    ],
)
def test_the_hint_names_the_mistake(address, name, typed, hint):
    """None stands for the hint of the exercise."""
    exercise = exercise_of(address, name)
    for language in LANGUAGES:
        with in_language(language):
            wanted = translate_constant(hint or exercise.hint)
            assert check_answer(exercise, typed) == Reply(typed, False, wanted)


def test_only_translated_pages_say_that_the_notebook_is_in_english(client):
    pages = {
        each: client.get(f"/learn/slips?language={each}").get_data(as_text=True)
        for each in ("en", "vi")
    }
    assert "(tiếng Anh)" in pages["vi"]
    assert "(in English)" not in pages["en"]
    assert ">All lessons</a>" in pages["en"]


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
def test_the_notebook_is_a_download(lesson, client):
    reply = client.get(f"/learn/{lesson.address}.ipynb")
    assert reply.status_code == 200
    assert reply.mimetype == "application/x-ipynb+json"
    assert f"filename={lesson.address}.ipynb" in reply.headers["Content-Disposition"]
    assert json.loads(reply.data)["cells"]


@each_lesson
def test_choices_are_offered_with_the_usual_one_selected(lesson, client):
    page = client.get(f"/learn/{lesson.address}").get_data(as_text=True)
    for control in lesson.controls:
        if isinstance(control, NumberChoice):
            assert f'<option value="{control.start}" selected>' in page
