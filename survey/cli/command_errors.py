"""What all commands share: refusals in a sentence, the audit log, the application's context."""

from collections.abc import Callable
from functools import wraps
from typing import ParamSpec, TypeVar

import click
from flask.cli import with_appcontext

from survey.core.errors import StoreUnavailable, SurveyError
from survey.store.durable_files import writing_for_owner
from survey.web import audit_log

P = ParamSpec("P")
R = TypeVar("R")


def audited_command(command: Callable[P, R]) -> Callable[P, R]:
    """Refusals become one sentence and exit code 1, never a trace. What is done is recorded, with
    the survey that the command was given, or whose slug it returns. What it writes is for its
    owner alone."""

    @wraps(command)
    def spoken(*args: P.args, **kwargs: P.kwargs) -> R:
        try:
            with writing_for_owner():
                done = command(*args, **kwargs)
        except SurveyError as error:
            raise click.ClickException(str(error)) from error
        words = audit_log.BY_COMMAND_NAME[command.__name__]
        if words is not None:
            slug = done if isinstance(done, str) else str(kwargs.get("slug", ""))
            try:
                audit_log.append_act(slug, audit_log.BY_COMMAND, words.format_map(kwargs))
            except StoreUnavailable as error:
                click.echo(f"Done, but missing in the log of acts. {error}", err=True)
        return done

    return with_appcontext(spoken)
