"""Validity checks: the evidence of a control question and of a direct arm.

Nobody can disobey a randomizer in the browser. Respondents who answer at random or deny do so
before it. The estimate is then about their answers, exactly as with a direct question. These
methods measure this if the survey was designed for it. `noncompliance` has estimates from two
designs, and bounds.
"""

import math
from collections.abc import Callable
from dataclasses import dataclass, replace
from functools import partial

import numpy as np
import scipy

from survey.analysis.changes.changes import contrast, wave_of
from survey.analysis.columns.answer_scores import coherent
from survey.analysis.columns.sample_means import Sample, complete_case_sample
from survey.analysis.columns.variables import MISSING, AnalysisColumn, SurveyDesign
from survey.analysis.groups.effective_counts import SupportedShare, supporting_reports
from survey.analysis.groups.figures import (
    IntervalEstimate,
    p_words,
    points_in_words,
    possible_text,
    ratio_estimate,
    share_in_words,
)
from survey.analysis.groups.measures import among_listed, measure_of
from survey.analysis.tables.correlation import agreeing_with
from survey.core.errors import UnanswerableQuestion
from survey.core.translate import join_sentences, translate, translate_number
from survey.estimation.mean_intervals import possible_ends
from survey.estimation.number_text import percent
from survey.estimation.share_differences import DIFFERENT, p_of_zero
from survey.estimation.share_intervals import Interval, share_interval

# If a known share is this close to that of random answers, it has no information.
APART = 1e-9
# A normal value exceeds this many standard errors in one of 1,000 surveys.
RARELY = 3.09
# The share of attentive respondents must be this many standard errors above zero.
CLEARLY = 2.0


@dataclass(frozen=True, kw_only=True)
class Control:
    """The evidence of a control question with a known share.

    Attributes
    ----------
    n : the number of responses that report on both questions
    known : the known share of the control's answer
    control : its estimated share
    p : for the test that the two are equal
    random : the share of respondents who picked an answer at random, if this is why they differ
    uncorrected, corrected : the share of the other question's answer among all respondents, and
        among those who did not answer at random. The latter is None if their share is not clearly
        above zero, or if random answers cannot explain why the two differ.
    """

    n: int
    known: float
    control: IntervalEstimate
    p: float
    random: IntervalEstimate
    uncorrected: IntervalEstimate
    corrected: IntervalEstimate | None

    @property
    def explains(self) -> bool:
        """Whether random answers can explain the difference: a share of them from 0 to 1."""
        reach = CLEARLY * self.random.standard_error
        return -reach <= self.random.value <= 1 + reach

    @property
    def sentence(self) -> str:
        figures = {
            "control": share_in_words(self.control),
            "known": with_p_value(translate_number(percent(self.known)), self.p),
        }
        if not self.explains:
            return translate(
                "The estimate for the control question is %(control)s, and its known share is "
                "%(known)s. Random answers alone do not explain this difference, so no correction "
                "is possible.",
                **figures,
            )
        introduction = translate(
            "The estimate for the control question is %(control)s, and its known share is "
            "%(known)s. If random answers explain the difference, %(random)s of respondents "
            "answered at random.",
            random=share_in_words(self.random),
            **figures,
        )
        if self.corrected is None:
            rest = translate(
                "Perhaps all respondents answered at random, so no correction is possible."
            )
        else:
            rest = translate(
                "Among the others, the share is %(corrected)s. Without this correction, it is "
                "%(uncorrected)s.",
                corrected=share_in_words(self.corrected),
                uncorrected=possible_text(self.uncorrected, percent),
            )
        return join_sentences(introduction, rest)


@dataclass(frozen=True, kw_only=True)
class Contrast:
    """A randomised arm and a direct one: shares, their difference, and its test.

    The test is for no difference.
    """

    randomised: IntervalEstimate
    direct: IntervalEstimate
    difference: IntervalEstimate
    p: float
    # The number of respondents with a listed answer in each arm, estimated if it is randomised.
    n: tuple[int, int]

    @property
    def sentence(self) -> str:
        return translate(
            "The share is %(randomised)s when randomised, and %(direct)s when asked directly. The "
            "difference is %(difference)s. A difference does not prove that either share is true: "
            "people may admit more, or answer less carefully.",
            randomised=share_in_words(self.randomised),
            direct=share_in_words(self.direct),
            difference=with_p_value(points_in_words(self.difference), self.p),
        )


def with_p_value(figure: str, p: float) -> str:
    """A figure in words, with the p-value of its test."""
    return translate("%(figure)s (%(p)s)", figure=figure, p=p_words(p))


