"""The user's own account: password, second factor, sign out everywhere."""

import time
from urllib.parse import urlsplit

from flask import current_app, flash, g, redirect, render_template, request, url_for
from flask.typing import ResponseReturnValue

from survey.admin.blueprint import blueprint
from survey.admin.forms.people_forms import ChangePasswordForm, OwnCodeForm
from survey.admin.team.team import surveys_of
from survey.core.errors import StateError
from survey.core.languages import LANGUAGES
from survey.core.translate import translate
from survey.definition.responses.invitation_codes import code_in_groups
from survey.store import MEMBER
from survey.web import auth, second_factor, sign_in_limits
from survey.web.audit_log import audit
from survey.web.extensions import store
from survey.web.i18n import use_language
from survey.web.invitation_zip import qr_symbol


@blueprint.get("/account", role=MEMBER, before_second_factor=True)
def account() -> str:
    return render_template(
        "admin/team/account.html",
        factor=store().factors.second_factor(g.account.name),
        single=surveys_of(g.account),
    )


@blueprint.route(
    "/account/password", methods=["GET", "POST"], role=MEMBER, before_second_factor=True
)
@sign_in_limits.by_own_name
def change_password() -> ResponseReturnValue:
    name = g.account.name
    form = ChangePasswordForm(name)
    if form.validate_on_submit():
        store().accounts.set_password(name, auth.hash_password(form.password.data))
        auth.begin_session(name)
        audit("changed their password")
        flash(
            translate(
                "Your password is changed. Candor ended your other sessions and deleted your API "
                "tokens."
            )
        )
        return redirect(url_for("admin.account"))
    return render_template("admin/team/password.html", form=form), 422 if form.errors else 200


@blueprint.post("/account/language", role=MEMBER, before_second_factor=True)
def change_language() -> ResponseReturnValue:
    """Choose the language of the pages. An empty or unknown one is that of the browser."""
    language = request.form.get("language", "")
    language = language if language in LANGUAGES else ""
    store().accounts.set_language(g.account.name, language)
    use_language(language)
    audit("changed the language of their pages")
    flash(translate("The language is saved."))
    return redirect(url_for("admin.account"))


@blueprint.post("/account/sign-out-everywhere", role=MEMBER, before_second_factor=True)
def sign_out_everywhere() -> ResponseReturnValue:
    store().accounts.delete_sessions_of(g.account.name)
    store().tokens.delete_tokens(g.account.name)
    auth.end_session()
    audit("signed out everywhere")
    return redirect(url_for("admin.sign_in"))


@blueprint.post("/account/second-factor/begin", role=MEMBER, before_second_factor=True)
def begin_second_factor() -> ResponseReturnValue:
    store().factors.begin_second_factor(g.account.name, second_factor.new_salt())
    return redirect(url_for("admin.show_second_factor"))


@blueprint.get("/account/second-factor", role=MEMBER, before_second_factor=True)
def show_second_factor() -> ResponseReturnValue:
    return second_factor_page(OwnCodeForm())


def second_factor_page(form: OwnCodeForm) -> ResponseReturnValue:
    """The page that turns the second factor on or off. It shows the key until the first correct
    code."""
    name = g.account.name
    factor, key = store().factors.second_factor(name), auth.account_totp_key(name)
    if factor is None or key is None:
        return redirect(url_for("admin.account"))
    key_groups = None
    if not factor.on:
        host = urlsplit(current_app.config["CANDOR_ADMIN_URL"]).hostname or "here"
        address = second_factor.app_address(key, name, host)
        key_groups = [key[start : start + 4] for start in range(0, len(key), 4)]
    symbol = qr_symbol(address) if key_groups else None
    page = render_template(
        "admin/team/second_factor.html", form=form, key=key_groups, symbol=symbol
    )
    return page, 422 if form.errors else 200


@blueprint.post("/account/second-factor/on", role=MEMBER, before_second_factor=True)
@sign_in_limits.at_codes
@sign_in_limits.by_own_name
def turn_on_second_factor() -> ResponseReturnValue:
    name = g.account.name
    factor, key = store().factors.second_factor(name), auth.account_totp_key(name)
    if factor is None or key is None or factor.on:
        raise StateError(
            "The second factor is not set up, or is already on. See your account page."
        )
    form = OwnCodeForm()
    if not form.validate():
        return second_factor_page(form)
    step = second_factor.step_of(key, form.code.data, time.time())
    if step is None:
        form.code.errors = [translate("This code is wrong. Type the code that the app shows now.")]
        return second_factor_page(form)
    codes = second_factor.new_recovery_codes()
    hashes = [second_factor.recovery_hash(code) or b"" for code in codes]
    store().factors.confirm_second_factor(name, step, hashes)
    auth.sign_in_alone(name)
    audit("turned on the second factor")
    return render_template(
        "admin/team/recovery_codes.html", codes=[code_in_groups(code) for code in codes]
    )


@blueprint.post("/account/second-factor/off", role=MEMBER, before_second_factor=True)
@sign_in_limits.at_codes
@sign_in_limits.by_own_name
def turn_off_second_factor() -> ResponseReturnValue:
    name = g.account.name
    form = OwnCodeForm()
    if not form.validate():
        return second_factor_page(form)
    if not auth.code_fits(name, form.code.data):
        form.code.errors = [
            translate(
                "This code is wrong, or was already used. Wait for the next code in the app, or "
                "type another recovery code."
            )
        ]
        return second_factor_page(form)
    store().factors.end_second_factor(name)
    auth.sign_in_alone(name)
    audit("turned off the second factor")
    flash(translate("The second factor is off. Candor ended all your other sessions."))
    return redirect(url_for("admin.account"))
