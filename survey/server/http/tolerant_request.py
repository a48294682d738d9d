"""Requests that no browser sends, read or refused before anything stumbles over them.

Bytes in the query of an address that are no UTF-8 count as if they had been written as %FF: what
cannot be read of them is a replacement character, as everywhere else.
"""

from typing import Any
from urllib.parse import quote_from_bytes

from flask import Request

PRINTABLE = bytes(range(0x21, 0x7F))


class TolerantRequest(Request):
    """A request whose query can be read, whatever its bytes."""

    def __init__(self, environ: dict[str, Any], *arguments: Any, **named: Any):
        query = environ.get("QUERY_STRING", "").encode("latin-1")
        readable = {"QUERY_STRING": quote_from_bytes(query, PRINTABLE)}
        super().__init__(environ | readable, *arguments, **named)
