"""Lines that researchers type: names with numbers, and the points of answers."""

import re
from collections.abc import Iterator
from typing import Any

from survey.core.errors import DefinitionError
from survey.core.languages import Words
from survey.core.translate import page_language, translate

# Longer numbers are refused, as everywhere (form_to_definition.MAX_INTEGER_DIGITS).
WHOLE = re.compile(r"[+-]?[0-9]{1,19}")


def number_to_form(number: str) -> str:
    """A number of a definition, such as 0.5, with the signs of the page's language."""
    return Words(page_language.get()).write_number(number)


def number_from_form(text: str | None) -> str:
    """A typed number as a definition has it: 0,5 becomes 0.5.

    Thousands may be grouped with the sign of the page's language, as in 2,000 or 2.000. A text that
    is no number stays unchanged, and the definition's parser refuses it.
    """
    typed = (text or "").strip()
    joined = re.sub(r"\s", "", typed)
    point, comma = (re.escape(number_to_form(sign)) for sign in ".,")
    if re.fullmatch(rf"[+-]?[1-9]\d{{0,2}}({comma}\d{{3}})+({point}\d+)?", joined):
        return re.sub(point, ".", re.sub(comma, "", joined))
    return joined.replace(",", ".") if re.fullmatch(r"[+-]?\d+,\d+", joined) else typed


def whole_from_form(text: str) -> int | str:
    """A whole number, or the text itself, which the definition's parser then refuses."""
    typed = number_from_form(text)
    return int(typed) if WHOLE.fullmatch(typed) else typed


def line_fault(place: str, sentence: str) -> DefinitionError:
    return DefinitionError(place, sentence, "line")


def named_lines(text: str, place: str) -> Iterator[tuple[str, str]]:
    """The name and the rest of each line such as "low: 0". The rest is empty without a colon."""
    names = set()
    for line in filter(None, (line.strip() for line in text.splitlines())):
        name, _, rest = (part.strip() for part in line.partition(":"))
        if name in names:
            twice = translate("“%(name)s” is used twice. Delete one of the lines.", name=name)
            raise line_fault(place, twice)
        names.add(name)
        yield name, rest


def points_of_line(name: str, rest: str, place: str) -> Any:
    """The points of a line such as "phq1: never 0, often 3", or a weight."""
    weight = whole_from_form(rest)
    if isinstance(weight, int) or len(rest.split()) == 1:
        return weight
    pairs = [part.split() for part in rest.split(",")]
    if any(len(pair) != 2 for pair in pairs):
        raise line_fault(
            place,
            translate(
                "“%(line)s” does not give points. Write “smokes: never 0, often 3”, or “age: 2” "
                "for a number.",
                line=f"{name}: {rest}",
            ),
        )
    return {code: whole_from_form(points) for code, points in pairs}
