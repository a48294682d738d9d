"""The rules for passwords: common ones, and those with the account's name, are refused."""

import pytest

from survey.web.password_policy import MAX_SCORED_CHARACTERS, password_fault
from tests.support.check_each import check_each
from tests.support.researchers import PASSWORD

pytestmark = pytest.mark.fast

NEW = "seven wet umbrellas dance"


@check_each(
    ("password", "fault"),
    [
        ("short", "at least 12 characters"),
        ("x" * 1001, "at most 1,000 characters"),
        ("password1234", "too easy to guess"),
        ("123456789012", "too easy to guess"),
        ("qwertyuiop[]", "too easy to guess"),
        ("Passw0rd1234!", "too easy to guess"),
        ("aaaaaaaaaaaaaaaaaaaa", "too easy to guess"),
        ("iloveyou1234", "too easy to guess"),
        ("my Lovelace is here", "name of the account"),
        (PASSWORD, None),
        (NEW, None),
        ("สวัสดีตอนเช้าวันนี้", None),
        ("k7!" * 2 + "Qz#vR2m@", None),
    ],
)
def test_passwords_that_are_guessed_early_are_refused(password, fault):
    found = password_fault(password, "lovelace")
    assert found is None if fault is None else fault in found


def test_all_common_passwords_that_are_long_enough_are_refused():
    from zxcvbn.frequency_lists import FREQUENCY_LISTS

    common = [word for word in FREQUENCY_LISTS["passwords"] if len(word) >= 12]
    assert len(common) >= 200
    assert all(password_fault(word, "ada") for word in common)


def test_a_long_password_costs_no_more_to_judge_than_its_beginning():
    """zxcvbn's time increases steeply with the length of texts with many replaced letters."""
    assert password_fault(("4@8({[<6931!|0$5+7%2" * 60)[:1000], "ada") is None
    assert password_fault("a" * MAX_SCORED_CHARACTERS + "k7!Qz#vR2m@", "ada") is not None
