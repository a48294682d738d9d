"""The audit log of one survey, and of all surveys for owners, as a page and as CSV."""

from datetime import UTC, datetime

from flask import Response, render_template, request
from flask.typing import ResponseReturnValue

from survey.admin.blueprint import blueprint
from survey.core.csv_cells import csv_text
from survey.definition.sub_surveys import whole_of
from survey.store import EDITOR, OWNER, StoredSurvey
from survey.web.audit_log import audit_file
from survey.web.extensions import store
from survey.web.published_results import attach_file

ACTS_PER_PAGE = 50
# The columns of log.csv: each with its unit or format, and a sentence. `make reference` writes them
# into docs/reference/csv-columns.md.
AUDIT_LOG_FIELDS = {
    "moment": ("YYYY-MM-DD HH:MM:SSZ, UTC", "Time of the action."),
    "account": (
        "text",
        "Name of the account; `command line` for a command, `the server` for what the server did "
        "itself.",
    ),
    "survey": ("text", "Name of the survey in its link; empty if the action concerns no survey."),
    "action": ("text", "What the account did."),
}
COLUMNS = tuple(AUDIT_LOG_FIELDS)


def utc_time_text(moment: int) -> str:
    """Seconds since 1970 as a date and time, in UTC."""
    return f"{datetime.fromtimestamp(moment, UTC):%Y-%m-%d %H:%M:%S}"


def log_page(found: StoredSurvey | None) -> ResponseReturnValue:
    slug = found.survey.slug if found else None
    account = request.args.get("account") or None
    before = request.args.get("before", type=int)
    acts = store().audit.acts(slug, account, before, ACTS_PER_PAGE + 1)
    return render_template(
        "admin/team/audit_log.html",
        found=found,
        survey=found.survey if found else None,
        acts=acts[:ACTS_PER_PAGE],
        older=acts[ACTS_PER_PAGE - 1].number if len(acts) > ACTS_PER_PAGE else None,
        before=before,
        account_asked=account,
        actors=store().audit.actors(slug),
        titles={} if found else {each.slug: each for each in store().surveys.list_surveys()},
        written=utc_time_text,
    )


def log_file(slug: str | None) -> Response:
    rows = (
        (f"{utc_time_text(act.moment)}Z", act.account, act.survey, act.action)
        for act in store().audit.acts(slug)
    )
    name = f"{slug}-log.csv" if slug else "log.csv"
    file = attach_file(csv_text([COLUMNS, *rows]), name, "text/csv")
    return audit_file(file, "downloaded the audit log", slug or "")


@blueprint.get("/log", role=OWNER)
def log() -> ResponseReturnValue:
    return log_page(None)


@blueprint.get("/log.csv", role=OWNER)
def log_csv() -> ResponseReturnValue:
    return log_file(None)


@blueprint.get("/surveys/<slug>/log", role=EDITOR)
def survey_log(slug: str) -> ResponseReturnValue:
    return log_page(store().surveys.by_slug(whole_of(slug)))


@blueprint.get("/surveys/<slug>/log.csv", role=EDITOR)
def survey_log_csv(slug: str) -> ResponseReturnValue:
    return log_file(store().surveys.by_slug(whole_of(slug)).survey.slug)
