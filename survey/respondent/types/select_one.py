"""One answer out of a few, and the defaults of all types."""

from collections.abc import Mapping
from dataclasses import dataclass

from survey.core.languages import Words
from survey.definition.questions import Question
from survey.definition.types.registry import QuestionType
from survey.respondent.types import GIVEN

# The fields of a form, each with its values.
Fields = Mapping[str, list[str]]


@GIVEN.of(QuestionType)
@dataclass(frozen=True)
class GivenChoice:
    """An answer on the paper-and-coin page, and made-up answers to try a randomizer with."""

    question: Question

    def field_names(self) -> set[str]:
        """The names of the fields that may hold the answer."""
        return {self.question.name}

    def advice(self, words: Words) -> str:
        """The error message for an invalid answer: what to do."""
        return words.say("Choose an answer to continue.")

    def report(self, given: Fields, words: Words) -> str:
        """The report in the format that browsers send; raises ValueError with an error message."""
        values = given.get(self.question.name, [])
        if self.question.optional and not values:
            values = [str(len(self.question.choices)).zfill(self.question.form.width or 0)]
        if len(values) != 1:
            raise ValueError(self.advice(words))
        return values[0]

    def rounding_sentence(self, given: Fields, words: Words) -> str:
        """What a valid answer between two possible ones is counted as; empty for any other."""
        return ""

    def examples(self, words: Words) -> list[tuple[str, str]]:
        """The made-up answers to try, each with the instruction for verify.js.

        The instruction is "row 2", "steps 17" for a number, or "ticked 010" for boxes. Numbers and
        combinations of boxes have a few examples only.
        """
        return [(choice.label, f"row {row}") for row, choice in enumerate(self.question.answers)]

    def special_examples(self, first: int) -> list[tuple[str, str]]:
        """The special answers, of which the first one has this row."""
        special = enumerate(self.question.special_answers, start=first)
        return [(each.label, f"row {row}") for row, each in special]
