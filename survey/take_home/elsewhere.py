"""How the R package rr is given the designs of a survey: a comment that ends estimate.R."""

from collections.abc import Sequence

from ..questions import Question, names_of

HEAD = """
# ---- Regression with the package rr ----

# rr (Blair, Imai & Zhou, JASA 2015) fits a logistic regression of the true answer on other columns,
# such as plain questions. It is on CRAN. Its designs for the questions of two answers here:
"""


def handed_to_rr(questions: Sequence[Question], responses_file: str) -> str:
    """The comment; empty where no private question has two answers and two reports."""
    calls = [call for question in questions if (call := call_of(question)) is not None]
    if not calls:
        return ""
    load = f'responses <- read.csv("{responses_file}", na.strings = "")'
    lines = ["library(rr)", load, *(line for call in calls for line in ["", *call])]
    return HEAD + "".join(f"# {line}".rstrip() + "\n" for line in ["", *lines])


def call_of(question: Question) -> list[str] | None:
    """The lines of one call, with exact probabilities.

    rr's "mirrored" is a table with p on the diagonal; its "forced-known" sends the truth with p, a
    set no with p0 and a set yes with p1. Where a yes speaks for no, the report is turned round:
    rr refuses a p below one half.
    """
    table = question.table
    if table is None or (table.answers, table.reports) != (2, 2):
        return None
    report, answer = names_of(question.reports)[0], question.answers[0].name
    with_it, without = table.probability(0, 0), table.probability(0, 1)
    sign = "=="
    if with_it < without:
        sign, with_it, without = "!=", 1 - with_it, 1 - without
    if with_it + without == 1:
        design = f'design = "mirrored", p = {with_it}'
    else:
        p, p0, p1 = with_it - without, 1 - with_it, without
        design = f'design = "forced-known", p = {p}, p0 = {p0}, p1 = {p1}'
    return [
        f"# {question.name}: share of {answer}",
        f'responses$y <- as.numeric(responses${question.name} {sign} "{report}")',
        f"rrreg(y ~ 1, data = responses[!is.na(responses$y), ], {design})",
    ]
