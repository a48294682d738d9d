"""Respondents for regressions on private predictors, for several test modules."""

from tests.support.regressed import Data, spread

THREE = spread(3, 0.7)


class Many(Data):
    # With this n, all joint shares of the two private predictors are above zero.
    n = 1_500
