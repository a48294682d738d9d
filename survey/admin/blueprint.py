"""The blueprint of the researcher's pages, and functions that they share."""

from collections.abc import Callable
from typing import Any, TypeVar, cast

from flask import Blueprint, abort, current_app, g, request

from survey.admin.forms.survey_form import ActionForm
from survey.core.errors import StateError
from survey.core.translate import translate
from survey.definition.privacy_limits import sentences_above
from survey.definition.sub_surveys import is_sub_survey, whole_of
from survey.planning.shuffle_amplification import shuffled_sentence
from survey.server.http.hosts import absolute_url
from survey.store import StoredSurvey
from survey.web.access import has_role
from survey.web.auth import guard_view
from survey.web.exports.written_texts import text_sources
from survey.web.extensions import privacy_limits, store
from survey.web.published_results import frozen_of, results_of

__all__ = ["blueprint", "frozen_of", "link_of", "results_of", "whole_survey"]

View = TypeVar("View", bound=Callable[..., Any])


class ResearchersBlueprint(Blueprint):
    """A blueprint whose routes name the `role` that they need. They may have the options of
    `guard_view`. Routes that lead to a session name None."""

    def route(self, rule: str, **options: Any) -> Callable[[View], View]:
        role = options.pop("role")
        marks = {"before_second_factor", "counts_as_use", "checks_role_itself"} & options.keys()
        marked = {mark: options.pop(mark) for mark in marks}
        register = super().route(rule, **options)

        def decorate(view: View) -> View:
            # A view with several addresses is guarded once.
            guarded = hasattr(view, "role") or not role
            return cast(View, register(view if guarded else guard_view(view, role, **marked)))

        return decorate


blueprint = ResearchersBlueprint("admin", __name__, url_prefix="/admin")

FORMS = ("application/x-www-form-urlencoded", "multipart/form-data")


@blueprint.before_request
def take_forms_alone() -> None:
    """Accept only forms as browsers send them. Flask-WTF would also read JSON, which can contain
    values that no field can."""
    if request.method not in ("GET", "HEAD", "OPTIONS") and request.mimetype not in FORMS:
        abort(415, translate("This address accepts only submitted forms."))


def whole_survey(slug: str) -> StoredSurvey:
    """A survey that is not a sub-survey. Raises StateError for a sub-survey."""
    if is_sub_survey(slug):
        raise StateError(
            "'%(part)s' is a sub-survey of survey '%(slug)s'. Use the survey itself.",
            part=slug,
            slug=whole_of(slug),
        )
    return store().surveys.by_slug(slug)


def link_of(found: StoredSurvey) -> str:
    """The URL of the respondent's page."""
    return absolute_url("respond.page", slug=found.survey.slug)


def may(endpoint: str) -> bool:
    """Whether the signed-in account may use a route, for the survey of this page if the route
    is about a survey. Pages offer only such routes."""
    account = g.get("account")
    needed = vars(current_app.view_functions[endpoint])["role"]  # set by `guard_view`
    rule = next(current_app.url_map.iter_rules(endpoint))
    slug = (request.view_args or {}).get("slug") if "slug" in rule.arguments else None
    return account is not None and has_role(account, needed, slug)


@blueprint.app_context_processor
def for_every_page() -> dict[str, Any]:
    return {
        "may": may,
        "action_form": ActionForm,
        "account": g.get("account"),
        "asks_for_texts": lambda found: bool(found.frozen and text_sources(found.survey)),
        "shuffled_sentence": shuffled_sentence,
        "sentences_above": lambda survey: sentences_above(survey, privacy_limits()),
    }
