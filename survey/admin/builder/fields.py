"""The fields of the builder: one row says everything about a field.

The form, the page, its scripts, the definition and the sentences about faults are made from these
rows. A new row needs nothing else, as long as its value is a member of the definition as it is
typed. Where several fields make one member, or a member has a format of its own,
`form_to_definition` says how.
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

from survey.admin.builder.texts import LEVELS, MEDIUM
from survey.admin.forms.survey_form import CheckboxesField
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
from survey.definition.survey import MAX_QUESTIONS, MAX_TEXTS
from survey.definition.types import QUESTION_TYPES
from survey.planning.sample_size import MAX_RESPONDENTS


def language_label(language: str) -> str:
    """The name of a language in that language, with a note if no native speaker reviewed it."""
    reviewed = reviewed_by_native_speaker(language)
    note = "" if reviewed else " (not yet reviewed by a native speaker)"
    return language_name(language) + note


OWN, EXPERTS = "Of your own", "For experts"
# static/admin/builder/builder.js leaves out what does not fit the kind of question.
PRIVACY = [
    SelectChoice("strong", "Strong: it could do harm"),
    SelectChoice(MEDIUM, "Medium: one would rather not say"),
    SelectChoice("light", "Light: a little private"),
    SelectChoice("none", "None: stored as given"),
    SelectChoice("coin_flip", "Two coin flips (not for boxes or numbers)", optgroup=OWN),
    SelectChoice("epsilon", "Own epsilon", optgroup=OWN),
    SelectChoice("mean", "Own epsilon, best for the mean (scales, numbers)", optgroup=OWN),
    SelectChoice("gamma", "Own gamma (two answers)", optgroup=EXPERTS),
    SelectChoice("other", "Another mechanism, as JSON", optgroup=EXPERTS),
]
LANGUAGE_CHOICES = [SelectChoice(each, language_label(each)) for each in LANGUAGES]
RANGE = frozenset({"min", "max", "step"})
ANSWERS = RANGE | {"choices", "type"}
QUESTIONS = frozenset({"questions"})
SLUG = "use small letters without accents, digits, and hyphens between them; at most 63."


@dataclass(frozen=True)
class BuilderField:
    """One field of the survey, or of each question.

    Attributes
    ----------
    label : what the page calls it
    place : the part of the page where the template prints it
    kind : the class of WTForms
    default : its value in a new survey or question
    hint : a sentence below it
    attributes : of its HTML element, such as a placeholder
    choices : of a menu, as WTForms has them
    optional : whether its label says that it may be empty; the definition lacks it then
    part : it applies to the types whose `builder_parts` hold this; empty for every type
    protections : it applies to these choices of protection only; empty for all
    only_with : another field, without which it does not apply
    composed : whether `form_to_definition` makes its member of the definition
    whole_number : whether its member is a whole number, which may be left out
    member : the member of the definition that errors are about, if its name is not that of the row
    faults : what is said of it, by the `reason` of a DefinitionError, "" for any other reason. It
        goes on after the label: "Smallest value: type a number." `{fault}` is what the parser says,
        `{line}` the number of a choice, `{name}` that of a question. Reasons about a part of a
        choice begin with the part.
    hangs_on : by the same reasons, the fields that may be to blame; while one of them is wrong,
        nothing is said of this one
    stand_in : what is taken in its place while it is wrong
    """

    label: str
    place: str
    kind: type[Field] = StringField
    default: Any = ""
    hint: str = ""
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
        """The field of WTForms. The definition's parser judges the value, not WTForms."""
        label = f"{self.label} (optional)" if self.optional else self.label
        menu = {"choices": self.choices, "validate_choice": False} if self.choices else {}
        return self.kind(label, default=self.default, render_kw=self.attributes, **menu)


