"""Commands, run as `flask --app app ...`: serve, seal, survey ..., admin ...."""

import json
import re
import secrets
import sys
from collections.abc import Callable, Iterator
from functools import wraps
from itertools import islice
from pathlib import Path
from typing import ParamSpec, TypeVar

import click
from flask import Flask
from flask.cli import AppGroup

from . import auth, server
from .current import store
from .definition import Survey, read_definition
from .demo import add_demo
from .errors import DataFileError, StateError, StoreUnavailable, SurveyError
from .export import as_json
from .figures import responses_behind, survey_results
from .frozen import freeze
from .intake import Response
from .invitations import MOST_AT_ONCE
from .invite import made
from .loading import read_responses, read_truth
from .pages import epsilon_text, loss_text
from .reports import Stored
from .results import QuestionResults, Results
from .sealing import sealing
from .settings import Settings
from .simulation import simulate_responses
from .store import Store
from .wording import percent

LOAD_BATCH = 10_000  # responses held in memory at once

P = ParamSpec("P")
R = TypeVar("R")

survey_commands = AppGroup("survey", help="Import, list, load, simulate and estimate surveys.")
admin_commands = AppGroup("admin", help="Researchers' accounts.")


def plainly(command: Callable[P, R]) -> Callable[P, R]:
    """Refusals become one sentence and exit code 1, never a trace."""

    @wraps(command)
    def spoken(*args: P.args, **kwargs: P.kwargs) -> R:
        try:
            return command(*args, **kwargs)
        except SurveyError as error:
            raise click.ClickException(str(error)) from error

    return spoken


@survey_commands.command("import")
@click.argument("file", type=click.Path(exists=True, dir_okay=False, path_type=Path))
@click.option("--open", "at_once", is_flag=True, help="Open it for responses at once.")
@plainly
def import_survey(file: Path, at_once: bool) -> None:
    """Add a survey from a definition FILE.json."""
    survey = read_definition(file.read_bytes())
    frozen = freeze(survey) if at_once else None  # refused before anything is stored
    store().save_draft(survey)
    if frozen is not None:
        store().freeze(frozen, "open")
    click.echo(
        f"{survey.slug}: {'open' if at_once else 'draft'}, {len(survey.questions)} questions"
    )


@survey_commands.command("list")
@plainly
def list_surveys() -> None:
    """List all surveys."""
    for found in store().surveys():
        n = responses_behind(found.survey, store().counts(found.survey.slug))
        origin = "" if found.origin == "browser" else f", {found.origin}"
        click.echo(
            f"{found.survey.slug}: {found.state}{origin}, {n} responses, "
            f"epsilon {loss_text(found.survey)}"
        )


def closed_for_data(slug: str) -> Survey:
    """The survey, frozen and closed on the way if it is a draft: data may be loaded into designs
    without a finite epsilon, which can never be opened."""
    found = store().survey(slug)
    if found.frozen is None:
        store().freeze(freeze(found.survey, to_open=False), "closed")
    return found.survey


def results_of(slug: str) -> Results:
    found = store().survey(slug)
    if found.frozen is None:
        raise StateError(f"Survey {slug!r} is a draft; it has no responses.")
    return survey_results(found.frozen, store().counts(slug), found.origin)


@survey_commands.command()
@click.argument("slug")
@click.option("--json", "machine", is_flag=True, help="Everything, at full precision.")
@plainly
def estimate(slug: str, machine: bool) -> None:
    """Estimate the true shares of survey SLUG."""
    results = results_of(slug)
    if machine:
        click.echo(json.dumps(as_json(results), indent=1, allow_nan=False))
        return
    if results.origin != "browser":
        click.echo(f"Responses: {results.origin}.")
    click.echo(f"{results.n} responses, epsilon {loss_text(results.frozen.survey)}")
    for question in results.questions:
        plain = question.question.plain
        loss = "stored as given" if plain else f"epsilon {epsilon_text(question.epsilon)}"
        click.echo(f"\n{question.question.label}  ({loss})")
        for line in figures(question):
            click.echo(f"  {line}")
        for line in question.explanations or ([] if question.answers else [question.sentence]):
            click.echo(f"  {line}")


def figures(question: QuestionResults) -> Iterator[str]:
    """A line for each figure."""
    level = f"{100 * question.level:g} % interval"
    for answer in question.answers:
        error = answer.standard_error
        yield (
            f"{answer.choice.label}: {percent(answer.value)}"
            f" (standard error {'unknown' if error is None else percent(error)};"
            f" {level} {percent(answer.low)} to {percent(answer.high)})"
        )
    for quantity in question.quantities:
        low, high = quantity.between
        yield f"{quantity.label}: {quantity.shown} ({level} {low} to {high})"


def batches(rows: Iterator[tuple[Stored | None, ...]]) -> Iterator[list[Response]]:
    while batch := [
        Response(secrets.token_bytes(16), reports) for reports in islice(rows, LOAD_BATCH)
    ]:
        yield batch


def shown(arriving: Iterator[list[Response]], n: int, label: str) -> Iterator[list[Response]]:
    """The same batches, with a progress bar on standard error."""
    with click.progressbar(length=n, label=label, file=sys.stderr) as bar:
        for batch in arriving:
            yield batch
            bar.update(len(batch))


