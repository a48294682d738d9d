"""The files for people to read: README.txt, and the codebook as a page."""

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from functools import partial
from textwrap import TextWrapper

from jinja2 import Environment, FileSystemLoader

from survey import PROJECT_FOLDER
from survey.core.factored_randomizers import Boxes, SubsetSelection, UnaryEncoding
from survey.core.languages import Words
from survey.core.number_grid import decimal_text
from survey.core.randomizer import Randomizer
from survey.definition.certainty import epsilon_text, surest, survey_ratio_bound_text
from survey.definition.choices import Choice
from survey.definition.questions import Question
from survey.estimation.results import ORIGINS, Results
from survey.formats.csv_export import csv_column_names
from survey.formats.export_bundle.facts import cells_of_reports
from survey.formats.report_labels import RANDOMISED, file_note, has_bits, value_label
from survey.planning.privacy_text import per_hundred_for_researchers

NUMERIC = re.compile(r"-?\d+(\.\d+)?")
# A separate environment, because the page is not part of the application.
TEMPLATES = Environment(
    loader=FileSystemLoader(PROJECT_FOLDER / "templates"),
    autoescape=True,
    trim_blocks=True,
    lstrip_blocks=True,
)
# The description of each file, in the order in which they are packed.
FILE_DESCRIPTIONS = {
    "README.txt": "A description of the files in this ZIP.",
    "codebook.html": (
        "The codebook as a web page for any browser: each question with its choices, columns and "
        "protection, the table of its randomizer, and the formulas of its estimates."
    ),
    "responses.csv": (
        "The responses, one row each, in random order; UTF-8. In a private question, a cell is the "
        "randomised report that was sent, not the respondent's answer."
    ),
    "responses.xlsx": (
        "The same responses as an Excel workbook. The sheet `codebook` has the labels of the cells."
    ),
    "responses.dta": (
        "The same responses for Stata 15 or later, with labels. Reports and named answers are the "
        "numbers 1, 2, … in the order of the codebook. A column for a single choice has 1 or 0."
    ),
    "responses.sav": "The same, with the same numbers, for SPSS.",
    "responses-excel.csv": (
        "The same responses for Excel. A byte order mark lets Excel show accents and other scripts "
        "correctly."
    ),
    "texts.csv": (
        "The texts and dates of respondents, one row for each person, in random order; UTF-8. They "
        "are stored apart: the rows do not correspond to the rows of any other file. The file has "
        "no rows until the survey has closed and at least 5 people have answered, and while the "
        "survey is open again."
    ),
    "texts-excel.csv": "The same texts for Excel.",
    "estimates.csv": (
        "Every estimate with its standard error, its confidence interval and the method of the "
        "interval; UTF-8."
    ),
    "releases.csv": (
        "The central DP releases of non-private questions: each released value with its mechanism, "
        "epsilon, delta, noise scale and range. The column `within` is the largest distance "
        "between the value and the value without noise, with the probability in the column "
        "`level`. The column `day` is the day of the release in UTC."
    ),
    "citation.txt": (
        "How to cite the survey, in four languages: a sentence for each result, a paragraph on the "
        "methods, and references in the style of APA and as BibTeX."
    ),
    "codebook.json": "The codebook for programs, with every randomizer as integers.",
    "definition.json": (
        "The frozen definition of the survey. The command `survey import` creates a copy of the "
        "survey from it."
    ),
    "estimate.R": (
        "R script: computes the estimates and standard errors again from the responses with base R "
        "only, and prints for each row of the file of estimates whether it agrees. To run it: "
        "Rscript {name}"
    ),
    "estimate.py": "The same script in Python, with numpy only. To run it: python {name}",
    "rr-and-RRreg.R": (
        "R script: estimates the private questions with two answers with the packages RRreg and "
        "rr, and prints the results of the packages next to Candor's. Without the packages, it "
        "only checks their inputs in base R. To run it: Rscript {name}"
    ),
}


@dataclass(frozen=True)
class PackedFile:
    """A further file of the ZIP, such as a saved analysis.

    It has its name there, its text, and a sentence about it.
    """

    name: str
    content: str
    about: str


def readme(results: Results, names: Mapping[str, str], more: Sequence[PackedFile] = ()) -> str:
    """The text of README.txt. `names` maps each file in the ZIP to its written name."""
    survey = results.frozen.survey
    lines = [
        survey.title,
        "=" * min(len(survey.title), 72),
        "",
        f"{results.n} response{'' if results.n == 1 else 's'}, {ORIGINS[results.origin]}.",
    ]
    if results.origin == "simulated":
        lines.append("Nobody was asked: a computer generated these responses.")
    lines += [
        f"Total privacy loss of one respondent (epsilon): {epsilon_text(survey.epsilon)}",
        f"Fingerprint of the survey (SHA-256): {results.frozen.fingerprint}",
        "",
    ]
    wrapper = TextWrapper(87, "  ", "  ", break_on_hyphens=False)
    further = ((each.name, each.about) for each in more)
    for name, about in [*described_files(names), *further]:
        lines += [name, *wrapper.wrap(about), ""]
    if survey.private:
        lines += [
            "Do not count the reports of a private question. They are randomised, so the share of",
            "a report is not an estimate of the share of an answer. The names of their columns",
            f'contain "{RANDOMISED}". Use the file of estimates, or this command on the server:',
            f"candor analyse estimate {survey.slug}",
            "For the answers to several questions together, the command is analyse crosstab.",
            "",
        ]
    lines += [
        "In the CSV files, an apostrophe prevents spreadsheets from running a text as a formula.",
        "It is at the start of the text, and after a semicolon, a tab or a line end within it.",
        "No file contains the time of an answer. The same responses, central DP releases and",
        "opening days always give the same files, byte for byte.",
    ]
    return "\n".join(lines) + "\n"


