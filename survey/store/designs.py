"""What the store keeps of how respondents were sampled: a file for each survey."""

from typing import Protocol


class DesignsStore(Protocol):
    """The part of `Store` for files of weights, strata and clusters
    (survey/analysis/columns/design_file.py). Every method is one transaction, or refuses whole."""

    def keep_design(self, slug: str, content: str) -> None:
        """Instead of the one before, if there is one. Raises StateError for a draft, whose
        questions may still change."""

    def design(self, slug: str) -> str | None:
        """None where there is none."""

    def delete_design(self, slug: str) -> None:
        """Nothing happens if there is none."""
