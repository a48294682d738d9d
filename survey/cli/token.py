"""Commands on tokens of the API: `token create`, `token list`, `token revoke`."""

import click

from survey.cli.command_errors import command
from survey.core.errors import StateError
from survey.server.clock import today
from survey.web.api_tokens import DEFAULT_TOKEN_DAYS, make_token
from survey.web.audit_log import audit
from survey.web.extensions import store


@command
@click.argument("name")
@click.option(
    "--days", default=DEFAULT_TOKEN_DAYS, show_default=True, help="How long it is good, up to 365."
)
@click.option("--label", default="command line", show_default=True, help="What it is for.")
def token(name: str, days: int, label: str) -> None:
    """Make a token of the API for an account; it is printed this once."""
    new = make_token(name, label, days)
    audit(f"made the API token {label} of {name}")
    click.echo(new)


@command
@click.argument("name")
def list_tokens(name: str) -> None:
    """List an account's tokens by their labels."""
    require_account(name)
    for each in store().tokens.of_account(name):
        ends = "expired" if each.expires < today() else "valid until"
        used = "never used" if each.used is None else f"last used {each.used}"
        click.echo(f"{each.label}: made {each.made}, {ends} {each.expires}, {used}")


@command
@click.argument("name")
@click.argument("label", required=False)
def revoke(name: str, label: str | None) -> None:
    """Revoke an account's token of this label, or all its tokens."""
    require_account(name)
    if label is None:
        ended = store().tokens.delete_tokens(name)
        outcome = f"{ended} token{'' if ended == 1 else 's'} revoked"
    elif store().tokens.delete_token(name, label):
        outcome = f"token {label!r} revoked"
    else:
        raise StateError(f"{name} has no token {label!r}. Run `token list {name}`.")
    audit(f"revoked API tokens of {name}")
    click.echo(f"{name}: {outcome}")


def require_account(name: str) -> None:
    if store().accounts.by_name(name) is None:
        raise StateError(f"There is no account {name[:64]!r}. Run `account list`.")
