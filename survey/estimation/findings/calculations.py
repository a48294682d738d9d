"""How an estimate follows from the reports, in one line for a page and for a terminal.

A reader can check the estimate with the line. It states the share of the reports, the formula with
its numbers or the scores, and how large the standard error is. There is no line where one of them
would be false: without reports, for weighted results, for answers that are stored as given, and if
the reports contradict the design.
"""

from dataclasses import dataclass
from decimal import ROUND_CEILING, Context, Decimal
from fractions import Fraction
from typing import TYPE_CHECKING

from survey.core.translate import join_sentences, translate, translate_number
from survey.estimation.number_text import error_points, in_points, number, percent
from survey.estimation.share_estimates import gamma_of
from survey.estimation.types import ESTIMATION

if TYPE_CHECKING:
    from survey.estimation.results import AnswerResults, QuantityResults, QuestionResults

# Significant digits of a variance bound and of its square root. Both are rounded up.
VARIANCE_DIGITS = 4
ERROR_DIGITS = 3
# The square root is calculated with these digits before it is rounded up.
EXACT_DIGITS = 40
SCORE_DIGITS = 4
# Scores of "gave a value" differ from 1 by less than this if there are no special answers.
NO_SPECIAL_ANSWERS = 1e-9


@dataclass(frozen=True)
class VarianceBound:
    """The bound 1 / (16 γ² n) of the variance of a share, for every true share.

    `gamma` is above 0 and at most 1/2, and `n` is at least 1.
    """

    gamma: Fraction
    n: int

    @property
    def variance(self) -> Fraction:
        return 1 / (16 * self.gamma**2 * self.n)

    @property
    def variance_text(self) -> str:
        """The bound with four significant digits, rounded up, so that it stays a bound."""
        return rounded_up(as_decimal(self.variance), VARIANCE_DIGITS)

    @property
    def error_text(self) -> str:
        """Its square root in percentage points with three significant digits, rounded up."""
        root = as_decimal(self.variance).sqrt(Context(EXACT_DIGITS))
        return in_points(rounded_up(100 * root, ERROR_DIGITS))


@dataclass(frozen=True, kw_only=True)
class Calculation:
    """How an estimate follows from the reports.

    Attributes
    ----------
    answer : the answer whose share is calculated; None for a mean
    reports : the sentence on the share of the reports; "" if no share of reports is enough
    estimate : the sentence on the estimate: a formula with its numbers, or the scores
    bound : for a question with exactly two answers and a symmetric table, its variance bound, which
        stands in place of the standard error; else None
    error : the estimated standard error as text, or "" if it is not known
    """

    answer: "AnswerResults | None"
    reports: str
    estimate: str
    bound: VarianceBound | None = None
    error: str = ""

    @property
    def sentence(self) -> str:
        """The whole line, in the language of the page."""
        return join_sentences(*filter(None, (self.reports, self.estimate, self.precision)))

    @property
    def precision(self) -> str:
        """The sentence on the standard error; "" if it is not known.

        The bound is about the true standard error. An estimated one divides by n − 1 instead of n,
        and may be slightly larger.
        """
        if self.bound is not None:
            return translate(
                "The variance is at most %(formula)s = %(variance)s for any true share, so the "
                "true standard error is at most %(error)s.",
                formula="1/(16γ²n)",
                variance=translate_number(self.bound.variance_text),
                error=self.bound.error_text,
            )
        return translate("Standard error: %(error)s.", error=self.error) if self.error else ""


def calculation_line(result: "QuestionResults") -> Calculation | None:
    """How the main estimate of a private question follows from its reports.

    None if there is no estimate, no randomizer or no such line (see the module's docstring), and
    for a median, which has no scores.
    """
    question = result.question
    if question.non_private or not result.n or result.unusable:
        return None
    return ESTIMATION[question].calculation(result)


def calculation_of_share(result: "QuestionResults") -> Calculation | None:
    """How a share follows from the reports; of a table that tells no shares, the mean."""
    question = result.question
    if not result.answers:
        return None if result.lead is None else calculation_of_mean(result, result.lead)
    alone = len(result.answers) == 2 and ESTIMATION[question].shares_add_up
    if alone and question.table is not None:
        gamma = gamma_of(question.table)
        first = result.answers[0]
        if gamma is not None and gamma > 0 and first.variance_bound is not None:
            return calculation_by_gamma(first, VarianceBound(gamma, first.n))
    return calculation_by_scores(result, told_answer(result))


def told_answer(result: "QuestionResults") -> "AnswerResults":
    """The answer that the line is about: that of the headline, or else the first one."""
    named = {answer.choice.name for answer in result.headline.answers[:1]}
    return next((a for a in result.answers if a.choice.name in named), result.answers[0])


