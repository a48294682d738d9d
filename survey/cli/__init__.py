"""The commands, which run as `flask --app app ...`.

This package may import every other package. Start reading in `groups`, which lists the groups and
the module of each command, then in `command_errors`, which all commands use.
"""

import secrets
from collections.abc import Callable
from functools import partial
from pathlib import Path

import click
from flask import Flask

from survey.cli.attack.command import attack
from survey.cli.command_errors import command
from survey.cli.groups import command_groups
from survey.definition.responses.invitation_codes import token_hash
from survey.server import logs
from survey.server.compaction import begin_sealing, sealing
from survey.server.disk_encryption import ADVICE, find_unencrypted_device
from survey.server.secret_key import OTHER_KEY_ADVICE
from survey.server.settings import Settings
from survey.store import Store
from survey.web.extensions import keys, store

__all__ = ["greeting", "init_app"]


def init_app(app: Flask, settings: Settings, load_routes: Callable[[], None]) -> None:
    """Register all commands. `load_routes` prepares the application for requests."""

    @command
    @click.argument("url")
    def verify(url: str) -> None:
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

        report(app, url)

    @command
    def serve() -> None:
        """Start the production server.

        If the database has no survey, the command adds demo surveys, unless CANDOR_DEMO is no. If
        there is no account, the command prints a link that creates the first one.
        """
        run_server(app, settings, load_routes)

    for each in (*command_groups(), attack, verify, serve):
        app.cli.add_command(each)


def run_server(app: Flask, settings: Settings, load_routes: Callable[[], None]) -> None:
    """Serve until a signal stops the process."""
    # Only this command needs these modules.
    from survey.server.class_erasure import ClassErasure, erasing
    from survey.server.http import asgi_server
    from survey.server.recount import begin_recount, recount
    from survey.server.stopping_rule import StoppingRule, stopping
    from survey.server.webhooks.delivery import Notifier, notifying
    from survey.web import warm_up
    from survey.web.audit_log import record_erased_class
    from survey.web.demo import add_demo

    # Bind the port first, so that a start that fails does not invalidate a running server's link.
    server = asgi_server.listen(app, settings, store())
    logs.configure_logging(settings.log)
    load_routes()
    begin_recount(store())
    if settings.demo and store().database.leads() and not store().surveys.listed():
        add_demo(store(), settings.privacy_limits)
    begin_sealing(store())
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
    sealed = server.front.watch.sealed
    closes = stopping(StoppingRule(store()))
    erases = erasing(ClassErasure(store(), partial(record_erased_class, store())))
    with recount(store()), sealing(store(), told=sealed), notifying(notifier), closes, erases:
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
        for listed_survey in store.surveys.listed()
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
    if not settings.https and settings.host not in ("127.0.0.1", "::1", "localhost"):
        lines += [
            "",
            "  Warning: without https, anyone on the network can change the page that protects",
            "  respondents. Put a proxy with TLS in front, and set CANDOR_URL to its address.",
        ]
    lines += [f"  Warning: {sentence}" for sentence in store.database.cautions()]
    return "\n".join([*lines, ""])
