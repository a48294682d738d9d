"""Create invitations to a survey."""

from flask import flash, redirect, url_for
from flask.typing import ResponseReturnValue

from survey.admin.blueprint import blueprint
from survey.admin.forms.survey_form import InvitationsForm
from survey.core.translate import translate, translate_number
from survey.definition.responses.invitation_codes import MAX_CODES_AT_ONCE
from survey.store import EDITOR
from survey.web.audit_log import audit
from survey.web.invitation_zip import make_invitation_zip
from survey.web.published_results import attach_file


@blueprint.post("/surveys/<slug>/invitations", role=EDITOR)
def make_invitations(slug: str) -> ResponseReturnValue:
    form = InvitationsForm()
    if not form.validate():
        most = translate_number(f"{MAX_CODES_AT_ONCE:,}")
        flash(
            translate("Candor created no invitations. Type a number from 1 to %(most)s.", most=most)
        )
        return redirect(url_for("admin.overview", slug=slug))
    content = make_invitation_zip(slug, form.count.data)
    count = form.count.data
    audit(f"created {count} invitation{'' if count == 1 else 's'}", slug)
    return attach_file(content, f"{slug}-invitations.zip", "application/zip")
