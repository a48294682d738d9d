"""Each sentence of the researchers' pages can be translated: a pseudo language shows the others."""

import json
import re
import time

import pytest

from survey.admin.builder.examples import examples
from survey.admin.surveys.import_export import SLUG_CHARACTERS, SLUG_LENGTH
from survey.core import languages, translate
from survey.core.mechanisms.registry import MECHANISMS
from survey.core.text_widths import shorten_middle
from survey.definition.choices import answer_words, other_words
from survey.definition.responses.invitation_codes import token_hash
from survey.store import Session
from survey.web import i18n
from survey.web.charts.headline import MAX_LABEL
from tests.support.admin_pages import PAGES, RESULTS, STRANGERS
from tests.support.pseudo_language import ANSWERS, NAMES, Pseudo, leaves, untranslated
from tests.support.researchers import without_csrf_tokens


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
    # A chart shortens long labels.
    texts |= {shorten_middle(each, 13, MAX_LABEL) for each in texts}
    texts |= {example.title for example in examples("th").values()}
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
    wrong = {path: texts for path, texts in missing.items() if texts}
    assert wrong == {}, json.dumps(wrong, indent=1, ensure_ascii=False)


def test_the_language_of_one_reader_is_not_kept_for_the_next(reader, live):
    """A cached function that translates would keep it. The page of a new survey has a random
    address."""

    def pages(language):
        live.store.accounts.set_language("ada", language)
        paths = [path for path in (*PAGES, *RESULTS) if path != "/admin/surveys/new"]
        replies = {path: reader.get(path).get_data(as_text=True) for path in paths}
        return {path: without_csrf_tokens(reply) for path, reply in replies.items()}

    thai = pages("th")
    english, vietnamese = pages("en"), pages("vi")
    assert pages("en") == english
    assert pages("th") == thai
    assert pages("vi") == vietnamese
    assert len({*english.values()} & {*thai.values()}) <= len([*PAGES, *RESULTS]) / 10
