"""Definitions read into questions, with errors that name the place."""

import re
from collections.abc import Mapping, Sequence
from contextlib import suppress
from typing import Any

from survey.core.errors import DefinitionError, MechanismError
from survey.core.mechanisms import LocalRandomizer
from survey.core.number_grid import Grid, json_number
from survey.definition.known_tables import TOO_MUCH_WORK, KnownTables, randomizer_of
from survey.definition.questions import (
    DECLINED,
    NOT_ASKED,
    NOTE,
    NUMBER,
    QUESTION_TYPES,
    SELECT_MULTIPLE,
    TEXT,
    YES_NO,
    Choice,
    Question,
    answer_words,
)
from survey.definition.relevance import parse_relevance

QUESTION_NAME = re.compile(r"[a-z][a-z0-9_]{0,62}")
CHOICE_NAME = re.compile(r"[A-Za-z0-9_][A-Za-z0-9_.-]{0,62}")
CONTROL = re.compile(r"[\x00-\x08\x0b\x0c\x0e-\x1f\x7f-\x9f]")  # all but tab and line ends
MAX_CHOICES = 100
MAX_TEXT = 2_000  # characters of a label or hint
EVERY_QUESTION = {"name", "type", "label", "hint", "relevant"}
ANSWERED = {"privacy", "prefer_not_to_say", "otherwise"}


def known_keys(entry: Mapping[str, Any], keys: set[str], place: str) -> None:
    """Refuse what would otherwise be ignored in silence."""
    for key in entry:
        if key not in keys:
            raise DefinitionError(
                f"{place}.{key}" if place else str(key),
                f"is not known here. Known: {', '.join(sorted(keys))}.",
            )


def parse_text(
    entry: Mapping[str, Any], key: str, place: str, *, limit: int = MAX_TEXT, optional: bool = False
) -> str:
    """A text of the definition, without surrounding white space and not longer than the limit."""
    where = f"{place}.{key}" if place else key
    value = entry.get(key, "" if optional else None)
    if not isinstance(value, str):
        if value is None:
            raise DefinitionError(where, "is missing; it is a text.", "empty")
        raise DefinitionError(where, "is a text.")
    value = value.strip()
    if not value and not optional:
        raise DefinitionError(where, "is empty.", "empty")
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
        raise DefinitionError(place, f"is a list of 2 to {MAX_CHOICES} choices.", "count")
    choices: list[Choice] = []
    names: set[str] = set()
    labels: set[str] = set()
    for number, entry in enumerate(value):
        where = f"{place}[{number}]"
        if not isinstance(entry, Mapping):
            raise DefinitionError(where, 'is an object such as {"name": "a", "label": "A"}.')
        known_keys(entry, {"name", "label"}, where)
        choice = Choice(
            parse_text(entry, "name", where), parse_text(entry, "label", where, limit=500)
        )
        if not CHOICE_NAME.fullmatch(choice.name):
            raise DefinitionError(
                f"{where}.name",
                f"is {choice.name!r}; use letters without accents, digits, _ . - (at most 63).",
                "name",
            )
        if choice.name in names:
            raise DefinitionError(f"{where}.name", f"{choice.name!r} is there twice.", "twice")
        if choice.label in labels:
            raise DefinitionError(f"{where}.label", f"“{choice.label}” is there twice.", "twice")
        choices.append(choice)
        names.add(choice.name)
        labels.add(choice.label)
    return tuple(choices)


def parse_answers(
    entry: Mapping[str, Any], kind: str, place: str, language: str
) -> tuple[tuple[Choice, ...], Grid | None]:
    """The choices of a question, or the values of a number."""
    if kind == NUMBER:
        unit = parse_text(entry, "unit", place, limit=40, optional=True)
        try:
            return (), Grid.between(entry.get("min"), entry.get("max"), entry.get("step", 1), unit)
        except MechanismError as error:
            fault = f"min, max and step: {error}"
            raise DefinitionError(place, fault, error.reason, error.parameter) from error
    if kind == YES_NO:
        if "choices" not in entry:
            yes, no, *_ = answer_words(language)
            return (Choice("yes", yes), Choice("no", no)), None
        choices = parse_choices(entry["choices"], f"{place}.choices")
        if [choice.name for choice in choices] != ["yes", "no"]:
            fault = "of a yes_no question are named yes and no."
            raise DefinitionError(f"{place}.choices", fault, "yes_no")
        return choices, None
    if kind in (TEXT, NOTE):
        return (), None
    return parse_choices(entry.get("choices"), f"{place}.choices"), None


def keys_of(kind: str) -> set[str]:
    """The members that a question of this type may have."""
    if kind == NOTE:
        return EVERY_QUESTION
    if kind == TEXT:
        return EVERY_QUESTION | {"privacy"}
    if kind == NUMBER:
        return EVERY_QUESTION | ANSWERED | {"min", "max", "step", "unit"}
    return EVERY_QUESTION | ANSWERED | {"choices"}


