"""The public results of a survey, as the store gives them."""

from dataclasses import dataclass

from survey.central_dp.ledger import Release


@dataclass(frozen=True)
class PublicResults:
    """All that the page of public results is made of besides the survey, as of one moment.

    `estimates` says whether they are public. `ledger` has the releases, if those are public.
    """

    estimates: bool
    ledger: list[Release]
    counts: dict[str, dict[int, int]]
