"""Forms of surveys, each with a CSRF token. Respondents' answers are never form fields."""

from decimal import Decimal

from flask_wtf.file import FileField, FileRequired
from wtforms import (
    BooleanField,
    DateField,
    HiddenField,
    IntegerField,
    SelectChoice,
    SelectField,
    StringField,
    TextAreaField,
)
from wtforms.validators import InputRequired, Length, NumberRange, Optional, ValidationError

from survey.core.csv_tables import ENCODINGS, SEPARATORS
from survey.core.translate import later, translate, translate_number
from survey.definition.responses.invitation_codes import MAX_CODES_AT_ONCE
from survey.definition.survey import MAX_TITLE_CHARACTERS
from survey.web.form_fields import (
    CheckboxesField,
    NumberField,
    PageForm,
    PostForm,
    number_between,
    percent_field,
)

MAX_RESPONSES = 10**9
# All fields of an import and its file fit into one form.
MAX_OPTION_CHARACTERS = 10_000
# With the sign. No field needs a longer number.
MAX_INTEGER_CHARACTERS = 30


class ActionForm(PostForm):
    """A button, with only the CSRF token."""


class WholeNumberField(IntegerField):
    """A whole number with a limited number of digits, so that it is quick to parse."""

    def process_formdata(self, valuelist: list[str]) -> None:
        if valuelist and len(valuelist[0].strip()) > MAX_INTEGER_CHARACTERS:
            # This text is not a number, so validation fails.
            valuelist = ["too long"]
        super().process_formdata(valuelist)


class InvitationsForm(PostForm):
    count = WholeNumberField("How many", [InputRequired(), NumberRange(1, MAX_CODES_AT_ONCE)])


class ShareForm(PostForm):
    name = StringField(
        later("Name of the link"),
        [
            InputRequired(later("Type a name, so that you know which link to delete.")),
            Length(max=100),
        ],
    )


class CodeNameForm(PostForm):
    name = StringField(
        later("Name of the code"), [InputRequired(later("Type a name.")), Length(max=60)]
    )


class SavedAnalysisForm(PostForm):
    """The name that a researcher gives an analysis, its key in `ANALYSES`, and its query."""

    name = StringField(
        later("Name of the analysis"), [InputRequired(later("Type a name.")), Length(max=100)]
    )
    analysis = HiddenField()
    query = HiddenField()


class ImportForm(PostForm):
    file = FileField(later("File"), [FileRequired(later("Choose a file."))])


class TableForm(PostForm):
    """A CSV file, chosen or, after the first step, as text, so that nobody chooses it twice."""

    file = FileField(later("File"))
    content = HiddenField()
    encoding = SelectField(later("Encoding"), choices=["", *ENCODINGS], default="")


def lines_field(label: str) -> TextAreaField:
    """A field with a value on each line."""
    return TextAreaField(label, [Length(max=MAX_OPTION_CHARACTERS)], render_kw={"rows": 2})


class ResponsesForm(TableForm):
    """A file of responses, and how its columns and numbers are written."""

    decimal_mark = lines_field(later("Sign before decimals"))
    separator = SelectField(
        later("Sign between cells"),
        choices=lambda: [
            SelectChoice("", translate("Found by Candor")),
            *(SelectChoice(sign, translate(name)) for sign, name in SEPARATORS.items()),
        ],
        default="",
    )


class LoadForm(ResponsesForm):
    """A file of responses.

    `arrived` is the number of responses that the preview showed, so that the same file is not
    loaded twice by accident.
    """

    arrived = HiddenField()


class RandomisedForm(ResponsesForm):
    """A file with columns that were randomised elsewhere, and the options of its import."""

    title = StringField(later("Title"), [Length(max=MAX_TITLE_CHARACTERS)])
    private = lines_field(later("Randomised columns and their designs, one per line"))
    design_by = StringField(
        later("Column that decides on the design of each row"), [Length(max=MAX_OPTION_CHARACTERS)]
    )
    join = lines_field(later("Columns with the same question and different designs"))
    yes = lines_field(later("Cells that mean yes"))
    choices = lines_field(later("Answers of randomised columns with more than two answers"))
    missing = lines_field(later("Cells that mean a missing value"))
    skip = lines_field(later("Columns to leave out"))
    categories = lines_field(later("Columns of numbers to import as choices"))
    numbers = lines_field(later("Columns to import as numbers"))
    weights = lines_field(later("Columns of weights"))
    keep_missing = lines_field(later("Columns in which a missing cell is an answer"))
    require_complete = BooleanField(later("Refuse the file if a report is missing"))


class LimitsForm(PostForm):
    """The limits at which a survey closes automatically, and the target sample size."""

    cap = WholeNumberField(later("Maximum responses"), [Optional(), NumberRange(1, MAX_RESPONSES)])
    last_day = DateField(later("Last day"), [Optional()])
    target = WholeNumberField(
        later("Target sample size"), [Optional(), NumberRange(1, MAX_RESPONSES)]
    )


class ProtectionForm(PageForm):
    """What the levels of protection are compared for. It changes nothing and is sent by GET."""

    n = WholeNumberField(
        later("How many will answer?"), [number_between(1, 10_000_000, "whole number")], default=500
    )
    main = CheckboxesField(
        later("Main figures"),
        validate_choice=False,
        description=later("If you choose some, the margin of all others may be twice as large."),
    )
    crossed = BooleanField(
        later("Also the cross-tabulation of each two of them"),
        description=later("This is for questions with one choice that the same person is asked."),
    )
    kept = CheckboxesField(
        later("Questions that keep their protection"),
        validate_choice=False,
        description=later("Their protection stays as it is, and counts towards the level."),
    )


class PlanForm(PageForm):
    """The assumptions of a plan. It changes nothing and is sent by GET, so that it has a link."""

    question = SelectField(later("Question"), validate_choice=False)
    n = WholeNumberField(
        later("Number of respondents"), [number_between(1, 10_000_000, "whole number")], default=500
    )
    margin = percent_field(later("Margin of error, in percentage points"), 0.1, 50, "5")
    share = NumberField(
        later("Assumed true share, in percent (optional)"),
        [Optional(), number_between(0, 100)],
        places=None,
    )
    asked = NumberField(
        later("Respondents who are asked, in percent (optional)"),
        [Optional(), number_between(1, 100)],
        places=None,
    )
    null = percent_field(later("First share, in percent"), 0, 100, "10")
    truth = percent_field(later("Second share, in percent"), 0, 100, "20")
    power = percent_field(later("Power, in percent"), 50, 99.9, "80")
    alpha = percent_field(later("Significance level, in percent"), 0.1, 20, "5")

    def validate_truth(self, field: NumberField) -> None:
        if not self.null.errors and abs(field.data - self.null.data) < Decimal("0.1"):
            raise ValidationError(
                translate(
                    "Type a share that differs from the first share by at least %(points)s points.",
                    points=translate_number("0.1"),
                )
            )
