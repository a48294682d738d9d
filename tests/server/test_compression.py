"""Compression: clients that accept it get the same content, and secrets are never compressed."""

import gzip

import pytest

from survey.core.languages import LANGUAGES
from survey.definition.survey import parse_survey
from survey.definition.translation import nest_texts
from tests.support.definitions import definition, opened
from tests.support.every_type import PLAIN, PRIVATE
from tests.support.project import ROOT

pytestmark = pytest.mark.fast

GZIP = {"Accept-Encoding": "gzip"}
SCRIPT = "static/respondent/randomizer.js"


@pytest.mark.parametrize("path", ["/s/health", "/s/health.json", f"/{SCRIPT}", "/how"])
def test_what_is_compressed_is_what_is_sent_otherwise(client, store, path):
    opened(store, definition())
    plain, packed = client.get(path), client.get(path, headers=GZIP)
    assert "Content-Encoding" not in plain.headers
    assert packed.headers["Content-Encoding"] == "gzip"
    assert gzip.decompress(packed.data) == plain.data
    assert int(packed.headers["Content-Length"]) == len(packed.data) < len(plain.data)
    varies = "Accept-Encoding" in plain.vary
    assert ("Accept-Encoding" in packed.vary) == varies
    assert varies != path.startswith("/static/"), "nothing may keep a file, so none varies"


def test_the_script_that_is_served_is_the_source(client):
    packed = client.get(f"/{SCRIPT}", headers=GZIP)
    assert gzip.decompress(packed.data) == (ROOT / SCRIPT).read_bytes()


def test_researchers_pages_and_refusals_are_sent_as_they_are(client, store):
    opened(store, definition())
    for path in ("/admin/sign-in", "/s/nothing", "/admin"):
        assert "Content-Encoding" not in client.get(path, headers=GZIP).headers
    reply = client.post("/s/health/responses", headers=GZIP)
    assert "Content-Encoding" not in reply.headers


HEAVY = definition(
    *PRIVATE, *PLAIN,
    series="waves", receipts=True, invitations=True, comprehension=True, support="Call.",
    introduction="We ask. " * 100, asked_by="Somebody", contact="a@example.org", minutes=9,
    completion_link="https://example.org/{ID}", completion_code="C1",
)  # fmt: skip


@pytest.mark.parametrize("language", LANGUAGES)
def test_a_survey_with_everything_is_light(client, store, language):
    """The first visit loads less than 60 kB: with every type, in four languages."""
    texts = nest_texts(parse_survey(HEAVY).texts)
    opened(store, HEAVY | {"translations": dict.fromkeys(set(LANGUAGES) - {"en"}, texts)})
    page = client.get(f"/s/health?language={language}", headers=GZIP)
    text = gzip.decompress(page.data).decode()
    loaded = {part.split('"')[0] for part in text.split('="') if part.startswith("/static/")}
    assert loaded == {"/static/respondent/survey.js", "/static/style.css", "/static/icon.svg"}
    sizes = [len(client.get(path, headers=GZIP).data) for path in loaded]
    assert len(page.data) + sum(sizes) < 60_000
