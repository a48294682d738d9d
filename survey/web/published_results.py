"""Published results and their files, for the researcher's pages and the API."""

import threading
from collections import OrderedDict
from collections.abc import Hashable, Iterator, Mapping

from flask import Response

from survey.central_dp.text import releases_csv
from survey.core.errors import StateError
from survey.core.translate import page_language, translate
from survey.definition.frozen import FrozenSurvey
from survey.definition.report_formats import Stored
from survey.definition.responses.packed_columns import packs_of
from survey.definition.sub_surveys import texts_part
from survey.estimation.build_results import survey_results
from survey.estimation.results import Results
from survey.formats.csv_export import responses_csv
from survey.formats.data_files import DATA_FILES
from survey.formats.export_bundle.archive import file_name_with_origin
from survey.server.clock import now
from survey.store import StoredSurvey
from survey.web.central_dp_service import release_figures
from survey.web.extensions import store

# A survey with a hundred questions takes about a megabyte.
MAX_REMEMBERED_RESULTS = 32
Content = str | bytes | Iterator[str] | Iterator[bytes]


def frozen_of(found: StoredSurvey) -> FrozenSurvey:
    """Raises StateError for a draft."""
    if found.frozen is None:
        raise StateError(
            translate(
                "Survey %(survey)s is a draft. Open it first.", survey=repr(found.survey.slug)
            )
        )
    return found.frozen


def survey_now(slug: str) -> StoredSurvey:
    """A survey in its current state, for commands, which first close surveys that are due. Raises
    StateError for a draft, which has no responses."""
    store().lifecycle.close_due(now())
    stored = store().surveys.by_slug(slug)
    frozen_of(stored)
    return stored


class RememberedResults:
    """The last results that were computed.

    Results depend on the frozen survey, its origin, the counts, and the language of their
    sentences. All of these are in the key, so a new response is never missing.
    """

    def __init__(self) -> None:
        self.lock = threading.Lock()
        self.found: OrderedDict[Hashable, Results] = OrderedDict()

    def of(
        self, frozen: FrozenSurvey, counts: Mapping[str, Mapping[int, int]], origin: str
    ) -> Results:
        """The results of these counts, computed if they are new."""
        tallies = tuple((name, tuple(sorted(codes.items()))) for name, codes in counts.items())
        key = (frozen.fingerprint, origin, page_language.get(), tallies)
        with self.lock:
            if key in self.found:
                self.found.move_to_end(key)
                return self.found[key]
        computed = survey_results(frozen, counts, origin)
        with self.lock:
            self.found[key] = computed
            while len(self.found) > MAX_REMEMBERED_RESULTS:
                self.found.popitem(last=False)
        return computed


remembered_results = RememberedResults()


def results_of(found: StoredSurvey) -> Results:
    """The results of the published responses."""
    counts = store().counts.by_question(found.survey.slug)
    return remembered_results.of(frozen_of(found), counts, found.origin)


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
    part = texts_part(found.survey)
    if part is None or found.origin != "browser":  # Only respondents write texts.
        return None
    return responses_of(store().surveys.by_slug(part.slug))


def download(content: Content, found: StoredSurvey, name: str, kind: str) -> Response:
    slug = found.survey.slug
    origin_in_slug = slug.endswith(f"-{found.origin}")  # once is enough
    filename = f"{slug}-{name if origin_in_slug else file_name_with_origin(name, found.origin)}"
    return attached(content, filename, kind)


def attached(content: Content | bytes, filename: str, kind: str) -> Response:
    """A file with this name. Streamed content may use the store, but not the request, which has
    ended by then."""
    response = Response(content, mimetype=kind)
    response.headers["Content-Disposition"] = f'attachment; filename="{filename}"'
    return response
