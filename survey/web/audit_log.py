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

import re
import time

import click
from flask import Response, current_app, g, has_request_context, request

from survey.core.errors import StoreUnavailable
from survey.definition.sub_surveys import whole_of
from survey.store import Store
from survey.store.sql.audit_log import Act
from survey.web.extensions import store

# No account can have these names, because names have no spaces.
BY_COMMAND, BY_SERVER = "command line", "the server"
# The action of the page and of the command that make a survey from a file.
CREATED_FROM_FILE = "created the survey from a file of responses"

# Entries that earlier versions stored, and the words of today. An entry is never rewritten in the
# database, so pages and files translate it when they show it.
OLD_DOWNLOAD = "took {} home"
OLD_ACTIONS = (
    (OLD_DOWNLOAD.format("everything") + r" \(ZIP\)", "downloaded all data (ZIP)"),
    (OLD_DOWNLOAD.format("the log"), "downloaded the audit log"),
    (OLD_DOWNLOAD.format("a picture"), "downloaded a chart"),
    (OLD_DOWNLOAD.format(r"(the definition|[\w.-]+)"), r"downloaded \1"),
    (r"took the survey back from the archive$", "unarchived the survey"),
    (r"copied the survey \(", "duplicated the survey ("),
    (r"deleted the survey for good$", "deleted the survey"),
    (r"changed when the survey closes by itself$", "changed the survey's limits"),
    (r"simulated a pilot$", "ran a simulation"),
    (r"deleted the pilot$", "deleted the simulation"),
    (r"started practice$", "started test mode"),
    (r"deleted the practice$", "deleted the test responses"),
    (r"showed the estimates to everyone$", "published the results"),
    (r"showed the estimates to researchers alone$", "unpublished the results"),
    (r"showed the releases to everyone$", "published the DP releases"),
    (r"showed the releases to researchers alone$", "unpublished the DP releases"),
    (r"switched a link to the results off$", "deleted a results link"),
    (r"named a program to tell: ", "added the webhook "),
    (r"deleted the program to tell: ", "deleted the webhook "),
    (r"sent a test to ", "sent a test message to "),
    (r"chose a password by a link$", "chose a password with a link"),
    (r"(signed in.* after \d+) failed try$", r"\1 failed attempt"),
    (r"(signed in.* after \d+) failed tries$", r"\1 failed attempts"),
    (r"made the survey", "created the survey"),
    (r"made the API token ", "created the API token "),
    (r"made (\d+ )?invitations$", r"created \1invitations"),
    (r"made a link to the results for ", "created a results link for "),
    (r"deleted a link to the results$", "deleted a results link"),
    (r"made a backup$", "created a backup"),
    (r"turned their second factor (on|off)$", r"turned \1 the second factor"),
    (r"gave (\S+) the role (\w+)$", r"changed the role of \1 to \2"),
    (r"saved the draft \(from (\S+)\)$", r"saved the draft, and changed its address from \1"),
    (r"uploaded a file of (weight|stratum|cluster)", r"uploaded a design file with \1"),
    (r"deleted the file of weights, strata and clusters$", "deleted the design file"),
    (r"set the budget for releases to epsilon (\S+), delta ", r"set the DP budget to ε = \1, δ = "),
)


def action_text(action: str) -> str:
    """A stored action in the words of today."""
    for old, new in OLD_ACTIONS:
        text, found = re.subn(rf"\A{old}", new, action, count=1)
        if found:
            return text
    return action


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
        store().audit.record(Act(whole_of(slug), account, action, int(time.time())))
    except StoreUnavailable:
        if file is not None:
            file.close()
        raise


def record_erased_class(store: Store, slug: str) -> None:
    """Record that the server erased a class by itself. Raises StoreUnavailable.

    Unlike the other functions, it needs no application, because a thread of the server calls it.
    """
    store.audit.record(
        Act(slug, BY_SERVER, "erased the class after its last day", int(time.time()))
    )
