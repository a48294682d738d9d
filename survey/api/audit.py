"""Audit hooks of the API: downloads are recorded, once a day for each token, survey and file.

Otherwise a script that asks every minute would bury all else in the log.
"""

from typing import cast

from flask import Flask, current_app, g

from survey.definition.sub_surveys import whole_of
from survey.server.clock import today
from survey.web import audit_log

DOWNLOADS_KEY = "candor.taken_by_tokens"

Downloads = set[tuple[str, ...]]


def downloads_of_day(app: Flask, day: str) -> Downloads:
    """What was taken on this day, as far as this process knows; other days are forgotten."""
    of_days = cast(dict[str, Downloads], app.extensions.setdefault(DOWNLOADS_KEY, {}))
    for other in [each for each in of_days if each != day]:
        del of_days[other]
    return of_days.setdefault(day, set())


def record_download(endpoint: str, slug: str) -> None:
    """Before the file is given. Raises StoreUnavailable; then it is not given."""
    words = audit_log.BY_ROUTE.get(endpoint)
    if words is None:
        return
    label, account = g.token.label, g.token.account
    downloads, this = (
        downloads_of_day(current_app, today().isoformat()),
        (account, label, slug, endpoint),
    )
    if this not in downloads:
        audit_log.append_act(whole_of(slug), account, words.format(label=label))
        downloads.add(this)
