"""Commands on API tokens: `token create`, `token list` and `token revoke`."""

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
    "--days", default=DEFAULT_TOKEN_DAYS, show_default=True, help="Validity in days, 1 to 365."
)
@click.option(
    "--label",
    default="command line",
    show_default=True,
    help="Label of the token. No other token of the account may have it.",
)
def create_token(name: str, days: int, label: str) -> None:
    """Create an API token for account NAME, and print it. Candor cannot show it again."""
    new = make_token(name, label, days)
    audit(f"created the API token “{label}” of {name}")
    click.echo(new)


@command
@click.argument("name")
def list_tokens(name: str) -> None:
    """List the labels and dates of the API tokens of account NAME."""
    require_account(name)
    for each in store().tokens.of_account(name):
        ends = "expired" if each.expires < today() else "valid until"
        used = "never used" if each.used is None else f"last used {each.used}"
        click.echo(f"{each.label}: made {each.made}, {ends} {each.expires}, {used}")


@command
@click.argument("name")
@click.argument("label", required=False)
def revoke(name: str, label: str | None) -> None:
    """Revoke the API token LABEL of account NAME; without LABEL, all its tokens."""
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
