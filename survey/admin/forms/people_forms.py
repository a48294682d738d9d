"""Forms of accounts, and forms that ask for the user's own password.

Changes of an account and the deletion of responses need this password.
"""

from collections.abc import Sequence
from typing import Any

from flask import g
from wtforms import Field, PasswordField, SelectField, StringField
from wtforms.validators import (
    EqualTo,
    InputRequired,
    Length,
    StopValidation,
    ValidationError,
)

from survey.core.translate import later, translate
from survey.store import ANALYST, ROLES, SURVEY_ROLES
from survey.store.account_names import name_fault
from survey.web import auth
from survey.web.form_fields import PostForm
from survey.web.password_policy import (
    MAX_PASSWORD_CHARACTERS,
    MIN_PASSWORD_CHARACTERS,
    password_fault,
)

DIFFERENT_PASSWORDS = later("The two passwords are different. Type both again.")


def good_name(_form: PostForm, field: Field) -> None:
    fault = name_fault(field.data or "")
    if fault:
        raise ValidationError(fault)


def name_field() -> StringField:
    return StringField(
        later("Sign-in name"), [InputRequired(later("Choose a sign-in name.")), good_name]
    )


def fits_rules(form: PostForm, field: Field) -> None:
    fault = password_fault(field.data or "", form.whose())
    if fault:
        raise ValidationError(fault)


def require_own_password(_form: PostForm, field: Field) -> None:
    if not field.data:
        raise StopValidation(translate("Type your current password."))
    if not auth.password_fits(g.account.name, field.data):
        raise StopValidation(translate("This is not your current password. Try again."))


def own_password(label: str = later("Your password")) -> PasswordField:
    return PasswordField(label, [Length(max=MAX_PASSWORD_CHARACTERS), require_own_password])


def code_field(label: str) -> StringField:
    return StringField(label, [InputRequired(later("Type the code.")), Length(max=100)])


class SignInForm(PostForm):
    name = StringField(
        later("Sign-in name"), [InputRequired(later("Type your sign-in name.")), Length(max=64)]
    )
    password = PasswordField(
        later("Password"),
        [InputRequired(later("Type your password.")), Length(max=MAX_PASSWORD_CHARACTERS)],
    )


class CodeForm(PostForm):
    code = code_field(later("Code from the app, or a recovery code"))


class NewPasswordForm(PostForm):
    """The form for a person whose name is known."""

    label = later("Password, at least %(n)s characters")
    password = PasswordField(validators=[fits_rules])
    again = PasswordField(later("Repeat the password"), [EqualTo("password", DIFFERENT_PASSWORDS)])

    def __init__(self, name: str = "", **rest: Any):
        super().__init__(**rest)
        self.known = name
        self.password.label.text = translate(self.label, n=MIN_PASSWORD_CHARACTERS)

    def whose(self) -> str:
        return self.known


class SetupForm(NewPasswordForm):
    name = name_field()

    def whose(self) -> str:
        return self.name.data or ""


class ChangePasswordForm(NewPasswordForm):
    own = own_password(later("Current password"))
    label = later("New password, at least %(n)s characters")
    again = PasswordField(
        later("Repeat the new password"), [EqualTo("password", DIFFERENT_PASSWORDS)]
    )


class OwnPasswordForm(PostForm):
    own = own_password()


class EraseForm(PostForm):
    """Delete a survey with its responses. An open session alone is not enough."""

    address = StringField(
        later("The survey’s address"), [InputRequired(later("Type the address.")), Length(max=64)]
    )
    own = own_password()


class OwnCodeForm(PostForm):
    """Turn a second factor on or off, with the password and a code."""

    own = own_password()
    code = code_field(later("Code from the app"))


def named_roles(roles: Sequence[str]) -> list[tuple[str, str]]:
    """The roles with their names in the language of the page."""
    return [(role, translate(role)) for role in roles]


class AddPersonForm(PostForm):
    name = name_field()
    role = SelectField(later("Role"), choices=lambda: named_roles(ROLES), default=ANALYST)
    own = own_password()


class RoleForm(PostForm):
    role = SelectField(later("Role"), choices=lambda: named_roles(ROLES))
    own = own_password()


# In place of a role on a survey: the account has none of its own.
NO_ROLE = later("none")


class SurveyRoleForm(PostForm):
    """Give a person a role on one survey, change it, or remove it."""

    name = SelectField(later("Team member"))
    role = SelectField(
        later("Role in this survey"),
        choices=lambda: named_roles((*SURVEY_ROLES, NO_ROLE)),
        default=ANALYST,
    )
    own = own_password()

    def __init__(self, names: Sequence[str], **rest: Any):
        super().__init__(**rest)
        self.name.choices = names
