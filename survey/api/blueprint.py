"""The blueprint of the API: authentication, error replies, and the list of operations."""

from collections.abc import Callable
from dataclasses import dataclass

from flask import Blueprint, Response, g, request
from werkzeug.datastructures import WWWAuthenticate
from werkzeug.exceptions import TooManyRequests, Unauthorized

from survey.store import ANALYST, MEMBER
from survey.web import api_tokens
from survey.web.access import require_role
from survey.web.extensions import store

blueprint = Blueprint("api", __name__, url_prefix="/api/v1")
REALM = "Candor"

View = Callable[..., Response]


@dataclass(frozen=True, kw_only=True)
class Operation:
    """An operation of the API.

    `path` is written as in OpenAPI. `schema` is the name of one in survey/api/schemas.py, or None
    if the reply is not JSON. `drafts` says whether the operation is available for drafts, and
    `of_an_analysis` whether it has the parameters of an analysis. `weighted` says whether it
    takes the weights of the results page.
    """

    name: str
    path: str
    summary: str
    gives: str
    kind: str
    schema: str | None
    drafts: bool
    of_an_analysis: bool = False
    weighted: bool = False

    @property
    def rule(self) -> str:
        return self.path.replace("{", "<").replace("}", ">")

    @property
    def of_a_survey(self) -> bool:
        return "{slug}" in self.path

    @property
    def of_a_saved_analysis(self) -> bool:
        return "{number}" in self.path


OPERATIONS: list[Operation] = []


def operation(
    path: str,
    summary: str,
    gives: str,
    *,
    kind: str = "application/json",
    schema: str | None = None,
    drafts: bool = True,
    of_an_analysis: bool = False,
    weighted: bool = False,
) -> Callable[[View], View]:
    """Add a route to the API and to the list of operations.

    `drafts`, `of_an_analysis` and `weighted` as in `Operation`.
    """

    def decorate(view: View) -> View:
        listed = Operation(
            name=view.__name__,
            path=path,
            summary=summary,
            gives=gives,
            kind=kind,
            schema=schema,
            drafts=drafts,
            of_an_analysis=of_an_analysis,
            weighted=weighted,
        )
        OPERATIONS.append(listed)

        blueprint.add_url_rule(
            listed.rule, view_func=view, methods=["GET"], provide_automatic_options=False
        )
        return view

    return decorate


@blueprint.before_request
def need_a_token() -> None:
    """Require a token before anything else, so that nothing of a survey is visible without one."""
    header = request.headers.get("Authorization", "")
    token = api_tokens.valid_api_token(header)
    account = None if token is None else store().accounts.by_name(token.account)
    if token is not None and account is not None:
        g.token, g.account = token, account
        slug = (request.view_args or {}).get("slug")
        # The list of surveys is open to members too, because it has only what they reach.
        require_role(account, MEMBER if slug is None else ANALYST, slug)
        return
    if seconds := api_tokens.count_wrong_token():
        raise TooManyRequests(
            "Too many requests without a valid token. Wait ten minutes, then try again.",
            retry_after=seconds,
        )
    if not header:
        raise Unauthorized(
            "This request needs a token in the header “Authorization: Bearer …”. Make one on the "
            "page “API tokens”.",
            www_authenticate=WWWAuthenticate("bearer", {"realm": REALM}),
        )
    raise Unauthorized(
        "This token is unknown, revoked or expired. Make a new one on the page “API tokens”.",
        www_authenticate=WWWAuthenticate("bearer", {"realm": REALM, "error": "invalid_token"}),
    )
