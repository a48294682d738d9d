"""Webhooks: notify other programs when a survey has a given number of responses."""

from flask import current_app, flash, redirect, render_template, url_for
from flask.typing import ResponseReturnValue
from werkzeug.exceptions import NotFound

from survey.admin.blueprint import blueprint, frozen_of
from survey.admin.forms.program_forms import WebhookForm
from survey.core.errors import StateError, WebhookError
from survey.core.translate import later, translate
from survey.server.http.rate_limiter import RateLimit
from survey.server.webhooks.delivery import send_webhook as send
from survey.server.webhooks.messages import new_webhook, read_thresholds, secret_of
from survey.server.webhooks.safe_http_post import resolve_url
from survey.store import ANALYST, EDITOR
from survey.store.sql.webhooks import Webhook
from survey.web import sign_in_limits
from survey.web.audit_log import audit
from survey.web.extensions import keys, store

TESTS_BY_ADDRESS = RateLimit("webhook tests", 20, 10 * 60)


@blueprint.get("/surveys/<slug>/webhooks", role=ANALYST)
def webhooks(slug: str) -> ResponseReturnValue:
    return webhooks_page(slug, WebhookForm())


def webhooks_page(slug: str, form: WebhookForm, new: Webhook | None = None) -> str:
    """The page of the webhooks. The secret of `new`, just added, is shown only once."""
    stored = store().surveys.by_slug(slug)
    frozen_of(stored)
    return render_template(
        "admin/team/webhooks.html",
        found=stored,
        survey=stored.survey,
        form=form,
        new=new,
        secret=None if new is None else secret_of(keys().base, new.id),
        webhooks=store().webhooks.receivers(slug),
    )


@blueprint.post("/surveys/<slug>/webhooks", role=EDITOR)
def add_webhook(slug: str) -> ResponseReturnValue:
    form = WebhookForm()
    if not form.validate():
        return webhooks_page(slug, form), 422
    field = form.thresholds
    try:
        thresholds = read_thresholds(field.data)
        field = form.url
        new = new_webhook(slug, field.data, thresholds)
        resolve_url(new.url, local=current_app.config["CANDOR_LOCAL_WEBHOOKS"])
        store().webhooks.add_webhook(new)
    except (WebhookError, StateError) as error:
        field.errors = [str(error)]
        return webhooks_page(slug, form), 422
    audit(f"added the webhook {new.url}", slug)
    return webhooks_page(slug, WebhookForm(formdata=None), new)


@blueprint.post("/surveys/<slug>/webhooks/<webhook>/test", role=EDITOR)
@sign_in_limits.rate_limited(
    TESTS_BY_ADDRESS,
    sign_in_limits.sender_address,
    later("Too many tests. Wait ten minutes, then try again."),
)
def test_webhook(slug: str, webhook: str) -> ResponseReturnValue:
    receiver = find(slug, webhook)
    local = current_app.config["CANDOR_LOCAL_WEBHOOKS"]
    audit(f"sent a test message to {receiver.url}", slug)
    try:
        send(receiver, receiver.thresholds[0].responses, keys().base, local=local, test=True)
    except WebhookError as error:
        flash(
            translate(
                "The test message to %(url)s failed. %(reason)s", url=receiver.url, reason=error
            )
        )
    else:
        flash(translate("The test message reached %(url)s.", url=receiver.url))
    return redirect(url_for("admin.webhooks", slug=slug))


@blueprint.post("/surveys/<slug>/webhooks/<webhook>/delete", role=EDITOR)
def delete_webhook(slug: str, webhook: str) -> ResponseReturnValue:
    receiver = find(slug, webhook)
    store().webhooks.delete_webhook(slug, receiver.id)
    audit(f"deleted the webhook {receiver.url}", slug)
    flash(translate("The webhook is deleted. Candor sends no more messages to its URL."))
    return redirect(url_for("admin.webhooks", slug=slug))


def find(slug: str, id: str) -> Webhook:
    """The webhook with this id, in hexadecimal digits."""
    for each in store().webhooks.receivers(slug):
        if each.id.hex() == id:
            return each
    raise NotFound(translate("This webhook no longer exists."))
