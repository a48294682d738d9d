"""Compression: clients that accept it get the same content, and secrets are never compressed."""

import gzip

import pytest

from tests.support.definitions import definition, opened, yes_no
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
    assert "Accept-Encoding" in packed.vary and "Accept-Encoding" in plain.vary
    plain.close()


def test_the_script_that_is_served_is_the_source(client):
    packed = client.get(f"/{SCRIPT}", headers=GZIP)
    assert gzip.decompress(packed.data) == (ROOT / SCRIPT).read_bytes()


def test_researchers_pages_and_refusals_are_sent_as_they_are(client, store):
    opened(store, definition())
    for path in ("/admin/sign-in", "/s/nothing", "/admin"):
        assert "Content-Encoding" not in client.get(path, headers=GZIP).headers
    reply = client.post("/s/health/responses", headers=GZIP)
    assert "Content-Encoding" not in reply.headers


def test_a_survey_of_ten_questions_is_light(client, store):
    """The first visit loads less than 60 KB, with everything."""
    questions = [yes_no(f"q{i}", label=f"Did you do thing {i} last year?") for i in range(10)]
    opened(store, definition(*questions, series="waves", receipts=True, invitations=True))
    page = client.get("/s/health", headers=GZIP)
    text = gzip.decompress(page.data).decode()
    loaded = {part.split('"')[0] for part in text.split('="') if part.startswith("/static/")}
    assert len(loaded) > 8
    sizes = [len(client.get(path, headers=GZIP).data) for path in loaded]
    assert len(page.data) + sum(sizes) < 60_000
