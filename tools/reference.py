"""`make reference`: write the generated parts of README.md and docs/reference/ from the code.

A generated part lies between `<!-- generated: NAME -->` and `<!-- end -->`. The text around it is
written by people. tests/system/test_reference.py fails if a part differs from the code.
"""

import re
import shlex
import textwrap
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import chdir
from functools import partial
from itertools import groupby
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any, cast

import click
from flask import Flask

from survey import cli
from survey.admin.team.audit_log import AUDIT_LOG_FIELDS
from survey.analysis.as_rows import ANALYSIS_FIELDS
from survey.analysis.columns.design_file import DESIGN_FIELDS
from survey.api.blueprint import OPERATIONS, blueprint
from survey.api.document import openapi_document, refusals
from survey.central_dp.text import RELEASE_FIELDS
from survey.cli.command_errors import EXIT_CODES
from survey.core.languages import language_name
from survey.core.mechanisms import MECHANISMS
from survey.core.mechanisms.registry import Mechanism
from survey.definition.choices import CHOICE_FIELDS, NOT_SENT
from survey.definition.derived_answers import DERIVED_FIELDS
from survey.definition.instruments.read_instruments import Instrument, read_instruments
from survey.definition.parse_question import parse_question
from survey.definition.questions import Question
from survey.definition.survey import BUDGET_FIELDS, SURVEY_FIELDS
from survey.definition.survey_level import PROTECTION_FIELDS
from survey.definition.types import QUESTION_TYPES
from survey.definition.types.registry import QUESTION_FIELDS, QuestionType
from survey.formats.coded_texts_csv import CODED_TEXT_FIELDS
from survey.formats.csv_export import ESTIMATE_FIELDS, csv_column_names
from survey.server.settings import GROUPS, PORT_VALUES, SETTINGS, VALUES, Settings
from survey.web.invitation_zip import INVITATION_FIELDS

ROOT = Path(__file__).parent.parent
DOCS = ROOT / "docs"
MAX_LINE_CHARACTERS = 110
SESSION_FILES = ("smoking.json", "truth.json")
URL = "http://127.0.0.1:8000"
# A shorter sentence of the API is repeated, since a link to it would be as long.
MIN_SENTENCE_LINKED = 40
JSON_BLOCK = re.compile(r"^```json\n(.*?)^```$", re.DOTALL | re.MULTILINE)
PART = re.compile(
    r"(?P<start><!-- generated: (?P<name>[a-z0-9-]+) -->\n).*?(?P<end><!-- end -->\n)", re.DOTALL
)


# Markdown


def table(header: Sequence[str], rows: Iterable[Sequence[str]]) -> str:
    """A Markdown table. A bar within a cell is escaped."""
    lines = [header, ["---"] * len(header), *rows]
    return "".join(
        "|" + "|".join(f" {cell.replace('|', chr(92) + '|')} ".replace("  ", " ") for cell in line)
        + "|\n"
        for line in lines
    )  # fmt: skip


def grouped(rows: Iterable[Sequence[str]]) -> list[Sequence[str]]:
    """The rows, with consecutive ones joined that differ only in their first cell."""
    return [
        (", ".join(row[0] for row in alike), *rest)
        for rest, alike in groupby(rows, key=lambda row: tuple(row[1:]))
    ]


def paragraphs(text: str) -> str:
    """A text with its lines broken as in the rest of the documentation."""
    wrapped = (
        textwrap.fill(" ".join(each.split()), MAX_LINE_CHARACTERS, break_on_hyphens=False)
        for each in text.split("\n\n")
    )
    return "\n\n".join(wrapped) + "\n"


def code(text: Any) -> str:
    return f"`{text}`" if str(text) else ""


def with_links(text: str) -> str:
    """The text with a link, named by its title, in place of each path of a document."""

    def link(match: re.Match[str]) -> str:
        title, _, _ = (ROOT / match[0]).read_text(encoding="utf-8").partition("\n")
        return f"[{title.removeprefix('# ')}](../{match[1]})"

    return re.sub(r"\bdocs/([\w-]+/[\w-]+\.md)", link, text)


# Commands


def all_commands() -> list[tuple[str, click.Group | None, list[tuple[str, click.Command]]]]:
    """Each group with its commands, then the commands that belong to no group."""
    app = Flask("candor")
    cli.init_app(app)
    context = click.Context(app.cli)
    alone: list[tuple[str, click.Command]] = []
    groups: list[tuple[str, click.Group | None, list[tuple[str, click.Command]]]] = []
    for name, command in app.cli.commands.items():
        if isinstance(command, click.Group):
            listed = [
                (f"{name} {each}", cast(click.Command, command.get_command(context, each)))
                for each in command.list_commands(context)
            ]
            groups.append((name, command, listed))
        else:
            alone.append((name, command))
    return [("demo, serve, verify and attack", None, sorted(alone)), *groups]


