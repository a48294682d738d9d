"""Questions: their texts, their protection, and the names of their answers and reports.

Everything that depends on a question's type is in a module of `types/`. Code that needs it uses
`question.kind` and never compares the type's name.
"""

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from fractions import Fraction
from functools import cached_property
from typing import Any

from survey.core.exact_numbers import epsilon_of_ratio_bound
from survey.core.factored_randomizers import Boxes, OneHot, SubsetPart, SubsetSelection
from survey.core.mechanisms import LocalRandomizer
from survey.core.number_grid import Grid, json_number
from survey.core.randomizer import Randomizer
from survey.definition.choices import (
    DECLINED,
    NOT_ASKED,
    NOT_SENT,
    Choice,
    with_unit,
)
from survey.definition.report_formats import ReportForm
from survey.definition.types import QUESTION_TYPES, QuestionType
from survey.definition.types.registry import DateEnds


@dataclass(frozen=True, kw_only=True)
class Question:
    """One question of a survey.

    Attributes
    ----------
    choices : the answers without special ones: the designer's choices, or what the type makes of
        them; none for numbers, texts and notes
    special_answers : "prefer not to say", and "not asked" if the question may be hidden and the
        designer names no other answer for that
    grid : the values of a number
    randomizer : None for a non-private question, which is asked without randomising
    relevant : the condition for asking it (survey/definition/relevance.py), or None
    otherwise : the answer of respondents who are not asked, or None
    random_order : whether each respondent sees the choices, or the questions of a section, in a
        random order
    anchors : the names of the choices that keep their place in it
    optional : whether it may be skipped, which counts as "prefer not to say"
    known_share : for whom the second statement of a crosswise question is true, or None
    anchor_question : whether its first statement is true for nobody
    dates : the earliest and the latest possible date; None unless the answer is a date
    sent : whether the answer, or a report on it, is sent; otherwise it stays in the page
    derived : how the page calculates the answer (survey/definition/derived_answers.py); None if the
        respondent gives it
    battery : whether the questions of this section are rows with the same choices
    may_be_empty : whether respondents may be offered none of its choices, which counts as not asked
    """

    name: str
    type: str
    label: str
    hint: str
    choices: tuple[Choice, ...]
    privacy: Mapping[str, Any] | None
    randomizer: LocalRandomizer | None
    special_answers: tuple[Choice, ...] = ()
    grid: Grid | None = None
    relevant: Mapping[str, Any] | None = None
    otherwise: Any = None
    random_order: bool = False
    anchors: tuple[str, ...] = ()
    optional: bool = False
    known_share: Fraction | None = None
    anchor_question: bool = False
    dates: DateEnds | None = None
    sent: bool = True
    derived: Mapping[str, Any] | None = None
    battery: bool = False
    may_be_empty: bool = False

    @property
    def kind(self) -> QuestionType:
        """The question's type."""
        return QUESTION_TYPES[self.type]

    @property
    def non_private(self) -> bool:
        """Whether its answer is sent as given."""
        return self.randomizer is None and self.sent

    @property
    def protected(self) -> bool:
        """Whether its report has a privacy bound: a randomizer, or a fact that nobody else knows.

        The answer to a crosswise question is sent as given, and still does not show whether the
        first statement is true.
        """
        return self.randomizer is not None or self.known_share is not None

    @property
    def ratio_bound(self) -> Fraction | None:
        """The likelihood ratio bound of its own report.

        None if the bound is infinite, as for an answer that is sent as given without protection.
        For a crosswise question, the bound is about the first statement. It holds against someone
        who knows the share of the second statement, and not whether it is true for the respondent.
        """
        if not self.sent:
            return Fraction(1)
        if self.known_share is not None:
            return max(self.known_share, 1 - self.known_share) / min(
                self.known_share, 1 - self.known_share
            )
        return None if self.randomizer is None else self.randomizer.ratio_bound

    @property
    def second_statement(self) -> str:
        """The second statement of a crosswise question without case and spaces; "" for others."""
        return "" if self.known_share is None else "".join(self.hint.casefold().split())

    @property
    def table(self) -> Randomizer | None:
        """The table that its reports are drawn from, or None if there is not exactly one table."""
        return self.randomizer if isinstance(self.randomizer, Randomizer) else None

    @property
    def offered(self) -> tuple[Choice, ...]:
        """The answers that a respondent can choose."""
        special = (each for each in self.special_answers if each.name != NOT_ASKED)
        return (*self.choices, *special)

    @property
    def joined(self) -> tuple[str, ...]:
        """The names of the questions whose answers it combines; none unless it is joint."""
        return tuple((self.derived or {}).get("joint", ()))

    @property
    def listed(self) -> tuple[Choice, ...]:
        """The designer's choices.

        They differ from `choices` if these are orders of items, or combinations of answers.
        """
        return self.kind.listed_choices(self.choices)

    @property
    def number_grid(self) -> Grid:
        """The grid of a number. Raises TypeError for other questions."""
        if self.grid is None:
            raise TypeError(f"{self.name} is no number.")
        return self.grid

    @property
    def levels(self) -> Grid | None:
        """A private number's coarse grid: the rows of its table without the special answers."""
        if self.grid is None or self.table is None:
            return None
        return self.grid.coarse(self.table.answers - len(self.special_answers))

    @cached_property
    def choice_conditions(self) -> tuple[tuple[Mapping[str, Any], tuple[int, ...]], ...]:
        """The different conditions of choices, each with the places of the choices that have it."""
        found: dict[str, tuple[Mapping[str, Any], list[int]]] = {}
        for place, choice in enumerate(self.choices):
            if choice.relevant is not None:
                found.setdefault(repr(choice.relevant), (choice.relevant, []))[1].append(place)
        return tuple((condition, tuple(places)) for condition, places in found.values())

    @cached_property
    def depends_on(self) -> tuple[str, ...]:
        """The names in its condition and in those of its choices."""
        conditions = (self.relevant or {}, *(each for each, _ in self.choice_conditions))
        return tuple(dict.fromkeys(name for each in conditions for name in each))

    @property
    def offers_to_decline(self) -> bool:
        return any(special.name == DECLINED for special in self.special_answers)

    @property
    def may_be_unasked(self) -> bool:
        """Whether "not asked" is one of its answers."""
        return any(special.name == NOT_ASKED for special in self.special_answers)

    @property
    def answers(self) -> tuple[Choice, ...]:
        """The randomizer's answers, in the order of its rows; for boxes, the boxes themselves."""
        if self.grid is None:
            return (*self.choices, *self.special_answers)
        grid = self.levels or self.grid
        return (*(Choice(value, with_unit(value, grid)) for value in grid), *self.special_answers)

    @property
    def mechanism(self) -> str:
        """The name of its mechanism, even if Candor chose it from epsilon alone."""
        if self.privacy is None:
            return "none" if self.sent else NOT_SENT
        if "mechanism" in self.privacy:
            return str(self.privacy["mechanism"])
        if isinstance(self.randomizer, Boxes):
            return "sampled_boxes"
        if isinstance(self.randomizer, SubsetSelection | SubsetPart):
            return "subset_selection"
        if self.privacy.get("goal") == "mean":
            return "optimal_mean"
        if self.privacy.get("goal") == "quantiles":
            return "optimal_quantiles"
        return self.kind.usual_mechanism

    @cached_property
    def reports(self) -> tuple[Choice, ...]:
        """The name of each report of a table, or of each bit of a factored randomizer."""
        table = self.table
        if table is None:
            return self.answers
        own = table.reports - len(self.special_answers)
        return (*self.kind.name_reports(self, own), *self.special_answers)

    @cached_property
    def form(self) -> ReportForm:
        """The form in which its reports are sent, stored and counted. Notes do not use it."""
        return self.kind.report_form(self)

    @property
    def can_be_assumed(self) -> bool:
        """Whether a simulation takes assumed shares of its answers."""
        return not self.is_arm and not self.joined

    @property
    def is_arm(self) -> bool:
        """Whether the page draws the answer: an experimental arm."""
        return "random" in (self.derived or {})

    @property
    def one_hot(self) -> OneHot | None:
        return self.randomizer if isinstance(self.randomizer, OneHot) else None

    @property
    def epsilon(self) -> float:
        """The privacy loss ε of its own report: the logarithm of `ratio_bound`."""
        if self.randomizer is not None:
            return self.randomizer.epsilon
        return epsilon_of_ratio_bound(self.ratio_bound)

    def as_definition(self) -> dict[str, Any]:
        """The question in the form of a definition. Parsing it gives the question again."""
        grid = self.grid
        ends = (
            {}
            if grid is None
            else {
                "min": json_number(grid.low),
                "max": json_number(grid.high),
                "step": json_number(grid.step),
                "unit": grid.unit or None,
            }
        )
        earliest, latest = (end.isoformat() for end in self.dates) if self.dates else (None, None)
        stated = "none" if self.sent else NOT_SENT
        privacy = stated if self.privacy is None else dict(self.privacy)
        members = {
            "name": self.name,
            "type": self.type,
            "label": self.label,
            "hint": self.hint or None,
            "choices": [choice.as_definition() for choice in self.listed] or None,
            "random_order": self.random_order or None,
            "anchors": list(self.anchors) or None,
            **ends,
            "earliest": earliest,
            "latest": latest,
            "prefer_not_to_say": self.offers_to_decline or None,
            "optional": self.optional or None,
            "relevant": None if self.relevant is None else dict(self.relevant),
            "otherwise": self.otherwise,
            "known_share": None if self.known_share is None else str(self.known_share),
            "anchor_question": self.anchor_question or None,
            "battery": self.battery or None,
            "derived": None if self.derived is None else dict(self.derived),
            "privacy": privacy if "privacy" in self.kind.keys else None,
        }
        return {key: value for key, value in members.items() if value is not None}


def with_sections(questions: Iterable[Question]) -> Iterator[tuple[Question | None, Question]]:
    """Each question after its section, or None. A section is its own section."""
    section: Question | None = None
    for question in questions:
        if question.kind.begins_page:
            section = question
        yield section, question
