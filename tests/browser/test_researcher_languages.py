"""Each sentence of the researchers' pages can be translated: a pseudo language shows the others."""

import json
import re
import time

import pytest

from survey.admin.builder.examples import examples
from survey.admin.surveys.import_export import SLUG_CHARACTERS, SLUG_LENGTH
from survey.core import languages, translate
from survey.core.mechanisms.registry import MECHANISMS
from survey.definition.choices import answer_words, other_words
from survey.definition.responses.invitation_codes import token_hash
from survey.store import Session
from survey.web import i18n
from tests.support.admin_pages import PAGES, RESULTS, STRANGERS
from tests.support.pseudo_language import ANSWERS, NAMES, Pseudo, leaves, untranslated
from tests.support.researchers import without_csrf_tokens


@pytest.fixture
def data(every_type, live):
    """The texts of the surveys and the names of the accounts."""
    definitions = [stored.survey.as_definition() for stored in live.store.surveys.all()]
    texts = {*NAMES, *ANSWERS, *MECHANISMS, "table", *leaves(definitions)} - {""}
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


def test_each_sentence_of_each_page_is_in_the_language_of_its_reader(
    reader, app, live, data, monkeypatch
):
    """Each sentence can be translated, and none is kept for the next reader.

    A cached function that translates would keep the language of its first reader. All pages are
    read in English, then in the pseudo language, in which an English sentence stands out, and then
    in English again. The page of a new survey has a random address.
    """

    def pages(language):
        live.store.accounts.set_language("ada", language)
        replies = {}
        for path in [*STRANGERS, *PAGES, *RESULTS]:
            client = app.test_client() if path in STRANGERS else reader
            reply = client.get(path, headers={"Accept-Language": language}, follow_redirects=True)
            replies[path] = without_csrf_tokens(reply.get_data(as_text=True))
        return replies

    english = pages("en")
    for language in languages.LANGUAGES:
        # These remember their words, which later tests need.
        answer_words(language)
        other_words(language)
    with monkeypatch.context() as patch:
        for module in (languages, translate, i18n):
            patch.setattr(module, "catalog", lambda *_: Pseudo())
        pseudo = pages("th")
    missing = {path: untranslated(page, data) for path, page in pseudo.items()}
    wrong = {path: texts for path, texts in missing.items() if texts}
    assert wrong == {}, json.dumps(wrong, indent=1, ensure_ascii=False)
    again = pages("en")
    del english["/admin/surveys/new"], again["/admin/surveys/new"]
    assert again == english
