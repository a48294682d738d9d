"""A list experiment together with a direct question to the same respondents.

The estimate and both placebo tests are those of Aronow, Coppock, Crawford & Green, J. Surv. Stat.
Methodol. 3 (2015) 43. Anyone who says Yes to the direct question counts as having the trait, so the
list has to find it only among those who say No.
"""

import math
from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
import scipy

from survey.analysis.as_json import part_json
from survey.analysis.columns.variables import MISSING, AnalysisColumn
from survey.analysis.groups.equal_probabilities import SupportingCounts, equal_pair_p
from survey.analysis.groups.figures import (
    NEGLIGIBLE_RELATIVE_ERROR,
    SIGNIFICANCE_LEVEL,
    IntervalEstimate,
    t_interval_estimate,
)
from survey.analysis.indirect.list_columns import GroupOfCounts
from survey.analysis.indirect.list_experiment import difference_of_means, welch
from survey.core.errors import UnanswerableQuestion
from survey.core.scores import Array
from survey.estimation.results import MIN_SHOWN_RESPONSES
from survey.estimation.share_intervals import share_interval

# The places of the answers to the direct question.
YES = 0
NO = 1
Groups = tuple[GroupOfCounts, GroupOfCounts]


@dataclass(frozen=True, kw_only=True)
class ListAndDirect:
    """The share for whom the sensitive statement is true, from a list and a direct question.

    Attributes
    ----------
    n : the number of respondents who answered both
    share : the estimate from both
    direct : the share of Yes to the direct question
    among_no : the difference of the means of the lists among those who said No
    among_yes : the same among those who said Yes, which should be 1; None if they are too few
    yes_p : the p-value for a difference of 1 among them; None if they are too few, or do not vary
    of_groups : the share of Yes in the control group and in the treatment group
    group_p : the p-value for the same share of Yes in both
    """

    level: float
    n: int
    share: IntervalEstimate
    direct: IntervalEstimate
    among_no: IntervalEstimate
    among_yes: IntervalEstimate | None
    yes_p: float | None
    of_groups: tuple[float, float]
    group_p: float

    @property
    def is_contradicted(self) -> bool:
        """Whether a placebo test finds that an assumption is wrong, by Bonferroni's correction."""
        # Without the first test, the factor stays 2: this test is missing more often if there are
        # far fewer Yes in one group, and then the second one rejects.
        return 2 * min(1.0 if self.yes_p is None else self.yes_p, self.group_p) < SIGNIFICANCE_LEVEL


def check_direct_question(column: AnalysisColumn) -> None:
    """Raise UnanswerableQuestion unless this is a non-private question with two answers."""
    if column.private or column.listed != 2:
        raise UnanswerableQuestion(
            "“%(question)s” is not a non-private yes/no question. Choose one that all "
            "respondents of the list were asked.",
            question=column.label,
        )


def among_answer(column: AnalysisColumn, direct: AnalysisColumn, answer: int) -> AnalysisColumn:
    """The column of respondents who gave an answer to the direct question alone."""
    return replace(column, reports=np.where(direct.reports == answer, column.reports, MISSING))


def list_and_direct(yes: Groups, no: Groups, items: int, level: float = 0.95) -> ListAndDirect:
    """Estimate the share from a list experiment and a direct question.

    Parameters
    ----------
    yes, no : the control group and the treatment group of respondents with this direct answer
    items : the number of control statements

    Raises UnanswerableQuestion if fewer than five respondents in a group said No.
    """
    by_yes, by_no = (
        [counted_answers(group, items + extra) for extra, group in enumerate(groups)]
        for groups in (yes, no)
    )
    require_enough_no(by_no)
    said_yes = np.array([counts.sum() for counts in by_yes])
    sizes = said_yes + [counts.sum() for counts in by_no]
    n, p = int(sizes.sum()), float(said_yes.sum() / sizes.sum())
    direct = share_interval(int(said_yes.sum()), n, 1.0, 0.0, level)
    among_yes, yes_p = difference_among_yes(by_yes, level)
    control, treatment = said_yes / sizes
    return ListAndDirect(
        level=level,
        n=n,
        share=combined_share(p, n, by_no, level),
        direct=IntervalEstimate(
            value=p,
            standard_error=math.sqrt(p * (1 - p) / (n - 1)),
            low=direct.low,
            high=direct.high,
            method=direct.method,
        ),
        among_no=difference_of_means(by_no, level)[1],
        among_yes=among_yes,
        yes_p=yes_p,
        of_groups=(float(control), float(treatment)),
        group_p=equal_pair_p(SupportingCounts(said_yes, sizes, 0.0, 1.0)),
    )


