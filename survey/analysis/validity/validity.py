"""Whether people answered as asked: what a control question and a direct arm tell.

A randomizer in the browser cannot be disobeyed, so who picks an answer at random, or denies,
does so before it: the estimate is then of what people said, exactly as a direct question's would
be. These tools measure that, where the survey was designed for it; `noncompliance` has what two
designs tell, and bounds.
"""

import math
from dataclasses import dataclass

import numpy as np
import scipy

from survey.analysis.columns.sample_means import Sample, complete_case_sample
from survey.analysis.columns.variables import AnalysisColumn, SurveyDesign
from survey.analysis.groups.figures import (
    IntervalEstimate,
    ratio_estimate,
    t_interval_estimate,
    with_interval,
)
from survey.analysis.groups.measures import among_listed
from survey.analysis.tables.joint_shares import coherent
from survey.core.errors import UnanswerableQuestion
from survey.estimation.number_text import percent

APART = 1e-9  # from what random answers give; with less, a known share tells nothing
RARELY = 3.09  # standard errors that a normal value is above by in one of 1,000 surveys
CLEARLY = 2.0  # standard errors that the share of attentive people must be above zero


@dataclass(frozen=True)
class Control:
    """What a control question of known share tells.

    Attributes
    ----------
    n : how many responses report on both questions
    known : the share that the control's answer is known to have
    control : the share that it was estimated to have
    p : of the test that the two are the same; None where nothing varies
    random : the share of respondents who picked an answer at random, if that is why they differ
    uncorrected, corrected : the share of the other question's answer as said, and among those who
        did not answer at random; the latter None where these are not clearly above nobody
    """

    n: int
    known: float
    control: IntervalEstimate
    p: float | None
    random: IntervalEstimate
    uncorrected: IntervalEstimate
    corrected: IntervalEstimate | None

    @property
    def sentence(self) -> str:
        introduction = (
            f"The control question gives {with_interval(self.control)}; its known share is "
            f"{percent(self.known)}{bracketed_p_value(self.p)}. If random answers explain this, "
            f"{with_interval(self.random)} of respondents answered at random."
        )
        if self.corrected is None:
            return f"{introduction} This may be all of them, so no correction is possible."
        return (
            f"{introduction} Among the others the share is {with_interval(self.corrected)}; the "
            f"reported share is {percent(self.uncorrected.value)}."
        )


@dataclass(frozen=True)
class Contrast:
    """A randomised arm beside a direct one: shares, their difference, and the test that it is
    nothing; `p` is None where nothing varies."""

    randomised: IntervalEstimate
    direct: IntervalEstimate
    difference: IntervalEstimate
    p: float | None
    n: tuple[int, int]  # who gave a listed answer in each arm; where that is mixed up, about

    @property
    def sentence(self) -> str:
        return (
            f"{with_interval(self.randomised)} when randomised, {with_interval(self.direct)} when "
            "asked directly: a difference of "
            f"{with_interval(self.difference)}{bracketed_p_value(self.p)}. "
            "A difference does not prove that either share is true: people may admit more, or "
            "answer more carelessly."
        )


def bracketed_p_value(p: float | None) -> str:
    return "" if p is None else f" (p {f'= {p:.3f}' if p >= 0.001 else '< 0.001'})"


def two_sided_p_value(value: float, error: float, degrees: float) -> float | None:
    """Student's p of a value that is zero if the hypothesis holds; None where nothing varies."""
    if error <= 0:
        return None
    return float(2 * scipy.special.stdtr(degrees, -abs(value) / error))


def share_among_listed(
    sample: Sample, scores: np.ndarray, among: np.ndarray, level: float
) -> IntervalEstimate:
    estimate = ratio_estimate(sample, scores, among, 0.0, 1.0, level)
    if estimate is None:
        raise UnanswerableQuestion("Too few people gave a listed answer for an estimate.")
    return estimate


def said_by(
    column: AnalysisColumn, sample: Sample, place: int = 0, level: float = 0.95
) -> IntervalEstimate:
    """The share of one answer among those who gave a listed one, of a sample of this column."""
    scores = coherent(column)[sample.reports[:, 0]]
    return share_among_listed(
        sample, scores[:, place], scores[:, : column.listed].sum(axis=1), level
    )


def require_other_share(known: float, careless: float) -> None:
    """Raise UnanswerableQuestion where a known share is none, or that of random answers."""
    if not 0 <= known <= 1 or abs(known - careless) < APART:
        raise UnanswerableQuestion(
            f"The known share must be between 0 and 1, and not {percent(careless)}, which random "
            "answers also give."
        )


