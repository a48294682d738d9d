"""spss.sps: syntax that reads responses.csv, with labels, missing values and formats.

A single column of names becomes a number for each name, with a label. A bit stays 0 or 1. The
syntax is that of IBM SPSS 21 and later. GNU PSPP reads it too, and the tests use PSPP.
"""

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from fractions import Fraction

from survey.core.number_grid import decimal_text
from survey.definition.choices import Choice, names_of
from survey.definition.frozen import FrozenSurvey
from survey.definition.questions import Question
from survey.definition.report_formats import Bits, Combination
from survey.definition.survey import Survey
from survey.estimation.results import ORIGINS
from survey.formats.csv_export import csv_column_names
from survey.formats.export_bundle.script_files import in_one_line

RESERVED_NAMES = {"all", "and", "by", "eq", "ge", "gt", "le", "lt", "ne", "not", "or", "to", "with"}
# The longest name of a variable.
MAX_NAME_BYTES = 64
# A line has at most 256 bytes.
MAX_LABEL_BYTES = {"variable": 240, "value": 120}
# 1,000 characters of at most four bytes, and an apostrophe.
TEXT_BYTES = 4_004
NUMERIC = re.compile(r"-?\d+(\.\d+)?")


@dataclass(frozen=True)
class SPSSVariable:
    """One variable.

    Attributes
    ----------
    read : the name of the column in GET DATA; a different one if its names become numbers
    width : bytes of the texts in that column; 0 if it contains numbers
    codes : the texts that become numbers, each with its number and label
    numbers : whether all other texts of the column are numbers
    labels : the labels of the numbers, if the column contains numbers
    missing : the numbers that mean a missing answer
    """

    name: str
    label: str
    read: str
    width: int = 0
    codes: tuple[tuple[str, str, str], ...] = ()
    numbers: bool = False
    labels: tuple[tuple[str, str], ...] = ()
    missing: tuple[str, ...] = ()
    level: str = "NOMINAL"
    shown: str = "F5.0"


def spss_syntax(frozen: FrozenSurvey, origin: str, responses_file: str) -> str:
    """The whole file. `responses_file` has one line for each response
    (survey/formats/export_bundle/archive.py)."""
    variables = variables_of(frozen.survey)
    lines = [
        "* Encoding: UTF-8.",
        # A line that ends with a full stop would end the comment.
        f"* {in_one_line(frozen.survey.title).rstrip('.')}; responses: {ORIGINS[origin]}.",
        f"* Fingerprint: {frozen.fingerprint}.",
        "* Run this with the folder of the files as the working directory (CD), or write the full",
        "  path of the file below.",
        "* A private question holds randomised reports. Their frequencies are not estimates.",
        "* The file of estimates has the estimates, and estimate.R computes them.",
        "* In such a question Prefer not to say is a report like any other, and not missing.",
        "",
        "SET DECIMAL=DOT.",
        "GET DATA",
        "  /TYPE=TXT",
        f"  /FILE='{responses_file}'",
        "  /ENCODING='UTF8'",
        "  /ARRANGEMENT=DELIMITED",
        '  /DELIMITERS=","',
        "  /QUALIFIER='\"'",
        "  /FIRSTCASE=2",
        "  /VARIABLES=",
        *(f"    {v.read} {f'A{v.width}' if v.width else 'F20.0'}" for v in variables),
        "  .",
        "",
        *(line for v in variables for line in recode_commands(v)),
        "EXECUTE.",
    ]
    replaced = [v.read for v in variables if v.read != v.name]
    if replaced:
        lines += ["DELETE VARIABLES", *(f"  {name}" for name in replaced), "  ."]
    lines += ["", *(line for v in variables for line in labelling_commands(v))]
    return "\n".join([*lines, "EXECUTE."]) + "\n"


def recode_commands(variable: SPSSVariable) -> Iterator[str]:
    """The commands that turn names into numbers."""
    if variable.codes:
        yield f"RECODE {variable.read}"
        for text, number, _ in variable.codes:
            yield f"  ({spss_string(text)}={number})"
        yield f"  INTO {variable.name}."
    if variable.numbers:
        yield f"IF (MISSING({variable.name}) AND {variable.read} NE '')"
        yield f"  {variable.name} = NUMBER({variable.read}, F20)."


def labelling_commands(variable: SPSSVariable) -> Iterator[str]:
    """The commands for labels, missing values and formats."""
    yield f"VARIABLE LABELS {variable.name}"
    yield f"  {spss_string(variable.label, MAX_LABEL_BYTES['variable'])}."
    labels = [*((number, label) for _, number, label in variable.codes), *variable.labels]
    if labels:
        yield f"VALUE LABELS {variable.name}"
        *most, last = (
            f"  {n} {spss_string(label, MAX_LABEL_BYTES['value'])}" for n, label in labels
        )
        yield from most
        yield f"{last}."
    if variable.missing:
        yield f"MISSING VALUES {variable.name} ({', '.join(variable.missing)})."
    if not variable.width or variable.read != variable.name:
        yield f"FORMATS {variable.name} ({variable.shown})."
    yield f"VARIABLE LEVEL {variable.name} ({variable.level})."


