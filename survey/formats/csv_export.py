"""Exports: responses and estimates as CSV, and the codebook that explains them.

CSV is UTF-8 without a byte order mark. Numbers have a decimal point and full precision. A text that
a spreadsheet would run as a formula gets a leading apostrophe (OWASP ASVS 1.2.10). The same applies
within a text, where a formula could begin if a program reads the file with another separator. Excel
does this where the comma is the decimal sign. A line "sep=," would prevent it in Excel, but Excel
then ignores the byte order mark, and shows accents and other scripts wrongly.
"""

import platform
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import asdict
from itertools import chain, cycle, islice
from operator import getitem
from typing import Any

import numpy as np

from survey import VERSION
from survey.core.csv_cells import csv_text
from survey.core.languages import Words
from survey.definition.choices import names_of
from survey.definition.frozen import FrozenSurvey, finite_or_none
from survey.definition.questions import Question
from survey.definition.report_formats import Stored
from survey.definition.responses.packed_columns import MAX_PACK_VALUES, PackedColumns, separate
from survey.definition.survey import Survey
from survey.estimation.results import (
    ORIGINS,
    AnswerResults,
    PopulationShares,
    QuestionResults,
    Results,
)
from survey.estimation.types.joint_items import item_questions, parts_at
from survey.estimation.types.joint_texts import label_with_questions
from survey.formats.number_readings import exported_cell, has_numbers
from survey.formats.report_labels import RANDOMISED, column_labels, file_note

