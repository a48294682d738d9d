"""Results: what the researcher's page, the CSV and the command line all show, computed once.

Every number comes with its uncertainty and its formula, unclipped. Nothing here is private any
more than the reports are: it is post-processing of them, and costs no privacy.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction
from typing import Any

import numpy as np

from .definition import FrozenSurvey, finite
from .estimates import (
    SharesEstimate,
    estimate_shares,
    gamma_of,
    variance_at_observed,
    variance_bound,
)
from .questions import Choice, Question
from .scores import Array, Support, support_of, unbiased_scores

ORIGINS = {
    "browser": "answered in browsers",
    "loaded": "loaded from a file",
    "simulated": "simulated",
}
SLACK = 1e-9  # how far outside [0, 1] an estimate is before it is called so


@dataclass(frozen=True)
class Formula:
    """How an estimate follows from the reports: in letters, then with the numbers filled in."""

    letters: str
    numbers: str


@dataclass(frozen=True)
class AnswerResults:
    """One answer of a question: the share of reports that speak for it, and what it was made of.

    `observed` is None where no set of reports speaks for this answer alone.
    """

    choice: Choice
    observed: float | None
    value: float
    standard_error: float | None
    low: float
    high: float
    method: str
    most_likely: float
    formula: Formula
    variance_bound: float | None
    variance_at_observed: float | None

    @property
    def outside(self) -> bool:
        """Whether the unclipped estimate is no possible share."""
        return not -SLACK <= self.value <= 1 + SLACK


@dataclass(frozen=True)
class QuestionResults:
    """Everything about one question; `answers` is empty while there are no responses."""

    question: Question
    n: int
    counts: tuple[int, ...]
    level: float
    answers: tuple[AnswerResults, ...]
    covariance: tuple[tuple[float, ...], ...] | None

    @property
    def epsilon(self) -> float:
        return self.question.table.epsilon

    @property
    def count_by_report(self) -> dict[str, int]:
        names = (report.name for report in self.question.reports)
        return dict(zip(names, self.counts, strict=True))

    @property
    def sentence(self) -> str:
        """What a newspaper could print; it claims no order that the data do not show."""
        if not self.answers:
            return "No responses yet."
        answer = self.answers[0]
        if self.question.type != "yes_no":
            answer = max(self.answers, key=lambda a: a.value)
        label = f"“{answer.choice.label}”"
        between = (
            f"with {100 * self.level:g} % confidence between {percent(answer.low)} and "
            f"{percent(answer.high)}."
        )
        if answer.outside:
            return (
                f"The estimate for {label} is {percent(answer.value)}, which no share can be; "
                f"the true share lies {between}"
            )
        lead = "For" if self.question.type == "yes_no" else "The largest estimate: for"
        return (
            f"{lead} an estimated {percent(answer.value)} of people like these "
            f"respondents, the true answer is {label}; {between}"
        )

    @property
    def explanations(self) -> tuple[str, ...]:
        """A sentence for each estimate that is no possible share; of two answers, for the first,
        since the other one is its mirror image."""
        return tuple(
            f"The estimate for “{answer.choice.label}” is "
            f"{'below 0 %' if answer.value < 0 else 'above 100 %'}. That is chance, not a "
            "mistake: undoing the randomness keeps estimates right on average, and a true share "
            f"near {0 if answer.value < 0 else 100} % then lands outside now and then. It is "
            "shown as it came out, since cutting it off would bias every average made from it; "
            f"read the interval, {percent(answer.low)} to {percent(answer.high)}."
            for answer in (self.answers[:1] if len(self.answers) == 2 else self.answers)
            if answer.outside
        )


@dataclass(frozen=True)
class Results:
    """All questions of a survey; `origin` is a key of ORIGINS."""

    frozen: FrozenSurvey
    origin: str
    n: int
    questions: tuple[QuestionResults, ...]


def percent(share: float) -> str:
    """A share as text with one decimal place and a true minus sign."""
    return f"{round(100 * share, 1) + 0.0:.1f} %".replace("-", "−")


def number(value: float) -> str:
    """A number as text, to six significant digits and with a true minus sign."""
    return f"{value:.6g}".replace("-", "−")


def formula_of(
    question: Question, support: Support | None, scores: Array, counts: Sequence[int]
) -> Formula:
    """The formula that this question's table comes to, the simplest that fits; its numbers are
    the exact fractions, so that anyone can check it."""
    n = sum(counts)
    if support is None:
        terms = (f"{number(s)} × {c}/{n}" for s, c in zip(scores, counts, strict=True))
        return Formula("Σ score × share of each report", " + ".join(terms))
    share = f"{support.count(counts)}/{n}"
    gamma = gamma_of(question.table)
    if question.plain:
        return Formula("P", share)
    if gamma == Fraction(1, 4):
        return Formula("2P − 1/2", f"2 × {share} − 1/2")
    if gamma is not None and gamma > 0:
        return Formula("(P − 1/2 + γ) / (2γ)", f"({share} − 1/2 + {gamma}) / (2 × {gamma})")
    p, q = support.p, support.q
    return Formula("(P − q) / (p − q)", f"({share} − {q}) / ({p} − {q})")


def question_results(
    question: Question, counts: Sequence[int], level: float = 0.95
) -> QuestionResults:
    """Results of one question from how often each report came."""
    n = sum(counts)
    if n == 0:
        return QuestionResults(question, 0, tuple(counts), level, (), None)
    table = question.table
    estimate: SharesEstimate = estimate_shares(table, counts, level)
    scores = unbiased_scores(table, np.eye(table.answers))
    answers = []
    for index, (choice, share) in enumerate(zip(question.choices, estimate.shares, strict=True)):
        support = support_of(table, scores[:, index], index)
        observed = None if support is None else support.count(counts) / n
        private = observed is not None and not question.plain
        answers.append(
            AnswerResults(
                choice=choice,
                observed=observed,
                value=share.value,
                standard_error=share.standard_error,
                low=share.interval.low,
                high=share.interval.high,
                method=share.interval.method,
                most_likely=share.most_likely,
                formula=formula_of(question, support, scores[:, index], counts),
                variance_bound=variance_bound(table, n) if private else None,
                variance_at_observed=(
                    variance_at_observed(table, observed, n)
                    if private and observed is not None
                    else None
                ),
            )
        )
    return QuestionResults(question, n, tuple(counts), level, tuple(answers), estimate.covariance)


def survey_results(
    frozen: FrozenSurvey, counts: Mapping[str, Sequence[int]], origin: str
) -> Results:
    """Results of every question.

    Parameters
    ----------
    frozen : FrozenSurvey
    counts : mapping from question name to how often each report came
    origin : key of ORIGINS
    """
    questions = tuple(question_results(q, counts[q.name]) for q in frozen.survey.questions)
    return Results(frozen, origin, max(q.n for q in questions), questions)


def as_json(results: Results) -> dict[str, Any]:
    """The results as JSON can hold them, at full precision; infinite epsilon becomes null."""
    return {
        "survey": results.frozen.survey.slug,
        "fingerprint": results.frozen.fingerprint,
        "origin": results.origin,
        "n": results.n,
        "epsilon": finite(results.frozen.survey.epsilon),
        "questions": [
            {
                "name": question.question.name,
                "type": question.question.type,
                "mechanism": question.question.mechanism,
                "epsilon": finite(question.epsilon),
                "n": question.n,
                "reports": question.count_by_report,
                "answers": [
                    {
                        "name": answer.choice.name,
                        "observed": answer.observed,
                        "estimate": answer.value,
                        "standard_error": answer.standard_error,
                        "interval": [answer.low, answer.high],
                        "level": question.level,
                        "method": answer.method,
                        "most_likely": answer.most_likely,
                        "formula": answer.formula.letters,
                        "variance_bound": answer.variance_bound,
                        "variance_at_observed": answer.variance_at_observed,
                    }
                    for answer in question.answers
                ],
                "covariance": question.covariance,
            }
            for question in results.questions
        ],
    }