def summary_of(command: click.Command) -> str:
    """The first paragraph of the command's help."""
    return " ".join((command.help or "").split("\n\n")[0].split())


def usage_of(spelling: str, command: click.Command) -> str:
    context = click.Context(command, info_name=spelling)
    pieces = command.collect_usage_pieces(context)
    has_options = any(isinstance(each, click.Option) for each in command.params)
    return " ".join([spelling, *(pieces if has_options else pieces[1:])])


def value_of(parameter: click.Parameter, context: click.Context) -> str:
    """The values of an option, or the kind of its value; "flag" if it has none."""
    kind = parameter.type
    if isinstance(parameter, click.Option) and parameter.is_flag:
        return "flag"
    if isinstance(kind, click.Choice):
        return ", ".join(code(each) for each in kind.choices)
    if isinstance(kind, click.IntRange | click.FloatRange):
        what = "whole number" if isinstance(kind, click.IntRange) else "number"
        if kind.max is None:
            return f"{what}, {kind.min:,} or more"
        return f"{what}, {kind.min:,} to {kind.max:,}"
    if parameter.metavar:
        return code(parameter.metavar)
    if kind is click.INT:
        return "whole number"
    return "file" if isinstance(kind, click.Path) else "text"


OPTION_COLUMNS = ("option", "value", "default", "meaning")


def option_rows(command: click.Command) -> Iterator[Sequence[str]]:
    context = click.Context(command)
    for option in command.params:
        if not isinstance(option, click.Option):
            continue
        extra = option.get_help_extra(context)
        default = "required" if option.required else code(extra.get("default", ""))
        yield code(option.opts[0]), value_of(option, context), default, option.help or ""


def shared_option_rows(commands: Iterable[click.Command]) -> list[Sequence[str]]:
    """The rows of the options that at least three of these commands have in common."""
    rows = Counter(tuple(row) for command in commands for row in option_rows(command))
    return [row for row, n in rows.items() if n > 2]


def commands() -> str:
    """All commands with their arguments, options and exit codes."""
    parts = []
    index = [
        (title, ", ".join(f"[`{name}`](#{name.replace(' ', '-')})" for name, _ in listed))
        for title, _, listed in all_commands()
    ]
    parts.append(table(("group", "commands"), index))
    exits = [(code(number), sentence) for number, sentence in EXIT_CODES.items()]
    parts.append("## Exit codes\n\n" + table(("code", "meaning"), exits))
    for title, group, listed in all_commands():
        parts.append(f"## {title}\n")
        if group is not None:
            parts.append(paragraphs(group.help or ""))
        shared = shared_option_rows(command for _, command in listed)
        if shared:
            parts.append("These options have the same meaning in each command that lists them:\n")
            parts.append(table(OPTION_COLUMNS, shared))
        for name, command in listed:
            parts.append(f"### {name}\n\n    candor {usage_of(name, command)}\n")
            parts.append(paragraphs(command.help or ""))
            rows = list(option_rows(command))
            own = [row for row in rows if row not in shared]
            if own:
                parts.append(table(OPTION_COLUMNS, own))
            if len(own) < len(rows):
                names = ", ".join(row[0] for row in rows if row in shared)
                parts.append(f"[Shared options](#{title}): {names}.\n")
    return "\n".join(parts)


# Settings


def settings() -> str:
    """All settings, one table for each group."""
    parts = []
    for group in GROUPS:
        rows = []
        for row in SETTINGS:
            if row.group == group:
                values = PORT_VALUES if row.name == "PORT" else VALUES.get(row.name, ("", ""))[1]
                rows.append((code(row.name), code(row.default), values, with_links(row.sentence)))
        parts.append(f"## {group}\n\n" + table(("name", "default", "values", "meaning"), rows))
    return "\n".join(parts)


# CSV columns


def csv_fields(fields: dict[str, tuple[str, str]]) -> str:
    rows = [(code(name), unit, sentence) for name, (unit, sentence) in fields.items()]
    return table(("column", "unit or format", "meaning"), grouped(rows))


def choice_entries(count: int) -> list[dict[str, str]]:
    return [{"name": f"choice_{place}", "label": f"{place}"} for place in range(1, count + 1)]


def mechanisms_of(kind: QuestionType) -> list[Mechanism]:
    return [each for each in MECHANISMS.values() if kind.mechanisms in each.serves]


