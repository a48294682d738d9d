"""A question asked in two ways, in arms that each respondent's page draws."""

from functools import cache, partial
from itertools import product
from typing import Any

import numpy as np
from scipy.stats import chi2

from bench.false_alarms import every_report
from survey.analysis.columns.column_request import columns_and_design
from survey.analysis.columns.columns import question_column
from survey.analysis.columns.variables import AnalysisColumn
from survey.analysis.groups.groups import compare
from survey.analysis.validity.validity import contrast_with_direct, randomised_arm
from survey.core.errors import UnanswerableQuestion
from survey.definition.report_formats import Stored
from survey.definition.survey import Survey, parse_survey

from .answers import EPSILONS, SIZES
from .study import Case, Finding, Study

DECLINING = 0.05
# The shares of "yes" in both arms.
SHARES = {
    "5 %": (0.05, 0.05), "50 %": (0.5, 0.5),
    "15 % and 5 %": (0.15, 0.05), "50 % and 30 %": (0.5, 0.3),
}  # fmt: skip
WAYS = ("first", "second")
# The privacy of the second arm.
DIRECT, WEAK = "direct", "ε = 2"
CRITICAL = float(chi2.ppf(0.95, 1))
# The shares among which the best test looks for the most likely one.
TRIED = np.linspace(0, 1, 1_001)
TINY = 1e-300


@cache
def survey_of(epsilon: str, second: str, declines: bool) -> Survey:
    """The arm, and the same question with two privacies."""
    privacies: tuple[Any, Any] = (
        {"epsilon": EPSILONS[epsilon]}, "none" if second == DIRECT else {"epsilon": 2.0}
    )  # fmt: skip
    arm = {
        "name": "arm", "type": "select_one", "label": "Arm", "privacy": "none",
        "choices": [{"name": name, "label": name} for name in WAYS],
        "derived": {"random": dict.fromkeys(WAYS, 1)},
    }  # fmt: skip
    asked = [
        {"name": name, "type": "yes_no", "label": "Do you?", "privacy": each,
         "relevant": {"arm": [way]}} | ({"prefer_not_to_say": True} if declines else {})
        for name, each, way in zip("ab", privacies, WAYS, strict=True)
    ]  # fmt: skip
    return parse_survey({"slug": "x", "title": "X", "questions": [arm, *asked]})


def rows_of(
    survey: Survey, shares: tuple[float, float], n: int, generator: np.random.Generator
) -> list[tuple[Stored, ...]]:
    """The stored rows of n respondents. Those who are not asked report that."""
    arm = generator.integers(0, 2, n)
    rows: list[list[Stored]] = [arm.tolist()]
    for place, (question, share) in enumerate(zip(survey.questions[1:], shares, strict=True)):
        answers = np.where(generator.random(n) < share, 0, 1)
        if question.offers_to_decline:
            answers[generator.random(n) < DECLINING] = 2
        # "Not asked" is the last answer.
        answers[arm != place] = -1
        stored = every_report(question)
        column = question_column(question, stored)
        reached = column.chances[:, column.reports].cumsum(axis=1)
        chosen = generator.random((n, 1)) * reached[0, -1] >= reached[answers]
        rows.append([stored[each] for each in chosen.sum(axis=1)])
    return list(zip(*rows, strict=True))


def differ(outcome: AnalysisColumn, arm: AnalysisColumn) -> bool:
    """Whether the likelihood-ratio test finds a difference, from the reports and the arms."""
    mixed = (
        TRIED[:, np.newaxis] * outcome.chances[0] + (1 - TRIED[:, np.newaxis]) * outcome.chances[1]
    )
    logs = np.log(np.maximum(mixed, TINY))
    codes = outcome.chances.shape[1]
    of_arms = [
        logs @ np.bincount(outcome.reports[arm.reports == place], minlength=codes)
        for place in range(len(WAYS))
    ]
    apart = sum(float(each.max()) for each in of_arms)
    return bool(2 * (apart - sum(of_arms).max()) > CRITICAL)


def draw(
    survey: Survey, shares: tuple[float, float], declines: bool, validity: bool, n: int,
    generator: np.random.Generator,
) -> Finding:  # fmt: skip
    rows = rows_of(survey, shares, n, generator)
    (outcome, arm), design = columns_and_design(survey, rows, ["a+b", "arm"])
    truth, best = shares[0] - shares[1], None
    if truth and not declines:
        best = differ(outcome, arm)
    if validity:
        (asked, direct), design = columns_and_design(survey, rows, ["a", "b"])
        contrast = contrast_with_direct(randomised_arm(asked, direct), direct, design=design)
        figure, p = contrast.difference, contrast.p
    else:
        differences = compare(outcome, arm, design, 0).differences
        if not differences:
            raise UnanswerableQuestion("The page has no difference.")
        [difference] = differences
        figure, p = difference.figure, difference.p
        truth = truth if difference.group == 0 else -truth
    rejects = p is not None and p < 0.05
    errors, held = [figure.value - truth], [figure.low <= truth <= figure.high]
    if not truth:
        return Finding(errors, held, alarm=rejects)
    return Finding(errors, held, found=rejects, best=best)


def cases() -> list[Case]:
    found = []
    for epsilon, second, declines in product(EPSILONS, (DIRECT, WEAK), (False, True)):
        survey = survey_of(epsilon, second, declines)
        for (title, shares), validity in product(SHARES.items(), (False, True)):
            if second == WEAK and (validity or epsilon != "0.5"):
                continue
            name = f"{'Validity' if validity else 'Groups'}, ε = {epsilon} and {second}, {title}"
            name += ", special answer" if declines else ""
            sizes = SIZES if epsilon == "ln 3" and second == DIRECT else SIZES[:2]
            part = partial(draw, survey, shares, declines, validity)
            found += [Case(name, n, partial(part, n), 400) for n in sizes]
    return found


STUDY = Study(
    "Arms of an experiment",
    """A yes/no question that each respondent is asked in one of two ways, which their page draws:
    with the ε of the table, and either directly or with ε = 2. The difference of both shares is
    that of the page for groups, of the joined variable by the arm, or that of the page for
    validity. The true shares are equal, or those of the table. With a special answer, 5 % of the
    people decline. The best test is that of the likelihood ratio, given the arms.""",
    cases,
    """Welch's test of a direct arm rejected 7.5 % of equal shares with arms of 25. Permutations of
    arms that were asked in different ways did so in up to 9 %. Both now use the interval of two
    surveys.""",
)
