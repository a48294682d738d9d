"""The application factory: settings, store, blueprints, headers, commands, and nothing else."""

from flask import Flask, jsonify, make_response, render_template, request
from flask.globals import request_ctx
from flask.typing import ResponseReturnValue
from flask_wtf import CSRFProtect
from flask_wtf.csrf import CSRFError
from threadpoolctl import threadpool_limits
from werkzeug.exceptions import HTTPException, MethodNotAllowed
from werkzeug.middleware.proxy_fix import ProxyFix

from survey import (
    admin,
    api,
    auth,
    by_hand_page,
    cli,
    closing,
    compression,
    headers,
    hosts,
    i18n,
    pages,
    public_results,
    requests,
    respond,
    shared,
    trust,
    verifying,
)
from survey.errors import NotAllowed, StateError, StoreUnavailable, SurveyError, UnknownSurvey
from survey.processor_time import OutOfTime
from survey.secret_key import Keys
from survey.settings import Settings
from survey.store import open_store

MAX_FORM = 4 * 1024 * 1024  # bytes; a builder form of 200 questions stays far below


def create_app(settings: Settings | None = None) -> Flask:
    """The WSGI application; without settings given, they come from the environment.

    Raises SystemExit with a sentence where it cannot start.
    """
    try:
        settings = settings or Settings.from_environment()
        store = open_store(settings.database)
    except SurveyError as error:
        raise SystemExit(f"Candor cannot start. {error}") from error
    # The server's threads are its parallelism. numpy's own wait busily for each other: a regression
    # took 25 times as long with them where something else was running.
    threadpool_limits(1)
    app = Flask(__name__)
    app.request_class = requests.Tolerant
    app.url_map.merge_slashes = False  # a redirect would repeat the Host that the request names
    app.config.update(
        SECRET_KEY=settings.secret_key,
        SECRET_KEY_FALLBACKS=[settings.secret_key_before] if settings.secret_key_before else [],
        MAX_CONTENT_LENGTH=MAX_FORM,
        MAX_FORM_MEMORY_SIZE=MAX_FORM,
        MAX_FORM_PARTS=5_000,
        WTF_CSRF_TIME_LIMIT=None,  # a form stays good as long as the session
        CANDOR_URL=settings.url,
        CANDOR_ADMIN_URL=settings.admin_url or settings.url,
        CANDOR_SECOND_FACTOR=settings.second_factor,
        CANDOR_LOCAL_WEBHOOKS=settings.local_webhooks,
    )
    app.extensions["candor.store"] = store
    app.extensions["candor.keys"] = Keys(
        store, settings.secret_key, settings.secret_key_before, settings.secret_key_file
    )
    if settings.proxies:
        proxied = ProxyFix(app.wsgi_app, x_for=settings.proxies, x_proto=0)
        app.wsgi_app = proxied  # type: ignore[method-assign] # as Flask's documentation has it
    headers.init_app(app, https=settings.https)
    hosts.init_app(app)
    compression.init_app(app)
    i18n.init_app(app)
    pages.init_app(app)
    auth.init_app(app, https=settings.https, apart=hosts.apart(app))
    closing.init_app(app)
    csrf = CSRFProtect(app)
    for blueprint in (respond.blueprint, by_hand_page.blueprint, api.blueprint):
        csrf.exempt(blueprint)  # no cookies there to forge with; they have their own check
        app.register_blueprint(blueprint)
    for open_to_read in (trust, public_results, shared):
        app.register_blueprint(open_to_read.blueprint)
    app.register_blueprint(admin.blueprint)
    app.register_error_handler(HTTPException, http_error)
    app.register_error_handler(CSRFError, csrf_error)
    app.register_error_handler(SurveyError, survey_error)
    app.register_error_handler(OutOfTime, out_of_time)
    cli.init_app(app, settings)
    verifying.init_app(app)
    return app


def error_page(status: int, sentence: str) -> ResponseReturnValue:
    """A sentence, as JSON where a program asked, else as a page."""
    said = ("/invited", "/responses", "/withdrawals", ".json", "/odds")
    if request.path.startswith("/api/") or request.path.endswith(said):
        return jsonify(error=sentence), status
    return render_template("error.html", status=status, sentence=sentence), status


def http_error(error: HTTPException) -> ResponseReturnValue:
    if error.response is not None:  # a redirect on its way
        return error.response
    if request_ctx.url_adapter is None:  # no page can be made, since it would have no links
        return jsonify(error="The Host of this request is no name of a host."), 400
    page = error_page(error.code or 500, error.description or "Something went wrong.")
    response = make_response(page)
    if isinstance(error, MethodNotAllowed) and error.valid_methods:
        response.headers["Allow"] = ", ".join(sorted(error.valid_methods))
    return response


def csrf_error(error: CSRFError) -> ResponseReturnValue:
    return error_page(
        400,
        "Nothing was changed: the page was open for too long, or you signed in or out in another "
        "tab meanwhile. Open the page again and repeat it there.",
    )


def survey_error(error: SurveyError) -> ResponseReturnValue:
    match error:
        case UnknownSurvey():
            return error_page(404, str(error))
        case StoreUnavailable():
            response = make_response(
                error_page(503, "The database cannot be used just now. Try again in a moment.")
            )
            response.headers["Retry-After"] = "5"
            return response
        case NotAllowed():
            return error_page(403, str(error))
        case StateError():
            return error_page(409, str(error))
    return error_page(422, str(error))


def out_of_time(error: OutOfTime) -> ResponseReturnValue:
    return error_page(422, str(error))
