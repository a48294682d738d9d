"""The application factory: settings, store, headers and commands. Routes load on first use."""

import atexit
from threading import RLock
from typing import TYPE_CHECKING, Any

import click
from flask import Flask
from flask.cli import ScriptInfo
from flask.ctx import RequestContext
from threadpoolctl import threadpool_limits
from werkzeug.middleware.proxy_fix import ProxyFix

from survey import VERSION, cli
from survey.core.errors import SurveyError
from survey.server.http import compression, hosts, security_headers, static_files, tolerant_request
from survey.server.secret_key import SecretKeys
from survey.server.settings import Settings, limit_later_threads
from survey.store import open_store
from survey.web import i18n, rendering

if TYPE_CHECKING:
    from _typeshed.wsgi import WSGIEnvironment

MAX_FORM_BYTES = 4 * 1024 * 1024  # A builder form with 200 questions is much smaller.


class Application(Flask):
    """Flask with routes that load at the first request or link.

    Loading the routes is most of the work of a start, and commands such as `survey list` need none.
    """

    def __init__(self, settings: Settings):
        super().__init__(__name__, static_folder=None)
        self.settings = settings
        self.lock = RLock()
        self.loaded = False

    def load_routes(self) -> None:
        """Register all routes, unless they are registered."""
        with self.lock:
            if not self.loaded:
                register_routes(self, self.settings)
                self.loaded = True

    def request_context(self, environ: "WSGIEnvironment") -> RequestContext:
        self.load_routes()
        return super().request_context(environ)

    def url_for(self, /, endpoint: str, **values: Any) -> str:
        self.load_routes()
        return super().url_for(endpoint, **values)


def register_routes(app: Flask, settings: Settings) -> None:
    """Register sign-in, all pages and the error pages. Importing them takes a while."""
    from flask_wtf import CSRFProtect

    from survey import admin, api
    from survey.learn import routes as lessons
    from survey.respondent import (
        coin_routes,
        how_and_verify,
        public_results,
        results_by_link,
        routes,
    )
    from survey.web import auth, auto_close, error_pages, sign_in_limits
    from survey.web.help import routes as help_pages

    auth.init_app(app, https=settings.https, apart=hosts.has_admin_host(app))
    # The counts of attempts are those of one application.
    sign_in_limits.limiter.reset()
    auto_close.init_app(app)
    # No other site can act for a researcher who is signed in: requests that change something need
    # the token of the session, which each form contains. Requests of respondents and programs carry
    # no cookie that another site could use, and have their own checks
    # (survey/server/http/posting_rule.py, survey/web/api_tokens.py).
    protection = CSRFProtect(app)
    for blueprint in (routes.blueprint, coin_routes.blueprint, api.blueprint):
        protection.exempt(blueprint)
        app.register_blueprint(blueprint)
    for open_to_read in (how_and_verify, public_results, results_by_link, help_pages, lessons):
        app.register_blueprint(open_to_read.blueprint)
    app.register_blueprint(admin.blueprint)
    error_pages.init_app(app)


def create_app(settings: Settings | None = None) -> Application:
    """The WSGI application. Without `settings`, they come from the environment.

    Raises SystemExit with a message if the application cannot start.
    """
    try:
        alone = settings is None
        settings = settings or Settings.from_environment()
        store = open_store(settings.database)
        if alone:
            # If the process ended the connection, the contents of the log would stay on the disk.
            atexit.register(store.close)
    except SurveyError as error:
        raise SystemExit(f"Candor cannot start. {error}") from error
    for sentence in store.database.warnings:
        click.echo(f"Warning: {sentence}", err=True)
    # The server's threads are the parallelism. numpy's threads wait busily for each other: under
    # load a regression took 25 times as long with them.
    threadpool_limits(1)
    limit_later_threads()
    app = Application(settings)
    app.request_class = tolerant_request.TolerantRequest
    app.url_map.merge_slashes = False  # A redirect would repeat the Host header of the request.
    app.config.update(
        SECRET_KEY=settings.secret_key,
        SECRET_KEY_FALLBACKS=[settings.secret_key_before] if settings.secret_key_before else [],
        MAX_CONTENT_LENGTH=MAX_FORM_BYTES,
        MAX_FORM_MEMORY_SIZE=MAX_FORM_BYTES,
        MAX_FORM_PARTS=5_000,
        WTF_CSRF_TIME_LIMIT=None,  # A form stays valid as long as the session.
        CANDOR_URL=settings.url,
        CANDOR_ADMIN_URL=settings.admin_url or settings.url,
        CANDOR_SECOND_FACTOR=settings.second_factor,
        CANDOR_LOCAL_WEBHOOKS=settings.local_webhooks,
        CANDOR_PRIVACY_LIMITS=settings.privacy_limits,
    )
    app.extensions["candor.store"] = store
    app.extensions["candor.keys"] = SecretKeys(
        store, settings.secret_key, settings.secret_key_before, settings.secret_key_file
    )
    if settings.proxies:
        proxied = ProxyFix(app.wsgi_app, x_for=settings.proxies, x_proto=0)
        app.wsgi_app = proxied  # type: ignore[method-assign] # Flask's documentation does this.
    security_headers.init_app(app, https=settings.https)
    hosts.init_app(app)
    compression.init_app(app)
    static_files.init_app(app)
    i18n.init_app(app)
    rendering.init_app(app)
    cli.init_app(app)
    return app


def main() -> None:
    """Run the command line `candor`. Only a command that runs creates the application."""
    candor = click.Group(
        "candor",
        commands={str(command.name): command for command in cli.top_commands()},
        help="Surveys whose answers are randomised in the respondent's browser.",
    )
    click.version_option(VERSION, prog_name="Candor", message="%(prog)s %(version)s")(candor)
    candor.main(prog_name="candor", obj=ScriptInfo(create_app=create_app, set_debug_flag=False))


if __name__ == "__main__":
    main()
