"""Terms of the glossary in a sentence: a page links them, and a terminal shows their words alone.

A term is marked by characters for private use, which no sentence has. So a sentence can be made
without knowing where it is shown.
"""

import re
from collections.abc import Iterator

# They enclose the name of a term, then its words.
START = "\ue000"
MIDDLE = "\ue001"
END = "\ue002"
MARKED = re.compile(f"{START}([^{MIDDLE}]*){MIDDLE}([^{END}]*){END}")


def glossary_term(name: str, words: str) -> str:
    """A term of the glossary by its English name, with the words of the sentence that names it."""
    return f"{START}{name}{MIDDLE}{words}{END}"


def without_marks(text: str) -> str:
    """A text with the words of its terms alone."""
    return MARKED.sub(r"\2", text)


def marked_parts(text: str) -> Iterator[tuple[str, str]]:
    """The parts of a text in their order: the words, and the name of their term, or nothing."""
    place = 0
    for found in MARKED.finditer(text):
        yield text[place : found.start()], ""
        yield found[2], found[1]
        place = found.end()
    yield text[place:], ""
