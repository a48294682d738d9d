"""The JSON replies of the API, as JSON Schemas (2020-12, as in OpenAPI 3.1)."""

from typing import Any

from survey.central_dp.text import RELEASE_FIELDS
from survey.estimation.findings.remarks import CAUTION, DO_NOT_USE, NOTE
from survey.estimation.results import ORIGINS
from survey.formats.csv_export import ESTIMATE_FIELDS

Schema = dict[str, Any]

TEXT: Schema = {"type": "string"}
WHOLE: Schema = {"type": "integer", "minimum": 0}
NUMBER: Schema = {"type": "number"}
NUMBER_OR_NULL: Schema = {"type": ["number", "null"]}
TEXT_OR_NULL: Schema = {"type": ["string", "null"]}
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


NAME = with_description(SLUG, "Name of the survey in its link.")
TITLE = with_description(TEXT, "Title of the survey.")
SOURCE = with_description(
    ORIGIN,
    "Source of the responses: answered in browsers, imported from a file, or simulated. A survey "
    "has only one source.",
)
FINGERPRINT = with_description(
    SHA256, "SHA-256 of the survey's definition, randomizers and privacy limits."
)
PUBLISHED = with_description(
    WHOLE, "Number of published responses. All estimates are based on them."
)
SUMMARY: dict[str, Schema] = {
    "slug": NAME,
    "title": TITLE,
    "state": with_description({"enum": ["draft", "open", "closed"]}, "State of the survey."),
    "archived": with_description({"type": "boolean"}, "Whether the survey is archived."),
    "origin": SOURCE,
    "arrived": with_description(
        WHOLE, "Number of received responses, including those that are not yet published."
    ),
    "parts": with_description(
        array_schema(SLUG), "Slugs of the sub-surveys, such as `health.by-hand`."
    ),
}
DOCUMENT: dict[str, Schema] = {
    "definition": with_description(
        OPEN, "Definition of the survey (docs/reference/definition.md)."
    ),
    "tables": with_description(
        map_schema(OPEN),
        "The randomizer of each private question, by the name of the question "
        "(docs/reference/definition.md).",
    ),
    "epsilon": with_description(
        NUMBER_OR_NULL, "Total privacy loss ε of one respondent; null if it has no finite bound."
    ),
    "fingerprint": FINGERPRINT,
    "limits": with_description(
        object_schema(
            certainty=with_description(
                NUMBER,
                "Maximum certainty (posterior probability) about one question, in percent.",
            ),
            epsilon=with_description(NUMBER, "Maximum total privacy loss ε of one respondent."),
        ),
        "The privacy limits of the server when the survey was opened.",
    ),
}
ONLY_OF_SHARES = (
    *("answer", "observed", "possible", "possible_by"),
    *("variance_at_observed", "variance_bound"),
    *("asked_estimate", "asked_standard_error", "asked_low", "asked_high", "asked_method"),
)


def describe_field(name: str, schema: Schema) -> Schema:
    """A field of estimates.json with the sentence of the same column of estimates.csv.

    Where the column has an empty cell, the field is null.
    """
    sentence = (
        ESTIMATE_FIELDS[name][1].replace("; empty", "; null").replace("else empty", "else null")
    )
    return with_description(schema, sentence)


