"""The user's own API tokens."""

from flask import flash, g, redirect, render_template, request, url_for
from flask.typing import ResponseReturnValue

from survey.admin.blueprint import blueprint
from survey.admin.forms.program_forms import TokenForm
from survey.core.errors import StateError
from survey.core.translate import translate
from survey.server.clock import today
from survey.store import MEMBER
from survey.web import sign_in_limits
from survey.web.api_tokens import make_token
from survey.web.audit_log import audit
from survey.web.extensions import store


@blueprint.get("/account/tokens", role=MEMBER)
def tokens() -> ResponseReturnValue:
    return tokens_page(TokenForm())


def tokens_page(form: TokenForm, new: str | None = None) -> str:
    """The page of the tokens. `new` is a token that was just created, and is shown only once."""
    return render_template(
        "admin/team/tokens.html",
        form=form,
        new=new,
        tokens=store().tokens.of_account(g.account.name),
        today=today(),
    )


@blueprint.post("/account/tokens", role=MEMBER)
@sign_in_limits.by_own_name
def add_token() -> ResponseReturnValue:
    form = TokenForm()
    if form.validate():
        try:
            new = make_token(g.account.name, form.label.data, form.days.data)
        except StateError as error:
            form.label.errors = [str(error)]
        else:
            audit(f"created the API token “{form.label.data}”")
            return tokens_page(TokenForm(formdata=None), new)
    return tokens_page(form), 422


@blueprint.post("/account/tokens/revoke", role=MEMBER)
def revoke_token() -> ResponseReturnValue:
    label = request.form.get("label", "")
    if not store().tokens.delete_token(g.account.name, label):
        raise StateError("This token no longer exists.")
    audit(f"revoked the API token “{label}”")
    flash(translate("Candor revoked the token “%(label)s”.", label=label))
    return redirect(url_for("admin.tokens"))
