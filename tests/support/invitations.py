"""Codes of invitations and a survey that asks for them, for several test modules."""

import io
import random
import zipfile

from survey.definition.responses.invitation_codes import code_from, token_hash
from survey.definition.responses.parse_response import Response
from tests.support.definitions import definition, opened

INVITED = definition(invitations=True)


def codes(n: int, seed: int = 1) -> list[str]:
    r = random.Random(seed)
    return [code_from(r.randbytes(16)) for _ in range(n)]


ONE, TWO = codes(2)


def body(frozen, **change) -> dict:
    return {
        "id": "ab" * 16,
        "fingerprint": frozen.fingerprint,
        "reports": {"smokes": "1"},
        "invitation": ONE,
        **change,
    }


def response(number: int, code: str | None, report: int = 0) -> Response:
    return Response(number.to_bytes(16), (report,), code and token_hash(code))


def open_invited(store):
    """An open survey with two invitations."""
    opened(store, INVITED)
    store.invitations.add_invitations("health", map(token_hash, (ONE, TWO)))
    return store


def unpacked(content: bytes) -> dict[str, str]:
    with zipfile.ZipFile(io.BytesIO(content)) as archive:
        assert archive.testzip() is None
        assert {entry.date_time for entry in archive.infolist()} == {(1980, 1, 1, 0, 0, 0)}
        return {name: archive.read(name).decode() for name in archive.namelist()}


def made(researcher, count: object):
    path = "/admin/surveys/health"
    return researcher.post(f"{path}/invitations", {"count": count}, form=path)
