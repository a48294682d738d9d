"""What all commands share."""

from collections.abc import Callable
from functools import wraps
from typing import ParamSpec, TypeVar

import click

from ..errors import SurveyError

P = ParamSpec("P")
R = TypeVar("R")


def plainly(command: Callable[P, R]) -> Callable[P, R]:
    """Refusals become one sentence and exit code 1, never a trace."""

    @wraps(command)
    def spoken(*args: P.args, **kwargs: P.kwargs) -> R:
        try:
            return command(*args, **kwargs)
        except SurveyError as error:
            raise click.ClickException(str(error)) from error

    return spoken
