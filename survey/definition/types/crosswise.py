"""Crosswise question: two statements, and one answer whether both have the same truth value."""

from collections.abc import Mapping, Sequence
from fractions import Fraction
from typing import Any, ClassVar

from survey.core.errors import DefinitionError, MechanismError
from survey.core.exact_numbers import probability
from survey.core.translate import later
from survey.definition.choices import Choice, agreement_words, names_of, parse_text
from survey.definition.types.registry import Answers, question_type
from survey.definition.types.select_one import SelectOneType

HALF = Fraction(1, 2)


@question_type
class CrosswiseType(SelectOneType):
    """A sensitive statement and an unrelated one, of which the true share is known.

    The respondent says only whether both or neither are true. The answer is stored as given: what
    protects the respondent is that nobody else knows whether the unrelated statement is true. The
    privacy bound follows from the known share (`Question.ratio_bound`). Someone who knows the
    unrelated statement learns the sensitive one.
    """

    name = "crosswise"
    title = later("Crosswise: two statements, one answer")
    answered_by = "Choosing whether both statements have the same truth value."
    menu_place = 55
    members = frozenset({"choices", "privacy", "otherwise", "known_share", "anchor_question"})
    mechanisms: ClassVar[str | None] = None
    estimated = True
    secret_fact = True
    builder_parts = ("crosswise",)
    template = "crosswise"

    def own_words(self, language: str) -> Sequence[str]:
        return agreement_words(language)

    def parse_answers(self, entry: Mapping[str, Any], place: str, language: str) -> Answers:
        parse_text(entry, "hint", place)
        if "choices" not in entry:
            same, different = self.own_words(language)
            return (Choice("same", same), Choice("different", different)), None
        choices, _ = super().parse_answers(entry, place, language)
        if names_of(choices) != ["same", "different"]:
            raise DefinitionError(
                f"{place}.choices", "of a crosswise question must be named same and different."
            )
        return choices, None

    def parse_known_share(self, entry: Mapping[str, Any], place: str) -> Fraction | None:
        where = f"{place}.known_share"
        try:
            share = probability(entry.get("known_share"), "known_share")
        except MechanismError as error:
            raise DefinitionError(where, str(error), "number") from error
        if share in (0, HALF, 1):
            raise DefinitionError(where, "must be above 0, below 1 and other than 1/2.", "range")
        return share
