"""Receipts: the id of a receipt, and withdrawals that are refused."""

import json
import random
from hashlib import sha256

import pytest

from survey.core.errors import MalformedResponse
from survey.definition.responses.receipts import parse_withdrawal, response_id
from tests.support.check_each import check_each

pytestmark = pytest.mark.fast


def receipt(seed: object) -> str:
    return random.Random(f"receipt {seed}").randbytes(16).hex()


def id_of(secret: str) -> bytes:
    """An independent calculation: the first 16 bytes of the SHA-256 of the 16 bytes."""
    return sha256(bytes.fromhex(secret)).digest()[:16]


def test_an_id_is_the_beginning_of_the_hash_of_the_receipt():
    # A vector that anyone can compute: SHA-256 of sixteen zero bytes.
    assert response_id("0" * 32).hex() == "374708fff7719dd5979ec875d56cd228"
    for seed in range(50):
        secret = receipt(seed)
        assert response_id(secret) == id_of(secret)
        ids = parse_withdrawal(json.dumps({"receipt": secret}).encode())
        assert ids == (id_of(secret), response_id(secret, b"texts"))


def test_texts_have_another_id_from_the_same_receipt():
    # SHA-256 of sixteen zero bytes and "texts", as sha256sum computes it.
    assert response_id("0" * 32, b"texts").hex() == "e958e4678cbaca4ed9e383111ecec8ca"


@check_each(
    ("body", "words"),
    [
        (b"", "not a JSON object"),
        (b"\xff", "not a JSON object"),
        (b"[" * 1_000, "not a JSON object"),
        (b'{"receipt": "1", "receipt": "1"}', "not a JSON object"),
        (b"[]", "exactly the member receipt"),
        (b"{}", "exactly the member receipt"),
        (json.dumps({"receipt": "0" * 32, "id": "1"}).encode(), "exactly the member receipt"),
        *(
            (json.dumps({"receipt": wrong}).encode(), "32 hexadecimal digits")
            for wrong in ("", "0" * 31, "0" * 33, "A" * 32, "0" * 32 + "\n", "๐" * 32, 5, None, [])
        ),
    ],
)
def test_what_is_no_withdrawal_is_refused(body, words):
    with pytest.raises(MalformedResponse, match=words):
        parse_withdrawal(body)