# Responses in one piece of the stream.
STREAM_ROWS = 1_000
# Longer texts are not cached.
MAX_CACHED_CHARACTERS = 1_000
# The columns of estimates.csv: each with its unit or format, and a sentence. `make reference`
# writes them into docs/reference/csv-columns.md.
ESTIMATE_FIELDS = {
    "survey": ("text", "Name of the survey in its link (slug)."),
    "fingerprint": (
        "64 hexadecimal digits",
        "SHA-256 of the survey's definition, randomizers and privacy limits.",
    ),
    "origin": (
        ", ".join(ORIGINS),
        "Source of the responses: respondents' browsers, a file that was loaded, or a simulation.",
    ),
    "survey_epsilon": (
        "ε",
        "Total privacy loss of one respondent; empty if it has no finite bound.",
    ),
    "question": (
        "text",
        "Name of the question. For a question behind a joint question: the name of the joint "
        "question, a slash, and the name of the question itself, such as habits/smokes.",
    ),
    "type": ("text", "Type of the question."),
    "mechanism": ("text", "Mechanism of the question; `none` for a non-private question."),
    "epsilon": (
        "ε",
        "Privacy loss of the question. For a question behind a joint question: the privacy loss of "
        "the joint question. Empty if it has no finite bound, and for a non-private question.",
    ),
    "measure": (
        "text",
        "The estimated quantity: `share`, `mean`, `deviation` (standard deviation), or a quantile "
        "such as `quantile_50`. For an item of a ranking, `mean_rank` or `ranked_first` (the share "
        "of the orders with the item first).",
    ),
    "answer": (
        "text",
        "Name of the answer, or for a number a part of its range, such as 10-19; only for shares. "
        "Name of the item for `mean_rank` and `ranked_first`.",
    ),
    "label": (
        "text",
        "Label of the answer, or the measure in words, such as Standard deviation. A combination "
        "of answers to a joint question has each question before its answer.",
    ),
    "n": (
        "responses",
        "Number of published responses with a report on the question; for a box, with a report on "
        "the box.",
    ),
    "observed": (
        "proportion",
        "Share of the reports that count for the answer, before the correction for randomisation. "
        "Only for shares; empty if the randomizer does not divide the reports into those for the "
        "answer and all others.",
    ),
    "estimate": (
        "proportion for a share, else the unit of the question",
        "Estimate. It is not clipped: a share can be below 0 or above 1. Estimates of shares are "
        "unbiased, and so are those of means if the question has no special answers.",
    ),
    "standard_error": ("as `estimate`", "Standard error of the estimate; empty if unknown."),
    "low": ("as `estimate`", "Lower end of the confidence interval."),
    "high": ("as `estimate`", "Upper end of the confidence interval."),
    "level": ("proportion", "Confidence level, such as 0.95."),
    "method": ("text", "Method of the confidence interval."),
    "possible": (
        "proportion",
        "Possible share: a second estimate, which always lies between 0 and 1. Only for shares.",
    ),
    "possible_by": (
        "text",
        "Method of the estimate in `possible`, such as maximum likelihood; only for shares.",
    ),
    "variance_at_observed": (
        "squared proportion",
        "Variance of the estimate, calculated as if `observed` were the exact probability of a "
        "report that counts for the answer. Only for questions with two answers and for boxes, "
        "if the randomizer is symmetric.",
    ),
    "variance_bound": (
        "squared proportion",
        "Largest possible variance of the estimate, whatever the true share is: 1/(16 γ² n), "
        "where 1/2 + γ is the probability that the report is the true answer. Only for questions "
        "with two answers and for boxes, if the randomizer is symmetric.",
    ),
    "asked_estimate": (
        "proportion",
        "Estimated share among those asked: `estimate` divided by 1 minus the estimate of "
        "`not_asked`. Only for questions with a condition, if this share can be estimated.",
    ),
    "asked_standard_error": (
        "proportion",
        "Standard error of `asked_estimate`; empty if unknown.",
    ),
    "asked_low": ("proportion", "Lower end of the interval of the share among those asked."),
    "asked_high": ("proportion", "Upper end of the interval of the share among those asked."),
    "asked_method": ("text", "Method of the interval of the share among those asked."),
    "design_p": (
        "probability",
        "The p-value of the test whether the reports fit the randomizer of the question; empty for "
        "a non-private question.",
    ),
    "design_warning": (
        "text",
        "Warning with likely causes, if `design_p` is below 0.01; else empty.",
    ),
    "weights": (
        "text",
        "Weights of the results page: the question, and the share of each of its answers in the "
        "population, such as `sex: man 0.49, woman 0.51`. Empty if the estimates have no weights.",
    ),
    "results_about": (
        "text",
        "The people whom the estimates and their intervals describe: `people_like_respondents`, "
        "`respondents`, or the number of people in the population. If the estimates have "
        "weights, they describe the population of the weights.",
    ),
    "cannot_tell": (
        "yes or empty",
        "`yes` if the interval of a quantile spans more than half of the range. Pages then do not "
        "show the estimate.",
    ),
    "do_not_use": (
        "yes or empty",
        "`yes` if no estimate of the question may be used: its reports do not fit the design, or "
        "there are fewer than 5. Pages for readers and citations then contain no estimate.",
    ),
    "remark_codes": (
        "text",
        "The codes of all remarks on the results of the question, separated by spaces, such as "
        "`design_misfit`. They are the same in every language.",
    ),
}
ESTIMATE_COLUMNS = tuple(ESTIMATE_FIELDS)


def responses_csv(
    frozen: FrozenSurvey,
    responses: Iterable[Sequence[Stored | None]],
    packs: Sequence[PackedColumns] | None = None,
) -> Iterator[str]:
    """The responses, one row each, with a column for each question or for each of its bits.

    Parameters
    ----------
    responses : iterable of the stored reports of one respondent, in the order of the random ids
        It is consumed piece by piece, so memory does not grow with its length.
    packs : the packs of columns in each response; by default each question is separate
    """
    packs = separate(frozen.survey) if packs is None else packs
    header = [name for question in frozen.survey.fields for name in csv_column_names(question)]
    texts = [PackTextCache(pack, alone=len(header) == 1, last=pack is packs[-1]) for pack in packs]
    values, piece = chain.from_iterable(responses), csv_text([header])
    while page := list(islice(values, STREAM_ROWS * len(texts))):
        yield piece
        piece = "".join(map(getitem, cycle(texts), page))
    yield piece


