"""Values of surveys in JSON have the type that is expected, whatever a file contains."""

import pytest

from survey.formats.other_programs.json_survey import (
    all_texts,
    items_in,
    languages_in,
    objects_in,
    scalar_text,
    text_in,
    texts_in,
    unwrap_survey,
)
from tests.support.check_each import check_each

pytestmark = pytest.mark.fast


@check_each(
    ("value", "text"),
    [
        ("a", "a"),
        (1, "1"),
        (1.0, "1"),
        (0.5, "0.5"),
        (True, "true"),
        (None, ""),
        ([], ""),
        ({}, ""),
        (float("inf"), "inf"),
    ],
)
def test_a_value_as_text(value, text):
    assert scalar_text(value) == text


@check_each(
    ("value", "main", "texts"),
    [
        ("Có", "vi", {"vi": "Có"}),
        ("", "vi", {}),
        ({"default": "Có", "en": "Yes"}, "vi", {"vi": "Có", "en": "Yes"}),
        ({"vi": "Có", "en": "Yes"}, "vi", {"vi": "Có", "en": "Yes"}),
        ({"default": "", "en": "Yes"}, "", {"en": "Yes"}),
        ({"default": ["x"], "en": 3}, "", {"en": "3"}),
        (None, "vi", {}),
        ([], "vi", {}),
    ],
)
def test_a_text_in_each_language(value, main, texts):
    assert texts_in(value, main) == texts


@check_each(
    ("value", "survey"),
    [
        ({"data": {"questions": []}}, {"questions": []}),
        ({"survey": {"data": {"a": 1}}}, {"a": 1}),
        ([{"name": "S", "questions": [1]}], {"name": "S", "questions": [1]}),
        ([{"headline": "a"}], {"questions": [{"headline": "a"}]}),
        (3, {}),
        ("x", {}),
    ],
)
def test_a_survey_without_what_wraps_it(value, survey):
    assert unwrap_survey(value) == survey


def test_members_of_other_types_are_left_out():
    value = {"a": [{"b": 1}, 2], "c": 3, "name": 4}
    assert objects_in(value, "a") == [{"b": 1}]
    assert items_in(value, "a") == [{"b": 1}, 2]
    assert objects_in(value, "c") == items_in(value, "c") == []
    assert text_in(value, "title", "name") == "4"
    assert text_in(value, "a") == ""


def test_the_languages_are_those_of_texts_with_a_default():
    value = [{"title": {"default": "a", "vi": "b"}}, {"x": {"default": {}, "de": "c"}}]
    assert languages_in({"pages": value}) == ["vi"]
    assert all_texts({"pages": value}) == "a b c"
