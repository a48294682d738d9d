"""The schemas of the API: every reply fits, and one with more or less does not."""

import io
from zipfile import ZipFile

import pytest
from flask import Flask
from jsonschema import Draft202012Validator
from jsonschema.exceptions import ValidationError
from werkzeug.test import TestResponse

from survey.api.schemas import SCHEMAS
from survey.core.errors import StoreUnavailable
from survey.formats.data_files import DATA_FILES
from survey.store import Store
from survey.web import sign_in_limits
from tests.support.api_programs import Program

SLUGS = [
    *("draft", "health", "health.by-hand", "health.comprehension", "every-type", "sampled"),
    *("empty", "no-finite-epsilon"),
]


def fits(document: dict, schema: dict, content: object) -> None:
    # The schema's references exist in the document, at the same places.
    Draft202012Validator(schema | {"components": document["components"]}).validate(content)


def check(document: dict, path: str, reply: TestResponse) -> None:
    """A reply has the documented status, type, headers and content."""
    written = document["paths"][path]["get"]["responses"][str(reply.status_code)]
    [(kind, content)] = written["content"].items()
    assert reply.mimetype == kind
    for header in written.get("headers", {}):
        assert header in reply.headers
    if kind == "application/zip":  # The document says nothing more about it.
        assert content["schema"] == {}
        with ZipFile(io.BytesIO(reply.data)) as archive:
            assert "README.txt" in "".join(archive.namelist())
        return
    if kind in {media_type for _, media_type in DATA_FILES.values()}:
        assert content["schema"] == {}
        assert reply.data[:4] in (b"PK\x03\x04", b"<sta", b"$FL2")
        return
    given = reply.get_json() if kind == "application/json" else reply.get_data(as_text=True)
    fits(document, content["schema"], given)


@pytest.mark.parametrize("slug", [*SLUGS, "unknown"])
def test_every_reply_fits_the_document(
    surveys: None, program: Program, document: dict, slug: str
) -> None:
    for path in document["paths"]:
        check(document, path, program.get(path.replace("{slug}", slug)))


def test_every_refusal_fits_the_document(
    app: Flask, program: Program, document: dict, store: Store, monkeypatch: pytest.MonkeyPatch
) -> None:
    stranger = Program(app.test_client())
    for path in document["paths"]:
        sign_in_limits.limiter.reset()
        asked = path.replace("{slug}", "health")
        for status in [401] * 15 + [429]:
            reply = stranger.get(asked)
            assert reply.status_code == status
            check(document, path, reply)

    def gone(*_: object) -> None:
        raise StoreUnavailable("gone")

    monkeypatch.setattr(store.tokens, "by_hash", gone)
    for path in document["paths"]:
        reply = program.get(path)
        assert reply.status_code == 503
        check(document, path, reply)


def test_control_a_reply_with_more_or_less_than_is_written_is_found(
    surveys: None, program: Program, document: dict
) -> None:
    schema = SCHEMAS["Surveys"]
    content = program.get("/surveys").get_json()
    fits(document, schema, content)
    with pytest.raises(ValidationError):
        fits(document, schema, content | {"secret": 1})
    del content["surveys"][0]["origin"]
    with pytest.raises(ValidationError):
        fits(document, schema, content)
