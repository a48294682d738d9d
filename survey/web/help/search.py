"""The search of the help pages: in memory, without another service, tolerant of a wrong letter.

The index is made once, at the first search. A word of the query stands for all words that begin
with it. If there is none, it stands for those that differ from it by one letter: one missing, one
too many, one replaced, or two that are exchanged. Case and accents do not count.
"""

import re
import unicodedata
from bisect import bisect_left
from collections import Counter, defaultdict
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from functools import cache, lru_cache
from itertools import takewhile
from threading import Lock

from survey.core.languages import MAIN
from survey.web.help.documents import GLOSSARY, PREFIX, Document, Section, project_documents

MAX_QUERY_CHARACTERS = 200
MAX_QUERY_WORDS = 10
MAX_WORD_CHARACTERS = 40
MAX_RESULTS = 20
MAX_SNIPPET_CHARACTERS = 240
# Shorter words would begin, or nearly be, too many others.
MIN_PREFIX_LETTERS = 2
MIN_MISSPELT_LETTERS = 3
# Words of questions that say nothing of their subject.
STOP_WORDS = frozenset(
    re.findall(r"\w+", "a an and are can do does for from how i in is it of on or the to what with")
)
WORD = re.compile(r"\w+")
# Symbols in the texts, and how people type them.
GREEK = {"ε": "epsilon", "δ": "delta", "γ": "gamma"}

# The starts of addresses, by kind of page. Of equal results, the first kind comes first. Others,
# such as measurements, decisions and the changelog, are last.
KINDS = (
    (GLOSSARY,),
    ("tutorials/", "how-to/", "explanation/"),
    ("reference/",),
)

# A piece of a text, and whether it is marked.
Piece = tuple[str, bool]


@lru_cache(maxsize=20_000)
def fold(word: str) -> str:
    """A word in small letters, without accents."""
    if word.isascii():
        return word.lower()
    letters = unicodedata.normalize("NFKD", word)
    plain = "".join(each for each in letters if not unicodedata.combining(each)).casefold()
    return GREEK.get(plain, plain)


def words_of(text: str) -> list[str]:
    return [fold(word) for word in WORD.findall(unicodedata.normalize("NFC", text))]


@lru_cache(maxsize=20_000)
def parts_of(word: str) -> frozenset[str]:
    """A word, and the words that underscores join in it, such as those of a setting's name."""
    return frozenset([word, *word.split("_")]) - {"", "_"}


def indexed_words(text: str) -> set[str]:
    return {part for word in words_of(text) for part in parts_of(word)}


@dataclass(frozen=True)
class SearchResult:
    """A section that was found: its link, its titles, and a part of its text.

    `page` is the title of the page; empty if the heading is this title.
    """

    url: str
    page: str
    heading: list[Piece]
    snippet: list[Piece]


@dataclass(frozen=True, kw_only=True)
class SearchResults:
    """What a query found.

    Parameters
    ----------
    query : its part that was used
    shortened : whether the query was longer
    total : how many sections match; `best` are the first of them
    corrections : for each misspelt word, the words that were looked for instead
    missing : the words that are on no page, not even misspelt
    has_words : whether the query contains a word
    """

    query: str
    shortened: bool
    total: int
    best: list[SearchResult]
    corrections: dict[str, list[str]]
    missing: list[str]
    has_words: bool


