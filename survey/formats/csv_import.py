"""Files from researchers: responses collected elsewhere, and true shares for simulations."""

import io
import math
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from typing import Any

from survey.core.csv_cells import csv_rows
from survey.core.errors import DataFileError
from survey.core.translate import join_sentences, translate, translate_number
from survey.definition.questions import Question
from survey.definition.report_formats import Stored
from survey.definition.survey import Survey
from survey.estimation.pilot_truth import AssumedGroup
from survey.formats.csv_export import csv_column_names
from survey.planning.assumed_shares import choice_truth, hint, number_truth, parse_share
from survey.planning.pilot_form import MAX_GROUPS

# Rounded shares of groups may differ from 1 by this much.
SHARE_TOLERANCE = 1e-6


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
    for _, reports in parse_lines(lines, survey):
        if isinstance(reports, DataFileError):
            raise reports
        yield reports


def parse_lines(
    lines: Iterable[str], survey: Survey
) -> Iterator[tuple[int, tuple[Stored | None, ...] | DataFileError]]:
    """The number of each line of a responses.csv, with its reports or with what is wrong.

    Raises DataFileError if the rest of the file cannot be read: the header is wrong, or a line is
    not CSV or has another number of cells.
    """
    rows = csv_rows(lines)
    columns = {question.name: csv_column_names(question) for question in survey.fields}
    expected = [name for names in columns.values() for name in names]
    _, header = next(rows, (1, []))
    if sorted(header) != sorted(expected):
        raise DataFileError(wrong_header(survey, header, expected))
    places = {name: [header.index(column) for column in names] for name, names in columns.items()}
    sample = survey.budget.sample
    for line, row in rows:
        try:
            reports = tuple(
                stored_cells(survey, question, [row[place] for place in places[question.name]])
                for question in survey.fields
            )
        except ValueError as error:
            fault = translate("Line %(line)s, column %(fault)s", line=line, fault=error)
            yield line, DataFileError(fault)
            continue
        if sample is not None and reports.count(None) != len(survey.private) - sample:
            fault = translate(
                "Line %(line)s: a response must report on exactly %(sample)s private questions. "
                "Leave the cells of the others empty.",
                line=line,
                sample=sample,
            )
            yield line, DataFileError(fault)
            continue
        yield line, reports


@dataclass(frozen=True)
class CheckedFile:
    """A file of responses before it is loaded.

    Attributes
    ----------
    rows : the reports of each sound line
    faults : what is wrong, one sentence for each line; the file can be loaded if it is empty
    """

    rows: tuple[tuple[Stored | None, ...], ...]
    faults: tuple[str, ...]


def check_responses(content: bytes, survey: Survey) -> CheckedFile:
    """Read a whole responses.csv, and list everything that is wrong with it."""
    rows: list[tuple[Stored | None, ...]] = []
    faults: list[str] = []
    try:
        text = content.decode("utf-8-sig")
    except UnicodeDecodeError:
        return CheckedFile((), (translate("The file is not UTF-8. Save it as UTF-8."),))
    try:
        for _, reports in parse_lines(io.StringIO(text, newline=""), survey):
            if isinstance(reports, DataFileError):
                faults.append(str(reports))
            else:
                rows.append(reports)
    except DataFileError as error:
        faults.append(str(error))
    if not rows and not faults:
        faults.append(
            translate("There is no line below the headings. Choose a file with responses.")
        )
    return CheckedFile(tuple(rows), tuple(faults))


def wrong_header(survey: Survey, header: list[str], expected: list[str]) -> str:
    columns = ", ".join(expected)
    if header:
        sentences = translate(
            "Line 1 is %(header)s, but the survey's columns are %(columns)s. For a file in another "
            "format, use `responses import-randomised`.",
            header=", ".join(header),
            columns=columns,
        )
    else:
        sentences = translate(
            "Line 1 is empty, but the survey's columns are %(columns)s. For a file in another "
            "format, use `responses import-randomised`.",
            columns=columns,
        )
    return join_sentences(sentences, advice_on_texts(survey, header))


def advice_on_texts(survey: Survey, header: list[str]) -> str:
    """What to do if the file has a column of a text that the survey stores apart."""
    if not any(question.name in header for question in survey.apart):
        return ""
    return translate(
        "This survey stores texts apart. To load them with the other answers, write "
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
            translate('The file is not a JSON object. Write one such as {"smokes": {"yes": 0.3}}.')
        )
    asked = {question.name: question for question in survey.fields if not question.kind.free_text}
    for name in content:
        if name not in asked:
            raise DataFileError(
                translate(
                    "%(name)s is not a question of this survey. Remove it from the true shares.",
                    name=repr(name),
                )
            )
    truth = {}
    for name, question in asked.items():
        shares = content.get(name)
        if not isinstance(shares, Mapping):
            raise DataFileError(
                translate(
                    "The true shares of %(name)s must be an object: %(hint)s.",
                    name=repr(name),
                    hint=hint(question),
                )
            )
        truth[name] = (
            number_truth(question, question.grid, shares)
            if question.grid
            else choice_truth(question, shares)
        )
    return truth


def read_groups(content: Any, survey: Survey) -> tuple[AssumedGroup, ...]:
    """The groups of respondents of a simulation, from its file.

    Parameters
    ----------
    content : the parsed JSON
        Either true shares of all respondents, for `read_truth`, or groups with true shares each:
        `{"groups": [{"share": 0.4, "answers": {"smokes": {"yes": 0.6}}}, ...]}`. The shares of the
        groups add up to 1.

    Raises
    ------
    DataFileError
    """
    listed = content.get("groups") if isinstance(content, Mapping) else None
    if not isinstance(listed, list):
        return (AssumedGroup(1.0, read_truth(content, survey)),)
    if set(content) != {"groups"}:
        raise DataFileError(translate('With "groups", put all true shares into the groups.'))
    if not 1 <= len(listed) <= MAX_GROUPS:
        raise DataFileError(
            translate(
                "The file has %(n)s groups. Write from 1 to %(most)s.",
                n=len(listed),
                most=MAX_GROUPS,
            )
        )
    groups = []
    for place, each in enumerate(listed, 1):
        if not isinstance(each, Mapping) or set(each) != {"share", "answers"}:
            raise DataFileError(
                translate(
                    'Group %(number)s must be an object with "share" and "answers".', number=place
                )
            )
        share = parse_share(each["share"], f"group {place}")
        try:
            groups.append(AssumedGroup(share, read_truth(each["answers"], survey)))
        except DataFileError as error:
            raise DataFileError(
                translate("Group %(number)s: %(fault)s", number=place, fault=error)
            ) from error
    total = math.fsum(group.share for group in groups)
    if abs(total - 1) > SHARE_TOLERANCE:
        raise DataFileError(
            translate(
                "The shares of the groups add up to %(total)s. Make them add up to 1.",
                total=translate_number(f"{total:g}"),
            )
        )
    return tuple(AssumedGroup(group.share / total, group.truth) for group in groups)
