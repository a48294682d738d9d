"""A database of responses, and damage for it."""

import random

from survey.definition.responses.parse_response import Response
from survey.store import Store
from tests.support.definitions import opened
from tests.support.every_type import PICKED, SAMPLED, drawn, stored

BATCH = 25
RESPONSES = 310  # Ten of them wait.


def responses(n: int) -> list[Response]:
    r = random.Random(1)
    return [Response(r.randbytes(16), stored(drawn(r, PICKED))) for _ in range(n)]


def fill(store: Store, n: int = RESPONSES) -> None:
    opened(store, SAMPLED | {"batch": BATCH})
    for start in range(0, n, 100):
        store.responses.add_all([("health", each) for each in responses(n)[start : start + 100]])


PLANTED = {
    "a count": "UPDATE counts SET responses = responses + 1 WHERE question = 'sleep'",
    "a count too many": "INSERT INTO counts VALUES ('health', 'sleep', 77, 1)",
    "counts that are gone": "DELETE FROM counts WHERE question = 'party'",
    "counts of no survey": "INSERT INTO counts VALUES ('wealth', 'sleep', 1, 1)",
    "a report": "UPDATE responses_health SET sleep = (sleep + 1) % 3 WHERE id IN {released}",
    "a bit": "UPDATE responses_health SET news = '000' WHERE id IN {released} AND news != '000'",
    "a bit that is none": "UPDATE responses_health SET news = '555' WHERE id IN {released}",
    "a wrong bit": "UPDATE responses_health SET news = replace(news, 1, 7) WHERE id IN {released}",
    "a report that cannot be": "UPDATE responses_health SET party = '1' WHERE id IN {released}",
    "a text": "UPDATE responses_health SET remarks = ' ' WHERE id IN {released}",
    "a response": "DELETE FROM responses_health WHERE id IN {released}",
    "one that waits": "DELETE FROM responses_health WHERE id IN (SELECT id FROM waiting)",
    "nobody waits": "DELETE FROM waiting",
    "the document": "UPDATE surveys SET document = replace(document, '\"size\":2', '\"size\":3')",
    "no document": "UPDATE surveys SET document = 'x'",
}
