"""Values in a survey in JSON, which anyone may have edited: each has the type that is expected."""

from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from survey.core.nfc import to_nfc
from survey.formats.other_programs.form_rows import Texts

Members = Mapping[str, Any]
WRAPPERS = ("survey", "data")


def unwrap_survey(value: Any) -> Members:
    """The survey itself. Interfaces of programs often wrap it, and some exports are a list."""
    value = to_nfc(value)
    if isinstance(value, list):
        surveys = [each for each in value if isinstance(each, Mapping) and "name" in each]
        listed = len(surveys) == 1 and {"questions", "blocks"} & surveys[0].keys()
        value = surveys[0] if listed else {"questions": value}
    if not isinstance(value, Mapping):
        return {}
    for key in WRAPPERS:
        if isinstance(value.get(key), Mapping):
            value = value[key]
    survey: Members = value
    return survey


def objects_in(value: Members, key: str) -> list[Members]:
    """The objects in a list that is a member."""
    items = value.get(key)
    return [each for each in items if isinstance(each, Mapping)] if isinstance(items, list) else []


def items_in(value: Members, key: str) -> list[Any]:
    """The list that is a member, or an empty one."""
    items = value.get(key)
    return items if isinstance(items, list) else []


def text_in(value: Members, *keys: str) -> str:
    """The first of these members that is a text or a number, as a text."""
    for key in keys:
        if (text := scalar_text(value.get(key))) != "":
            return text
    return ""


def scalar_text(value: Any) -> str:
    """A text, number or truth value as a text; "" for anything else."""
    if isinstance(value, bool):
        return str(value).lower()
    if isinstance(value, float) and value.is_integer():
        return str(int(value))
    return str(value) if isinstance(value, str | int | float) else ""


def texts_in(value: Any, main: str) -> Texts:
    """A text in each language: an object by language, in which `default` is the main language."""
    if not isinstance(value, Mapping):
        text = scalar_text(value)
        return {main: text} if text else {}
    texts = {"default" if key == main else key: scalar_text(text) for key, text in value.items()}
    default = texts.pop("default", "")
    found = {main: default, **texts} if default else texts
    return {language: text for language, text in found.items() if text}


def values_in(value: Any) -> Iterator[Any]:
    """A value and all values in it."""
    outer = [value]
    for each in outer:
        yield each
        if isinstance(each, Mapping):
            outer += each.values()
        elif isinstance(each, list):
            outer += each


def all_texts(survey: Members) -> str:
    return " ".join(each for each in values_in(survey) if isinstance(each, str))


def languages_in(survey: Members) -> Sequence[str]:
    """The languages of all texts of a survey: the keys of objects that have `default`."""
    found = {
        key: None
        for each in values_in(survey)
        if isinstance(each, Mapping) and isinstance(each.get("default"), str)
        for key, text in each.items()
        if isinstance(text, str) and key != "default"
    }
    return list(found)
