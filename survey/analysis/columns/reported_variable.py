"""What came of one variable, and by which design; respondents may be asked by different ones."""

from dataclasses import dataclass, field

import numpy as np

from survey.analysis.columns.variables import Codes
from survey.analysis.regression.models import MIN_CHANCE, Array

NEAR = 1e-2  # a step that changes the shares less is the last one
EM_STEPS = 50  # for a start; more would only go nearer to where the shares may be zero


@dataclass(frozen=True)
class ReportedVariable:
    """What came of one variable.

    Attributes
    ----------
    chances : float array (k, codes), Pr(report code | answer)
    codes : int array (n,), the report of each respondent; -1 where there is none
    parts : int array (codes,), which design each code belongs to, where groups of respondents were
        asked by different ones; rows of `chances` add up to one within each
    """

    chances: Array
    codes: Codes
    parts: Codes = field(default_factory=lambda: np.zeros(0, dtype=np.int64))

    @property
    def part_of_code(self) -> Codes:
        return self.parts if len(self.parts) else np.zeros(self.chances.shape[1], dtype=np.int64)

    @property
    def mixes(self) -> bool:
        """Whether a report can come from more than one answer."""
        return bool(((self.chances > 0).sum(axis=0) > 1).any())

    @property
    def complete(self) -> bool:
        """Whether all reports that could have come have their column, in each design."""
        parts = self.part_of_code
        sums = [self.chances[:, parts == part].sum(axis=1) for part in np.unique(parts)]
        return bool(np.max(np.abs(np.array(sums) - 1)) < 1e-9)


def usual_shares(reported: ReportedVariable, weights: Array | None) -> Array:
    """Shares of the answers near the most likely ones, all above zero, to start from."""
    seen = reported.codes >= 0
    counts = np.bincount(
        reported.codes[seen],
        None if weights is None else weights[seen],
        minlength=reported.chances.shape[1],
    )
    shares = np.full(len(reported.chances), 1 / len(reported.chances))
    for _ in range(EM_STEPS):
        before = shares
        shares = shares * (
            reported.chances @ (counts / np.maximum(shares @ reported.chances, MIN_CHANCE))
        )
        shares = np.maximum(shares / shares.sum(), 0.001)
        if np.abs(shares - before).max() < NEAR:
            break
    return np.asarray(shares / shares.sum())