@survey_commands.command()
@click.argument("slug")
@click.argument("file", type=click.Path(exists=True, dir_okay=False, path_type=Path))
@click.option("--append", is_flag=True, help="Add to responses that were loaded before.")
@plainly
def load(slug: str, file: Path, append: bool) -> None:
    """Load RESPONSES.csv, collected elsewhere under the definition of survey SLUG.

    The file has the form of responses.csv: a column for each question, each cell the name of a
    report. A survey with loaded responses is closed and takes none from browsers.
    """
    survey = store().survey(slug).survey
    try:
        # read to the end before anything is stored: a fault in the last line loads nothing
        with file.open(encoding="utf-8-sig", newline="") as lines:
            n = sum(1 for _ in read_responses(lines, survey))
    except UnicodeDecodeError as error:
        raise DataFileError(f"{file} is not UTF-8.") from error
    closed_for_data(slug)
    if responses_behind(survey, store().counts(slug)) and not append:
        raise StateError(f"Survey {slug!r} has responses already. To add to them, use --append.")
    with file.open(encoding="utf-8-sig", newline="") as lines:
        arriving = batches(read_responses(lines, survey))
        store().add_batches(slug, shown(arriving, n, "Loading"), "loaded")
    click.echo(f"{slug}: {n} responses loaded")


@survey_commands.command()
@click.argument("slug")
@click.option("--n", "n", type=click.IntRange(1), required=True, help="How many respondents.")
@click.option(
    "--truth",
    type=click.Path(exists=True, dir_okay=False, path_type=Path),
    required=True,
    help='JSON with the true shares, such as {"smokes": {"yes": 0.3}}.',
)
@click.option("--seed", type=click.IntRange(0), help="The same seed gives the same respondents.")
@plainly
def simulate(slug: str, n: int, truth: Path, seed: int | None) -> None:
    """Add simulated respondents to survey SLUG, which is then marked as simulated for good."""
    try:
        shares = read_truth(json.loads(truth.read_bytes()), store().survey(slug).survey)
    except (ValueError, RecursionError) as error:
        raise DataFileError(f"{truth} is not JSON: {error}.") from error
    survey = closed_for_data(slug)
    arriving = simulate_responses(survey, shares, n, seed)
    store().add_batches(slug, shown(arriving, n, "Simulating"), "simulated")
    click.echo(f"{slug}: {n} simulated respondents added")


@survey_commands.command()
@click.argument("slug")
@click.argument("count", type=click.IntRange(1, MOST_AT_ONCE))
@click.option(
    "--output",
    type=click.Path(exists=False, dir_okay=False, writable=True, path_type=Path),
    required=True,
    help="A new ZIP file; it holds the codes, which are nowhere else.",
)
@plainly
def invite(slug: str, count: int, output: Path) -> None:
    """Make COUNT single-use invitations to survey SLUG, as a list, slips and QR codes."""
    try:
        # before anything is issued, since codes that cannot be written are lost
        output.touch(0o600, exist_ok=False)
    except OSError as error:
        raise StateError(f"{output} cannot be made: {error.strerror}.") from error
    try:
        output.write_bytes(made(slug, count))
    except SurveyError:
        output.unlink()
        raise
    click.echo(f"{slug}: {count} invitations made, in {output}")


@admin_commands.command()
@click.argument("name")
@plainly
def create(name: str) -> None:
    """Create an account; its password is read from standard input."""
    if not re.fullmatch(r"[\w.@-]{1,64}", name):
        raise StateError("A name has letters, digits and . _ @ - (at most 64).")
    if sys.stdin.isatty():
        password = click.prompt("Password", hide_input=True, confirmation_prompt=True)
    else:
        try:
            password = sys.stdin.readline().rstrip("\r\n")
        except UnicodeDecodeError as error:
            raise StateError("The password is not UTF-8.") from error
    if not auth.MIN_PASSWORD <= len(password) <= auth.MAX_PASSWORD:
        raise StateError(f"A password has {auth.MIN_PASSWORD} to {auth.MAX_PASSWORD} characters.")
    store().add_account(name, auth.hash_password(password))
    click.echo(f"{name}: account created")


def init_app(app: Flask, settings: Settings) -> None:
    app.cli.add_command(survey_commands)
    app.cli.add_command(admin_commands)

    @app.cli.command()
    @plainly
    def seal() -> None:
        """Rewrite the database so that its bytes do not tell the order of arrival."""
        store().seal()
        click.echo("The database is sealed.")

    @app.cli.command()
    @plainly
    def serve() -> None:
        """Serve with a production server; an empty database gets the demo first."""
        # first of all, so that a start that fails does not spoil the link of one that runs
        listening = server.listen(app, settings)
        if settings.demo and not store().surveys():
            add_demo(store())
        try:
            store().seal()
        except StoreUnavailable as error:  # another server may be at work on it
            click.echo(str(error), err=True)
        token = None
        if not store().has_accounts():
            token = secrets.token_urlsafe(32)
            store().set_setup_token(auth.token_hash(token))
        with sealing(store()):
            server.run(listening, greeting(store(), settings, token))


def greeting(store: Store, settings: Settings, setup_token: str | None) -> str:
    """What `serve` prints: where to go, and a warning where the way there is not protected."""
    slugs = [found.survey.slug for found in store.surveys() if found.state == "open"]
    lines = ["", "Candor is running. Stop it with Ctrl+C.", ""]
    lines += [f"  Answer a survey        {settings.url}/s/{slug}" for slug in slugs[:3]]
    if setup_token is None:
        lines.append(f"  Researchers sign in    {settings.url}/admin/")
    else:
        lines.append(f"  Set up your account    {settings.url}/admin/setup?token={setup_token}")
        lines.append("                         (works once, until the next start)")
    if not settings.https and settings.host not in ("127.0.0.1", "::1", "localhost"):
        lines += [
            "",
            "  Warning: without https, anyone on the way can change the page that protects",
            "  respondents. Put a proxy with TLS in front and set CANDOR_URL to its address.",
        ]
    return "\n".join([*lines, ""])
