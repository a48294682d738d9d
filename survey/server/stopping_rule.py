"""Closing of surveys whose estimates are as precise as their designer asked (`stop_at`).

The thread looks at the number of published responses, so a survey closes after a batch. It does
not look at the answers: the number of responses that the precision needs follows from the design
(`planned_half` in survey/estimation/confidence_sequences.py). So estimates stay unbiased.

The rule ends when it has closed the survey, or when another closing has published the waiting
responses: a researcher who reopens the survey wants more of them.
"""

from contextlib import AbstractContextManager, suppress

from survey.core.errors import UnknownSurvey
from survey.estimation.build_results import responses_behind, survey_results
from survey.estimation.confidence_sequences import planned_half
from survey.server import logs
from survey.server.periodic import LOOK_SECONDS, repeating
from survey.store import Store

POINT = 0.01


class StoppingRule:
    """Closes each survey that has reached its precision."""

    def __init__(self, store: Store):
        self.store = store
        # The number of published responses at the last look, by survey.
        self.looked: dict[str, int] = {}

    def look(self) -> None:
        """Close the open surveys that are precise enough. Raises StoreUnavailable."""
        for slug in self.store.surveys.open_slugs():
            with suppress(UnknownSurvey):  # It was deleted meanwhile.
                if self.is_reached(slug):
                    self.store.lifecycle.close_at_precision(slug)
                    logs.note("closed at its precision")

    def is_reached(self, slug: str) -> bool:
        """Whether new responses have made the survey precise enough."""
        found = self.store.surveys.by_slug(slug)
        frozen = found.frozen
        if frozen is None or found.closed_before:
            return False
        stop_at = frozen.survey.fieldwork.stop_at
        if stop_at is None:
            return False
        counts = self.store.counts.by_question(slug)
        n = responses_behind(frozen.survey, counts)
        if self.looked.get(slug) == n:
            return False
        self.looked[slug] = n
        half = planned_half(survey_results(frozen, counts, found.origin))
        return half is not None and half <= stop_at * POINT


def stopping(
    rule: StoppingRule, look_seconds: float = LOOK_SECONDS
) -> AbstractContextManager[None]:
    """During the block a thread closes the surveys that are precise enough."""
    return repeating("stopping", rule.look, look_seconds)
