"""The fields of the builder: one row describes one field.

The form, the page, its scripts, the definition and the error messages are made from these rows. A
new row is enough if its value is a member of the definition, as typed. If several fields make one
member, or a member has a special format, `form_to_definition` converts it.
"""

from collections import ChainMap
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field, replace
from typing import Any

from flask_wtf import FlaskForm
from wtforms import (
    BooleanField,
    Field,
    FieldList,
    FormField,
    HiddenField,
    SelectChoice,
    SelectField,
    StringField,
    TextAreaField,
)

from survey.admin.builder.derived_texts import GIVEN
from survey.admin.builder.texts import AS_SURVEY
from survey.core.languages import (
    LANGUAGES,
    MAIN,
    Words,
    language_name,
    reviewed_by_native_speaker,
)
from survey.core.nfc import to_nfc
from survey.core.number_grid import MAX_VALUES
from survey.core.translate import later, page_language, translate
from survey.definition.choices import MAX_CHOICES, MAX_NON_PRIVATE_CHOICES, NOT_SENT
from survey.definition.derived_answers import CONDITIONS, MAX_ARMS, MAX_WEIGHT, OPERATIONS, POINTS
from survey.definition.fieldwork import (
    ALL_ON_ONE_PAGE,
    DEFAULT_BATCH_RESPONSES,
    MAX_BATCH_RESPONSES,
    MAX_MINUTES,
    MAX_PLANNED_RESPONSES,
    MAX_STOP_POINTS,
    ONE_AT_A_TIME,
)
from survey.definition.protection_levels import LEVELS, MEDIUM
from survey.definition.survey import MAX_QUESTIONS, MAX_TEXTS
from survey.definition.survey_level import USUAL_LEVEL
from survey.definition.target_population import FINITE, MAX_POPULATION, RESPONDENTS, SIMILAR
from survey.definition.types import QUESTION_TYPES
from survey.definition.types import joint as joint_question
from survey.planning.sample_size import MAX_RESPONDENTS
from survey.web.form_fields import CheckboxesField, PageForm, PostForm


def language_label(language: str) -> str:
    """The name of a language in that language, with a note if no native speaker reviewed it."""
    name = language_name(language)
    if reviewed_by_native_speaker(language):
        return name
    return translate("%(language)s (not yet reviewed by a native speaker)", language=name)


def language_choices() -> list[SelectChoice]:
    return [SelectChoice(each, language_label(each)) for each in LANGUAGES]


OWN = later("Custom")
EXPERTS = later("For experts")
# static/admin/builder/builder.js hides choices that do not fit the type of the question.
PRIVACY = [
    SelectChoice(AS_SURVEY, later("As the whole survey")),
    SelectChoice("none", later("None: stored as given")),
    SelectChoice(NOT_SENT, later("Not sent: stays on the device, for derived answers")),
    SelectChoice("strong", later("Strong: for answers that could do harm"), optgroup=OWN),
    SelectChoice(
        MEDIUM,
        later("Medium: for answers that people would rather keep private"),
        optgroup=OWN,
    ),
    SelectChoice("light", later("Light: for slightly private answers"), optgroup=OWN),
    SelectChoice("coin_flip", later("Two coin flips"), optgroup=OWN),
    SelectChoice("epsilon", later("Set ε"), optgroup=OWN),
    SelectChoice("mean", later("Set ε, for the most precise mean"), optgroup=OWN),
    SelectChoice("quantiles", later("Set ε, for the most precise median"), optgroup=OWN),
    SelectChoice("gamma", later("Set γ"), optgroup=EXPERTS),
    SelectChoice("other", later("Another mechanism, as JSON"), optgroup=EXPERTS),
]
# The same choices in fewer words. Those that are not here are OWN.
PROTECTION_NAMES = {
    "strong": later("Strong"),
    MEDIUM: later("Medium"),
    "light": later("Light"),
    "coin_flip": later("Two coin flips"),
    "other": later("Another mechanism"),
}
# The levels of the whole survey. Without one, each question has its own protection.
SURVEY_PROTECTION = [
    SelectChoice("strong", later("Strong: at most 80 %% sure of all answers together")),
    SelectChoice(
        USUAL_LEVEL, later("Protected: at most 80 %% sure of one answer, 90 %% of all together")
    ),
    SelectChoice("light", later("Light: at most 80 %% sure of one answer, 95 %% of all together")),
    SelectChoice("", later("By hand: each question has its own protection")),
]
# How an answer comes about. static/admin/builder/builder.js hides those that do not fit.
SOURCES = [
    SelectChoice(GIVEN, later("The respondent gives it")),
    SelectChoice("sum", later("Calculated: sum of points")),
    SelectChoice("mean", later("Calculated: mean of points")),
    SelectChoice("count", later("Calculated: number of conditions that hold")),
    SelectChoice("any", later("Calculated: Yes if at least one condition holds")),
    SelectChoice("all", later("Calculated: Yes if all conditions hold")),
    SelectChoice("recode", later("Calculated: conditions for each choice")),
    SelectChoice("random", later("Drawn at random: experimental arm")),
]
NOT_DRAWN = (GIVEN, *(name for name in OPERATIONS if name != "random"))
NOT_JOINT = tuple(sorted({GIVEN, *OPERATIONS} - {"joint"}))
VALUED = (*POINTS, "count")
RANGE = frozenset({"min", "max", "step"})
ANSWERS = RANGE | {"choices", "type"}
QUESTIONS = frozenset({"questions"})
SLUG = later(
    "use at most 63 characters: lower-case letters without accents, digits, and hyphens between "
    "them."
)
# The numbers in error messages.
LIMITS = {
    "most_minutes": MAX_MINUTES,
    "most_in_batch": MAX_BATCH_RESPONSES,
    "most_planned": MAX_PLANNED_RESPONSES,
    "most_points": MAX_STOP_POINTS,
    "most_people": MAX_POPULATION,
    "most_respondents": MAX_RESPONDENTS,
    "most_questions": MAX_QUESTIONS,
    "most_texts": MAX_TEXTS,
    "most_choices": MAX_CHOICES,
    "most_listed": MAX_NON_PRIVATE_CHOICES,
    "most_values": MAX_VALUES,
    "most_arms": MAX_ARMS,
    "most_weight": MAX_WEIGHT,
    "least_joint": joint_question.MIN_ITEMS,
    "most_joint": joint_question.MAX_ITEMS,
    "most_combinations": joint_question.MAX_COMBINATIONS,
}


