"""Choices and texts of a definition: parsing, names, and the values of a grid."""

import pytest

from survey.core.errors import DefinitionError
from survey.core.number_grid import Grid
from survey.definition.choices import (
    Choice,
    GridWithExtras,
    answer_words,
    known_keys,
    names_of,
    parse_choices,
    parse_text,
    with_unit,
)

pytestmark = pytest.mark.fast


def test_choices_are_read():
    choices = parse_choices([{"name": "a", "label": " A "}, {"name": "b", "label": "B"}], "choices")
    assert choices == (Choice("a", "A"), Choice("b", "B"))
    assert names_of(choices) == ["a", "b"]


@pytest.mark.parametrize(
    ("entries", "fault"),
    [
        ([{"name": "a", "label": "A"}], "a list of 2 to 100"),
        ([{"name": "a", "label": "A"}] * 2, "'a' is used twice"),
        ([{"name": "a", "label": "A"}, {"name": "b", "label": "A"}], "“A” is used twice"),
        ([{"name": "ä", "label": "A"}, {"name": "b", "label": "B"}], "letters without accents"),
        (["a", "b"], "must be an object such as"),
    ],
)
def test_faulty_choices_are_refused(entries, fault):
    with pytest.raises(DefinitionError, match=fault):
        parse_choices(entries, "choices")


@pytest.mark.parametrize(
    ("text", "fault"),
    [(None, "is missing"), (1, "must be a text"), (" ", "is empty"), ("a\0", "control character"),
     ("\ud800", "half a character"), ("aaaa", "longer than 3")],
)  # fmt: skip
def test_a_faulty_text_is_refused(text, fault):
    with pytest.raises(DefinitionError, match=fault):
        parse_text({"label": text}, "label", "questions[0]", limit=3)


def test_what_is_not_known_is_refused():
    with pytest.raises(DefinitionError, match=r"there is no such field here\. Fields: name\."):
        known_keys({"nmae": "a"}, {"name"}, "")


def test_words_are_of_the_language():
    assert answer_words("en")[:2] == ("Yes", "No")


def test_extras_come_after_the_values_of_a_grid():
    grid = Grid.between(0, 10, 5, "kg")
    values = GridWithExtras(grid, ["declined"])
    assert [*values] == ["0", "5", "10", "declined"]
    assert values[1:] == ["5", "10", "declined"]
    assert values.index("declined") == 3
    assert values.index("5") == 1
    assert with_unit("5", grid) == "5 kg"
