"""Outcomes of a regression: which models suit them, and how their answers enter."""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from survey.analysis.columns.reported_variable import ReportedVariable
from survey.analysis.columns.variables import AnalysisColumn
from survey.analysis.regression.models import Array, Model, Multinomial, Ordered
from survey.analysis.regression.predictors import quote_labels, reference_of
from survey.core.errors import UnanswerableQuestion

LOGISTIC, MULTINOMIAL, ORDERED, LINEAR = "logistic", "multinomial", "ordered", "linear"
MODELS = (LOGISTIC, MULTINOMIAL, ORDERED, LINEAR)
# The limit for outcomes without a mean.
MAX_OUTCOME_ANSWERS = 20
CONSTANT = "constant"


@dataclass(frozen=True)
class Outcome:
    """An outcome as a model has it.

    `reported` has the reports of the respondents in the regression, and `answers` the labels of the
    model's answers. `compared_with` is the answer that logits compare with, or None. `aside` has
    the places of special answers.
    """

    model: Model
    reported: ReportedVariable
    answers: tuple[str, ...]
    compared_with: str | None
    remarks: tuple[str, ...] = ()
    aside: tuple[int, ...] = ()

    def rows(self, names: Sequence[str]) -> list[tuple[str, str]]:
        """Equation and name of each of the model's parameters, in their order."""
        if isinstance(self.model, Multinomial):
            others = [self.answers[k] for k in self.model.others]
            return [(answer, name) for answer in others for name in (CONSTANT, *names)]
        borders = zip(self.answers[:-1], self.answers[1:], strict=True)
        return [
            *(("", f"{low} | {high}") for low, high in borders),
            *(("", name) for name in names),
        ]


def usual_model(outcome: AnalysisColumn) -> str:
    """The default model for an outcome.

    It is logistic for two answers, multinomial for choices, ordered for scales, and linear for
    numbers.
    """
    if outcome.listed == 2:
        return LOGISTIC
    if outcome.values is None:
        return MULTINOMIAL
    steps = np.arange(1.0, outcome.listed + 1)
    return ORDERED if np.array_equal(outcome.values[: outcome.listed], steps) else LINEAR


def modelled(outcome: AnalysisColumn, model: str, rows: npt.NDArray[np.bool_]) -> Outcome:
    """The outcome of the respondents in `rows`, for a model of shares.

    For a non-private outcome, respondents with special answers ("prefer not to say") are omitted.
    For a private outcome nobody knows who they are. Special answers are then further answers of the
    model, with logits against the reference. Statements on the listed answers therefore refer to
    respondents who gave one.

    Raises
    ------
    UnanswerableQuestion
        If the model does not suit the outcome, or if its reports do not determine the shares.
    """
    check_shares(outcome, model)
    codes, chances, answers = outcome.reports[rows], outcome.chances, outcome.answers
    kept = np.ones(len(answers), dtype=bool)
    remarks: list[str] = []
    if not outcome.private:
        kept = np.bincount(codes, minlength=len(answers)) > 0
        if kept.sum() < 2:
            raise UnanswerableQuestion(
                f"All respondents ({len(codes):,}) answered "
                f"{quote_labels([answers[int(codes[0])]])} to "
                f"“{outcome.label}”, so there is nothing to explain."
            )
        missing = [a for a, some in zip(answers[: outcome.listed], kept, strict=False) if not some]
        if missing:
            remarks.append(f"Nobody answered {quote_labels(missing)} to “{outcome.label}”.")
        codes, chances = (np.cumsum(kept) - 1)[codes], np.eye(int(kept.sum()))
        answers = tuple(a for a, some in zip(answers, kept, strict=True) if some)
    elif outcome.extras:
        remarks.append(
            f"The reports do not show who answered {quote_labels(answers[outcome.listed :])}, so "
            "the model includes these answers. The coefficients of the other answers describe "
            "respondents who gave one of them."
        )
    reported = ReportedVariable(chances, codes, outcome.designs)
    if model == ORDERED:
        return Outcome(Ordered(len(answers)), reported, answers, None, tuple(remarks))
    reference = reference_of(outcome)
    reference = int(np.sum(kept[:reference])) if kept[reference] else 0
    return Outcome(
        Multinomial(len(answers), reference),
        reported, answers, answers[reference], tuple(remarks),
        tuple(range(outcome.listed, len(answers))) if outcome.private else (),
    )  # fmt: skip


def check_shares(outcome: AnalysisColumn, model: str) -> None:
    if not outcome.tabled or outcome.scores is None:
        instead = " Choose the linear model." if outcome.value_scores is not None else ""
        raise UnanswerableQuestion(
            f"The reports on “{outcome.label}” do not allow an estimate of the share of each "
            f"answer.{instead}"
        )
    if model == LOGISTIC and outcome.listed != 2:
        raise UnanswerableQuestion(
            f"“{outcome.label}” has {outcome.listed} answers. The logistic model needs two."
        )
    if model == ORDERED and not outcome.ordered:
        raise UnanswerableQuestion(
            f"The answers to “{outcome.label}” have no order. Choose another model."
        )
    if model == ORDERED and outcome.private and outcome.extras:
        raise UnanswerableQuestion(
            f"{quote_labels(outcome.answers[outcome.listed :])} has no place in the order of the "
            f"answers to “{outcome.label}”. Choose the multinomial or the linear model."
        )
    if len(outcome.answers) > MAX_OUTCOME_ANSWERS:
        raise UnanswerableQuestion(
            f"“{outcome.label}” has {len(outcome.answers):,} answers, more than "
            f"{MAX_OUTCOME_ANSWERS}. Choose the linear model."
        )


def linear_outcome(outcome: AnalysisColumn) -> tuple[Array, list[str]]:
    """The score of each report for the outcome's value.

    Raises UnanswerableQuestion if answers are not numbers, or reports do not determine their mean.
    """
    if outcome.values is None:
        raise UnanswerableQuestion(
            f"The answers to “{outcome.label}” are not numbers. Choose another model."
        )
    if outcome.value_scores is None:
        raise UnanswerableQuestion(
            f"The reports on “{outcome.label}” do not allow an estimate of a mean."
        )
    remarks = []
    if outcome.extras and outcome.private:
        remarks.append(
            "The coefficients describe respondents who gave no special answer to "
            f"“{outcome.label}”."
        )
    return outcome.value_scores, remarks
