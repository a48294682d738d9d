"""Files that researchers bring: responses collected elsewhere, and truths to simulate."""

import csv
import math
from collections.abc import Iterable, Iterator, Mapping
from statistics import NormalDist, StatisticsError
from typing import Any

from .definition import Survey
from .errors import DataFileError
from .export import columns_of
from .grid import Grid
from .questions import DECLINED, SELECT_MULTIPLE, TEXT, Question
from .reports import Stored


def read_responses(lines: Iterable[str], survey: Survey) -> Iterator[tuple[Stored | None, ...]]:
    """The reports of each line of a responses.csv, in the survey's order of questions.

    Parameters
    ----------
    lines : iterable of str
        CSV with a header: the columns of responses.csv in any order, each cell a report's name, or
        1 and 0 for a choice; all cells of a question empty where it is not reported on.

    Raises
    ------
    DataFileError
        Naming the line and what is wrong with it.
    """
    rows = csv.reader(lines, strict=True)
    columns = {question.name: columns_of(question) for question in survey.fields}
    expected = [name for names in columns.values() for name in names]
    try:
        header = next(rows, [])
        if sorted(header) != sorted(expected):
            raise DataFileError(
                f"Line 1 is {', '.join(header) or 'empty'}; the survey's columns are "
                f"{', '.join(expected)}. `survey bring` makes a survey from a file in another form."
            )
        places = {
            name: [header.index(column) for column in names] for name, names in columns.items()
        }
        for row in rows:
            if not row:  # an empty line, as editors leave at the end
                continue
            if len(row) != len(header):
                raise DataFileError(
                    f"Line {rows.line_num} has {len(row)} cells, line 1 has {len(header)}."
                )
            try:
                reports = tuple(
                    stored_cells(survey, question, [row[place] for place in places[question.name]])
                    for question in survey.fields
                )
            except ValueError as error:
                raise DataFileError(f"Line {rows.line_num}, column {error}") from error
            sample = survey.budget.sample
            if sample is not None and reports.count(None) != len(survey.private) - sample:
                raise DataFileError(
                    f"Line {rows.line_num}: a response reports on exactly {sample} private "
                    "questions; the cells of the others are empty."
                )
            yield reports
    except csv.Error as error:
        raise DataFileError(f"Line {rows.line_num} is not CSV: {error}.") from error


def stored_cells(survey: Survey, question: Question, cells: list[str]) -> Stored | None:
    """What is stored of one question's cells; raises ValueError, naming the question."""
    form = question.form
    if not survey.always_reported(question) and not any(cells):
        return None
    try:
        return form.from_cells(cells)
    except ValueError as error:
        raise ValueError(f"{question.name}: {error}") from error


def read_truth(content: Any, survey: Survey) -> dict[str, list[float]]:
    """The true shares of each question's answers, from a truth file.

    Parameters
    ----------
    content : the parsed JSON, such as `{"smokes": {"yes": 0.3, "no": 0.7}}`
        Every question is there but notes and texts. Of choices one may be left out, and gets what
        remains. Boxes have a share each, 0 if left out. Numbers have `{"mean": 62, "sd": 12}`,
        or shares by value. "prefer_not_to_say" has a share like a choice, 0 if left out.

    Returns
    -------
    dict
        For each question, shares in the order of its choices, or of its grid's values, then that
        of "prefer not to say" if it is offered. Those of boxes do not add up to one.

    Raises
    ------
    DataFileError
    """
    if not isinstance(content, Mapping):
        raise DataFileError('A truth is an object such as {"smokes": {"yes": 0.3}}.')
    asked = {question.name: question for question in survey.fields if question.type != TEXT}
    for name in content:
        if name not in asked:
            raise DataFileError(f"The truth names {name!r}, which is no question of the survey.")
    truth = {}
    for name, question in asked.items():
        shares = content.get(name)
        if not isinstance(shares, Mapping):
            raise DataFileError(f"The truth of {name!r} is an object: {hint(question)}.")
        truth[name] = (
            number_truth(question, question.grid, shares)
            if question.grid
            else choice_truth(question, shares)
        )
    return truth


def hint(question: Question) -> str:
    if question.grid is not None:
        return '{"mean": ..., "sd": ...}, or the share of each value'
    names = ", ".join(choice.name for choice in question.offered)
    return f"the share of each choice: {names}"


def share(value: Any, name: str) -> float:
    if isinstance(value, bool) or not isinstance(value, int | float) or not 0 <= value <= 1:
        raise DataFileError(f"The share of {name!r} is a number from 0 to 1.")
    return float(value)


def choice_truth(question: Question, shares: Mapping[str, Any]) -> list[float]:
    names = [choice.name for choice in question.offered]
    for name in shares:
        if name not in names:
            raise DataFileError(f"{question.name!r} has no choice {name!r}.")
    given = [None if name not in shares else share(shares[name], name) for name in names]
    if question.type == SELECT_MULTIPLE:
        return [value or 0.0 for value in given]
    if DECLINED in names:
        given[-1] = given[-1] or 0.0
    rest = 1 - sum(value for value in given if value is not None)
    if given.count(None) > 1 or (abs(rest) > 1e-9 and None not in given) or rest < -1e-9:
        raise DataFileError(
            f"The shares of {question.name!r} add up to {1 - rest:g}; they need to make 1, "
            "and at most one choice may be left out."
        )
    return [max(0.0, rest) if value is None else value for value in given]


def number_truth(question: Question, grid: Grid, shares: Mapping[str, Any]) -> list[float]:
    declines = question.offers_to_decline
    declined = share(shares.get(DECLINED, 0), DECLINED)
    if declined and not declines:
        raise DataFileError(f"{question.name!r} has no choice {DECLINED!r}.")
    rest = {name: value for name, value in shares.items() if name != DECLINED}
    values = [0.0] * grid.size
    if set(rest) == {"mean", "sd"}:
        try:
            law = NormalDist(float(rest["mean"]), float(rest["sd"]))
            steps = [float(grid.value(place)) for place in range(grid.size)]
            values = [law.pdf(step) for step in steps]
            if not math.isfinite(sum(values)):  # JSON as Python reads it has NaN
                raise ValueError
        except (ArithmeticError, StatisticsError, TypeError, ValueError) as error:
            raise DataFileError(f"{question.name!r}: mean and sd are numbers, sd > 0.") from error
        if not sum(values):
            raise DataFileError(f"{question.name!r}: such a mean is too far out of the range.")
    else:
        for name, value in rest.items():
            try:
                values[grid.index(name)] = share(value, name)
            except ValueError as error:
                raise DataFileError(f"{question.name!r}: {name!r} is no value of it.") from error
        if abs(sum(values) + declined - 1) > 1e-9:
            raise DataFileError(
                f"The shares of {question.name!r} add up to {sum(values) + declined:g}, not 1."
            )
    scale = (1 - declined) / sum(values) if sum(values) else 0.0
    return [value * scale for value in values] + ([declined] if declines else [])
