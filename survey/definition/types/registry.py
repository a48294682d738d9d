"""The registry of question types. A decorated class defines everything about one type.

Definitions refer to a class decorated with `@question_type` by its name. Its methods parse a
definition and set the form of reports. Its attributes are for higher packages: how answers are
estimated, which parts of the builder's form apply, how a page asks for the answer, and what XLSForm
calls it. Other code uses these attributes and never compares the type's name.
"""

from collections.abc import Mapping, Sequence
from datetime import date
from fractions import Fraction
from itertools import chain
from typing import TYPE_CHECKING, Any, ClassVar, TypeVar

import numpy as np
import numpy.typing as npt

from survey.core.errors import DefinitionError
from survey.core.factored_randomizers import FactoredRandomizer, SubsetSelection
from survey.core.number_grid import Grid
from survey.core.randomizer import Randomizer
from survey.definition.choices import NOT_SENT, Choice, names_of, parse_text
from survey.definition.report_formats import Bits, OneOf, ReportForm, Stored

if TYPE_CHECKING:
    from survey.definition.questions import Question

# The earliest and the latest possible date.
DateEnds = tuple[date, date]
# The choices, or the grid of a number.
Answers = tuple[tuple[Choice, ...], Grid | None]
# Places in the list of answers; for boxes one column each, 1 if ticked.
Answered = npt.NDArray[np.int64]
# The fields of a question, each with its sentence in docs/reference/definition.md.
QUESTION_FIELDS = {
    "name": "Name in data files: a small letter, then small letters, digits and `_`; at most 63 "
    "characters, and not `id`.",
    "type": "One of the [types](#types-and-mechanisms).",
    "label": "Text that the respondent reads, at most 2,000 characters. In a `section` it is the "
    "heading, which is optional.",
    "hint": "Further text below the label, at most 2,000 characters. Optional.",
    "choices": "List of 2 to 100 choices. A non-private `select_one`, `scale` or "
    "`select_multiple` can have up to 1,000, and a non-private `select_multiple` can have one, "
    "such as a box for consent. For `yes_no`, this field is optional and only changes "
    "the labels of `yes` and `no`.",
    "min": "Smallest value; decimals are allowed.",
    "max": "Largest value: `min` plus a whole number of steps. At most 1,000,001 values.",
    "step": "Difference between neighbouring values. The page rounds other numbers to the nearest "
    "value. Default: 1.",
    "earliest": "Earliest possible date, such as `2026-01-31`.",
    "latest": "Latest possible date.",
    "unit": "Unit that follows the number, at most 40 characters. Optional.",
    "privacy": '`{"mechanism": …}` with its parameters, `{"epsilon": …}` for the mechanism '
    'that Candor [picks](mechanisms.md#choice), or `"none"` for a non-private question. '
    '`"not_sent"`: the answer stays in the page, for [derived answers](#derived-answers). Numbers '
    'and scales also take `"goal": "mean"` with `epsilon`. Numbers of at most 101 values take '
    '`"goal": "quantiles"`.',
    "random_order": "`true`: each respondent sees the choices in a random order, which is not "
    "stored. In a `section`, this applies to its questions. A question or note whose condition "
    "names a question of the section follows that question. All other notes keep their place. The "
    "paper-and-coin mode keeps the order of the list. Default: `false`.",
    "anchors": 'With `random_order`: list of choices that keep their place, such as `["other"]`. '
    "“Prefer not to say” always comes last. Optional.",
    "prefer_not_to_say": "`true`: offers the answer “Prefer not to say”. In a private question, "
    "the browser randomises this answer like every other.",
    "optional": "`true`: respondents may skip the question. A skipped question counts as “Prefer "
    "not to say”, so this field needs `prefer_not_to_say`. Not for `select_multiple`, where all "
    "boxes may stay empty. Default: `false`.",
    "relevant": 'Condition for asking the question, such as `{"smokes": "yes"}`. The condition '
    "names an earlier question and its required answer: one choice, a list of choices, or for a "
    'number a range such as `{"min": 18, "max": 65}`. If the condition names '
    "several questions, all of them must have the required answers. The condition of a `section` "
    "also holds for its questions. Optional.",
    "battery": "`true`: the questions of this section have the same choices, and the page shows "
    "each of them as a row. Default: `false`.",
    "derived": "How the respondent's page calculates this answer from earlier ones (see [Derived "
    "answers](#derived-answers)). Optional.",
    "known_share": "Share of people for whom the second statement (the `hint`) of a `crosswise` "
    'question is true, such as `"1/6"`: above 0, below 1 and not 1/2.',
    "anchor_question": "`true`: the first statement of this `crosswise` question is true for "
    "nobody. Candor then estimates how many people answer at random, and corrects the other "
    "crosswise questions. Default: `false`.",
    "otherwise": "Answer that Candor assumes if the page does not ask the question: a choice, a "
    "number, or a list for `select_multiple`. Without this field, “not asked” is a separate "
    "answer.",
}
EVERY_QUESTION = frozenset({"name", "type", "label", "hint", "relevant"})
ANSWERED = frozenset({"privacy", "prefer_not_to_say", "otherwise"})
SKIPPABLE = ANSWERED | {"optional"}
DERIVABLE = SKIPPABLE | {"derived"}
ORDER_OF_CHOICES = frozenset({"random_order", "anchors"})
# All sums stay below 2^53, so the page adds them without error.
MAX_POINTS = 1_000_000


