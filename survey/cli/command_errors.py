"""What all commands share: refusals in a sentence, the application's context."""

from collections.abc import Callable
from functools import wraps
from typing import ParamSpec, TypeVar

import click
from flask.cli import with_appcontext

from survey.core.errors import SurveyError
from survey.store.durable_files import writing_for_owner

P = ParamSpec("P")
R = TypeVar("R")


def command(function: Callable[P, R]) -> click.Command:
    """A command; this stands above its arguments and options. Refusals become one sentence and exit
    code 1, never a trace. What the command writes is for its owner alone."""

    @wraps(function)
    def spoken(*args: P.args, **kwargs: P.kwargs) -> R:
        try:
            with writing_for_owner():
                return function(*args, **kwargs)
        except SurveyError as error:
            raise click.ClickException(str(error)) from error

    return click.command()(with_appcontext(spoken))
