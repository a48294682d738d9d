"""Boxes to tick."""

from survey.core.factored_randomizers import Boxes
from survey.core.languages import Words
from survey.definition.types.select_multiple import SelectMultipleType
from survey.respondent.types import GIVEN
from survey.respondent.types.select_one import Fields, GivenChoice


@GIVEN.of(SelectMultipleType)
class GivenBoxes(GivenChoice):
    """A digit for each box: 1 if it is ticked. The last one may be "prefer not to say"."""

    def report(self, given: Fields, words: Words) -> str:
        question, values = self.question, given.get(self.question.name, [])
        places = [str(place) for place in range(len(question.answers))]
        declined = question.offers_to_decline and places[-1] in values
        if not set(values) <= set(places) or len(set(values)) != len(values):
            raise ValueError(self.advice(words))
        if declined and len(values) > 1:
            label = question.offered[-1].label
            raise ValueError(
                words.say("Tick “%(declined)s” or other boxes, but not both.", declined=label)
            )
        return "".join("1" if place in values else "0" for place in places)

    def examples(self, words: Words) -> list[tuple[str, str]]:
        answers, special_answers = self.question.answers, self.question.special_answers
        own = len(answers) - len(special_answers)
        alone = [(choice.label, 1 << place) for place, choice in enumerate(answers[:own])]
        every = words.say(", ").join(choice.label for choice in answers[:own])
        sets = [(words.say("Nothing ticked"), 0), *alone, (every, (1 << own) - 1)]
        if not isinstance(self.question.randomizer, Boxes):
            first = [(label, f"row {number}") for label, number in sets]
            return first + self.special_examples(2**own)
        sets += [(special.label, 1 << own + i) for i, special in enumerate(special_answers)]
        return [(label, f"ticked {binary(number, len(answers))}") for label, number in sets]


def binary(number: int, digits: int) -> str:
    """The lowest binary digits of a number, the lowest one first."""
    return "".join(str(number >> place & 1) for place in range(digits))
