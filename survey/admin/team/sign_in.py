"""Set up the first account, sign in and out, choose a password with a link."""

from flask import flash, redirect, render_template, request, url_for
from flask.typing import ResponseReturnValue

from survey.admin.blueprint import blueprint
from survey.admin.forms.people_forms import CodeForm, NewPasswordForm, SetupForm, SignInForm
from survey.core.translate import translate_plural
from survey.definition.responses.invitation_codes import token_hash
from survey.server.clock import clock
from survey.store import MEMBER, OWNER, Account
from survey.web import auth, sign_in_limits
from survey.web.audit_log import audit
from survey.web.extensions import store


@blueprint.route("/setup", methods=["GET", "POST"], role=None)
@sign_in_limits.by_address
def setup() -> ResponseReturnValue:
    """The one-time link of the first start. Its token is in the query, which is never logged."""
    hashed = token_hash(request.args.get("token", "")).hex()
    if not store().accounts.setup_token_is(hashed):
        return render_template("admin/team/setup.html", form=None), 401
    form = SetupForm()
    if form.validate_on_submit():
        first = Account(
            name=form.name.data, role=OWNER, password_hash=auth.hash_password(form.password.data)
        )
        if not store().accounts.use_setup_token(hashed, first):
            return render_template("admin/team/setup.html", form=None), 401
        auth.begin_session(form.name.data)
        audit("set up the first account")
        return redirect(url_for("admin.surveys"))
    return render_template("admin/team/setup.html", form=form)


@blueprint.route("/join", methods=["GET", "POST"], role=None)
@sign_in_limits.by_address
def join() -> ResponseReturnValue:
    """The link from an owner, for a new team member or one who lost the password."""
    hashed, now = token_hash(request.args.get("token", "")).hex(), clock.of_ages()
    name = store().accounts.link(hashed, now)
    if name is None:
        return render_template("admin/team/join.html", form=None), 401
    form = NewPasswordForm(name)
    if form.validate_on_submit():
        if store().accounts.use_link(hashed, now, auth.hash_password(form.password.data)) is None:
            return render_template("admin/team/join.html", form=None), 401
        auth.begin_session(name)
        audit("chose a password with a link")
        return redirect(url_for("admin.surveys"))
    return render_template("admin/team/join.html", form=form, name=name)


@blueprint.route("/sign-in", methods=["GET", "POST"], role=None)
@sign_in_limits.by_address
@sign_in_limits.by_name
def sign_in() -> ResponseReturnValue:
    form = SignInForm()
    if not form.validate_on_submit():
        return render_template("admin/team/sign_in.html", form=form, wrong=False)
    name = form.name.data
    if not auth.password_fits(name, form.password.data):
        store().factors.count_failed(name)
        return render_template("admin/team/sign_in.html", form=form, wrong=True), 401
    factor = store().factors.second_factor(name)
    if factor is not None and factor.on:
        auth.begin_session(name, waiting=True)
        return redirect(url_for("admin.second_step"))
    return let_in(name, "signed in")


@blueprint.route("/sign-in/code", methods=["GET", "POST"], role=None)
@sign_in_limits.at_codes
def second_step() -> ResponseReturnValue:
    name = auth.waiting_for_code()
    if name is None:
        return redirect(url_for("admin.sign_in"))
    form = CodeForm()
    if not form.validate_on_submit():
        return render_template("admin/team/second_step.html", form=form, wrong=False)
    if not auth.code_fits(name, form.code.data):
        store().factors.count_failed(name)
        return render_template("admin/team/second_step.html", form=form, wrong=True), 401
    return let_in(name, "signed in with a second factor")


def let_in(name: str, action: str) -> ResponseReturnValue:
    failed = store().factors.take_failed(name)
    auth.begin_session(name)
    tries = f"{failed} failed {'attempt' if failed == 1 else 'attempts'}"
    audit(f"{action} after {tries}" if failed else action)
    if failed:
        flash(
            translate_plural(
                "Since your last sign-in, there was %(n)s failed attempt to sign in with your "
                "name. If that was not you, change your password.",
                "Since your last sign-in, there were %(n)s failed attempts to sign in with your "
                "name. If that was not you, change your password.",
                failed,
            )
        )
    return redirect(url_for("admin.surveys"))


@blueprint.post("/sign-out", role=MEMBER, before_second_factor=True)
def sign_out() -> ResponseReturnValue:
    auth.end_session()
    audit("signed out")
    return redirect(url_for("admin.sign_in"))
