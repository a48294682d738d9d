"""Error responses: a sentence, as a page or as JSON."""

from flask import Flask, jsonify, make_response, render_template, request
from flask.globals import request_ctx
from flask.typing import ResponseReturnValue
from flask_wtf.csrf import CSRFError
from werkzeug.exceptions import (
    BadRequest,
    HTTPException,
    InternalServerError,
    MethodNotAllowed,
    NotFound,
    RequestEntityTooLarge,
)

from survey.core.errors import StoreUnavailable, SurveyError
from survey.core.processor_time import OutOfTime
from survey.core.translate import later, translate, translate_constant
from survey.web.analyses.background import RETRY_SECONDS, StillComputing
from survey.web.auth import current_account

# Sentences for errors that Flask raises. Those of Werkzeug are for the authors of an application.
SENTENCES: dict[type[HTTPException], str] = {
    BadRequest: later("Candor cannot read this request. Go back, reload the page and try again."),
    NotFound: later("This page does not exist. Check the address for errors."),
    MethodNotAllowed: later(
        "This address does not accept the method of this request. In a browser, go back and try "
        "again."
    ),
    RequestEntityTooLarge: later(
        "The file or the text is too large for this server. Send a smaller one."
    ),
    InternalServerError: later(
        "Candor had an internal error. Go back and try again. If the error remains, tell the "
        "operator of this server."
    ),
}


SOMETHING = later("Something went wrong.")


def init_app(app: Flask) -> None:
    """Register the handlers of all errors."""
    app.register_error_handler(HTTPException, http_error)
    app.register_error_handler(CSRFError, csrf_error)
    app.register_error_handler(SurveyError, survey_error)
    app.register_error_handler(OutOfTime, out_of_time)
    app.register_error_handler(StillComputing, still_computing)


def error_page(status: int, sentence: str) -> ResponseReturnValue:
    """A sentence, as JSON for a program, else as a page."""
    json_endings = ("/invited", "/responses", "/withdrawals", ".json", "/odds")
    if request.path.startswith("/api/") or request.path.endswith(json_endings):
        return jsonify(error=sentence), status
    return render_template("error.html", status=status, sentence=sentence), status


def sentence_of(error: HTTPException) -> str:
    """What the page says: our own sentence, except where Werkzeug has the only one."""
    if error.description == type(error).description:
        text = SENTENCES.get(type(error), error.description or SOMETHING)
        return translate_constant(text)
    return error.description or translate(SOMETHING)


def http_error(error: HTTPException) -> ResponseReturnValue:
    # A redirect is also an HTTP error.
    if error.response is not None:
        return error.response
    # Without a valid host, a page could have no links.
    if request_ctx.url_adapter is None:
        return jsonify(error="The Host header of this request is not a valid host name."), 400
    page = error_page(error.code or 500, sentence_of(error))
    response = make_response(page)
    if isinstance(error, MethodNotAllowed) and error.valid_methods:
        error.valid_methods = sorted(error.valid_methods)
    # Such as Allow and WWW-Authenticate.
    response.headers.extend(each for each in error.get_headers() if each[0] != "Content-Type")
    return response


def is_signed_out() -> bool:
    """Whether nobody is signed in. Without the database it is unknown, and then the reply is no."""
    try:
        return current_account(counts_as_use=False) is None
    except StoreUnavailable:
        return False


def csrf_error(error: CSRFError) -> ResponseReturnValue:
    """A form without the token of this session. Often the session has ended while someone typed."""
    if request.blueprint == "admin" and is_signed_out():
        return error_page(
            400,
            translate(
                "Nothing was changed, because you are signed out. Nothing is lost: this browser "
                "keeps what you typed in the builder. Sign in again. The list of surveys then "
                "offers it."
            ),
        )
    return error_page(
        400,
        translate(
            "Nothing was changed. The page was open too long, or you signed in or out in another "
            "tab. Go back, reload that page, then try again."
        ),
    )


def out_of_time(error: OutOfTime) -> ResponseReturnValue:
    """Researchers and readers of lessons choose what is calculated, and can choose less.

    Readers of a survey's public pages cannot.
    """
    if request.blueprint == "learn":
        sentence = translate(
            "This page takes more than %(n)s seconds of the server's processor time, so Candor "
            "stopped it. Go back and choose smaller numbers.",
            n=error.seconds,
        )
        return error_page(422, sentence)
    chosen = request.blueprint not in ("public", "trust")
    return error_page(422 if chosen else 503, str(error))


def still_computing(waiting: StillComputing) -> ResponseReturnValue:
    """The reply of the API while an analysis is not ready. Pages have their own."""
    content = {
        "status": "calculating",
        "seconds": waiting.task.seconds,
        "message": str(waiting),
    }
    return jsonify(content), 202, {"Retry-After": str(RETRY_SECONDS)}


def survey_error(error: SurveyError) -> ResponseReturnValue:
    if not isinstance(error, StoreUnavailable):
        return error_page(error.status, str(error))
    # The operator finds the reason in the log.
    response = make_response(
        error_page(
            error.status, translate("The database is not available now. Try again in a moment.")
        )
    )
    response.headers["Retry-After"] = "5"
    return response
