"""The command that replaces the secret key: `database rotate-key`."""

import secrets

import click

from survey.cli.command_errors import with_plain_errors
from survey.core.errors import StateError
from survey.server.secret_key import OTHER_KEY_ADVICE, SecretKeys
from survey.store.durable_files import replace_file
from survey.web.audit_log import audit
from survey.web.extensions import keys, store


@click.command()
@click.option("--lost", is_flag=True, help="The key before is lost: begin anew under this one.")
@with_plain_errors
def rotate(lost: bool) -> None:
    """Replace the file secret_key; second factors, webhooks and sessions stay as they are.

    With --lost, after a key was lost: second factors and webhooks have to be set up again.
    """
    secret_keys = keys()
    if lost:
        secret_keys.give_up()
        audit("replaced the secret key")
        click.echo("Second factors and webhooks have to be set up again. Start the server anew.")
        return
    if secret_keys.file is None:
        raise StateError(
            "The secret key comes from CANDOR_SECRET_KEY. Set CANDOR_SECRET_KEY_BEFORE to it, "
            "CANDOR_SECRET_KEY to a new one, and start the servers anew."
        )
    if not secret_keys.settle():
        raise StateError(OTHER_KEY_ADVICE)
    key = secrets.token_hex(32)
    # at each moment the keys that lie there open what is in the database
    replace_file(secret_keys.file.with_name("secret_key_before"), secret_keys.key)
    replace_file(secret_keys.file, key)
    SecretKeys(store(), key, secret_keys.key).settle()
    audit("replaced the secret key")
    click.echo(
        "The secret key is new. Start the server anew; until then it goes on with the old one."
    )
