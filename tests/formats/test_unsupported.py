"""What Candor does not support is left out and named."""

import pytest

from tests.support.xlsform_readings import FAMILIAR, from_xlsform, one, with_fault
from tests.support.xlsforms import table

pytestmark = pytest.mark.fast


def test_a_column_that_a_type_does_not_have_is_ignored_and_named():
    read = with_fault({"type": "select_one yn", "candor::colour": "red"})
    assert len(read.survey.questions) == 2
    assert any("row 3, column candor::colour: is no column of Candor" in each
               for each in read.left_out)  # fmt: skip


def test_nested_repeats_are_left_out_as_one():
    rows = [{"type": kind, "name": f"r{n}"} for n, kind in enumerate(
        ["begin_repeat", "text", "begin repeat", "text", "end repeat", "end_repeat"])]  # fmt: skip
    entry, left_out = one({"type": "text", "name": "after"}, *rows)
    assert entry["name"] == "after"
    assert [said for said in left_out if "repeat" in said] == [
        "survey, row 2, column type: Candor has no repeats. The repeat up to row 7 and all "
        "questions in it are omitted."
    ]


def test_a_repeat_that_never_ends_is_said():
    rows = table(
        ("type", "name", "label"), ("text", "q", "?"), ("begin_repeat", "r"), ("note", "n")
    )
    assert from_xlsform({"survey": rows, "settings": FAMILIAR}).left_out == (
        "survey, row 3, column type: the repeat has no end, so it and all rows below it are "
        "omitted. Add a row end_repeat where it ends.",
    )


def test_choices_in_another_file_drop_the_question_and_say_so():
    elsewhere = {"type": "select_one_from_file towns.csv", "name": "town"}
    entry, left_out = one({"type": "text", "name": "q"}, elsewhere)
    assert entry["name"] == "q"
    assert left_out[0].endswith(
        "column type: Candor reads choices only from the sheet choices. Move them there. The "
        "question is omitted."
    )
