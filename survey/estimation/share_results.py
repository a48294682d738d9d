"""The results of the shares of answers, from the counts of a table's reports or of bits."""

from collections.abc import Mapping, Sequence
from dataclasses import replace

import numpy as np

from survey.core.errors import UnanswerableQuestion
from survey.core.factored_randomizers import OneHot
from survey.core.randomizer import Randomizer
from survey.core.scores import support_of, unbiased_scores
from survey.core.translate import later, translate
from survey.definition.choices import Choice, names_of, with_unit
from survey.definition.questions import Question
from survey.estimation.asked_shares import asked_results
from survey.estimation.findings.remarks import FILLED_IN, Remark
from survey.estimation.number_text import Formula, formula_of_bit, formula_of_table
from survey.estimation.results import AnswerResults, QuestionResults
from survey.estimation.share_estimates import (
    ShareEstimate,
    SharesEstimate,
    estimate_one_hot,
    estimate_shares,
    variance_at_observed,
    variance_bound,
)
from survey.estimation.types import ESTIMATION

LIKELIEST = later("maximum likelihood")


NEAREST = later("nearest shares that add up to one")


Counts = Mapping[int, int]


def results_of_table(
    question: Question, counts: Counts, level: float, size: int | None
) -> QuestionResults:
    """The results from a table, with the quantities of the question's type.

    A table for a mean need not determine the shares. Then there are only quantities.
    """
    estimation = ESTIMATION[question]
    table = reporting_table(question)
    tally = counts_by_code(counts, table.reports)
    values = tuple(names_of(question.reports if not question.non_private else question.answers))
    if sum(tally) == 0:
        return QuestionResults(
            question=question,
            n=0,
            counts=tuple(tally),
            values=values,
            level=level,
            answers=(),
            covariance=None,
        )
    target = estimation.answers_in_shares()
    quantities = estimation.quantities(table, tally, level, size)
    try:
        family = estimation.compared_shares()
        estimate = estimate_shares(table, tally, level, target, family, size)
    except UnanswerableQuestion:
        notes = (estimation.no_shares_remark(),)
        only_mean = QuestionResults(
            question=question,
            n=sum(tally),
            counts=tuple(tally),
            values=values,
            level=level,
            answers=(),
            covariance=None,
            quantities=quantities,
            notes=notes,
        )
        return with_asked_shares(only_mean, size=size)
    results = QuestionResults(
        question=question,
        n=estimate.n,
        counts=tuple(tally),
        values=values,
        level=level,
        answers=table_answers(question, table, tally, estimate, target, question.answers),
        covariance=estimate.covariance,
        quantities=quantities,
    )
    return with_asked_shares(results, (table, tally, target), size)


def results_of_one_hot(
    question: Question, randomizer: OneHot, counts: Counts, level: float, size: int | None
) -> QuestionResults:
    """Factored reports with one or several bits for each answer."""
    tally, names = counts_by_code(counts, 2 * randomizer.answers), bit_names(question)
    if sum(tally) == 0:
        return QuestionResults(
            question=question,
            n=0,
            counts=tuple(tally),
            values=names,
            level=level,
            answers=(),
            covariance=None,
        )
    estimation = ESTIMATION[question]
    estimate = estimate_one_hot(randomizer, tally, level, estimation.compared_shares(), size)
    n = estimate.n
    answers = []
    p, q = float(randomizer.p), float(randomizer.q)
    for j, choice in enumerate(question.answers):
        formula, bits = formula_of_bit(randomizer, j, tally[2 * j], n), randomizer.sizes[j]
        scores = [(number - bits * q) / (p - q) for number in randomizer.numbers_of(j)]
        observed = tally[2 * j] / n if bits == 1 else None
        answers.append(
            answer_results(
                choice,
                n,
                observed,
                estimate.shares[j],
                formula,
                NEAREST,
                (min(scores), max(scores)),
            )
        )
    quantities = estimation.quantities(randomizer, tally, level, size)
    results = QuestionResults(
        question=question,
        n=n,
        counts=tuple(tally),
        values=names,
        level=level,
        answers=tuple(answers),
        covariance=estimate.covariance,
        quantities=quantities,
    )
    return with_asked_shares(results, size=size)