class PackTextCache(dict[Stored | None, str]):
    """The CSV text of each value of a pack, with the comma or line end after it.

    Short texts are cached. `alone` says that the row has a single cell.
    """

    def __init__(self, pack: PackedColumns, *, alone: bool, last: bool):
        self.pack, self.alone = pack, alone
        self.end = "\r\n" if last else ","
        self.widths = [len(csv_column_names(question)) for question in pack.questions]

    def __missing__(self, value: Stored | None) -> str:
        row: list[Any] = []
        reports = self.pack.reports(value)
        for question, width, report in zip(self.pack.questions, self.widths, reports, strict=True):
            if report is None:
                row += [None] * width
            elif question.non_private and has_numbers(question):
                row.append(exported_cell(question, str(question.form.cells(report)[0])))
            else:
                row += question.form.cells(report)
        # csv writes an empty cell differently if it is the only one in its row.
        text = csv_text([row if self.alone else [*row, None]]).removesuffix("\r\n")
        text = (text if self.alone else text.removesuffix(",")) + self.end
        if len(self) < MAX_PACK_VALUES and len(text) < MAX_CACHED_CHARACTERS:
            self[value] = text
        return text


def csv_column_names(question: Question) -> list[str]:
    """The names of a question's columns in CSV. They say which columns contain reports."""
    return question.form.columns(question.name + ("" if question.non_private else RANDOMISED))


def figures_of_question(question: QuestionResults) -> Iterator[dict[str, Any]]:
    """Every estimate of a question in one format: shares, then mean, deviation and quantiles."""
    among_asked = {answer.choice: answer for answer in question.asked}
    items = [item.question for item in question.items]
    for answer in question.answers:
        asked = among_asked.get(answer.choice)
        yield {
            "measure": "share",
            "answer": answer.choice.name,
            "label": label_with_questions(answer.choice, items),
            "n": answer.n,
            "observed": answer.observed,
            "estimate": answer.value,
            "standard_error": answer.standard_error,
            "low": answer.low,
            "high": answer.high,
            "level": question.level,
            "method": answer.method,
            "possible": answer.possible,
            "possible_by": answer.possible_by,
            "formula": answer.formula.letters,
            "variance_at_observed": answer.variance_at_observed,
            "variance_bound": answer.variance_bound,
            **({} if asked is None else figures_among_asked(asked)),
        }
    for quantity in question.quantities:
        yield {
            "measure": quantity.name,
            **({} if quantity.item is None else {"answer": quantity.item.name}),
            "label": quantity.label,
            "n": question.n,
            "estimate": quantity.value,
            "standard_error": quantity.standard_error,
            "low": quantity.low,
            "high": quantity.high,
            **({"cannot_tell": "yes"} if quantity.cannot_tell else {}),
            "level": question.level,
            "method": quantity.method,
            "formula": quantity.formula,
        }


def figures_among_asked(asked: AnswerResults) -> dict[str, Any]:
    """The share of an answer among those asked, in the format of `figures_of_question`."""
    return {
        "asked_estimate": asked.value,
        "asked_standard_error": asked.standard_error,
        "asked_low": asked.low,
        "asked_high": asked.high,
        "asked_method": asked.method,
    }


def design_facts(question: QuestionResults) -> dict[str, Any]:
    """Whether the reports fit the design."""
    fit = question.design_fit
    return {
        "design_p": None if fit is None else fit.p,
        "design_warning": question.design_warning or None,
    }


def estimates_csv(results: Results) -> str:
    """One row for each estimate of each question, with everything that the page shows.

    A question of a type without estimates has one row without figures.
    """
    survey = results.frozen.survey
    rows: list[Sequence[Any]] = [ESTIMATE_COLUMNS]
    results_by_name = {each.question.name: each for each in results.questions}
    about_survey = {
        "survey": survey.slug,
        "fingerprint": results.frozen.fingerprint,
        "origin": results.origin,
        "survey_epsilon": finite_or_none(survey.epsilon),
        "weights": None if results.weights is None else weights_text(results.weights),
    }
    for question in survey.sent:
        result = results_by_name.get(question.name)  # None for a text that is stored apart
        found: list[dict[str, Any]] = []
        if question.kind.free_text:
            found.append(facts_of_name(question, question))
        elif result is not None:
            for each in result.with_items:
                about = facts_of_estimates(each)
                found += (about | figure for figure in figures_of_question(each))
        for figure in found:
            row = about_survey | figure
            rows.append([row.get(column) for column in ESTIMATE_COLUMNS])
    return csv_text(rows)


