"""The page on textbook examples has each row once, and every test that it names exists."""

import ast
import re
from functools import cache

import pytest

from tests.support.project import ROOT

pytestmark = pytest.mark.fast

PAGE = ROOT / "docs" / "evidence" / "textbooks.md"
ROWS = 75
VERDICTS = ("works", "deliberately different: ")
# Candor trains no language model, so there is nothing to test.
WITHOUT_TEST = {40}


def rows(text: str) -> list[list[str]]:
    """The cells of each numbered row."""
    lines = [line for line in text.splitlines() if re.match(r"\| \d+ \|", line)]
    return [[cell.strip() for cell in line.strip("| ").split(" | ")] for line in lines]


@cache
def named_tests(path: str) -> frozenset[str]:
    """The names of the tests in a file; none if there is no such file."""
    file = ROOT / path
    if not file.is_file():
        return frozenset()
    body = ast.parse(file.read_text(encoding="utf-8")).body
    return frozenset(
        node.name
        for node in body
        if isinstance(node, ast.FunctionDef) and node.name.startswith("test_")
    )


def faults(text: str) -> list[str]:
    """What is wrong in each row."""
    found = []
    for number, _, verdict, named in rows(text):
        if not verdict.startswith(VERDICTS):
            found.append(f"{number}: no verdict")
        path, _, test = named.partition("::")
        if int(number) in WITHOUT_TEST:
            found += [f"{number}: a test after all"] if named != "–" else []
        elif not path.startswith("tests/") or test not in named_tests(path):
            found.append(f"{number}: no test {named}")
    return found


def test_each_row_is_there_once_with_a_verdict_and_a_test_that_exists():
    text = PAGE.read_text(encoding="utf-8")
    assert [int(number) for number, *_ in rows(text)] == list(range(1, ROWS + 1))
    assert faults(text) == []


@pytest.mark.parametrize(
    ("row", "fault"),
    [
        ("| 1 | a | works | tests/system/test_textbooks.py::test_gone |", "1: no test "),
        ("| 1 | a | works | tests/system/test_gone.py::test_a |", "1: no test "),
        ("| 1 | a | works | – |", "1: no test –"),
        ("| 2 | a | missing | tests/system/test_textbooks.py::test_a_fault_is_found |", "2: no ve"),
    ],
)
def test_a_fault_is_found(row, fault):
    [found] = faults(row)
    assert found.startswith(fault)
