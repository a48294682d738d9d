"""What the store keeps of statistics that were released: a budget for each survey, and a ledger."""

from datetime import date
from typing import Protocol

from survey.central_dp.dp_request import Request
from survey.central_dp.ledger import CentralDPBudget, Release


class ReleasesStore(Protocol):
    """The part of `Store` for releases. Every method is one transaction, or refuses whole."""

    def release_budget(self, slug: str) -> CentralDPBudget | None:
        """None where none was ever set."""

    def set_release_budget(self, slug: str, budget: CentralDPBudget) -> None:
        """Whether it is public stays. Raises ReleaseError below what is spent, or above what it was
        when something was released; StateError for a draft or a part."""

    def publish_releases(self, slug: str, public: bool) -> None:
        """Let everyone see what is released, or nobody but researchers; nothing happens where
        there is no budget."""

    def releases(self, slug: str) -> list[Release]:
        """The ledger, the first release first."""

    def find_release(self, slug: str, request: Request) -> Release | None:
        """What was released for this very request, if it was."""

    def add_release(
        self, slug: str, request: Request, n: int, drawn: tuple[tuple[int, ...], ...], day: date
    ) -> Release:
        """Spend and keep what was drawn, and return it; when this returns, both are on the disk.

        Where this very request was released before, that release is returned and nothing spent:
        what was drawn now is to be forgotten. Whatever comes from here may be shown, and nothing
        that did not. Raises OverBudget, with what is left; StateError unless it is closed."""
