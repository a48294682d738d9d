"""Answers to the exercises of a lesson: what is right, and the hint for a mistake."""

import pytest

from survey.core.languages import LANGUAGES
from survey.core.translate import in_language, translate_constant
from survey.learn.lesson import Exercise, Reply, check_answer
from survey.learn.lessons import LESSONS
from tests.support.check_each import check_each

pytestmark = pytest.mark.fast


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
