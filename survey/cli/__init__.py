"""Commands, run as `flask --app app ...`: serve, seal, survey ..., admin ..."""

import secrets

import click
from flask import Flask

from .. import auth, logs, server
from ..current import keys, store
from ..demo import add_demo
from ..errors import StoreUnavailable
from ..notifying import Notifier, notifying
from ..sealing import sealing
from ..secret_key import ANOTHER
from ..settings import Settings
from ..store import Store
from . import (  # noqa: F401 # each registers its commands
    analysis,
    backing_up,
    bringing,
    data,
    moving,
    planning,
    privacy,
    regression,
    releases,
    rotating,
    take_home,
    tokens,
    trees,
    validity,
)
from .accounts import admin_commands
from .plainly import plainly
from .surveys import survey_commands

__all__ = ["greeting", "init_app"]


def init_app(app: Flask, settings: Settings) -> None:
    app.cli.add_command(survey_commands)
    app.cli.add_command(admin_commands)

    @app.cli.command()
    @plainly
    def seal() -> None:
        """Rewrite the database so that its bytes do not tell the order of arrival."""
        store().seal()
        click.echo("The database is sealed.")
        for sentence in store().cautions():
            click.echo(f"But: {sentence}")

    @app.cli.command()
    @plainly
    def serve() -> None:
        """Serve with a production server; an empty database gets the demo first."""
        # first of all, so that a start that fails does not spoil the link of one that runs
        listening = server.listen(app, settings, store())
        logs.begin(settings.log)
        store().require_sound()
        if settings.demo and store().leads() and not store().surveys():
            add_demo(store())
        try:
            store().seal()
        except StoreUnavailable as error:  # another server may be at work on it
            logs.warn("not sealed", why=logs.cause_of(error))
        token = None
        if not store().has_accounts():
            token = secrets.token_urlsafe(32)
            store().set_setup_token(auth.token_hash(token))
        if not keys().settle():
            logs.warn("another secret key", advice=ANOTHER)
        keys().forget_file_before()
        notifier = Notifier(store(), keys().base, local=settings.local_webhooks)
        logs.note("started", **settings.shown, migrated=[*store().migrated])
        watch = listening.front.watch
        with sealing(store(), told=watch.sealed), notifying(notifier):
            server.run(listening, greeting(store(), settings, token))
        logs.note("stopped")


def greeting(store: Store, settings: Settings, setup_token: str | None) -> str:
    """What `serve` prints: where to go, and a warning where the way there is not protected."""
    slugs = [found.survey.slug for found in store.surveys() if found.state == "open"]
    lines = ["", "Candor is running. Stop it with Ctrl+C.", ""]
    lines += [f"  Answer a survey        {settings.url}/s/{slug}" for slug in slugs[:3]]
    researchers = settings.admin_url or settings.url
    if setup_token is None:
        lines.append(f"  Researchers sign in    {researchers}/admin/")
    else:
        lines.append(f"  Set up your account    {researchers}/admin/setup?token={setup_token}")
        lines.append("                         (works once, until the next start)")
    if not settings.https and settings.host not in ("127.0.0.1", "::1", "localhost"):
        lines += [
            "",
            "  Warning: without https, anyone on the way can change the page that protects",
            "  respondents. Put a proxy with TLS in front and set CANDOR_URL to its address.",
        ]
    lines += [f"  Warning: {sentence}" for sentence in store.cautions()]
    return "\n".join([*lines, ""])
