"""Choices and texts of a definition. Every question type uses them."""

import re
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass, field
from functools import lru_cache
from itertools import count
from typing import Any

from anyascii import anyascii

from survey.core.errors import DefinitionError
from survey.core.languages import Words
from survey.core.nfc import to_nfc
from survey.core.number_grid import Grid
from survey.core.translate import later

CHOICE_NAME = re.compile(r"[A-Za-z0-9_][A-Za-z0-9_.-]{0,62}")
# Every control character except tab and line ends.
CONTROL = re.compile(r"[\x00-\x08\x0b\x0c\x0e-\x1f\x7f-\x9f]")
# With _2 or _10000 after it, a name is valid.
MAX_MADE_NAME_CHARACTERS = 57
# A private question needs a table of all choices. A non-private one can have a long list.
MAX_CHOICES = 100
MAX_NON_PRIVATE_CHOICES = 1_000
# The limit for labels and hints.
MAX_TEXT_CHARACTERS = 2_000
MAX_LABEL_CHARACTERS = 500  # of a choice
# The fields of a choice, each with its sentence in docs/reference/definition.md.
CHOICE_FIELDS = {
    "name": "Name in data files: letters without accents, digits, `_`, `.` and `-`; at most 63 "
    "characters.",
    "label": f"Text that the respondent reads, at most {MAX_LABEL_CHARACTERS} characters.",
    "relevant": "Condition for offering the choice, in the form of the `relevant` of a question, "
    'such as `{"province": "ha_noi"}`. Only for a non-private `select_one` or `select_multiple`. A '
    "question counts as not asked if none of its choices is offered. Optional.",
}
# The name of the choice that a text question follows, and the end of the name of this question.
OTHER = "other"
SPECIFY = "_other"
# Faults that several modules report.
HYPHENATED = later("is %(name)s; use small letters, digits and hyphens between them (at most 63).")
TRUE_OR_FALSE = later("must be true or false.")
DECLINED = "prefer_not_to_say"
NOT_ASKED = "not_asked"
# The privacy of a question whose answer stays in the respondent's page.
NOT_SENT = "not_sent"


@lru_cache
def answer_words(language: str) -> tuple[str, str, str, str]:
    """Candor's words for yes, no, "prefer not to say" and "not asked" in a language."""
    words = Words(language)
    return (
        words.say("Yes"), words.say("No"), words.say("Prefer not to say"), words.say("Not asked")
    )  # fmt: skip


@lru_cache
def agreement_words(language: str) -> tuple[str, str]:
    """Candor's words for the two answers to a crosswise question in a language."""
    words = Words(language)
    return (
        words.say("Both are true, or both are false"),
        words.say("One is true, the other is false"),
    )


@lru_cache
def other_words(language: str) -> tuple[str, str, str]:
    """Candor's words for the choice "Other", and for the text question about it, in a language.

    The last ones are for a text that everyone is asked.
    """
    words = Words(language)
    everyone = words.say("If you chose “Other”: please specify.")
    return words.say("Other"), words.say("Please specify."), everyone


@lru_cache
def ways_words(language: str) -> dict[str, Any]:
    """Candor's words for an experiment that compares ways of asking, in a language.

    They are the label of its arm, those of its four versions, and the question of its lists. The
    labels do not say which list has the sensitive statement, because respondents read them.
    """
    words = Words(language)
    return {
        "arm": words.say("Version of the survey, drawn at random"),
        "versions": [
            words.say("Version 1 (mixed up)"),
            words.say("Version 2 (as given)"),
            words.say("Version 3 (list)"),
            words.say("Version 4 (list)"),
        ],
        "list": words.say(
            "How many of these statements are true for you? Say only how many, not which ones."
        ),
    }


@dataclass(frozen=True)
class Choice:
    """One answer that respondents can choose. CSV has the `name`, the page shows the `label`.

    `relevant` is the condition for offering it (survey/definition/relevance.py), or None.
    """

    name: str
    label: str
    relevant: Mapping[str, Any] | None = field(default=None, hash=False, kw_only=True)

    def as_definition(self) -> dict[str, Any]:
        """The choice in the form of a definition."""
        entry: dict[str, Any] = {"name": self.name, "label": self.label}
        return entry if self.relevant is None else entry | {"relevant": dict(self.relevant)}


def plain_ascii(text: str, separator: str = "-") -> str:
    """Lower-case ASCII letters and digits of a text in any script, in joined words.

    Letters lose their accents, and letters of other scripts are transliterated one by one: "có" is
    co, "不是" is bushi. Apostrophes do not separate words. Empty without letters and digits.
    """
    letters = anyascii(to_nfc(text)).replace("'", "").lower()
    return separator.join(re.findall(r"[a-z0-9]+", letters))


