"""The fields of the builder: one row describes one field.

The form, the page, its scripts, the definition and the error messages are made from these rows. A
new row is enough if its value is a member of the definition, as typed. If several fields make one
member, or a member has a special format, `form_to_definition` converts it.
"""

from collections import ChainMap
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

from flask_wtf import FlaskForm
from wtforms import (
    BooleanField,
    Field,
    FieldList,
    Form,
    FormField,
    HiddenField,
    SelectChoice,
    SelectField,
    StringField,
    TextAreaField,
)

from survey.core.languages import (
    LANGUAGES,
    MAIN,
    language_name,
    reviewed_by_native_speaker,
)
from survey.core.number_grid import MAX_VALUES
from survey.definition.choices import MAX_CHOICES
from survey.definition.fieldwork import (
    ALL_ON_ONE_PAGE,
    DEFAULT_BATCH_RESPONSES,
    MAX_BATCH_RESPONSES,
    MAX_MINUTES,
    ONE_AT_A_TIME,
)
from survey.definition.protection_levels import LEVELS, MEDIUM
from survey.definition.survey import MAX_QUESTIONS, MAX_TEXTS
from survey.definition.types import QUESTION_TYPES
from survey.planning.sample_size import MAX_RESPONDENTS
from survey.web.form_fields import CheckboxesField


def language_label(language: str) -> str:
    """The name of a language in that language, with a note if no native speaker reviewed it."""
    reviewed = reviewed_by_native_speaker(language)
    note = "" if reviewed else " (not yet reviewed by a native speaker)"
    return language_name(language) + note


OWN, EXPERTS = "Custom", "For experts"
# static/admin/builder/builder.js hides choices that do not fit the type of the question.
PRIVACY = [
    SelectChoice("strong", "Strong: for answers that could do harm"),
    SelectChoice(MEDIUM, "Medium: for answers that people would rather keep private"),
    SelectChoice("light", "Light: for slightly private answers"),
    SelectChoice("none", "None: stored as given"),
    SelectChoice("coin_flip", "Two coin flips", optgroup=OWN),
    SelectChoice("epsilon", "Set ε", optgroup=OWN),
    SelectChoice("mean", "Set ε, for the most precise mean", optgroup=OWN),
    SelectChoice("gamma", "Set γ", optgroup=EXPERTS),
    SelectChoice("other", "Another mechanism, as JSON", optgroup=EXPERTS),
]
LANGUAGE_CHOICES = [SelectChoice(each, language_label(each)) for each in LANGUAGES]
RANGE = frozenset({"min", "max", "step"})
ANSWERS = RANGE | {"choices", "type"}
QUESTIONS = frozenset({"questions"})
SLUG = (
    "use at most 63 characters: lower-case letters without accents, digits, and hyphens between "
    "them."
)


@dataclass(frozen=True)
class BuilderField:
    """One field of the survey, or of each question.

    Attributes
    ----------
    label : the label on the page
    place : the part of the page where the template prints it
    kind : the class of WTForms
    default : the value in a new survey or question
    hint : a sentence below the field
    help_page : the address of the help page that the hint links, or ""
    attributes : attributes of the HTML element, such as a placeholder
    choices : the choices of a menu, as WTForms has them
    optional : whether the field may be empty; the definition then does not have its member
    part : the field applies to types with this in `builder_parts`; empty for every type
    protections : the field applies to these protections only; empty for all
    only_with : another field that must be filled in, or this one does not apply
    composed : whether `form_to_definition` makes the member of the definition
    whole_number : whether the member is an optional whole number
    member : the member of the definition that errors name, if it differs from the row's name
    faults : error messages by the `reason` of a DefinitionError, "" for any other reason. They
        continue after the label: "Smallest value: type a number." `{fault}` is the parser's
        message, `{line}` the number of a choice, `{name}` the name of a question. Reasons about a
        part of a choice begin with that part.
    hangs_on : by the same reasons, other fields that may cause the error; while one of these has
        an error, no error of this field is shown
    stand_in : the value that replaces a faulty one
    """

    label: str
    place: str
    kind: type[Field] = StringField
    default: Any = ""
    hint: str = ""
    help_page: str = ""
    attributes: Mapping[str, Any] = field(default_factory=dict)
    choices: Any = None
    optional: bool = False
    part: str = ""
    protections: tuple[str, ...] = ()
    only_with: str = ""
    composed: bool = False
    whole_number: bool = False
    member: str = ""
    faults: Mapping[str, str] = field(default_factory=dict)
    hangs_on: Mapping[str, frozenset[str]] = field(default_factory=dict)
    stand_in: str = ""

    def form_field(self) -> Any:
        """The field of WTForms. The definition's parser checks the value, not WTForms."""
        label = f"{self.label} (optional)" if self.optional else self.label
        menu = {"choices": self.choices, "validate_choice": False} if self.choices else {}
        return self.kind(label, default=self.default, render_kw=self.attributes, **menu)