def example_question(kind: QuestionType, mechanism: Mechanism | None) -> Question:
    """A question of a type with a mechanism, or a non-private one."""
    entry: dict[str, Any] = {"name": "question", "type": kind.name, "label": "?"}
    answers, privacy = 3, cast(Any, "none")
    if mechanism is not None:
        with_two = [each for each in mechanism.examples if each[0] == 2]
        two = with_two if kind.dichotomous or kind.item_limits else []
        answers, parameters = (two or mechanism.examples)[0]
        privacy = {"mechanism": mechanism.name, **parameters}
    if "choices" in kind.members and not kind.own_words("en"):
        # Three items have six orders, and two have two.
        entry["choices"] = choice_entries(min(answers, 3) if kind.item_limits else answers)
    if "earliest" in kind.members:
        entry |= {"earliest": "2026-01-01", "latest": "2026-12-31"}
    if kind.numeric:
        entry |= {"min": 0, "max": answers - 1}
        if mechanism is not None:
            privacy["points"] = answers
    if kind.secret_fact:
        entry |= {"hint": "?", "known_share": "1/6"}
    items: list[Question] = []
    if kind.joint:
        unsent = {"type": "yes_no", "label": "?", "privacy": NOT_SENT}
        # With fewer combinations, subset selection has sets of one.
        names = ["one", "other", "third"]
        items = [parse_question({"name": name, **unsent}, "", "en") for name in names]
        entry["derived"] = {"joint": names}
    return parse_question(entry | {"privacy": privacy}, "", "en", items)


def columns_text(question: Question) -> str:
    """The columns of a question, of several choices the first with an ellipsis."""
    names = [
        name.replace("question", "QUESTION").replace("choice", "CHOICE")
        for name in csv_column_names(question)
    ]
    return ", ".join(map(code, names[:2])) + (", …" if len(names) > 2 else "")


def column_mechanisms(
    kind: str, names: list[str], rows: dict[tuple[str, str, str], list[str]]
) -> str:
    """The mechanisms of a row. The longest row of a type has those that no other row names."""
    of_type = [others for key, others in rows.items() if key[0] == kind]
    if len(names) == 1 or names != max(of_type, key=len):
        return ", ".join(names)
    if len(of_type) == 1:
        return "all"
    return "`none` and all others" if "`none`" in names else "all others"


def response_columns() -> str:
    """The columns of responses.csv for each type of question and each form of its reports."""
    rows: dict[tuple[str, str, str], list[str]] = {}
    for kind in QUESTION_TYPES.values():
        if not kind.asks:
            continue
        # A joint question is always private.
        for mechanism in (*([] if kind.joint else [None]), *mechanisms_of(kind)):
            question = example_question(kind, mechanism)
            key = (kind.name, columns_text(question), question.form.cell_sentence)
            rows.setdefault(key, []).append("`none`" if mechanism is None else code(mechanism.name))
    # Types with the same columns and cells share a row.
    shared: dict[tuple[str, str, str], list[str]] = {}
    for (name, columns, sentence), mechanisms in rows.items():
        # A row without non-private questions does not mention their answers.
        cells = sentence
        if "`none`" not in mechanisms:
            cells = re.sub(", or for `none` the answer,?", "", sentence)
        rest = (column_mechanisms(name, mechanisms, rows), columns, cells)
        shared.setdefault(rest, []).append(code(name))
    listed = [(", ".join(kinds), *rest) for rest, kinds in shared.items()]
    return table(("type", "mechanism", "columns", "cells"), listed)


# Definition


def fields_table(fields: dict[str, str]) -> str:
    return table(("field", "meaning"), [(code(name), text) for name, text in fields.items()])


def question_fields() -> str:
    """The fields of a question, with the types that have them."""
    rows = []
    for name, sentence in QUESTION_FIELDS.items():
        types = [kind.name for kind in QUESTION_TYPES.values() if name in kind.keys]
        others = [kind for kind in QUESTION_TYPES if kind not in types]
        which = ", ".join(map(code, types))
        if len(others) < len(types):
            which = " except ".join(filter(None, ["all", ", ".join(map(code, others))]))
        rows.append((code(name), which, sentence))
    return table(("field", "types", "meaning"), rows)


