"""The commands of the analyses, made from the same descriptions as their pages.

An option is a field of the form (survey/web/analyses/forms.py). A command prints the finding, the
remarks and the tables of the page, or one of its files.
"""

from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import click
from werkzeug.datastructures import MultiDict
from wtforms import BooleanField, Field, SelectField

from survey.analysis.columns.column_request import OF_FILE, DesignNames
from survey.analysis.columns.design_file import (
    DESIGN_COLUMNS,
    MAX_DESIGN_FILE_BYTES,
    DesignFile,
    read_design_file,
)
from survey.analysis.columns.variables import no_population_correction
from survey.cli.command_errors import command
from survey.cli.responses import encoding_option, opened_csv
from survey.cli.tables import block_lines
from survey.core.errors import UnanswerableQuestion
from survey.core.glossary_terms import without_marks
from survey.definition.survey import Survey
from survey.web.analyses.forms import DESIGN_FIELDS, AnalysisForm, AnswerChoice, offers_nothing
from survey.web.analyses.kind import AnalysisKind
from survey.web.analyses.result import FILES, analysis_file
from survey.web.form_fields import CheckboxesField
from survey.web.published_results import survey_now

Command = Callable[..., Any]


def analysis_command(kind: AnalysisKind) -> click.Command:
    """The command of an analysis: an option for each field of its form, and one for each file."""

    def analyse(slug: str, **given: Any) -> None:
        run_analysis(kind, slug, given)

    form = kind.form(None)
    options = [field_option(field) for field in form.own_fields]
    if kind.form.sampled:
        options += design_options(form)
    options += [
        click.option(f"--{each}", each, is_flag=True, help=f"Print the {each.upper()} file.")
        for each in FILES
    ]
    function: Command = click.argument("slug")(analyse)
    for option in reversed(options):
        function = option(function)
    made = command(function)
    made.name = kind.name
    made.help = f"{without_marks(kind.about())}\n\nSLUG is the survey."
    return made


def design_options(form: AnalysisForm) -> list[Command]:
    """The options for the sampling design. Only a design file has population sizes."""
    file = click.option(
        "--design",
        "file",
        type=click.Path(exists=True, dir_okay=False, path_type=Path),
        help="Design file: CSV with a weight, stratum, cluster or population size for each "
        "combination of answers to non-private questions.",
    )
    names = (field_option(form[name]) for name in DESIGN_FIELDS[:-1])
    return [*names, file, encoding_option("the design file")]


def field_option(field: Field) -> Command:
    """The option for a field of a form."""
    name = field.short_name
    spelling = f"--{name.replace('_', '-')}"
    choices = [] if name in DESIGN_FIELDS else list(getattr(field, "choices", None) or ())
    listed = [choice for choice in choices if choice.value]
    several = isinstance(field, CheckboxesField)
    texts = [
        field.label.text,
        field.description,
        *(
            choice.label
            if str(choice.label).startswith(choice.value)
            else f"{choice.value}: {choice.label}"
            for choice in listed
        ),
        "You can repeat this option" if several else "",
    ]
    text = " ".join(f"{each.rstrip('.')}." for each in texts if each)
    if isinstance(field, BooleanField):
        return click.option(spelling, name, is_flag=True, help=text)
    # Click does not require an option that has a default, even if it is None.
    default = {"default": field.default} if listed and field.default else {}
    return click.option(
        spelling,
        name,
        type=click.Choice([choice.value for choice in listed]) if listed else str,
        show_default=True,
        multiple=several,
        required=not field.flags.optional
        and (several or (isinstance(field, SelectField) and field.default is None)),
        help=text,
        **default,
    )


def read_design(path: Path | None, encoding: str | None, survey: Survey) -> DesignFile | None:
    """The design file of an option."""
    if path is None:
        return None
    with opened_csv(path) as opened:
        return read_design_file(opened.read(MAX_DESIGN_FILE_BYTES + 1), survey, encoding or "")


def run_analysis(kind: AnalysisKind, slug: str, given: dict[str, Any]) -> None:
    """Print an analysis, or the files that the options name."""
    found = survey_now(slug)
    file = read_design(given.pop("file", None), given.pop("encoding", None), found.survey)
    files = [each for each in FILES if given.pop(each)]
    form = kind.form_of_query(found, MultiDict(), file)
    query = MultiDict(query_pairs(form, given, file)) if form else MultiDict()
    result = kind.result(found, query, file)
    if files:
        for each in files:
            click.echo(analysis_file(result, found, kind.name, each), nl=False)
        return
    if found.origin != "browser":
        click.echo(f"Responses: {found.origin}.")
    texts = filter(None, (result.heading, result.sentence, result.about_figures))
    click.echo("\n".join([*texts, *block_lines(result.blocks)]))


def query_pairs(
    form: AnalysisForm, given: dict[str, Any], file: DesignFile | None
) -> Iterator[tuple[str, str]]:
    """The fields of a query, from the values of options and the columns of a design file."""
    for name, value in given.items():
        if value is True:
            yield name, "y"
        elif value:
            for text in value if isinstance(value, tuple) else (value,):
                yield name, value_of(form[name], text)
    if file is not None:
        names = DesignNames(*(given.get(name) for name in DESIGN_FIELDS)).with_file(file)
        if names.populations and not form.finite:
            raise no_population_correction()
        for column, name in zip(DESIGN_COLUMNS, DESIGN_FIELDS, strict=True):
            if column in file.tells:
                yield name, OF_FILE


def value_of(field: Field, text: str) -> str:
    """The value of the choice that a text spells: its value, or a question with an answer's name.

    Raises UnanswerableQuestion with the choices.
    """
    if not isinstance(field, SelectField | CheckboxesField):
        return text
    spelled = {
        (each.spelling if isinstance(each, AnswerChoice) else each.value).casefold(): each.value
        for each in field.choices
        if each.value
    }
    if text.casefold() in spelled:
        return str(spelled[text.casefold()])
    name = f"--{field.short_name.replace('_', '-')}"
    if offers_nothing(field):
        raise UnanswerableQuestion(f"This survey has nothing to choose for {name}.")
    raise UnanswerableQuestion(
        f"{text!r} is not possible for {name}. Choose one of these: {', '.join(spelled)}."
    )
