"""From draft to open to closed."""

from contextlib import suppress

from flask import flash, redirect, request, url_for
from flask.typing import ResponseReturnValue

from ..auth import requires
from ..current import store
from ..errors import StateError, StoreUnavailable
from ..frozen import fingerprint_of, freeze
from ..store import EDITOR
from .blueprint import blueprint


@blueprint.post("/surveys/<slug>/open")
@requires(EDITOR)
def open_survey(slug: str) -> ResponseReturnValue:
    found = store().survey(slug)
    if found.frozen is None:
        if request.form.get("fingerprint") != fingerprint_of(found.survey):
            raise StateError("The draft was changed meanwhile. Look at it again, then open it.")
        store().freeze(freeze(found.survey), "open")
        flash("The survey is open. Its questions and tables are fixed now.")
    else:
        store().set_state(slug, "open")
        flash("The survey is open again.")
    return redirect(url_for("admin.overview", slug=slug))


@blueprint.post("/surveys/<slug>/close")
@requires(EDITOR)
def close_survey(slug: str) -> ResponseReturnValue:
    store().set_state(slug, "closed")
    flash("The survey is closed.")
    with suppress(StoreUnavailable):  # then the next closing or the next start seals it
        store().seal()
    return redirect(url_for("admin.overview", slug=slug))


@blueprint.post("/surveys/<slug>/delete")
@requires(EDITOR)
def delete_draft(slug: str) -> ResponseReturnValue:
    store().delete_draft(slug)
    flash("The draft is deleted.")
    return redirect(url_for("admin.surveys"))
