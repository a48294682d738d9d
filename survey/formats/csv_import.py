"""Files that researchers bring: responses collected elsewhere, and truths to simulate."""

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
    rows = csv_rows(lines)
    columns = {question.name: csv_column_names(question) for question in survey.fields}
    expected = [name for names in columns.values() for name in names]
    _, header = next(rows, (1, []))
    if sorted(header) != sorted(expected):
        raise DataFileError(
            f"Line 1 is {', '.join(header) or 'empty'}; the survey's columns are "
            f"{', '.join(expected)}. `responses import-randomised` makes a survey from a file "
            "in another form."
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
                f"Line {line}: a response reports on exactly {sample} private questions; the cells "
                "of the others are empty."
            )
        yield reports


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
    asked = {question.name: question for question in survey.fields if not question.kind.free_text}
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
