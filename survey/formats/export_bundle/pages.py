"""The files for people to read: README.txt, and the codebook as a page."""

from collections.abc import Mapping
from textwrap import TextWrapper

from jinja2 import Environment, FileSystemLoader

from survey import PROJECT_FOLDER
from survey.core.factored_randomizers import Boxes, SubsetSelection, UnaryEncoding
from survey.core.number_grid import decimal_text
from survey.core.randomizer import Randomizer
from survey.definition.certainty import epsilon_text, surest, survey_odds_text
from survey.definition.choices import Choice
from survey.definition.questions import Question
from survey.estimation.results import ORIGINS, Results
from survey.formats.csv_export import csv_column_names
from survey.formats.export_bundle.facts import cells_of_reports
from survey.formats.export_bundle.spss import NUMERIC
from survey.planning.privacy_text import per_hundred_for_researchers

# A separate environment, because the page is not part of the application.
TEMPLATES = Environment(
    loader=FileSystemLoader(PROJECT_FOLDER / "templates"),
    autoescape=True,
    trim_blocks=True,
    lstrip_blocks=True,
)
# The description of each file, in the order in which they are packed.
FILE_DESCRIPTIONS = {
    "README.txt": "This file.",
    "codebook.html": (
        "The codebook for reading, in any browser: each question with its choices, columns, "
        "protection and table, and the formulas of its estimates."
    ),
    "responses.csv": (
        "The responses, one row each, in random order; UTF-8. In a private question, a cell is the "
        "randomised report that was sent, not the respondent's answer."
    ),
    "responses-excel.csv": (
        "The same for Excel. A byte order mark lets Excel show accents and other scripts correctly."
    ),
    "responses-spss.csv": ("The same for SPSS, with spaces in place of line ends within texts."),
    "texts.csv": (
        "The texts that respondents wrote, one row for each person, in random order; UTF-8. They "
        "are stored apart: a row of this file does not belong to the same row of another file."
    ),
    "texts-excel.csv": "The same texts for Excel.",
    "estimates.csv": (
        "Every estimate with its standard error, its interval and the methods of both; UTF-8."
    ),
    "releases.csv": (
        "The central DP releases of non-private questions: each figure with its mechanism, "
        "epsilon, delta, noise scale and interval. `within` is the error bound that holds with the "
        "probability in the last column. `day` is the day of the release."
    ),
    "codebook.json": "The codebook for programs, with every table as integers.",
    "definition.json": (
        "The definition of the survey as it was opened. `survey import` makes a copy from it."
    ),
    "estimate.R": (
        "R script: computes every estimate again from the responses with base R only, and prints "
        "the largest difference from the file of estimates. To run it: Rscript {name}"
    ),
    "estimate.py": "The same in Python, with numpy only. To run it: python {name}",
    "rr-and-RRreg.R": (
        "R script: estimates the questions with two answers with the packages RRreg and rr, and "
        "prints their results next to Candor's. If a package is missing, base R checks its inputs. "
        "To run it: Rscript {name}"
    ),
    "spss.sps": (
        "SPSS syntax: reads the responses, with labels, missing values and formats. PSPP reads it "
        "too."
    ),
}


def readme(results: Results, names: Mapping[str, str]) -> str:
    """The text of README.txt. `names` maps each file in the ZIP to its written name."""
    survey = results.frozen.survey
    lines = [
        survey.title,
        "=" * min(len(survey.title), 72),
        "",
        f"{results.n} response{'' if results.n == 1 else 's'}, {ORIGINS[results.origin]}.",
    ]
    if results.origin == "simulated":
        lines.append("Nobody was asked: a computer simulated these respondents.")
    lines += [
        f"Privacy loss of one respondent (epsilon): {epsilon_text(survey.epsilon)}",
        f"Fingerprint of the definition and its tables: {results.frozen.fingerprint}",
        "",
    ]
    wrapper = TextWrapper(87, "  ", "  ", break_on_hyphens=False)
    for name, about in described_files(names):
        lines += [name, *wrapper.wrap(about), ""]
    lines += [
        "Do not count the reports of a private question: they are randomised, so the counts",
        "estimate nothing. Use the file of estimates, or the output of the scripts. Tables of two",
        "questions need the products of their scores, as the codebook explains.",
        "",
        "In the CSV files an apostrophe prevents spreadsheets from running a text as a formula.",
        "It is at the start of the text, and after a semicolon, a tab or a line end within it.",
        "No file contains the time of an answer. The files of the same responses and releases",
        "are identical to the byte.",
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
        codes_of=listed_codes,
        per_hundred=per_hundred_for_researchers,
        decimal_text=decimal_text,
        table_of=randomizer_table,
        numbers_of=factored_randomizer_text,
        epsilon_text=epsilon_text,
        at_most=survey_odds_text(survey),
        sure=surest(survey.odds),
    )


def listed_codes(question: Question) -> list[Choice]:
    """The names that can occur in a question's columns; for a number, only those that are text."""
    if question.plain and question.grid is not None:  # The grid may have a million values.
        return list(question.extras)
    reports = question.answers if question.plain or question.table is None else question.reports
    if question.grid is None:
        if question.kind.boxes:  # List the boxes, not all their combinations.
            return list(question.answers)
        return list(dict.fromkeys((*question.answers, *reports)))
    return [report for report in reports if not NUMERIC.fullmatch(report.name)]


def randomizer_table(
    question: Question,
) -> tuple[list[str], list[tuple[str, tuple[int, ...]]]] | None:
    """The column names and the named rows of a table; for bits and boxes, those of one bit."""
    randomizer = question.randomizer
    if isinstance(randomizer, Randomizer):
        rows = [answer.name for answer in question.answers]
        if len(rows) != randomizer.answers:  # The rows are all combinations of boxes.
            rows = list(cells_of_reports(question))
        return list(cells_of_reports(question)), list(zip(rows, randomizer.rows, strict=True))
    if isinstance(randomizer, UnaryEncoding | Boxes):
        own = ("ticked", "not ticked") if isinstance(randomizer, Boxes) else ("own", "other")
        return ["1", "0"], list(zip(own, randomizer.rows, strict=True))
    return None


def factored_randomizer_text(question: Question) -> str:
    """A factored randomizer as a sentence with its numbers."""
    randomizer = question.randomizer
    if isinstance(randomizer, SubsetSelection):
        return (
            f"A report is a set of {randomizer.size} of the {randomizer.answers} answers. Each set "
            f"with the answer has weight {randomizer.near}, each other set {randomizer.far}. "
            f"p = {randomizer.p}, q = {randomizer.q}."
        )
    if isinstance(randomizer, UnaryEncoding):
        return f"A bit for each answer. p = {randomizer.p}, q = {randomizer.q}."
    if isinstance(randomizer, Boxes):
        return f"{randomizer.sample} of the {randomizer.answers} boxes, selected at random."
    return ""
