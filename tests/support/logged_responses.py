"""Responses for the tests of SQLite's log, in this process and in others."""

import random

from survey.definition.responses.parse_response import Response

N = 60


def responses(n: int = N, seed: int = 1) -> list[Response]:
    r = random.Random(seed)
    return [Response(r.randbytes(16), (r.randrange(2),)) for _ in range(n)]
