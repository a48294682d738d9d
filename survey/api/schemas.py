"""The JSON that the API gives, as JSON Schemas (2020-12, as OpenAPI 3.1 has them)."""

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


def described(schema: Schema, text: str) -> Schema:
    return schema | {"description": text}


def record(optional: tuple[str, ...] = (), /, **fields: Schema) -> Schema:
    """An object of exactly these fields."""
    return {
        "type": "object",
        "properties": fields,
        "required": [name for name in fields if name not in optional],
        "additionalProperties": False,
    }


def listed(schema: Schema) -> Schema:
    return {"type": "array", "items": schema}


def named(schema: Schema) -> Schema:
    """An object whose fields have names of their own, such as those of questions."""
    return {"type": "object", "additionalProperties": schema}


def reference(name: str) -> Schema:
    return {"$ref": f"#/components/schemas/{name}"}


EPSILON = described(NUMBER_OR_NULL, "The privacy loss, or null where it has no finite bound.")
SUMMARY: dict[str, Schema] = {
    "slug": SLUG,
    "title": TEXT,
    "state": {"enum": ["draft", "open", "closed"]},
    "archived": {"type": "boolean"},
    "origin": described(ORIGIN, "Where the responses come from; never mixed."),
    "arrived": described(
        WHOLE, "How many responses there are, also those that no figure or file has yet."
    ),
    "parts": described(
        listed(SLUG), "What was asked by hand or afterwards, each like a survey of its own."
    ),
}
DOCUMENT: dict[str, Schema] = {
    "definition": described(OPEN, "As in docs/definition.md."),
    "tables": described(named(OPEN), "By question: the integers that answers are mixed up with."),
    "epsilon": EPSILON,
    "fingerprint": SHA256,
    "limits": described(
        record(certainty=NUMBER, epsilon=NUMBER),
        "The privacy limits that it was opened under; older documents have none.",
    ),
}
ONLY_OF_SHARES = (
    *("answer", "observed", "possible", "possible_by"),
    *("variance_at_observed", "variance_bound"),
)

SCHEMAS: dict[str, Schema] = {
    "Error": record(error=described(TEXT, "What happened and what to do, in a sentence.")),
    "OpenAPI": described(OPEN, "An OpenAPI 3.1 document."),
    "Surveys": record(surveys=listed(record(**SUMMARY))),
    "Document": record(("limits",), **DOCUMENT),
    "Survey": record(
        **SUMMARY,
        definition=DOCUMENT["definition"],
        document={"oneOf": [reference("Document"), {"type": "null"}]},
    ),
    "Figure": record(
        ONLY_OF_SHARES,
        measure=described(TEXT, "share, mean, standard_deviation, a quantile, …"),
        answer=described(TEXT, "The name of the choice; only of shares."),
        label=TEXT,
        n=WHOLE,
        observed=described(NUMBER_OR_NULL, "The share of reports that speak for it."),
        estimate=described(NUMBER, "Unclipped: it may lie outside of what is possible."),
        standard_error=NUMBER_OR_NULL,
        low=NUMBER,
        high=NUMBER,
        level=described(NUMBER, "How often the interval from low to high holds the truth."),
        method=TEXT,
        possible=described(NUMBER, "An estimate within 0 and 1, made as possible_by says."),
        possible_by=TEXT,
        formula=TEXT,
        variance_at_observed=NUMBER_OR_NULL,
        variance_bound=NUMBER_OR_NULL,
    ),
    "Question": record(
        name=TEXT,
        type=TEXT,
        mechanism={"type": ["string", "null"]},
        epsilon=EPSILON,
        n=WHOLE,
        reports=described(named(WHOLE), "How often each report came."),
        estimates=listed(reference("Figure")),
        covariance={"oneOf": [listed(listed(NUMBER)), {"type": "null"}]},
        remarks=listed(TEXT),
    ),
    "Estimates": record(
        survey=SLUG,
        fingerprint=SHA256,
        origin=ORIGIN,
        n=described(WHOLE, "How many responses are released; all figures are of these."),
        epsilon=EPSILON,
        questions=listed(reference("Question")),
    ),
    "Loss": record(
        epsilon=described(TEXT, "An exact decimal, such as 0.25."),
        delta=described(TEXT, "The same."),
    ),
    "Releases": record(
        survey=SLUG,
        budget={"oneOf": [reference("Loss"), {"type": "null"}]},
        left={"oneOf": [reference("Loss"), {"type": "null"}]},
        releases=listed(
            record(
                number=WHOLE,
                day=described(TEXT, "In UTC, such as 2026-11-21."),
                responses=WHOLE,
                request=described(OPEN, "What was asked for: statistic, question, loss, bounds."),
                figures=listed(
                    record(
                        label=TEXT,
                        value=NUMBER,
                        low=described(NUMBER_OR_NULL, "Null where a candidate was selected."),
                        high=NUMBER_OR_NULL,
                        text=described(TEXT, "What was selected, or empty."),
                    )
                ),
                level=described(NUMBER, "How often all ranges of a release hold."),
            )
        ),
    ),
    "Codebook": record(
        ("limits",),
        **DOCUMENT,
        origin=ORIGIN,
        origin_meaning=TEXT,
        n=WHOLE,
        responses_csv=TEXT,
        columns=described(named(listed(TEXT)), "By question: its columns in responses.csv."),
        versions=named(TEXT),
    ),
}