def variables_of(survey: Survey) -> list[SPSSVariable]:
    """A variable for each column of responses.csv, in the same order."""
    taken: set[str] = set()
    columns = [csv_column_names(question) for question in survey.fields]
    names = {column: spss_variable_name(column, taken) for group in columns for column in group}
    variables: list[SPSSVariable] = []
    for question, group in zip(survey.fields, columns, strict=True):
        if isinstance(question.form, Bits | Combination):
            variables += (
                of_bit(question, choice, names[column])
                for choice, column in zip(question.answers, group, strict=True)
            )
        else:
            variables.append(of_one_column(question, names[group[0]], taken))
    return variables


def spss_variable_name(column: str, taken: set[str]) -> str:
    """A unique name that SPSS accepts. SPSS does not distinguish upper and lower case."""
    base = re.sub(r"[^A-Za-z0-9_]", "_", column)[: MAX_NAME_BYTES - 4]
    if base.lower() in RESERVED_NAMES:
        base += "_v"
    name, number = base, 1
    while name.lower() in taken:
        number += 1
        name = f"{base}_{number}"
    taken.add(name.lower())
    return name


def of_bit(question: Question, choice: Choice, name: str) -> SPSSVariable:
    label = f"{choice.label}: {variable_label(question)}"
    meaning = (("1", "Yes"), ("0", "No")) if question.plain else (("1", "Sent"), ("0", "Not sent"))
    return SPSSVariable(name, label, name, labels=meaning)


def of_one_column(question: Question, name: str, taken: set[str]) -> SPSSVariable:
    label = variable_label(question)
    if question.kind.free_text:
        return SPSSVariable(name, label, name, width=TEXT_BYTES)
    if question.kind.numeric:
        return of_number(question, name, label, taken)
    reports = question.answers if question.plain else question.reports
    extras = names_of(question.extras)
    top = first_missing_code(len(reports))
    codes = [
        (c.name, str(top + extras.index(c.name) if c.name in extras else place), c.label)
        for place, c in enumerate(reports, 1)
    ]
    return SPSSVariable(
        name, label, spss_variable_name(f"{name}_read", taken), width_of(names_of(reports)),
        tuple(codes), missing=missing_of(question, codes),
        level="ORDINAL" if question.kind.ordered else "NOMINAL",
    )  # fmt: skip


def of_number(question: Question, name: str, label: str, taken: set[str]) -> SPSSVariable:
    """Numbers stay numbers. Other reports get unused numbers, with their labels."""
    if question.grid is None:
        raise TypeError("Only a number question has a range.")
    grid, extras = question.points or question.grid, question.extras
    longest = [decimal_text(grid.value(place)) for place in range(min(grid.size, 12))]
    places = max(len(text.partition(".")[2]) for text in longest)
    number_format = f"F12.{places}"
    reports = () if question.plain else question.reports[: len(question.reports) - len(extras)]
    if not extras and all(NUMERIC.fullmatch(report.name) for report in reports):
        return SPSSVariable(name, label, name, level="SCALE", shown=number_format)
    others = [*(c for c in reports if not NUMERIC.fullmatch(c.name)), *extras]
    ends = [Fraction(c.name) for c in reports if NUMERIC.fullmatch(c.name)]
    top = first_missing_code(max(grid.high, *ends, Fraction(len(others))))
    signs = len(others) - len(extras)
    codes = [
        (c.name, str(place + 1 if place < signs else top + place - signs), c.label)
        for place, c in enumerate(others)
    ]
    width = max(width_of(names_of(others)), 24)
    numbers = bool(ends) or question.plain
    return SPSSVariable(
        name, label, spss_variable_name(f"{name}_read", taken), width, tuple(codes), numbers,
        missing=missing_of(question, codes), level="SCALE" if numbers else "NOMINAL",
    shown=number_format, )  # fmt: skip


def first_missing_code(largest: Fraction | int) -> int:
    """The first of 97, 997, 9997, ... above all values, by the convention of codebooks."""
    top = 100
    while top - 3 <= largest:
        top *= 10
    return top - 3


def missing_of(question: Question, codes: Sequence[tuple[str, str, str]]) -> tuple[str, ...]:
    """The numbers of "prefer not to say" and similar answers in a non-private question."""
    extras = names_of(question.extras) if question.plain else []
    return tuple(number for text, number, _ in codes if text in extras)


def variable_label(question: Question) -> str:
    kind = "" if question.plain else " [randomised report]"
    return f"{question.label}{kind}"


def width_of(texts: Sequence[str]) -> int:
    return max(len(text.encode()) for text in texts)


def spss_string(text: str, limit: int | None = None) -> str:
    """A text on one line between apostrophes, cut to `limit` bytes at a whole character."""
    line = in_one_line(text)
    if limit is not None and len(line.encode()) > limit:
        line = line.encode()[: limit - 3].decode(errors="ignore") + "..."
    return "'" + line.replace("'", "''") + "'"