# What is said of any field for a reason for which its row has no sentence.
ANY_FAULTS = {
    "": "it {fault}",
    "mechanism": "{fault}",
    "number": "type a number.",
    "digits": "type a number of fewer digits.",
}
# The order is that in which faults are listed.
SURVEY_FIELDS = {
    "title": BuilderField("Title", "title", faults={"empty": "type a title."}, stand_in="…"),
    "slug": BuilderField(
        "Address", "address", optional=True, composed=True, stand_in="stand-in",
        attributes={"autocomplete": "off", "spellcheck": "false", "autocapitalize": "none"},
        faults={"made": "it cannot be made from the title; type one, such as health-2026.",
                "empty": "type one, such as health-2026.", "name": SLUG,
                "taken": "another survey has it; take another one."},
        hangs_on={"made": frozenset({"title"})},
    ),
    "introduction": BuilderField(
        "Introduction, in Markdown", "introduction", TextAreaField, optional=True,
        hint="Why you ask. It is shown before the questions.", attributes={"rows": 3},
    ),
    "language": BuilderField(
        "Language", "limits", SelectField, MAIN, choices=LANGUAGE_CHOICES, stand_in=MAIN,
    ),
    "languages": BuilderField(
        "Further languages", "languages", CheckboxesField, choices=LANGUAGE_CHOICES, composed=True,
        member="translations",
    ),
    "budget": BuilderField(
        "Most epsilon per respondent", "limits", optional=True, composed=True,
        hint="Saving is refused if all questions together cost more.",
        member="budget.epsilon",
        faults={"number": "type a number above 0, such as 3, or nothing."},
        hangs_on={"sum": QUESTIONS | {"sample"}},
    ),
    "sample": BuilderField(
        "Private questions per respondent", "limits", optional=True, composed=True,
        hint="Chance picks so many for each respondent; the others are not asked. Empty: all.",
        member="budget.per_respondent.sample",
        faults={"number": "type a whole number, smaller than that of the private questions, or "
                          "nothing.",
                "below": "type a smaller number than there are private questions, or nothing."},
        hangs_on={"below": QUESTIONS},
    ),
    "asked_by": BuilderField("Who asks", "who", optional=True),
    "contact": BuilderField("How to reach them", "who", optional=True),
    "minutes": BuilderField(
        "Minutes it takes", "who", optional=True, whole_number=True,
        faults={"range": f"type a whole number from 1 to {MAX_MINUTES}, or nothing."},
    ),
    "support": BuilderField(
        "Help and support, in Markdown", "support", TextAreaField, optional=True,
        hint="Where to turn for help with what you ask about: shown before the questions and "
             "after sending.",
        attributes={"rows": 3},
    ),
    "layout": BuilderField(
        "Questions", "participation", SelectField, ALL_ON_ONE_PAGE, stand_in=ALL_ON_ONE_PAGE,
        choices=[SelectChoice(ALL_ON_ONE_PAGE, "All questions on one page"),
                 SelectChoice(ONE_AT_A_TIME, "One question at a time")],
    ),
    "exit": BuilderField(
        "Where “Leave now” leads", "participation", optional=True,
        hint="An address that gives nothing away; an encyclopedia if empty.",
        faults={"address": "type an address such as https://www.example.org/, or nothing."},
    ),
    "series": BuilderField(
        "Series", "participation", optional=True,
        hint="A name that the waves of one survey share. The same device then sends the same for "
             "the same answer, so that asking again tells nothing more. Keep the questions' "
             "column names and protection.",
        faults={"name": SLUG},
    ),
    "batch": BuilderField(
        "Show results in steps of how many responses", "participation", whole_number=True,
        hint="Results and exports change only when so many new responses have come, so that "
             "nobody who watches them sees one person's report arrive. 1 shows each at once.",
        default=str(DEFAULT_BATCH_RESPONSES), attributes={"inputmode": "numeric"},
        faults={"range": f"type a whole number from 1 to {MAX_BATCH_RESPONSES:,}."},
        stand_in=str(DEFAULT_BATCH_RESPONSES),
    ),
    "invitations": BuilderField(
        "Only with an invitation that works once", "switches", BooleanField, default=False,
    ),
    "receipts": BuilderField(
        "Give receipts, with which people can take back what they sent", "switches",
        BooleanField, default=False,
    ),
    "by_hand": BuilderField(
        "Let people without JavaScript toss real coins", "switches", BooleanField, default=False,
        hangs_on={"": QUESTIONS | {"sample", "series"}},
    ),
    "comprehension": BuilderField(
        "End with a short test of what was understood", "switches", BooleanField, default=False,
        hangs_on={"": QUESTIONS},
    ),
    # The survey's target, which its definition does not have (docs/decisions/0025).
    "respondents": BuilderField(
        "Respondents you expect", "expected", default="500", optional=True, composed=True,
        hint="What you will learn is reckoned for so many; for 500, if empty.",
        attributes={"inputmode": "numeric"},
        faults={"range": f"type a whole number from 1 to {MAX_RESPONDENTS:,}, or nothing."},
    ),
    "questions": BuilderField(
        "The list of questions", "list", composed=True,
        faults={"count": f"ask 1 to {MAX_QUESTIONS} questions.",
                "texts": f"ask for at most {MAX_TEXTS} texts.",
                "notes": "there are notes only; ask something."},
        hangs_on={"": QUESTIONS},
    ),
}  # fmt: skip
QUESTION_FIELDS = {
    "label": BuilderField(
        "Question", "wording", TextAreaField, attributes={"rows": 2},
        faults={"empty": "type the question."}, stand_in="…",
    ),
    "type": BuilderField(
        "Kind", "kind", SelectField, "yes_no",
        choices=lambda: [SelectChoice(kind.name, kind.title) for kind in QUESTION_TYPES.values()],
        faults={"": "choose one of the list."}, stand_in="note",
    ),
    "hint": BuilderField("Hint", "kind", optional=True),
    "choices": BuilderField(
        "Choices, one a line", "choices", TextAreaField, attributes={"rows": 4}, part="choices",
        hint="Each a label, or code | label.", composed=True,
        faults={"count": f"give 2 to {MAX_CHOICES} choices.",
                "yes_no": "give two lines: “yes | ” and your word for it, then “no | ” and yours.",
                "own": "{fault} Take another code.",
                "label": "choice {line} {fault}",
                "label empty": "choice {line} has no label.",
                "label twice": "choice {line}, {fault}",
                "name": "the code of choice {line} {fault}",
                "name empty": "choice {line} has no code before the |.",
                "name twice": "choice {line} has the code of an earlier one.",
                "name name": "the code of choice {line}, before the |, may hold letters without "
                             "accents, digits, _ . and -, at most 63."},
    ),
    "min": BuilderField("Smallest value", "range", part="number", stand_in="0"),
    "max": BuilderField(
        "Largest value", "range", part="number", stand_in="1",
        faults={"order": "type a number above the smallest value."}, hangs_on={"order": RANGE},
    ),
    "step": BuilderField(
        "Step", "range", default="1", part="number", stand_in="1",
        faults={"positive": "type a number above 0.",
                "steps": "whole steps do not lead from the smallest value to the largest; change "
                         "one of the three.",
                "many": f"take larger steps; there are at most {MAX_VALUES:,} values."},
        hangs_on={"steps": RANGE, "many": RANGE},
    ),
    "unit": BuilderField("Unit", "range", optional=True, part="number"),
    "privacy": BuilderField(
        "Protection", "protection", SelectField, MEDIUM, choices=PRIVACY, part="protected",
        composed=True,
        faults={"kind": "it does not go with this kind of question; choose another one.",
                "two": "it is for two answers; choose another one."},
        hangs_on={"": ANSWERS},
    ),
    "goal": BuilderField(
        "You mostly want to know", "protection", SelectField, part="goal",
        choices=[SelectChoice("shares", "How many gave each answer"),
                 SelectChoice("mean", "The mean")],
        protections=tuple(LEVELS), composed=True,
    ),
    "gamma": BuilderField(
        "gamma, between 0 and 1/2", "protection", default="0.25", part="protected",
        protections=("gamma",), composed=True,
        hint="The true answer is sent with probability 1/2 + gamma; 0.25 is the coin flip.",
        faults=dict.fromkeys(("number", "range"), "type a number above 0 and below 1/2."),
    ),
    "epsilon": BuilderField(
        "epsilon", "protection", default="1", part="protected", protections=("epsilon", "mean"),
        composed=True, hint="Smaller protects more and tells less; 0.5 to 2 is usual.",
        faults=dict.fromkeys(("number", "range"), "type a number from 0.01 to 12."),
    ),
    "other": BuilderField(
        "Mechanism as JSON", "protection", TextAreaField, attributes={"rows": 2},
        part="protected", protections=("other",), composed=True,
        hint='Such as {"mechanism": "warner", "p": "2/3"}; see docs/reference/mechanisms.md.',
        faults={"json": 'this is no JSON. Write it as {{"mechanism": "warner", "p": "2/3"}}.',
                "number": "{fault}", "digits": "{fault}"},
        hangs_on={"mechanism": ANSWERS},
    ),
    "prefer_not_to_say": BuilderField(
        "Offer “prefer not to say”", "declining", BooleanField, default=False, part="protected",
    ),
    "relevant": BuilderField(
        "Asked only if", "condition", TextAreaField, optional=True, composed=True,
        attributes={"rows": 2, "placeholder": "smokes: yes"},
        faults={"line": "{fault}",
                "unknown": "there is no earlier question “{name}” that this can depend on.",
                "values": "“{name}” {fault}",
                "bounds": "write “{name}: 18 to 65” or “{name}: at least 18”."},
    ),
    "otherwise": BuilderField(
        "Answer of those who are not asked", "more", optional=True, part="protected",
        only_with="relevant", composed=True,
        hint="A choice’s code or a number; for boxes codes, or - for none. Empty: “not asked” is "
             "an answer of its own.",
        faults={"relevant": "leave it empty, or say above who is asked.",
                "value": "type a number that could be answered."},
        hangs_on={"": ANSWERS | {"relevant"}},
    ),
    "name": BuilderField(
        "Column name in the CSV", "more", optional=True, composed=True,
        faults={"name": "start with a small letter, go on with small letters, digits and _; at "
                        "most 63, and not “id”.",
                "twice": "another question has it too."},
    ),
}  # fmt: skip
FIELDS = ChainMap(QUESTION_FIELDS, SURVEY_FIELDS)  # those of the survey come first


def empty_question() -> dict[str, Any]:
    """The form's data for a new question."""
    return {name: row.default for name, row in QUESTION_FIELDS.items()} | {"was": ""}


def question_form() -> Any:
    """The class of a question's form. `was` is the name that it had when the form was made, by
    which it is known again."""
    fields = {name: row.form_field() for name, row in QUESTION_FIELDS.items()}
    return type("QuestionForm", (Form,), fields | {"was": HiddenField(default="")})


def survey_form(**arguments: Any) -> FlaskForm:
    """The builder's form. `seen` is a fingerprint of the draft that is edited."""
    fields = {name: row.form_field() for name, row in SURVEY_FIELDS.items()}
    # Twice as many questions as there may be, so that too many are refused rather than dropped.
    fields["questions"] = FieldList(FormField(question_form()), max_entries=2 * MAX_QUESTIONS)
    fields["seen"] = HiddenField(default="")
    form: FlaskForm = type("SurveyForm", (FlaskForm,), fields)(**arguments)
    return form
