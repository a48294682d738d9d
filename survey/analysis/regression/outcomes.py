"""Outcomes of a regression: which models suit them, and how their answers enter."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from survey.analysis.columns.reported_variable import ReportedVariable
from survey.analysis.columns.variables import AnalysisColumn
from survey.analysis.regression.formula import CONSTANT, quote_labels
from survey.analysis.regression.links import (
    Cauchit,
    ComplementaryLogLog,
    Link,
    LinkedAnswers,
    Probit,
)
from survey.analysis.regression.models import Array, Model, Multinomial, Ordered
from survey.analysis.regression.predictors import (
    nobody_answered,
    reference_of,
)
from survey.core.errors import UnanswerableQuestion
from survey.core.translate import join_sentences, translate
from survey.estimation.findings.remarks import SPECIAL_ANSWERS, Remark

LOGISTIC = "logistic"
MULTINOMIAL = "multinomial"
ORDERED = "ordered"
LINEAR = "linear"
PROBIT = "probit"
CLOGLOG = "cloglog"
CAUCHIT = "cauchit"
# Models of two answers whose coefficients are not log odds ratios.
LINKS: Mapping[str, Link] = {
    PROBIT: Probit(),
    CLOGLOG: ComplementaryLogLog(),
    CAUCHIT: Cauchit(),
}
MODELS = (LOGISTIC, *LINKS, MULTINOMIAL, ORDERED, LINEAR)
# The models whose coefficients are log odds ratios.
LOGITS = (LOGISTIC, MULTINOMIAL, ORDERED)
# The limit for outcomes without a mean.
MAX_OUTCOME_ANSWERS = 20


@dataclass(frozen=True, kw_only=True)
class Outcome:
    """An outcome as a model has it.

    `reported` has the reports of the respondents in the regression, and `answers` the labels of the
    model's answers. `compared_with` is the reference: logits compare with it, and other
    links describe the other answer. It is None if the model has no reference. `special` is the
    number of special answers, which are the last.
    """

    model: Model
    reported: ReportedVariable
    answers: tuple[str, ...]
    compared_with: str | None
    remarks: tuple[Remark, ...] = ()
    special: int = 0

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
    numbers. It is also linear for a scale whose reports do not suit the ordered model.
    """
    if outcome.values is not None and not has_shares(outcome):
        return LINEAR
    if outcome.listed == 2:
        return LOGISTIC
    if outcome.values is None:
        return MULTINOMIAL
    steps = np.arange(1.0, outcome.listed + 1)
    is_scale = np.array_equal(outcome.values[: outcome.listed], steps)
    # Nobody knows who gave a special answer, which has no place in the order.
    hidden = outcome.private and outcome.special_answers > 0
    return ORDERED if is_scale and not hidden and has_few_answers(outcome) else LINEAR


def has_shares(outcome: AnalysisColumn) -> bool:
    """Whether the reports allow an estimate of the share of each answer."""
    return outcome.tabled and outcome.scores is not None


def has_few_answers(outcome: AnalysisColumn) -> bool:
    return len(outcome.answers) <= MAX_OUTCOME_ANSWERS


