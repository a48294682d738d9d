"""Pages whose sentences are marked, so that a test knows each one and the values in it."""

import html
import re
from functools import cache
from gettext import NullTranslations

from survey.core.languages import RESPONDENT, catalog

# Characters for private use, which no page contains.
BEGIN, NAMED, END = "\ue000", "\ue001", "\ue002"
MARK = re.compile(f"{BEGIN}([0-9]+){NAMED}|{END}")
PLACEHOLDER = re.compile(r"(%\((?P<name>\w+)\)[sd]|%%)")
CATALOG = catalog
# The English sentence, or its plural, and the text of each mark.
MARKED: dict[tuple[str, str], int] = {}


class Marked(NullTranslations):
    """The catalog of a language, with the number of its mark before each text."""

    def __init__(self, language: str):
        super().__init__()
        self.language = language

    def gettext(self, message):
        return marked(message, CATALOG(self.language).gettext(message))

    def ngettext(self, singular, plural, n):
        return marked(plural, CATALOG(self.language).ngettext(singular, plural, n))


def marked(original: str, text: str) -> str:
    number = MARKED.setdefault((original, text), len(MARKED))
    return f"{BEGIN}{number}{NAMED}{text}{END}"


@cache
def marked_catalog(language: str, name: str = RESPONDENT) -> Marked:
    """In place of `survey.core.languages.catalog`."""
    return Marked(language)


def mark_sentences(monkeypatch) -> None:
    """Mark the sentences of all pages until the end of a test."""
    monkeypatch.setattr("survey.core.languages.catalog", marked_catalog)
    monkeypatch.setattr("survey.web.i18n.catalog", marked_catalog)


def unmarked(text: str) -> str:
    """The text as a reader sees it."""
    return spaced(html.unescape(re.sub(r"<[^>]*>", "", MARK.sub("", text))))


def spaced(text: str) -> str:
    return " ".join(text.replace("\u00a0", " ").split())


def sentences_on(page: str) -> list[tuple[str, dict[str, str]]]:
    """Each sentence of a page in English, with the texts at its placeholders.

    A sentence within another one is in the list too.
    """
    originals = list(MARKED)
    found, begun = [], []
    for match in MARK.finditer(page):
        if match.group(1):
            begun.append((originals[int(match.group(1))], match.end()))
            continue
        (original, text), start = begun.pop()
        shown = unmarked(page[start : match.start()])
        whole = pattern_of(text).fullmatch(shown)
        assert whole, (text, shown)
        found.append((original, whole.groupdict()))
    assert not begun
    return found


def rest_of(page: str) -> str:
    """The text of a page without its sentences and scripts."""
    page = re.sub(r"<(script|style)\b.*?</\1>", " ", page, flags=re.DOTALL)
    depth, at, rest = 0, 0, []
    for match in MARK.finditer(page):
        if depth == 0:
            rest.append(page[at : match.start()])
        depth += 1 if match.group(1) else -1
        at = match.end()
    return spaced(html.unescape(re.sub(r"<[^>]*>", " ", "".join([*rest, page[at:]]))))


@cache
def pattern_of(text: str) -> re.Pattern[str]:
    """How a text with placeholders looks on a page."""
    whole, names, at = "", set[str](), 0
    text = spaced(html.unescape(re.sub(r"<[^>]*>", "", text)))
    for place in PLACEHOLDER.finditer(text):
        whole += re.escape(text[at : place.start()])
        name, at = place["name"], place.end()
        if name is None:
            whole += "%"
        elif name in names:
            whole += f"(?P={name})"
        else:
            whole += f"(?P<{name}>.*?)"
            names.add(name)
    return re.compile(whole + re.escape(text[at:]), re.DOTALL)