def ascii_letters(text: str) -> dict[str, str]:
    """How `plain_ascii` writes each character of a text that is not ASCII."""
    return {letter: anyascii(letter) for letter in sorted({*to_nfc(text)}) if not letter.isascii()}


def free_name(name: str, taken: Collection[str]) -> str:
    """The name, or the first of name_2, name_3, ... that is not taken."""
    names = (name if number == 1 else f"{name}_{number}" for number in count(1))
    return next(each for each in names if each not in taken)


def choice_name(written: str, number: int, taken: Collection[str]) -> str:
    """A free name of a choice: `written` itself if it is a valid name, else made from it.

    A minus before a digit becomes a word, so that -1 and 1 differ. Without letters and digits, the
    name is c and the number.
    """
    name = written
    if not CHOICE_NAME.fullmatch(name):
        name = plain_ascii(re.sub(r"^[-\N{MINUS SIGN}](?=\d)", "minus ", written), "_")
        name = name[:MAX_MADE_NAME_CHARACTERS] or f"c{number}"
    return free_name(name if name not in taken else name[:MAX_MADE_NAME_CHARACTERS], taken)


def with_unit(value: str, grid: Grid) -> str:
    return f"{value} {grid.unit}".strip()


def names_of(choices: Sequence[Choice]) -> list[str]:
    return [choice.name for choice in choices]


class GridWithSpecialAnswers(Sequence[str]):
    """The values of a grid, then further names. It does not list a million values in memory."""

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


def known_keys(entry: Mapping[str, Any], keys: Collection[str], place: str) -> None:
    """Refuse unknown keys, which would otherwise be silently ignored."""
    for key in entry:
        if key not in keys:
            raise DefinitionError(
                f"{place}.{key}" if place else str(key),
                "there is no such field here. Fields: %(fields)s.",
                fields=", ".join(sorted(keys)),
            )


def parse_text(
    entry: Mapping[str, Any],
    key: str,
    place: str,
    *,
    limit: int = MAX_TEXT_CHARACTERS,
    optional: bool = False,
) -> str:
    """A text of the definition within the length limit, without surrounding white space."""
    where = f"{place}.{key}" if place else key
    value = entry.get(key, "" if optional else None)
    if not isinstance(value, str):
        if value is None:
            raise DefinitionError(where, "is missing. It must be a text.", "empty")
        raise DefinitionError(where, "must be a text.")
    value = value.strip()
    if not value and not optional:
        raise DefinitionError(where, "is empty.", "empty")
    if len(value) > limit:
        raise DefinitionError(where, "is longer than %(n)s characters.", n=limit)
    if CONTROL.search(value):
        raise DefinitionError(where, "contains a control character.")
    try:
        value.encode()
    except UnicodeEncodeError:
        raise DefinitionError(where, "contains half a character (a lone surrogate).") from None
    return value


def most_choices(entry: Mapping[str, Any]) -> int:
    """The largest number of choices of a list, which depends on whether the question is private."""
    return MAX_NON_PRIVATE_CHOICES if entry.get("privacy") == "none" else MAX_CHOICES


def parse_choices(
    value: Any, place: str, *, least: int = 2, most: int = MAX_CHOICES
) -> tuple[Choice, ...]:
    """The choices of a list, without their conditions. Raises DefinitionError."""
    if not isinstance(value, list) or not least <= len(value) <= most:
        raise DefinitionError(
            place,
            "must be a list of %(least)s to %(most)s choices.",
            "count",
            least=least,
            most=most,
        )
    choices: list[Choice] = []
    names: set[str] = set()
    labels: set[str] = set()
    for number, entry in enumerate(value):
        where = f"{place}[{number}]"
        if not isinstance(entry, Mapping):
            raise DefinitionError(where, 'must be an object such as {"name": "a", "label": "A"}.')
        known_keys(entry, CHOICE_FIELDS, where)
        choice = Choice(
            parse_text(entry, "name", where),
            parse_text(entry, "label", where, limit=MAX_LABEL_CHARACTERS),
        )
        if not CHOICE_NAME.fullmatch(choice.name):
            raise DefinitionError(
                f"{where}.name",
                "is %(name)s; use letters without accents, digits, _ . - (at most 63).",
                "name",
                name=repr(choice.name),
            )
        if choice.name in names:
            raise DefinitionError(
                f"{where}.name", "%(name)s is used twice.", "twice", name=repr(choice.name)
            )
        if choice.label in labels:
            raise DefinitionError(
                f"{where}.label", "“%(label)s” is used twice.", "twice", label=choice.label
            )
        choices.append(choice)
        names.add(choice.name)
        labels.add(choice.label)
    return tuple(choices)
