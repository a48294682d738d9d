"""Scales, of which a mean is cited and computed, too."""

from survey.core.languages import Words
from survey.definition.types.scale import ScaleType
from survey.formats.types import FORMATS
from survey.formats.types.select_one import ChoiceFormat, Mean


@FORMATS.of(ScaleType)
class ScaleFormat(ChoiceFormat):
    """Levels that are numbered from 1."""

    def means(self) -> list[Mean]:
        return [("mean", "", [*range(1, len(self.question.choices) + 1)])]

    def label_with_values(self, words: Words) -> str:
        levels = self.question.choices
        return words.say(
            "%(question)s (1 = %(first)s, %(number)s = %(last)s)",
            question=self.question.label,
            first=levels[0].label,
            number=len(levels),
            last=levels[-1].label,
        )