RELEASED_FIGURE = object_schema(
    label=with_description(TEXT, RELEASE_FIELDS["figure"][1]),
    value=with_description(NUMBER, RELEASE_FIELDS["value"][1]),
    low=with_description(NUMBER_OR_NULL, f"{RELEASE_FIELDS['low'][1]} Null for a selected answer."),
    high=with_description(
        NUMBER_OR_NULL, f"{RELEASE_FIELDS['high'][1]} Null for a selected answer."
    ),
    text=with_description(TEXT, "The selected answer; empty if the statistic selects none."),
    noise_deviation=with_description(
        NUMBER_OR_NULL, RELEASE_FIELDS["noise_deviation"][1].replace("Empty", "Null")
    ),
)
SCHEMAS: dict[str, Schema] = {
    "Error": object_schema(error=with_description(TEXT, "What is wrong, and what to do.")),
    "Calculating": object_schema(
        status=with_description({"enum": ["calculating"]}, "The analysis is not ready."),
        seconds=with_description(
            WHOLE, "Seconds since the calculation started; 0 if it waits for other analyses."
        ),
        message=with_description(TEXT, "The same as a sentence."),
    ),
    "OpenAPI": with_description(OPEN, "An OpenAPI 3.1 document."),
    "Surveys": object_schema(
        surveys=with_description(
            array_schema(object_schema(**SUMMARY)), "The surveys, the newest first."
        )
    ),
    "Document": object_schema(**DOCUMENT),
    "Survey": object_schema(
        **SUMMARY,
        definition=DOCUMENT["definition"],
        document=with_description(
            {"oneOf": [reference("Document"), {"type": "null"}]},
            "The frozen document; null for a draft.",
        ),
    ),
    "Figure": object_schema(
        (*ONLY_OF_SHARES, "cannot_tell"),
        measure=describe_field("measure", TEXT),
        answer=describe_field("answer", TEXT),
        label=describe_field("label", TEXT),
        n=describe_field("n", WHOLE),
        observed=describe_field("observed", NUMBER_OR_NULL),
        estimate=describe_field("estimate", NUMBER),
        standard_error=describe_field("standard_error", NUMBER_OR_NULL),
        low=describe_field("low", NUMBER),
        high=describe_field("high", NUMBER),
        cannot_tell=describe_field("cannot_tell", TEXT),
        level=describe_field("level", NUMBER),
        method=describe_field("method", TEXT),
        possible=describe_field("possible", NUMBER),
        possible_by=describe_field("possible_by", TEXT),
        formula=with_description(TEXT, "Formula of the estimate."),
        variance_at_observed=describe_field("variance_at_observed", NUMBER_OR_NULL),
        variance_bound=describe_field("variance_bound", NUMBER_OR_NULL),
        asked_estimate=describe_field("asked_estimate", NUMBER),
        asked_standard_error=describe_field("asked_standard_error", NUMBER_OR_NULL),
        asked_low=describe_field("asked_low", NUMBER),
        asked_high=describe_field("asked_high", NUMBER),
        asked_method=describe_field("asked_method", TEXT),
    ),
    "Question": object_schema(
        ("items",),
        name=describe_field("question", TEXT),
        type=describe_field("type", TEXT),
        mechanism=describe_field("mechanism", TEXT),
        epsilon=with_description(
            NUMBER_OR_NULL,
            "Privacy loss ε of the question. For a question behind a joint question: the ε of the "
            "joint question. Null if it has no finite bound, and for a non-private question.",
        ),
        n=with_description(WHOLE, "Number of published responses with a report on the question."),
        reports=with_description(map_schema(WHOLE), "Number of responses with each report."),
        estimates=with_description(
            array_schema(reference("Figure")), "The estimates of the question."
        ),
        covariance=with_description(
            {"oneOf": [array_schema(array_schema(NUMBER)), {"type": "null"}]},
            "Covariance matrix of the estimated shares; null if unknown.",
        ),
        remarks=with_description(
            array_schema(TEXT),
            "Sentences about what the estimates cannot show, the most severe ones first.",
        ),
        remark_codes=with_description(
            array_schema(TEXT),
            "The code of each sentence in `remarks`, the same in every language "
            "(docs/reference/csv-columns.md).",
        ),
        do_not_use=with_description(
            {"type": "boolean"},
            "True if no estimate of the question may be used: its reports do not fit the design, "
            "or there are fewer than 5.",
        ),
        design_p=describe_field("design_p", NUMBER_OR_NULL),
        design_warning=describe_field("design_warning", TEXT_OR_NULL),
        items=with_description(
            array_schema(reference("Question")),
            "Only for a joint question: the results of the questions behind it.",
        ),
    ),
    "Weights": object_schema(
        question=with_description(TEXT, "Name of the question that defines the groups."),
        shares=with_description(
            map_schema(NUMBER),
            "The share of each group in the population, by the name of the answer.",
        ),
    ),
    "Estimates": object_schema(
        survey=NAME,
        fingerprint=FINGERPRINT,
        origin=SOURCE,
        n=PUBLISHED,
        epsilon=DOCUMENT["epsilon"],
        weights=with_description(
            {"oneOf": [reference("Weights"), {"type": "null"}]},
            "The weights of the estimates; null if there are none.",
        ),
        results_about=describe_field("results_about", TEXT),
        questions=with_description(
            array_schema(reference("Question")), "The questions, in the order of the survey."
        ),
    ),
    "Loss": object_schema(
        epsilon=with_description(TEXT, "Privacy loss ε as an exact decimal, such as 0.25."),
        delta=with_description(TEXT, "The δ as an exact decimal."),
    ),
    "Releases": object_schema(
        survey=NAME,
        budget=with_description(
            {"oneOf": [reference("Loss"), {"type": "null"}]},
            "The central DP budget of the survey; null if none is set.",
        ),
        left=with_description(
            {"oneOf": [reference("Loss"), {"type": "null"}]},
            "The part of the budget that is not spent.",
        ),
        releases=with_description(
            array_schema(
                object_schema(
                    number=with_description(WHOLE, RELEASE_FIELDS["number"][1]),
                    day=with_description(
                        TEXT, "Day on which the noise was added, in UTC, such as 2026-11-21."
                    ),
                    responses=with_description(WHOLE, RELEASE_FIELDS["responses"][1]),
                    request=with_description(
                        OPEN,
                        "What the researcher requested: statistic, question, privacy loss, bounds.",
                    ),
                    figures=with_description(array_schema(RELEASED_FIGURE), "The released values."),
                    predicted_correctly=with_description(
                        {"oneOf": [RELEASED_FIGURE, {"type": "null"}]},
                        "For a tree, how many respondents it predicts correctly by its noisy "
                        "counts; null for other statistics.",
                    ),
                    level=with_description(NUMBER, RELEASE_FIELDS["level"][1]),
                )
            ),
            "The releases, the oldest first.",
        ),
    ),
    "Analysis": {
        "type": "object",
        "properties": {
            "survey": NAME,
            "origin": SOURCE,
            "fingerprint": FINGERPRINT,
            "analysis": with_description(TEXT, "The name of the analysis."),
            "sentence": with_description(
                TEXT,
                "The finding in words, or why no estimate may be used, as on the page of the "
                "analysis.",
            ),
            "do_not_use": with_description(
                {"type": "boolean"}, "Whether no estimate of the analysis may be used."
            ),
            "remarks": with_description(
                array_schema(
                    object_schema(
                        code=with_description(TEXT, "The code, the same in every language."),
                        severity=with_description(
                            {"enum": [DO_NOT_USE, CAUTION, NOTE]}, "How important it is."
                        ),
                        sentence=with_description(TEXT, "The remark in words."),
                    )
                ),
                "The remarks on the page of the analysis.",
            ),
        },
        "required": [
            *("survey", "origin", "fingerprint", "analysis", "sentence", "do_not_use", "remarks"),
        ],
        # Each analysis has figures of its own.
        "additionalProperties": True,
    },
    "SavedAnalyses": object_schema(
        saved_analyses=with_description(
            array_schema(
                object_schema(
                    number=with_description(
                        WHOLE, "Random number that identifies the saved analysis."
                    ),
                    name=with_description(TEXT, "The name that a researcher gave it."),
                    analysis=with_description(TEXT, "The name of the analysis."),
                    query=with_description(
                        TEXT,
                        "The settings of the analysis, in the format of the query string of its "
                        "page's URL.",
                    ),
                )
            ),
            "The saved analyses.",
        )
    ),
    "Codebook": object_schema(
        ("joint_items",),
        **DOCUMENT,
        origin=SOURCE,
        origin_meaning=with_description(TEXT, "The source of the responses in words."),
        n=PUBLISHED,
        responses_csv=with_description(TEXT, "The format of responses.csv in words."),
        note=with_description(
            array_schema(TEXT),
            "What the columns contain, the total privacy loss and how to estimate, in the language "
            "of the survey.",
        ),
        column_labels=with_description(
            map_schema(TEXT), "The label of each column, which says whether it contains reports."
        ),
        columns=with_description(
            map_schema(array_schema(TEXT)),
            "Columns of responses.csv, by the name of the question.",
        ),
        joint_items=with_description(
            map_schema(OPEN),
            "Only with joint questions: for each question behind them, the answer that each "
            "combination contains (`parts`), and the table of these answers (`rows`). The table is "
            "empty if reports are sets of combinations.",
        ),
        versions=with_description(
            map_schema(TEXT), "Versions of Candor, numpy and Python that calculated the estimates."
        ),
    ),
}
