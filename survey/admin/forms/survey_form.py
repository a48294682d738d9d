"""Forms of surveys, each with a CSRF token. Respondents' answers are never form fields."""

from collections.abc import Callable
from decimal import Decimal

from flask_wtf import FlaskForm
from flask_wtf.file import FileField, FileRequired
from wtforms import (
    DateField,
    DecimalField,
    Field,
    Form,
    IntegerField,
    SelectField,
    SelectMultipleField,
    StringField,
)
from wtforms.validators import (
    InputRequired,
    Length,
    NumberRange,
    Optional,
    StopValidation,
    ValidationError,
)
from wtforms.widgets import CheckboxInput

from survey.definition.responses.invitation_codes import MAX_CODES_AT_ONCE

MAX_RESPONSES = 10**9
# With the sign. No field needs a longer number.
MAX_INTEGER_CHARACTERS = 30


class ActionForm(FlaskForm):
    """A button, with only the CSRF token."""


class WholeNumberField(IntegerField):
    """A whole number with a limited number of digits, so that it is quick to parse."""

    def process_formdata(self, valuelist: list[str]) -> None:
        if valuelist and len(valuelist[0].strip()) > MAX_INTEGER_CHARACTERS:
            # This text is not a number, so validation fails.
            valuelist = ["too long"]
        super().process_formdata(valuelist)


class InvitationsForm(FlaskForm):
    count = WholeNumberField("How many", [InputRequired(), NumberRange(1, MAX_CODES_AT_ONCE)])


class ShareForm(FlaskForm):
    name = StringField(
        "Name of the link",
        [InputRequired("Type a name, so that you know which link to delete."), Length(max=100)],
    )


class ImportForm(FlaskForm):
    file = FileField("File", [FileRequired("Choose a file.")])


class DesignFileForm(FlaskForm):
    file = FileField("File", [FileRequired("Choose a file.")])


class LimitsForm(FlaskForm):
    """The limits at which a survey closes automatically, and the target sample size."""

    cap = WholeNumberField("Maximum responses", [Optional(), NumberRange(1, MAX_RESPONSES)])
    last_day = DateField("Last day", [Optional()])
    target = WholeNumberField("Target sample size", [Optional(), NumberRange(1, MAX_RESPONSES)])


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
            raise StopValidation(f"Type a {kind} from {low:,} to {high:,}.")

    return check


def percent_field(label: str, low: float, high: float, default: str) -> DecimalField:
    """A field in percent or points, for a plan."""
    return DecimalField(label, [number_between(low, high)], places=None, default=Decimal(default))


class PlanForm(Form):
    """The assumptions of a plan. It changes nothing and is sent by GET, so that it has a link."""

    question = SelectField("Question", validate_choice=False)
    n = WholeNumberField(
        "Number of respondents", [number_between(1, 10_000_000, "whole number")], default=500
    )
    margin = percent_field("Margin of error, in percentage points", 0.1, 50, "5")
    share = DecimalField(
        "Assumed true share, in percent (optional)",
        [Optional(), number_between(0, 100)],
        places=None,
    )
    null = percent_field("First share, in percent", 0, 100, "10")
    truth = percent_field("Second share, in percent", 0, 100, "20")
    power = percent_field("Power, in percent", 50, 99.9, "80")
    alpha = percent_field("Significance level, in percent", 0.1, 20, "5")

    def validate_truth(self, field: DecimalField) -> None:
        if not self.null.errors and abs(field.data - self.null.data) < Decimal("0.1"):
            raise ValidationError(
                "Type a share that differs from the first share by at least 0.1 points."
            )
