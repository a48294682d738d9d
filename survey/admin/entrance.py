"""Setting up the first account, signing in and out."""

from flask import redirect, render_template, request, url_for
from flask.typing import ResponseReturnValue

from .. import auth
from ..auth import requires
from ..current import store
from ..forms import SetupForm, SignInForm
from ..store import ANALYST, OWNER, Account
from .blueprint import blueprint


@blueprint.route("/setup", methods=["GET", "POST"])
@auth.by_address
def setup() -> ResponseReturnValue:
    """The one-time link of the first start; its token is in the query, which no log repeats."""
    hashed = auth.token_hash(request.args.get("token", ""))
    if not store().setup_token_is(hashed):
        return render_template("admin/setup.html", form=None), 401
    form = SetupForm()
    if form.validate_on_submit():
        first = Account(form.name.data, OWNER, auth.hash_password(form.password.data))
        if not store().use_setup_token(hashed, first):
            return render_template("admin/setup.html", form=None), 401
        auth.sign_in(form.name.data)
        return redirect(url_for("admin.surveys"))
    return render_template("admin/setup.html", form=form)


@blueprint.route("/sign-in", methods=["GET", "POST"])
@auth.by_address
@auth.by_name
def sign_in() -> ResponseReturnValue:
    form = SignInForm()
    if not form.validate_on_submit():
        return render_template("admin/sign_in.html", form=form, wrong=False)
    if not auth.password_fits(form.name.data, form.password.data):
        return render_template("admin/sign_in.html", form=form, wrong=True), 401
    auth.sign_in(form.name.data)
    return redirect(url_for("admin.surveys"))


@blueprint.post("/sign-out")
@requires(ANALYST)
def sign_out() -> ResponseReturnValue:
    auth.sign_out()
    return redirect(url_for("admin.sign_in"))
