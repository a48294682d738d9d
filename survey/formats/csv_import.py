"""Files from researchers: responses collected elsewhere, and true shares for simulations."""

from collections.abc import Iterable, Iterator, Mapping
from typing import Any

from survey.core.csv_cells import csv_rows
from survey.core.errors import DataFileError
from survey.definition.questions import Question
from survey.definition.report_formats import Stored
from survey.definition.survey import Survey
from survey.formats.csv_export import csv_column_names
from survey.planning.assumed_shares import choice_truth, hint, number_truth


def read_responses(lines: Iterable[str], survey: Survey) -> Iterator[tuple[Stored | None, ...]]:
    """The reports of each line of a responses.csv, in the order of the survey's questions.

    Parameters
    ----------
    lines : iterable of str
        CSV with a header: the columns of responses.csv in any order. Each cell is the name of a
        report, or 1 or 0 for a choice. All cells of a question without a report are empty.

    Raises
    ------
    DataFileError
        With the line and the fault.
    """
    rows = csv_rows(lines)
    columns = {question.name: csv_column_names(question) for question in survey.fields}
    expected = [name for names in columns.values() for name in names]
    _, header = next(rows, (1, []))
    if sorted(header) != sorted(expected):
        raise DataFileError(
            f"Line 1 is {', '.join(header) or 'empty'}, but the survey's columns are "
            f"{', '.join(expected)}. For a file in another form, use "
            f"`responses import-randomised`.{advice_on_texts(survey)}"
        )
    places = {name: [header.index(column) for column in names] for name, names in columns.items()}
    sample = survey.budget.sample
    for line, row in rows:
        try:
            reports = tuple(
                stored_cells(survey, question, [row[place] for place in places[question.name]])
                for question in survey.fields
            )
        except ValueError as error:
            raise DataFileError(f"Line {line}, column {error}") from error
        if sample is not None and reports.count(None) != len(survey.private) - sample:
            raise DataFileError(
                f"Line {line}: a response must report on exactly {sample} private questions. Leave "
                "the cells of the others empty."
            )
        yield reports


def advice_on_texts(survey: Survey) -> str:
    if not survey.apart:
        return ""
    return (
        " This survey stores texts apart. To load them with the other answers, write "
        '"texts_apart": false into the definition and import it again.'
    )


def stored_cells(survey: Survey, question: Question, cells: list[str]) -> Stored | None:
    """The stored report of a question's cells. Raises ValueError with the question's name."""
    form = question.form
    if not survey.always_reported(question) and not any(cells):
        return None
    try:
        return form.from_cells(cells)
    except ValueError as error:
        raise ValueError(f"{question.name}: {error}") from error


def read_truth(content: Any, survey: Survey) -> dict[str, list[float]]:
    """The true shares of each question's answers, from a file for a simulation.

    Parameters
    ----------
    content : the parsed JSON, such as `{"smokes": {"yes": 0.3, "no": 0.7}}`
        It needs every question except notes and texts. One choice may be omitted and gets the
        rest. Boxes have a share each, 0 if omitted. Numbers have `{"mean": 62, "sd": 12}`, or
        shares by value. "prefer_not_to_say" has a share like a choice, 0 if omitted.

    Returns
    -------
    dict
        For each question, the shares in the order of its choices or of the values of its grid. The
        share of "prefer not to say" follows if it is offered. The shares of boxes do not add up to
        one.

    Raises
    ------
    DataFileError
    """
    if not isinstance(content, Mapping):
        raise DataFileError(
            'The file is not a JSON object. Write one such as {"smokes": {"yes": 0.3}}.'
        )
    asked = {question.name: question for question in survey.fields if not question.kind.free_text}
    for name in content:
        if name not in asked:
            raise DataFileError(
                f"{name!r} is not a question of this survey. Remove it from the true shares."
            )
    truth = {}
    for name, question in asked.items():
        shares = content.get(name)
        if not isinstance(shares, Mapping):
            raise DataFileError(f"The true shares of {name!r} must be an object: {hint(question)}.")
        truth[name] = (
            number_truth(question, question.grid, shares)
            if question.grid
            else choice_truth(question, shares)
        )
    return truth
