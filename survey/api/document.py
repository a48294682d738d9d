"""The OpenAPI document, made from the list of operations, so that it is always complete."""

from typing import Any

from flask import Response, current_app

from survey import VERSION
from survey.api.blueprint import OPERATIONS, Operation, blueprint, operation
from survey.api.endpoints import json_reply
from survey.api.schemas import SCHEMAS, Schema, reference
from survey.web.analyses.kinds import ANALYSES

ABOUT = (
    "Reads what a researcher reads on pages. It changes nothing. Figures and files change by one "
    "batch of responses at a time, and are identical to the byte in between."
)
# The schema of a reply with a status other than 200, if it is no error.
SCHEMA_OF = {202: "Calculating"}
# The statuses other than 200, each with its reason.
ALWAYS = {
    401: "The token is missing, unknown, revoked or expired.",
    429: "Too many requests, from one IP address or without a valid token. `Retry-After` has the "
    "seconds to wait.",
    503: "The database is not available. `Retry-After` has the seconds to wait.",
}
UNKNOWN = {404: "There is no such survey, or the token’s account has no access to it."}
NOT_SAVED = {
    404: "There is no such survey or saved analysis, or the token’s account has no access to it."
}
NO_ANALYSIS = {
    422: "The responses do not allow this analysis or these weights, the analysis takes too long, "
    "or a parameter is wrong. The message says why."
}
NOT_READY = {
    202: "Candor is calculating the analysis, which takes long. Request it again after the seconds "
    "in `Retry-After`."
}
DRAFT = {
    409: "The survey is a draft, or the file would have too many cells. The message says which "
    "of the two."
}
HEADERS: dict[int, dict[str, Schema]] = {
    202: {"Retry-After": {"schema": {"type": "integer"}}},
    401: {"WWW-Authenticate": {"schema": {"type": "string"}}},
    429: {"Retry-After": {"schema": {"type": "integer"}}},
    503: {"Retry-After": {"schema": {"type": "integer"}}},
}


def refusals(each: Operation) -> dict[int, str]:
    statuses = dict(ALWAYS)
    if each.of_a_survey:
        statuses |= UNKNOWN
    if not each.drafts:
        statuses |= DRAFT
    if each.of_a_saved_analysis:
        statuses |= NOT_SAVED
    if each.of_an_analysis or each.of_a_saved_analysis:
        statuses |= NOT_READY
    if each.of_an_analysis or each.of_a_saved_analysis or each.weighted:
        statuses |= NO_ANALYSIS
    return dict(sorted(statuses.items()))


def openapi_operation(each: Operation) -> dict[str, Any]:
    """An operation in the format of OpenAPI."""
    schema: Schema = {"type": "string"} if each.kind.startswith("text/") else {}
    if each.schema is not None:
        schema = reference(each.schema)
    responses: dict[str, Any] = {
        "200": {"description": each.gives, "content": {each.kind: {"schema": schema}}}
    }
    for status, text in refusals(each).items():
        responses[str(status)] = {
            "description": text,
            "content": {"application/json": {"schema": reference(SCHEMA_OF.get(status, "Error"))}},
        }
        if status in HEADERS:
            responses[str(status)]["headers"] = HEADERS[status]
    parameters = ["slug"] if each.of_a_survey else []
    parameters += ["analysis", "choices"] if each.of_an_analysis else []
    parameters += ["number"] if each.of_a_saved_analysis else []
    parameters += ["by", "totals"] if each.weighted else []
    return {
        "operationId": each.name,
        "summary": each.summary,
        "parameters": [{"$ref": f"#/components/parameters/{name}"} for name in parameters],
        "responses": responses,
    }


def openapi_document(url: str) -> dict[str, Any]:
    """The whole document, for a server at this URL."""
    return {
        "openapi": "3.1.0",
        "info": {"title": "Candor", "version": VERSION, "description": ABOUT},
        "servers": [{"url": url + (blueprint.url_prefix or "")}],
        "security": [{"token": []}],
        "paths": {each.path: {"get": openapi_operation(each)} for each in OPERATIONS},
        "components": {
            "securitySchemes": {"token": {"type": "http", "scheme": "bearer"}},
            "parameters": shared_parameters(),
            "schemas": SCHEMAS,
        },
    }


def shared_parameters() -> dict[str, Any]:
    """The parameters that several operations have."""
    return {
        "slug": {
            "name": "slug",
            "in": "path",
            "required": True,
            "description": "The slug of the survey, as in its address, or of a part of it, "
            "such as `health.by-hand`.",
            "schema": {"type": "string"},
        },
        "analysis": {
            "name": "analysis",
            "in": "path",
            "required": True,
            "description": "The name of the analysis.",
            "schema": {"enum": list(ANALYSES)},
        },
        "number": {
            "name": "number",
            "in": "path",
            "required": True,
            "description": "The number of the saved analysis, from the list.",
            "schema": {"type": "integer"},
        },
        "choices": {
            "name": "choices",
            "in": "query",
            "required": True,
            "style": "form",
            "explode": True,
            "description": "The choices of the analysis, with the names and values of its "
            "page's address.",
            "schema": {
                "type": "object",
                "additionalProperties": {"type": "array", "items": {"type": "string"}},
            },
        },
        "by": {
            "name": "by",
            "in": "query",
            "description": "The name of a non-private question with one answer out of a "
            "few. The estimates are weighted by it.",
            "schema": {"type": "string"},
        },
        "totals": {
            "name": "totals",
            "in": "query",
            "style": "form",
            "explode": True,
            "description": "With `by`: for each of its answers, `total-NAME` is the size "
            "of the group in the population, in any unit.",
            "schema": {"type": "object", "additionalProperties": {"type": "string"}},
        },
    }


@operation(
    "/openapi.json", "This document", "This API as an OpenAPI 3.1 document.", schema="OpenAPI"
)
def openapi() -> Response:
    return json_reply(openapi_document(current_app.config["CANDOR_ADMIN_URL"]))
