"""Cross-tabulations of two or three questions, private or not."""

import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from survey.analysis.columns.variables import AnalysisColumn, SurveyDesign
from survey.analysis.groups.effective_counts import binomial_ends
from survey.analysis.groups.figures import (
    EMPTY_SHARE,
    MAX_GAFFKE_FIGURES,
    IntervalEstimate,
    few_degrees_remarks,
    ratio_estimate,
    t_interval_estimate,
)
from survey.analysis.groups.group_bounds import CLOPPER_PEARSON_EFFECTIVE, GAFFKE, gaffke_bounds
from survey.analysis.groups.measures import measure_of
from survey.analysis.tables.association import (
    NEGLIGIBLE_VARIANCE,
    NOBODY_LISTED,
    Test,
    phi,
    wald_test,
)
from survey.analysis.tables.correlation import (
    LACKING_REPORTS_REMARK,
    correlation_in,
    lacks_reports,
)
from survey.analysis.tables.independence import score_test
from survey.analysis.tables.joint_shares import JointShares, joint_shares, likeliest
from survey.analysis.tables.odds_ratio import known_chances, odds_ratio
from survey.analysis.tables.trend import trend_test
from survey.core.errors import UnanswerableQuestion
from survey.core.scores import Array
from survey.core.translate import join_sentences, later, translate
from survey.estimation.findings.remarks import (
    CONDITIONS_CONTRADICTED,
    NO_FIGURE,
    SMALL_SAMPLE,
    Remark,
)
from survey.estimation.mean_intervals import possible_ends
from survey.estimation.share_differences import OwnInterval, combined_interval

# A share that the survey's conditions exclude.
IMPOSSIBLE = IntervalEstimate(
    value=0.0, standard_error=0.0, low=0.0, high=0.0, method="the survey's conditions"
)
CONTRADICTED = later(
    "The reports contradict the conditions of the survey: there are answers of respondents who "
    "should not have been asked. Candor therefore does not use the conditions here."
)
# The number of combinations of reports that are listed.
MAX_RAW_COMBINATIONS = 2_000


@dataclass(frozen=True, kw_only=True)
class Crosstab:
    """A cross-tabulation. Its cells are those of listed answers, in row-major order.

    Attributes
    ----------
    columns : the questions; the first makes the rows, the second the columns, a third the layers
    n : int
        The number of responses that report on all of them.
    left_out : int
        The number of responses that do not, or have weight zero.
    level : float
        The level of each interval by itself.
    given : IntervalEstimate or None
        The share of respondents who gave listed answers to all questions, if there are special
        answers. Every other estimate is about these respondents.
    cells : the share of each combination of answers
    of_row, of_column : the share of the column's answer among respondents in the row, and the
        reverse, in each layer. None if the row or column is estimated at zero or less.
    differences : `of_row` minus that of the first row, for the other rows
    covariance : of `cells`
    possible : whether the survey's conditions permit each combination of answers. The others have
        a share of zero, without an interval.
    likeliest : maximum-likelihood shares of the cells, which are possible ones, or None
    odds_ratios, phis : one for each layer of a table of two by two, else none
    raw : the count of each combination of reports, by the reports' names
    """

    columns: tuple[AnalysisColumn, ...]
    n: int
    left_out: int
    level: float
    given: IntervalEstimate | None
    cells: tuple[IntervalEstimate, ...]
    of_row: tuple[IntervalEstimate | None, ...]
    of_column: tuple[IntervalEstimate | None, ...]
    differences: tuple[IntervalEstimate | None, ...]
    covariance: Array
    possible: tuple[bool, ...]
    likeliest: tuple[float, ...] | None
    odds_ratios: tuple[IntervalEstimate | None, ...]
    phis: tuple[IntervalEstimate | None, ...]
    tests: tuple[Test, ...]
    raw: tuple[tuple[tuple[str, ...], int], ...]
    remarks: tuple[Remark, ...]

    @property
    def shape(self) -> tuple[int, ...]:
        return tuple(column.listed for column in self.columns)

    @property
    def negative(self) -> bool:
        """Whether a cell is estimated to be below zero."""
        return any(cell.value < 0 for cell in self.cells)


