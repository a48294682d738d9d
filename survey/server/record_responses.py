"""Recording of posted responses, many at once: from request bodies to stored rows.

This module handles only valid responses. The route for responses refuses all others and explains
why (survey/respondent/routes.py). Nothing was recorded of them here.
"""

from collections.abc import Sequence
from dataclasses import dataclass

from survey.core.errors import SurveyClosed, SurveyError, UnknownSurvey
from survey.definition.frozen import FrozenSurvey
from survey.definition.responses.admission import Verdict
from survey.definition.responses.parse_response import Response, parse_response
from survey.definition.sub_surveys import WITHOUT_PAGE, sub_survey_kind
from survey.store import Store

NOT_ANSWERED = "This survey holds no responses of real people, and takes none."


@dataclass(frozen=True)
class PostedResponse:
    """The body of a request to the address for responses of a survey."""

    slug: str
    body: bytes


def require_answerable(store: Store, slug: str) -> FrozenSurvey:
    """The frozen survey, if people answer it in browsers.

    Raises UnknownSurvey for a draft, and for a part without a page, which the public does not know.
    Raises SurveyClosed for a survey with data from another origin.
    """
    stored_survey = store.surveys.by_slug(slug)
    if stored_survey.frozen is None or sub_survey_kind(slug) in WITHOUT_PAGE:
        raise UnknownSurvey(f"There is no survey {slug[:63]!r}.")
    if stored_survey.origin != "browser":
        raise SurveyClosed(NOT_ANSWERED)
    return stored_survey.frozen


def record_posted_responses(
    store: Store, group: Sequence[PostedResponse], now: int
) -> list[Verdict]:
    """Record posted responses. When this returns, they are on the disk.

    `now` is in seconds since 1970. Returns for each response, in order, whether it is new, or why
    it is refused. Raises StoreUnavailable, and then nothing is recorded.
    """
    store.lifecycle.close_due(now)
    surveys: dict[str, FrozenSurvey | SurveyError] = {}
    for slug in {posted.slug for posted in group}:
        try:
            surveys[slug] = require_answerable(store, slug)
        except (UnknownSurvey, SurveyClosed) as error:
            surveys[slug] = error
    read = [read_one(posted, surveys[posted.slug]) for posted in group]
    sent = [
        (posted.slug, response)
        for posted, response in zip(group, read, strict=True)
        if isinstance(response, Response)
    ]
    verdicts = iter(store.responses.add_all(sent) if sent else [])
    return [next(verdicts) if isinstance(each, Response) else each for each in read]


def read_one(posted: PostedResponse, survey: FrozenSurvey | SurveyError) -> Response | SurveyError:
    if isinstance(survey, SurveyError):
        return survey
    try:
        return parse_response(posted.body, survey)
    except SurveyError as error:
        return error
