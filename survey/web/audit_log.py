"""The log of what researchers do: which acts are recorded, and how.

The argument. An operator, a colleague or a data protection officer can ask who opened a survey,
who took its responses home, who gave whom which role. So every successful change by a researcher,
every file taken home, every sign-in and every command is recorded: who, what, which survey, when.
Nothing else: no address, no device. And nothing that a respondent does is ever recorded, neither
a response nor a withdrawal, so that no moment in the log belongs to one. Failed tries to sign in
are a count (`SecondFactors.count_failed`), or strangers could fill the log, with passwords that
somebody typed in the wrong field. Looking at pages is not recorded, neither of researchers nor of
those who have a link to results.

Each view and each command records its own act at the point where it succeeded, by `audit`, or by
`audit_file` where it gives a file. tests/web/test_audit_log.py and tests/cli/test_command_errors.py
do everything that changes something or gives a file, and fail where nothing is recorded.
"""

import time

import click
from flask import Response, current_app, g, has_request_context, request

from survey.core.errors import StoreUnavailable
from survey.definition.sub_surveys import whole_of
from survey.store.sql.audit_log import Act
from survey.web.extensions import store

BY_COMMAND = "command line"  # no account is called so: names have no spaces


def audit(action: str, slug: str = "") -> None:
    """Record what was just done, by the account that is signed in, or by a command.

    The change is done already. So where the log cannot be written this is only reported: to call
    the change failed would have it done twice.

    Parameters
    ----------
    action : what was done, in the words of the log
    slug : the survey, or a part of one; empty where the act concerns none
    """
    account = g.account.name if has_request_context() else BY_COMMAND
    try:
        append_act(account, action, slug)
    except StoreUnavailable as error:
        if has_request_context():
            current_app.logger.error("Done, but missing in the log of acts: %s", request.endpoint)
        else:
            click.echo(f"Done, but missing in the log of acts. {error}", err=True)


def audit_file(file: Response, action: str, slug: str = "") -> Response:
    """Record that the account that is signed in takes this file, which is returned.

    A HEAD request takes nothing. Raises StoreUnavailable, see `append_act`.
    """
    if request.method != "HEAD":
        append_act(g.account.name, action, slug, file)
    return file


def append_act(account: str, action: str, slug: str, file: Response | None = None) -> None:
    """Append an act, now. An act on a part of a survey is recorded with the whole survey.

    Raises StoreUnavailable. Then `file` is closed, since what is not recorded is not sent.
    """
    try:
        store().audit.record(Act(whole_of(slug), account, action, int(time.time())))
    except StoreUnavailable:
        if file is not None:
            file.close()
        raise