def table_answers(
    question: Question,
    table: Randomizer,
    tally: Sequence[int],
    estimate: SharesEstimate,
    target: np.ndarray | None,
    meant: Sequence[Choice],
) -> tuple[AnswerResults, ...]:
    """One result for each share, with the simplest formula that its scores allow."""
    wanted = np.eye(table.answers) if target is None else target
    scores = unbiased_scores(table, wanted)
    answers = []
    for column, (choice, share) in enumerate(zip(meant, estimate.shares, strict=True)):
        support = support_of(table, scores[:, column], wanted[:, column] > 0)
        observed = None if support is None else support.count(tally) / estimate.n
        private = observed is not None and not question.non_private
        answers.append(
            answer_results(
                choice,
                estimate.n,
                observed,
                share,
                formula_of_table(question.table, support, scores[:, column], tally),
                LIKELIEST,
                ends_of(scores[:, column]),
                table if private else None,
            )
        )
    return tuple(answers)


def answer_results(
    choice: Choice,
    n: int,
    observed: float | None,
    share: ShareEstimate,
    formula: Formula,
    possible_by: str,
    scores: tuple[float, float],
    table: Randomizer | None = None,
) -> AnswerResults:
    bound = at_observed = None
    if table is not None and observed is not None:
        bound = variance_bound(table, n)
        at_observed = variance_at_observed(table, observed, n)
    return AnswerResults(
        choice=choice,
        n=n,
        observed=observed,
        value=share.value,
        standard_error=share.standard_error,
        low=share.interval.low,
        high=share.interval.high,
        method=share.interval.method,
        possible=share.possible,
        possible_by=possible_by,
        formula=formula,
        variance_bound=bound,
        variance_at_observed=at_observed,
        scores=scores,
        simultaneous=share.simultaneous,
    )


def with_asked_shares(
    results: QuestionResults,
    reports: tuple[Randomizer, Sequence[int], np.ndarray | None] | None = None,
    size: int | None = None,
) -> QuestionResults:
    """The results with the shares among those asked, or with a remark why there are none.

    Parameters
    ----------
    reports : the table, the count of each report, and the answers in each share (see
        `table_answers`); None for reports of bits
    """
    question = results.question
    if not results.conditional:
        if question.otherwise is None:
            return results
        note = Remark(FILLED_IN, filled_in_sentence(question))
        return replace(results, notes=(*results.notes, note))
    scores = None
    if reports is not None and not question.non_private:
        table, tally, target = reports
        wanted = np.eye(table.answers) if target is None else target
        scores = np.asarray(tally, dtype=np.float64), unbiased_scores(table, wanted)
    asked = asked_results(
        question,
        results.answers,
        results.covariance,
        results.n,
        results.level,
        ESTIMATION[question].compared_shares(),
        scores,
        size,
    )
    return replace(results, asked=asked)


def filled_in_sentence(question: Question) -> str:
    """The sentence for a question with a condition and an answer for those who are not asked."""
    if question.grid is not None:
        filled = [with_unit(str(question.otherwise), question.grid)]
    else:
        chosen = (
            question.otherwise if isinstance(question.otherwise, list) else [question.otherwise]
        )
        filled = [f"“{c.label}”" for c in question.choices if c.name in chosen]
    return translate(
        "For respondents who were not asked this question, the survey uses the answer "
        "%(answers)s. The estimates describe all respondents, not only those who were asked.",
        answers=translate(", ").join(filled) or translate("no box"),
    )


def reporting_table(question: Question) -> Randomizer:
    """The question's table. The report to a non-private question is its answer."""
    return question.table or Randomizer.identity(len(question.answers))


def counts_by_code(counts: Counts, length: int) -> list[int]:
    return [counts.get(code, 0) for code in range(length)]


def ends_of(scores: np.ndarray) -> tuple[float, float]:
    return float(scores.min()), float(scores.max())


def bit_names(question: Question) -> tuple[str, ...]:
    return tuple(f"{name}: {bit}" for name in names_of(question.answers) for bit in (1, 0))
