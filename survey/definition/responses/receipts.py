"""Receipts: the secrets with which respondents, and nobody else, withdraw their responses.

The browser draws a secret of 128 bits and keeps it. The id of its response is the first half of the
secret's SHA-256. Only the holder of the secret can name the response: the store has the id, and
nobody can compute the secret from it. The store does not know which responses have a receipt, and a
receipt reveals nothing about the answers.

Texts that are stored apart have another id: the first half of the SHA-256 of the secret and the
label "texts". One receipt thus withdraws both. Without the secret, nobody can compute one id from
the other.
"""

import hashlib
import re
from collections.abc import Mapping

from survey.core.errors import MalformedResponse
from survey.definition.responses.parse_response import read_json

# A receipt needs 47 bytes.
MAX_BODY_BYTES = 1_024
RECEIPT = re.compile(r"[0-9a-f]{32}")
TEXTS_LABEL = b"texts"


def response_id(receipt: str, label: bytes = b"") -> bytes:
    """The 16-byte id of the response whose receipt is these 32 hexadecimal digits.

    With TEXTS_LABEL it is the id of its texts.
    """
    return hashlib.sha256(bytes.fromhex(receipt) + label).digest()[:16]


def parse_withdrawal(body: bytes) -> tuple[bytes, bytes]:
    """The ids of the response to withdraw and of its texts.

    The body is `{"receipt": 32 hex digits}` in UTF-8 JSON.

    Raises MalformedResponse.
    """
    content = read_json(body)
    if not isinstance(content, Mapping) or set(content) != {"receipt"}:
        raise MalformedResponse("A withdrawal has exactly the member receipt.")
    receipt = content["receipt"]
    if not isinstance(receipt, str) or not RECEIPT.fullmatch(receipt):
        raise MalformedResponse("receipt is 32 hexadecimal digits (0-9, a-f).")
    return response_id(receipt), response_id(receipt, TEXTS_LABEL)
