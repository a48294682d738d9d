"""The commands, which run as `candor ...`.

This package may import every other package. Start reading in `groups`, which lists the groups and
the module of each command, then in `command_errors`, which all commands use.
"""

import secrets
from contextlib import closing
from pathlib import Path
from typing import cast

import click
from flask import Flask

from survey.cli.attack.command import attack
from survey.cli.command_errors import command, current_application
from survey.cli.groups import command_groups
from survey.definition.responses.invitation_codes import token_hash
from survey.server import logs
from survey.server.compaction import begin_compacting, compacting
from survey.server.disk_encryption import ADVICE, find_unencrypted_device
from survey.server.secret_key import OTHER_KEY_ADVICE
from survey.server.settings import Settings
from survey.store import Store
from survey.web.extensions import keys, store

__all__ = ["greeting", "init_app", "top_commands"]


class Servable(Flask):
    """What a server needs of the application, which app.py makes."""

    settings: Settings

    def load_routes(self) -> None:
        """Prepare the application for requests."""


# The package survey.cli.verify has the shorter name.
@command
@click.argument("url")
def verify_command(url: str) -> None:
    """Check whether a server sends unchanged pages of a survey to this computer.

    URL is the address of the survey, best as respondents get it. The command requests the
    frozen survey, the survey's page in each language, its scripts and styles, and the other
    pages of the survey. It repeats each request with the headers of several browsers. It
    compares each page, script and style byte by byte with what this version of Candor sends
    for the frozen survey. It permits no header that this version does not send, apart from a
    few of servers and proxies. It posts only what every server refuses. If anything differs,
    it exits with status 1. If the URL has a query, the page under it must be the same. Run
    the command from a network that the operator of the server cannot recognise as yours, such
    as a mobile connection.
    """
    from survey.cli.verify.command import report

    report(current_application(), url)


@command
def serve() -> None:
    """Start the production server.

    If there is no account, the command prints a link that creates the first one.
    """
    run_server(cast(Servable, current_application()), demo=False)


@command
def demo() -> None:
    """Start the production server, with demo surveys if the database has no survey.

    If there is no account, the command prints a link that creates the first one.
    """
    run_server(cast(Servable, current_application()), demo=True)


def top_commands() -> list[click.Command]:
    """The groups of commands, then the commands that belong to no group."""
    return [*command_groups(), attack, demo, serve, verify_command]


def init_app(app: Flask) -> None:
    """Register all commands with Flask, whose test client runs them."""
    for each in top_commands():
        app.cli.add_command(each)


def run_server(app: Servable, *, demo: bool) -> None:
    """Serve until a signal stops the process."""
    # Only this command needs these modules.
    from survey.server.class_erasure import ClassErasure, erasing
    from survey.server.http import asgi_server
    from survey.server.recount import begin_recount, recount
    from survey.server.stopping_rule import StoppingRule, stopping
    from survey.server.webhooks.delivery import Notifier, deliver_webhooks
    from survey.web import warm_up
    from survey.web.analyses.background import background_analyses
    from survey.web.audit_log import record_erased_class
    from survey.web.demo import add_demo

    settings = app.settings
    # Bind the port first, so that a start that fails does not invalidate a running server's link.
    server = asgi_server.listen(app, settings, store())
    logs.configure_logging(settings.log)
    app.load_routes()
    begin_recount(store())
    if demo and store().database.leads() and not store().surveys.list_surveys():
        add_demo(store(), settings.privacy_limits)
    begin_compacting(store())
    token = None
    if not store().accounts.has_accounts():
        token = secrets.token_urlsafe(32)
        store().accounts.set_setup_token(token_hash(token).hex())
    if not keys().settle():
        logs.warn("another secret key", advice=OTHER_KEY_ADVICE)
    keys().forget_file_before()
    notifier = Notifier(store(), keys().base, local=settings.local_webhooks)
    logs.note("started", **settings.shown, migrated=[*store().database.migrated])
    warn_of_disk(settings)
    # Do this before `recount`, which may close the store.
    welcome = greeting(store(), settings, token)
    compacted = server.front.watch.record_compaction
    closes = stopping(StoppingRule(store()))
    analyses, served = background_analyses(), store()

    def erased(slug: str) -> None:
        analyses.stop(slug)
        record_erased_class(served, slug)

    erases, ends = erasing(ClassErasure(served, erased)), closing(analyses)
    with (
        recount(store()),
        compacting(store(), told=compacted),
        deliver_webhooks(notifier),
        closes,
        erases,
        ends,
    ):
        warm_up.start_warm_up()
        asgi_server.run(server, welcome)
    logs.note("stopped")


def warn_of_disk(settings: Settings) -> None:
    """Log a warning if the kernel reports that the data folder is not encrypted."""
    if "://" in settings.database:
        return
    device = find_unencrypted_device(Path(settings.database).parent)
    if device is not None:
        logs.warn("disk not encrypted", device=device, advice=ADVICE)


def greeting(store: Store, settings: Settings, setup_token: str | None) -> str:
    """The text that `serve` prints: where to go, and warnings about an unprotected connection."""
    slugs = [
        listed_survey.slug
        for listed_survey in store.surveys.list_surveys()
        if listed_survey.state == "open"
    ]
    lines = ["", "Candor is running. Stop it with Ctrl+C.", ""]
    lines += [f"  Answer a survey        {settings.url}/s/{slug}" for slug in slugs[:3]]
    researchers = settings.admin_url or settings.url
    if setup_token is None:
        lines.append(f"  Researchers sign in    {researchers}/admin/")
    else:
        lines.append(f"  Set up your account    {researchers}/admin/setup?token={setup_token}")
        lines.append("                         (works once, until the next start)")
    if "://" not in settings.database:
        folder = Path(settings.database).absolute().parent
        lines.append(f"  Folder of the data     {folder}")
    if not settings.https and settings.host not in ("127.0.0.1", "::1", "localhost"):
        lines += [
            "",
            "  Warning: without https, anyone on the network can change the page that protects",
            "  respondents. Put a proxy with TLS in front, and set CANDOR_URL to its address.",
        ]
    lines += [f"  Warning: {sentence}" for sentence in store.database.cautions()]
    return "\n".join([*lines, ""])