# Error messages for reasons that a row does not list.
ANY_FAULTS = {
    "": "it {fault}",
    "mechanism": "{fault}",
    "number": "type a number.",
    "digits": "type a number with fewer digits.",
}
# Faults are listed in this order.
SURVEY_FIELDS = {
    "title": BuilderField("Title", "title", faults={"empty": "type a title."}, stand_in="…"),
    "slug": BuilderField(
        "Survey address", "address", optional=True, composed=True, stand_in="stand-in",
        attributes={"autocomplete": "off", "spellcheck": "false", "autocapitalize": "none"},
        faults={"made": "Candor cannot make an address from the title. Type one, such as "
                        "health-2026.",
                "empty": "type one, such as health-2026.", "name": SLUG,
                "taken": "another survey has this address. Choose another one."},
        hangs_on={"made": frozenset({"title"})},
    ),
    "introduction": BuilderField(
        "Introduction, in Markdown", "introduction", TextAreaField, optional=True,
        hint="Say why you ask. Respondents see two lines of it before the questions, and can read "
             "the rest.",
        attributes={"rows": 3},
    ),
    "introduction_in_full": BuilderField(
        "Show the whole introduction, such as a consent text, on a screen of its own",
        "introduction", BooleanField, default=False,
    ),
    "language": BuilderField(
        "Language", "limits", SelectField, MAIN, choices=LANGUAGE_CHOICES, stand_in=MAIN,
    ),
    "languages": BuilderField(
        "Translations", "languages", CheckboxesField, choices=LANGUAGE_CHOICES, composed=True,
        member="translations",
    ),
    "budget": BuilderField(
        "Privacy budget ε per respondent", "limits", optional=True, composed=True,
        hint="Candor refuses to save the draft if the total privacy loss ε is larger than this.",
        member="budget.epsilon",
        faults={"number": "type a number above 0, such as 3, or leave it empty."},
        hangs_on={"sum": QUESTIONS | {"sample"}},
    ),
    "sample": BuilderField(
        "Private questions per respondent", "limits", optional=True, composed=True,
        hint="Each respondent reports on this many private questions, chosen at random. If empty, "
             "each respondent reports on all.",
        member="budget.per_respondent.sample",
        faults={"number": "type a whole number below the number of private questions, or leave "
                          "it empty.",
                "below": "type a number below the number of private questions, or leave it "
                         "empty."},
        hangs_on={"below": QUESTIONS},
    ),
    "asked_by": BuilderField("Who asks", "who", optional=True),
    "contact": BuilderField("Contact", "who", optional=True),
    "minutes": BuilderField(
        "Duration in minutes", "who", optional=True, whole_number=True,
        faults={"range": f"type a whole number from 1 to {MAX_MINUTES}, or leave it empty."},
    ),
    "support": BuilderField(
        "Help and support, in Markdown", "support", TextAreaField, optional=True,
        hint="Say where respondents find help with the subject of the survey. They see this text "
             "before the questions and after sending.",
        attributes={"rows": 3},
    ),
    "layout": BuilderField(
        "Page layout", "participation", SelectField, ALL_ON_ONE_PAGE, stand_in=ALL_ON_ONE_PAGE,
        hint="With “All questions on one page”, each section begins a page of its own.",
        choices=[SelectChoice(ALL_ON_ONE_PAGE, "All questions on one page"),
                 SelectChoice(ONE_AT_A_TIME, "One question at a time")],
    ),
    "exit": BuilderField(
        "Page that “Leave now” opens", "participation", optional=True,
        hint="Choose a page that reveals nothing about the survey. If empty, Wikipedia opens. On "
             "Chinese pages it is Baidu, because Wikipedia does not open in China.",
        faults={"address": "type an address such as https://www.example.org/, or leave it "
                           "empty."},
    ),
    "completion_link": BuilderField(
        "Completion link", "participation", optional=True,
        hint="For panels such as Prolific. The last page shows this link after the response is "
             "sent. {NAME} stands for the value of the parameter NAME in the survey’s link.",
        help_page="how-to/recruit-through-a-panel",
        faults={"form": "type an address such as https://www.example.org/done?id={{PROLIFIC_PID}}, "
                        "or leave it empty."},
    ),
    "completion_code": BuilderField(
        "Completion code", "participation", optional=True,
        hint="For panels that ask for a code. The last page shows this code after the response is "
             "sent.",
        faults={"form": "use at most 60 letters, digits, _ and -, or leave it empty."},
    ),
    "series": BuilderField(
        "Series", "participation", optional=True,
        hint="For a survey that you repeat with the same people. Give all waves (rounds) the same "
             "series name, column names and protection. If the respondent agrees, the device "
             "sends the same report for an unchanged answer, which adds no privacy loss.",
        help_page="how-to/ask-again-in-waves",
        faults={"name": SLUG},
    ),
    "batch": BuilderField(
        "Batch size for publishing responses", "participation", whole_number=True,
        hint="Candor publishes responses in batches of this size, so that nobody can see one "
             "person’s report arrive. With 1, it publishes each response immediately.",
        default=str(DEFAULT_BATCH_RESPONSES), attributes={"inputmode": "numeric"},
        faults={"range": f"type a whole number from 1 to {MAX_BATCH_RESPONSES:,}."},
        stand_in=str(DEFAULT_BATCH_RESPONSES),
    ),
    "invitations": BuilderField(
        "Respondents need an invitation, which works once", "switches", BooleanField,
        default=False,
    ),
    "receipts": BuilderField(
        "Give receipts, so that respondents can withdraw their response", "switches",
        BooleanField, default=False,
    ),
    "title_in_history": BuilderField(
        "Name the survey in the browser’s tab and history, instead of “Survey”", "switches",
        BooleanField, default=False,
    ),
    "by_hand": BuilderField(
        "Paper-and-coin mode for people without JavaScript", "switches", BooleanField,
        default=False,
        hangs_on={"": QUESTIONS | {"sample", "series"}},
    ),
    "comprehension": BuilderField(
        "Comprehension test at the end", "switches", BooleanField, default=False,
        hangs_on={"": QUESTIONS},
    ),
    # The target sample size, which is not part of the definition (docs/decisions/0025).
    "respondents": BuilderField(
        "Target sample size", "expected", default="500", optional=True, composed=True,
        hint="Candor calculates precision for this many respondents. If empty, it uses 500.",
        attributes={"inputmode": "numeric"},
        faults={"range": f"type a whole number from 1 to {MAX_RESPONDENTS:,}, or leave it empty."},
    ),
    "questions": BuilderField(
        "Questions", "list", composed=True,
        faults={"count": f"ask 1 to {MAX_QUESTIONS} questions.",
                "texts": f"use at most {MAX_TEXTS} text questions.",
                "notes": "add at least one question. Notes and sections cannot be answered."},
        hangs_on={"": QUESTIONS},
    ),
}  # fmt: skip
QUESTION_FIELDS = {
    "label": BuilderField(
        "Question", "wording", TextAreaField, attributes={"rows": 2},
        faults={"empty": "type the question."}, stand_in="…",
    ),
    "type": BuilderField(
        "Type", "kind", SelectField, "yes_no",
        choices=lambda: [SelectChoice(kind.name, kind.title) for kind in QUESTION_TYPES.values()],
        faults={"": "choose one from the list."}, stand_in="note",
    ),
    "hint": BuilderField("Hint", "kind", optional=True),
    "choices": BuilderField(
        "Choices, one per line", "choices", TextAreaField, attributes={"rows": 4}, part="choices",
        hint="Write a label, or a code and a label: daily | Every day.", composed=True,
        faults={"count": f"give 2 to {MAX_CHOICES} choices.",
                "yes_no": "write two lines: “yes | ” and your word for Yes, then “no | ” and "
                          "your word for No.",
                "own": "{fault} Choose another code.",
                "label": "choice {line} {fault}",
                "label empty": "choice {line} has no label.",
                "label twice": "choice {line} has the same label as an earlier one.",
                "name": "the code of choice {line} {fault}",
                "name empty": "choice {line} has no code before the |.",
                "name twice": "choice {line} has the same code as an earlier one.",
                "name name": "the code of choice {line}, before the |, can have at most 63 "
                             "characters: letters without accents, digits, _ . and -."},
    ),
    "random_order": BuilderField(
        "Show the choices in random order", "order", BooleanField, default=False, part="order",
        hint="Each respondent sees a new order. The order is not stored.",
    ),
    "anchors": BuilderField(
        "Choices that keep their place", "order", optional=True, part="order",
        only_with="random_order", composed=True,
        hint="Type labels or codes with commas between them, for example: Other.",
        faults={"values": "{fault}", "few": "leave at least two choices that can change places."},
        hangs_on={"": frozenset({"choices"})},
    ),
    "min": BuilderField("Smallest value", "range", part="number", stand_in="0"),
    "max": BuilderField(
        "Largest value", "range", part="number", stand_in="1",
        faults={"order": "type a number above the smallest value."}, hangs_on={"order": RANGE},
    ),
    "step": BuilderField(
        "Step", "range", default="1", part="number", stand_in="1",
        faults={"positive": "type a number above 0.",
                "steps": "the largest value is not a whole number of steps above the smallest. "
                         "Change the step or one of these values.",
                "many": f"use larger steps. A question has at most {MAX_VALUES:,} values."},
        hangs_on={"steps": RANGE, "many": RANGE},
    ),
    "unit": BuilderField("Unit", "range", optional=True, part="number"),
    "privacy": BuilderField(
        "Protection", "protection", SelectField, MEDIUM, choices=PRIVACY, part="protected",
        composed=True,
        faults={"kind": "this protection does not fit the question type. Choose another one.",
                "two": "this protection is for two answers only. Choose another one."},
        hangs_on={"": ANSWERS},
    ),
    "goal": BuilderField(
        "Main goal", "protection", SelectField, part="goal",
        choices=[SelectChoice("shares", "The share of each answer"),
                 SelectChoice("mean", "The mean")],
        protections=tuple(LEVELS), composed=True,
    ),
    "gamma": BuilderField(
        "γ, between 0 and 1/2", "protection", default="0.25", part="protected",
        protections=("gamma",), composed=True,
        hint="The device sends the true answer with probability 1/2 + γ. With 0.25, this is two "
             "coin flips.",
        faults=dict.fromkeys(("number", "range"), "type a number above 0 and below 1/2."),
    ),
    "epsilon": BuilderField(
        "Privacy loss ε", "protection", default="1", part="protected",
        protections=("epsilon", "mean"), composed=True,
        hint="A smaller ε protects better and gives less precise results. 0.5 to 2 is usual.",
        faults=dict.fromkeys(("number", "range"), "type a number from 0.01 to 12."),
    ),
    "other": BuilderField(
        "Mechanism as JSON", "protection", TextAreaField, attributes={"rows": 2},
        part="protected", protections=("other",), composed=True,
        hint='For example {"mechanism": "warner", "p": "2/3"}.', help_page="reference/mechanisms",
        faults={"json": 'type the mechanism as JSON, for example {{"mechanism": "warner", "p": '
                        '"2/3"}}.',
                "number": "{fault}", "digits": "{fault}"},
        hangs_on={"mechanism": ANSWERS},
    ),
    "prefer_not_to_say": BuilderField(
        "Offer “prefer not to say”", "declining", BooleanField, default=True, part="protected",
        hint="This gives respondents a way out of a sensitive question. It costs precision, "
             "because there is one more answer to randomise. A yes/no question with medium "
             "protection needs 1.6 times as many responses for the same precision.",
    ),
    "optional": BuilderField(
        "Respondents may skip the question", "declining", BooleanField, default=False,
        part="skip", only_with="prefer_not_to_say",
        hint="A skipped question counts as “prefer not to say”. In a private question, the device "
             "randomises this answer like all others.",
    ),
    "relevant": BuilderField(
        "Asked only if", "condition", TextAreaField, optional=True, composed=True,
        attributes={"rows": 2, "placeholder": "smokes: yes"},
        faults={"line": "{fault}",
                "unknown": "there is no earlier question “{name}”. Choose an earlier question.",
                "values": "“{name}” {fault}",
                "bounds": "write “{name}: 18 to 65” or “{name}: at least 18”.",
                "section": "the condition on “{name}” {fault}"},
    ),
    "otherwise": BuilderField(
        "Answer for people who are not asked", "more", optional=True, part="protected",
        only_with="relevant", composed=True,
        hint="Type the code of a choice, or a number. For boxes, type codes with commas between "
             "them, or - for none. If empty, “not asked” is a separate answer.",
        faults={"relevant": "leave it empty, or add a condition above.",
                "value": "type a number that is a possible answer."},
        hangs_on={"": ANSWERS | {"relevant"}},
    ),
    "name": BuilderField(
        "Column name in the CSV file", "more", optional=True, composed=True,
        faults={"name": "use lower-case letters, digits and _, and start with a letter. At most "
                        "63 characters, and not “id”.",
                "twice": "another question has the same name. Choose another one."},
    ),
}  # fmt: skip
# Iteration gives the survey's fields first.
FIELDS = ChainMap(QUESTION_FIELDS, SURVEY_FIELDS)


def empty_question() -> dict[str, Any]:
    """The form's data for a new question."""
    return {name: row.default for name, row in QUESTION_FIELDS.items()} | {"was": ""}


def question_form() -> Any:
    """The class of a question's form. `was` is the question's name when the form was made, which
    identifies the question."""
    fields = {name: row.form_field() for name, row in QUESTION_FIELDS.items()}
    return type("QuestionForm", (Form,), fields | {"was": HiddenField(default="")})


def survey_form(**arguments: Any) -> FlaskForm:
    """The builder's form. `seen` is the fingerprint of the edited draft."""
    fields = {name: row.form_field() for name, row in SURVEY_FIELDS.items()}
    # Twice the allowed number, so that too many questions are refused and not silently dropped.
    fields["questions"] = FieldList(FormField(question_form()), max_entries=2 * MAX_QUESTIONS)
    fields["seen"] = HiddenField(default="")
    form: FlaskForm = type("SurveyForm", (FlaskForm,), fields)(**arguments)
    return form
