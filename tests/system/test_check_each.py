"""A test of many items runs for all of them, and reports each one that fails."""

import inspect

import pytest

from tests.support.check_each import check_each

pytestmark = pytest.mark.fast


def test_every_failing_item_is_reported():
    seen = []

    @check_each("number", [1, 2, 3, 4])
    def check(number):
        seen.append(number)
        if number == 2:
            pytest.fail("It is two.")
        assert number != 3

    with pytest.raises(BaseExceptionGroup, match="2 of 4 failed") as failed:
        check()
    assert seen == [1, 2, 3, 4]
    assert [error.__notes__ for error in failed.value.exceptions] == [
        ["This happened for {'number': 2}."],
        ["This happened for {'number': 3}."],
    ]


def test_items_of_two_decorators_are_combined_and_labels_can_be_chosen():
    seen = []

    @check_each(("first", "second"), [(1, 2), (3, 4)], ids=lambda first, second: f"{first}{second}")
    @check_each("third", "ab")
    def check(first, second, third):
        seen.append((first, second, third))
        assert first == 1 or third == "a"

    with pytest.raises(ExceptionGroup) as failed:
        check()
    assert seen == [(1, 2, "a"), (1, 2, "b"), (3, 4, "a"), (3, 4, "b")]
    assert failed.value.exceptions[0].__notes__ == ["This happened for 34."]


def test_no_item_and_a_name_that_is_no_parameter_are_errors():
    @check_each("number", [])
    def check(number):
        pass

    with pytest.raises(AssertionError, match="no item"):
        check()
    with pytest.raises(AssertionError, match="not parameters"):
        check_each("other", [1])(lambda number: None)


@check_each("number", range(3))
def test_fixtures_are_those_of_one_test(number, tmp_path):
    (tmp_path / str(number)).touch()
    assert len(list(tmp_path.iterdir())) == number + 1


def test_pytest_sees_the_fixtures_alone():
    assert [*inspect.signature(test_fixtures_are_those_of_one_test).parameters] == ["tmp_path"]
