"""Making invitations to a survey."""

from flask import Response, flash, redirect, url_for
from flask.typing import ResponseReturnValue

from ..auth import requires
from ..forms import InvitationsForm
from ..invite import made
from ..store import EDITOR
from .blueprint import blueprint
from .recording import nothing_done


@blueprint.post("/surveys/<slug>/invitations")
@requires(EDITOR)
def make_invitations(slug: str) -> ResponseReturnValue:
    form = InvitationsForm()
    if not form.validate():
        nothing_done()
        flash("No invitation was made: ask for 1 to 1,000 at once.")
        return redirect(url_for("admin.overview", slug=slug))
    response = Response(made(slug, form.count.data), mimetype="application/zip")
    response.headers["Content-Disposition"] = f'attachment; filename="{slug}-invitations.zip"'
    return response
