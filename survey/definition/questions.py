"""Questions: what may be asked, and the forms that answers and reports to it have.

Adding a question type is adding one entry to QUESTION_TYPES (survey/definition/parse_question.py
reads it from a definition), one template block that draws its inputs, and, if it is not answered by
choosing, one reader in static/respondent/questions.js.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property, lru_cache
from typing import Any

from survey.core.factored_randomizers import Boxes, FactoredRandomizer, OneHot, SubsetSelection
from survey.core.languages import Words
from survey.core.mechanisms import BOXES, CHOICES, NUMBERS, ORDERED, LocalRandomizer
from survey.core.number_grid import Grid, decimal_text, json_number
from survey.core.randomizer import Randomizer
from survey.definition.report_formats import Bits, Combination, FreeText, OneOf, ReportForm

YES_NO, SELECT_ONE, SELECT_MULTIPLE = "yes_no", "select_one", "select_multiple"
SCALE, NUMBER, TEXT, NOTE = "scale", "number", "text", "note"
# what mechanisms call the answers to each type; None where nothing can be randomised
QUESTION_TYPES: dict[str, str | None] = {
    YES_NO: CHOICES,
    SELECT_ONE: CHOICES,
    SELECT_MULTIPLE: BOXES,
    SCALE: ORDERED,
    NUMBER: NUMBERS,
    TEXT: None,
    NOTE: None,
}
MAX_TYPED = 1_000  # characters of a typed text
DECLINED, NOT_ASKED = "prefer_not_to_say", "not_asked"


@lru_cache
def answer_words(language: str) -> tuple[str, str, str, str]:
    """What Candor calls yes, no, "prefer not to say" and "not asked" in a language."""
    words = Words(language)
    return (
        words.say("Yes"), words.say("No"), words.say("Prefer not to say"), words.say("Not asked")
    )  # fmt: skip


WITH_SPREAD_REPORTS = ("window", "discrete_laplace", "discrete_gaussian")


@dataclass(frozen=True)
class Choice:
    """One answer that may be chosen; `name` goes into the CSV, `label` onto the page."""

    name: str
    label: str


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
        if self.type == SELECT_MULTIPLE:
            return "joint_boxes"
        if self.privacy.get("goal") == "mean":
            return "optimal_mean"
        return "window" if self.type == NUMBER else "k_randomized_response"

    @cached_property
    def reports(self) -> tuple[Choice, ...]:
        """What each report of a table is called, or each bit of a factored randomizer."""
        table = self.table
        if table is None:
            return self.answers
        own = table.reports - len(self.extras)
        if self.type == SELECT_MULTIPLE:
            named = [self.combination(number) for number in range(own)]
        elif own == table.answers - len(self.extras):
            named = list(self.answers[:own])
        elif self.points is not None and self.mechanism in WITH_SPREAD_REPORTS:
            grid, beyond = self.points, (own - self.points.size) // 2
            values = (decimal_text(grid.value(y - beyond)) for y in range(own))
            named = [Choice(value, with_unit(value, grid)) for value in values]
        else:
            named = [Choice(f"r{y + 1}", f"Report {y + 1}") for y in range(own)]
        return (*named, *self.extras)

    def combination(self, number: int) -> Choice:
        """The combination of boxes whose binary digits are this number, the first the lowest."""
        ticked = [c for place, c in enumerate(self.choices) if number >> place & 1]
        digits = "".join(str(number >> place & 1) for place in range(len(self.choices)))
        return Choice(digits, ", ".join(c.label for c in ticked) or "–")

    @cached_property
    def form(self) -> ReportForm:
        """How its reports are sent, stored and counted; a note has none to speak of."""
        if self.type in (TEXT, NOTE):
            return FreeText(MAX_TYPED)
        extras = [extra.name for extra in self.extras]
        if isinstance(self.randomizer, FactoredRandomizer):
            ones = self.randomizer.size if isinstance(self.randomizer, SubsetSelection) else None
            return Bits(names_of(self.answers), self.randomizer.reported, ones)
        if self.table is not None:
            names = names_of(self.reports)
            if self.type == SELECT_MULTIPLE:
                return Combination(names, tuple(names_of(self.choices)))
            return OneOf(names)
        if self.type == SELECT_MULTIPLE:
            return Bits(names_of(self.answers), len(self.answers))
        if self.grid is not None:
            return OneOf(GridWithExtras(self.grid, extras) if extras else self.grid)
        return OneOf(names_of(self.answers))

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
        if self.type != NOTE:
            entry["privacy"] = "none" if self.privacy is None else dict(self.privacy)
        return entry


def with_unit(value: str, grid: Grid) -> str:
    return f"{value} {grid.unit}".strip()


def names_of(choices: Sequence[Choice]) -> list[str]:
    return [choice.name for choice in choices]


class GridWithExtras(Sequence[str]):
    """The values of a grid, then a few names more, without listing a million of them."""

    def __init__(self, grid: Grid, more: Sequence[str]):
        self.grid, self.more = grid, list(more)

    def __len__(self) -> int:
        return len(self.grid) + len(self.more)

    def __getitem__(self, index: Any) -> Any:
        if isinstance(index, slice):
            return [self[i] for i in range(*index.indices(len(self)))]
        return self.grid[index] if index < len(self.grid) else self.more[index - len(self.grid)]

    def index(self, value: Any, start: int = 0, stop: int | None = None) -> int:
        if value in self.more:
            return len(self.grid) + self.more.index(value)
        return self.grid.index(value)
