"""Each sentence of the researchers' pages can be translated: a pseudo language shows the others.

In the pseudo language, each letter of a translated sentence is a wide one (Ａ instead of A). An
ordinary Latin letter then is data, or belongs to a text that cannot be translated.
"""

import json
import re
import time
from html import unescape

import pytest
from babel.support import NullTranslations

from survey.admin.builder.examples import examples
from survey.admin.surveys.import_export import SLUG_CHARACTERS, SLUG_LENGTH
from survey.core import languages, translate
from survey.core.mechanisms.registry import MECHANISMS
from survey.definition.choices import answer_words, other_words
from survey.definition.responses.invitation_codes import token_hash
from survey.store import Session
from survey.web import i18n
from tests.browser.test_admin_pages import PAGES, RESULTS, STRANGERS

# These pages are not translated yet. The list only gets shorter.
NOT_DONE = {
    "/admin/surveys/health-habits-simulated/results",
}
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
    # The logarithm and the probability in a formula.
    *("ln", "Pr"),
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


class Pseudo(NullTranslations):
    def gettext(self, message):
        return wide(message)

    ugettext = gettext

    def ngettext(self, singular, plural, n):
        return wide(singular if n == 1 else plural)

    ungettext = ngettext


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
    for text in shown_texts(page):
        rest = ADDRESS.sub(" ", data.sub(" ", text))
        if set(LATIN.findall(rest)) - SAME:
            found.add(" ".join(text.split()))
    return sorted(found)


@pytest.fixture
def pseudo(monkeypatch):
    for language in languages.LANGUAGES:
        # These remember their words, which later tests need.
        answer_words(language)
        other_words(language)
    for module in (languages, translate, i18n):
        monkeypatch.setattr(module, "catalog", lambda *_: Pseudo())


@pytest.fixture
def data(every_type, live):
    """The texts of the surveys and the names of the accounts."""
    definitions = [stored.survey.as_definition() for stored in live.store.surveys.all()]
    texts = {*NAMES, *ANSWERS, *MECHANISMS, "table", *leaves(definitions)} - {""}
    texts |= {example.title for example in examples().values()}
    longest_first = sorted(texts, key=len, reverse=True)
    patterns = [f"[{SLUG_CHARACTERS}]{{{SLUG_LENGTH}}}", *map(re.escape, longest_first)]
    return re.compile("|".join(rf"(?<!\w){each}(?!\w)" for each in patterns))


@pytest.fixture
def reader(app, every_type, live):
    """A signed-in owner who reads Thai, as far as there is a translation."""
    client, now = app.test_client(), int(time.time())
    live.store.accounts.add_session(token_hash("x").hex(), Session("ada", created=now, seen=now))
    with client.session_transaction(base_url="http://localhost/admin/") as session:
        session["token"] = "x"
    live.store.accounts.set_language("ada", "th")
    return client


def test_each_sentence_of_each_page_can_be_translated(reader, app, pseudo, data):
    missing = {}
    for path in [*STRANGERS, *PAGES, *RESULTS]:
        client = app.test_client() if path in STRANGERS else reader
        reply = client.get(path, headers={"Accept-Language": "th"}, follow_redirects=True)
        missing[path] = untranslated(reply.get_data(as_text=True), data)
    wrong = {path: texts for path, texts in missing.items() if texts and path not in NOT_DONE}
    assert wrong == {}, json.dumps(wrong, indent=1, ensure_ascii=False)
    assert {path for path in NOT_DONE if not missing[path]} == set()
