"""Unicode normalisation form C, into which every text from outside is brought.

Systems write the same letter as one character or as a letter with marks. macOS writes file names
and some programs write tables in the second form. Without one form, a heading of a file and the
same heading in an option are different texts, although they look alike.

Normalise cells after a file was split into cells: in form C, the Greek question mark (U+037E) is a
semicolon.
"""

import unicodedata
from collections.abc import Mapping
from typing import Any, TypeVar, overload

Value = TypeVar("Value")


@overload
def to_nfc(value: str) -> str: ...


@overload
def to_nfc(value: Value) -> Value: ...


def to_nfc(value: Any) -> Any:
    """A text in normalisation form C (Unicode Standard Annex 15).

    Of a list, tuple or mapping with its keys, such as the value of a JSON text, each text is
    normalised. Other values stay unchanged. Raises nothing.
    """
    match value:
        case str():
            return unicodedata.normalize("NFC", value)
        case list() | tuple():
            return type(value)(map(to_nfc, value))
        case Mapping():
            return {to_nfc(key): to_nfc(each) for key, each in value.items()}
    return value
