"""The command that replaces the secret key: `database rotate-key`."""

import secrets

import click

from survey.cli.command_errors import plainly
from survey.core.errors import StateError
from survey.server.secret_key import ANOTHER, Keys
from survey.store.durable_files import replace
from survey.web.extensions import keys, store


@click.command()
@click.option("--lost", is_flag=True, help="The key before is lost: begin anew under this one.")
@plainly
def rotate(lost: bool) -> None:
    """Replace the file secret_key; second factors, webhooks and sessions stay as they are.

    With --lost, after a key was lost: second factors and webhooks have to be set up again.
    """
    known = keys()
    if lost:
        known.give_up()
        click.echo("Second factors and webhooks have to be set up again. Start the server anew.")
        return
    if known.file is None:
        raise StateError(
            "The secret key comes from CANDOR_SECRET_KEY. Set CANDOR_SECRET_KEY_BEFORE to it, "
            "CANDOR_SECRET_KEY to a new one, and start the servers anew."
        )
    if not known.settle():
        raise StateError(ANOTHER)
    key = secrets.token_hex(32)
    # at each moment the keys that lie there open what is in the database
    replace(known.file.with_name("secret_key_before"), known.key)
    replace(known.file, key)
    Keys(store(), key, known.key).settle()
    click.echo(
        "The secret key is new. Start the server anew; until then it goes on with the old one."
    )