def most_likely_cells(joint: JointShares, remarks: list[Remark]) -> tuple[float, ...] | None:
    """The maximum-likelihood share of each cell among respondents who gave listed answers.

    It is None if there are none, with a remark if there is a reason.
    """
    try:
        shares = likeliest(joint)[joint.listed]
    except UnanswerableQuestion as refusal:
        reason = translate("There are no maximum likelihood shares.")
        remarks.append(Remark(NO_FIGURE, join_sentences(reason, str(refusal))))
        return None
    total = shares.sum()
    return tuple(float(share) for share in shares / total) if total > 0 else None


def tests_of_independence(joint: JointShares, remarks: list[Remark]) -> tuple[Test, ...]:
    """The tests that are possible, with a remark for each reason why one is not.

    For two questions, Wald's test has the hypothesis of the score test, but is wrong with few
    responses: for private answers it rejects too often or hardly ever. So it is left out where
    there is a score test, except for questions asked in different ways. Only Wald's test allows
    that the way depends on the answers.
    """
    replaced = len(joint.columns) == 2 and not any(each.designs.size for each in joint.columns)
    tests: list[Test] = []
    for test in (score_test, wald_test, trend_test):
        if test is wald_test and tests and replaced:
            continue
        try:
            found = test(joint)
        except UnanswerableQuestion as refusal:
            append_once(remarks, refusal)
            continue
        if found is not None:
            tests.append(found)
    return tuple(tests)


def append_once(remarks: list[Remark], refusal: UnanswerableQuestion) -> None:
    """Add the reason why there is no figure, unless another figure lacks for the same reason."""
    remark = Remark(NO_FIGURE, str(refusal))
    if remark not in remarks:
        remarks.append(remark)


def crosstab(
    columns: Sequence[AnalysisColumn], design: SurveyDesign | None = None, level: float = 0.95
) -> Crosstab:
    """Cross-tabulate two or three questions.

    Parameters
    ----------
    columns : of the same responses
    design : weights, strata and clusters, one of each for each response
    level : float in (0, 1)

    Raises
    ------
    UnanswerableQuestion
        As `joint_shares`, and if nobody is estimated to have given listed answers.

    Notes
    -----
    Everything follows from the unbiased joint shares and their covariance (`joint_shares`):
    percentages as ratios, the rest by the delta method. What cannot be estimated is omitted, and a
    remark gives the reason. Special answers ("prefer not to say", "not asked") are removed from the
    cells by dividing by the estimated share of the others.
    """
    joint = joint_shares(columns, design)
    table = ListedCells(joint, level)
    remarks: list[Remark] = []
    if joint.contradicted:
        remarks.append(Remark(CONDITIONS_CONTRADICTED, translate(CONTRADICTED)))
    cells = [
        table.share([cell], table.all) if table.possible[cell] else IMPOSSIBLE for cell in table.all
    ]
    likely = most_likely_cells(joint, remarks)
    tests = tests_of_independence(joint, remarks)
    ratios, phis, about_them = odds_ratios_and_phis(table)
    of_row = tuple(table.share_in_line(cell, 1) for cell in table.all)
    remarks += about_them
    remarks += few_degrees_remarks(joint.sample, (*cells, *of_row))
    return Crosstab(
        columns=tuple(columns),
        n=joint.sample.n,
        left_out=len(columns[0].reports) - joint.sample.n,
        level=level,
        given=None if joint.without_special_answers else table.share(table.all, None),
        cells=tuple(cell for cell in cells if cell is not None),
        of_row=of_row,
        of_column=tuple(table.share_in_line(cell, 0) for cell in table.all),
        differences=row_share_differences(table),
        covariance=table.covariance,
        possible=tuple(map(bool, table.possible)),
        likeliest=likely,
        odds_ratios=ratios,
        phis=phis,
        tests=tests,
        raw=raw_counts(joint),
        remarks=tuple(remarks),
    )