class SearchIndex:
    """The words of all sections, and in which section each stands."""

    def __init__(self, documents: Iterable[Document]):
        self.sections = [(each, part) for each in documents for part in each.page[1]]
        self.in_headings: dict[str, set[int]] = defaultdict(set)
        self.anywhere: dict[str, set[int]] = defaultdict(set)
        for place, (document, section) in enumerate(self.sections):
            # Below their titles, these pages are mostly lists, and their headings name every row.
            counts = section.level == 1 or kind_of_page(document.address) < len(KINDS)
            for word in indexed_words(section.title):
                self.anywhere[word].add(place)
                if counts:
                    self.in_headings[word].add(place)
            for paragraph in section.paragraphs:
                for word in indexed_words(paragraph):
                    self.anywhere[word].add(place)
        self.words = sorted(self.anywhere)
        self.letters = sorted(set("".join(self.words)))

    def find(self, typed: str) -> SearchResults:
        query = " ".join(typed.split())
        cut = query[:MAX_QUERY_CHARACTERS]
        asked = list(dict.fromkeys(words_of(cut)))
        asked = [word for word in asked if word not in STOP_WORDS] or asked
        used = asked[:MAX_QUERY_WORDS]
        matches = {word: self.matching(word) for word in used}
        in_headings = self.count(self.in_headings, matches.values())
        anywhere = self.count(self.anywhere, matches.values())
        exact = self.count(self.anywhere, ([word] for word in used if word in self.anywhere))

        def rank(place: int) -> tuple[int, int, int, int, int, int]:
            document, section = self.sections[place]
            order = -in_headings[place], -anywhere[place], -exact[place]
            return *order, kind_of_page(document.address), len(section.title), place

        best = sorted(anywhere, key=rank)[:MAX_RESULTS]
        marked = {word for words in matches.values() for word in words}
        return SearchResults(
            query=cut,
            shortened=len(cut) < len(query) or len(used) < len(asked),
            total=len(anywhere),
            best=[result_of(*self.sections[place], marked) for place in best],
            corrections={
                word: words
                for word, words in matches.items()
                if words and not any(each.startswith(word) for each in words)
            },
            missing=[word for word, words in matches.items() if not words],
            has_words=bool(used),
        )

    def matching(self, word: str) -> list[str]:
        """The words of the index that a word of the query stands for."""
        if len(word) < MIN_PREFIX_LETTERS:
            return [word] if word in self.anywhere else []
        start = bisect_left(self.words, word)
        rest = (self.words[place] for place in range(start, len(self.words)))
        found = list(takewhile(lambda each: each.startswith(word), rest))
        if found or not MIN_MISSPELT_LETTERS <= len(word) <= MAX_WORD_CHARACTERS:
            return found
        return sorted({each for each in self.misspellings(word) if each in self.anywhere})

    def misspellings(self, word: str) -> Iterator[str]:
        """Every string that differs from a word by one letter."""
        for place in range(len(word) + 1):
            start, end = word[:place], word[place:]
            for letter in self.letters:
                yield start + letter + end
                if end:
                    yield start + letter + end[1:]
            if end:
                yield start + end[1:]
            if len(end) > 1:
                yield start + end[1] + end[0] + end[2:]

    @staticmethod
    def count(index: dict[str, set[int]], matches: Iterable[list[str]]) -> Counter[int]:
        """For each section, how many words of the query it has."""
        none: set[int] = set()
        return Counter(
            place
            for words in matches
            for place in none.union(*(index.get(word, none) for word in words))
        )


def kind_of_page(address: str) -> int:
    """The place of a page in the order of equal results: that of its kind in KINDS, or the last."""
    kinds = (kind for kind, starts in enumerate(KINDS) if address.startswith(starts))
    return next(kinds, len(KINDS))


def result_of(document: Document, section: Section, marked: set[str]) -> SearchResult:
    paragraphs = section.paragraphs or [""]
    best = max(paragraphs, key=lambda paragraph: len(marked & indexed_words(paragraph)))
    return SearchResult(
        url=f"{PREFIX}{document.address}#{section.anchor}",
        page="" if section.title == document.title else document.title,
        heading=list(pieces(section.title, marked)),
        snippet=snippet_of(best, marked),
    )


def pieces(text: str, marked: set[str]) -> Iterator[Piece]:
    """A text taken apart where a marked word begins and ends."""
    end = 0
    for match in WORD.finditer(text):
        if parts_of(fold(match[0])) & marked:
            yield text[end : match.start()], False
            yield match[0], True
            end = match.end()
    yield text[end:], False


def snippet_of(paragraph: str, marked: set[str]) -> list[Piece]:
    """The part of a paragraph around its first marked word."""
    text = unicodedata.normalize("NFC", paragraph)
    first = next((m.start() for m in WORD.finditer(text) if parts_of(fold(m[0])) & marked), 0)
    start = 0
    if len(text) > MAX_SNIPPET_CHARACTERS:
        start = max(0, min(first - 60, len(text) - MAX_SNIPPET_CHARACTERS))
        start = text.find(" ", start, first) + 1 if start else 0
    part = text[start:]
    if len(part) > MAX_SNIPPET_CHARACTERS:
        part = part[:MAX_SNIPPET_CHARACTERS].rpartition(" ")[0] + " …"
    return list(pieces(f"… {part}" if start else part, marked))


index_lock = Lock()


@cache
def make_project_index() -> SearchIndex:
    """Translations are left out, because the search compares English words."""
    documents = project_documents().by_address.values()
    return SearchIndex(each for each in documents if each.language == MAIN)


def project_index() -> SearchIndex:
    """The index of the project's documents, made once, at the first search."""
    with index_lock:
        return make_project_index()