@dataclass(frozen=True, kw_only=True)
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
    choices : the choices of a menu, with labels for `translate`, or a function that makes them in
        the language of the page
    optional : whether the field may be empty; the definition then does not have its member
    part : the field applies to types with this part (`texts.parts_of_form`); empty for every type
    protections : the field applies to these protections only; empty for all
    operations : the field applies to these sources of the answer only; empty for all
    only_with : another field that must be filled in, or this one does not apply
    composed : whether `form_to_definition` makes the member of the definition
    whole_number : whether the member is an optional whole number
    decimal : whether the member is a number, which the page shows with the decimal sign of its
        language
    member : the member of the definition that errors name, if it differs from the row's name
    faults : error messages by the `reason` of a DefinitionError, "" for any other reason. They
        continue after the label: "Smallest value: type a number." `%(fault)s` is the parser's
        message, `%(line)s` the number of a choice, `%(name)s` the name of a question. The numbers
        of LIMITS have places, too. Reasons about a part of a choice begin with that part.
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
    operations: tuple[str, ...] = ()
    only_with: str = ""
    composed: bool = False
    whole_number: bool = False
    decimal: bool = False
    member: str = ""
    faults: Mapping[str, str] = field(default_factory=dict)
    hangs_on: Mapping[str, frozenset[str]] = field(default_factory=dict)
    stand_in: str = ""

    @property
    def hint_text(self) -> str:
        """The hint in the language of the page."""
        return translate(self.hint) if self.hint else ""

    @property
    def default_text(self) -> Any:
        """The default in the language of the page."""
        return (
            Words(page_language.get()).write_number(self.default) if self.decimal else self.default
        )

    def form_field(self) -> Any:
        """The field of WTForms. The definition's parser checks the value, not WTForms."""
        label = translate(self.label)
        if self.optional:
            label = translate("%(label)s (optional)", label=label)
        choices = self.choices if callable(self.choices) else translated_choices(self.choices)
        menu = {"choices": choices, "validate_choice": False} if self.choices else {}
        return self.kind(
            label, default=self.default_text, render_kw=self.attributes, filters=[to_nfc], **menu
        )


def translated_choices(choices: Iterable[SelectChoice] | None) -> list[SelectChoice]:
    """The choices of a menu in the language of the page."""
    return [
        replace(
            each,
            label=translate(each.label),
            optgroup=translate(each.optgroup) if each.optgroup else None,
        )
        for each in choices or ()
    ]


