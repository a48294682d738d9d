"""Commands on accounts of researchers: `account ...`."""

import sys

import click

from survey.cli.command_errors import command
from survey.core.errors import StateError
from survey.definition.sub_surveys import is_sub_survey, whole_of
from survey.store import OWNER, ROLES, SURVEY_ROLES, Account
from survey.store.account_names import name_fault
from survey.web import auth
from survey.web.audit_log import audit
from survey.web.auth import LINK_DAYS, new_link
from survey.web.extensions import store
from survey.web.password_policy import password_fault

roles = click.Choice(ROLES)
# In place of a role on one survey.
NO_ROLE = "none"


@command
@click.argument("name")
@click.option(
    "--role",
    type=roles,
    default=OWNER,
    show_default=True,
    help="Role of the new account. The first account must be an owner.",
)
def create(name: str, role: str) -> None:
    """Create account NAME.

    The command asks for the password, or reads it from standard input if that is not a terminal.
    """
    fault = name_fault(name)
    if fault:
        raise StateError(fault)
    if role != OWNER and not store().accounts.has_accounts():
        raise StateError("The first account must be an owner. Use --role owner.")
    if sys.stdin.isatty():
        password = click.prompt("Password", hide_input=True, confirmation_prompt=True)
    else:
        try:
            password = sys.stdin.readline().rstrip("\r\n")
        except UnicodeDecodeError as error:
            raise StateError("The password is not UTF-8. Encode it as UTF-8.") from error
    fault = password_fault(password, name)
    if fault:
        raise StateError(fault)
    store().accounts.add_account(
        Account(name=name, role=role, password_hash=auth.hash_password(password))
    )
    audit(f"added {name} as {role}")
    click.echo(f"{name}: account created")


@command
def list_accounts() -> None:
    """List all accounts with their roles and second factors.

    Each role on a single survey is on a line of its own.
    """
    for person in store().accounts.people():
        factor = "with" if person.second_factor else "without"
        joined = "" if person.joined else ", no password yet"
        click.echo(f"{person.name}: {person.role}, {factor} second factor{joined}")
        account = store().accounts.by_name(person.name)
        for slug, role in sorted(account.survey_roles.items() if account else ()):
            click.echo(f"  {slug}: {role}")


@command
@click.argument("name")
@click.argument("role", type=click.Choice((*ROLES, NO_ROLE)))
@click.option("--survey", "slug", help="Slug of the only survey on which the role changes.")
def change_role(name: str, role: str, slug: str | None) -> None:
    """Change the role of account NAME on all surveys to ROLE: member, analyst, editor or owner.

    A member can use only surveys on which the member has a role. With --survey, the command
    changes the role on this survey only: analyst, editor or none. The command refuses if no owner
    who can sign in would remain.
    """
    if slug is None:
        if role == NO_ROLE:
            raise StateError(
                "Use none only with --survey. To remove a role on all surveys, use member."
            )
        store().accounts.set_role(name, role)
        audit(f"changed the role of {name} to {role}")
        click.echo(f"{name}: {role}")
        return
    if role not in (*SURVEY_ROLES, NO_ROLE):
        raise StateError(f"A role on one survey is analyst, editor or none, not {role}.")
    if is_sub_survey(slug):
        raise StateError(f"{slug!r} is a part of survey {whole_of(slug)!r}. Use the survey.")
    store().accounts.set_survey_role(name, slug, None if role == NO_ROLE else role)
    if role == NO_ROLE:
        audit(f"removed the role of {name} on this survey", slug)
    else:
        audit(f"changed the role of {name} on this survey to {role}", slug)
    click.echo(f"{name}: {role} on {slug}")


@command
@click.argument("name")
def remove(name: str) -> None:
    """Remove account NAME, its API tokens and its sessions.

    The command refuses if no owner who can sign in would remain.
    """
    store().accounts.remove_account(name)
    audit(f"removed {name}")
    click.echo(f"{name}: account removed")


@command
@click.argument("name")
def reset(name: str) -> None:
    """Reset account NAME, and print a link to choose a new password.

    The command deletes the password, the second factor, the API tokens and the sessions. The link
    works once, within 7 days.
    """
    link = new_link()
    # Anyone who may run commands may also reset the last owner.
    store().accounts.reset_account(name, link.token_hash, link.expires, even_the_last_owner=True)
    audit(f"reset the password and second factor of {name}")
    click.echo(f"{link.address}\n(works once, for {LINK_DAYS} days)")