class ListedCells:
    """The listed cells of joint shares.

    Their places are in row-major order of rows, columns and layers (one layer for two questions).
    """

    def __init__(self, joint: JointShares, level: float):
        self.joint, self.level = joint, level
        self.rows, self.columns, self.layers = (*(c.listed for c in joint.columns), 1)[:3]
        self.all = list(range(self.rows * self.columns * self.layers))
        self.scores = joint.scores[:, joint.listed]
        self.shares = joint.shares[joint.listed]
        self.possible = joint.possible[joint.listed]
        # The limit exceeds the rounding that `ratio_estimate` accepts.
        if self.shares.sum() <= 2 * EMPTY_SHARE:
            raise UnanswerableQuestion(NOBODY_LISTED)
        # The shares of the listed cells add up to one here.
        self.among = self.shares / self.shares.sum()
        gradient = (np.eye(len(self.all)) - self.among[:, np.newaxis]) / self.shares.sum()
        self.of_shares = joint.covariance[np.ix_(joint.listed, joint.listed)]
        self.covariance = gradient @ self.of_shares @ gradient.T

    def cell(self, row: int, column: int, layer: int) -> int:
        return (row * self.columns + column) * self.layers + layer

    def line(self, cell: int, axis: int) -> list[int]:
        """All cells that differ from this one at most in one axis (0 the row, 1 the column)."""
        row, column, layer = np.unravel_index(cell, (self.rows, self.columns, self.layers))
        if axis == 0:
            return [self.cell(other, int(column), int(layer)) for other in range(self.rows)]
        return [self.cell(int(row), other, int(layer)) for other in range(self.columns)]

    def share_in_line(self, cell: int, axis: int) -> IntervalEstimate | None:
        """The share of a cell in its row (axis 1) or column (axis 0); None if it is impossible."""
        return self.share([cell], self.line(cell, axis)) if self.possible[cell] else None

    def share(self, cells: list[int], of: list[int] | None) -> IntervalEstimate | None:
        """The share of some cells in others, or in everyone."""
        among = np.ones(len(self.scores)) if of is None else self.scores[:, of].sum(axis=1)
        above = self.scores[:, cells].sum(axis=1)
        sums = np.zeros((2, len(self.all)))
        sums[0, cells] = 1
        sums[1, [] if of is None else of] = 1
        covariance = sums @ self.of_shares @ sums.T
        fine = len(self.all) <= MAX_GAFFKE_FIGURES
        return ratio_estimate(self.joint.sample, above, among, 0, 1, self.level, fine, covariance)


@dataclass(frozen=True)
class RowShare:
    """The share of a cell in its row, with its own bounds, which may be below 0 or above 1.

    `own` is None in large tables, and with weights, strata or clusters where `binomial_ends` is,
    such as in private rows. `method` is that of a difference of two such shares.
    """

    value: float
    gradient: Array
    own: OwnInterval | None
    method: str


def row_share(table: ListedCells, cell: int) -> RowShare | None:
    """The share of a cell in its row; None if the row is estimated at zero or less."""
    line, sample = table.line(cell, 1), table.joint.sample
    whole = float(table.among[line].sum())
    if whole <= EMPTY_SHARE:
        return None
    value, gradient = float(table.among[cell]) / whole, np.zeros(len(table.all))
    gradient[line] -= value / whole
    gradient[cell] += 1 / whole
    scores, among = table.scores[:, cell], table.scores[:, line].sum(axis=1)
    if not sample.simple:
        ends = binomial_ends(sample, scores, among, table.level)
        own = None if ends is None else OwnInterval(value, *ends)
        return RowShare(value, gradient, own, CLOPPER_PEARSON_EFFECTIVE)
    if not sample.all_listed or len(table.all) > MAX_GAFFKE_FIGURES:
        return RowShare(value, gradient, None, GAFFKE)
    bounds = gaffke_bounds(sample.counts, scores, among, value, 1.0, table.level)
    return RowShare(value, gradient, OwnInterval(value, bounds.low, bounds.high), GAFFKE)


def row_share_differences(table: ListedCells) -> tuple[IntervalEstimate | None, ...]:
    """The shares of each row minus those of the first row, for all other rows.

    The order is rows, columns, layers. The interval is MOVER with the bounds of both shares
    (survey/estimation/share_differences.py): Gaffke's, or with weights, strata or clusters those of
    an effective sample size. Where there are none, it uses Student's distribution, and is too short
    in rows with few responses.
    """
    columns = table.columns * table.layers
    first = [row_share(table, cell) for cell in range(columns)]
    estimates: list[IntervalEstimate | None] = []
    for cell in table.all[columns:]:
        ours, theirs = row_share(table, cell), first[cell % columns]
        if ours is None or theirs is None:
            estimates.append(None)
            continue
        value, gradient = ours.value - theirs.value, ours.gradient - theirs.gradient
        error = math.sqrt(max(0.0, float(gradient @ table.covariance @ gradient)))
        if ours.own is None or theirs.own is None:
            degrees = table.joint.sample.student_degrees
            estimates.append(t_interval_estimate(value, error, degrees, -1, 1, table.level))
            continue
        correlation = correlation_of(ours.gradient, theirs.gradient, table.covariance)
        low, high = combined_interval(
            (ours.own, theirs.own), (1, -1), table.level, correlation=correlation
        )
        ends = possible_ends(value, low, high, -1.0, 1.0)
        estimates.append(
            IntervalEstimate(
                value=value, standard_error=error, low=ends[0], high=ends[1], method=ours.method
            )
        )
    return tuple(estimates)


