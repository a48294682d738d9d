"""What the store does for itself, and says of itself, while servers run."""

from collections.abc import Iterator
from typing import Protocol


class MaintenanceStore(Protocol):
    """The part of `Store` that keeps it sealed and sound.

    `unsealed` is how many responses came or went through this store since it was opened or last
    sealed; `seal_due` is whether it has to be sealed however few they are: a survey closed by
    itself, or the start has not sealed it. `migrated` names the steps by which the schema was
    brought up to date when it was opened. While a server counts all responses again, figures and
    responses are `withheld`: what gives them raises StoreUnavailable. `warnings` are sentences for
    the operator, of what was wrong when it was opened.
    """

    unsealed: int
    seal_due: bool
    migrated: tuple[str, ...]
    withheld: bool
    warnings: list[str]

    def seal(self, patience: float | None = None) -> None:
        """Rewrite the database so that its bytes do not depend on the order of arrival.

        Raises StoreUnavailable where somebody is in the middle of reading or writing it, and is
        not done after so many seconds; without `patience`, as many as any statement waits."""

    def cautions(self) -> list[str]:
        """Sentences on what the database keeps of the order of arrival even when it is sealed, and
        on a way to it that is not protected."""

    def leads(self) -> bool:
        """Whether this server does what one of all has to do: the first that asked, as long as it
        is there."""

    def wrapped_key(self) -> bytes | None:
        """What survey/server/secret_key.py keeps."""

    def keep_wrapped_key(self, before: bytes | None, content: bytes) -> bool:
        """Replace it, if it still is what it was before; whether it was."""

    def require_writable(self) -> None:
        """Raises StoreUnavailable where a response could not be recorded now; writes nothing."""

    def reports_to_check(self) -> int:
        """How many reports `require_sound` compares; a question of bits has several in one."""

    def require_intact(self) -> None:
        """Raises SettingsError where the database itself finds its structure damaged. Takes a tenth
        of the time of `require_sound`, which includes it."""

    def require_sound(self) -> None:
        """Raises SettingsError for the first of `faults`; only on SQLite, since PostgreSQL looks
        after itself, and each of its servers would look anew."""

    def faults(self) -> Iterator[str]:
        """What is wrong with what is kept, as of one moment: damage, surveys that cannot be read,
        counts that are not those of the responses. Takes time proportional to the size."""

    def close(self) -> None:
        """Let go of the database; the store is not to be used any more."""
