"""Audit hooks of the researchers' routes: one place records what each of them did.

The sentences are in survey/web/audit_log.py.

A change has happened where the reply leads on, or is anything but a page (a form that comes back
with its faults is one), or where the view told more about it. A file is recorded before it is
sent, and is not sent if that fails; a change that is done already is only reported to the
server's log, since to call it failed would have it done twice.
"""

from typing import Any
from urllib.parse import urlsplit

from flask import Response, current_app, g, request
from werkzeug.exceptions import HTTPException

from survey.admin.blueprint import blueprint
from survey.core.errors import StoreUnavailable
from survey.definition.sub_surveys import whole_of
from survey.web import audit_log


def describe_act(**words: Any) -> None:
    """From a view: this is done, and these are the {words} of its act."""
    g.told = words


def nothing_done() -> None:
    """From a view that leads on although nothing was changed."""
    g.told = None


def done(response: Response) -> bool:
    if "told" in g:
        return g.told is not None
    if request.method not in ("GET", "HEAD", "OPTIONS"):
        page = response.mimetype == "text/html"
        return 300 <= response.status_code < 400 or (response.status_code < 300 and not page)
    attached = response.headers.get("Content-Disposition", "").startswith("attachment")
    return request.method == "GET" and response.status_code == 200 and attached


def slug_led_to(response: Response) -> str | None:
    """The survey whose page the reply leads to: of a new one, and of one that was renamed."""
    adapter = current_app.create_url_adapter(request)
    if response.location is None or adapter is None:
        return None
    try:
        _, arguments = adapter.match(urlsplit(response.location).path, method="GET")
    except HTTPException:
        return None
    return arguments.get("slug")


@blueprint.after_request
def record(response: Response) -> Response:
    words = audit_log.BY_ROUTE.get(request.endpoint or "")
    account = g.get("account")
    if words is None or account is None or not done(response):
        return response
    arguments = request.view_args or {}
    act_words = {"after": ""} | arguments | (g.get("told") or {})
    action = words.format_map(act_words)
    before = arguments.get("slug")
    slug = slug_led_to(response) or act_words.get("slug", "")
    if before and slug != before:
        action += f" (from {before})"
    try:
        audit_log.append_act(whole_of(slug), account.name, action)
    except StoreUnavailable as error:
        if request.method == "GET":
            response.close()
            return current_app.make_response(current_app.handle_user_exception(error))
        current_app.logger.error("Done, but missing in the log of acts: %s", request.endpoint)
    return response
