"""estimate.R and estimate.py: the functions of scripts/, with a survey's tables written in."""

import json
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from survey.definition.frozen import FrozenSurvey
from survey.estimation.results import ORIGINS
from survey.formats.export_bundle.facts import estimated_questions, facts_of

SCRIPTS_FOLDER = Path(__file__).parent / "scripts"
SURVEY_MARKER = "# <survey>\n"
MAX_LINE_CHARACTERS = 96  # characters of a line of values


def python_script(frozen: FrozenSurvey, origin: str, names: Mapping[str, str]) -> str:
    """The Python script. `names` says what the files are called (archive.py)."""
    lines = [
        f"RESPONSES = {json.dumps(names['responses.csv'])}",
        f"ESTIMATES = {json.dumps(names['estimates.csv'])}",
        f"WRITTEN = {json.dumps(names['estimates-from-python.csv'])}",
        "QUESTIONS = [",
    ]
    for question in estimated_questions(frozen.survey):
        lines += [f"    # {in_one_line(question.label)}", "    {"]
        for key, value in facts_of(question).items():
            lines += python_value(f'        "{key}": ', value, 12)
        lines.append("    },")
    return with_survey("estimate.py", script_header(frozen, origin), [*lines, "]"])


def python_value(start: str, value: Any, indent: int) -> list[str]:
    if isinstance(value, bool | int | float | str):
        return [f"{start}{value!r},"]
    margin = " " * indent
    if value and not isinstance(value[0], str):
        rows = [f"{margin}[{', '.join(map(str, row))}]," for row in value]
        return [f"{start}[", *rows, f"{margin[4:]}],"]
    return list_literal(start, "[", [json.dumps(text) for text in value], "]", margin, ",")


def r_script(frozen: FrozenSurvey, origin: str, names: Mapping[str, str]) -> str:
    """The R script; beyond ASCII there are comments only, which every locale passes over."""
    lines = [
        f"responses_file <- {json.dumps(names['responses.csv'])}",
        f"estimates_file <- {json.dumps(names['estimates.csv'])}",
        f"written_file <- {json.dumps(names['estimates-from-R.csv'])}",
        "questions <- list(",
    ]
    asked = estimated_questions(frozen.survey)
    for question in asked:
        lines += [f"  # {in_one_line(question.label)}", "  list("]
        facts = facts_of(question)
        for key, value in facts.items():
            lines += r_value(f"    {key} = ", value, "" if key == list(facts)[-1] else ",")
        lines.append("  )" if question is asked[-1] else "  ),")
    return with_survey("estimate.R", script_header(frozen, origin), [*lines, ")"])


def r_value(start: str, value: Any, end: str) -> list[str]:
    margin = " " * 6
    if isinstance(value, bool):
        return [f"{start}{str(value).upper()}{end}"]
    if isinstance(value, int | float | str):
        return [f"{start}{json.dumps(value)}{end}"]
    if value and not isinstance(value[0], str):
        rows = [f"{margin}c({', '.join(map(str, row))})" for row in value]
        return [f"{start}rbind(", *(f"{row}," for row in rows[:-1]), f"{rows[-1]}){end}"]
    if not value:
        return [f"{start}character(0){end}"]
    return list_literal(start, "c(", [json.dumps(text) for text in value], ")", margin, end)


def list_literal(
    start: str, opening: str, items: Sequence[str], closing: str, margin: str, end: str
) -> list[str]:
    """A list of values, on one line or on as many as it takes."""
    whole = f"{start}{opening}{', '.join(items)}{closing}{end}"
    if len(whole) <= MAX_LINE_CHARACTERS:
        return [whole]
    lines, line = [start + opening], margin
    for item in items:
        if len(line) + len(item) > MAX_LINE_CHARACTERS:
            lines.append(line.rstrip())
            line = margin
        line += f"{item}, "
    return [*lines, line.rstrip(", ") + closing + end]


def script_header(frozen: FrozenSurvey, origin: str) -> list[str]:
    return [
        f"# {in_one_line(frozen.survey.title)}; responses: {ORIGINS[origin]}.",
        f"# Fingerprint of its definition and tables: {frozen.fingerprint}",
        "# Row = answer, column = report: an entry over the total of its row is the chance of",
        "# that report for people with that answer.",
    ]


def with_survey(name: str, about: Sequence[str], data: Sequence[str]) -> str:
    template = (SCRIPTS_FOLDER / name).read_text(encoding="utf-8")
    before, after = template.split(SURVEY_MARKER)
    return before + "\n".join([*about, "", *data]) + "\n" + after


def in_one_line(text: str) -> str:
    """A text as a comment can hold it."""
    return " ".join(text.split())
