"""Who may do what: the one check of all researchers' pages, files and requests of the API.

The argument: each route names the role that it needs, and its address names its survey. Before the
view runs, `require_role` compares the needed role with the account's role on this survey
(`Account.role_on`). A survey that the account does not reach is answered like one that does not
exist, so nobody can find out which surveys others have. Pages that list or compare surveys take
them from `within_reach`. A token has the reach of its account, at each request. Commands ask
nothing, because anyone who runs them can read the database file. tests/web/test_access.py visits
every route with every role.
"""

from collections.abc import Iterable
from typing import TypeVar

from flask import g, has_request_context

from survey.core.errors import NotAllowed
from survey.core.translate import translate
from survey.definition.sub_surveys import whole_of
from survey.definition.survey import Survey
from survey.server.clock import today
from survey.store import MEMBER, ROLES, Account, ListedSurvey, StoredSurvey
from survey.store.stored import unknown_survey
from survey.web.extensions import store

AnySurvey = TypeVar("AnySurvey", ListedSurvey, StoredSurvey)


def has_role(account: Account, needed: str, slug: str | None = None) -> bool:
    """Whether the account has at least this role on a survey or its sub-survey; without a slug,
    on any survey."""
    role = account.role_on(None if slug is None else whole_of(slug))
    return ROLES.index(role) >= ROLES.index(needed)


def require_role(account: Account, needed: str, slug: str | None = None) -> None:
    """Raises UnknownSurvey if the account does not reach the survey, and NotAllowed if its role is
    too low."""
    if has_role(account, needed, slug):
        return
    role = account.role_on(None if slug is None else whole_of(slug))
    if slug is not None and role == MEMBER:
        raise unknown_survey(slug)
    names = {"needed": translate(needed), "role": translate(role)}
    if slug:
        raise NotAllowed(
            "This action needs the role “%(needed)s”. Your role on this survey is “%(role)s”. "
            "An owner can change your role.",
            **names,
        )
    raise NotAllowed(
        "This action needs the role “%(needed)s”. Your role is “%(role)s”. An owner can change "
        "your role.",
        **names,
    )


def within_reach(surveys: Iterable[AnySurvey]) -> list[AnySurvey]:
    """The surveys among these that the account of this request reaches. A command reaches all."""
    if not has_request_context():
        return list(surveys)
    return [each for each in surveys if g.account.role_on(slug_of(each)) != MEMBER]


def slug_of(each: ListedSurvey | StoredSurvey) -> str:
    return each.slug if isinstance(each, ListedSurvey) else each.survey.slug


def create_draft(survey: Survey, creator: str) -> None:
    """Add a draft, created today. `creator` is an account or stands for a command. Raises
    StateError if its address is taken."""
    store().surveys.save_draft(survey, creator=creator, created=today())
