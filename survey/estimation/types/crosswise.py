"""The share with the sensitive trait, from answers that compare two statements.

The crosswise model: Yu, Tian & Tang, Metrika 67 (2008) 251.
"""

import math
from dataclasses import dataclass, replace

from survey.core.randomizer import Randomizer
from survey.core.translate import later, translate, translate_number
from survey.definition.choices import Choice
from survey.definition.questions import Question
from survey.definition.types.crosswise import CrosswiseType
from survey.estimation.findings.remarks import FIRST_STATEMENT, Remark
from survey.estimation.number_text import (
    Formula,
    beyond_interval,
    rounded_share,
    value_or_bound,
)
from survey.estimation.results import CLIPPED, MIN_SHOWN_RESPONSES, AnswerResults, QuestionResults
from survey.estimation.share_intervals import Interval, share_interval
from survey.estimation.share_results import Counts, reporting_table
from survey.estimation.types import ESTIMATION
from survey.estimation.types.select_one import ChoiceEstimation


@ESTIMATION.of(CrosswiseType)
class CrosswiseEstimation(ChoiceEstimation):
    """The shares of the answers, and a sentence on the first statement."""

    def results(self, counts: Counts, level: float, size: int | None) -> QuestionResults:
        results = super().results(counts, level, size)
        same, other = results.counts[:2]
        sentence = first_statement_sentence(self.question, same, same + other, level)
        notes = (Remark(FIRST_STATEMENT, sentence),) if sentence else ()
        return replace(results, notes=(*notes, *results.notes))

    def table_of_truth(self) -> Randomizer:
        return first_statement_table(self.question) or reporting_table(self.question)


@dataclass(frozen=True)
class MirroredShare:
    """An unclipped share with its standard error, and its interval within [0, 1]."""

    value: float
    standard_error: float
    interval: Interval


def mirrored_share(same: int, n: int, p: float, q: float, level: float) -> MirroredShare:
    """The share pi from a count with the success probability q + (p - q) pi.

    Parameters
    ----------
    same : int, 0 to n
    n : int, at least 2
    p, q : float in [0, 1], different

    Notes
    -----
    The standard error divides by n - 1. The interval is exact, see
    survey/estimation/share_intervals.py.
    """
    share = same / n
    error = math.sqrt(share * (1 - share) / (n - 1)) / abs(p - q)
    return MirroredShare((share - q) / (p - q), error, share_interval(same, n, p, q, level))


def first_statement_sentence(question: Question, same: int, n: int, level: float) -> str:
    """What the answers to a crosswise question say about its first statement.

    It is empty for other questions, and for too few answers.
    """
    found = first_statement_share(question, same, n, level)
    if found is None:
        return ""
    if question.anchor_question:
        sentence = later(
            "Anchor question: %(share)s of people like these respondents would answer attentively. "
            "The interval has a level of %(level)s %%. This assumes that all others answer at "
            "random."
        )
    else:
        sentence = later(
            "The first statement is true for %(share)s of people like these respondents. The "
            "interval has a level of %(level)s %%. This assumes that nobody answered at random."
        )
    return translate(sentence, share=share_text(found), level=translate_number(f"{100 * level:g}"))


def first_statement_share(
    question: Question, same: int, n: int, level: float
) -> MirroredShare | None:
    """The share for whom the first statement is true; of an anchor question, the attentive people.

    None for other questions, and for too few answers.
    """
    if question.known_share is None or n < MIN_SHOWN_RESPONSES:
        return None
    known = float(question.known_share)
    others = 0.5 if question.anchor_question else 1 - known
    return mirrored_share(same, n, 1 - known if question.anchor_question else known, others, level)


def first_statement_results(result: QuestionResults) -> AnswerResults | None:
    """The same share as an answer, for a line that compares it with other questions."""
    question, same, n = result.question, sum(result.counts[:1]), sum(result.counts[:2])
    found = first_statement_share(question, same, n, result.level)
    if found is None:
        return None
    label = (
        translate("Answered attentively")
        if question.anchor_question
        else translate("First statement is true")
    )
    return AnswerResults(
        choice=Choice("first_statement", label),
        n=n,
        observed=None,
        value=found.value,
        standard_error=found.standard_error,
        low=found.interval.low,
        high=found.interval.high,
        method=found.interval.method,
        possible=min(1.0, max(0.0, found.value)),
        possible_by=CLIPPED,
        formula=Formula("", ""),
    )


def share_text(found: MirroredShare) -> str:
    """The estimate with its interval; of an impossible estimate, an end of the interval."""

    def written(share: float) -> str:
        return translate_number(rounded_share(share, found.standard_error))

    ends = found.interval.low, found.interval.high
    beyond = beyond_interval(found.value, *ends, written)
    low, high = map(written, ends)
    value = written(found.value)
    if beyond:
        return value_or_bound(beyond, low, value, high)
    with_interval = translate("%(value)s (%(low)s to %(high)s)", value=value, low=low, high=high)
    return translate("an estimated %(share)s", share=with_interval)


def first_statement_table(question: Question) -> Randomizer | None:
    """Pr(answer | truth) of a crosswise question, for both truth values of its first statement.

    The first statement of an anchor question is true for nobody, so its rows are people who read
    attentively and people who answer at random. None for other questions.
    """
    if question.known_share is None:
        return None
    known, of = question.known_share.as_integer_ratio()
    if question.anchor_question:
        return Randomizer(((2 * (of - known), 2 * known), (of, of)))
    return Randomizer(((known, of - known), (of - known, known)))
