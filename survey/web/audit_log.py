"""The audit log of what researchers do: which actions are recorded, and how.

The argument. An operator, a colleague or a data protection officer can ask who opened a survey,
downloaded its responses, or changed a role. So Candor records every successful change by a
researcher, every download, every sign-in and every command: who, what, which survey, when. It
records nothing else: no address, no device. It never records what a respondent does, neither a
response nor a withdrawal, so no time in the log belongs to a respondent. Failed attempts to sign
in are only counted (`SecondFactors.count_failed`). Otherwise strangers could fill the log, also
with passwords that somebody typed into the wrong field. Reading a page is not recorded, neither
for researchers nor for people with a link to results.

Each view and each command records its own action at the point where it succeeded. It calls
`audit`, or `audit_file` for a download. tests/web/test_audit_log.py and
tests/cli/test_command_errors.py do everything that changes something or downloads a file. They
fail if an action is not recorded.
"""

import time

import click
from flask import Response, current_app, g, has_request_context, request

from survey.core.errors import StoreUnavailable
from survey.definition.sub_surveys import whole_of
from survey.store import Store
from survey.store.sql.audit_log import Act
from survey.web.extensions import store

# No account can have these names, because names have no spaces.
BY_COMMAND = "command line"
BY_SERVER = "the server"
# The action of the page and of the command that make a survey from a file.
CREATED_FROM_FILE = "created the survey from a file of responses"


def audit(action: str, slug: str = "") -> None:
    """Record an action of the signed-in account, or of a command.

    The change is already done. If the log cannot be written, this function only reports it: if it
    failed, the user would repeat the change.

    Parameters
    ----------
    action : the text of the log entry
    slug : the survey or sub-survey; empty if the action concerns none
    """
    account = g.account.name if has_request_context() else BY_COMMAND
    try:
        append_act(account, action, slug)
    except StoreUnavailable as error:
        if has_request_context():
            current_app.logger.error("Done, but not in the audit log: %s", request.endpoint)
        else:
            click.echo(f"Done, but not recorded in the audit log. {error}", err=True)


def audit_file(file: Response, action: str, slug: str = "") -> Response:
    """Record that the signed-in account downloads this file, and return the file.

    A HEAD request downloads nothing. Raises StoreUnavailable, see `append_act`.
    """
    if request.method != "HEAD":
        append_act(g.account.name, action, slug, file)
    return file


def append_act(account: str, action: str, slug: str, file: Response | None = None) -> None:
    """Append an action with the current time. An action on a sub-survey is recorded for its survey.

    Raises StoreUnavailable and closes `file`, because an unrecorded file is not sent.
    """
    try:
        store().audit.record(
            Act(survey=whole_of(slug), account=account, action=action, moment=int(time.time()))
        )
    except StoreUnavailable:
        if file is not None:
            file.close()
        raise


def record_erased_class(store: Store, slug: str) -> None:
    """Record that the server erased a class by itself. Raises StoreUnavailable.

    Unlike the other functions, it needs no application, because a thread of the server calls it.
    """
    store.audit.record(
        Act(
            survey=slug,
            account=BY_SERVER,
            action="erased the class after its last day",
            moment=int(time.time()),
        )
    )
