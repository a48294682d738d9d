"""Published results and their files, for the researcher's pages and the API."""

import threading
from collections import OrderedDict
from collections.abc import Callable, Hashable, Iterator
from typing import Generic, TypeVar

from flask import Response

from survey.central_dp.text import releases_csv
from survey.core.translate import page_language
from survey.definition.frozen import FrozenSurvey
from survey.definition.report_formats import Stored
from survey.definition.responses.packed_columns import packs_of
from survey.definition.sub_surveys import texts_sub_survey
from survey.estimation.build_results import survey_results
from survey.estimation.results import Results
from survey.formats.csv_export import responses_csv
from survey.formats.data_files import DATA_FILES
from survey.formats.export_bundle.archive import file_name_with_origin
from survey.server.clock import now
from survey.store import StoredSurvey
from survey.store.stored import not_opened
from survey.web.central_dp_service import release_figures
from survey.web.extensions import store

# A survey with a hundred questions takes about a megabyte.
MAX_REMEMBERED_RESULTS = 32
Content = str | bytes | Iterator[str] | Iterator[bytes]


def frozen_of(found: StoredSurvey) -> FrozenSurvey:
    """Raises StateError for a draft."""
    if found.frozen is None:
        raise not_opened(found.survey.slug)
    return found.frozen


def survey_now(slug: str) -> StoredSurvey:
    """A survey in its current state, for commands, which first close surveys that are due. Raises
    StateError for a draft, which has no responses."""
    store().lifecycle.close_due(now())
    stored = store().surveys.by_slug(slug)
    frozen_of(stored)
    return stored


Value = TypeVar("Value")


class Remembered(Generic[Value]):
    """The values that were used last, by their keys. A key contains all that its value depends on.

    It may be used from several threads. Two that need the same new value both compute it.
    """

    def __init__(self, most: int) -> None:
        self.most = most
        self.lock = threading.Lock()
        self.values: OrderedDict[Hashable, Value] = OrderedDict()

    def of(self, key: Hashable, compute: Callable[[], Value]) -> Value:
        """The value of a key, computed if it is new."""
        with self.lock:
            if key in self.values:
                self.values.move_to_end(key)
                return self.values[key]
        value = compute()
        with self.lock:
            self.values[key] = value
            while len(self.values) > self.most:
                self.values.popitem(last=False)
        return value


remembered_results = Remembered[Results](MAX_REMEMBERED_RESULTS)


def results_of(found: StoredSurvey) -> Results:
    """The results of the published responses.

    They depend on the frozen survey, its origin, the counts, and the language of their sentences.
    All of these are in the key, so no response is missing and none is left after its withdrawal.
    """
    frozen, counts = frozen_of(found), store().counts.by_question(found.survey.slug)
    tallies = tuple((name, tuple(sorted(codes.items()))) for name, codes in counts.items())
    return remembered_results.of(
        (frozen.fingerprint, found.origin, page_language.get(), tallies),
        lambda: survey_results(frozen, counts, found.origin),
    )


def releases_of(found: StoredSurvey) -> str:
    """The central DP releases as CSV, or an empty text if there are none."""
    survey = frozen_of(found).survey
    ledger = [
        (each, release_figures(survey, each)) for each in store().releases.ledger(survey.slug)
    ]
    return releases_csv(survey, ledger) if ledger else ""


def responses_of(found: StoredSurvey) -> Iterator[str]:
    """The published responses as CSV."""
    frozen, packs = frozen_of(found), packs_of(found.survey)
    return responses_csv(frozen, store().responses.rows(found.survey.slug, packs), packs)


def rows_of(found: StoredSurvey) -> Iterator[tuple[Stored | None, ...]]:
    """The stored reports of the published responses."""
    return store().responses.rows(frozen_of(found).survey.slug)


def data_file_of(found: StoredSurvey, kind: str) -> Response:
    """The published responses in the format of another program, a key of DATA_FILES.

    Raises StateError if there are too many.
    """
    write, media_type = DATA_FILES[kind]
    content = write(frozen_of(found).survey, rows_of(found))
    return download(content, found, f"responses.{kind}", media_type)


def texts_of(found: StoredSurvey) -> Iterator[str] | None:
    """The published texts that are stored apart, as CSV; None if the survey stores none apart."""
    part = texts_sub_survey(found.survey)
    if part is None or found.origin != "browser":  # Only respondents write texts.
        return None
    return responses_of(store().surveys.by_slug(part.slug))


def download(content: Content, found: StoredSurvey, name: str, kind: str) -> Response:
    slug = found.survey.slug
    origin_in_slug = slug.endswith(f"-{found.origin}")  # once is enough
    filename = f"{slug}-{name if origin_in_slug else file_name_with_origin(name, found.origin)}"
    return attach_file(content, filename, kind)


def attach_file(content: Content | bytes, filename: str, kind: str) -> Response:
    """A file with this name. Streamed content may use the store, but not the request, which has
    ended by then."""
    response = Response(content, mimetype=kind)
    response.headers["Content-Disposition"] = f'attachment; filename="{filename}"'
    return response