def controlled(
    question: AnalysisColumn,
    control: AnalysisColumn,
    known: float,
    place: int = 0,
    control_place: int = 0,
    design: SurveyDesign | None = None,
    level: float = 0.95,
) -> Control:
    """Use a control question whose true share is known to tell, and take out, random answers.

    Parameters
    ----------
    question, control : of the same responses, from two draws
    known : float from 0 to 1
        The true share of the control's answer `control_place`, such as 0 for something impossible.
        Not 1/k for k answers, which random answers give too.
    place : the answer of the question whose share is wanted

    Raises
    ------
    UnanswerableQuestion
        As `complete_case_sample`; where the known share is that of random answers or no share;
        where too few gave a listed answer.

    Notes
    -----
    Who answers at random picks each of a question's k listed answers alike. With a share r of them,
    the control's share is (1 - r) known + r / k, and the question's (1 - r) pi + r / k', so
    r = (control - known) / (1/k - known) and pi = (share - r / k') / (1 - r): of a crosswise
    question the correction of Atsusaka & Stevenson (Political Analysis 31 (2023) 296). Both are
    ratios of means of scores, with the intervals of `figures.ratio_estimate`; their standard errors
    take account of both questions having been answered by the same people. People who gave an extra
    answer to either are left out, as far as the reports tell. Wrong where those who are careless
    differ in the one question from the other, or pick a favourite instead of any answer.
    """
    careless, elsewhere = 1 / control.listed, 1 / question.listed
    require_other_share(known, careless)
    sample = complete_case_sample([question, control], design)
    of_question = coherent(question)[sample.reports[:, 0]]
    of_control = coherent(control)[sample.reports[:, 1]]
    here = of_question[:, : question.listed].sum(axis=1)
    there = of_control[:, : control.listed].sum(axis=1)
    among = here * there
    answer_scores = of_question[:, place] * there
    off = (of_control[:, control_place] * here - known * among) / (careless - known)
    checked = share_among_listed(sample, of_control[:, control_place] * here, among, level)
    random = share_among_listed(sample, off, among, level)
    corrected = None
    if 1 - random.value > CLEARLY * random.standard_error:
        corrected = ratio_estimate(
            sample, answer_scores - elsewhere * off, among - off, 0.0, 1.0, level
        )
    uncorrected = share_among_listed(sample, answer_scores, among, level)
    p = two_sided_p_value(checked.value - known, checked.standard_error, sample.degrees)
    return Control(sample.n, known, checked, p, random, uncorrected, corrected)


def require_arms(randomised: AnalysisColumn, direct: AnalysisColumn) -> None:
    """Two columns of the same responses, of which each is to be of different respondents.

    Raises UnanswerableQuestion where people are in both arms for certain, or an estimated share
    that chance alone would make so large in one of 1,000 surveys.

    Notes
    -----
    Who was not asked says so through the randomizer, so that it cannot be told of one respondent.
    """
    if not randomised.private:
        raise UnanswerableQuestion(
            f"{randomised.name} is a non-private question. Choose the randomised question."
        )
    if direct.private:
        raise UnanswerableQuestion(
            f"{direct.name} is randomised. Choose a non-private question for the direct arm."
        )
    among = among_listed(randomised), among_listed(direct)
    asked = direct.reported & randomised.reported
    listed = asked.copy()
    listed[asked] &= among[1][direct.reports[asked]] > 0
    if not listed.any():
        return
    overlap = f"People who answered {randomised.name} were also asked {direct.name}"
    advice = "The arms must be different people, assigned at random."
    if not randomised.extras:
        raise UnanswerableQuestion(f"{overlap}: {int(listed.sum()):,} of them. {advice}")
    scores = among[0][randomised.reports[listed]]
    both = float(scores.mean())
    error = math.sqrt(float(scores.var(ddof=1)) / len(scores)) if len(scores) > 1 else math.inf
    if both > RARELY * error:
        raise UnanswerableQuestion(
            f"{overlap}: an estimated {percent(min(both, 1.0))} of those asked. {advice}"
        )


def contrasted(
    randomised: AnalysisColumn,
    direct: AnalysisColumn,
    place: int = 0,
    direct_place: int = 0,
    level: float = 0.95,
    design: SurveyDesign | None = None,
) -> Contrast:
    """The same question, randomised for some respondents and asked directly of others.

    Parameters
    ----------
    randomised, direct : of different respondents, whom chance put in one arm or the other
        (`require_arms` sees whether columns of the same responses are)
    design : weights and strata of them all; arms of the same clusters depend on each other

    Raises UnanswerableQuestion where an arm has no responses, and with clusters.

    Notes
    -----
    The difference of two independent estimates: its variance is the sum of theirs, its degrees of
    freedom are Welch's.
    """
    if design is not None and design.clusters is not None:
        raise UnanswerableQuestion(
            "Arms in the same clusters depend on each other, which this comparison ignores. "
            "Remove the clusters, or compare groups instead."
        )
    arms, degrees, sizes = [], [], []
    for column, answer in ((randomised, place), (direct, direct_place)):
        sample = complete_case_sample([column], design)
        arms.append(said_by(column, sample, answer, level))
        degrees.append(sample.degrees)
        sizes.append(round(float(sample.counts @ among_listed(column)[sample.reports[:, 0]])))
    one, other = arms
    value = one.value - other.value
    error = math.hypot(one.standard_error, other.standard_error)
    fourths = [arm.standard_error**4 / free for arm, free in zip(arms, degrees, strict=True)]
    free = error**4 / sum(fourths) if sum(fourths) > 0 else float(sum(degrees))
    difference = t_interval_estimate(value, error, max(1, math.floor(free)), -1.0, 1.0, level)
    return Contrast(
        one, other, difference, two_sided_p_value(value, error, free), (sizes[0], sizes[1])
    )
