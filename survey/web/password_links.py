"""Links to choose a password: they work once, within seven days, and are stored as a hash.

The token has 256 random bits. It is in the query of the URL, which is not logged, and not sent as a
referrer.
"""

import secrets
from dataclasses import dataclass

from flask import current_app

from survey.definition.responses.invitation_codes import token_hash
from survey.server.clock import clock

LINK_DAYS = 7


@dataclass(frozen=True)
class PasswordLink:
    """The link for the person, and the stored data. `expires` is in seconds since 1970."""

    address: str
    token_hash: str
    expires: int


def new_link() -> PasswordLink:
    token = secrets.token_urlsafe(32)
    address = f"{current_app.config['CANDOR_ADMIN_URL']}/admin/join?token={token}"
    expires = clock.of_days() + LINK_DAYS * 24 * 60 * 60
    return PasswordLink(address, token_hash(token).hex(), expires)
