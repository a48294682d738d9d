"""Making invitations, for the researchers' page and for the command.

The codes are drawn here, handed out this once, and stored only as hashes: from then on nobody
can look them up. Hashes are stored last, so that no failure on the way leaves codes issued that
nobody ever saw.
"""

import secrets

from flask import current_app

from survey.core.errors import StateError
from survey.definition.responses.invitation_codes import (
    RANDOM_BYTES,
    code_from,
    invitation_code_hash,
)
from survey.web.extensions import store
from survey.web.invitation_slips import pack_invitations


def make_invitation_zip(slug: str, count: int) -> bytes:
    """So many new invitations to a survey, as a ZIP. Raises UnknownSurvey, and StateError where
    the survey takes none."""
    stored = store().surveys.by_slug(slug)
    if stored.frozen is None:
        raise StateError(f"Survey {slug!r} is a draft; open it first.")
    if not stored.survey.fieldwork.invitations:
        raise StateError(f"Survey {slug!r} asks for no invitations: its link is enough.")
    codes = [code_from(secrets.token_bytes(RANDOM_BYTES)) for _ in range(count)]
    content = pack_invitations(stored.survey, codes, current_app.config["CANDOR_URL"])
    store().invitations.add_invitations(slug, map(invitation_code_hash, codes))
    return content
