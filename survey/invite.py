"""Making invitations: the researchers' form, and what the command calls.

The codes are drawn here, handed out this once, and stored only as hashes: from then on nobody
can look them up. Hashes are stored last, so that no failure on the way leaves codes issued that
nobody ever saw.
"""

import secrets

from flask import Blueprint, Response, current_app, flash, redirect, url_for
from flask.typing import ResponseReturnValue

from .auth import login_required
from .current import store
from .errors import StateError
from .forms import InvitationsForm
from .invitations import RANDOM_BYTES, code_from, token_hash
from .slips import archive

blueprint = Blueprint("invite", __name__)  # a part of the admin blueprint


def made(slug: str, count: int) -> bytes:
    """So many new invitations to a survey, as a ZIP. Raises UnknownSurvey, and StateError where
    the survey takes none."""
    found = store().survey(slug)
    if found.frozen is None:
        raise StateError(f"Survey {slug!r} is a draft; open it first.")
    if not found.survey.fieldwork.invitations:
        raise StateError(f"Survey {slug!r} asks for no invitations: its link is enough.")
    codes = [code_from(secrets.token_bytes(RANDOM_BYTES)) for _ in range(count)]
    content = archive(found.survey, codes, current_app.config["CANDOR_URL"])
    store().add_invitations(slug, map(token_hash, codes))
    return content


@blueprint.post("/surveys/<slug>/invitations")
@login_required
def invitations(slug: str) -> ResponseReturnValue:
    form = InvitationsForm()
    if not form.validate():
        flash("No invitation was made: ask for 1 to 1,000 at once.")
        return redirect(url_for("admin.overview", slug=slug))
    response = Response(made(slug, form.count.data), mimetype="application/zip")
    response.headers["Content-Disposition"] = f'attachment; filename="{slug}-invitations.zip"'
    return response
