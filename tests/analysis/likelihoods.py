"""Likelihoods of regressions, without any of the tested code, for several test modules."""

import numpy as np

from tests.support.regressed import hessian, information_blocks, jeffreys, logistic, pseudo_data


def of_two(design, chance_of_yes):
    """The log likelihood of reports of Yes, with probability p for those with Yes, else q."""
    p, q, came = chance_of_yes

    def height(b):
        said = q + (p - q) * logistic(design @ b)
        return np.log(np.where(came, said, 1 - said)).sum()

    return height


def shares_of_two(design, b):
    return logistic(design @ b)[:, np.newaxis]


def penalised(height, design, weights=1.0, penalty_of=None):
    """The log likelihood with the penalty. Columns that are held at zero stay in the penalty."""
    whole, kept = (design, range(design.shape[1])) if penalty_of is None else penalty_of

    def with_penalty(b):
        every = np.zeros(whole.shape[1], dtype=b.dtype)
        every[list(kept)] = b
        return height(b) + jeffreys(whole, shares_of_two(whole, every), weights)

    return with_penalty


def covariance_of_two(height, design, b):
    """The inverse of the observed information, with that of the pseudo-data."""
    blocks = information_blocks(shares_of_two(design, b))
    return np.linalg.inv(-hessian(height, b) + pseudo_data(design, blocks))


def multinomial_shares(design, b, k, reference):
    eta = np.insert(design @ b.reshape(k - 1, -1).T, reference, 0, axis=1)
    return np.exp(eta) / np.exp(eta).sum(axis=1, keepdims=True)
