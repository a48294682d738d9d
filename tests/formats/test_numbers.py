"""Numbers of XLSForm: their ranges, steps and constraints."""

import pytest

from tests.support.check_each import check_each
from tests.support.xlsform_readings import one, with_fault

pytestmark = pytest.mark.fast


@check_each(
    ("parameters", "members", "said"),
    [
        ("start=10 end=1 step=-1", (1, 10, 1), "in ascending order"),
        ("start=5;end=0;step=-0.5", (0, 5, 0.5), "in ascending order"),
        ("start=1 end=10 step=2", (1, 9, 2), "so Candor set the largest value to 9."),
        ("start=0 end=1 step=0.3", (0, 0.9, 0.3), "steps of 0.3 from 0 do not reach 1,"),
    ],
)
def test_a_range_is_put_in_order(parameters, members, said):
    read = with_fault({"type": "range", "parameters": parameters})
    entry = read.survey.as_definition()["questions"][-1]
    assert tuple(entry[key] for key in ("min", "max", "step")) == members
    assert any(said in each for each in read.left_out)


@check_each(
    ("row", "members", "said"),
    [
        ({"constraint": ". >= 0 and . <= 40"}, (0, 40, 1), None),
        ({"constraint": "0 <= . and 40 >= ."}, (0, 40, 1), None),
        ({"constraint": "(. > -1) and . < 41"}, (0, 40, 1), None),
        ({"constraint": ". > 0"}, (1, 1_000_001, 1), "no largest value here, so it set 1000001."),
        ({"privacy::mechanism": "none"}, (0, 1_000_000, 1), "no smallest value here, so it set 0."),
        (
            {"constraint": ". <= -5"},
            (-1_000_005, -5, 1),
            "no smallest value here, so it set -1000005",
        ),
        (
            {"constraint": ". >= 0 and . <= 9000000"},
            (0, 9_000_000, 10),
            "so Candor set the step to 10.",
        ),
        ({"constraint": ". >= 18 and . <= 99 and . != 77"}, (18, 99, 1), "“. != 77” excludes"),
        ({"constraint": ". >= 2 and . < 10 * 12 and . <= ${o}"}, (2, 119, 1), "“. <= ${o}” compa"),
        ({"constraint": "(. >= 3 and . <= 9) and (. != 4 or . = 5)"}, (3, 9, 1), "“. != 4 or . ="),
        ({"constraint": "not(. < 3) and . <= 9 and true()"}, (3, 9, 1), None),
        ({"constraint": ". < 5 or . = 99"}, (0, 1_000_000, 1), "joins ranges of numbers with or."),
        ({"constraint": "regex(., '[0-9]')"}, (0, 1_000_000, 1), "uses 'regex'"),
        ({"constraint": ". <= ${other}"}, (0, 1_000_000, 1), "compares with '${other}'"),
        ({"constraint": ". <= 1.5", "type": "decimal"}, (0, 1.5, 0.1), "set the step to 0.1."),
        ({"constraint": ". < 0.25", "type": "decimal"}, (0, 0.24, 0.01), "set the step to 0.01."),
        ({"type": "range", "parameters": "start=2;end=8, step=2"}, (2, 8, 2), None),
        ({"type": "range"}, (1, 10, 1), None),
        (
            {"type": "range", "parameters": "tick_interval=2"},
            (1, 10, 1),
            "no parameter tick_interval",
        ),
    ],
)
def test_numbers(row, members, said):
    entry, left_out = one({"type": "integer", "name": "n"} | row)
    assert tuple(entry[key] for key in ("min", "max", "step")) == members
    assert (said is None) == (not left_out)
    assert said is None or said in left_out[0], left_out
