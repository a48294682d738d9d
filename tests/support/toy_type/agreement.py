"""Agreement: a toy type of question, which only a test knows.

It has its own three answers, which are ordered.
"""

from survey.definition.choices import Choice
from survey.definition.types import question_type
from survey.definition.types.scale import ScaleType

OWN = (Choice("no", "I disagree"), Choice("neither", "Neither"), Choice("yes", "I agree"))


@question_type
class Agreement(ScaleType):
    """A scale with default choices. The choices of a definition replace them."""

    name = "agreement"
    title = "Agreement"
    menu_place = 45
    builder_parts = ("protected", "coin_flip", "goal")
    template = "agreement"
    appearances = ("agreement",)

    def parse_answers(self, entry, place, language):
        return super().parse_answers(entry, place, language) if "choices" in entry else (OWN, None)
