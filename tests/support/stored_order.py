"""Responses that arrive in a random order, and the orders in which a file stores them."""

import random

from survey.definition.responses.parse_response import Response
from tests.support.every_type import PICKED, drawn, stored
from tests.support.lengths import length

N = length(1_000, 2_500)


def drawn_responses(seed: int = 1, n: int = N) -> list[Response]:
    """Reports of every form: numbers, bits, texts of all lengths, and none if not picked."""
    r = random.Random(seed)
    return [Response(r.randbytes(16), stored(drawn(r, PICKED))) for _ in range(n)]


def orders(responses: list[Response]) -> tuple[list[Response], list[Response]]:
    """Two random orders of arrival of the same responses."""
    generator = random.Random(2)
    first = generator.sample(responses, len(responses))
    return first, generator.sample(responses, len(responses))
