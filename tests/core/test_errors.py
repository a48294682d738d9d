"""The tree of errors: the documentation and the classes agree."""

import inspect
import re

import pytest

from survey.core import errors
from tests.support.check_each import check_each

pytestmark = pytest.mark.fast


def documented() -> dict[str, str]:
    """Each class of the tree in the module's docstring, with its parent class."""
    above: dict[str, str] = {}
    path: list[str] = []
    for line in (errors.__doc__ or "").splitlines():
        branch = re.match(r"((?:│   |    )*)[├└]── (\w+)", line)
        if branch is None:
            if re.fullmatch(r"\w+Error", line):
                path = [line]
            continue
        depth = len(branch[1]) // 4 + 1
        above[branch[2]] = path[depth - 1]
        path[depth:] = [branch[2]]
    return above


def test_the_documented_tree_is_that_of_the_classes():
    classes = dict(inspect.getmembers(errors, inspect.isclass))
    assert documented() == {
        name: each.__base__.__name__ for name, each in classes.items() if name != "SurveyError"
    }
    assert classes["SurveyError"].__base__ is Exception


@check_each(
    ("error", "text", "attributes"),
    [
        (
            errors.MechanismError("p is above 0.", "p", "range"),
            "p is above 0.",
            {"parameter": "p", "reason": "range"},
        ),
        (errors.MechanismError("No."), "No.", {"parameter": "", "reason": "mechanism"}),
        (
            errors.DefinitionError("questions[2].name", "is empty.", "empty", "p"),
            "questions[2].name: is empty.",
            {"place": "questions[2].name", "fault": "is empty.", "reason": "empty"}
            | {"parameter": "p"},
        ),
        (errors.DefinitionError("", "This is not JSON."), "This is not JSON.", {"place": ""}),
        (
            errors.WrongReport("smokes", "is missing."),
            "Question 'smokes': is missing.",
            {"question": "smokes"},
        ),
        (
            errors.OverBudget("epsilon", "is more than is left."),
            "is more than is left.",
            {"field": "epsilon"},
        ),
        (errors.UnknownInvitation(""), "", {"reason": "unknown_invitation"}),
        (errors.SpentInvitation(""), "", {"reason": "spent_invitation"}),
    ],
)
def test_an_error_says_what_a_form_or_a_page_needs(error, text, attributes):
    assert str(error) == text
    assert {name: getattr(error, name) for name in attributes} == attributes
