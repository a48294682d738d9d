"""Form fields that several packages use: one message for every error of a number."""

import pytest
from werkzeug.datastructures import MultiDict
from wtforms import Form

from survey.web.form_fields import CheckboxesField, percent_field

pytestmark = pytest.mark.fast


class Example(Form):
    share = percent_field("Share", 0, 90, "5")
    boxes = CheckboxesField("Boxes", choices=["a", "b", "c"])


@pytest.mark.parametrize("typed", ["91", "-1", "many", "NaN", "Infinity", ""])
def test_a_number_outside_its_range_has_one_message(typed: str) -> None:
    form = Example(MultiDict({"share": typed}))
    assert not form.validate()
    assert form.share.errors == ["Type a number from 0 to 90."]


def test_a_number_within_its_range_and_several_boxes_are_accepted() -> None:
    form = Example(MultiDict([("share", "12.5"), ("boxes", "a"), ("boxes", "c")]))
    assert form.validate()
    assert float(form.share.data) == 12.5
    assert form.boxes.data == ["a", "c"]
    assert [str(box).count('type="checkbox"') for box in form.boxes] == [1, 1, 1]
