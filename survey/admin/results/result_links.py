"""Show results to others: to everyone, or to anyone who has a link.

The argument: a link is a token of 256 random bits, shown once and stored as a hash. It opens one
page for reading and nothing else. Both kinds of page show only published responses, in batches, as
the researcher's own page does. The public page shows only estimates of private questions. These are
made of randomised reports, so publishing them adds no privacy loss. Only access control protects
the answers to non-private questions.
"""

import secrets

from flask import flash, redirect, render_template, request, url_for
from flask.typing import ResponseReturnValue

from survey.admin.blueprint import blueprint, frozen_of, link_of
from survey.admin.forms.survey_form import ShareForm
from survey.core.translate import translate
from survey.definition.responses.invitation_codes import token_hash
from survey.server.http.hosts import absolute_url
from survey.store import EDITOR, Share
from survey.web.audit_log import audit
from survey.web.extensions import store


@blueprint.get("/surveys/<slug>/share", role=EDITOR)
def sharing(slug: str) -> ResponseReturnValue:
    return result_links_page(slug, ShareForm())


def result_links_page(slug: str, form: ShareForm, made: str | None = None) -> str:
    stored = store().surveys.by_slug(slug)
    frozen_of(stored)
    return render_template(
        "admin/results/result_links.html",
        found=stored,
        survey=stored.survey,
        form=form,
        made=made,
        shares=store().shares.links(slug),
        public=store().shares.is_published(slug),
        link=link_of(stored),
        invited=store().invitations.issued_and_spent(slug)
        if stored.survey.fieldwork.invitations
        else None,
        address=absolute_url("public.results", slug=slug),
    )


@blueprint.post("/surveys/<slug>/share", role=EDITOR)
def add_share(slug: str) -> ResponseReturnValue:
    form = ShareForm()
    if not form.validate():
        return result_links_page(slug, form), 422
    token = secrets.token_urlsafe(32)
    whom = form.name.data.strip()
    if whom in {share.name for share in store().shares.links(slug)}:
        form.name.errors = [translate("Another link has this name. Type a different name.")]
        return result_links_page(slug, form), 422
    store().shares.add_share(Share(slug, whom), token_hash(token))
    audit(f"created a results link for “{whom}”", slug)
    link = absolute_url("shared.results", token=token)
    return result_links_page(slug, ShareForm(formdata=None), made=link)


@blueprint.post("/surveys/<slug>/share/<int(max=9223372036854775807):number>/delete", role=EDITOR)
def delete_share(slug: str, number: int) -> ResponseReturnValue:
    store().shares.delete_share(slug, number)
    audit("deleted a results link", slug)
    flash(translate("The link is deleted. It no longer shows the results."))
    return redirect(url_for("admin.sharing", slug=slug))


@blueprint.post("/surveys/<slug>/publish", role=EDITOR)
def publish(slug: str) -> ResponseReturnValue:
    public = request.form.get("public") == "yes"
    store().shares.publish(slug, public)
    audit(f"{'published' if public else 'unpublished'} the results", slug)
    flash(
        translate("The public results page is on.")
        if public
        else translate("The public results page is off.")
    )
    return redirect(url_for("admin.sharing", slug=slug))
