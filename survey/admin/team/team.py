"""The team: accounts, their roles on all surveys, and their roles on single surveys.

Only owners can change it, with their password each time.
An owner never sets a password. The team member chooses it with a link that works once, within seven
days. The store keeps only the hash of the link's token, so Candor can show the link only once.
"""

from flask import abort, flash, g, redirect, render_template, url_for
from flask.typing import ResponseReturnValue

from survey.admin.blueprint import blueprint, whole_survey
from survey.admin.forms.people_forms import (
    NO_ROLE,
    AddPersonForm,
    OwnPasswordForm,
    RoleForm,
    SurveyRoleForm,
)
from survey.core.errors import StateError
from survey.core.translate import translate, translate_plural
from survey.store import MEMBER, OWNER, Account, ListedSurvey
from survey.web import sign_in_limits
from survey.web.audit_log import audit
from survey.web.auth import LINK_DAYS, new_link
from survey.web.extensions import store


@blueprint.get("/people", role=OWNER)
def people() -> str:
    return render_template(
        "admin/team/team.html",
        people=store().accounts.people(),
        elsewhere=store().factors.failed_elsewhere(),
    )


def person(name: str) -> Account:
    account = store().accounts.by_name(name)
    if account is None:
        abort(
            404, translate("There is no account %(name)s. Go back to Team.", name=repr(name[:64]))
        )
    return account


def shown_once(name: str, link: str) -> str:
    return render_template("admin/team/password_link.html", name=name, link=link, days=LINK_DAYS)


@blueprint.route("/people/add", methods=["GET", "POST"], role=OWNER)
@sign_in_limits.by_own_name
def add_person() -> ResponseReturnValue:
    form = AddPersonForm()
    if form.validate_on_submit():
        name, role = form.name.data, form.role.data
        link = new_link()
        try:
            store().accounts.add_person(name, role, link.token_hash, link.expires)
        except StateError as error:
            form.name.errors = [str(error)]
        else:
            audit(f"added {name} as {role}")
            return shown_once(name, link.address)
    page = render_template("admin/team/member.html", errand="add", form=form, name=None)
    return page, 422 if form.errors else 200


@blueprint.route("/people/<name>/role", methods=["GET", "POST"], role=OWNER)
@sign_in_limits.by_own_name
def change_role(name: str) -> ResponseReturnValue:
    form = RoleForm(role=person(name).role)
    if form.validate_on_submit():
        store().accounts.set_role(name, form.role.data)
        audit(f"changed the role of {name} to {form.role.data}")
        flash(
            translate(
                "The role of %(name)s is now %(role)s.",
                name=name,
                role=translate(form.role.data),
            )
        )
        if form.role.data == MEMBER:
            flash(reach_of_member(person(name)))
        return redirect(url_for("admin.people" if name != g.account.name else "admin.account"))
    page = render_template(
        "admin/team/member.html",
        errand="role",
        form=form,
        name=name,
        single=surveys_of(person(name)),
    )
    return page, 422 if form.errors else 200


def surveys_of(account: Account) -> list[tuple[ListedSurvey, str]]:
    """The surveys on which an account has a role of its own, with this role, newest first."""
    single = account.survey_roles
    listed = store().surveys.list_surveys() if single else []
    return [(each, single[each.slug]) for each in listed if each.slug in single]


def reach_of_member(account: Account) -> str:
    return translate_plural(
        "%(name)s has access to %(n)s survey. To give a role in a survey, open its tab “Team”.",
        "%(name)s has access to %(n)s surveys. To give a role in a survey, open its tab “Team”.",
        len(account.survey_roles),
        name=account.name,
    )


@blueprint.route("/surveys/<slug>/team", methods=["GET", "POST"], role=OWNER)
@sign_in_limits.by_own_name
def survey_team(slug: str) -> ResponseReturnValue:
    """Who reaches one survey, and the form that gives a role on this survey."""
    stored = whole_survey(slug)
    # An owner has no role on single surveys, because no role is higher.
    everyone = store().accounts.people()
    form = SurveyRoleForm([each.name for each in everyone if each.role != OWNER])
    if form.validate_on_submit():
        name, role = form.name.data, form.role.data
        if role == NO_ROLE:
            store().accounts.set_survey_role(name, slug, None)
            audit(f"removed the role of {name} on this survey", slug)
            flash(translate("%(name)s no longer has a separate role in this survey.", name=name))
        else:
            store().accounts.set_survey_role(name, slug, role)
            audit(f"changed the role of {name} on this survey to {role}", slug)
            flash(
                translate(
                    "%(name)s is now %(role)s of this survey.", name=name, role=translate(role)
                )
            )
        return redirect(url_for("admin.survey_team", slug=slug))
    single = store().accounts.roles_on(slug)
    page = render_template(
        "admin/team/survey_team.html",
        found=stored,
        survey=stored.survey,
        form=form,
        single=single,
        people=[each for each in everyone if each.role != MEMBER or each.name in single],
    )
    return page, 422 if form.errors else 200


@blueprint.route("/people/<name>/reset", methods=["GET", "POST"], role=OWNER)
@sign_in_limits.by_own_name
def reset_person(name: str) -> ResponseReturnValue:
    if person(name).name == g.account.name:
        raise StateError("You cannot reset your own password here. Change it in your account.")
    form = OwnPasswordForm()
    if form.validate_on_submit():
        link = new_link()
        store().accounts.reset_account(name, link.token_hash, link.expires)
        audit(f"reset the password and second factor of {name}")
        return shown_once(name, link.address)
    page = render_template("admin/team/member.html", errand="reset", form=form, name=name)
    return page, 422 if form.errors else 200


@blueprint.route("/people/<name>/remove", methods=["GET", "POST"], role=OWNER)
@sign_in_limits.by_own_name
def remove_person(name: str) -> ResponseReturnValue:
    person(name)
    form = OwnPasswordForm()
    if form.validate_on_submit():
        store().accounts.remove_account(name)
        audit(f"removed {name}")
        flash(translate("Candor removed the account %(name)s.", name=name))
        return redirect(url_for("admin.people"))
    page = render_template("admin/team/member.html", errand="remove", form=form, name=name)
    return page, 422 if form.errors else 200