def question_types() -> str:
    """The types of questions, with their mechanisms."""
    rows = []
    listed: dict[str, list[str]] = {}
    for kind in QUESTION_TYPES.values():
        names = [
            code(each.name)
            + (" (two answers)" if each.two_answers_only and not kind.dichotomous else "")
            for each in mechanisms_of(kind)
        ]
        # A long list refers to an earlier type that has all of these mechanisms.
        shared = [other for other, its in listed.items() if len(its) > 4 and {*its} <= {*names}]
        listed[kind.name] = names
        if shared:
            further = [name for name in names if name not in listed[shared[0]]]
            names = [", and ".join(filter(None, [f"as `{shared[0]}`", ", ".join(further)]))]
        none = "only `none`" if kind.asks else ""
        rows.append((code(kind.name), kind.answered_by, ", ".join(names) or none))
    return table(("type", "respondents answer by", "mechanisms"), rows)


# API


def type_text(schema: dict[str, Any]) -> str:
    """The type of a field in a JSON Schema, in words."""
    if "$ref" in schema:
        name = schema["$ref"].rpartition("/")[2]
        return f"[{name}](#{name.lower()})"
    if "oneOf" in schema:
        return " or ".join(map(type_text, schema["oneOf"]))
    if "enum" in schema:
        return ", ".join(map(code, schema["enum"]))
    kind = schema["type"]
    if isinstance(kind, list):
        return " or ".join(kind)
    if kind == "array":
        return f"array of {type_text(schema['items'])}"
    if kind == "object" and isinstance(schema.get("additionalProperties"), dict):
        return f"object by name, of {type_text(schema['additionalProperties'])}"
    return cast(str, kind)


def in_estimates_csv(name: str, sentence: str) -> bool:
    """Whether a column of estimates.csv has this name and, apart from null, this sentence."""
    return ESTIMATE_FIELDS.get(name, ("", ""))[1].replace("empty", "null") == sentence


def field_rows(schema: dict[str, Any], prefix: str = "") -> Iterator[Sequence[str]]:
    """The fields of an object, and of the objects within it."""
    for name, field in schema["properties"].items():
        optional = "" if name in schema["required"] else "Optional. "
        yield (
            code(prefix + name),
            type_text(field),
            optional + with_links(field.get("description", "")),
        )
        inner, mark = (field["items"], "[]") if field.get("type") == "array" else (field, "")
        if "properties" in inner:
            yield from field_rows(inner, f"{prefix}{name}{mark}.")


def endpoints() -> str:
    """All endpoints with method and scope."""
    rows = []
    for each in OPERATIONS:
        scope = "all surveys" if each.path == "/surveys" else "the API"
        if each.of_a_survey:
            scope = "one survey" if each.drafts else "one survey, no draft"
        gives = each.kind if each.schema is None else f"[{each.schema}](#{each.schema.lower()})"
        path = f"{blueprint.url_prefix}{each.path}"
        rows.append((code(f"GET {path}"), with_links(each.gives), scope, gives))
    return table(("endpoint", "content", "scope", "format"), rows)


def statuses() -> str:
    """All status codes of the API."""
    # The last one belongs to no operation, so that the OpenAPI document cannot have it.
    texts = {200: "The request succeeded.", 405: "The method is not GET."}
    for each in OPERATIONS:
        texts |= refusals(each)
    return table(("status", "meaning"), [(code(number), texts[number]) for number in sorted(texts)])


def api_fields() -> str:
    """The fields of every JSON object of the API. A sentence that stands elsewhere is a link."""
    parts = []
    places: dict[tuple[str, str], str] = {}
    for name, schema in openapi_document("")["components"]["schemas"].items():
        if "properties" in schema:
            rows = []
            for field, kind, text in field_rows(schema):
                column = field.strip("`").rpartition(".")[2]
                optional = "Optional. " if text.startswith("Optional. ") else ""
                place = places.setdefault((column, text), name)
                if in_estimates_csv(column, text.removeprefix("Optional. ")):
                    text = f"{optional}See [estimates.csv](csv-columns.md#estimatescsv)."
                elif place != name and len(text) > MIN_SENTENCE_LINKED:
                    text = f"{optional}See [{place}](#{place.lower()})."
                rows.append((field, kind, text))
            parts.append(f"### {name}\n\n" + table(("field", "type", "meaning"), grouped(rows)))
        else:
            parts.append(f"### {name}\n\n{schema['description']}\n")
    return "\n".join(parts)


def instrument_list() -> str:
    """A table of all instruments, and a section with the terms and sources of each."""
    rows = (
        (
            f"[{each.name}](#{each.name.lower()})",
            each.title,
            str(len(each.items)),
            f"0 to {each.highest}",
            language_name(each.language),
        )
        for each in read_instruments().values()
    )
    parts = [table(("instrument", "title", "questions", "score", "language"), rows)]
    owners: dict[tuple[str, str], Instrument] = {}
    for each in read_instruments().values():
        same = owners.setdefault((each.terms, each.terms_source), each)
        parts.append(instrument_section(each, same))
    return "\n".join(parts)


