"""Links by which a person chooses a password: single use, seven days, stored as a hash.

The token has 256 random bits and stands in the query of the address, which no log repeats and no
referrer carries on.
"""

import secrets
from dataclasses import dataclass

from flask import current_app

from survey.definition.responses.invitation_codes import token_hash
from survey.server.clock import clock

LINK_DAYS = 7


@dataclass(frozen=True)
class PasswordLink:
    """What is handed to the person, and what is stored; `expires` in seconds since 1970."""

    address: str
    token_hash: str
    expires: int


def new_link() -> PasswordLink:
    token = secrets.token_urlsafe(32)
    address = f"{current_app.config['CANDOR_ADMIN_URL']}/admin/join?token={token}"
    expires = clock.of_days() + LINK_DAYS * 24 * 60 * 60
    return PasswordLink(address, token_hash(token).hex(), expires)
