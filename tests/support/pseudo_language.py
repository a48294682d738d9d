"""A pseudo language for the researchers' pages: each letter of a translated sentence is a wide one.

An ordinary Latin letter then is data, or belongs to a text that cannot be translated.
"""

import re
from functools import cache
from gettext import NullTranslations
from html import unescape

from survey.core.languages import RESEARCHER, RESPONDENT
from tools.translations import said

# The texts of the page that no language translates.
SAME = {
    *(
        "Candor",
        "English",
        "Tiếng Việt",
        "CSV",
        "JSON",
        "SVG",
        "ZIP",
        "API",
        "URL",
        "HTML",
        "ODK",
        "KB",
    ),
    # The logarithm and the probability in a formula, and names of methods.
    *("ln", "Pr", "Clopper", "Pearson"),
    *("XLSForm", "SPSS", "Stata", "Excel", "xlsx", "dta", "sav", "BibTeX", "APA", "R", "Python"),
}
# Answers in the language of the survey.
ANSWERS = ("Yes", "No", "Prefer not to say", "Not asked")
# Names of accounts, codes, saved analyses and unknown surveys in the tests' world, and keys.
NAMES = ("ada", "bob", "cost", "Sleep", "nothing", "practice", "translations", "Ctrl")
KEPT = re.compile(r"%\(\w+\)[sd]|%%|<[^>]*>|&#?\w+;")
WIDE = {letter: letter + 0xFEE0 for letter in range(33, 127) if chr(letter).isalpha()}
# What is no text of the page, and elements that name another language.
HIDDEN = re.compile(
    r"<(script|style|code|pre|textarea|samp|kbd)\b.*?</\1>"
    r'|<(?!html)(\w+)\b[^>]*\blang="[^"]*"[^>]*>.*?</\2>',
    re.DOTALL,
)
HEARD = re.compile(r'\b(?:aria-label|title|alt|placeholder|data-label)="([^"]*)"')
# Addresses and names of files.
ADDRESS = re.compile(r"\S*(://|/s/|@|\.\w{2,4}\b)\S*")
# A word of ordinary letters, which is no part of a word such as Tiếng.
LATIN = re.compile(r"(?<![^\W\d_])[A-Za-z]{2,}(?![^\W\d_])")
# Fields of a definition that contain no text.
NO_TEXT = ("type", "mechanism", "language", "goal", "statistic")


def wide(sentence: str) -> str:
    """The sentence with wide letters, but the same placeholders and tags."""
    parts, at = [], 0
    for kept in KEPT.finditer(sentence):
        parts += [sentence[at : kept.start()].translate(WIDE), kept.group()]
        at = kept.end()
    return "".join([*parts, sentence[at:].translate(WIDE)])


@cache
def sentences() -> set[str]:
    """All sentences that `make translations` finds."""
    return {
        each
        for name in (RESPONDENT, RESEARCHER)
        for message in said(name)
        for each in ([message.id] if isinstance(message.id, str) else message.id)
    }


class Pseudo(NullTranslations):
    """It translates only what `make translations` finds."""

    def gettext(self, message):
        return wide(message) if message in sentences() else message

    def ngettext(self, singular, plural, n):
        return self.gettext(singular if n == 1 else plural)


def leaves(value):
    """Every text in a definition."""
    if isinstance(value, dict):
        value = [each for name, each in value.items() if name not in NO_TEXT]
    if isinstance(value, list):
        for each in value:
            yield from leaves(each)
    elif isinstance(value, str):
        yield value


def shown_texts(page: str) -> list[str]:
    """The texts that a person reads or hears, without code and without data in its language."""
    page = HIDDEN.sub(" ", page)
    return [unescape(text) for text in [*re.split(r"<[^>]*>", page), *HEARD.findall(page)]]


def untranslated(page: str, data: re.Pattern[str]) -> list[str]:
    found = set()
    for text in {*shown_texts(page)}:
        rest = ADDRESS.sub(" ", data.sub(" ", text))
        if set(LATIN.findall(rest)) - SAME:
            found.add(" ".join(text.split()))
    return sorted(found)
