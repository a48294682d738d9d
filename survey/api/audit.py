"""The log of downloads by the API: each is recorded once a day for each token, survey and file.

Otherwise a script that asks every minute would bury all else in the log.
"""

from typing import cast

from flask import Flask, Response, current_app, g

from survey.server.clock import today
from survey.web.audit_log import append_act

DOWNLOADS_KEY = "candor.taken_by_tokens"

Downloads = set[tuple[str, ...]]


def downloads_of_day(app: Flask, day: str) -> Downloads:
    """What was taken on this day, as far as this process knows; other days are forgotten."""
    of_days = cast(dict[str, Downloads], app.extensions.setdefault(DOWNLOADS_KEY, {}))
    for other in [each for each in of_days if each != day]:
        del of_days[other]
    return of_days.setdefault(day, set())


def audit_download(file: Response, action: str, slug: str) -> Response:
    """Record that a token takes this file, which is returned. Raises StoreUnavailable, see
    `append_act`."""
    label, account = g.token.label, g.token.account
    downloads = downloads_of_day(current_app, today().isoformat())
    download = (account, label, slug, action)
    if download not in downloads:
        append_act(account, f"{action} with the API token {label}", slug, file)
        downloads.add(download)
    return file
