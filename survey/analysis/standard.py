"""Predictors on one scale, and the sums of squares that an information is made of."""

import numpy as np

from .models import Array, Flags

BLOCK = 16_384  # respondents at once: what they need stays in the processor's cache


class Standardised:
    """Predictors moved and scaled to mean 0 and standard deviation 1, a block at a time."""

    def __init__(self, plain: Array, as_they_are: Flags | None = None):
        """Columns of `as_they_are`, shape (p,), are not touched."""
        kept = np.zeros(plain.shape[1], dtype=bool) if as_they_are is None else as_they_are
        self.plain = plain
        means, squares = plain.mean(axis=0), np.zeros(plain.shape[1])
        for first in range(0, len(plain), BLOCK):
            apart = plain[first : first + BLOCK].T - means[:, np.newaxis]
            squares += np.einsum("pm,pm->p", apart, apart)
        spread = np.sqrt(squares / len(plain))
        self.means = np.where(kept, 0.0, means)
        self.scales = np.where(kept | (spread == 0), 1.0, spread)

    def block(self, rows: slice) -> Array:
        """Shape (m, 1 + p): the constant, then the predictors; column by column in memory, so that
        each is gone through in one go."""
        chosen = self.plain[rows].T
        block = np.empty((1 + len(chosen), chosen.shape[1]))
        block[0] = 1
        np.subtract(chosen, self.means[:, np.newaxis], out=block[1:])
        block[1:] *= (1 / self.scales)[:, np.newaxis]
        return block.T


def natural(means: Array, scales: Array) -> Array:
    """R, by which coefficients of standardised columns become those of the columns themselves:
    row vector times R. The constant is column 0."""
    matrix = np.diag(np.concatenate([[1.0], 1 / scales]))
    matrix[1:, 0] = -means / scales
    return matrix


def add_curvature(curvature: Array, block: Array, second: Array) -> None:
    """Add sum_i second[a, b, i] x_i x_i' to block (a, b) of the matrix, where a <= b."""
    columns = block.shape[1]
    for a in range(len(second)):
        for b in range(a, len(second)):
            place = np.s_[a * columns : (a + 1) * columns, b * columns : (b + 1) * columns]
            curvature[place] += block.T @ (second[a, b][:, np.newaxis] * block)


def filled(curvature: Array) -> Array:
    """The whole of a symmetric matrix of which the part above the diagonal is there."""
    above = np.triu(curvature)
    return np.asarray(above + np.triu(curvature, 1).T)
