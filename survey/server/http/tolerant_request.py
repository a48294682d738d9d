"""Requests that no browser sends, made readable before any other code handles them.

Bytes of the query that are not UTF-8 count as if they were percent-encoded, such as %FF. They are
then read as replacement characters, as everywhere else.
"""

from typing import Any
from urllib.parse import quote_from_bytes

from flask import Request

PRINTABLE = bytes(range(0x21, 0x7F))


class TolerantRequest(Request):
    """A request whose query can be parsed, whatever its bytes."""

    def __init__(self, environ: dict[str, Any], *arguments: Any, **named: Any):
        query = environ.get("QUERY_STRING", "").encode("latin-1")
        readable = {"QUERY_STRING": quote_from_bytes(query, PRINTABLE)}
        super().__init__(environ | readable, *arguments, **named)
