"""Whether randomising is worth it: its sampling error, compared with denial to a direct question.

People who would rather not admit something deny it when they are asked directly, so the estimate of
a direct question is biased. The estimate of a randomised question has no such bias if everyone
follows the instructions, but a larger variance.
"""

import math
from contextlib import suppress
from dataclasses import dataclass

from survey.core.errors import UnanswerableQuestion
from survey.core.translate import later
from survey.definition.questions import Question
from survey.definition.survey import Survey
from survey.planning.arms import share_in_arms
from survey.planning.precision import ExpectedPrecision, share_who_report
from survey.planning.types import PLANNING

# The true share that a plan assumes if the researcher assumes none.
DEFAULT_SHARE = 0.2


@dataclass(frozen=True, kw_only=True)
class DenialStudy:
    """A study that compared answers with records or tests.

    Attributes
    ----------
    denied : the share of those concerned who denied it, from 0 to 1
    link : where the study is, without "https://"
    """

    asked: str
    denied: float
    how: str
    source: str
    link: str


# Each share is in the abstract of its source, or is 1 minus the share there.
DENIAL_STUDIES = (
    DenialStudy(
        asked=later("Abortion; women on welfare in New Jersey"),
        denied=0.71,
        how=later("interview, compared with insurance records"),
        source="Jagannathan 2001, American Journal of Public Health 91, 1825",
        link="doi.org/10.2105/ajph.91.11.1825",
    ),
    DenialStudy(
        asked=later("Abortion; women in the United States, 1991 to 1994"),
        denied=0.55,
        how=later("interview, compared with national counts"),
        source="Fu et al. 1998, Family Planning Perspectives 30, 128",
        link="www.guttmacher.org/pubs/journals/3012898.html",
    ),
    DenialStudy(
        asked=later("Abortion; the same women"),
        denied=0.48,
        how=later("self-completed, compared with national counts"),
        source="Fu et al. 1998, Family Planning Perspectives 30, 128",
        link="www.guttmacher.org/pubs/journals/3012898.html",
    ),
    DenialStudy(
        asked=later("Abortion; women in the United States, 1997 to 2001"),
        denied=0.53,
        how=later("interview, compared with national counts"),
        source="Jones and Kost 2007, Studies in Family Planning 38",
        link="doi.org/10.1111/j.1728-4465.2007.00130.x",
    ),
    DenialStudy(
        asked=later("Smoking; pupils aged 16 in Malaysia"),
        denied=0.324,
        how=later("self-report, compared with urine tests"),
        source=(
            "Ab Manan et al. 2020, International Journal of Pediatrics and Adolescent Medicine "
            "7, 78"
        ),
        link="doi.org/10.1016/j.ijpam.2019.08.001",
    ),
    DenialStudy(
        asked=later("Smoking on the day before; pregnant women"),
        denied=0.15,
        how=later("interview, compared with urine tests"),
        source="Triche et al. 2006, Epidemiology 17 (supplement)",
        link="journals.lww.com/epidem/Fulltext/2006/11001/"
        "Comparison_between_Self_Report_and_Biochemical.16.aspx",
    ),
)
MAX_PUBLISHED_DENIAL = max(study.denied for study in DENIAL_STUDIES)


@dataclass(frozen=True)
class BreakEven:
    """The denial from which randomising has the smaller error.

    Attributes
    ----------
    share : the assumed true share of the answer
    denied : the share of those concerned above which randomising pays; None if a direct question
        has the smaller error even if all of them deny it
    """

    question: Question
    n: int
    share: float
    denied: float | None

    def pays_at(self, denied: float) -> bool:
        """Whether randomising has the smaller error if this share of those concerned denies it."""
        return self.denied is not None and denied > self.denied


def break_even(
    question: Question, survey: Survey, n: int, share: float | None = None
) -> BreakEven | None:
    """The denial from which randomising a question has the smaller mean squared error.

    Parameters
    ----------
    n : int, at least 1
        The number of respondents, of either question. Only those in an experimental arm that asks
        the question answer it.
    share : float in [0, 1], optional
        The assumed true share of the answer that people deny: DEFAULT_SHARE by default. All other
        respondents are spread evenly over the other answers.

    Returns
    -------
    BreakEven, or None
        For a yes/no question, people deny its first answer; for other questions, the answer whose
        share is least precise. None for a question without such shares, such as a number, or
        with the goal "mean", and for a joint question.
    """
    share = DEFAULT_SHARE if share is None else share
    precision = denied_precision(question, survey, share)
    if precision is None:
        return None
    # Those in the arms that ask the question could be asked directly, too.
    in_arms = float(share_in_arms(question, survey))
    variance = precision.variance / (precision.reported / in_arms)
    return BreakEven(question, n, share, break_even_denial(variance, max(1, n * in_arms), share))


def denied_precision(question: Question, survey: Survey, share: float) -> ExpectedPrecision | None:
    """The precision of the answer that people deny, or None without such an answer."""
    if question.non_private or (question.privacy or {}).get("goal") == "mean":
        return None
    # The table of other mechanisms, too, may determine only a mean.
    with suppress(UnanswerableQuestion):
        return PLANNING[question].denied_precision(share, share_who_report(question, survey))
    return None


def break_even_denial(variance: float, n: float, share: float) -> float | None:
    """The share of denial at which both questions have the same mean squared error.

    Parameters
    ----------
    variance : n times the variance of the randomised estimate; at least share (1 - share)
    n : the number of respondents, or the expected number; at least 1
    share : the true share, from 0 to 1

    Returns
    -------
    float in [0, 1), or None if the direct question has the smaller error for any denial.

    Notes
    -----
    If d of those concerned deny it, the direct question estimates pi (1 - d). Its mean squared
    error is (pi d)^2 + pi (1 - d) (1 - pi (1 - d)) / n. The result is the d at which this is
    variance / n: the positive root of a quadratic equation.
    """
    square = share**2 * (1 - 1 / n)
    linear = share * (2 * share - 1) / n
    # It is negative or 0, because randomising never reduces the variance.
    constant = min(share * (1 - share) - variance, 0.0) / n
    if constant == 0:
        return 0.0
    denominator = linear + math.sqrt(linear**2 - 4 * square * constant)
    if denominator <= 0:
        return None
    denied = -2 * constant / denominator
    return denied if denied < 1 else None