def parse_extras(
    entry: Mapping[str, Any], taken: Sequence[Choice], place: str, language: str
) -> tuple[Choice, ...]:
    """ "Prefer not to say" and "not asked", where the question has them."""
    _, _, declined, not_asked = answer_words(language)
    extras = []
    if not isinstance(entry.get("prefer_not_to_say", False), bool):
        raise DefinitionError(f"{place}.prefer_not_to_say", "is true or false.")
    if entry.get("prefer_not_to_say"):
        extras.append(Choice(DECLINED, declined))
    if "relevant" in entry and "otherwise" not in entry:
        extras.append(Choice(NOT_ASKED, not_asked))
    for extra in extras:
        if extra.name in {choice.name for choice in taken}:
            fault = f"{extra.name!r} is a name of Candor's own."
            raise DefinitionError(f"{place}.choices", fault, "own")
    return tuple(extras)


def parse_otherwise(
    entry: Mapping[str, Any], kind: str, choices: Sequence[Choice], grid: Grid | None, place: str
) -> Any:
    """The answer of those who are not asked, or None."""
    if "otherwise" not in entry:
        return None
    where, value = f"{place}.otherwise", entry["otherwise"]
    if "relevant" not in entry:
        raise DefinitionError(where, "is for a question with `relevant` only.", "relevant")
    if grid is not None:
        try:
            return json_number(grid.value(grid.index(value)))
        except ValueError as error:
            fault = "is a value that could be answered."
            raise DefinitionError(where, fault, "value") from error
    names = [choice.name for choice in choices]
    if kind == SELECT_MULTIPLE:
        if not isinstance(value, list) or any(name not in names for name in value):
            raise DefinitionError(where, f"is a list of some of: {', '.join(names)}.")
        return [name for name in names if name in value]
    if value not in names:
        raise DefinitionError(where, f"is one of: {', '.join(names)}.")
    return value


def require_plain_conditions(private: Sequence[str], place: str) -> None:
    """Refuse a plain question whose condition names private ones. Raises DefinitionError."""
    if private:
        raise DefinitionError(
            f"{place}.relevant",
            f"depends on {private[0]!r}, whose answer is protected; whether this plain "
            "question was asked would give that answer away. Protect this question too.",
        )


def parse_name(entry: Mapping[str, Any], place: str) -> str:
    """The name of a question. Raises DefinitionError where it cannot be that of a column."""
    name = parse_text(entry, "name", place)
    if not QUESTION_NAME.fullmatch(name) or name == "id":
        raise DefinitionError(
            f"{place}.name",
            f"is {name!r}; start with a small letter, go on with small letters, digits and _ "
            "(at most 63), and do not use id.",
            "name",
        )
    return name


def parse_question(
    entry: Any,
    place: str,
    language: str,
    earlier: Sequence[Question] = (),
    stored: LocalRandomizer | None = None,
    tables: KnownTables | None = None,
) -> Question:
    """A question from its entry in a definition.

    Parameters
    ----------
    earlier : the questions before it, on which `relevant` may depend
    stored : the randomizer of a frozen survey, which is taken as it is
    tables : those that need not be calculated; those that are calculated are added to them

    Raises DefinitionError, whose `place` begins with the place given.
    """
    if not isinstance(entry, Mapping):
        raise DefinitionError(place, "is an object with name, type, label and privacy.")
    name = parse_name(entry, place)
    kind = parse_text(entry, "type", place)
    if kind not in QUESTION_TYPES:
        raise DefinitionError(
            f"{place}.type", f"{kind!r} is not known. Known: {', '.join(sorted(QUESTION_TYPES))}."
        )
    known_keys(entry, keys_of(kind), place)
    label = parse_text(entry, "label", place)
    hint = parse_text(entry, "hint", place, optional=True)
    choices, grid = parse_answers(entry, kind, place, language)
    extras = () if kind in (TEXT, NOTE) else parse_extras(entry, choices, place, language)
    relevant = None
    if "relevant" in entry:
        relevant = parse_relevance(entry["relevant"], earlier, f"{place}.relevant")
    otherwise = parse_otherwise(entry, kind, choices, grid, place)
    privacy, randomizer = entry.get("privacy"), stored
    plain = kind == NOTE or privacy == "none"
    if plain:
        privacy, randomizer = None, None
    elif stored is None:
        randomizer = randomizer_of(
            privacy,
            kind,
            len(choices),
            grid,
            len(extras),
            f"{place}.privacy",
            KnownTables() if tables is None else tables,
        )
    if plain and kind != NOTE and relevant is not None:
        private = [q.name for q in earlier if q.name in relevant and not q.plain]
        require_plain_conditions(private, place)
    return Question(
        name, kind, label, hint, choices, None if privacy is None else dict(privacy), randomizer,
        extras, grid, relevant, otherwise,
    )  # fmt: skip


def require_little_work(entries: Sequence[Any], language: str, tables: KnownTables) -> None:
    """Refuse questions whose tables would take too long, before the first is calculated. Every
    other fault is left to the parser. Raises DefinitionError."""
    foreseen = tables.foreseen()
    earlier: list[Question] = []
    for entry in entries:
        with suppress(DefinitionError):
            earlier.append(parse_question(entry, "", language, earlier, tables=foreseen))
    if tables.max_work is not None and foreseen.work > tables.max_work:
        raise DefinitionError("questions", TOO_MUCH_WORK, "work")