def facts_of_name(question: Question, drawn: Question) -> dict[str, Any]:
    """The name and the type of a question, and the mechanism that draws its reports."""
    return {"question": question.name, "type": question.type, "mechanism": drawn.mechanism}


def facts_of_estimates(result: QuestionResults) -> dict[str, Any]:
    """What all rows of a question have in common."""
    return {
        **facts_of_name(result.question, result.drawn),
        "epsilon": finite_or_none(result.epsilon),
        "results_about": result.target.results_about,
        **design_facts(result),
        "do_not_use": "yes" if result.unusable else None,
        "remark_codes": " ".join(result.remark_codes),
    }


def weights_text(weights: PopulationShares) -> str:
    shares = ", ".join(f"{name} {share!r}" for name, share in weights.shares.items())
    return f"{weights.question}: {shares}"


def results_as_json(results: Results) -> dict[str, Any]:
    """The results as JSON values at full precision. An infinite epsilon becomes null."""
    return {
        "survey": results.frozen.survey.slug,
        "fingerprint": results.frozen.fingerprint,
        "origin": results.origin,
        "n": results.n,
        "epsilon": finite_or_none(results.frozen.survey.epsilon),
        "weights": None if results.weights is None else asdict(results.weights),
        "results_about": results.target.results_about,
        "questions": [question_as_json(question) for question in results.questions],
    }


def question_as_json(result: QuestionResults) -> dict[str, Any]:
    """The results of a question; a joint question also has those of the questions behind it."""
    items = [question_as_json(item) for item in result.items]
    return {
        "name": result.question.name,
        "type": result.question.type,
        "mechanism": result.drawn.mechanism,
        "epsilon": finite_or_none(result.epsilon),
        "n": result.n,
        "reports": result.count_by_report,
        "estimates": list(figures_of_question(result)),
        "covariance": result.covariance,
        "remarks": [remark.sentence for remark in result.remarks],
        "remark_codes": result.remark_codes,
        "do_not_use": result.unusable,
        **design_facts(result),
        **({"items": items} if items else {}),
    }


def codebook(results: Results) -> dict[str, Any]:
    """Everything that is needed to compute each estimate again from responses.csv."""
    survey = results.frozen.survey
    return {
        **results.frozen.document(),
        "origin": results.origin,
        "origin_meaning": ORIGINS[results.origin],
        "n": results.n,
        "responses_csv": (
            "One row for each response, in random order. A cell is the name of a report. If a "
            "question has a column for each choice, a cell is 1 or 0, or empty if the response has "
            "no report on the choice."
        ),
        "note": file_note(survey),
        "column_labels": labels_of_columns(survey),
        "columns": {question.name: csv_column_names(question) for question in survey.fields},
        **({"joint_items": items} if (items := joint_items(survey)) else {}),
        "versions": {
            "candor": VERSION,
            "numpy": np.__version__,
            "python": platform.python_version(),
        },
    }


def labels_of_columns(survey: Survey) -> dict[str, str]:
    """The label of each column, which says whether it contains reports, by its name."""
    words, labels = Words(survey.language), dict[str, str]()
    for question in survey.fields:
        names = csv_column_names(question)
        labels |= zip(names, column_labels(question, words, names), strict=True)
    return labels


def joint_items(survey: Survey) -> dict[str, dict[str, Any]]:
    """The questions behind joint questions, by name.

    `parts` has the answer that each combination of the joint question contains, in the order of
    its answers. `rows` is the table of these parts; a set of combinations has none.
    """
    return {
        item.name: {
            "label": item.label,
            "column": joint.name,
            "parts": parts_at(joint, place),
            "answers": names_of(item.answers),
            "rows": [] if item.table is None else item.table.rows,
        }
        for joint in survey.fields
        for place, item in enumerate(item_questions(survey, joint))
    }
