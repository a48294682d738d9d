"""Changes between two surveys, with the same people and reports that their devices remember."""

from collections.abc import Sequence
from dataclasses import replace
from functools import partial
from itertools import product

import numpy as np
from scipy.stats import chi2_contingency

from survey.analysis.changes.changes import compare_surveys
from survey.analysis.columns.variables import AnalysisColumn, SurveyDesign
from survey.core.scores import Array
from survey.estimation.share_differences import DIFFERENT, REMEMBERED, SHARED

from .answers import EPSILONS, SIZES, asked
from .study import Case, Finding, Study

DECLINING = 0.05
SHARES = {"5 %": (0.05, 0.05), "50 %": (0.5, 0.5), "5 %, then 15 %": (0.05, 0.15)}
# The five levels of a scale, from the share of the highest one.
LEVELS = np.array([0.4, 0.3, 0.2, 0.1])
# How the answers of the same people are related in both surveys. Given its share in each survey, an
# answer is repeated as often as possible, or independently, or as rarely as possible.
KEEP, AGAIN, CHANGE = "keep their answers", "choose again", "change their answers"
RELATIONS = (
    (DIFFERENT, AGAIN),
    (SHARED, KEEP), (SHARED, AGAIN), (SHARED, CHANGE),
    (REMEMBERED, KEEP), (REMEMBERED, AGAIN), (REMEMBERED, CHANGE),
)  # fmt: skip
# These are measured for each ε, and with each number of respondents.
EVERY_SIZE = ((DIFFERENT, AGAIN), (SHARED, CHANGE), (REMEMBERED, CHANGE))
REASON = (
    "Candor does not know who answered both surveys, and how many changed their answers. The "
    "interval holds for every possibility, as its page says."
)
NAMES = {DIFFERENT: "other people", SHARED: "new reports", REMEMBERED: "remembered reports"}


def joint(first: Array, second: Array, relation: str) -> Array:
    """The joint shares of the answers to two surveys with these shares.

    The answers are in order. Those of the second survey rise with those of the first (KEEP), are
    independent (AGAIN), or fall (CHANGE): Fréchet, Ann. Univ. Lyon A 14 (1951) 53.
    """
    if relation == AGAIN:
        return np.outer(first, second)
    ends = np.append(0.0, second.cumsum())
    starts = np.append(0.0, first.cumsum())
    if relation == CHANGE:
        ends = 1 - ends[::-1]
    shared = np.minimum(starts[1:, np.newaxis], ends[1:]) - np.maximum(
        starts[:-1, np.newaxis], ends[:-1]
    )
    shared = np.maximum(shared, 0.0)
    return shared[:, ::-1] if relation == CHANGE else shared


def shares_of(kind: str, share: float) -> Array:
    """The shares of the answers; the first one, or the highest level, has this share."""
    if kind == "scale":
        return np.append((1 - share) * LEVELS, share)
    listed = np.array([share, 1 - share])
    return listed if kind == "yes/no" else np.append((1 - DECLINING) * listed, DECLINING)


def drawn(
    column: AnalysisColumn, pairs: Array, remembered: bool, n: int, generator: np.random.Generator
) -> list[AnalysisColumn]:
    """Both surveys of the same n people, with the joint shares of their answers."""
    answers = np.unravel_index(
        generator.choice(pairs.size, n, p=pairs.reshape(-1) / pairs.sum()), pairs.shape
    )
    reached = column.chances.cumsum(axis=1)
    reached /= reached[:, -1:]
    first, second = ((generator.random((n, 1)) >= reached[each]).sum(axis=1) for each in answers)
    if remembered:
        # A device sends the same report again for the same answer.
        second = np.where(answers[0] == answers[1], first, second)
    return [replace(column, reports=each.astype(np.int64)) for each in (first, second)]


def differ(columns: Sequence[AnalysisColumn]) -> bool | None:
    """Whether the chi-squared test of two reports finds a difference between different people."""
    counts = [np.bincount(each.reports, minlength=each.chances.shape[1]) for each in columns]
    table = np.array(counts)
    if table.shape[1] != 2 or not table.sum(axis=0).all():
        return None
    return bool(chi2_contingency(table, correction=False).pvalue < 0.05)


def draw(
    column: AnalysisColumn, pairs: Array, truth: float, relation: str, n: int,
    generator: np.random.Generator,
) -> Finding:  # fmt: skip
    columns = drawn(column, pairs, relation == REMEMBERED, n, generator)
    answer = 0 if column.values is None else None
    [difference] = compare_surveys(
        columns, ("first", "second"), [SurveyDesign()] * 2, answer, relation
    ).differences
    figure = difference.figure
    # The p-value agrees with the interval, and takes long.
    found = not figure.low <= 0 <= figure.high
    errors, held = [figure.value - truth], [figure.low <= truth <= figure.high]
    if not truth:
        return Finding(errors, held, alarm=found)
    best = differ(columns) if relation == DIFFERENT else None
    return Finding(errors, held, found=found, best=best)


def truth_of(kind: str, shares: tuple[float, float]) -> float:
    """The true change of the share among those who do not decline, or of the mean."""
    if kind != "scale":
        return shares[1] - shares[0]
    levels = np.arange(1, len(LEVELS) + 2)
    first, second = (levels @ shares_of(kind, each) for each in shares)
    return float(second - first)


def sizes_of(epsilon: str, relation: tuple[str, str]) -> Sequence[int]:
    return SIZES if epsilon == "ln 3" and relation in EVERY_SIZE else SIZES[1:2]


def cases() -> list[Case]:
    found = []
    for kind, epsilon in product(("yes/no", "yes/no, special answer", "scale"), EPSILONS):
        column = asked(
            "x", kind if kind == "scale" else "yes_no", {"epsilon": EPSILONS[epsilon]}, 5,
            declines=kind.endswith("special answer"),
        )  # fmt: skip
        relations = RELATIONS if epsilon == "ln 3" else EVERY_SIZE
        for relation, (title, shares) in product(relations, SHARES.items()):
            people, answers = relation
            name = f"{kind}, ε = {epsilon}, {title}, {NAMES[people]}"
            name += "" if people == DIFFERENT else f", people {answers}"
            first, second = (shares_of(kind, each) for each in shares)
            part = partial(
                draw, column, joint(first, second, answers), truth_of(kind, shares), people
            )
            reason = "" if people == DIFFERENT else REASON
            found += [
                Case(name, n, partial(part, n), 300, reason) for n in sizes_of(epsilon, relation)
            ]
    return found


STUDY = Study(
    "Changes between surveys",
    """The change of a share, or of the mean of a scale with five levels, between two surveys. The
    first answer, or the highest level, has the share of the table, and of a yes/no question with a
    special answer, 5 % of the people decline. Two surveys with different people are compared with
    the chi-squared test of the reports. Otherwise, the same people answer both, and all of their
    devices draw a new report, or repeat the one that they remember if the answer is the same.
    People keep as many answers as both shares allow, choose them again independently, or change as
    many as possible. Candor does not know which of these is true, so its intervals hold for all of
    them, and contain the change more often in all but the worst.""",
    cases,
    """Intervals for the same people covered 99 to 100 % for means, and for shares with a special
    answer. A change from 5 to 15 % was found in 1 to 4 % of surveys of 200. They are shorter
    now.""",
)
