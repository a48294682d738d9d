"""What the store keeps for other programs: tokens of the API, and whom to tell of thresholds."""

from dataclasses import dataclass
from datetime import date
from typing import Protocol

WAITING, DELIVERED, GIVEN_UP = "waiting", "delivered", "given up"


@dataclass(frozen=True)
class ApiToken:
    """A token of the API, but for the token itself: the store has only its SHA-256.

    Days are in UTC. It is good up to and including `expires`; `used` is the day of its last use,
    or None. No moment is kept, and nothing of what was asked for.
    """

    account: str
    label: str
    made: date
    expires: date
    used: date | None = None


@dataclass(frozen=True)
class Threshold:
    """A number of released responses that a program is told of.

    `state` is WAITING, until it was told, DELIVERED or GIVEN_UP. `waited` says for how many seconds
    in all the server waited between tries that failed; with it, no moment need be stored, which
    would be that of a response. `outcome` is a sentence on the last try, or empty.
    """

    responses: int
    state: str = WAITING
    waited: int = 0
    outcome: str = ""


@dataclass(frozen=True)
class Webhook:
    """A program to tell. `id` is 16 random bytes, of which survey/server/webhooks/messages.py makes
    its secret."""

    id: bytes
    survey: str
    url: str
    thresholds: tuple[Threshold, ...]


class ProgramsStore(Protocol):
    """The part of `Store` for other programs. Every method is one transaction, or refuses whole."""

    def add_token(self, token_hash: bytes, token: ApiToken) -> None:
        """Raises StateError where there is no such account, or it has a token of that label, or
        as many tokens as it may have."""

    def token(self, token_hash: bytes) -> ApiToken | None:
        """None as well where its account is gone. All tokens of an account end in the very
        transaction that removes it or changes its password, whoever does that and how."""

    def tokens(self, account: str) -> list[ApiToken]:
        """In the order of their labels."""

    def touch_token(self, token_hash: bytes, used: date) -> None: ...

    def delete_token(self, account: str, label: str) -> bool:
        """Whether there was one."""

    def delete_tokens(self, account: str) -> int:
        """All of an account's; how many there were."""

    def add_webhook(self, webhook: Webhook) -> None:
        """Raises StateError for a part, a draft, a survey whose responses come from elsewhere, and
        one that has as many as it may have."""

    def webhooks(self, slug: str) -> list[Webhook]:
        """In the order of their addresses."""

    def delete_webhook(self, slug: str, id: bytes) -> bool:
        """Whether there was one."""

    def reached(self) -> list[tuple[Webhook, Threshold]]:
        """Those WAITING of whose survey as many responses are released. Costs one look at an
        index where nothing waits."""

    def settle(self, id: bytes, threshold: Threshold) -> None:
        """Replace the threshold of that number; nothing happens if it is gone."""
