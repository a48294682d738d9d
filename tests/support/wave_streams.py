"""The random stream of the page for a wave of a series, calculated a second time."""

import hashlib
import hmac
import json
from collections.abc import Iterator
from typing import Any

import numpy as np

SECRET = bytes(range(32))


def canonical(context: Any) -> str:
    return json.dumps(context, sort_keys=True, separators=(",", ":"), ensure_ascii=False)


def stream(context: Any, secret: bytes = SECRET) -> Iterator[int]:
    """The words, calculated by Python, eight of each block."""
    number = 0
    while True:
        text = f"[{canonical(context)},{number}]"
        block = hmac.new(secret, text.encode(), hashlib.sha256).digest()
        yield from np.frombuffer(block, dtype=">u4").tolist()
        number += 1
