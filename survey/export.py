"""Exports: responses and estimates as CSV, and the codebook that explains them.

CSV is UTF-8 without a byte order mark, numbers with a decimal point at full precision. A text
that a spreadsheet would run as a formula gets an apostrophe in front (OWASP ASVS 1.2.10).
"""

import csv
import io
import platform
from collections.abc import Iterable, Iterator, Sequence
from typing import Any

import numpy as np

from . import VERSION
from .definition import FrozenSurvey, finite
from .results import ORIGINS, Results

ROWS_AT_ONCE = 1_000  # responses in one piece of the stream
ESTIMATE_COLUMNS = (
    *("survey", "fingerprint", "origin", "survey_epsilon"),
    *("question", "type", "mechanism", "epsilon"),
    *("answer", "label", "n", "observed", "estimate", "standard_error", "low", "high"),
    *("level", "method", "most_likely", "variance_at_observed", "variance_bound"),
)


def cell(value: Any) -> str:
    """One cell: empty for None, numbers as they are, texts made safe for spreadsheets."""
    if value is None:
        return ""
    if isinstance(value, int | float):
        return repr(value)
    text = str(value).replace("\0", "")
    return f"'{text}" if text[:1] in ("=", "+", "-", "@", "\t", "\r", "\n") else text


def csv_text(rows: Iterable[Sequence[Any]]) -> str:
    buffer = io.StringIO()
    writer = csv.writer(buffer, lineterminator="\r\n")  # RFC 4180
    writer.writerows([cell(value) for value in row] for row in rows)
    return buffer.getvalue()


def responses_csv(frozen: FrozenSurvey, responses: Iterable[Sequence[int]]) -> Iterator[str]:
    """The responses, one row each: a column for each question, holding the report's name.

    Parameters
    ----------
    responses : iterable of the reports of one respondent, in random-id order
        Consumed piece by piece: memory does not grow with its length.
    """
    questions = frozen.survey.questions
    names = [[report.name for report in question.reports] for question in questions]
    piece: list[Sequence[Any]] = [[question.name for question in questions]]
    for reports in responses:
        piece.append([names[column][report] for column, report in enumerate(reports)])
        if len(piece) >= ROWS_AT_ONCE:
            yield csv_text(piece)
            piece = []
    yield csv_text(piece)


def estimates_csv(results: Results) -> str:
    """One row for each answer of each question, with everything that the page shows."""
    survey = results.frozen.survey
    rows: list[Sequence[Any]] = [ESTIMATE_COLUMNS]
    for question in results.questions:
        for answer in question.answers:
            rows.append(
                [
                    survey.slug,
                    results.frozen.fingerprint,
                    results.origin,
                    finite(survey.epsilon),
                    question.question.name,
                    question.question.type,
                    question.question.mechanism,
                    finite(question.epsilon),
                    answer.choice.name,
                    answer.choice.label,
                    question.n,
                    answer.observed,
                    answer.value,
                    answer.standard_error,
                    answer.low,
                    answer.high,
                    question.level,
                    answer.method,
                    answer.most_likely,
                    answer.variance_at_observed,
                    answer.variance_bound,
                ]
            )
    return csv_text(rows)


def codebook(results: Results) -> dict[str, Any]:
    """All that is needed to recompute every figure from responses.csv."""
    return {
        **results.frozen.document(),
        "origin": results.origin,
        "origin_meaning": ORIGINS[results.origin],
        "n": results.n,
        "responses_csv": "one row a response in random order; each cell is the name of a report",
        "versions": {
            "candor": VERSION,
            "numpy": np.__version__,
            "python": platform.python_version(),
        },
    }
