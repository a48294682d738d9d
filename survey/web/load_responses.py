"""Load responses from files into surveys, for the page and the commands."""

import secrets
from collections.abc import Iterable, Iterator
from itertools import islice

from survey.definition.frozen import freeze
from survey.definition.report_formats import Stored
from survey.definition.responses.parse_response import Response
from survey.definition.survey import Survey
from survey.web.access import create_draft
from survey.web.extensions import privacy_limits, store

# Responses held in memory at once.
LOAD_BATCH_RESPONSES = 10_000


def closed_for_data(slug: str) -> Survey:
    """The survey, after freezing and closing it if it is a draft.

    Data may be loaded into a survey that can never be opened, because its epsilon is infinite or
    above the privacy limits.
    """
    stored_survey = store().surveys.by_slug(slug)
    if stored_survey.frozen is None:
        store().surveys.freeze(
            freeze(stored_survey.survey, privacy_limits(), to_open=False), "closed"
        )
    return stored_survey.survey


def response_batches(rows: Iterator[tuple[Stored | None, ...]]) -> Iterator[list[Response]]:
    """The rows as responses with random ids, in batches."""
    while batch := [
        Response(secrets.token_bytes(16), reports) for reports in islice(rows, LOAD_BATCH_RESPONSES)
    ]:
        yield batch


def create_survey_with_responses(
    survey: Survey, batches: Iterable[list[Response]], creator: str
) -> None:
    """Create a closed survey with responses that were collected elsewhere.

    `creator` is an account or stands for a command. The caller records it.
    Raises StateError if its address is taken.
    """
    frozen = freeze(survey, privacy_limits(), to_open=False)
    create_draft(survey, creator)
    store().surveys.freeze(frozen, "closed")
    store().responses.add_batches(survey.slug, batches, "loaded")
