"""Commands on researchers' accounts: `admin ...`."""

import re
import sys

import click
from flask.cli import AppGroup

from .. import auth
from ..current import store
from ..errors import StateError
from ..store import OWNER, Account
from .plainly import plainly

admin_commands = AppGroup("admin", help="Researchers' accounts.")


@admin_commands.command()
@click.argument("name")
@plainly
def create(name: str) -> None:
    """Create an account; its password is read from standard input."""
    if not re.fullmatch(r"[\w.@-]{1,64}", name):
        raise StateError("A name has letters, digits and . _ @ - (at most 64).")
    if sys.stdin.isatty():
        password = click.prompt("Password", hide_input=True, confirmation_prompt=True)
    else:
        try:
            password = sys.stdin.readline().rstrip("\r\n")
        except UnicodeDecodeError as error:
            raise StateError("The password is not UTF-8.") from error
    if not auth.MIN_PASSWORD <= len(password) <= auth.MAX_PASSWORD:
        raise StateError(f"A password has {auth.MIN_PASSWORD} to {auth.MAX_PASSWORD} characters.")
    store().add_account(Account(name, OWNER, auth.hash_password(password)))
    click.echo(f"{name}: account created")
