"""Researchers' forms, each with its CSRF token. Respondents' answers are never form fields."""

from flask_wtf import FlaskForm
from flask_wtf.file import FileField, FileRequired
from wtforms import (
    BooleanField,
    FieldList,
    Form,
    FormField,
    HiddenField,
    IntegerField,
    PasswordField,
    SelectChoice,
    SelectField,
    StringField,
    TextAreaField,
)
from wtforms.validators import EqualTo, InputRequired, Length, NumberRange, Regexp

from .auth import MAX_PASSWORD, MIN_PASSWORD
from .definition import MAX_QUESTIONS
from .fieldwork import ALL, BATCH, ONE
from .invitations import MOST_AT_ONCE
from .languages import LANGUAGES, own_name

LANGUAGE_CHOICES = [SelectChoice(each, own_name(each)) for each in LANGUAGES]
LAYOUTS = [
    SelectChoice(ALL, "All questions on one page"),
    SelectChoice(ONE, "One question at a time"),
]
TYPES = [
    SelectChoice("yes_no", "Yes or no"),
    SelectChoice("select_one", "Single choice"),
    SelectChoice("select_multiple", "Boxes to tick"),
    SelectChoice("scale", "Scale: ordered choices"),
    SelectChoice("number", "Number"),
    SelectChoice("text", "Text, stored as given"),
    SelectChoice("note", "Note: nothing is asked"),
]
PRIVACY = [
    SelectChoice("coin_flip", "Two coin flips"),
    SelectChoice("gamma", "Own gamma (two answers)"),
    SelectChoice("epsilon", "Own epsilon"),
    SelectChoice("mean", "Own epsilon, best for the mean (numbers, scales)"),
    SelectChoice("other", "Another mechanism, as JSON"),
    SelectChoice("none", "None: stored as given"),
]


class ActionForm(FlaskForm):
    """A button: nothing but the token."""


class InvitationsForm(FlaskForm):
    count = IntegerField("How many", [InputRequired(), NumberRange(1, MOST_AT_ONCE)])


class ShareForm(FlaskForm):
    name = StringField(
        "For whom it is",
        [InputRequired("Say for whom, so that you know which one to switch off."), Length(max=100)],
    )


class ImportForm(FlaskForm):
    file = FileField("File", [FileRequired("Choose a file.")])


class SignInForm(FlaskForm):
    name = StringField("Name", [InputRequired("Type your name."), Length(max=64)])
    password = PasswordField(
        "Password", [InputRequired("Type your password."), Length(max=MAX_PASSWORD)]
    )


class SetupForm(FlaskForm):
    name = StringField(
        "Name",
        [
            InputRequired("Choose a name."),
            Regexp(r"^[\w.@-]{1,64}$", message="Use letters, digits and . _ @ - (at most 64)."),
        ],
    )
    password = PasswordField(
        f"Password, at least {MIN_PASSWORD} characters",
        [
            Length(MIN_PASSWORD, MAX_PASSWORD, f"Use at least {MIN_PASSWORD} characters."),
        ],
    )
    again = PasswordField(
        "The password again", [EqualTo("password", "The two passwords are different.")]
    )


class QuestionForm(Form):
    """One question of the builder; checked by the definition's own rules, not twice here."""

    label = TextAreaField("Question")
    hint = StringField("Hint (optional)")
    name = StringField("Column name in the CSV (optional)")
    type = SelectField("Kind", choices=TYPES)
    choices = TextAreaField("Choices, one a line")
    min = StringField("Smallest value")
    max = StringField("Largest value")
    step = StringField("Step", default="1")
    unit = StringField("Unit (optional)")
    prefer_not_to_say = BooleanField("Offer “prefer not to say”")
    relevant = TextAreaField("Asked only if (optional)")
    otherwise = StringField("Answer of those who are not asked (optional)")
    privacy = SelectField("Protection", choices=PRIVACY)
    gamma = StringField("gamma, between 0 and 1/2", default="0.25")
    epsilon = StringField("epsilon", default="1")
    other = TextAreaField("Mechanism as JSON")


class SurveyForm(FlaskForm):
    title = StringField("Title")
    slug = StringField("Address (optional)")
    language = SelectField("Language", choices=LANGUAGE_CHOICES)
    introduction = TextAreaField("Introduction, in Markdown (optional)")
    budget = StringField("Most epsilon per respondent (optional)")
    sample = StringField("Private questions per respondent (optional)")
    asked_by = StringField("Who asks (optional)")
    contact = StringField("How to reach them (optional)")
    minutes = StringField("Minutes it takes (optional)")
    support = TextAreaField("Help and support, in Markdown (optional)")
    layout = SelectField("Questions", choices=LAYOUTS)
    exit = StringField("Where “Leave now” leads (optional)")
    series = StringField("Series (optional)")
    batch = StringField("Show results in steps of how many responses", default=str(BATCH))
    invitations = BooleanField("Only with an invitation that works once")
    receipts = BooleanField("Give receipts, with which people can take back what they sent")
    by_hand = BooleanField("Let people without JavaScript toss real coins")
    comprehension = BooleanField("End with a short test of what was understood")
    translations = TextAreaField("Translations, as JSON (optional)")
    seen = HiddenField()  # fingerprint of the draft that is being edited
    questions = FieldList(FormField(QuestionForm), max_entries=MAX_QUESTIONS)
