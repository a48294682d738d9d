"""Commands on accounts of researchers: `account ...`."""

import sys

import click

from survey.cli.command_errors import command
from survey.core.errors import StateError
from survey.store import OWNER, ROLES, Account
from survey.store.account_names import name_fault
from survey.web import auth
from survey.web.audit_log import audit
from survey.web.extensions import store
from survey.web.password_links import LINK_DAYS, new_link
from survey.web.password_policy import password_fault

roles = click.Choice(ROLES)


@command
@click.argument("name")
@click.option(
    "--role", type=roles, default=OWNER, show_default=True, help="Role of the new account."
)
def create(name: str, role: str) -> None:
    """Create account NAME.

    The command reads the password from standard input.
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
    store().accounts.add_account(Account(name, role, auth.hash_password(password)))
    audit(f"added {name} as {role}")
    click.echo(f"{name}: account created")


@command
def list_people() -> None:
    """List all accounts with their roles and second factors."""
    for person in store().accounts.people():
        factor = "with" if person.second_factor else "without"
        joined = "" if person.joined else ", no password yet"
        click.echo(f"{person.name}: {person.role}, {factor} second factor{joined}")


@command
@click.argument("name")
@click.argument("role", type=roles)
def change_role(name: str, role: str) -> None:
    """Change the role of account NAME to ROLE: analyst, editor or owner."""
    store().accounts.set_role(name, role)
    audit(f"changed the role of {name} to {role}")
    click.echo(f"{name}: {role}")


@command
@click.argument("name")
def remove(name: str) -> None:
    """Remove account NAME and end its sessions."""
    store().accounts.remove_account(name)
    audit(f"removed {name}")
    click.echo(f"{name}: account removed")


@command
@click.argument("name")
def reset(name: str) -> None:
    """Reset account NAME, and print a link to choose a new password.

    The command deletes the password and the second factor. The link works once, within 7 days.
    """
    link = new_link()
    # Anyone who may run commands may also reset the last owner.
    store().accounts.reset_account(name, link.token_hash, link.expires, even_the_last_owner=True)
    audit(f"reset the password and second factor of {name}")
    click.echo(f"{link.address}\n(works once, for {LINK_DAYS} days)")
