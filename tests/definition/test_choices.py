"""Choices and texts of a definition: parsing, names, and the values of a grid."""

import unicodedata

import pytest

from survey.core.errors import DefinitionError
from survey.core.number_grid import Grid
from survey.definition.choices import (
    CHOICE_NAME,
    Choice,
    GridWithSpecialAnswers,
    answer_words,
    ascii_letters,
    choice_name,
    known_keys,
    names_of,
    parse_choices,
    parse_text,
    plain_ascii,
    with_unit,
)
from tests.support.check_each import check_each

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


def test_special_answers_come_after_the_values_of_a_grid():
    grid = Grid.between(0, 10, 5, "kg")
    values = GridWithSpecialAnswers(grid, ["declined"])
    assert [*values] == ["0", "5", "10", "declined"]
    assert values[1:] == ["5", "10", "declined"]
    assert values.index("declined") == 3
    assert values.index("5") == 1
    assert with_unit("5", grid) == "5 kg"


def test_the_letters_of_a_text_make_the_same_name():
    text = "Có, không? 是 จังหวัด x’y"
    letters = ascii_letters(unicodedata.normalize("NFD", text))
    assert letters["ó"] == "o"
    assert "x" not in letters
    written = "".join(letters.get(letter, letter) for letter in text)
    assert plain_ascii(written) == plain_ascii(text)


@check_each(
    ("text", "plain"),
    [
        ("có", "co"),
        ("Không đồng ý", "khong_dong_y"),
        ("是", "shi"),
        ("不是", "bushi"),
        ("省份", "shengfen"),
        ("จังหวัด", "changhwad"),
        ("Да", "da"),
        ("여자", "yeoja"),
        ("größer als 5 €", "grosser_als_5_eur"),
        ("don’t know", "dont_know"),
        ("don't know", "dont_know"),
        ("… ?", ""),
    ],
)
def test_a_text_in_any_script_becomes_ascii(text, plain):
    assert plain_ascii(text, "_") == plain
    assert plain_ascii(unicodedata.normalize("NFD", text), "_") == plain


def test_choices_get_different_valid_names():
    """A valid name stays. The others have the same rule in every import and in the builder."""
    written = ["Yes", "a.b-c", "có", "co", "có ", "-1", "1", "−1", "1.5 %", "…", "x" * 63, "x" * 63,
               "字" * 80]  # fmt: skip
    names: list[str] = []
    for number, each in enumerate(written, 1):
        names.append(choice_name(each, number, names))
    assert names[:10] == [
        "Yes", "a.b-c", "co", "co_2", "co_3", "minus_1", "1", "minus_1_2", "1_5", "c10",
    ]  # fmt: skip
    assert names[10:12] == ["x" * 63, "x" * 57]
    assert len({*names}) == len(names)
    assert all(map(CHOICE_NAME.fullmatch, names))
