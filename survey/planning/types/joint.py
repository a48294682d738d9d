"""Joint questions: sentences about combinations of answers."""

from collections.abc import Mapping
from typing import Any

from survey.core.languages import Words
from survey.core.translate import translate
from survey.definition.types.joint import JointType
from survey.planning.precision import ExpectedPrecision
from survey.planning.privacy_text import special_answers_sentence
from survey.planning.types import PLANNING
from survey.planning.types.select_one import ChoicePlanning


@PLANNING.of(JointType)
class JointPlanning(ChoicePlanning):
    """A choice among combinations, which nobody gives as such."""

    def denied_precision(self, share: float, reported: float) -> ExpectedPrecision | None:
        """People deny an answer, not a combination of answers."""
        return None

    def needed_sentence(self, needs: Mapping[str, str]) -> str:
        return translate(
            "To estimate the share of each combination of answers with a margin of %(margin)s, you "
            "need %(respondents)s. A direct question needs %(openly)s.",
            **needs,
        )

    def same_answer_sentence(self, numbers: Mapping[str, Any], words: Words) -> str:
        return words.say(
            "Of 100 people with the same answers, %(own)s send exactly these answers. Each of "
            "the other %(others)s combinations is sent by %(other)s.",
            **numbers,
        )

    def chosen_answers_sentence(self, numbers: Mapping[str, Any], words: Words) -> str:
        sentence = words.say(
            "Your device sends %(size)s of the %(all)s possible combinations of answers. Of 100 "
            "people with the same answers, %(own)s send their combination as one of the "
            "%(size)s. Each of the other combinations is sent by %(other)s of these 100 people.",
            **numbers,
        )
        counted = special_answers_sentence(self.question, words)
        return words.gap.join(filter(None, [sentence, counted]))

    def shares_in_words(self) -> str:
        return translate("the shares of the combinations")

    def margin_of_share(self, margin: str, *, only_arms: bool) -> str:
        return translate(
            "at most about %(margin)s for the share of each combination", margin=margin
        )
