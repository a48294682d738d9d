"""Form fields and validators that several packages use."""

from collections.abc import Callable
from decimal import Decimal

from wtforms import DecimalField, Field, Form, SelectMultipleField
from wtforms.validators import StopValidation
from wtforms.widgets import CheckboxInput

from survey.core.translate import later, translate, translate_number


class CheckboxesField(SelectMultipleField):
    """A checkbox for each choice."""

    option_widget = CheckboxInput()


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


def percent_field(label: str, low: float, high: float, default: str) -> DecimalField:
    """A field in percent or points, for a plan."""
    return DecimalField(label, [number_between(low, high)], places=None, default=Decimal(default))
