"""The JSON replies of the API, as JSON Schemas (2020-12, as in OpenAPI 3.1)."""

from typing import Any

from survey.estimation.results import ORIGINS

Schema = dict[str, Any]

TEXT: Schema = {"type": "string"}
WHOLE: Schema = {"type": "integer", "minimum": 0}
NUMBER: Schema = {"type": "number"}
NUMBER_OR_NULL: Schema = {"type": ["number", "null"]}
SHA256: Schema = {"type": "string", "pattern": "^[0-9a-f]{64}$"}
SLUG: Schema = {"type": "string", "pattern": "^[a-z0-9-]+([.][a-z-]+)?$"}
ORIGIN: Schema = {"enum": list(ORIGINS)}
OPEN: Schema = {"type": "object"}


def with_description(schema: Schema, text: str) -> Schema:
    return schema | {"description": text}


def object_schema(optional: tuple[str, ...] = (), /, **fields: Schema) -> Schema:
    """An object with exactly these fields."""
    return {
        "type": "object",
        "properties": fields,
        "required": [name for name in fields if name not in optional],
        "additionalProperties": False,
    }


def array_schema(schema: Schema) -> Schema:
    return {"type": "array", "items": schema}


def map_schema(schema: Schema) -> Schema:
    """An object whose keys are data, such as the names of questions."""
    return {"type": "object", "additionalProperties": schema}


def reference(name: str) -> Schema:
    return {"$ref": f"#/components/schemas/{name}"}


EPSILON = with_description(NUMBER_OR_NULL, "The privacy loss, or null if it has no finite bound.")
SUMMARY: dict[str, Schema] = {
    "slug": SLUG,
    "title": TEXT,
    "state": {"enum": ["draft", "open", "closed"]},
    "archived": {"type": "boolean"},
    "origin": with_description(ORIGIN, "The origin of the responses; origins are never mixed."),
    "arrived": with_description(
        WHOLE, "The number of responses, including those that are not yet published."
    ),
    "parts": with_description(
        array_schema(SLUG), "Paper-and-coin mode and the comprehension test, each like a survey."
    ),
}
DOCUMENT: dict[str, Schema] = {
    "definition": with_description(OPEN, "As in docs/reference/definition.md."),
    "tables": with_description(
        map_schema(OPEN), "By question: the integers that randomise its answers."
    ),
    "epsilon": EPSILON,
    "fingerprint": SHA256,
    "limits": with_description(
        object_schema(certainty=NUMBER, epsilon=NUMBER),
        "The privacy limits under which it was opened; older documents have none.",
    ),
}
ONLY_OF_SHARES = (
    *("answer", "observed", "possible", "possible_by"),
    *("variance_at_observed", "variance_bound"),
)

SCHEMAS: dict[str, Schema] = {
    "Error": object_schema(error=with_description(TEXT, "What is wrong, and what to do.")),
    "OpenAPI": with_description(OPEN, "An OpenAPI 3.1 document."),
    "Surveys": object_schema(surveys=array_schema(object_schema(**SUMMARY))),
    "Document": object_schema(("limits",), **DOCUMENT),
    "Survey": object_schema(
        **SUMMARY,
        definition=DOCUMENT["definition"],
        document={"oneOf": [reference("Document"), {"type": "null"}]},
    ),
    "Figure": object_schema(
        ONLY_OF_SHARES,
        measure=with_description(TEXT, "share, mean, standard_deviation, a quantile, …"),
        answer=with_description(TEXT, "The name of the choice; only for shares."),
        label=TEXT,
        n=WHOLE,
        observed=with_description(NUMBER_OR_NULL, "The share of reports that support it."),
        estimate=with_description(NUMBER, "Unclipped: it may lie outside the possible range."),
        standard_error=NUMBER_OR_NULL,
        low=NUMBER,
        high=NUMBER,
        level=with_description(NUMBER, "The confidence level of the interval from low to high."),
        method=TEXT,
        possible=with_description(NUMBER, "An estimate within 0 and 1, by the method possible_by."),
        possible_by=TEXT,
        formula=TEXT,
        variance_at_observed=NUMBER_OR_NULL,
        variance_bound=NUMBER_OR_NULL,
    ),
    "Question": object_schema(
        name=TEXT,
        type=TEXT,
        mechanism={"type": ["string", "null"]},
        epsilon=EPSILON,
        n=WHOLE,
        reports=with_description(map_schema(WHOLE), "The number of times each report occurs."),
        estimates=array_schema(reference("Figure")),
        covariance={"oneOf": [array_schema(array_schema(NUMBER)), {"type": "null"}]},
        remarks=array_schema(TEXT),
    ),
    "Estimates": object_schema(
        survey=SLUG,
        fingerprint=SHA256,
        origin=ORIGIN,
        n=with_description(WHOLE, "The number of published responses, on which all figures rest."),
        epsilon=EPSILON,
        questions=array_schema(reference("Question")),
    ),
    "Loss": object_schema(
        epsilon=with_description(TEXT, "An exact decimal, such as 0.25."),
        delta=with_description(TEXT, "The same."),
    ),
    "Releases": object_schema(
        survey=SLUG,
        budget={"oneOf": [reference("Loss"), {"type": "null"}]},
        left={"oneOf": [reference("Loss"), {"type": "null"}]},
        releases=array_schema(
            object_schema(
                number=WHOLE,
                day=with_description(TEXT, "In UTC, such as 2026-11-21."),
                responses=WHOLE,
                request=with_description(
                    OPEN, "The request: statistic, question, privacy loss, bounds."
                ),
                figures=array_schema(
                    object_schema(
                        label=TEXT,
                        value=NUMBER,
                        low=with_description(NUMBER_OR_NULL, "Null if a candidate was selected."),
                        high=NUMBER_OR_NULL,
                        text=with_description(TEXT, "The selected candidate, or empty."),
                    )
                ),
                level=with_description(NUMBER, "The probability that all intervals hold."),
            )
        ),
    ),
    "Codebook": object_schema(
        ("limits",),
        **DOCUMENT,
        origin=ORIGIN,
        origin_meaning=TEXT,
        n=WHOLE,
        responses_csv=TEXT,
        columns=with_description(
            map_schema(array_schema(TEXT)), "By question: its columns in responses.csv."
        ),
        versions=map_schema(TEXT),
    ),
}
