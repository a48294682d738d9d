"""estimate.R and estimate.py: the functions of scripts/ with the tables of a survey inserted."""

import json
from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path
from pprint import pformat
from textwrap import fill, indent
from typing import Any

from survey.definition.frozen import FrozenSurvey
from survey.definition.questions import Question
from survey.estimation.results import ORIGINS
from survey.formats.export_bundle.facts import estimated_questions

SCRIPTS_FOLDER = Path(__file__).parent / "scripts"
SURVEY_MARKER = "# <survey>\n"
# The width of values, without the text before them.
MAX_LINE_CHARACTERS = 80


def python_script(frozen: FrozenSurvey, origin: str, names: Mapping[str, str]) -> str:
    """The Python script. `names` maps each file to its written name (archive.py)."""
    lines = [
        f"RESPONSES = {json.dumps(names['responses.csv'])}",
        f"ESTIMATES = {json.dumps(names['estimates.csv'])}",
        f"RESULTS_ABOUT = {json.dumps(frozen.survey.fieldwork.results_about)}",
        "QUESTIONS = [",
    ]
    for question, facts in estimated_questions(frozen.survey):
        text = pformat(facts, width=MAX_LINE_CHARACTERS, compact=True, sort_dicts=False)
        lines += [f"    # {in_one_line(question.label)}", f"{indent(text, '    ')},"]
    return with_survey("estimate.py", script_header(frozen, origin), [*lines, "]"])


def r_script(frozen: FrozenSurvey, origin: str, names: Mapping[str, str]) -> str:
    """The R script. Only comments contain non-ASCII characters, which every locale skips."""
    bodies = [
        (question, ",\n".join(f"    {key} = {r_value(v)}" for key, v in facts.items()))
        for question, facts in estimated_questions(frozen.survey)
    ]
    about = f"results_about <- {json.dumps(frozen.survey.fieldwork.results_about)}"
    return with_survey("estimate.R", script_header(frozen, origin), [about, *r_data(names, bodies)])


def r_data(names: Mapping[str, str], bodies: Sequence[tuple[Question, str]]) -> list[str]:
    """The file names, and the list of questions, each with its label and its members."""
    questions = [f"  # {in_one_line(q.label)}\n  list(\n{body}\n  )" for q, body in bodies]
    return [
        f"responses_file <- {json.dumps(names['responses.csv'])}",
        f"estimates_file <- {json.dumps(names['estimates.csv'])}",
        *("questions <- list(", ",\n".join(questions), ")"),
    ]


def r_value(value: Any) -> str:
    """A value as R code: rows as a matrix, long lists over several lines."""
    if isinstance(value, bool):
        return str(value).upper()
    if isinstance(value, int | float | str):
        return json.dumps(value)
    if not value:
        return "character(0)"
    if isinstance(value[0], int | float):
        return in_lines(map(str, value))
    if not isinstance(value[0], str) and isinstance(value[0][0], str):  # means
        means = (f"      list({', '.join(map(r_value, mean))})" for mean in value)
        return "list(\n{})".format(",\n".join(means))
    if not isinstance(value[0], str):
        rows = (f"      c({', '.join(map(str, row))})" for row in value)
        return "rbind(\n{})".format(",\n".join(rows))
    return in_lines(map(json.dumps, value))


def in_lines(items: Iterable[str]) -> str:
    """A vector of R over several lines."""
    lines = fill(
        ", ".join(items),
        MAX_LINE_CHARACTERS,
        subsequent_indent=" " * 6,
        break_long_words=False,
        break_on_hyphens=False,
    )
    return f"c({lines})"


def script_header(frozen: FrozenSurvey, origin: str) -> list[str]:
    return [
        f"# {in_one_line(frozen.survey.title)}; responses: {ORIGINS[origin]}.",
        f"# Fingerprint of its definition and tables: {frozen.fingerprint}",
        "# Row = answer, column = report. An entry divided by the total of its row is the",
        "# probability of that report for people with that answer.",
    ]


def with_survey(name: str, about: Sequence[str], data: Sequence[str]) -> str:
    template = (SCRIPTS_FOLDER / name).read_text(encoding="utf-8")
    before, after = template.split(SURVEY_MARKER)
    return before + "\n".join([*about, "", *data]) + "\n" + after


def in_one_line(text: str) -> str:
    """A text on one line, for a comment."""
    return " ".join(text.split())
