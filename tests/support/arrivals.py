"""Responses with the order of their arrival, their invitations and withdrawals."""

import random
from collections.abc import Callable
from dataclasses import dataclass

from survey.definition.responses.parse_response import Response
from survey.store import Store
from tests.support.definitions import definition, opened, yes_no

N = 400
WITHDRAWN = 20
ALL_WITHDRAWN_AFTER = 300  # responses
# The server compacts after 25 responses, or soon afterwards.
COMPACTED_EACH = 60
MARK, CODE = b"\xc7\xd1id", b"\xc7\xd1ha"


@dataclass(frozen=True)
class Arrivals:
    """Respondents in order of arrival, each with the hash of an invitation. Some withdraw."""

    responses: tuple[Response, ...]
    gone: frozenset[bytes]

    @property
    def hashes(self) -> list[bytes]:
        return sorted(each.invitation for each in self.responses if each.invitation)


def drawn_arrivals() -> Arrivals:
    r = random.Random(7)
    responses = tuple(
        Response(MARK + r.randbytes(12), (r.randrange(2), r.randrange(2)), CODE + r.randbytes(28))
        for _ in range(N)
    )
    gone = r.sample(responses[:ALL_WITHDRAWN_AFTER], WITHDRAWN)
    return Arrivals(responses, frozenset(each.id for each in gone))


def feed(store: Store, arrivals: Arrivals, compact: Callable[[], None]) -> None:
    """Everyone arrives in turn, some withdraw, and the database is compacted at intervals."""
    survey = definition(yes_no(), yes_no("drinks"), invitations=True, receipts=True, batch=25)
    opened(store, survey)
    store.invitations.add_invitations("health", arrivals.hashes)
    r, present = random.Random(8), list[bytes]()
    for place, response in enumerate(arrivals.responses, 1):
        store.responses.add_response("health", response)
        present += [response.id] if response.id in arrivals.gone else []
        while present and (place == ALL_WITHDRAWN_AFTER or r.random() < 0.02):
            store.responses.withdraw("health", present.pop())
        if place % COMPACTED_EACH == 0:
            compact()
    assert not present
