"""What answers requests: sign-in, blueprints, and the pages of errors."""

from flask import Flask, jsonify, make_response, render_template, request
from flask.globals import request_ctx
from flask.typing import ResponseReturnValue
from flask_wtf import CSRFProtect
from flask_wtf.csrf import CSRFError
from werkzeug.exceptions import HTTPException, MethodNotAllowed

from . import (
    admin,
    api,
    auth,
    by_hand_page,
    closing,
    hosts,
    public_results,
    respond,
    shared,
    trust,
)
from .errors import NotAllowed, StateError, StoreUnavailable, SurveyError, UnknownSurvey
from .processor_time import OutOfTime
from .settings import Settings


def init_app(app: Flask, settings: Settings) -> None:
    """Register all routes with the application, before its first request."""
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
