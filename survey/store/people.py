"""What the store keeps about researchers beside their accounts and sessions, and what they did."""

from collections.abc import Iterable
from dataclasses import dataclass
from typing import Protocol


@dataclass(frozen=True)
class Person:
    """An account as others see it. `joined` is False until a password is chosen; `failed` counts
    the tries to sign in that failed since the last one that did not."""

    name: str
    role: str
    joined: bool
    second_factor: bool
    failed: int


@dataclass(frozen=True)
class SecondFactor:
    """What the codes of an account are made from (survey/web/second_factor.py): 16 random bytes, no
    secret. `on` is False until the first code was right; `last_step` is the last time step whose
    code was used."""

    salt: bytes
    on: bool
    last_step: int
    recovery_codes: int


@dataclass(frozen=True)
class Act:
    """Something a researcher did. `survey` is a slug, or empty where it concerns none; `moment` is
    in seconds since 1970; `number` counts up with each act, and is given by the store."""

    survey: str
    account: str
    action: str
    moment: int
    number: int = 0


class PeopleStore(Protocol):
    """The part of `Store` about researchers. Every method is one transaction, or refuses whole.

    As long as there is an owner who can sign in, one remains: what would take the last one away
    is refused in the transaction that would do it. Names of accounts that do not exist raise
    StateError.
    """

    def people(self) -> list[Person]:
        """All accounts, in the order of their names."""

    def add_person(self, name: str, role: str, token_hash: str, expires: int) -> None:
        """Add an account without a password, and the link by which its person chooses one.
        Raises StateError if the name is taken."""

    def set_role(self, name: str, role: str) -> None: ...

    def remove_account(self, name: str) -> None:
        """Its sessions, its link and its second factor go with it; its acts stay."""

    def reset_account(
        self, name: str, token_hash: str, expires: int, even_the_last_owner: bool = False
    ) -> None:
        """Take away password, second factor and sessions, and issue a link for a new password."""

    def link(self, token_hash: str, now: int) -> str | None:
        """The account that a link is for, as long as it is unused and not expired."""

    def use_link(self, token_hash: str, now: int, password_hash: str) -> str | None:
        """Spend a link and set the password; the name of the account, or None if it is not good."""

    def set_password(self, name: str, password_hash: str) -> None:
        """All sessions of the account end."""

    def delete_sessions_of(self, name: str) -> None: ...

    def second_factor(self, name: str) -> SecondFactor | None: ...

    def begin_second_factor(self, name: str, salt: bytes) -> None:
        """Prepare one that is not on yet. Raises StateError if one is on."""

    def confirm_second_factor(self, name: str, step: int, code_hashes: Iterable[bytes]) -> None:
        """Turn the prepared one on, with its recovery codes. Raises StateError if there is none,
        or if it is on."""

    def end_second_factor(self, name: str) -> None: ...

    def use_step(self, name: str, step: int) -> bool:
        """Spend the code of a time step; False unless it is later than all that were used."""

    def use_recovery_code(self, name: str, code_hash: bytes) -> bool:
        """Spend a recovery code; False if the account has no such code."""

    def count_failed(self, name: str) -> None:
        """Count a failed try to sign in; costs the same whether or not there is such an account."""

    def take_failed(self, name: str) -> int:
        """How many tries failed since this was last asked; the count starts anew."""

    def failed_elsewhere(self) -> int:
        """How many tries named no account."""

    def record(self, act: Act) -> None:
        """Append to the log of acts, which is never changed or deleted from."""

    def acts(
        self,
        survey: str | None = None,
        account: str | None = None,
        before: int | None = None,
        most: int | None = None,
    ) -> list[Act]:
        """Acts with numbers below `before`, the latest first, `most` of them."""

    def actors(self, survey: str | None = None) -> list[str]:
        """Who did any of these acts, in the order of their names."""
