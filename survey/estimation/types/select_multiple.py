"""Boxes, each with a share of its own: from separate bits, or from a table of all combinations."""

import math
from collections.abc import Mapping, Sequence
from itertools import combinations as selections
from typing import Any

import numpy as np

from survey.core.factored_randomizers import Boxes
from survey.core.scores import Array, support_of, unbiased_scores
from survey.core.translate import translate
from survey.definition.choices import DECLINED, names_of
from survey.definition.questions import Question
from survey.definition.report_formats import Bits
from survey.definition.types.select_multiple import SelectMultipleType
from survey.estimation.design_fit import DesignFit, fit_of_boxes, share_scores
from survey.estimation.findings.remarks import NO_REPORTS_ON_BOXES, Remark
from survey.estimation.headlines import TICKED, number_compared
from survey.estimation.number_text import formula_of_table
from survey.estimation.results import AnswerResults, QuestionResults
from survey.estimation.share_estimates import estimate_boxes
from survey.estimation.share_results import (
    LIKELIEST,
    Counts,
    answer_results,
    bit_names,
    counts_by_code,
    ends_of,
    with_asked_shares,
)
from survey.estimation.types import ESTIMATION
from survey.estimation.types.select_one import ChoiceEstimation


@ESTIMATION.of(SelectMultipleType)
class BoxEstimation(ChoiceEstimation):
    """Shares of which several can be large, because one person can tick all boxes."""

    shares_add_up = False
    first_share = TICKED

    def results(self, counts: Counts, level: float, size: int | None) -> QuestionResults:
        boxes = boxes_of(self.question)
        if boxes is None:
            return super().results(counts, level, size)
        return results_of_boxes(self.question, boxes, counts, level, size)

    def answers_in_shares(self) -> Array:
        return combinations(self.question)

    def compared_shares(self) -> int:
        return number_compared(len(self.question.offered), exclusive=False)

    def design_fit(self, counts: Counts) -> DesignFit | None:
        boxes = boxes_of(self.question)
        if boxes is None:
            return super().design_fit(counts)
        return fit_of_boxes(boxes, counts_by_code(counts, 2 * boxes.answers))

    def tested_scores(self, counts: Counts, chances: Array) -> list[Array]:
        return share_scores(chances, combinations(self.question))

    def shares_mirror(self, shares: Sequence[AnswerResults]) -> bool:
        return False

    def counted_shares(self, counts: Mapping[int, int]) -> list[float]:
        """The code of a ticked box is twice its place. The next code is for an empty box."""
        places = range(len(self.question.choices) + len(self.question.special_answers))
        pairs = ((counts.get(2 * box, 0), counts.get(2 * box + 1, 0)) for box in places)
        return [ticked / (ticked + empty) for ticked, empty in pairs]

    def chance_of_meeting(self, shares: Sequence[float], conditions: Sequence[Any]) -> float:
        """Each condition asks for one of its boxes: inclusion and exclusion of "none of them"."""
        names = names_of(self.question.offered)
        return math.fsum(
            (-1.0) ** size * chance_of_none(names, shares, set().union(*chosen))
            for size in range(len(conditions) + 1)
            for chosen in selections(conditions, size)
        )

    def shares_of_asked(self, truth: Sequence[float]) -> list[float]:
        """Decliners tick no box."""
        boxes = len(self.question.choices)
        declined = truth[boxes] if self.question.offers_to_decline else 0.0
        return [share * (1 - declined) for share in truth[:boxes]] + list(truth[boxes:])

    def filled_places(self) -> list[int]:
        filled = self.question.otherwise or []
        return [place for place, each in enumerate(self.question.choices) if each.name in filled]


def boxes_of(question: Question) -> Boxes | None:
    """The randomizer of boxes that are counted separately; exact for a non-private question."""
    if isinstance(question.randomizer, Boxes):
        return question.randomizer
    if question.non_private and isinstance(question.form, Bits):
        return Boxes(len(question.answers), len(question.answers), ((1, 0), (0, 1)))
    return None


def combinations(question: Question) -> np.ndarray:
    """Which boxes or special answers each row of a joint table contains, as 0 and 1."""
    boxes, special_answers = len(question.choices), len(question.special_answers)
    target = np.zeros((2**boxes + special_answers, boxes + special_answers))
    for number in range(2**boxes):
        target[number, :boxes] = [number >> box & 1 for box in range(boxes)]
    target[2**boxes :, boxes:] = np.eye(special_answers)
    return target


def results_of_boxes(
    question: Question, boxes: Boxes, counts: Counts, level: float, size: int | None
) -> QuestionResults:
    """Boxes that are counted separately, each with the number of responses that report on it."""
    tally, names = counts_by_code(counts, 2 * boxes.answers), bit_names(question)
    box_results, silent = [], []
    scores = unbiased_scores(boxes.table, np.eye(2))[:, 0]
    support = support_of(boxes.table, scores, np.array([True, False]))
    table = None if question.non_private else boxes.table
    for j, box in enumerate(
        estimate_boxes(boxes, tally, level, ESTIMATION[question].compared_shares(), size)
    ):
        choice, pair = question.answers[j], tally[2 * j : 2 * j + 2]
        if box is None:
            silent.append(f"“{choice.label}”")
            continue
        n, share = box
        formula = formula_of_table(table, support, scores, pair)
        ends = ends_of(scores)
        box_results.append(
            answer_results(choice, n, pair[0] / n, share, formula, LIKELIEST, ends, table)
        )
    n = sum(tally) // boxes.sample
    notes: tuple[Remark, ...] = ()
    if n and silent:
        sentence = translate("No reports on %(boxes)s yet.", boxes=translate(", ").join(silent))
        notes = (Remark(NO_REPORTS_ON_BOXES, sentence),)
    results = QuestionResults(
        question=question,
        n=n,
        counts=tuple(tally),
        values=names,
        level=level,
        answers=tuple(box_results),
        covariance=None,
        quantities=(),
        notes=notes,
    )
    return with_asked_shares(results, size=size)


def chance_of_none(names: Sequence[str], shares: Sequence[float], unwanted: set[str]) -> float:
    """The probability that none of these boxes is ticked. Decliners tick no other box."""
    by_name = dict(zip(names, shares, strict=True))
    declined = by_name.pop(DECLINED, 0.0)
    none = math.prod(1 - by_name[name] for name in unwanted if name != DECLINED)
    return (1 - declined) * none + (0.0 if DECLINED in unwanted else declined)
