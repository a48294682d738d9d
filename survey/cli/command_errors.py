"""The wrapper of all commands: error messages, file rights and the application context."""

from collections.abc import Callable
from functools import wraps
from typing import ParamSpec, TypeVar

import click
from flask import Flask
from flask.cli import ScriptInfo, with_appcontext

from survey.core.errors import SurveyError
from survey.store.durable_files import writing_for_owner

P = ParamSpec("P")
R = TypeVar("R")

# The exit codes of all commands, for docs/reference/commands.md.
EXIT_CODES = {
    0: "The command succeeded.",
    1: "The command refused or failed, or found a problem. It says what is wrong and what to do.",
    2: "The command line is wrong: an unknown option, a missing argument or an invalid value.",
}


def command(function: Callable[P, R]) -> click.Command:
    """Make a command. Apply it above the arguments and options.

    A SurveyError becomes one message and exit code 1, without a traceback. Only the owner can read
    the files that a command writes.
    """

    @wraps(function)
    def run_with_messages(*args: P.args, **kwargs: P.kwargs) -> R:
        try:
            with writing_for_owner():
                return function(*args, **kwargs)
        except SurveyError as error:
            raise click.ClickException(str(error)) from error

    return click.command()(with_appcontext(run_with_messages))


def current_application() -> Flask:
    """The application of the command that runs."""
    return click.get_current_context().ensure_object(ScriptInfo).load_app()
