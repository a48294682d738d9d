"""Commands that import, export and list surveys, and create invitations: `survey ...`."""

from pathlib import Path

import click

from survey.cli.command_errors import command
from survey.core.errors import StateError, SurveyError, UnconfirmedProtection
from survey.core.languages import language_name
from survey.definition.certainty import named_loss_of
from survey.definition.frozen import freeze
from survey.definition.instruments.read_instruments import read_instruments
from survey.definition.privacy_limits import is_above
from survey.definition.responses.invitation_codes import MAX_CODES_AT_ONCE
from survey.definition.survey import Survey
from survey.formats.definition_files import (
    MAX_DEFINITION_BYTES,
    read_survey,
    survey_json,
    survey_xlsx,
)
from survey.server.clock import now, today
from survey.store import ListedSurvey
from survey.web.access import create_draft
from survey.web.audit_log import BY_COMMAND, audit
from survey.web.extensions import privacy_limits, store
from survey.web.invitation_zip import make_invitation_zip


@command
@click.argument("file", type=click.Path(exists=True, dir_okay=False, path_type=Path))
@click.option(
    "--open",
    "at_once",
    is_flag=True,
    help="Open the survey at once. Without it, the survey is a draft.",
)
@click.option(
    "--hardly-protected",
    is_flag=True,
    help="With `--open`: open the survey even if a report could make someone more than 95 % sure "
    "of an answer. The respondents' page then says “Hardly protected” at the question.",
)
def import_survey(file: Path, at_once: bool, hardly_protected: bool) -> None:
    """Import a survey from FILE: a definition (.json) or an XLSForm (.xlsx).

    FILE can also be a data dictionary of REDCap (.csv), a survey structure of LimeSurvey (.lss), or
    a survey of SurveyJS or Formbricks (.json).

    The command refuses the survey if another one has the same slug. It lists on standard error what
    it omitted or changed in a file of another program.
    """
    with file.open("rb") as opened:
        imported = read_survey(opened.read(MAX_DEFINITION_BYTES + 1))
    survey = imported.survey
    # Freeze it first, so that a survey that is refused is not stored.
    try:
        frozen = freeze(survey, privacy_limits(), confirmed=hardly_protected) if at_once else None
    except UnconfirmedProtection as error:
        raise UnconfirmedProtection(f"{error} The option is --hardly-protected.") from error
    try:
        create_draft(survey, BY_COMMAND)
    except StateError as error:
        raise StateError(f"{error} The file states it here: {imported.address}.") from error
    if frozen is not None:
        store().surveys.freeze(frozen, "open", today())
    audit("imported the survey", survey.slug)
    click.echo(f"{survey.slug}: {'open' if at_once else 'draft'}, {question_count(survey)}")
    if at_once and survey.fieldwork.class_mode:
        click.echo(
            f"{survey.slug}: in class mode, so Candor erases it at the end of tomorrow (UTC)"
        )
    if imported.left_out:
        click.echo("Omitted or changed:", err=True)
    for sentence in imported.left_out:
        click.echo(f"  {sentence}", err=True)


@command
@click.argument("slug")
@click.option(
    "--output",
    type=click.Path(dir_okay=False, writable=True, path_type=Path),
    help="File to write: an XLSForm if the name ends in .xlsx, otherwise JSON. Default: standard "
    "output.",
)
def export(slug: str, output: Path | None) -> None:
    """Export the definition of survey SLUG as JSON or XLSForm."""
    survey = store().surveys.by_slug(slug).survey
    if output is None:
        click.echo(survey_json(survey), nl=False)
        return
    workbook = output.suffix.lower() == ".xlsx"
    content = survey_xlsx(survey) if workbook else survey_json(survey).encode()
    try:
        output.write_bytes(content)
    except OSError as error:
        raise StateError(
            f"Cannot write {output}: {error.strerror}. Choose another file."
        ) from error
    click.echo(f"{slug}: {question_count(survey)}, in {output}")


@command
@click.argument("name", required=False)
def instruments(name: str | None) -> None:
    """List the instruments, or write the definition of instrument NAME to standard output.

    An instrument is a published questionnaire, such as phq-9. Its definition is a survey that
    `survey import` accepts, or whose questions you can copy into another definition.
    """
    known = read_instruments()
    if name is None:
        for each in known.values():
            click.echo(f"{each.slug}: {each.title}")
            click.echo(f"  Language: {language_name(each.language)}")
            click.echo(f"  Citation: {each.citation}")
            click.echo(f"  Terms of use: {each.terms}")
        return
    if name not in known:
        listed = ", ".join(known)
        raise StateError(f"There is no instrument {name!r}. Choose one of: {listed}.")
    click.echo(survey_json(known[name].survey()), nl=False)


def question_count(survey: Survey) -> str:
    n = len(survey.asked)
    return "1 question" if n == 1 else f"{n} questions"


@command
def list_surveys() -> None:
    """List all surveys with their state, number of received responses and total privacy loss."""
    store().lifecycle.close_due(now())
    for listed_survey in store().surveys.list_surveys():
        n = (
            0
            if listed_survey.state == "draft"
            else store().counts.number_of_responses(listed_survey.slug)
        )
        origin = "" if listed_survey.origin == "browser" else f", {listed_survey.origin}"
        state = "archived" if listed_survey.archived else listed_survey.state
        loss = named_loss_of(listed_survey.epsilon, listed_survey.non_private, listed_survey.fields)
        click.echo(
            f"{listed_survey.slug}: {state}{origin}, {n} responses, "
            f"{loss}{above_limits(listed_survey)}"
        )


def above_limits(found: ListedSurvey) -> str:
    """A warning for a survey that was opened before the server had its present limits."""
    if found.frozen is None or not is_above(found.frozen.survey, privacy_limits()):
        return ""
    return f", above the privacy limits (survey privacy {found.slug})"


@command
@click.argument("slug")
@click.argument("count", type=click.IntRange(1, MAX_CODES_AT_ONCE))
@click.option(
    "--output",
    type=click.Path(exists=False, dir_okay=False, writable=True, path_type=Path),
    required=True,
    help="ZIP file to create. Candor stores only hashes of the codes.",
)
def invite(slug: str, count: int, output: Path) -> None:
    """Create COUNT single-use invitations to survey SLUG: a list, printable slips, QR codes.

    The definition of the survey must require invitations, and the survey must not be a draft.
    """
    try:
        # Create the file before any code is issued: codes that cannot be written would be lost.
        output.touch(0o600, exist_ok=False)
    except OSError as error:
        raise StateError(
            f"Cannot create {output}: {error.strerror}. Choose another file."
        ) from error
    try:
        output.write_bytes(make_invitation_zip(slug, count))
    except SurveyError:
        output.unlink()
        raise
    audit(f"created {count} invitation{'' if count == 1 else 's'}", slug)
    click.echo(f"{slug}: {count} invitations made, in {output}")