def described_files(names: Mapping[str, str]) -> list[tuple[str, str]]:
    """The name and description of each file in the ZIP."""
    return [
        (names[name], about.format(name=names[name]))
        for name, about in FILE_DESCRIPTIONS.items()
        if name in names
    ]


def codebook_page(results: Results, names: Mapping[str, str]) -> str:
    """The codebook as a separate HTML page that loads nothing."""
    survey = results.frozen.survey
    return TEMPLATES.get_template("codebook.html").render(
        results=results,
        survey=survey,
        origin=ORIGINS[results.origin],
        files=described_files(names),
        columns_of=csv_column_names,
        codes_of=partial(listed_codes, words=Words(survey.language)),
        note=file_note(survey),
        per_hundred=per_hundred_for_researchers,
        decimal_text=decimal_text,
        table_of=randomizer_table,
        numbers_of=factored_randomizer_text,
        epsilon_text=epsilon_text,
        at_most=survey_ratio_bound_text(survey),
        sure=surest(survey.ratio_bound),
    )


def listed_codes(question: Question, words: Words) -> list[Choice]:
    """The names that can occur in a question's columns; for a number, only those that are text.

    The label of a report says so. If each choice has a column, the names are those of the choices.
    """
    codes = names_in_columns(question)
    if question.non_private or has_bits(question):
        return codes
    return [replace(each, label=value_label(question, words, each)) for each in codes]


def names_in_columns(question: Question) -> list[Choice]:
    """The same with the labels that respondents read."""
    if question.non_private and question.grid is not None:  # The grid may have a million values.
        return list(question.special_answers)
    as_given = question.non_private or question.table is None
    reports = question.answers if as_given else question.reports
    if question.grid is None:
        if has_bits(question):  # List the boxes, not all their combinations.
            return list(question.answers)
        return list(dict.fromkeys((*question.answers, *reports)))
    return [report for report in reports if not NUMERIC.fullmatch(report.name)]


@dataclass(frozen=True)
class ShownTable:
    """The table of a randomizer with the names of its columns and rows."""

    caption: str
    columns: Sequence[str]
    rows: Sequence[tuple[str, tuple[int, ...]]]


def randomizer_table(question: Question) -> ShownTable | None:
    """The table of a randomizer; for bits and boxes, the table of one bit."""
    randomizer = question.randomizer
    if isinstance(randomizer, Randomizer):
        rows = [answer.name for answer in question.answers]
        caption = "Rows: answers. Columns: reports."
        if len(rows) != randomizer.answers:  # The rows are all combinations of boxes.
            rows = list(cells_of_reports(question))
            caption += " The digits are the cells of the columns listed above."
        columns = list(cells_of_reports(question))
        named = list(zip(rows, randomizer.rows, strict=True))
        return ShownTable(caption, columns, named)
    if isinstance(randomizer, UnaryEncoding | Boxes):
        own = ("own answer", "other answer")
        caption = "Rows: the answer to which a bit belongs. Columns: the reported bit."
        if isinstance(randomizer, Boxes):
            own = ("ticked", "not ticked")
            caption = "Rows: the answer to a box. Columns: the report on the box."
        named = list(zip(own, randomizer.rows, strict=True))
        return ShownTable(caption, ["1", "0"], named)
    return None


def factored_randomizer_text(question: Question) -> str:
    """A factored randomizer as a sentence with its numbers."""
    randomizer = question.randomizer
    if isinstance(randomizer, SubsetSelection):
        return (
            f"A report is a set of {randomizer.size} of the {randomizer.answers} answers. A set "
            f"has the weight {randomizer.near} if it contains the respondent's answer, otherwise "
            f"{randomizer.far}. A report contains the respondent's answer with probability "
            f"p = {randomizer.p}, and each other answer with probability q = {randomizer.q}."
        )
    if isinstance(randomizer, UnaryEncoding):
        return (
            "A report has a bit for each answer. The bit of the respondent's answer is 1 with "
            f"probability p = {randomizer.p}, and every other bit with probability "
            f"q = {randomizer.q}."
        )
    if isinstance(randomizer, Boxes):
        return (
            f"A response reports on {randomizer.sample} of the {randomizer.answers} boxes, which "
            "the browser picks at random."
        )
    return ""
