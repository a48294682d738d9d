"""Questions: what is asked, how it is protected, and what answers and reports to it are called.

What a question's type decides is in its module of `types/`. Code that needs it asks
`question.kind`, and never compares the type's name.
"""

from collections.abc import Mapping
from dataclasses import dataclass
from functools import cached_property
from typing import Any

from survey.core.factored_randomizers import Boxes, OneHot, SubsetSelection
from survey.core.mechanisms import LocalRandomizer
from survey.core.number_grid import Grid, json_number
from survey.core.randomizer import Randomizer
from survey.definition.choices import DECLINED, NOT_ASKED, Choice, with_unit
from survey.definition.report_formats import ReportForm
from survey.definition.types import QUESTION_TYPES, QuestionType


@dataclass(frozen=True)
class Question:
    """One question.

    Attributes
    ----------
    choices : those that the designer lists; none for numbers, texts and notes
    extras : answers beside them: "prefer not to say", and "not asked" where the question may be
        hidden and the designer names no other answer for that
    grid : the values of a number
    randomizer : None where the question is plain, that is, asked without randomising
    relevant : what has to hold for it to be asked (survey/definition/relevance.py), or None
    otherwise : the answer of those who are not asked, or None
    """

    name: str
    type: str
    label: str
    hint: str
    choices: tuple[Choice, ...]
    privacy: Mapping[str, Any] | None
    randomizer: LocalRandomizer | None
    extras: tuple[Choice, ...] = ()
    grid: Grid | None = None
    relevant: Mapping[str, Any] | None = None
    otherwise: Any = None

    @property
    def kind(self) -> QuestionType:
        """What is true of all questions of its type."""
        return QUESTION_TYPES[self.type]

    @property
    def plain(self) -> bool:
        return self.randomizer is None

    @property
    def table(self) -> Randomizer | None:
        """The table that its reports come from, if it is one table."""
        return self.randomizer if isinstance(self.randomizer, Randomizer) else None

    @property
    def offered(self) -> tuple[Choice, ...]:
        """What a respondent may choose."""
        return (*self.choices, *(extra for extra in self.extras if extra.name != NOT_ASKED))

    @property
    def number_grid(self) -> Grid:
        """The grid, for what only numbers have. Raises TypeError for other questions."""
        if self.grid is None:
            raise TypeError(f"{self.name} is no number.")
        return self.grid

    @property
    def points(self) -> Grid | None:
        """A private number's coarse grid: the rows of its table, but for the extras."""
        if self.grid is None or self.table is None:
            return None
        return self.grid.coarse(self.table.answers - len(self.extras))

    @property
    def offers_to_decline(self) -> bool:
        return any(extra.name == DECLINED for extra in self.extras)

    @property
    def answers(self) -> tuple[Choice, ...]:
        """The answers that a randomizer knows, in the order of its rows; boxes by themselves."""
        if self.grid is None:
            return (*self.choices, *self.extras)
        grid = self.points or self.grid
        return (*(Choice(value, with_unit(value, grid)) for value in grid), *self.extras)

    @property
    def mechanism(self) -> str:
        """The name of its mechanism, also where it was chosen by epsilon alone."""
        if self.privacy is None:
            return "none"
        if "mechanism" in self.privacy:
            return str(self.privacy["mechanism"])
        if isinstance(self.randomizer, Boxes):
            return "sampled_boxes"
        if isinstance(self.randomizer, SubsetSelection):
            return "subset_selection"
        if self.privacy.get("goal") == "mean" and not self.kind.boxes:
            return "optimal_mean"
        return self.kind.usual_mechanism

    @cached_property
    def reports(self) -> tuple[Choice, ...]:
        """What each report of a table is called, or each bit of a factored randomizer."""
        table = self.table
        if table is None:
            return self.answers
        own = table.reports - len(self.extras)
        return (*self.kind.name_reports(self, own), *self.extras)

    @cached_property
    def form(self) -> ReportForm:
        """How its reports are sent, stored and counted; a note has none to speak of."""
        return self.kind.report_form(self)

    @property
    def one_hot(self) -> OneHot | None:
        return self.randomizer if isinstance(self.randomizer, OneHot) else None

    @property
    def epsilon(self) -> float:
        """The loss of reporting on it; a plain question has none to speak of."""
        return float("inf") if self.randomizer is None else self.randomizer.epsilon

    def as_definition(self) -> dict[str, Any]:
        """The question as a definition writes it; parsing this gives the question again."""
        entry: dict[str, Any] = {"name": self.name, "type": self.type, "label": self.label}
        if self.hint:
            entry["hint"] = self.hint
        if self.choices:
            entry["choices"] = [{"name": c.name, "label": c.label} for c in self.choices]
        if self.grid is not None:
            ends = {"min": self.grid.low, "max": self.grid.high, "step": self.grid.step}
            entry |= {key: json_number(value) for key, value in ends.items()}
            if self.grid.unit:
                entry["unit"] = self.grid.unit
        if self.offers_to_decline:
            entry["prefer_not_to_say"] = True
        if self.relevant is not None:
            entry["relevant"] = dict(self.relevant)
        if self.otherwise is not None:
            entry["otherwise"] = self.otherwise
        if self.kind.asks:
            entry["privacy"] = "none" if self.privacy is None else dict(self.privacy)
        return entry
