"""Questions: what may be asked, parsed from a definition with errors that name the place.

Adding a question type is adding one entry to QUESTION_TYPES, one template block that draws its
inputs, and, if it is not answered by choosing, one reader in static/respond.js.
"""

import re
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any

from .errors import DefinitionError, MechanismError, TableError
from .mechanisms import build_randomizer
from .randomizer import Randomizer

QUESTION_NAME = re.compile(r"[a-z][a-z0-9_]{0,62}")
CHOICE_NAME = re.compile(r"[A-Za-z0-9_][A-Za-z0-9_.-]{0,62}")
CONTROL = re.compile(r"[\x00-\x08\x0b\x0c\x0e-\x1f\x7f-\x9f]")  # all but tab and line ends
MAX_CHOICES = 100
MAX_TEXT = 2_000  # characters of a label or hint
YES_NO_LABELS = {
    "en": ("Yes", "No"),
    "vi": ("Có", "Không"),
    "th": ("ใช่", "ไม่ใช่"),
    "zh": ("是", "否"),
}


@dataclass(frozen=True)
class Choice:
    """One answer that may be chosen; `name` goes into the CSV, `label` onto the page."""

    name: str
    label: str


@dataclass(frozen=True)
class Question:
    """One question.

    `randomizer` has one row for each choice, in their order; None where the question is plain,
    that is, asked without randomising.
    """

    name: str
    type: str
    label: str
    hint: str
    choices: tuple[Choice, ...]
    privacy: Mapping[str, Any] | None
    randomizer: Randomizer | None

    @property
    def plain(self) -> bool:
        return self.randomizer is None

    @property
    def table(self) -> Randomizer:
        """The table that its reports come from; a plain question's report is its answer."""
        return self.randomizer or Randomizer.identity(len(self.choices))

    @property
    def mechanism(self) -> str:
        if self.privacy is None:
            return "none"
        return str(self.privacy.get("mechanism", "k_randomized_response"))

    @property
    def reports(self) -> tuple[Choice, ...]:
        """What each column of the table is called: the choices, or r1, r2, ... for own tables."""
        if self.table.reports == len(self.choices):
            return self.choices
        return tuple(Choice(f"r{y + 1}", f"Report {y + 1}") for y in range(self.table.reports))

    def as_definition(self) -> dict[str, Any]:
        """The question as a definition writes it; parsing this gives the question again."""
        entry: dict[str, Any] = {"name": self.name, "type": self.type, "label": self.label}
        if self.hint:
            entry["hint"] = self.hint
        entry["choices"] = [{"name": c.name, "label": c.label} for c in self.choices]
        entry["privacy"] = "none" if self.privacy is None else dict(self.privacy)
        return entry


def known_keys(entry: Mapping[str, Any], keys: set[str], place: str) -> None:
    """Refuse what would otherwise be ignored in silence."""
    for key in entry:
        if key not in keys:
            raise DefinitionError(
                f"{place}.{key}" if place else str(key),
                f"is not known here. Known: {', '.join(sorted(keys))}.",
            )


def text(
    entry: Mapping[str, Any], key: str, place: str, *, limit: int = MAX_TEXT, optional: bool = False
) -> str:
    """A text of the definition, without surrounding white space and not longer than the limit."""
    where = f"{place}.{key}" if place else key
    value = entry.get(key, "" if optional else None)
    if not isinstance(value, str):
        raise DefinitionError(where, "is missing; it is a text." if value is None else "is a text.")
    value = value.strip()
    if not value and not optional:
        raise DefinitionError(where, "is empty.")
    if len(value) > limit:
        raise DefinitionError(where, f"is longer than {limit} characters.")
    if CONTROL.search(value):
        raise DefinitionError(where, "holds a control character.")
    try:
        value.encode()
    except UnicodeEncodeError:
        raise DefinitionError(where, "holds half a character (a lone surrogate).") from None
    return value


def parse_choices(value: Any, place: str) -> tuple[Choice, ...]:
    if not isinstance(value, list) or not 2 <= len(value) <= MAX_CHOICES:
        raise DefinitionError(place, f"is a list of 2 to {MAX_CHOICES} choices.")
    choices: list[Choice] = []
    for number, entry in enumerate(value):
        where = f"{place}[{number}]"
        if not isinstance(entry, Mapping):
            raise DefinitionError(where, 'is an object such as {"name": "a", "label": "A"}.')
        known_keys(entry, {"name", "label"}, where)
        choice = Choice(text(entry, "name", where), text(entry, "label", where, limit=500))
        if not CHOICE_NAME.fullmatch(choice.name):
            raise DefinitionError(
                f"{where}.name",
                f"is {choice.name!r}; use letters without accents, digits, _ . - (at most 63).",
            )
        if choice.name in {other.name for other in choices}:
            raise DefinitionError(f"{where}.name", f"{choice.name!r} is there twice.")
        if choice.label in {other.label for other in choices}:
            raise DefinitionError(f"{where}.label", f"{choice.label!r} is there twice.")
        choices.append(choice)
    return tuple(choices)


def yes_no_choices(entry: Mapping[str, Any], place: str, language: str) -> tuple[Choice, ...]:
    """Yes and no, in the survey's language unless the definition words them."""
    if "choices" not in entry:
        yes, no = YES_NO_LABELS[language]
        return Choice("yes", yes), Choice("no", no)
    choices = parse_choices(entry["choices"], f"{place}.choices")
    if [choice.name for choice in choices] != ["yes", "no"]:
        raise DefinitionError(f"{place}.choices", "of a yes_no question are named yes and no.")
    return choices


def select_one_choices(entry: Mapping[str, Any], place: str, language: str) -> tuple[Choice, ...]:
    return parse_choices(entry.get("choices"), f"{place}.choices")


QUESTION_TYPES: dict[str, Callable[[Mapping[str, Any], str, str], tuple[Choice, ...]]] = {
    "yes_no": yes_no_choices,
    "select_one": select_one_choices,
}


def parse_question(entry: Any, place: str, language: str) -> Question:
    """A question from its entry in a definition.

    Raises DefinitionError, whose `place` begins with the place given.
    """
    if not isinstance(entry, Mapping):
        raise DefinitionError(place, "is an object with name, type, label and privacy.")
    known_keys(entry, {"name", "type", "label", "hint", "choices", "privacy"}, place)
    name = text(entry, "name", place)
    if not QUESTION_NAME.fullmatch(name) or name == "id":
        raise DefinitionError(
            f"{place}.name",
            f"is {name!r}; start with a small letter, go on with small letters, digits and _ "
            "(at most 63), and do not use id.",
        )
    kind = text(entry, "type", place)
    if kind not in QUESTION_TYPES:
        raise DefinitionError(
            f"{place}.type", f"{kind!r} is not known. Known: {', '.join(sorted(QUESTION_TYPES))}."
        )
    label = text(entry, "label", place)
    hint = text(entry, "hint", place, optional=True)
    choices = QUESTION_TYPES[kind](entry, place, language)
    privacy = entry.get("privacy")
    if privacy == "none":
        return Question(name, kind, label, hint, choices, None, None)
    if not isinstance(privacy, Mapping):
        raise DefinitionError(
            f"{place}.privacy",
            'is "none", or an object such as {"mechanism": "coin_flip"} or {"epsilon": 1}.',
        )
    try:
        randomizer = build_randomizer(privacy, len(choices))
    except (MechanismError, TableError) as error:
        raise DefinitionError(f"{place}.privacy", str(error)) from error
    return Question(name, kind, label, hint, choices, dict(privacy), randomizer)
