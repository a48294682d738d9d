"""Form fields and validators that several packages use."""

import re
from collections.abc import Callable
from decimal import Decimal

from flask_wtf import FlaskForm
from wtforms import DecimalField, Field, Form, SelectMultipleField
from wtforms.validators import StopValidation
from wtforms.widgets import CheckboxInput

from survey.core.exact_numbers import typed_decimal
from survey.core.translate import later, translate, translate_constant, translate_number

# The messages of WTForms that Candor's forms can show, and the sentence for each.
MESSAGES = {
    "This field is required.": later("This field is required."),
    "Not a valid choice.": later("This choice is not in the list. Choose another one."),
    "'%(value)s' is not a valid choice for this field.": later(
        "“%(value)s” is not in the list. Choose another one."
    ),
    "'%(value)s' are not valid choices for this field.": later(
        "These choices are not in the list: “%(value)s”. Choose others."
    ),
    "Not a valid integer value.": later("This is not a whole number. Type one, such as 25."),
    "Not a valid decimal value.": later("This is not a number. Type one, such as 2.5."),
    "Not a valid date value.": later("This is not a date. Choose a day."),
    "Number must be between %(min)s and %(max)s.": later(
        "Type a number between %(min)s and %(max)s."
    ),
    "Field cannot be longer than %(max)d character.": later(
        "This text is too long. Use at most %(max)d character."
    ),
    "Field cannot be longer than %(max)d characters.": later(
        "This text is too long. Use at most %(max)d characters."
    ),
}


class PageTranslations:
    """The messages of WTForms in the language of the page. WTForms fills their placeholders."""

    def gettext(self, message: str) -> str:
        return translate_constant(MESSAGES.get(message, message))

    def ngettext(self, singular: str, plural: str, n: int) -> str:
        message = singular if n == 1 else plural
        return translate_constant(MESSAGES.get(message, message))


class PageMeta:
    def get_translations(self, _form: Form) -> PageTranslations:
        return PageTranslations()


class PostForm(FlaskForm):
    """A form with a CSRF token, and messages in the language of the page."""

    class Meta(PageMeta):
        pass


class PageForm(Form):
    """A form without a CSRF token, with messages in the language of the page."""

    class Meta(PageMeta):
        pass


class CheckboxesField(SelectMultipleField):
    """A checkbox for each choice."""

    option_widget = CheckboxInput()


class NumberField(DecimalField):
    """A number with the limits of `typed_decimal`."""

    def process_formdata(self, valuelist: list[str]) -> None:
        if valuelist:
            try:
                valuelist = [str(typed_decimal(valuelist[0]))]
            except ValueError:
                valuelist = ["not a number"]
        super().process_formdata(valuelist)


def number_between(
    low: int | float, high: int | float, kind: str = "number"
) -> Callable[..., None]:
    """A validator with one message for every error of a number."""
    least, most = Decimal(str(low)), Decimal(str(high))

    def check(form: Form, field: Field) -> None:
        value = field.data
        # The field is None for letters, and NaN must not be compared.
        if value is None or not Decimal(value).is_finite() or not least <= value <= most:
            field.errors[:] = []
            sentence = (
                later("Type a whole number from %(low)s to %(high)s.")
                if kind == "whole number"
                else later("Type a number from %(low)s to %(high)s.")
            )
            ends = {
                "low": translate_number(f"{low:,}"),
                "high": translate_number(f"{high:,}"),
            }
            raise StopValidation(translate(sentence, **ends))

    return check


def without_grouping(digits: str) -> str:
    """A whole number as typed, without signs between groups of three digits: "2.000" or "2,000"."""
    return re.sub(r"(?<=\d)[,. \u00a0](?=\d{3}(?!\d))", "", digits)


def percent_field(label: str, low: float, high: float, default: str) -> NumberField:
    """A field in percent or points, for a plan."""
    return NumberField(label, [number_between(low, high)], places=None, default=Decimal(default))
