"""Lines that researchers type: numbers of each language, and the points of answers."""

import pytest

from survey.core.errors import DefinitionError
from survey.core.translate import in_language
from survey.core.typed_lines import (
    named_lines,
    number_from_form,
    number_to_form,
    points_of_line,
    whole_from_form,
)
from tests.support.check_each import check_each

pytestmark = pytest.mark.fast


@check_each(("typed_number", "language", "value"), [
    ("12", "en", 12), ("-3", "en", -3), ("+3", "en", 3), ("1,200", "en", 1200),
    ("1.200", "vi", 1200), (" 7 ", "en", 7), ("9" * 19, "en", int("9" * 19)),
    ("9" * 20, "en", "9" * 20), ("1.5", "en", "1.5"), ("1,5", "vi", "1.5"), ("two", "en", "two"),
    ("", "en", ""), ("٣", "en", "٣"),
])  # fmt: skip
def test_only_a_whole_number_is_one(typed_number, language, value):
    """The definition's parser refuses a text in place of a number."""
    with in_language(language):
        assert whole_from_form(typed_number) == value


@check_each(
    ("language", "typed", "number"),
    [
        ("vi", "0,5", "0.5"), ("vi", "0.125", "0.125"), ("vi", "-2,25", "-2.25"),
        ("vi", "2.000", "2000"), ("vi", "1.250,5", "1250.5"), ("vi", "1 000", "1 000"),
        ("en", "0,5", "0.5"), ("en", "2,000", "2000"), ("en", "2.000", "2.000"),
        ("en", "1,2,3", "1,2,3"), ("vi", "2/3", "2/3"), ("zh", "1,000.5", "1000.5"),
        ("en", None, ""),
    ],
)  # fmt: skip
def test_a_number_may_have_the_signs_of_the_page_s_language(language, typed, number):
    with in_language(language):
        assert number_from_form(typed) == number


def test_a_number_is_written_with_the_signs_of_the_page_s_language():
    with in_language("vi"):
        assert number_to_form("0.5") == "0,5"
        assert number_from_form(number_to_form("1250.5")) == "1250.5"


def test_each_line_has_a_name_and_perhaps_a_rest():
    assert list(named_lines(" a : 1 \n\nb\n", "sum")) == [("a", "1"), ("b", "")]
    with pytest.raises(DefinitionError, match="“a” is used twice"):
        list(named_lines("a: 1\na", "sum"))


@check_each(("rest", "points"), [
    ("2", 2), ("-1", -1), ("1.5", "1.5"), ("never 0, often 3", {"never": 0, "often": 3}),
    ("never 0", {"never": 0}), ("never -1, often x", {"never": -1, "often": "x"}),
])  # fmt: skip
def test_points_are_a_factor_or_those_of_choices(rest, points):
    assert points_of_line("a", rest, "sum") == points


def test_a_line_without_points_is_named():
    with pytest.raises(DefinitionError, match="“a: never, often 3” does not give points"):
        points_of_line("a", "never, often 3", "sum")
