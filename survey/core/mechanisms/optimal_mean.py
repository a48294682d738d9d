"""The linear programme whose solution is the most accurate table for a mean."""

import numpy as np
import numpy.typing as npt
import scipy

from survey.core.errors import MechanismError
from survey.core.processor_time import require_time
from survey.core.translate import later

Array = npt.NDArray[np.float64]
# The number of values that a report may stand for. Reports without weight are dropped later.
CANDIDATES = 41
# The range of these values, relative to Duchi's. From 1.3 to 1.5 the optimum hardly changes.
STRETCH = 1.4
# A report that is never more likely than this is not worth a column.
NEGLIGIBLE = 1e-4
NO_TABLE = later("No optimal table: %(message)s Choose another mechanism.")


def optimal_mean_weights(answers: int, ratio_bound: float) -> tuple[Array, float]:
    """The table with least worst-case variance of the mean, as real numbers, and that variance.

    Parameters
    ----------
    answers : int
        Evenly spaced levels, at least 2.
    ratio_bound : float above 1
        e^epsilon.

    Returns
    -------
    ndarray, shape (answers, reports), positive; rows add up to one
    float
        The worst-case variance of one report's score, for values from -1 to 1.

    Notes
    -----
    Values lie in [-1, 1], and scores s_y on an even grid of 1.4 times Duchi's +-(t + 1)/(t - 1).
    The variables are P[x, y] and a floor m[y] with m[y] <= P[x, y] <= t m[y]. Every row adds up to
    one and has mean v[x]. HiGHS (Huangfu & Hall, Math. Prog. Comp. 10, 2018) minimises
    max_x of sum_y P[x, y] s_y^2 - v_x^2. This is a numerical optimum on a grid, not a proof. At
    t = 3 it is 3.29; Duchi's is 4.00 and the hybrid of Wang et al. (ICDE 2019) 3.55.
    """
    require_time()
    values = np.linspace(-1, 1, answers)
    reach = STRETCH * (ratio_bound + 1) / (ratio_bound - 1)
    scores = np.linspace(-reach, reach, CANDIDATES)
    size = answers * CANDIDATES
    sparse = scipy.sparse
    identity = sparse.eye_array(size)
    floors = sparse.kron(np.ones((answers, 1)), sparse.eye_array(CANDIDATES))
    by_row = sparse.kron(sparse.eye_array(answers), np.ones((1, CANDIDATES)))
    squares = sparse.kron(sparse.eye_array(answers), scores[np.newaxis, :] ** 2)
    means = sparse.kron(sparse.eye_array(answers), scores[np.newaxis, :])
    nothing = sparse.csr_array((size, 1))
    no_floor = sparse.csr_array((answers, CANDIDATES))
    worst = sparse.csr_array(-np.ones((answers, 1)))
    solution = scipy.optimize.linprog(
        np.append(np.zeros(size + CANDIDATES), 1.0),
        A_ub=sparse.vstack(
            [
                sparse.hstack([-identity, floors, nothing]),
                sparse.hstack([identity, -ratio_bound * floors, nothing]),
                sparse.hstack([squares, no_floor, worst]),
            ]
        ),
        b_ub=np.concatenate([np.zeros(2 * size), values**2]),
        A_eq=sparse.vstack(
            [
                sparse.hstack([by_row, sparse.csr_array((answers, CANDIDATES + 1))]),
                sparse.hstack([means, sparse.csr_array((answers, CANDIDATES + 1))]),
            ]
        ),
        b_eq=np.concatenate([np.ones(answers), values]),
        method="highs",
    )
    if not solution.success:
        raise MechanismError(NO_TABLE, message=solution.message)
    table = solution.x[:size].reshape(answers, CANDIDATES)
    return without_slack(table, ratio_bound), float(solution.fun)


def without_slack(table: Array, ratio_bound: float) -> Array:
    """The solver's table within the ratio bound, without reports that are hardly ever sent."""
    table = table[:, table.max(axis=0) > NEGLIGIBLE]
    table = np.maximum(table, table.max(axis=0) / ratio_bound)
    return np.asarray(table / table.sum(axis=1, keepdims=True))