def calculation_by_gamma(answer: "AnswerResults", bound: VarianceBound) -> Calculation:
    """The share of one of two answers, whose formula `answer.formula` is exact."""
    reported = answer.observed or 0.0
    return Calculation(
        answer=answer,
        reports=translate(
            "Reports “%(answer)s”: P = %(count)s/%(n)s = %(share)s.",
            answer=answer.choice.label,
            count=str(round(reported * answer.n)),
            n=str(answer.n),
            share=translate_number(percent(reported)),
        ),
        estimate=translate(
            "Estimate: %(formula)s = %(numbers)s = %(value)s.",
            formula=answer.formula.letters,
            numbers=translate_number(answer.formula.numbers),
            value=translate_number(answer.shown),
        ),
        bound=bound,
    )


def calculation_by_scores(result: "QuestionResults", answer: "AnswerResults") -> Calculation | None:
    """The share of an answer as a mean score; None for weighted results, which have no scores."""
    if answer.scores is None:
        return None
    low, high = (score_text(score) for score in answer.scores)
    facts = {"answer": answer.choice.label, "low": low, "high": high}
    if answer.observed is None:
        reports, scores = (
            "",
            translate(
                "The scores of the reports for the share of “%(answer)s” are from %(low)s to "
                "%(high)s.",
                **facts,
            ),
        )
    else:
        reports = translate(
            "Reports “%(answer)s”: %(count)s/%(n)s = %(share)s.",
            answer=answer.choice.label,
            count=str(round(answer.observed * answer.n)),
            n=str(answer.n),
            share=translate_number(percent(answer.observed)),
        )
        scores = translate(
            "Such a report has the score %(high)s, and every other one %(low)s.", **facts
        )
    value = {"value": translate_number(answer.shown)}
    mean = (
        translate("The mean score is the estimated share of all respondents, %(value)s.", **value)
        if result.conditional
        else translate("The mean score is the estimate, %(value)s.", **value)
    )
    error = answer.shown_error
    text = "" if error is None else error_points(error)
    return Calculation(
        answer=answer,
        reports=reports,
        estimate=join_sentences(scores, mean),
        bound=None,
        error=text,
    )


def calculation_of_mean(
    result: "QuestionResults", quantity: "QuantityResults"
) -> Calculation | None:
    """A mean as a mean score, or as the ratio of two; None if its reports have no scores."""
    ratio = quantity.ratio
    if ratio is None or quantity.cannot_tell:
        return None
    above, below = zip(*ratio.scores, strict=True)
    facts = {
        "label": quantity.label,
        "low": score_text(min(above)),
        "high": score_text(max(above)),
        "value": f"{translate_number(quantity.shown)} {unit_of(result, quantity)}".strip(),
    }
    if max(abs(score - 1) for score in below) < NO_SPECIAL_ANSWERS:
        estimate = translate(
            "The scores of the reports are from %(low)s to %(high)s. %(label)s: the mean score, "
            "%(value)s.",
            **facts,
        )
    else:
        estimate = translate(
            "The scores of the reports are from %(low)s to %(high)s, and for “gave a value” from "
            "%(least)s to %(most)s. %(label)s: the ratio of the two mean scores, %(above)s / "
            "%(below)s = %(value)s.",
            least=score_text(min(below)),
            most=score_text(max(below)),
            above=score_text(ratio.above),
            below=score_text(ratio.below),
            **facts,
        )
    error = quantity.shown_error
    if error is None:
        return Calculation(answer=None, reports="", estimate=estimate)
    return Calculation(
        answer=None,
        reports="",
        estimate=estimate,
        bound=None,
        error=error_of_mean(result, quantity, error),
    )


def error_of_mean(result: "QuestionResults", quantity: "QuantityResults", error: float) -> str:
    """The standard error of a quantity with its unit, in the language of the page."""
    if quantity.is_share:
        return error_points(error)
    return f"{translate_number(quantity.error_text)} {unit_of(result, quantity)}".strip()


def unit_of(result: "QuestionResults", quantity: "QuantityResults") -> str:
    """The unit of a quantity; "" for a share and for a scale."""
    grid = result.question.grid
    return "" if grid is None or quantity.is_share else grid.unit


def score_text(score: float) -> str:
    """A score with four significant digits, in the language of the page."""
    shown = float(f"{score:.{SCORE_DIGITS}g}")
    return translate_number(number(shown + 0.0))


def as_decimal(value: Fraction) -> Decimal:
    """A fraction as a decimal number with 40 significant digits, rounded up."""
    context = Context(EXACT_DIGITS, rounding=ROUND_CEILING)
    return context.divide(Decimal(value.numerator), Decimal(value.denominator))


def rounded_up(value: Decimal, digits: int) -> str:
    """A positive number with significant digits, rounded up, and without zeros at the end."""
    rounded = Context(digits, rounding=ROUND_CEILING).plus(value).normalize()
    return f"{rounded:f}"
