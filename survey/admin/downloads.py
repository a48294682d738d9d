"""Files to take home."""

import tempfile
from collections.abc import Iterator
from typing import IO

from flask import Response, stream_with_context
from flask.typing import ResponseReturnValue

from ..auth import requires
from ..current import store
from ..definition import canonical
from ..export import codebook, estimates_csv, responses_csv
from ..store import ANALYST, StoredSurvey
from ..take_home import marked, write_archive
from .blueprint import blueprint, frozen_of, results_of

PIECE = 2**16  # bytes sent at once


def filename(found: StoredSurvey, name: str) -> str:
    return f"{found.survey.slug}-{marked(name, found.origin)}"


def download(
    content: str | Iterator[str] | Iterator[bytes], found: StoredSurvey, name: str, kind: str
) -> Response:
    body = content if isinstance(content, str) else stream_with_context(content)
    response = Response(body, mimetype=kind)
    response.headers["Content-Disposition"] = f'attachment; filename="{filename(found, name)}"'
    return response


@blueprint.get("/surveys/<slug>/export.zip")
@requires(ANALYST)
def export(slug: str) -> ResponseReturnValue:
    found = store().survey(slug)
    frozen = frozen_of(found)
    # on disk, not in memory, and without a name, so that nothing of it stays
    file = tempfile.TemporaryFile()  # noqa: SIM115 (closed when it is sent)
    write_archive(file, frozen, found.origin, store().responses(slug))
    response = download(pieces(file), found, "export.zip", "application/zip")
    response.content_length = file.tell()
    file.seek(0)
    response.call_on_close(file.close)
    return response


def pieces(file: IO[bytes]) -> Iterator[bytes]:
    with file:
        while piece := file.read(PIECE):
            yield piece


@blueprint.get("/surveys/<slug>/responses.csv")
@requires(ANALYST)
def responses(slug: str) -> ResponseReturnValue:
    found = store().survey(slug)
    rows = responses_csv(frozen_of(found), store().responses(slug))
    return download(rows, found, "responses.csv", "text/csv")


@blueprint.get("/surveys/<slug>/estimates.csv")
@requires(ANALYST)
def estimates(slug: str) -> ResponseReturnValue:
    found = store().survey(slug)
    return download(estimates_csv(results_of(found)), found, "estimates.csv", "text/csv")


@blueprint.get("/surveys/<slug>/codebook.json")
@requires(ANALYST)
def codebook_json(slug: str) -> ResponseReturnValue:
    found = store().survey(slug)
    book = canonical(codebook(results_of(found)))
    return download(book, found, "codebook.json", "application/json")