def correlation_of(one: Array, other: Array, covariance: Array) -> float:
    """The correlation of two linear functions; 0 if one has no variance."""
    product = math.sqrt(max(0.0, float(one @ covariance @ one) * float(other @ covariance @ other)))
    if product <= NEGLIGIBLE_VARIANCE:
        return 0.0
    return min(1.0, max(-1.0, float(one @ covariance @ other) / product))


def odds_ratios_and_phis(
    table: ListedCells,
) -> tuple[tuple[IntervalEstimate | None, ...], tuple[IntervalEstimate | None, ...], list[Remark]]:
    """Odds ratio and phi of each layer, with remarks on them and on why there is none."""
    if (table.rows, table.columns) != (2, 2) or not table.possible.all():
        return (), (), []
    ratios: list[IntervalEstimate | None] = []
    phis: list[IntervalEstimate | None] = []
    remarks: list[Remark] = []
    chances, places = known_chances(table.joint), np.flatnonzero(table.joint.listed)
    for layer in range(table.layers):
        four = [table.cell(row, column, layer) for row in (0, 1) for column in (0, 1)]
        of_layer = table.joint, places[four], chances, table.level
        ratios.append(figure_or_none(remarks, odds_ratio, *of_layer))
        phis.append(figure_or_none(remarks, phi_of, table, four))
    if any(phis) and lacks_reports(table.joint.sample):
        remarks.append(Remark(SMALL_SAMPLE, translate(LACKING_REPORTS_REMARK)))
    return tuple(ratios), tuple(phis), remarks


def figure_or_none(
    remarks: list[Remark], measure: Callable[..., IntervalEstimate], *arguments: Any
) -> IntervalEstimate | None:
    """The figure, or None and one remark for each reason why there is none."""
    try:
        return measure(*arguments)
    except UnanswerableQuestion as refusal:
        append_once(remarks, refusal)
        return None


def phi_of(table: ListedCells, four: list[int]) -> IntervalEstimate:
    """φ of four cells. Raises UnanswerableQuestion as `phi`."""
    covariance = table.covariance[np.ix_(four, four)]
    figure = phi(table.among[four], covariance, table.joint.sample.student_degrees, table.level)
    return correlation_of_yes(table) if is_simple_pair(table.joint) else figure


def is_simple_pair(joint: JointShares) -> bool:
    """Whether φ has the interval of a correlation, which holds with few responses."""
    return len(joint.columns) == 2 and joint.sample.simple and joint.without_special_answers


def correlation_of_yes(table: ListedCells) -> IntervalEstimate:
    """φ as the correlation of the first answers."""
    one, other = (measure_of(column, 0) for column in table.joint.columns)
    return correlation_in(table.joint.sample, (one, other), table.level, 0).figure


def raw_counts(joint: JointShares) -> tuple[tuple[tuple[str, ...], int], ...]:
    """The count of each combination of reports.

    If there are many, only the most frequent ones are listed.
    """
    counts = joint.sample.counts
    order = (
        np.argsort(-counts, kind="stable")
        if len(counts) > MAX_RAW_COMBINATIONS
        else np.arange(len(counts))
    )
    listed = []
    for place in order[:MAX_RAW_COMBINATIONS]:
        if counts[place] > 0 or len(counts) <= MAX_RAW_COMBINATIONS:
            codes = joint.sample.reports[place]
            names = [""] * len(joint.columns)
            for factor, code in zip(joint.factors, codes, strict=True):
                for axis, name in zip(factor.axes, factor.names[code], strict=True):
                    names[axis] = name
            listed.append((tuple(names), int(counts[place])))
    return tuple(listed)
