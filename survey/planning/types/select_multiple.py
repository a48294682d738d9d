"""Boxes, which people tick independently of each other."""

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np
import numpy.typing as npt

from survey.core.languages import Words
from survey.core.randomizer import Randomizer
from survey.core.translate import translate
from survey.definition.answer_bounds.calculated_answers import Answers, Flags
from survey.definition.report_formats import Stored
from survey.definition.types.select_multiple import SelectMultipleType
from survey.planning.types import PLANNING
from survey.planning.types.select_one import ChoicePlanning, offered_or_special

# The form of a simulation proposes that this share of people ticks each box.
USUAL_TICKED_SHARE = 0.2


@PLANNING.of(SelectMultipleType)
class BoxPlanning(ChoicePlanning):
    """Answers are rows of ticks: shape (people, boxes)."""

    def usual_truth(self) -> dict[str, Any]:
        return {choice.name: USUAL_TICKED_SHARE for choice in self.question.choices}

    def draw(self, shares: Sequence[float], n: int, generator: np.random.Generator) -> Answers:
        boxes = (generator.random((n, len(shares))) < np.asarray(shares)).astype(np.int64)
        # Respondents who decline tick no other box.
        if len(shares) > len(self.question.choices):
            boxes[boxes[:, -1] == 1, :-1] = 0
        return boxes

    def draw_offered(
        self, shares: Sequence[float], offered: Flags, generator: np.random.Generator
    ) -> Answers:
        """Boxes that are not offered stay empty."""
        possible = offered_or_special(offered, len(shares))
        return np.asarray(self.draw(shares, len(offered), generator) * possible)

    def rows(self, table: Randomizer, answers: Answers, generator: np.random.Generator) -> Answers:
        """The row of each combination, after which the special answers follow."""
        boxes = len(self.question.choices)
        rows: Answers = answers[:, :boxes] @ 2 ** np.arange(boxes)
        for place in range(len(self.question.special_answers)):
            rows = np.where(answers[:, boxes + place] == 1, 2**boxes + place, rows)
        return rows

    def store_unrandomised(self, answers: Answers) -> list[Stored]:
        return rows_as_texts(np.where(answers == 1, "1", "0"))

    def needed_sentence(self, needs: Mapping[str, str]) -> str:
        return translate(
            "To estimate the share of each box with a margin of %(margin)s, you need "
            "%(respondents)s. A direct question needs %(openly)s.",
            **needs,
        )

    def same_answer_sentence(self, numbers: Mapping[str, Any], words: Words) -> str:
        return words.say(
            "Of 100 people with the same ticks, %(own)s send exactly those ticks. Each of the "
            "other %(others)s possible answers is sent by %(other)s.",
            **numbers,
        )

    def margin_among_reporting(self, facts: Mapping[str, str]) -> str:
        return translate(
            "With %(n)s respondents, of whom about %(reporting)s report on each box, the margin "
            "(95 %%) is %(margins)s.",
            **facts,
        )


def rows_as_texts(letters: npt.NDArray[np.str_]) -> list[Stored]:
    """Each row as one text. The letters of a row must be adjacent in memory for this."""
    return list(np.ascontiguousarray(letters).view(f"<U{letters.shape[1]}")[:, 0].tolist())