def instrument_section(instrument: Instrument, same_terms: Instrument) -> str:
    """The section of an instrument. `same_terms` is the first one with the same terms of use."""
    name = same_terms.name
    terms = [
        f"Terms of use: {instrument.terms}",
        f"Source of the terms: {instrument.terms_source}",
    ]
    if same_terms is not instrument:
        terms = [f"Terms of use and their source: those of [{name}](#{name.lower()})"]
    lines = [f"Citation: {instrument.citation}", *terms]
    for each in instrument.cutoffs:
        who = f" ({each.who})" if each.who else ""
        lines.append(f"Cut-off: {each.at_least} or more{who}. Source: {each.source}")
    if instrument.bands:
        labels = [each["label"] for each in instrument.bands_entry()["choices"]]
        named = zip(labels, instrument.bands, strict=True)
        ranges = ", ".join(f"{label} ({name})" for label, (_, name) in named)
        lines.append(f"Ranges: {ranges}. Source: {instrument.bands_source}")
    wrapped = (
        textwrap.fill(
            f"* {line}", MAX_LINE_CHARACTERS, break_on_hyphens=False, break_long_words=False,
            subsequent_indent="  ",
        )
        for line in lines
    )  # fmt: skip
    return f"### {instrument.name}\n\n" + "\n".join(wrapped) + "\n"


PARTS: dict[str, Callable[[], str]] = {
    "commands": commands,
    "settings": settings,
    "responses-csv": response_columns,
    "estimates-csv": lambda: csv_fields(ESTIMATE_FIELDS),
    "releases-csv": lambda: csv_fields(RELEASE_FIELDS),
    "coded-texts-csv": lambda: csv_fields(CODED_TEXT_FIELDS),
    "analysis-csv": lambda: csv_fields(ANALYSIS_FIELDS),
    "log-csv": lambda: csv_fields(AUDIT_LOG_FIELDS),
    "invitations-csv": lambda: csv_fields(INVITATION_FIELDS),
    "design-file": lambda: csv_fields(DESIGN_FIELDS),
    "survey-fields": lambda: fields_table(SURVEY_FIELDS),
    "budget-fields": lambda: fields_table(BUDGET_FIELDS),
    "protection-fields": lambda: fields_table(PROTECTION_FIELDS),
    "question-fields": question_fields,
    "question-types": question_types,
    "choice-fields": lambda: fields_table(CHOICE_FIELDS),
    "derived-fields": lambda: fields_table(DERIVED_FIELDS),
    "instruments": instrument_list,
    "endpoints": endpoints,
    "status-codes": statuses,
    "api-fields": api_fields,
}


def session(document: str, part: str) -> str:
    """The commands of a console block, each with what it prints.

    They run on an empty database, in a folder with the JSON blocks of the document. The first
    block is smoking.json, the second truth.json.
    """
    from app import create_app

    lines = []
    with TemporaryDirectory() as folder, chdir(folder):
        for name, content in zip(SESSION_FILES, JSON_BLOCK.findall(document), strict=True):
            Path(name).write_text(content, encoding="utf-8")
        app = create_app(
            Settings(
                database="candor.db",
                host="127.0.0.1",
                port=8000,
                url=URL,
                secret_key="0" * 64,
                proxies=0,
            )
        )
        runner = app.test_cli_runner()
        for command in re.findall(r"^\$ (.+)$", part, re.MULTILINE):
            # The reader types `.venv/bin/candor` in front.
            result = runner.invoke(args=shlex.split(command)[1:])
            lines += [f"$ {command}", *result.stdout.splitlines()]
            if result.exit_code:
                raise SystemExit(f"{command}: {result.stderr}")
        app.extensions["candor.store"].close()
    return "```console\n" + "\n".join(line.rstrip() for line in lines) + "\n```\n"


def generated_part(document: str, match: re.Match[str]) -> str:
    """One generated part of a document, with its markers, as the code gives it."""
    name = match["name"]
    content = session(document, match[0]) if name == "session" else PARTS[name]()
    return f"{match['start']}\n{content}\n{match['end']}"


def generated(document: str) -> str:
    """The text of a document with all its generated parts as the code gives them."""
    return PART.sub(partial(generated_part, document), document)


def documents() -> Iterator[Path]:
    """The documents that have generated parts."""
    for path in (*ROOT.glob("*.md"), *DOCS.rglob("*.md")):
        if "<!-- generated: " in path.read_text(encoding="utf-8"):
            yield path


if __name__ == "__main__":
    for path in documents():
        path.write_text(generated(path.read_text(encoding="utf-8")), encoding="utf-8")
