"""Means of answers behind scrambled reports, which were collected elsewhere.

A scrambled report is the answer with a known probability, and otherwise answer x factor + addition,
with random numbers whose means are known. So its mean is slope x (mean of the answers) + shift. The
designs of Eriksson (Int. Stat. Rev. 41 (1973) 101), Eichhorn & Hayre (J. Stat. Plan. Inference 7
(1983) 307), Bar-Lev, Bobovitch & Boukai (Metrika 60 (2004) 255), Saha (Metron 65 (2007) 59), and
Diana & Perri (J. Appl. Stat. 37 (2010) 1875) are of this form.
"""

import math
from dataclasses import dataclass, replace

import numpy as np

from survey.analysis.columns.sample_means import complete_case_sample
from survey.analysis.columns.variables import MISSING, AnalysisColumn, SurveyDesign
from survey.analysis.design_estimates import DesignEstimate
from survey.analysis.groups.figures import STUDENT, IntervalEstimate
from survey.analysis.groups.measures import measure_of
from survey.core.errors import UnanswerableQuestion
from survey.core.translate import translate
from survey.estimation.mean_intervals import student_quantile


@dataclass(frozen=True)
class Scrambling:
    """How reports were scrambled. The random numbers must not depend on the answer.

    Attributes
    ----------
    p_truth : float
        The probability that the report is the answer.
    factor_mean, addition_mean : float
        The means of the random numbers in the other reports, answer x factor + addition.
    """

    p_truth: float
    factor_mean: float
    addition_mean: float

    @property
    def slope(self) -> float:
        """By how much the mean of the reports grows with that of the answers."""
        return self.p_truth + (1 - self.p_truth) * self.factor_mean

    @property
    def shift(self) -> float:
        """The mean of the reports of people whose answer is 0."""
        return (1 - self.p_truth) * self.addition_mean


def mean_behind_reports(
    column: AnalysisColumn, scrambling: Scrambling, design: SurveyDesign, level: float = 0.95
) -> DesignEstimate:
    """The mean of the answers of everyone who reported a number, with Student's interval.

    (report - shift) / slope is an unbiased score of the answer, so its variance between people has
    the randomisation in it. Nothing is known about the range of the answers, so no end is cut. The
    randomisation part of the variance alone is unknown, so sizes of populations have no effect.

    Raises
    ------
    UnanswerableQuestion
        If the column is not a non-private number, if the mean of the reports does not depend on the
        answers, or if all reports are the same. Also as `complete_case_sample`.
    """
    if column.private or column.values is None:
        raise UnanswerableQuestion(
            "“%(question)s” is not a non-private number. Import scrambled reports as a number "
            "that is not private.",
            question=column.label,
        )
    if math.isclose(scrambling.slope, 0, abs_tol=1e-12):
        raise UnanswerableQuestion(
            "With this design, the mean of the reports on “%(question)s” does not depend on "
            "the answers. Correct p_truth or factor_mean.",
            question=column.label,
        )
    numbers = np.where(column.reports < column.listed, column.reports, MISSING)
    sample = complete_case_sample(
        (replace(column, reports=numbers),), replace(design, populations=None)
    )
    if np.count_nonzero(sample.counts) == 1:
        raise UnanswerableQuestion(
            "All reports on “%(question)s” are the same, so they do not show how precise their "
            "mean is.",
            question=column.label,
        )
    scores = (np.nan_to_num(column.values) - scrambling.shift) / scrambling.slope
    of_reports = scores[sample.reports]
    value = float(sample.mean(of_reports)[0])
    error = math.sqrt(float(sample.covariance(of_reports - value)[0, 0]))
    half = student_quantile(sample.student_degrees, level) * error
    figure = IntervalEstimate(
        value=value, standard_error=error, low=value - half, high=value + half, method=STUDENT
    )
    measure = replace(measure_of(column), words=translate("mean of the answers"))
    return DesignEstimate(measure=measure, n=sample.n, figure=figure)
