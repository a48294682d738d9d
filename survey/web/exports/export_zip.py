"""All data of a survey in one ZIP file."""

import tempfile
import time
from collections.abc import Iterator
from functools import partial
from typing import IO

from flask import Response

from survey.formats.export_bundle.archive import write_archive
from survey.store import StoredSurvey
from survey.web.exports.saved_files import Compute, compute_analysis, computed_in_time, saved_files
from survey.web.extensions import store
from survey.web.published_results import download, frozen_of, releases_of, texts_of

CHUNK_BYTES = 2**16


def write_zip(file: IO[bytes], found: StoredSurvey, compute: Compute = compute_analysis) -> None:
    """Write the ZIP of a survey or sub-survey. Raises StateError for a draft.

    `compute` as in `saved_files`.
    """
    frozen = frozen_of(found)
    more = saved_files(found, compute)
    rows, releases, texts = (
        store().responses.rows(found.survey.slug),
        releases_of(found),
        texts_of(found),
    )
    field_days = store().public.field_days(found)
    write_archive(file, frozen, found.origin, rows, releases, texts, more, field_days)


def export_zip(found: StoredSurvey) -> Response:
    """The ZIP as a download. Raises StateError for a draft."""
    frozen_of(found)
    # The file is on disk, not in memory, and has no name, so that nothing of it remains.
    file = tempfile.TemporaryFile()  # noqa: SIM115 (closed when it is sent)
    write_zip(file, found, partial(computed_in_time, since=time.thread_time()))
    response = download(file_chunks(file), found, "export.zip", "application/zip")
    response.content_length = file.tell()
    file.seek(0)
    response.call_on_close(file.close)
    return response


def file_chunks(file: IO[bytes]) -> Iterator[bytes]:
    with file:
        while piece := file.read(CHUNK_BYTES):
            yield piece
