"""Imports that must give the same for a text in composed and in decomposed form.

A test module imports the function that it tests through `same_if_decomposed`. Then each of its
tests also runs on the decomposed input, such as macOS writes.
"""

import unicodedata
from collections.abc import Callable, Mapping
from functools import wraps
from typing import Any


def decomposed(value: Any) -> Any:
    """The texts of a value in normalisation form D. Keyword arguments keep their names."""
    if isinstance(value, str):
        return unicodedata.normalize("NFD", value)
    if isinstance(value, Mapping):
        return {decomposed(key): decomposed(each) for key, each in value.items()}
    if isinstance(value, list | tuple):
        return type(value)(map(decomposed, value))
    return value


def outcome(read: Callable[..., Any], *arguments: Any, **named: Any) -> tuple[Any, str | None]:
    """The result of a function, or the sentence with which it refuses."""
    try:
        return read(*arguments, **named), None
    except Exception as error:
        return type(error), str(error)


def same_if_decomposed(read: Callable[..., Any]) -> Callable[..., Any]:
    """A function that reads a file, and checks that it reads the decomposed one the same way."""

    @wraps(read)
    def checked(*arguments: Any, **named: Any) -> Any:
        other = decomposed(arguments), decomposed(named)
        if other != (arguments, named):
            before, after = outcome(read, *arguments, **named), outcome(read, *other[0], **other[1])
            # The decomposed input may be quoted, so sentences are compared without marks.
            assert decomposed(before[1]) == decomposed(after[1])
            assert before[0] == after[0]
        return read(*arguments, **named)

    return checked
