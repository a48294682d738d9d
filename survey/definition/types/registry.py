"""The registry of question types: a decorated class says all there is to say of one type.

A class decorated with `@question_type` is found by the name that a definition writes. Its methods
read a definition and give reports their form. Its attributes are what higher packages look up:
how answers are estimated, which parts of the builder's form apply, how a page asks for the answer,
and what XLSForm calls it. Code elsewhere asks the type, and never compares its name.
"""

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any, ClassVar, TypeVar

from survey.core.errors import DefinitionError
from survey.core.factored_randomizers import FactoredRandomizer, SubsetSelection
from survey.core.number_grid import Grid
from survey.definition.choices import Choice, names_of
from survey.definition.report_formats import Bits, OneOf, ReportForm

if TYPE_CHECKING:
    from survey.definition.questions import Question

Answers = tuple[tuple[Choice, ...], Grid | None]  # the choices, or the values of a number
EVERY_QUESTION = frozenset({"name", "type", "label", "hint", "relevant"})
ANSWERED = frozenset({"privacy", "prefer_not_to_say", "otherwise"})


class QuestionType:
    """What is true of a type unless it says otherwise.

    Attributes
    ----------
    name : as written in a definition
    title : for researchers, in the menu of types
    menu_place : where that menu has it
    members : what a definition of such a question may have beyond `EVERY_QUESTION`
    mechanisms : what mechanisms call its answers; None where nothing can be randomised, and then
        nothing is estimated either
    usual_mechanism : the mechanism of a table that epsilon alone chose
    usual_goal : what one mostly wants to know of it, "mean" or "shares"; "" where there is no
        choice
    asks : whether there is something to answer
    optional : whether it may be left without an answer
    single_choice : whether the answer is one of a list
    boxes : whether the answer is any number of a list
    numeric : whether the answer is a number of a grid
    ordered : whether the choices have ranks, and so a mean
    dichotomous : whether it always has two answers, of which the first tells everything
    builder_parts : the parts of the builder's form that apply
    template : how a respondent's page asks it, as a name within the folder of these pages
    reader : the class in static/respondent/questions.js that reads the answer off the page
    xlsform_names : what XLSForm calls it, the first where it is written; none where it has a list
    appearances : the values of XLSForm's column appearance that mean this type
    """

    name: ClassVar[str]
    title: ClassVar[str]
    menu_place: ClassVar[int]
    members: ClassVar[frozenset[str]] = frozenset()
    mechanisms: ClassVar[str | None] = None
    usual_mechanism: ClassVar[str] = "k_randomized_response"
    usual_goal: ClassVar[str] = ""
    asks: ClassVar[bool] = True
    optional: ClassVar[bool] = False
    single_choice: ClassVar[bool] = False
    boxes: ClassVar[bool] = False
    numeric: ClassVar[bool] = False
    ordered: ClassVar[bool] = False
    dichotomous: ClassVar[bool] = False
    builder_parts: ClassVar[tuple[str, ...]] = ()
    template: ClassVar[str]
    reader: ClassVar[str]
    xlsform_names: ClassVar[tuple[str, ...]] = ()
    appearances: ClassVar[tuple[str, ...]] = ()

    @property
    def estimated(self) -> bool:
        """Whether shares or means are estimated from its reports."""
        return self.mechanisms is not None

    @property
    def free_text(self) -> bool:
        """Whether the answer is in the respondent's own words."""
        return self.asks and not self.estimated

    @property
    def has_mean(self) -> bool:
        return self.numeric or self.ordered

    @property
    def keys(self) -> frozenset[str]:
        """The members that such a question may have."""
        return EVERY_QUESTION | self.members

    def own_words(self, language: str) -> Sequence[str]:
        """What Candor calls the choices in a language; nothing where the designer words them."""
        return ()

    def parse_answers(self, entry: Mapping[str, Any], place: str, language: str) -> Answers:
        """What may be answered to a question. Raises DefinitionError."""
        return (), None

    def parse_otherwise(self, value: Any, answers: Answers, place: str) -> Any:
        """The answer of those who are not asked. Raises DefinitionError."""
        names = names_of(answers[0])
        if value not in names:
            raise DefinitionError(place, f"must be one of: {', '.join(names)}.")
        return value

    def parse_condition(self, condition: Any, offered: Sequence[Choice], place: str) -> Any:
        """Which answers a later question depends on, in canonical form. Raises DefinitionError."""
        names = [condition] if isinstance(condition, str) else condition
        possible = names_of(offered)
        if not isinstance(names, list) or not names or any(n not in possible for n in names):
            fault = f"must be one or a list of: {', '.join(possible)}."
            raise DefinitionError(place, fault, "values")
        return [n for n in possible if n in names]

    def name_reports(self, question: "Question", own: int) -> list[Choice]:
        """What the reports of a table are called, but for the extras; there are `own`."""
        if own == len(question.answers) - len(question.extras):
            return list(question.answers[:own])
        return [Choice(f"r{y + 1}", f"Report {y + 1}") for y in range(own)]

    def report_form(self, question: "Question") -> ReportForm:
        """How reports are sent, stored and counted."""
        randomizer = question.randomizer
        if isinstance(randomizer, FactoredRandomizer):
            ones = randomizer.size if isinstance(randomizer, SubsetSelection) else None
            return Bits(names_of(question.answers), randomizer.reported, ones)
        return OneOf(names_of(question.reports))


QUESTION_TYPES: dict[str, QuestionType] = {}
Declared = TypeVar("Declared", bound=QuestionType)


def question_type(declared: type[Declared]) -> type[Declared]:
    """Register the decorated class under its name; the menu of types keeps its order."""
    if declared.name in QUESTION_TYPES:
        raise ValueError(f"Question type {declared.name!r} is registered already.")
    QUESTION_TYPES[declared.name] = declared()
    in_order = sorted(QUESTION_TYPES.values(), key=lambda each: each.menu_place)
    QUESTION_TYPES.clear()
    QUESTION_TYPES.update((each.name, each) for each in in_order)
    return declared
