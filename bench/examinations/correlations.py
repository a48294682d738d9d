"""Correlations of two private questions."""

from collections.abc import Sequence
from functools import partial
from itertools import product

import numpy as np

from survey.analysis.columns.variables import AnalysisColumn
from survey.analysis.tables.correlation import pearson_correlation
from survey.analysis.tables.joint_shares import joint_shares
from survey.analysis.tables.trend import trend_test
from survey.core.scores import Array

from .answers import EPSILONS, SIZES, asked, declined, drawn
from .study import Case, Finding, Study

# The correlation, if there is one, and the part of the people who decline a question.
RELATED, DECLINING = 0.4, 0.05
SURVEYS = {50: 500, 200: 500, 1_000: 300}
# The shares of the answers.
SHARES = {
    "yes_no": {"50 % yes": (0.5, 0.5), "5 % yes": (0.05, 0.95)},
    "scale": {"even scale": (0.2,) * 5, "skewed scale": (0.6, 0.2, 0.1, 0.06, 0.04)},
}


def related(shares: Array, correlation: float) -> Array:
    """Joint shares of two questions: some people give the same answer to both."""
    independent = np.outer(shares, shares)
    return np.asarray((1 - correlation) * independent + correlation * np.diag(shares))


def draw(
    columns: Sequence[AnalysisColumn], joint: Array, correlation: float, n: int,
    generator: np.random.Generator,
) -> Finding:  # fmt: skip
    reported = drawn(generator, columns, joint, n)
    found = pearson_correlation(*reported)
    figure, rejects = found.figure, found.p is not None and found.p < 0.05
    if not correlation:
        return Finding([figure.value], [figure.low <= 0 <= figure.high], alarm=rejects)
    trend = trend_test(joint_shares(reported))
    return Finding(
        [figure.value - correlation], [figure.low <= correlation <= figure.high],
        found=rejects, best=None if trend is None else trend.p < 0.05,
    )  # fmt: skip


def cases() -> list[Case]:
    found = []
    for kind, epsilon, declines in product(SHARES, EPSILONS, (False, True)):
        columns = [
            asked(name, kind, {"epsilon": EPSILONS[epsilon]}, 5, declines=declines) for name in "ab"
        ]
        for (title, shares), correlation in product(SHARES[kind].items(), (0.0, RELATED)):
            joint = related(np.array(shares), correlation)
            joint = declined(joint, DECLINING) if declines else joint
            name = f"{title}, ε = {epsilon}, correlation {correlation:g}"
            name += ", special answer" if declines else ""
            found += [
                Case(name, n, partial(draw, columns, joint, correlation, n), SURVEYS[n])
                for n in SIZES
            ]
    return found


STUDY = Study(
    "Correlations",
    """The correlation of two yes/no questions, or of two scales with five levels. A part of the
    people, as large as the correlation, gives the same answer to both, and all other answers are
    independent. With a special answer, 5 % of the people decline each question. The best test is
    the one for trend, where it is possible. The page has no correlation (“refused”) if the variance
    of an answer is not estimated to be above zero. All percentages are of the other surveys.""",
    cases,
    """With special answers, p-values of the correlations that pages show were too small in up to
    16.6 % of surveys, because some permutations have no correlation. Those no longer count.""",
)
