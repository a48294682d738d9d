"""The log-linear model of the joint distribution of private predictors.

The logarithm of the share of a cell is a sum of terms: one for each answer, and one for each pair
of answers to two questions. These are all two-way associations (Agresti, Categorical Data Analysis
(2013), ch. 9). With one or two private predictors, this is every distribution. With more, it leaves
out what three questions have in common beyond their pairs: five questions with four answers then
have 105 parameters instead of 1,023.
"""

from collections.abc import Sequence
from itertools import combinations

import numpy as np
import numpy.typing as npt

from survey.analysis.columns.variables import Codes
from survey.analysis.regression.models import Array

# Up to this number of parameters, all associations depend on non-private predictors. With more,
# only the shares of single answers do.
MAX_DEPENDENT = 64
# Of the root mean square of what is left of a column after those before it. With less, it follows
# from them.
DEPENDENT = 1e-9


def associations_of(
    answers: Codes, sizes: Sequence[int], non_private: int
) -> tuple[Array, npt.NDArray[np.bool_]]:
    """The associations of the cells, and which of them depend on non-private predictors.

    Parameters
    ----------
    answers : int array (cells, predictors), all possible combinations
    sizes : the number of answers of each predictor
    non_private : the number of columns of non-private predictors

    Returns
    -------
    float array (cells, r), independent columns of 0 and 1; bool array (r,)
    """
    single = [np.eye(size)[answers[:, place], 1:] for place, size in enumerate(sizes)]
    pairs = [
        (one[:, :, np.newaxis] * other[:, np.newaxis]).reshape(len(answers), -1)
        for one, other in combinations(single, 2)
    ]
    columns = np.concatenate([*single, *pairs], axis=1)
    singles = np.arange(columns.shape[1]) < sum(part.shape[1] for part in single)
    if len(answers) < np.prod(sizes):
        # Conditions of the survey exclude some combinations.
        kept = independent(columns)
        columns, singles = columns[:, kept], singles[kept]
    every = columns.shape[1] * (1 + non_private) <= MAX_DEPENDENT
    return columns, np.ones(len(singles), dtype=bool) if every else singles


def independent(columns: Array) -> Codes:
    """The places of columns that do not follow from the constant and the columns before them."""
    basis = np.full((len(columns), 1), 1 / np.sqrt(len(columns)))
    places = []
    for place, column in enumerate(columns.T):
        rest = column - basis @ (basis.T @ column)
        rest = rest - basis @ (basis.T @ rest)
        length = float(np.linalg.norm(rest))
        if length > DEPENDENT * np.sqrt(len(columns)):
            places.append(place)
            basis = np.column_stack([basis, rest / length])
    return np.array(places, dtype=np.int64)
