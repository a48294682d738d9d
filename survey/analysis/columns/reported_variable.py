"""The reports on one variable, and their designs, which may differ between respondents."""

from dataclasses import dataclass, field

import numpy as np

from survey.analysis.columns.variables import Codes
from survey.analysis.regression.models import MIN_CHANCE, Array

# The last step is one that changes the shares less.
NEAR = 1e-2
# For a starting point. More steps would only move closer to shares of zero.
EM_STEPS = 50


@dataclass(frozen=True)
class ReportedVariable:
    """The reports on one variable.

    Attributes
    ----------
    chances : float array (k, codes), Pr(report code | answer)
    codes : int array (n,), the report of each respondent; -1 if it is missing
    parts : int array (codes,), the design of each code, if groups of respondents were asked by
        different ones; rows of `chances` add up to one within each
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
        """Whether every possible report has a column, in each design."""
        parts = self.part_of_code
        sums = [self.chances[:, parts == part].sum(axis=1) for part in np.unique(parts)]
        return bool(np.max(np.abs(np.array(sums) - 1)) < 1e-9)


def starting_shares(reported: ReportedVariable, weights: Array | None) -> Array:
    """Shares of the answers near the maximum-likelihood ones, all above zero, as a start."""
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