def share_among_listed(
    sample: Sample, scores: np.ndarray, among: np.ndarray, level: float
) -> IntervalEstimate:
    estimate = ratio_estimate(sample, scores, among, 0.0, 1.0, level)
    if estimate is None:
        raise UnanswerableQuestion("Too few people gave an answer other than a special answer.")
    return estimate


def said_by(
    column: AnalysisColumn, sample: Sample, place: int = 0, level: float = 0.95
) -> IntervalEstimate:
    """The share of one answer among listed answers, in a sample of this column."""
    scores = coherent(column)[sample.reports[:, 0]]
    return share_among_listed(
        sample, scores[:, place], scores[:, : column.listed].sum(axis=1), level
    )


def require_other_share(known: float, careless: float) -> None:
    """Raise UnanswerableQuestion if a known share is invalid, or that of random answers."""
    if not 0 <= known <= 1 or abs(known - careless) < APART:
        raise UnanswerableQuestion(
            "The known share must be from 0 %% to 100 %%. It cannot be %(share)s, because "
            "random answers give the same share.",
            share=translate_number(percent(careless)),
        )


def use_control_question(
    question: AnalysisColumn,
    control: AnalysisColumn,
    known: float,
    place: int = 0,
    control_place: int = 0,
    design: SurveyDesign | None = None,
    level: float = 0.95,
) -> Control:
    """Use a control question with a known true share to detect and remove random answers.

    Parameters
    ----------
    question, control : of the same responses, from two draws
    known : float from 0 to 1
        The true share of the control's answer `control_place`, such as 0 for something impossible.
        Not 1/k for k answers, which random answers give too.
    place : the answer of the question whose share is estimated

    Raises
    ------
    UnanswerableQuestion
        As `complete_case_sample`; if the known share is invalid or that of random answers; if too
        few respondents gave a listed answer.

    Notes
    -----
    A respondent who answers at random picks each of a question's k listed answers with equal
    probability. With a share r of them, the control's share is (1 - r) known + r / k, and the
    question's (1 - r) pi + r / k'. Hence r = (control - known) / (1/k - known) and pi = (share - r
    / k') / (1 - r). For a crosswise question this is the correction of Atsusaka & Stevenson
    (Political Analysis 31 (2023) 134).

    Both are ratios of means of scores, with the intervals of `ratio_estimate`. Only the control's
    share has that of `compare_with_known`, from which that of random answers follows. Standard
    errors take into account that the same people answered both questions. Respondents with a
    special answer to either are omitted, as far as the reports show them. The interval is wrong if
    careless respondents differ between the questions, or prefer one answer instead of any.
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
    checked, p = compare_with_known(
        sample, of_control[:, control_place] * here, among, known, level
    )
    random = random_answers(share_among_listed(sample, off, among, level), checked, known, careless)
    corrected, reach = None, CLEARLY * random.standard_error
    if -reach <= random.value < 1 - reach:
        corrected = ratio_estimate(
            sample, answer_scores - elsewhere * off, among - off, 0.0, 1.0, level
        )
    uncorrected = share_among_listed(sample, answer_scores, among, level)
    return Control(
        n=sample.n,
        known=known,
        control=checked,
        p=p,
        random=random,
        uncorrected=uncorrected,
        corrected=corrected,
    )


def random_answers(
    share: IntervalEstimate, control: IntervalEstimate, known: float, careless: float
) -> IntervalEstimate:
    """The share of random answers, with the interval that follows from that of the control."""
    low, high = sorted((end - known) / (careless - known) for end in (control.low, control.high))
    low, high = possible_ends(share.value, low, high, 0.0, 1.0)
    return replace(share, low=low, high=high, method=control.method)


def compare_with_known(
    sample: Sample, scores: np.ndarray, among: np.ndarray, known: float, level: float
) -> tuple[IntervalEstimate, float]:
    """A share, and the p-value of a known share, below 1 - level if the interval excludes it.

    Notes
    -----
    p is the smallest significance level at which the interval excludes the known share. For two
    scores without weights, strata and clusters, the interval is that of the results page. For more
    scores, Gaffke's would find a wrong share too seldom, so p is Student's (`student_p`), and an
    end of the interval moves to the known share if both disagree.
    """
    figure = share_among_listed(sample, scores, among, level)
    found = supporting_reports(sample, scores, among)
    share_at: Callable[[float], IntervalEstimate | Interval]
    if not sample.simple:
        share_at = partial(share_among_listed, sample, scores, among)
    elif found is not None:
        share_at = partial(exact_share, sample, found)
        exact = share_at(level)
        figure = replace(figure, low=exact.low, high=exact.high, method=exact.method)
    else:
        p = student_p(sample, scores - known * among, known)
        return agreeing_with(figure, p, level, known), p

    def less_known(each: float) -> tuple[float, float]:
        share = share_at(each)
        return share.low - known, share.high - known

    return figure, p_of_zero(less_known)


def exact_share(sample: Sample, found: SupportedShare, level: float) -> Interval:
    """The interval of a share from the count of supporting reports, as on the results page."""
    supporting, counted = (int(sample.counts[of].sum()) for of in (found.supports, found.counted))
    bottom, top = found.scores
    p, q = ((share - bottom) / (top - bottom) for share in (1.0, 0.0))
    return share_interval(supporting, counted, min(1.0, p), max(0.0, q), level)


def student_p(sample: Sample, scores: np.ndarray, known: float) -> float:
    """Student's p-value of a mean of zero, for the scores of a share minus a known one.

    It is one-sided for a known share of 0 or 1, because no share is beyond. It is 1 if nothing
    varies.
    """
    mean = sample.mean(scores[:, np.newaxis])
    error = math.sqrt(max(0.0, float(sample.covariance(scores[:, np.newaxis] - mean)[0, 0])))
    if error <= 0:
        return 1.0
    t = float(mean[0]) / error
    if known in (0, 1):
        return float(scipy.special.stdtr(sample.degrees, t if known else -t))
    return float(2 * scipy.special.stdtr(sample.degrees, -abs(t)))


def randomised_arm(randomised: AnalysisColumn, direct: AnalysisColumn) -> AnalysisColumn:
    """The randomised column without the reports of those who answered in the direct arm.

    Both columns are of the same responses. The reports of the direct arm say "not asked", and their
    noise would lengthen the interval.

    Raises UnanswerableQuestion if people are certainly in both arms. It also does so if the
    estimated share is so large that chance alone would produce it in one of 1,000 surveys.

    Notes
    -----
    "Not asked" goes through the randomizer, so nobody can know it of one respondent.
    """
    if not randomised.private:
        raise UnanswerableQuestion(
            "“%(question)s” is a non-private question. Choose the randomised question.",
            question=randomised.label,
        )
    if direct.private:
        raise UnanswerableQuestion(
            "“%(question)s” is randomised. Choose a non-private question for the direct arm.",
            question=direct.label,
        )
    among = among_listed(randomised), among_listed(direct)
    asked = direct.reported & randomised.reported
    listed = asked.copy()
    listed[asked] &= among[1][direct.reports[asked]] > 0
    if not listed.any():
        return randomised
    labels = {"question": randomised.label, "direct": direct.label}
    if not randomised.special_answers:
        raise UnanswerableQuestion(
            "People who answered “%(question)s” and were also asked “%(direct)s”: %(n)s. The "
            "arms must consist of different people, assigned at random.",
            n=int(listed.sum()),
            **labels,
        )
    scores = among[0][randomised.reports[listed]]
    both = float(scores.mean())
    error = math.sqrt(float(scores.var(ddof=1)) / len(scores)) if len(scores) > 1 else math.inf
    if both > RARELY * error:
        raise UnanswerableQuestion(
            "An estimated %(share)s of the people who were asked “%(direct)s” also answered "
            "“%(question)s”. The arms must consist of different people, assigned at random.",
            share=translate_number(percent(min(both, 1.0))),
            **labels,
        )
    return replace(randomised, reports=np.where(listed, MISSING, randomised.reports))


def contrast_with_direct(
    randomised: AnalysisColumn,
    direct: AnalysisColumn,
    place: int = 0,
    direct_place: int = 0,
    level: float = 0.95,
    design: SurveyDesign | None = None,
) -> Contrast:
    """Compare one question, randomised for some respondents and asked directly of others.

    Parameters
    ----------
    randomised, direct : of different respondents, assigned at random to the arms
        (`randomised_arm` checks this for columns of the same responses)
    design : weights and strata of them all; arms of the same clusters depend on each other

    Raises UnanswerableQuestion if an arm has no responses, and with clusters.

    Notes
    -----
    The arms are like two surveys with different respondents (survey/analysis/changes/).
    """
    if design is not None and design.clusters is not None:
        raise UnanswerableQuestion(
            "Arms in the same clusters depend on each other, which this comparison ignores. "
            "Remove the clusters, or compare groups instead."
        )
    arms, sizes = [], []
    for column, answer in ((randomised, place), (direct, direct_place)):
        measure = measure_of(column, answer)
        arms.append(wave_of(column.label, measure, design or SurveyDesign(), level))
        sample = complete_case_sample([column], design)
        sizes.append(round(float(sample.counts @ measure.among[sample.reports[:, 0]])))
    difference, p = contrast(arms, (1, -1), DIFFERENT, level)
    one, other = (arm.figure for arm in arms)
    return Contrast(
        randomised=one, direct=other, difference=difference, p=p, n=(sizes[0], sizes[1])
    )
