"""The command that replaces the secret key: `admin rotate`."""

import os
import secrets
from pathlib import Path

import click

from ..current import keys, store
from ..errors import StateError
from ..secret_key import ANOTHER, Keys
from .accounts import admin_commands
from .plainly import plainly


@admin_commands.command()
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
    put(known.file.with_name("secret_key_before"), known.key)
    put(known.file, key)
    Keys(store(), key, known.key).settle()
    click.echo(
        "The secret key is new. Start the server anew; until then it goes on with the old one."
    )


def put(path: Path, content: str) -> None:
    """A file that its owner alone reads, whole or as it was."""
    new = path.with_name(f"{path.name}.new")
    new.unlink(missing_ok=True)
    with os.fdopen(os.open(new, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600), "w") as file:
        file.write(content)
        file.flush()
        os.fsync(file.fileno())
    new.replace(path)
