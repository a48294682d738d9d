"""Responses that arrive one after another, for surveys that publish them in batches."""

import random

from survey.definition.responses.parse_response import Response
from survey.store import Store
from tests.support.every_type import drawn, stored


def responses(n: int, seed: object = 1, sample: int | None = None) -> list[Response]:
    """Responses to the survey of every type."""
    r = random.Random(f"{seed}")
    return [Response(r.randbytes(16), stored(drawn(r, sample))) for _ in range(n)]


def plain(n: int, seed: object = 1) -> list[Response]:
    """Responses to the survey of one question."""
    r = random.Random(f"{seed}")
    return [Response(r.randbytes(16), (r.randrange(2),)) for _ in range(n)]


def feed(store: Store, arriving: list[Response], slug: str = "health") -> None:
    for response in arriving:
        assert store.responses.add_response(slug, response)