def require_enough_no(groups: Sequence[Array]) -> None:
    """Require five respondents who said No in each group. Raises UnanswerableQuestion."""
    fewest = min(int(counts.sum()) for counts in groups)
    if fewest < MIN_SHOWN_RESPONSES:
        raise UnanswerableQuestion(
            "Too few respondents of a group said No to the direct question (%(n)s). Together "
            "with a direct question, the list needs at least %(minimum)s in each group.",
            n=fewest,
            minimum=MIN_SHOWN_RESPONSES,
        )


def combined_share(p: float, n: int, groups: Sequence[Array], level: float) -> IntervalEstimate:
    """The estimate from the share p of Yes among n, and the answers to lists of those who said No.

    Notes
    -----
    With the difference d of the means of the lists, it is p + (1 - p) d. However many say No, the
    expected value of d is the same, so p and d are uncorrelated. The linearised variance is

        (1 - d)² p (1 - p) / (n - 1) + (1 - p)² Var(d),

    and Var(d) is the sum of the variances of both means. The interval is Student's, with degrees of
    freedom by Satterthwaite (Biom. Bull. 2 (1946) 110), as in Welch's.
    """
    (control, treatment), error, degrees = welch(groups)
    d = treatment - control
    parts = [(1 - d) ** 2 * p * (1 - p) / (n - 1), ((1 - p) * error) ** 2]
    # Lists that do not vary show nothing about the error of their difference.
    whole = math.sqrt(sum(parts)) if error > NEGLIGIBLE_RELATIVE_ERROR else 0.0
    free = satterthwaite_degrees(parts, (n - 1, degrees))
    return t_interval_estimate(p + (1 - p) * d, whole, free, 0.0, 1.0, level)


def counted_answers(group: GroupOfCounts, largest: int) -> Array:
    """The number of respondents with each number of true statements, from 0 to the largest."""
    return np.bincount(group.counts, minlength=largest + 1).astype(np.float64)


def satterthwaite_degrees(variances: Sequence[float], degrees: Sequence[float]) -> float:
    """The degrees of freedom of a sum of independent variances with these degrees each."""
    squares = sum(each**2 / own for each, own in zip(variances, degrees, strict=True))
    return sum(variances) ** 2 / squares if squares > 0 else min(degrees)


def difference_among_yes(
    groups: Sequence[Array], level: float
) -> tuple[IntervalEstimate | None, float | None]:
    """The difference of the means among those who said Yes, and the p-value that it is 1."""
    if min(int(counts.sum()) for counts in groups) < MIN_SHOWN_RESPONSES:
        return None, None
    (control, treatment), error, degrees = welch(groups)
    most = float(len(groups[1]) - 1)
    found = t_interval_estimate(treatment - control, error, degrees, -most, most, level)
    if error <= NEGLIGIBLE_RELATIVE_ERROR:
        return found, None
    return found, float(2 * scipy.special.stdtr(degrees, -abs(found.value - 1) / error))


def list_and_direct_json(found: ListAndDirect) -> dict[str, Any]:
    """The result as a JSON value."""
    control, treatment = found.of_groups
    return {
        "n": found.n,
        "level": found.level,
        "share": part_json(found.share),
        "direct_question": part_json(found.direct),
        "list_among_no": part_json(found.among_no),
        "list_among_yes": part_json(found.among_yes),
        "list_among_yes_is_1_p": found.yes_p,
        "yes_in_control": control,
        "yes_in_treatment": treatment,
        "same_yes_p": found.group_p,
    }