class QuestionType:
    """The defaults of all question types.

    Attributes
    ----------
    name : the name in a definition
    title : the name for researchers, in the menu of types
    answered_by : how respondents answer it, for docs/reference/definition.md
    menu_place : its place in that menu
    members : the members of such a question's definition in addition to `EVERY_QUESTION`
    mechanisms : the kind of answers that mechanisms randomise; None if nothing can be randomised,
        and then usually nothing is estimated either
    usual_mechanism : the mechanism of a table that Candor chose from epsilon alone
    medium_mechanism : the mechanism of medium protection; "" if Candor picks it from epsilon
    operations : the calculations that can give the answer (survey/definition/derived_answers.py)
    outcome : the field that says how a sum becomes an answer; "" if the sum is the answer
    usual_goal : the usual goal of the analysis, "mean" or "shares"; "" if there is no choice
    never_private : the fault of a privacy entry other than "none", if nothing can be randomised;
        "" for the usual one
    asks : whether there is something to answer
    begins_page : whether a new page begins here, with a heading that may be empty
    optional : whether a respondent may leave it empty
    single_choice : whether the answer is one of a list
    boxes : whether the answer is any number of items of a list
    numeric : whether the answer is a number of a grid
    ordered : whether the choices have ranks, and therefore a mean
    dichotomous : whether it always has two answers, of which the share of the first determines both
    estimated : whether shares or means are estimated from its reports
    joint : whether the answer is the combination of the answers to several questions
    secret_fact : whether respondents protect the answer with a fact that only they know
    builder_parts : the parts of the builder's form that apply
    template : the template of the respondent's page, as a name in the folder of these pages
    reader : the class in static/respondent/questions.js that reads the answer from the page
    item_limits : the least and the most items of its list; None for the limits of choices
    xlsform_names : its names in XLSForm, the first of which is written; none if XLSForm uses a list
    xlsform_choices : the names of its choices, by which XLSForm knows the type; none for others
    xlsform_list : the word before the name of its list in XLSForm; "" if it has no list
    appearances : the values of XLSForm's column appearance that mean this type
    """

    name: ClassVar[str]
    title: ClassVar[str]
    answered_by: ClassVar[str] = ""
    menu_place: ClassVar[int]
    members: ClassVar[frozenset[str]] = frozenset()
    mechanisms: ClassVar[str | None] = None
    usual_mechanism: ClassVar[str] = "k_randomized_response"
    medium_mechanism: ClassVar[str] = ""
    operations: ClassVar[frozenset[str]] = frozenset()
    outcome: ClassVar[str] = ""
    usual_goal: ClassVar[str] = ""
    never_private: ClassVar[str] = ""
    asks: ClassVar[bool] = True
    begins_page: ClassVar[bool] = False
    optional: ClassVar[bool] = False
    single_choice: ClassVar[bool] = False
    boxes: ClassVar[bool] = False
    numeric: ClassVar[bool] = False
    ordered: ClassVar[bool] = False
    dichotomous: ClassVar[bool] = False
    joint: ClassVar[bool] = False
    secret_fact: ClassVar[bool] = False
    builder_parts: ClassVar[tuple[str, ...]] = ()
    template: ClassVar[str]
    reader: ClassVar[str]
    item_limits: ClassVar[tuple[int, int] | None] = None
    xlsform_names: ClassVar[tuple[str, ...]] = ()
    xlsform_list: ClassVar[str] = ""
    xlsform_choices: ClassVar[tuple[str, ...]] = ()
    appearances: ClassVar[tuple[str, ...]] = ()

    @property
    def estimated(self) -> bool:
        """Whether shares or means are estimated from its reports."""
        return self.mechanisms is not None

    @property
    def free_text(self) -> bool:
        """Whether the answer is a text in a data file: own words, or a date."""
        return self.asks and not self.estimated

    @property
    def can_be_condition(self) -> bool:
        """Whether a later question can depend on its answer."""
        return self.estimated and not self.joint

    @property
    def can_be_derived_from(self) -> bool:
        """Whether the page can calculate a derived answer from its answer."""
        return self.can_be_condition and not self.secret_fact

    @property
    def conditional_choices(self) -> bool:
        """Whether its choices can have conditions."""
        return "conditional" in self.builder_parts

    @property
    def can_be_joint(self) -> bool:
        """Whether a joint question can combine its answer with others."""
        return self.single_choice and not (self.secret_fact or self.joint)

    @property
    def has_mean(self) -> bool:
        return self.numeric or self.ordered

    @property
    def keys(self) -> frozenset[str]:
        """All members that such a question may have."""
        return EVERY_QUESTION | self.members

    def own_words(self, language: str) -> Sequence[str]:
        """Candor's own words for the choices in a language; none if the designer writes them."""
        return ()

    def parse_answers(self, entry: Mapping[str, Any], place: str, language: str) -> Answers:
        """The possible answers to a question. Raises DefinitionError."""
        return (), None

    def parse_known_share(self, entry: Mapping[str, Any], place: str) -> Fraction | None:
        """The known share of a second statement, if the type has one. Raises DefinitionError."""
        return None

    def parse_dates(self, entry: Mapping[str, Any], place: str) -> DateEnds | None:
        """The ends of a date. Raises DefinitionError."""
        return None

    def answers_of(self, listed: tuple[Choice, ...]) -> tuple[Choice, ...]:
        """The answers, without special ones, of a question that lists these choices."""
        return listed

    def listed_choices(self, choices: Sequence[Choice]) -> tuple[Choice, ...]:
        """The choices as the designer listed them, from the answers without special ones."""
        return tuple(choices)

    def usual_points(self, names: Sequence[str]) -> Any:
        """The points of each of these choices if a definition states none; None if it must."""
        return None

    def number_of_answers(self, listed: int) -> int:
        """The number of different answers of one person to a question that lists this many."""
        return listed

    def parse_otherwise(self, value: Any, answers: Answers, place: str) -> Any:
        """The answer of respondents who are not asked. Raises DefinitionError."""
        names = names_of(answers[0])
        if value not in names:
            raise DefinitionError(place, "must be one of: %(names)s.", names=", ".join(names))
        return value

    def parse_condition(self, condition: Any, offered: Sequence[Choice], place: str) -> Any:
        """The answers that a condition requires, in canonical form. Raises DefinitionError."""
        if not offered:
            raise DefinitionError(place, "is not an earlier question with answers.", "unknown")
        names = [condition] if isinstance(condition, str) else condition
        possible = names_of(offered)
        if not isinstance(names, list) or not names or any(n not in possible for n in names):
            raise DefinitionError(
                place, "must be one or a list of: %(names)s.", "values", names=", ".join(possible)
            )
        return [n for n in possible if n in names]

    def name_reports(self, question: "Question", own: int) -> list[Choice]:
        """The names of the `own` reports of a table, without the special answers."""
        if own == len(question.answers) - len(question.special_answers):
            return list(question.answers[:own])
        return [Choice(f"r{y + 1}", f"Report {y + 1}") for y in range(own)]

    def report_form(self, question: "Question") -> ReportForm:
        """The form in which reports are sent, stored and counted."""
        randomizer = question.randomizer
        if isinstance(randomizer, FactoredRandomizer):
            ones = randomizer.size if isinstance(randomizer, SubsetSelection) else None
            return Bits(names_of(question.answers), randomizer.reported, ones)
        return OneOf(names_of(question.reports))

    def parse_label(self, entry: Mapping[str, Any], place: str) -> str:
        """The text that respondents read. Raises DefinitionError."""
        return parse_text(entry, "label", place)

    def combine_answers(
        self, entry: Mapping[str, Any], earlier: Sequence["Question"], place: str
    ) -> tuple[Choice, ...]:
        """The choices, if they follow from earlier questions. Raises DefinitionError."""
        return ()

    def parse_sent(self, entry: Mapping[str, Any], place: str) -> bool:
        """Whether the answer, or a report on it, is sent. Raises DefinitionError."""
        if entry.get("privacy") != NOT_SENT:
            return True
        if "derived" in entry or not self.can_be_derived_from:
            raise DefinitionError(
                f"{place}.privacy",
                "must not be `not_sent`, because nothing can be derived from the answer.",
                "unsent",
            )
        return False

    def parse_points(self, points: Any, question: "Question", place: str) -> Any:
        """The points of each answer in a sum, or the weight of a number. Raises DefinitionError."""
        names = names_of(question.choices)
        if not isinstance(points, Mapping) or set(points) != set(names):
            raise DefinitionError(
                place, "must give points to each of: %(names)s.", "points", names=", ".join(names)
            )
        return {name: whole_points(points[name], f"{place}.{name}") for name in names}

    def points_between(self, points: Any, question: "Question") -> tuple[int, int]:
        """The lowest and highest points of respondents who are asked the question."""
        return min(points.values()), max(points.values())

    def condition_from_section(self, section: "Question | None") -> Mapping[str, Any]:
        """What the section of such a question requires for asking it."""
        return {} if section is None else section.relevant or {}

    def both_conditions(self, one: Any, other: Any) -> Any:
        """The condition on such a question that holds if both hold, or None.

        It is None if no answer meets both, or if one condition cannot express both.
        """
        return [value for value in one if value in other] or None

    def are_all_covered(self, question: "Question", conditions: Sequence[Any], asked: Any) -> bool:
        """Whether each answer meets one of the conditions; `asked` is None or a condition that
        each answer meets."""
        possible = {*(asked or names_of(question.offered))}
        return possible <= {*chain.from_iterable(conditions)}

    def meets_condition(self, question: "Question", stored: Stored, condition: Any) -> bool:
        """Whether a non-private answer, as it is stored, meets a condition."""
        return question.answers[int(stored)].name in condition

    def is_chosen(self, stored: str, place: int) -> bool:
        """Whether a non-private answer, as it is stored, includes the choice at a place."""
        return stored == str(place)

    def answers_at(self, question: "Question", places: Answered) -> Answered:
        """The answers at places below `number_of_answers`: the places, or the ticked boxes.

        The place after them is "prefer not to say", if the question offers it.
        """
        return places

    def report_weights(
        self, question: "Question", table: Randomizer, answer: Sequence[int]
    ) -> list[int]:
        """Whole numbers in proportion to the probabilities of each report to an answer.

        `answer` is the place of the answer alone, or a bit for each box and special answer.
        """
        return list(table.rows[answer[0]])


def whole_points(value: Any, place: str) -> int:
    """Points or a weight. Raises DefinitionError."""
    if type(value) is not int or abs(value) > MAX_POINTS:
        raise DefinitionError(place, "must be a whole number, at most a million.", "points")
    return value


QUESTION_TYPES: dict[str, QuestionType] = {}
Declared = TypeVar("Declared", bound=QuestionType)


def question_type(declared: type[Declared]) -> type[Declared]:
    """Register the decorated class under its name, and sort the menu of types."""
    if declared.name in QUESTION_TYPES:
        raise ValueError(f"Question type {declared.name!r} is registered already.")
    QUESTION_TYPES[declared.name] = declared()
    in_order = sorted(QUESTION_TYPES.values(), key=lambda each: each.menu_place)
    QUESTION_TYPES.clear()
    QUESTION_TYPES.update((each.name, each) for each in in_order)
    return declared