# Error messages for reasons that a row does not list.
ANY_FAULTS = {
    # For translators: after the label of a field. %(fault)s goes on with "must be ..." or "is ...".
    "": later("it %(fault)s"),
    "mechanism": "%(fault)s",
    "number": later("type a number."),
    "digits": later("type a number with fewer digits."),
}
CONDITION_FAULTS = {
    "line": "%(fault)s",
    "unknown": later("there is no earlier question “%(name)s”. Choose an earlier question."),
    "values": later("“%(name)s” %(fault)s"),
    "bounds": later("write “%(name)s: 18 to 65” or “%(name)s: at least 18”."),
}
BATTERY_FAULT = later(
    "the section shows its questions as rows, so they need the same choices, including “prefer not "
    "to say”."
)
# Faults are listed in this order.
SURVEY_FIELDS = {
    "title": BuilderField(
        label=later("Title"),
        place="title",
        faults={"empty": later("type a title.")},
        stand_in="…",
    ),
    "slug": BuilderField(
        label=later("Survey address"),
        place="address",
        optional=True,
        composed=True,
        stand_in="stand-in",
        attributes={"autocomplete": "off", "spellcheck": "false", "autocapitalize": "none"},
        faults={
            "made": later(
                "Candor cannot make an address from the title. Type one, such as health-2026."
            ),
            "empty": later("type one, such as health-2026."),
            "name": SLUG,
            "taken": later("another survey has this address. Choose another one."),
        },
        hangs_on={"made": frozenset({"title"})},
    ),
    "introduction": BuilderField(
        label=later("Introduction, in Markdown"),
        place="introduction",
        kind=TextAreaField,
        optional=True,
        hint=later(
            "Say why you ask. Respondents see the first two lines before the questions, and "
            "can open the rest."
        ),
        attributes={"rows": 3},
    ),
    "introduction_in_full": BuilderField(
        label=later("Show the whole introduction, such as a consent text, on a screen of its own"),
        place="introduction",
        kind=BooleanField,
        default=False,
    ),
    "language": BuilderField(
        label=later("Language"),
        place="limits",
        kind=SelectField,
        default=MAIN,
        choices=language_choices,
        stand_in=MAIN,
    ),
    "languages": BuilderField(
        label=later("Translations"),
        place="languages",
        kind=CheckboxesField,
        choices=language_choices,
        composed=True,
        member="translations",
    ),
    "budget": BuilderField(
        label=later("Privacy budget ε per respondent"),
        place="limits",
        optional=True,
        composed=True,
        hint=later(
            "Candor refuses to save the draft if the total privacy loss ε exceeds this budget."
        ),
        member="budget.epsilon",
        faults={"number": later("type a number above 0, such as 3, or leave it empty.")},
        hangs_on={"sum": QUESTIONS | {"sample"}},
    ),
    "sample": BuilderField(
        label=later("Private questions per respondent"),
        place="limits",
        optional=True,
        composed=True,
        hint=later(
            "Each respondent reports on this many private questions, chosen at random. If "
            "empty, each respondent reports on all."
        ),
        member="budget.per_respondent.sample",
        faults={
            "number": later(
                "type a whole number below the number of private questions, or leave it empty."
            ),
            "below": later(
                "type a whole number below the number of private questions, or leave it empty."
            ),
        },
        hangs_on={"below": QUESTIONS},
    ),
    "level": BuilderField(
        label=later("How well is each respondent protected?"),
        place="level",
        kind=SelectField,
        default=USUAL_LEVEL,
        choices=SURVEY_PROTECTION,
        composed=True,
        hint=later(
            "So sure can someone become who sees all reports of a respondent, and first considers "
            "two answers equally likely. Candor divides the level among the private questions, so "
            "that you need the fewest respondents."
        ),
        help_page="explanation/planning",
        member="protection.level",
        faults={"divided": "%(fault)s", "sum": "%(fault)s"},
        hangs_on={"": QUESTIONS},
    ),
    "asked_by": BuilderField(label=later("Who asks"), place="who", optional=True),
    "contact": BuilderField(label=later("Contact"), place="who", optional=True),
    "minutes": BuilderField(
        label=later("Duration in minutes"),
        place="who",
        optional=True,
        whole_number=True,
        faults={
            "range": later("type a whole number from 1 to %(most_minutes)s, or leave it empty.")
        },
    ),
    "support": BuilderField(
        label=later("Help and support, in Markdown"),
        place="support",
        kind=TextAreaField,
        optional=True,
        hint=later(
            "Say where respondents find help with the subject of the survey. They see "
            "this text before the questions, below a calculated result, and after "
            "sending."
        ),
        attributes={"rows": 3},
    ),
    "layout": BuilderField(
        label=later("Page layout"),
        place="participation",
        kind=SelectField,
        default=ALL_ON_ONE_PAGE,
        stand_in=ALL_ON_ONE_PAGE,
        hint=later("With “All questions on one page”, each section begins a page of its own."),
        choices=[
            SelectChoice(ALL_ON_ONE_PAGE, later("All questions on one page")),
            SelectChoice(ONE_AT_A_TIME, later("One question at a time")),
        ],
    ),
    "exit": BuilderField(
        label=later("Page that “Leave now” opens"),
        place="participation",
        optional=True,
        hint=later(
            "Choose a page that reveals nothing about the survey. If empty, Wikipedia "
            "opens, or Baidu on Chinese pages, because Wikipedia does not open in China."
        ),
        faults={
            "address": later("type an address such as https://www.example.org/, or leave it empty.")
        },
    ),
    "completion_link": BuilderField(
        label=later("Completion link"),
        place="participation",
        optional=True,
        hint=later(
            "For panels such as Prolific. The last page shows this link after the "
            "response is sent. {NAME} stands for the value of the parameter NAME in the "
            "survey’s link."
        ),
        help_page="how-to/recruit-through-a-panel",
        faults={
            "form": later(
                "type an address such as "
                "https://www.example.org/done?id={PROLIFIC_PID}, or leave it "
                "empty."
            )
        },
    ),
    "completion_code": BuilderField(
        label=later("Completion code"),
        place="participation",
        optional=True,
        hint=later(
            "For panels that ask for a code. The last page shows this code after the "
            "response is sent."
        ),
        faults={"form": later("use at most 60 letters, digits, _ and -, or leave it empty.")},
    ),
    "series": BuilderField(
        label=later("Series"),
        place="participation",
        optional=True,
        hint=later(
            "For a survey that you repeat with the same people. Give all waves (rounds) "
            "the same series name, column names and protection. If the respondent agrees, "
            "the device sends the same report for an unchanged answer, which adds no "
            "privacy loss."
        ),
        help_page="how-to/ask-again-in-waves",
        faults={"name": SLUG},
    ),
    "batch": BuilderField(
        label=later("Batch size for publishing responses"),
        place="participation",
        whole_number=True,
        hint=later(
            "Candor publishes responses in batches of this size, so that nobody can see "
            "one person’s report arrive. With 1, it publishes each response immediately."
        ),
        default=str(DEFAULT_BATCH_RESPONSES),
        attributes={"inputmode": "numeric"},
        faults={"range": later("type a whole number from 1 to %(most_in_batch)s.")},
        stand_in=str(DEFAULT_BATCH_RESPONSES),
    ),
    "planned": BuilderField(
        label=later("Planned number of responses"),
        place="participation",
        optional=True,
        whole_number=True,
        hint=later(
            "For results that you watch while the survey is open. Candor optimises "
            "the intervals that are valid at every look for this number of responses. If "
            "empty, the number is 1,000."
        ),
        help_page="explanation/mathematics#confidence-sequences",
        attributes={"inputmode": "numeric"},
        faults={
            "range": later("type a whole number from 1 to %(most_planned)s, or leave it empty.")
        },
    ),
    "stop_at": BuilderField(
        label=later("Close at this margin of error, in percentage points"),
        place="participation",
        optional=True,
        whole_number=True,
        hint=later(
            "The survey closes when half the width of each interval of a private question "
            "is at most this number (for a mean, this percentage of the range). If empty, you "
            "close the survey yourself."
        ),
        help_page="explanation/mathematics#confidence-sequences",
        attributes={"inputmode": "numeric"},
        faults={
            "range": later("type a whole number from 1 to %(most_points)s, or leave it empty.")
        },
    ),
    "invitations": BuilderField(
        label=later("Respondents need an invitation, which works once"),
        place="switches",
        kind=BooleanField,
        default=False,
    ),
    "receipts": BuilderField(
        label=later("Give receipts, so that respondents can withdraw their response"),
        place="switches",
        kind=BooleanField,
        default=False,
    ),
    "title_in_history": BuilderField(
        label=later("Name the survey in the browser’s tab and history, instead of “Survey”"),
        place="switches",
        kind=BooleanField,
        default=False,
    ),
    "by_hand": BuilderField(
        label=later("Paper-and-coin mode for people without JavaScript"),
        place="switches",
        kind=BooleanField,
        default=False,
        hangs_on={"": QUESTIONS | {"sample", "series"}},
    ),
    "comprehension": BuilderField(
        label=later("Comprehension test at the end"),
        place="switches",
        kind=BooleanField,
        default=False,
        hangs_on={"": QUESTIONS},
    ),
    "class_mode": BuilderField(
        label=later("Class mode, for a survey of people in one room"),
        place="switches",
        kind=BooleanField,
        default=False,
        hangs_on={"series": frozenset({"series"})},
        hint=later(
            "Batches have 5 responses, and a page for the projector shows each estimate "
            "next to the share of raised hands. Respondents read that Candor erases "
            "everything after the class, at the latest at 24:00 UTC on the day after the "
            "opening."
        ),
        faults={
            "series": later(
                "does not fit a series. Switch class mode off, or remove the name of the series."
            )
        },
        help_page="how-to/run-a-class",
    ),
    "recruitment": BuilderField(
        label=later("Who is asked, and how respondents are selected"),
        place="recruitment",
        kind=TextAreaField,
        optional=True,
        hint=later(
            "For example: 2,000 adults drawn at random from a population register. The "
            "methods paragraph, the codebook and the public results show this text."
        ),
        attributes={"rows": 2},
    ),
    "results_about": BuilderField(
        label=later("Results describe"),
        place="recruitment",
        kind=SelectField,
        default=SIMILAR,
        composed=True,
        choices=[
            SelectChoice(SIMILAR, later("People like the respondents")),
            SelectChoice(RESPONDENTS, later("The respondents themselves")),
            SelectChoice(FINITE, later("A population of known size")),
        ],
        hint=later(
            "Choose “The respondents themselves” if you ask everyone whom you want to "
            "know about, such as all members of a team. Intervals are then shorter, because they "
            "contain no sampling error."
        ),
        help_page="explanation/mathematics#whom-results-describe",
    ),
    "population": BuilderField(
        label=later("People in the population"),
        place="recruitment",
        optional=True,
        composed=True,
        hint=later(
            "Only if the results describe a population of known size. The respondents must "
            "be a random sample of it."
        ),
        attributes={"inputmode": "numeric"},
        member="results_about",
        faults={"range": later("type a whole number from 1 to %(most_people)s.")},
        stand_in="1",
    ),
    # The target sample size, which is not part of the definition (docs/reference/glossary.md).
    "respondents": BuilderField(
        label=later("Target sample size"),
        place="expected",
        default="500",
        optional=True,
        composed=True,
        hint=later("Candor calculates precision for this many respondents. If empty, it uses 500."),
        attributes={"inputmode": "numeric"},
        faults={
            "range": later("type a whole number from 1 to %(most_respondents)s, or leave it empty.")
        },
    ),
    "questions": BuilderField(
        label=later("Questions"),
        place="list",
        composed=True,
        faults={
            "count": later("ask 1 to %(most_questions)s questions."),
            "texts": later("use at most %(most_texts)s text questions."),
            "notes": later("add at least one question. Notes and sections cannot be answered."),
        },
        hangs_on={"": QUESTIONS},
    ),
}
QUESTION_FIELDS = {
    "label": BuilderField(
        label=later("Question"),
        place="wording",
        kind=TextAreaField,
        attributes={"rows": 2},
        faults={"empty": later("type the question.")},
        stand_in="…",
    ),
    "type": BuilderField(
        label=later("Type"),
        place="kind",
        kind=SelectField,
        default="yes_no",
        choices=lambda: [
            SelectChoice(kind.name, translate(kind.title)) for kind in QUESTION_TYPES.values()
        ],
        faults={"": later("choose one from the list."), "battery": BATTERY_FAULT},
        stand_in="note",
    ),
    "hint": BuilderField(
        label=later("Hint"),
        place="kind",
        optional=True,
        part="hint",
        stand_in="…",
        faults={"empty": later("a crosswise question needs it. Type the second statement.")},
    ),
    "choices": BuilderField(
        label=later("Choices, one per line"),
        place="choices",
        kind=TextAreaField,
        attributes={"rows": 4},
        part="choices",
        hint=later("Write a label, or a code and a label: daily | Every day."),
        composed=True,
        faults={
            "battery": BATTERY_FAULT,
            "count": later(
                "give 2 to %(most_choices)s choices (up to %(most_listed)s if non-private)."
            ),
            "items": later("give %(least)s to %(most)s items."),
            "yes_no": later(
                "write two lines: “yes | ” and your word for Yes, then “no | ” "
                "and your word for No."
            ),
            "own": later("%(fault)s Choose another code."),
            "label": later("choice %(line)s %(fault)s"),
            "label empty": later("choice %(line)s has no label."),
            "label twice": later("choice %(line)s has the same label as an earlier one."),
            "name": later("the code of choice %(line)s %(fault)s"),
            "name empty": later("choice %(line)s has no code before the |."),
            "name twice": later("choice %(line)s has the same code as an earlier one."),
            "name name": later(
                "the code of choice %(line)s, before the |, can have at most "
                "63 characters: letters without accents, digits, _ . and -."
            ),
        },
    ),
    "choice_conditions": BuilderField(
        label=later("Choices offered only if"),
        place="more",
        kind=TextAreaField,
        optional=True,
        attributes={"rows": 2, "placeholder": "ba_dinh, dong_da if province: ha_noi"},
        part="conditional",
        operations=(GIVEN,),
        composed=True,
        hint=later(
            "For a question without protection, such as the districts of a province. Write "
            "codes of choices, and the answers to earlier questions without protection. "
            "Everyone is offered the choices that have no line."
        ),
        faults={
            **CONDITION_FAULTS,
            "code": "%(fault)s",
            "private": later(
                "“%(name)s” is private or stays on the device, and the choices "
                "that are offered would reveal that answer. Use a question "
                "without protection."
            ),
            "protected": later(
                "remove it, or choose the protection “None”. The randomisation "
                "of a private answer needs all choices."
            ),
        },
        hangs_on={"code": frozenset({"choices"}), "protected": frozenset({"privacy"})},
    ),
    "random_order": BuilderField(
        label=later("Show the choices in random order"),
        place="order",
        kind=BooleanField,
        default=False,
        part="order",
        operations=(GIVEN,),
        hint=later("Each respondent sees a new order. The order is not stored."),
    ),
    "random_order_of_questions": BuilderField(
        label=later("Show the questions of this section in random order"),
        place="order_of_questions",
        kind=BooleanField,
        default=False,
        part="order_of_questions",
        composed=True,
        hint=later(
            "Each respondent sees a new order, which is not stored. A question whose "
            "condition names another question of the section follows that question. "
            "Notes without such a condition keep their place."
        ),
        help_page="how-to/arrange-a-questionnaire",
    ),
    "battery": BuilderField(
        label=later("Show the questions of this section as rows with the same choices"),
        place="order_of_questions",
        kind=BooleanField,
        default=False,
        part="order_of_questions",
        hint=later(
            "For single choices, scales and yes/no questions. All of them need the same choices."
        ),
        help_page="how-to/arrange-a-questionnaire",
    ),
    "anchors": BuilderField(
        label=later("Choices that keep their place"),
        place="order",
        optional=True,
        part="order",
        operations=(GIVEN,),
        only_with="random_order",
        composed=True,
        hint=later("Type labels or codes with commas between them, for example: Other."),
        faults={
            "values": "%(fault)s",
            "few": later("leave at least two choices that can change places."),
        },
        hangs_on={"": frozenset({"choices"})},
    ),
    "known_share": BuilderField(
        label=later("Share of people for whom the second statement is true"),
        place="crosswise",
        default="1/6",
        part="crosswise",
        stand_in="1/6",
        hint=later(
            "You must know this share, for example from a register: it is 1/6 for a "
            "birthday in two of twelve months. The share cannot be 1/2, and a share near "
            "1/2 gives imprecise results."
        ),
        faults=dict.fromkeys(
            ("number", "range", ""),
            later("type a number such as 0.15 or 1/6: above 0, below 1 and not 1/2."),
        ),
    ),
    "anchor_question": BuilderField(
        label=later("Anchor question: the first statement is true for nobody"),
        place="crosswise",
        kind=BooleanField,
        default=False,
        part="crosswise",
        hint=later(
            "An anchor question shows how many people answer at random. Candor then "
            "corrects the other crosswise questions of this survey for random answers."
        ),
    ),
    "min": BuilderField(
        label=later("Smallest value"),
        place="range",
        part="number",
        stand_in="0",
        decimal=True,
    ),
    "max": BuilderField(
        label=later("Largest value"),
        place="range",
        part="number",
        stand_in="1",
        decimal=True,
        faults={"order": later("type a number above the smallest value.")},
        hangs_on={"order": RANGE},
    ),
    "step": BuilderField(
        label=later("Step"),
        place="range",
        default="1",
        part="number",
        stand_in="1",
        decimal=True,
        hint=later(
            "A number between two steps is rounded to the nearest step, and the "
            "respondent’s page says so."
        ),
        faults={
            "positive": later("type a number above 0."),
            "steps": later(
                "the largest value is not a whole number of steps above the "
                "smallest. Change the step or one of these values."
            ),
            "many": later("use larger steps. A question has at most %(most_values)s values."),
        },
        hangs_on={"steps": RANGE, "many": RANGE},
    ),
    "unit": BuilderField(label=later("Unit"), place="range", optional=True, part="number"),
    "earliest": BuilderField(
        label=later("Earliest date"),
        place="range",
        part="date",
        attributes={"type": "date"},
        faults=dict.fromkeys(("empty", "date"), later("choose a date.")),
        stand_in="2000-01-01",
    ),
    "latest": BuilderField(
        label=later("Latest date"),
        place="range",
        part="date",
        attributes={"type": "date"},
        faults={
            **dict.fromkeys(("empty", "date"), later("choose a date.")),
            "order": later("choose a date after the earliest date."),
        },
        hangs_on={"order": frozenset({"earliest"})},
        stand_in="2100-01-01",
    ),
    "derived": BuilderField(
        label=later("Source of the answer"),
        place="derived",
        kind=SelectField,
        default=GIVEN,
        choices=SOURCES,
        part="derivable",
        composed=True,
        stand_in=GIVEN,
        hint=later(
            "The respondent’s device can calculate the answer from earlier ones, or draw it "
            "at random. Nobody is then asked this question."
        ),
        help_page="how-to/use-derived-answers",
        faults={
            "outcome": later("this calculation does not fit the question type. Choose another one.")
        },
        hangs_on={"range": RANGE, "": frozenset({"type"})},
    ),
    "points": BuilderField(
        label=later("Questions and points, one question per line"),
        place="formula",
        kind=TextAreaField,
        attributes={"rows": 3, "placeholder": "smokes: never 0, often 3"},
        part="derivable",
        operations=POINTS,
        composed=True,
        hint=later(
            "Write column names of earlier questions. Without points, Yes counts as 1, No "
            "as 0, each ticked box as 1, and a number as it is. The choices of a scale "
            "then count as 1, 2, 3, and so on. “age: 2” multiplies the number by 2."
        ),
        faults={
            "line": "%(fault)s",
            "unknown": later("“%(name)s” is not an earlier question with choices or a number."),
            "points": later("“%(name)s” %(fault)s"),
            "unasked": later(
                "some respondents are asked none of these questions, so there is "
                "no mean. Give this question the same condition, or add a "
                "question that everyone is asked."
            ),
            "": later("type at least one question."),
        },
    ),
    "conditions": BuilderField(
        label=later("Conditions, one question per line"),
        place="formula",
        kind=TextAreaField,
        attributes={"rows": 3, "placeholder": "smokes: often, always"},
        part="derivable",
        operations=CONDITIONS,
        composed=True,
        hint=later(
            "Write column names of earlier questions, and the answers that count: codes of "
            "choices, or a range such as “age: at least 18”."
        ),
        faults=CONDITION_FAULTS | {"": later("type at least one condition.")},
    ),
    "recode": BuilderField(
        label=later("Conditions of each choice, one choice per line"),
        place="formula",
        kind=TextAreaField,
        attributes={"rows": 3, "placeholder": "high if smokes: often; age: at least 18"},
        part="derivable",
        operations=("recode",),
        composed=True,
        hint=later(
            "The first choice whose conditions all hold is the answer. The last choice is "
            "for everyone else, so it has no line."
        ),
        faults=CONDITION_FAULTS | {"everyone": later("“%(name)s” %(fault)s")},
        hangs_on={"recode": frozenset({"choices"})},
    ),
    "arms": BuilderField(
        label=later("Weight of each arm, one choice per line"),
        place="formula",
        kind=TextAreaField,
        attributes={"rows": 3, "placeholder": "control: 1"},
        part="derivable",
        operations=("random",),
        composed=True,
        hint=later(
            "With the weights 1 and 2, the second arm is drawn twice as often. The arm does "
            "not depend on any answer, so it is stored as it is."
        ),
        faults={
            "line": "%(fault)s",
            "arm": later(
                "everyone needs an arm. Remove the condition, or give an answer for "
                "people who are not asked."
            ),
        },
        hangs_on={"weights": frozenset({"choices"})},
    ),
    "joint": BuilderField(
        label=later("Questions to randomise together"),
        place="joint",
        kind=TextAreaField,
        attributes={"rows": 3, "placeholder": "smokes"},
        part="joint",
        composed=True,
        hint=later(
            "Write one column name per line. The questions come before this one, and their "
            "protection is “Not sent”. They are yes/no questions, single choices or "
            "scales."
        ),
        help_page="how-to/ask-joint-questions",
        faults={
            "items": later("choose %(least_joint)s to %(most_joint)s earlier questions."),
            "combinations": later(
                "there are more than %(most_combinations)s combinations of "
                "answers, with “prefer not to say” and “not asked”. Choose "
                "fewer questions, or offer fewer answers."
            ),
            **dict.fromkeys(("unknown", "joint", "always"), "%(fault)s"),
        },
    ),
    "at_least": BuilderField(
        label=later("Yes from this value on"),
        place="outcome",
        decimal=True,
        part="threshold",
        operations=VALUED,
        composed=True,
        attributes={"inputmode": "decimal"},
        hint=later("The answer is Yes if the calculated value is at least this number."),
    ),
    "bands": BuilderField(
        label=later("Lowest value of each choice, one choice per line"),
        place="outcome",
        kind=TextAreaField,
        attributes={"rows": 3, "placeholder": "low: 0"},
        part="bands",
        operations=VALUED,
        composed=True,
        hint=later(
            "Write the code of each choice and the lowest value that gives it, in "
            "ascending order. Values below the first one also give the first choice."
        ),
        faults={
            "line": "%(fault)s",
            "number": later("“%(name)s” needs a number, such as “%(name)s: 10”."),
        },
        hangs_on={"": frozenset({"choices"})},
    ),
    "privacy": BuilderField(
        label=later("Protection"),
        place="protection",
        kind=SelectField,
        default=AS_SURVEY,
        choices=PRIVACY,
        part="protected",
        operations=NOT_DRAWN,
        composed=True,
        faults={
            "unsent": later(
                "choose another one. No other answer can be calculated from this answer."
            ),
            "kind": later("this protection does not fit the question type. Choose another one."),
            "two": later("this protection is for two answers only. Choose another one."),
        },
        hangs_on={"": ANSWERS},
    ),
    "goal": BuilderField(
        label=later("Main goal"),
        place="protection",
        kind=SelectField,
        part="goal",
        choices=[
            SelectChoice("shares", later("The share of each answer")),
            SelectChoice("mean", later("The mean")),
            SelectChoice("quantiles", later("Quantiles (median, quartiles)")),
        ],
        protections=(AS_SURVEY, *LEVELS),
        operations=NOT_DRAWN,
        composed=True,
    ),
    "gamma": BuilderField(
        label=later("γ, between 0 and 1/2"),
        place="protection",
        default="0.25",
        decimal=True,
        part="protected",
        protections=("gamma",),
        operations=NOT_DRAWN,
        composed=True,
        hint=later(
            "The device sends the true answer with probability 1/2 + γ. With 0.25, this "
            "is two coin flips."
        ),
        faults=dict.fromkeys(("number", "range"), later("type a number above 0 and below 1/2.")),
    ),
    "epsilon": BuilderField(
        label=later("Privacy loss ε"),
        place="protection",
        default="1",
        part="protected",
        protections=("epsilon", "mean", "quantiles"),
        operations=NOT_DRAWN,
        composed=True,
        hint=later(
            "A smaller ε protects better and gives less precise results. 0.5 to 2 is usual."
        ),
        faults=dict.fromkeys(("number", "range"), later("type a number from 0.01 to 12.")),
    ),
    "other": BuilderField(
        label=later("Mechanism as JSON"),
        place="protection",
        kind=TextAreaField,
        attributes={"rows": 2},
        part="protected",
        protections=("other",),
        operations=NOT_DRAWN,
        composed=True,
        hint=later('For example {"mechanism": "warner", "p": "2/3"}.'),
        help_page="reference/mechanisms",
        faults={
            "json": later(
                'type the mechanism as JSON, for example {"mechanism": "warner", "p": "2/3"}.'
            ),
            **dict.fromkeys(("number", "digits", "range", "kind", "two"), "%(fault)s"),
        },
        hangs_on={"mechanism": ANSWERS},
    ),
    "prefer_not_to_say": BuilderField(
        label=later("Offer “prefer not to say”"),
        place="declining",
        kind=BooleanField,
        default=True,
        part="protected",
        operations=tuple(each for each in NOT_DRAWN if each in NOT_JOINT),
        stand_in="y",
        faults={
            "declinable": later(
                "tick it, because respondents can decline to answer a "
                "question that this answer uses."
            )
        },
        hint=later(
            "With “prefer not to say”, respondents do not have to answer a sensitive "
            "question. In a private question, this choice reduces precision, because the "
            "device randomises one more answer. If the question has reports of its own, "
            "Candor states above how many more respondents you then need for the same "
            "margin of error."
        ),
    ),
    "optional": BuilderField(
        label=later("Respondents may skip the question"),
        place="declining",
        kind=BooleanField,
        default=False,
        part="skip",
        operations=(GIVEN,),
        only_with="prefer_not_to_say",
        hint=later(
            "A skipped question counts as “prefer not to say”. In a private question, the "
            "device randomises this answer like all others."
        ),
    ),
    "relevant": BuilderField(
        label=later("Asked only if"),
        place="condition",
        kind=TextAreaField,
        optional=True,
        part="relevant",
        composed=True,
        attributes={"rows": 2, "placeholder": "smokes: yes"},
        faults={
            **CONDITION_FAULTS,
            "apart": later(
                "remove it, also from the section. In a survey with private "
                "questions, everyone is asked all texts and dates: write “If you "
                "chose other: which one?”. Otherwise, the texts that someone leaves "
                "empty would show which response this person sent."
            ),
            "section": later("the condition on “%(name)s” %(fault)s"),
        },
    ),
    "otherwise": BuilderField(
        label=later("Answer for people who are not asked"),
        place="more",
        optional=True,
        part="protected",
        operations=NOT_JOINT,
        only_with="relevant",
        composed=True,
        hint=later(
            "Type the code of a choice, or a number. For boxes, type codes with commas "
            "between them, or - for none. If empty, “not asked” is a separate answer."
        ),
        faults={
            "relevant": later("leave it empty, or add a condition above."),
            "value": later("type a number that is a possible answer."),
        },
        hangs_on={"": ANSWERS | {"relevant"}},
    ),
    "name": BuilderField(
        label=later("Column name in the CSV file"),
        place="more",
        optional=True,
        composed=True,
        faults={
            "name": later(
                "use lower-case letters, digits and _, and start with a letter. At "
                "most 63 characters, and not “id”."
            ),
            "twice": later("another question has the same name. Choose another one."),
        },
    ),
}
# Iteration gives the survey's fields first.
FIELDS = ChainMap(QUESTION_FIELDS, SURVEY_FIELDS)


def empty_question() -> dict[str, Any]:
    """The form's data for a new question."""
    return {name: row.default_text for name, row in QUESTION_FIELDS.items()} | {"was": ""}


def question_form() -> Any:
    """The class of a question's form. `was` is the question's name when the form was made, which
    identifies the question."""
    fields = {name: row.form_field() for name, row in QUESTION_FIELDS.items()}
    return type("QuestionForm", (PageForm,), fields | {"was": HiddenField(default="")})


def survey_form(**arguments: Any) -> FlaskForm:
    """The builder's form. `seen` is the fingerprint of the edited draft."""
    fields = {name: row.form_field() for name, row in SURVEY_FIELDS.items()}
    # Twice the allowed number, so that too many questions are refused and not silently dropped.
    fields["questions"] = FieldList(FormField(question_form()), max_entries=2 * MAX_QUESTIONS)
    fields["seen"] = HiddenField(default="")
    form: FlaskForm = type("SurveyForm", (PostForm,), fields)(**arguments)
    return form
