"""Lower bounds for the variance of cumulative shares, and so of medians.

Notes
-----
All answers are equally common. For a report y, let u_y be its probabilities for all k answers,
divided by their mean q_y, and M the mean of u_y u_y' over the reports. For a target t with the mean
zero over the answers, the variance of the least-variance scores is t' M^-1 t. A report can be split
into several ones for which u has only two values, l and odds l, without a loss of information. So a
report is a set of answers, those with the larger value. Let W be the weighted sum of t t' over the
cumulative shares. The largest of their variances is at least the weighted mean, trace(M^-1 W), for
any weights.
"""

import numpy as np
import numpy.typing as npt

from survey.core.mechanisms.optimal_quantiles import cumulative_targets
from survey.core.randomizer import Randomizer
from survey.core.scores import probabilities, score_variances

Array = npt.NDArray[np.float64]
# With more answers, there are too many sets to try all of them.
MOST_ANSWERS = 21
# Steps of the searches for weights.
WEIGHT_STEPS, BISECTIONS, ROUNDS, STEPS = 60, 180, 12, 100
# Of the best sets of each size, a round adds those that reach this part of the best one, together
# as often as ADDED. It leaves out sets that are sent less often than RARE.
NEARLY_BEST, ADDED, RARE, RAREST = 0.8, 0.5, 1e-5, 1e-9


def largest_variance(table: Randomizer) -> float:
    """n times the largest variance of a cumulative share, for equally common answers."""
    targets = cumulative_targets(table.answers)
    shares = targets.mean(axis=0)
    variances = score_variances(table, targets).mean(axis=0) + shares * (1 - shares)
    return float(variances.max())


def bound(table: Randomizer, odds: float) -> float:
    """A lower bound of `largest_variance` for all tables with these answers and odds."""
    found = spectral_bound(table.answers, odds)
    if table.answers > MOST_ANSWERS:
        return found
    return max(found, bound_of_sets(table, odds))


def centred_targets(answers: int) -> Array:
    """The cumulative shares as targets with the mean zero, shape (answers, answers - 1)."""
    targets = cumulative_targets(answers)
    return np.asarray(targets - targets.mean(axis=0))


def spectral_bound(answers: int, odds: float) -> float:
    """The bound from the eigenvalues of M.

    Notes
    -----
    The mean of u_y over the reports is the vector of ones, so M has this eigenvector with the
    eigenvalue k. If a set has s answers, the mean of u² is
    (1 + (odds² - 1) s / k) / (1 + (odds - 1) s / k)². So k times the largest such mean over s, less
    k, limits the sum of the other eigenvalues. None is above k, because reports say no more than
    answers. trace(M^-1 W) is at least the sum of w / m over the eigenvalues w of W. Here m is
    proportional to sqrt(w) and at most k. The weights are improved in a few steps.
    """
    targets = centred_targets(answers)
    parts = np.arange(1, answers) / answers
    squares = (1 + (odds**2 - 1) * parts) / (1 + (odds - 1) * parts) ** 2
    most = answers * float(squares.max() - 1)
    weights, best = np.full(answers - 1, 1 / (answers - 1)), 0.0
    for _ in range(WEIGHT_STEPS):
        values, vectors = np.linalg.eigh((targets * weights) @ targets.T)
        values, vectors = np.maximum(values[1:], 1e-15), vectors[:, 1:]
        low, high = 0.0, 1e9
        for _ in range(BISECTIONS):
            scale = (low + high) / 2
            spent = np.minimum(answers, scale * np.sqrt(values)).sum()
            low, high = (low, scale) if spent > most else (scale, high)
        information = np.minimum(answers, high * np.sqrt(values))
        best = max(best, float((values / information).sum()))
        variances = ((vectors.T @ targets) ** 2 / information[:, np.newaxis]).sum(axis=0)
        weights = weights * (variances / variances.max()) ** 0.3
        weights = (weights + weights[::-1]) / (2 * weights.sum())
    return best


def bound_of_sets(table: Randomizer, odds: float) -> float:
    """The bound from all sets of answers. The search begins with those of a good table.

    Notes
    -----
    Let A = B B' be positive semidefinite with rows that add up to zero. By the inequality of Cauchy
    and Schwarz, trace(M^-1 W) trace(M A) is at least S² for each M. Here S is the sum of the
    singular values of B' W^(1/2). And trace(M A) is at most the largest u' A u of all sets.
    So S² divided by it is a bound, for any A and any weights. The search improves both: it finds a
    good M of some sets, takes A = M^-1 W M^-1, and adds the sets with the largest u' A u.
    """
    chances, targets = probabilities(table), centred_targets(table.answers)
    sent = chances.mean(axis=0)
    ratios = (chances / sent).T
    weights, best = np.full(targets.shape[1], 1 / targets.shape[1]), 0.0
    for _ in range(ROUNDS):
        for _ in range(STEPS):
            solved = np.linalg.solve((ratios * sent[:, np.newaxis]).T @ ratios, targets)
            variances = (targets * solved).sum(axis=0)
            weights = weights * np.sqrt(variances / variances.max())
            weights /= weights.sum()
            factor = solved * np.sqrt(weights)
            factor -= factor.mean(axis=0)
            sent = np.maximum(sent * np.sqrt(((ratios @ factor) ** 2).sum(axis=1)), RAREST)
            sent /= sent.sum()
        forms, sets = best_sets(factor @ factor.T, odds)
        singular = np.linalg.svd(factor.T @ (targets * np.sqrt(weights)), compute_uv=False)
        best = max(best, float(singular.sum() ** 2 / forms.max()))
        # With the reports of the table, M always has an inverse.
        often = (sent > RARE) | (np.arange(len(sent)) < table.reports)
        near = sets[forms > NEARLY_BEST * forms.max()]
        # By symmetry, the other direction of the answers is as good.
        near = np.unique(np.concatenate([near, near[:, ::-1], 1 - near, 1 - near[:, ::-1]]), axis=0)
        raised = 1 + (odds - 1) * near
        ratios = np.concatenate([ratios[often], raised / raised.mean(axis=1, keepdims=True)])
        sent = np.append(sent[often], np.full(len(near), ADDED / len(near)))
        sent /= sent.sum()
    return best


def best_sets(form: Array, odds: float) -> tuple[Array, Array]:
    """The largest u' A u of the sets of each size below k, and these sets; A is `form`."""
    k, half = len(form), len(form) // 2
    first, second = every_row(half), every_row(k - half)
    # A set is a row of each half.
    squares = [
        ((part @ block) * part).sum(axis=1)
        for part, block in ((first, form[:half, :half]), (second, form[half:, half:]))
    ]
    forms = squares[0][:, np.newaxis] + squares[1] + 2 * first @ form[:half, half:] @ second.T
    sizes = first.sum(axis=1)[:, np.newaxis] + second.sum(axis=1)
    found = []
    for size in range(1, k):
        place = int(np.argmax(np.where(sizes == size, forms, -np.inf)))
        row, column = divmod(place, len(second))
        factor = (odds - 1) / (1 + (odds - 1) * size / k)
        # The rows of A add up to zero, so only the raised part of u counts.
        found.append((factor**2 * forms[row, column], np.append(first[row], second[column])))
    values, sets = zip(*found, strict=True)
    return np.array(values), np.array(sets)


def every_row(places: int) -> Array:
    """All rows of 0 and 1, shape (2^places, places)."""
    return ((np.arange(2**places)[:, np.newaxis] >> np.arange(places)) & 1).astype(np.float64)
