"""Yes or no: sentences about the first answer."""

from collections.abc import Mapping

from survey.core.languages import Words
from survey.core.translate import translate
from survey.definition.types.yes_no import YesNoType
from survey.planning.precision import ExpectedPrecision, share_precision
from survey.planning.types import PLANNING
from survey.planning.types.select_one import ChoicePlanning


@PLANNING.of(YesNoType)
class YesNoPlanning(ChoicePlanning):
    """The share of yes is the only one."""

    def denied_precision(self, share: float, reported: float) -> ExpectedPrecision | None:
        return share_precision(self.question, share, reported, 0)

    def needed_sentence(self, needs: Mapping[str, str]) -> str:
        return translate(
            "To estimate the share of %(answer)s with a margin of %(margin)s, you need "
            "%(respondents)s. A direct question needs %(openly)s.",
            answer=self.question.choices[0].label,
            **needs,
        )

    def advice_on_precision(self) -> str:
        return translate("Choose weaker protection, or ask more people.")

    def example_sentence(self, words: Words) -> str:
        return words.say(
            "A “%(answer)s” in our data does not mean you said “%(answer)s”.",
            answer=self.example_answer().label,
        )