def outcome_of_rows(outcome: AnalysisColumn, model: str, rows: npt.NDArray[np.bool_]) -> Outcome:
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
    remarks: list[Remark] = []
    if not outcome.private:
        kept = np.bincount(codes, minlength=len(answers)) > 0
        if kept.sum() < 2:
            raise UnanswerableQuestion(
                "All respondents (%(n)s) answered “%(answer)s” to “%(question)s”, so there is "
                "nothing to explain.",
                n=len(codes),
                answer=answers[int(codes[0])],
                question=outcome.label,
            )
        missing = [a for a, some in zip(answers[: outcome.listed], kept, strict=False) if not some]
        if missing:
            remarks.append(nobody_answered(missing, outcome))
        codes, chances = (np.cumsum(kept) - 1)[codes], np.eye(int(kept.sum()))
        answers = tuple(a for a, some in zip(answers, kept, strict=True) if some)
    elif outcome.special_answers:
        remarks.append(
            Remark(
                SPECIAL_ANSWERS,
                translate(
                    "The reports do not show who answered %(answers)s, so the model includes "
                    "these special answers. The coefficients of all other answers describe only "
                    "respondents who gave no special answer.",
                    answers=quote_labels(answers[outcome.listed :]),
                ),
            )
        )
    reported = ReportedVariable(chances, codes, outcome.designs)
    if model == ORDERED:
        return Outcome(
            model=Ordered(len(answers)),
            reported=reported,
            answers=answers,
            compared_with=None,
            remarks=tuple(remarks),
        )
    reference = reference_of(outcome)
    reference = int(np.sum(kept[:reference])) if kept[reference] else 0
    of_answers = (
        LinkedAnswers(reference=reference, link=LINKS[model])
        if model in LINKS
        else Multinomial(len(answers), reference)
    )
    special = outcome.special_answers if outcome.private else 0
    return Outcome(
        model=of_answers,
        reported=reported,
        answers=answers,
        compared_with=answers[reference],
        remarks=tuple(remarks),
        special=special,
    )


def check_shares(outcome: AnalysisColumn, model: str) -> None:
    if not has_shares(outcome):
        instead = translate("Choose the linear model.") if outcome.value_scores is not None else ""
        fault = join_sentences(
            translate(
                "The reports on “%(question)s” do not allow an estimate of the share of each "
                "answer.",
                question=outcome.label,
            ),
            instead,
        )
        raise UnanswerableQuestion(fault)
    if model in (LOGISTIC, *LINKS) and outcome.listed != 2:
        raise UnanswerableQuestion(
            "“%(question)s” has %(n)s answers. The model %(model)s needs two.",
            question=outcome.label,
            n=outcome.listed,
            model=model,
        )
    if model in LINKS and outcome.private and outcome.special_answers:
        raise UnanswerableQuestion(
            "The reports on “%(question)s” do not show who answered %(answers)s. The model "
            "%(model)s has no place for such answers. Choose the logistic model.",
            answers=quote_labels(outcome.answers[outcome.listed :]),
            question=outcome.label,
            model=model,
        )
    if model == ORDERED and not outcome.ordered:
        raise UnanswerableQuestion(
            "The answers to “%(question)s” have no order. Choose another model.",
            question=outcome.label,
        )
    if model == ORDERED and outcome.private and outcome.special_answers:
        raise UnanswerableQuestion(
            "%(answers)s has no place in the order of the answers to “%(question)s”. Choose "
            "the multinomial or the linear model.",
            answers=quote_labels(outcome.answers[outcome.listed :]),
            question=outcome.label,
        )
    if not has_few_answers(outcome):
        raise UnanswerableQuestion(
            "“%(question)s” has %(n)s answers, more than %(maximum)s. Choose the linear model.",
            question=outcome.label,
            n=len(outcome.answers),
            maximum=MAX_OUTCOME_ANSWERS,
        )


def linear_outcome(outcome: AnalysisColumn) -> tuple[Array, list[Remark]]:
    """The score of each report for the outcome's value.

    Raises UnanswerableQuestion if answers are not numbers, or reports do not determine their mean.
    """
    if outcome.values is None:
        raise UnanswerableQuestion(
            "The answers to “%(question)s” are not numbers. Choose another model.",
            question=outcome.label,
        )
    if outcome.value_scores is None:
        raise UnanswerableQuestion(
            "The reports on “%(question)s” do not allow an estimate of a mean.",
            question=outcome.label,
        )
    remarks = []
    if outcome.special_answers and outcome.private:
        remarks.append(
            Remark(
                SPECIAL_ANSWERS,
                translate(
                    "The coefficients describe respondents who gave no special answer to "
                    "“%(question)s”.",
                    question=outcome.label,
                ),
            )
        )
    return outcome.value_scores, remarks
