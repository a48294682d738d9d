"""Researchers' forms, each with its CSRF token. Respondents' answers are never form fields."""

from collections.abc import Callable
from decimal import Decimal

from flask_wtf import FlaskForm
from flask_wtf.file import FileField, FileRequired
from wtforms import (
    BooleanField,
    DateField,
    DecimalField,
    Field,
    FieldList,
    Form,
    FormField,
    HiddenField,
    IntegerField,
    SelectChoice,
    SelectField,
    SelectMultipleField,
    StringField,
    TextAreaField,
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

from survey.core.languages import LANGUAGES, language_name
from survey.definition.fieldwork import ALL_ON_ONE_PAGE, DEFAULT_BATCH_RESPONSES, ONE_AT_A_TIME
from survey.definition.responses.invitation_codes import MAX_CODES_AT_ONCE
from survey.definition.survey import MAX_QUESTIONS
from survey.definition.types import QUESTION_TYPES

MAX_RESPONSES = 10**9
MAX_INTEGER_CHARACTERS = 30  # of a whole number, with its sign; more are too many for any field
LAYOUTS = [
    SelectChoice(ALL_ON_ONE_PAGE, "All questions on one page"),
    SelectChoice(ONE_AT_A_TIME, "One question at a time"),
]
OWN, EXPERTS = "Of your own", "For experts"
PRIVACY = [
    SelectChoice("strong", "Strong: it could do harm"),
    SelectChoice("medium", "Medium: one would rather not say"),
    SelectChoice("light", "Light: a little private"),
    SelectChoice("none", "None: stored as given"),
    # static/admin/builder/builder.js leaves out what does not fit the kind; without it the words
    # say so
    SelectChoice("coin_flip", "Two coin flips (not for boxes or numbers)", optgroup=OWN),
    SelectChoice("epsilon", "Own epsilon", optgroup=OWN),
    SelectChoice("mean", "Own epsilon, best for the mean (scales, numbers)", optgroup=OWN),
    SelectChoice("gamma", "Own gamma (two answers)", optgroup=EXPERTS),
    SelectChoice("other", "Another mechanism, as JSON", optgroup=EXPERTS),
]
GOALS = [
    SelectChoice("shares", "How many gave each answer"),
    SelectChoice("mean", "The mean"),
]


def type_choices() -> list[SelectChoice]:
    return [SelectChoice(each.name, each.title) for each in QUESTION_TYPES.values()]


def type_choices_with_parts() -> list[SelectChoice]:
    """The types with what scripts look up: which parts of a question's form apply. One menu of the
    page has it, since there may be many questions."""
    return [
        SelectChoice(
            each.name,
            each.title,
            {"data-parts": " ".join(each.builder_parts), "data-goal": each.usual_goal},
        )
        for each in QUESTION_TYPES.values()
    ]


def language_choices() -> list[SelectChoice]:
    """The languages of respondents' pages, each by what it calls itself."""
    return [SelectChoice(each, language_name(each)) for each in LANGUAGES]


class ActionForm(FlaskForm):
    """A button: nothing but the token."""


class WholeNumberField(IntegerField):
    """Of so few digits that it can be compared with any number."""

    def process_formdata(self, valuelist: list[str]) -> None:
        if valuelist and len(valuelist[0].strip()) > MAX_INTEGER_CHARACTERS:
            valuelist = ["too long"]  # which is no number either
        super().process_formdata(valuelist)


class InvitationsForm(FlaskForm):
    count = WholeNumberField("How many", [InputRequired(), NumberRange(1, MAX_CODES_AT_ONCE)])


class ShareForm(FlaskForm):
    name = StringField(
        "For whom it is",
        [InputRequired("Say for whom, so that you know which one to switch off."), Length(max=100)],
    )


class ImportForm(FlaskForm):
    file = FileField("File", [FileRequired("Choose a file.")])


class DesignFileForm(FlaskForm):
    file = FileField("File", [FileRequired("Choose a file.")])


class LimitsForm(FlaskForm):
    """When a survey closes by itself, and how many responses are hoped for."""

    cap = WholeNumberField("Most responses", [Optional(), NumberRange(1, MAX_RESPONSES)])
    last_day = DateField("Last day", [Optional()])
    target = WholeNumberField("Responses hoped for", [Optional(), NumberRange(1, MAX_RESPONSES)])


class CheckboxesField(SelectMultipleField):
    """Each choice with a box of its own."""

    option_widget = CheckboxInput()


class QuestionForm(Form):
    """One question of the builder; checked by the definition's own rules, not twice here."""

    label = TextAreaField("Question")
    hint = StringField("Hint (optional)")
    name = StringField("Column name in the CSV (optional)")
    was = HiddenField()  # its name when the form was made, by which it is known again
    type = SelectField("Kind", choices=type_choices)
    choices = TextAreaField("Choices, one a line")
    min = StringField("Smallest value")
    max = StringField("Largest value")
    step = StringField("Step", default="1")
    unit = StringField("Unit (optional)")
    prefer_not_to_say = BooleanField("Offer “prefer not to say”")
    relevant = TextAreaField("Asked only if (optional)")
    otherwise = StringField("Answer of those who are not asked (optional)")
    privacy = SelectField("Protection", choices=PRIVACY, default="medium")
    # what is usual for the kind until it is chosen
    goal = SelectField("You mostly want to know", choices=GOALS, default="", validate_choice=False)
    gamma = StringField("gamma, between 0 and 1/2", default="0.25")
    epsilon = StringField("epsilon", default="1")
    other = TextAreaField("Mechanism as JSON")


class SurveyForm(FlaskForm):
    title = StringField("Title")
    slug = StringField("Address (optional)")
    language = SelectField("Language", choices=language_choices)
    languages = CheckboxesField("Further languages", choices=language_choices)
    introduction = TextAreaField("Introduction, in Markdown (optional)")
    respondents = StringField("Respondents you expect (optional)", default="500")
    budget = StringField("Most epsilon per respondent (optional)")
    sample = StringField("Private questions per respondent (optional)")
    asked_by = StringField("Who asks (optional)")
    contact = StringField("How to reach them (optional)")
    minutes = StringField("Minutes it takes (optional)")
    support = TextAreaField("Help and support, in Markdown (optional)")
    layout = SelectField("Questions", choices=LAYOUTS)
    exit = StringField("Where “Leave now” leads (optional)")
    series = StringField("Series (optional)")
    batch = StringField(
        "Show results in steps of how many responses", default=str(DEFAULT_BATCH_RESPONSES)
    )
    invitations = BooleanField("Only with an invitation that works once")
    receipts = BooleanField("Give receipts, with which people can take back what they sent")
    by_hand = BooleanField("Let people without JavaScript toss real coins")
    comprehension = BooleanField("End with a short test of what was understood")
    # to be added
    kind = SelectField(
        "Kind of the next question", choices=type_choices_with_parts, default="yes_no"
    )
    seen = HiddenField()  # fingerprint of the draft that is being edited
    undo = (
        HiddenField()
    )  # how the last change to the order is taken back (survey/admin/builder/reorder.py)
    # twice as many as there may be, so that it is told where there are too many
    questions = FieldList(FormField(QuestionForm), max_entries=2 * MAX_QUESTIONS)


def number_between(
    low: int | float, high: int | float, kind: str = "number"
) -> Callable[..., None]:
    """A validator with one sentence for all that can be wrong with a number."""
    least, most = Decimal(str(low)), Decimal(str(high))

    def check(form: Form, field: Field) -> None:
        value = field.data
        # letters are read as None; what is no number may not be compared
        if value is None or not Decimal(value).is_finite() or not least <= value <= most:
            field.errors[:] = []
            raise StopValidation(f"Type a {kind} from {low:,} to {high:,}.")

    return check


def percent_field(label: str, low: float, high: float, default: str) -> DecimalField:
    """A field in percent or points, for a plan."""
    return DecimalField(label, [number_between(low, high)], places=None, default=Decimal(default))


class PlanForm(Form):
    """What a plan assumes. It changes nothing and is sent by GET, so that a plan is a link."""

    question = SelectField("Question to look at closely", validate_choice=False)
    n = WholeNumberField(
        "Respondents you expect", [number_between(1, 10_000_000, "whole number")], default=500
    )
    margin = percent_field("Margin you want, in points", 0.1, 50, "5")
    share = DecimalField(
        "Your guess at the true share, in percent (optional)",
        [Optional(), number_between(0, 100)],
        places=None,
    )
    null = percent_field("Share to compare with, in percent", 0, 100, "10")
    truth = percent_field("Share to tell from it, in percent", 0, 100, "20")
    power = percent_field("Power, in percent", 50, 99.9, "80")
    alpha = percent_field("False alarms, in percent", 0.1, 20, "5")

    def validate_truth(self, field: DecimalField) -> None:
        if not self.null.errors and abs(field.data - self.null.data) < Decimal("0.1"):
            raise ValidationError("Choose a share at least 0.1 points away from the other.")
