"""Files that researchers bring: responses collected elsewhere, and truths to simulate."""

import csv
from collections.abc import Iterable, Iterator, Mapping
from typing import Any

from .definition import Survey
from .errors import DataFileError


def read_responses(lines: Iterable[str], survey: Survey) -> Iterator[tuple[int, ...]]:
    """The reports of each line of a responses.csv, in the survey's order of questions.

    Parameters
    ----------
    lines : iterable of str
        CSV with a header: a column for each question, in any order, each cell a report's name.

    Raises
    ------
    DataFileError
        Naming the line and what is wrong with it.
    """
    rows = csv.reader(lines, strict=True)
    names = [question.name for question in survey.questions]
    codes = [
        {report.name: code for code, report in enumerate(question.reports)}
        for question in survey.questions
    ]
    try:
        header = next(rows, [])
        if sorted(header) != sorted(names):
            raise DataFileError(
                f"Line 1 is {', '.join(header) or 'empty'}; the survey's columns are "
                f"{', '.join(names)}."
            )
        columns = [header.index(name) for name in names]
        for row in rows:
            if not row:  # an empty line, as editors leave at the end
                continue
            if len(row) != len(header):
                raise DataFileError(
                    f"Line {rows.line_num} has {len(row)} cells, line 1 has {len(header)}."
                )
            reports = []
            for name, column, code in zip(names, columns, codes, strict=True):
                if row[column] not in code:
                    raise DataFileError(
                        f"Line {rows.line_num}, column {name}: {row[column]!r} is no report of "
                        f"this question. There are: {', '.join(code)}."
                    )
                reports.append(code[row[column]])
            yield tuple(reports)
    except csv.Error as error:
        raise DataFileError(f"Line {rows.line_num} is not CSV: {error}.") from error


def read_truth(content: Any, survey: Survey) -> list[list[float]]:
    """The true shares of each question's choices, in order, from a truth file.

    Parameters
    ----------
    content : the parsed JSON, such as `{"smokes": {"yes": 0.3, "no": 0.7}}`
        Every question is there. One choice may be left out, and gets what remains.

    Raises
    ------
    DataFileError
    """
    if not isinstance(content, Mapping):
        raise DataFileError('A truth is an object such as {"smokes": {"yes": 0.3}}.')
    for name in content:
        if name not in {question.name for question in survey.questions}:
            raise DataFileError(f"The truth names {name!r}, which is no question of the survey.")
    truth = []
    for question in survey.questions:
        shares = content.get(question.name)
        names = [choice.name for choice in question.choices]
        if not isinstance(shares, Mapping):
            raise DataFileError(
                f"The truth of {question.name!r} is an object with the share of each choice: "
                f"{', '.join(names)}."
            )
        for name, share in shares.items():
            if name not in names:
                raise DataFileError(f"{question.name!r} has no choice {name!r}.")
            if isinstance(share, bool) or not isinstance(share, int | float) or not 0 <= share <= 1:
                raise DataFileError(f"The share of {name!r} is a number from 0 to 1.")
        given = [shares.get(name) for name in names]
        rest = 1 - sum(share for share in given if share is not None)
        if given.count(None) > 1 or (abs(rest) > 1e-9 and None not in given) or rest < -1e-9:
            raise DataFileError(
                f"The shares of {question.name!r} add up to {1 - rest:g}; they need to make 1, "
                "and at most one choice may be left out."
            )
        truth.append([max(0.0, rest) if share is None else float(share) for share in given])
    return truth
