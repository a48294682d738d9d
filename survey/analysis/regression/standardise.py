"""Standardised predictors, and sums of squares for information matrices."""

import numpy as np

from survey.analysis.regression.models import Array, Flags
from survey.core.processor_time import require_time

# The number of respondents at once. Their data fit into the processor's cache.
BLOCK = 16_384
# A column of the design, and the columns whose product it is.
Product = tuple[int, tuple[int, ...]]


class StandardisedPredictors:
    """Predictors shifted and scaled to mean 0 and standard deviation 1, in blocks."""

    def __init__(self, non_private: Array, as_they_are: Flags | None = None):
        """Columns of `as_they_are`, shape (p,), stay unchanged."""
        kept = np.zeros(non_private.shape[1], dtype=bool) if as_they_are is None else as_they_are
        self.non_private = non_private
        n, p = non_private.shape
        means, squares = np.ones(n) @ non_private / n, np.zeros(p)
        for first in range(0, len(non_private), BLOCK):
            require_time()
            block = np.ascontiguousarray(non_private[first : first + BLOCK].T)
            apart = block - means[:, np.newaxis]
            squares += (apart**2).sum(axis=1)
        spread = np.sqrt(squares / len(non_private))
        self.means = np.where(kept, 0.0, means)
        self.scales = np.where(kept | (spread == 0), 1.0, spread)

    def block(self, rows: slice) -> Array:
        """Shape (m, 1 + p): the constant, then the predictors.

        Columns are contiguous in memory, because they are read column by column.
        """
        chosen = self.non_private[rows].T
        block = np.empty((1 + len(chosen), chosen.shape[1]))
        block[0] = 1
        block[1:] = chosen
        block[1:] -= self.means[:, np.newaxis]
        block[1:] *= (1 / self.scales)[:, np.newaxis]
        return block.T


def natural(means: Array, scales: Array) -> Array:
    """R, which converts coefficients of standardised columns to those of the columns themselves.

    Multiply a row vector by R. The constant is column 0.
    """
    matrix = np.diag(np.concatenate([[1.0], 1 / scales]))
    matrix[1:, 0] = -means / scales
    return matrix


def add_curvature(curvature: Array, block: Array, second: Array) -> None:
    """Add sum_i second[a, b, i] x_i x_i' to block (a, b) of the matrix.

    `second` is symmetric in a and b.
    """
    rows, columns = block.shape
    for a, each in enumerate(second):
        weighted = each[: a + 1].T[:, :, np.newaxis] * block[:, np.newaxis]
        part = block.T @ weighted.reshape(rows, -1)
        first, last = a * columns, (a + 1) * columns
        curvature[first:last, :last] += part
        curvature[:first, first:last] += part[:, :first].T
