"""Responses for several test modules."""

import random

from survey.definition.responses.parse_response import Response
from tests.support.every_type import drawn, stored

ONE, TWO = Response(b"\1" * 16, (0,)), Response(b"\2" * 16, (1,))


def responses_drawn(n, sample=None, seed=1):
    r = random.Random(seed)
    return [Response(r.randbytes(16), stored(drawn(r, sample))) for _ in range(n)]
