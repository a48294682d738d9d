"""The audit of downloads by the API: one entry a day for each token, survey and file.

Otherwise a script that reads a file every minute would hide all other entries.
"""

from flask import Response, current_app, g

from survey.server.clock import today
from survey.web.audit_log import append_act

DOWNLOADS_KEY = "candor.taken_by_tokens"


def audit_download(file: Response, action: str, slug: str) -> Response:
    """Record that a token downloads this file, and return the file.

    Raises StoreUnavailable (see `append_act`).
    """
    day, extensions = today(), current_app.extensions
    if day not in extensions.setdefault(DOWNLOADS_KEY, {}):
        extensions[DOWNLOADS_KEY] = {day: set()}  # Only today's downloads are remembered.
    downloads: set[tuple[str, ...]] = extensions[DOWNLOADS_KEY][day]
    label, account = g.token.label, g.token.account
    download = (account, label, slug, action)
    if download not in downloads:
        append_act(account, f"{action} with the API token {label}", slug, file)
        downloads.add(download)
    return file
