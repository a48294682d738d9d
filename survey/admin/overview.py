"""The list of surveys, and the page of one."""

from flask import render_template
from flask.typing import ResponseReturnValue

from ..auth import requires
from ..current import store
from ..forms import InvitationsForm
from ..frozen import fingerprint_of
from ..parts import whole_of
from ..protection import best_number_of_questions, sampling_gain
from ..store import ANALYST
from .blueprint import blueprint, link_of


@blueprint.get("/")
@requires(ANALYST)
def surveys() -> ResponseReturnValue:
    listed = [(found, store().arrived(found.survey.slug)) for found in store().surveys()]
    return render_template("admin/surveys.html", surveys=listed)


@blueprint.get("/surveys/<slug>")
@requires(ANALYST)
def overview(slug: str) -> ResponseReturnValue:
    slug = whole_of(slug)
    found = store().survey(slug)
    return render_template(
        "admin/survey.html",
        found=found,
        survey=found.survey,
        fingerprint=fingerprint_of(found.survey),
        n=store().arrived(slug),
        waits=store().waiting(slug),
        link=link_of(found),
        invited=store().invitations(slug) if found.survey.fieldwork.invitations else None,
        invitations_form=InvitationsForm(),
        gain=sampling_gain(found.survey),
        ask_of=best_number_of_questions(found.survey) if found.survey.private else 0,
    )
