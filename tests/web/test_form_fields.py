"""Form fields that several packages use: their messages, in the language of the page."""

from gettext import NullTranslations

import pytest
from werkzeug.datastructures import MultiDict
from wtforms import DateField, Form, SelectField, StringField
from wtforms.validators import Length

from survey.core import translate
from survey.web.form_fields import (
    MESSAGES,
    CheckboxesField,
    PageForm,
    percent_field,
    without_grouping,
)
from tests.support.check_each import check_each

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


class Limited(PageForm):
    name = StringField("Name", [Length(max=3)])
    one = SelectField("One", choices=["a"])
    several = CheckboxesField("Several", choices=["a"])
    day = DateField("Day")


def typed_wrongly(texts: dict[str, str]) -> dict[str, list[str]]:
    form = Limited(MultiDict(texts))
    assert not form.validate()
    return {name: list(map(str, errors)) for name, errors in form.errors.items()}


def test_the_messages_of_wtforms_are_in_the_language_of_the_page(monkeypatch) -> None:
    class Upper(NullTranslations):
        def gettext(self, message: str) -> str:
            assert message in MESSAGES.values()
            return message.upper().replace("%(MAX)D", "%(max)d").replace("%(VALUE)S", "%(value)s")

    texts = {"name": "long", "one": "x", "several": "y", "day": "z"}
    assert typed_wrongly(texts) == {
        "name": ["This text is too long. Use at most 3 characters."],
        "one": ["This choice is not in the list. Choose another one."],
        "several": ["“y” is not in the list. Choose another one."],
        "day": ["This is not a date. Choose a day."],
    }
    monkeypatch.setattr(translate, "catalog", lambda *_: Upper())
    assert typed_wrongly(texts) == {
        "name": ["THIS TEXT IS TOO LONG. USE AT MOST 3 CHARACTERS."],
        "one": ["THIS CHOICE IS NOT IN THE LIST. CHOOSE ANOTHER ONE."],
        "several": ["“y” IS NOT IN THE LIST. CHOOSE ANOTHER ONE."],
        "day": ["THIS IS NOT A DATE. CHOOSE A DAY."],
    }


@check_each(
    ("typed", "digits"),
    [("2.000", "2000"), ("2,000", "2000"), ("1.234.567", "1234567"), ("10 000", "10000"),
     ("2.0", "2.0"), ("2.0000", "2.0000"), (".500", ".500"), ("2000", "2000")],
)  # fmt: skip
def test_groups_of_digits_are_joined(typed, digits):
    assert without_grouping(typed) == digits
