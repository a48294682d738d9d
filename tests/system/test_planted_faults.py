"""The faults that measure the tests: what is drawn, how it is planted, which tests are near."""

import json
from collections import Counter

import pytest

from tests.support.project import ROOT
from tools.planted_faults import (
    FAULTS_PER_MODULE,
    FILE,
    MODULES_OF_PACKAGE,
    Fault,
    faults_of,
    importing_tests,
    left_out_of_both,
    nearest_tests,
    with_fault,
)

pytestmark = pytest.mark.fast
FAULTS = [Fault(**each) for each in json.loads(FILE.read_text())]


def test_there_are_72_different_faults_in_18_modules():
    assert len({*FAULTS}) == 72
    modules = Counter(fault.file for fault in FAULTS)
    assert {*modules.values()} == {FAULTS_PER_MODULE}
    packages = Counter(file.split("/")[1] for file in modules)
    assert packages == MODULES_OF_PACKAGE


def test_each_fault_changes_one_token():
    for fault in FAULTS:
        before, after = fault.line.split(), fault.replacement.split()
        if len(before) == len(after):
            [_] = [pair for pair in zip(before, after, strict=True) if pair[0] != pair[1]]
        else:
            places = [place for place, word in enumerate(before) if word == "not"]
            assert after in [before[:place] + before[place + 1 :] for place in places]


def test_faults_are_in_code_and_not_in_texts(tmp_path, monkeypatch):
    monkeypatch.setattr("tools.planted_faults.ROOT", tmp_path)
    path = tmp_path / "module.py"
    path.write_text(
        '"""Not and or."""\nLIMIT = 3\n\n\ndef f(a: int = 1) -> int:\n    """Add 1."""\n'
        '    if not a < 2:\n        raise ValueError("1 and 2", 3)\n    return a + 1  # and more\n'
    )
    assert {(each.line.strip(), each.replacement.strip()) for each in faults_of(path)} == {
        ("if not a < 2:", "if a < 2:"),
        ("if not a < 2:", "if not a <= 2:"),
        ("if not a < 2:", "if not a < 3:"),
        ("return a + 1  # and more", "return a - 1  # and more"),
        ("return a + 1  # and more", "return a + 2  # and more"),
    }


def test_a_fault_replaces_a_whole_line():
    fault = Fault("", "    return False", "    return True")
    assert with_fault("        return False\n    return False\n", fault) == (
        "        return False\n    return True\n"
    )


def test_the_nearest_tests_are_the_mirror_and_then_those_that_import_the_module():
    near = nearest_tests(ROOT, "survey/core/scores.py")
    assert near == [str(ROOT / "tests" / "core" / "test_scores.py")]
    importing = importing_tests(ROOT, "survey/core/scores.py")
    assert {*near} < {*importing}
    assert not [each for each in importing if "/browser/" in each]


def test_both_commands_run_what_is_not_slow():
    assert left_out_of_both(ROOT).startswith("slow or needs_")
