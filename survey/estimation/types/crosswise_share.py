"""The share with the sensitive trait, from answers that compare two statements.

The crosswise model: Yu, Tian & Tang, Metrika 67 (2008) 251.
"""

import math
from dataclasses import dataclass

from survey.core.translate import translate, translate_number
from survey.definition.questions import Question
from survey.estimation.number_text import rounded_share
from survey.estimation.results import MIN_SHOWN_RESPONSES
from survey.estimation.share_intervals import Interval, share_interval


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
    if question.known_share is None or n < MIN_SHOWN_RESPONSES:
        return ""
    known = float(question.known_share)
    if question.anchor_question:
        found = mirrored_share(same, n, 1 - known, 0.5, level)
        sentence = translate(
            "Anchor question: an estimated %(share)s of people like these respondents would answer "
            "attentively (%(level)s %% interval %(low)s to %(high)s). This assumes that all others "
            "answer at random.",
            **share_words(found, level),
        )
    else:
        found = mirrored_share(same, n, known, 1 - known, level)
        sentence = translate(
            "The first statement is true for an estimated %(share)s of people like these "
            "respondents (%(level)s %% interval %(low)s to %(high)s). This assumes that nobody "
            "answered at random.",
            **share_words(found, level),
        )
    return sentence


def share_words(found: MirroredShare, level: float) -> dict[str, str]:
    return {
        "share": translate_number(rounded_share(found.value, found.standard_error)),
        "level": translate_number(f"{100 * level:g}"),
        "low": translate_number(rounded_share(found.interval.low, found.standard_error)),
        "high": translate_number(rounded_share(found.interval.high, found.standard_error)),
    }
