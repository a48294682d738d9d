"""Coded texts as CSV: one row for each text and each person who coded it."""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from survey.core.csv_cells import csv_text
from survey.definition.questions import Question

# The columns of coded-texts.csv before those of the codes. `make reference` writes them into
# docs/reference/csv-columns.md.
CODED_TEXT_FIELDS = {
    "text_id": (
        "64 hexadecimal digits",
        "Identifies the text. Rows with the same value are about the same text.",
    ),
    "question": ("text", "Name of the question."),
    "text": ("text", "The text as the respondent typed it."),
    "coder": ("text", "Account of the person who coded the text; empty if nobody coded it."),
    "codes": (
        "number",
        "Number of codes that the coder gave to the text. It is 0 if the coder ticked “No code "
        "fits”, and empty if nobody coded the text.",
    ),
}


@dataclass(frozen=True)
class WrittenText:
    """A text of a respondent. `key` identifies it, and says nothing about who wrote it."""

    key: bytes
    question: Question
    text: str


def coded_texts_csv(
    texts: Iterable[WrittenText],
    codes: Sequence[tuple[int, str]],
    codings: Mapping[bytes, Mapping[str, Iterable[int]]],
) -> str:
    """The CSV file. After CODED_TEXT_FIELDS it has a column for each code: 1 given, 0 not given.

    Parameters
    ----------
    codes : the number and the name of each code
    codings : the codes that each coder gave, by the key of the text
    """
    rows: list[Sequence[Any]] = [[*CODED_TEXT_FIELDS, *(name for _, name in codes)]]
    for text in texts:
        about = [text.key.hex(), text.question.name, text.text]
        by_coder = codings.get(text.key, {})
        for coder in sorted(by_coder):
            given = [int(number in by_coder[coder]) for number, _ in codes]
            rows.append([*about, coder, sum(given), *given])
        if not by_coder:
            rows.append([*about, None, None, *[None] * len(codes)])
    return csv_text(rows)
