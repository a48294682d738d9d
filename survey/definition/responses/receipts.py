"""Receipts: what lets a respondent withdraw, and nobody else.

The browser draws a secret of 128 bits and keeps it; the id of its response is the beginning of
the secret's SHA-256. Showing the secret so names the response, and only who has it can: from the
id, which the store holds, it cannot be found. The store is not told that a response has a
receipt, and a receipt tells nothing about the answers.
"""

import hashlib
import re
from collections.abc import Mapping

from survey.core.errors import MalformedResponse
from survey.definition.responses.parse_response import read_json

MAX_BODY_BYTES = 1_024  # a receipt needs 47
RECEIPT = re.compile(r"[0-9a-f]{32}")


def response_id(receipt: str) -> bytes:
    """The id of the response that 32 hexadecimal digits are the receipt of: 16 bytes."""
    return hashlib.sha256(bytes.fromhex(receipt)).digest()[:16]


def parse_withdrawal(body: bytes) -> bytes:
    """The id of the response to be withdrawn, from `{"receipt": 32 hex digits}` in UTF-8 JSON.

    Raises MalformedResponse.
    """
    content = read_json(body)
    if not isinstance(content, Mapping) or set(content) != {"receipt"}:
        raise MalformedResponse("A withdrawal has exactly the member receipt.")
    receipt = content["receipt"]
    if not isinstance(receipt, str) or not RECEIPT.fullmatch(receipt):
        raise MalformedResponse("receipt is 32 hexadecimal digits (0-9, a-f).")
    return response_id(receipt)
