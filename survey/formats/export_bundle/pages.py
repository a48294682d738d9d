"""The files for reading: README.txt, and the codebook as a page."""

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
from survey.planning.privacy_text import per_hundred

TEMPLATES = Environment(  # of its own, since the page stands outside the application
    loader=FileSystemLoader(PROJECT_FOLDER / "templates"),
    autoescape=True,
    trim_blocks=True,
    lstrip_blocks=True,
)
# what each file is, in the order in which they are packed
FILE_DESCRIPTIONS = {
    "README.txt": "This file.",
    "codebook.html": (
        "The codebook for reading, in any browser: each question with its choices, the columns it "
        "has, how it was protected, its table, and how its estimates are made."
    ),
    "responses.csv": (
        "The responses, one row each, in random order; UTF-8. Of a private question a cell is the "
        "report that was sent, mixed up by chance: nobody's answer."
    ),
    "responses-excel.csv": (
        "The same for Excel, which shows accents and other scripts only with the mark at its start."
    ),
    "responses-spss.csv": (
        "The same for SPSS: line ends within texts are spaces there, and nothing else differs."
    ),
    "estimates.csv": (
        "Every estimate, with its standard error, its interval and how both were made; UTF-8."
    ),
    "releases.csv": (
        "What was released of plain questions, with noise: each figure with its mechanism, its "
        "epsilon and delta, the scale of the noise, its range, and how near it is (within) with "
        "the probability in the last column. `day` is that of the release."
    ),
    "codebook.json": "The codebook for programs, with every table in whole numbers.",
    "definition.json": (
        "The definition of the survey as it was opened; `survey import` makes a copy from it."
    ),
    "estimate.R": (
        "R script: makes every estimate anew from the responses with base R alone, and prints by "
        "how much it differs from the file of estimates. To run it: Rscript {name}"
    ),
    "estimate.py": "The same in Python, with numpy alone. To run it: python {name}",
    "rr-and-RRreg.R": (
        "R script: gives the questions with two answers to the packages RRreg and rr, each in its "
        "own conventions, and prints their estimates beside these; without the packages base R "
        "checks what they would be given. To run it: Rscript {name}"
    ),
    "spss.sps": (
        "SPSS syntax: reads the responses, with labels, missing values and formats; PSPP too."
    ),
}


def readme(results: Results, names: Mapping[str, str]) -> str:
    """What each file is. `names` says what the files that are there are called."""
    survey = results.frozen.survey
    lines = [
        survey.title,
        "=" * min(len(survey.title), 72),
        "",
        f"{results.n} response{'' if results.n == 1 else 's'}, {ORIGINS[results.origin]}.",
    ]
    if results.origin == "simulated":
        lines.append("Nobody was asked: these respondents were drawn by a computer.")
    lines += [
        f"Privacy loss of one respondent (epsilon): {epsilon_text(survey.epsilon)}",
        f"Fingerprint of the definition and its tables: {results.frozen.fingerprint}",
        "",
    ]
    wrapper = TextWrapper(87, "  ", "  ", break_on_hyphens=False)
    for name, about in described_files(names):
        lines += [name, *wrapper.wrap(about), ""]
    lines += [
        "Counting the reports of a private question gives no estimate of anything: chance has",
        "mixed them up. Use the file of estimates, or what the scripts make. Tables of two",
        "questions need the products of their scores, as the codebook says.",
        "",
        "In the CSV files an apostrophe stands wherever a spreadsheet could begin a formula: at",
        "the start of a text, and after a semicolon, a tab or a line end within it. No file says",
        "when anyone answered; the files of the same responses and releases are the same, byte",
        "for byte.",
    ]
    return "\n".join(lines) + "\n"


def described_files(names: Mapping[str, str]) -> list[tuple[str, str]]:
    """What each file that is there is called and what it is."""
    return [
        (names[name], about.format(name=names[name]))
        for name, about in FILE_DESCRIPTIONS.items()
        if name in names
    ]


def codebook_page(results: Results, names: Mapping[str, str]) -> str:
    """A page of its own, which loads nothing."""
    survey = results.frozen.survey
    return TEMPLATES.get_template("codebook.html").render(
        results=results,
        survey=survey,
        origin=ORIGINS[results.origin],
        files=described_files(names),
        columns_of=csv_column_names,
        codes_of=listed_codes,
        per_hundred=per_hundred,
        decimal_text=decimal_text,
        table_of=randomizer_table,
        numbers_of=factored_randomizer_text,
        epsilon_text=epsilon_text,
        at_most=survey_odds_text(survey),
        sure=surest(survey.odds),
    )


def listed_codes(question: Question) -> list[Choice]:
    """What may stand in its columns, or name one; of a number only what is no number."""
    if question.plain and question.grid is not None:  # which may have a million values
        return list(question.extras)
    reports = question.answers if question.plain or question.table is None else question.reports
    if question.grid is None:
        if question.kind.boxes:  # of all combinations, the boxes
            return list(question.answers)
        return list(dict.fromkeys((*question.answers, *reports)))
    return [report for report in reports if not NUMERIC.fullmatch(report.name)]


def randomizer_table(
    question: Question,
) -> tuple[list[str], list[tuple[str, tuple[int, ...]]]] | None:
    """The names of the columns, and each row with its name; of bits and boxes those of one bit."""
    randomizer = question.randomizer
    if isinstance(randomizer, Randomizer):
        rows = [answer.name for answer in question.answers]
        if len(rows) != randomizer.answers:  # all combinations of boxes
            rows = list(cells_of_reports(question))
        return list(cells_of_reports(question)), list(zip(rows, randomizer.rows, strict=True))
    if isinstance(randomizer, UnaryEncoding | Boxes):
        own = ("ticked", "not ticked") if isinstance(randomizer, Boxes) else ("own", "other")
        return ["1", "0"], list(zip(own, randomizer.rows, strict=True))
    return None


def factored_randomizer_text(question: Question) -> str:
    """A factored randomizer in numbers."""
    randomizer = question.randomizer
    if isinstance(randomizer, SubsetSelection):
        return (
            f"A report is a set of {randomizer.size} of the {randomizer.answers} answers; each set "
            f"that holds the answer weighs {randomizer.near}, each other set {randomizer.far}. "
            f"p = {randomizer.p}, q = {randomizer.q}."
        )
    if isinstance(randomizer, UnaryEncoding):
        return f"A bit for each answer. p = {randomizer.p}, q = {randomizer.q}."
    if isinstance(randomizer, Boxes):
        return f"{randomizer.sample} of the {randomizer.answers} boxes, picked by chance."
    return ""
