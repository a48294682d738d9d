"""A typed number. It is read as in static/respondent/questions.js."""

import math
import re
import unicodedata
from fractions import Fraction

from survey.core.languages import Words
from survey.core.number_grid import Grid
from survey.definition.types.number import NumberType
from survey.respondent.types import GIVEN
from survey.respondent.types.select_one import Fields, GivenChoice

# The end of the name of a field. The name of a question has no hyphen.
DECLINED = "-declined"
MAX_NUMBER_CHARACTERS = 20
THAI_DIGITS = {0x0E50 + digit: str(digit) for digit in range(10)}
NUMERAL = re.compile(r"[+-]?([0-9]+\.?[0-9]*|\.[0-9]+)")
PERHAPS_THOUSANDS = re.compile(r"[+-]?[1-9][0-9]{0,2}\.[0-9][0-9]0")
# In a question with thousands, 1.255 could be one thousand too. Otherwise it would be rounded to 1.
PERHAPS_ANY_THOUSANDS = re.compile(r"[+-]?[1-9][0-9]{0,2}\.[0-9]{3}")


@GIVEN.of(NumberType)
class GivenNumber(GivenChoice):
    """A number that may be between two values of the grid, or a box for not saying it."""

    def field_names(self) -> set[str]:
        names = super().field_names()
        if self.question.special_answers:
            names.add(self.question.name + DECLINED)
        return names

    def advice(self, words: Words) -> str:
        grid = self.question.number_grid
        ends = {"low": words.number(grid.low), "high": words.number(grid.high)}
        sentences = [words.say("Type a number from %(low)s to %(high)s.", **ends)]
        if self.question.offers_to_decline:
            label = self.question.offered[-1].label
            sentences.append(words.say("Or tick “%(declined)s”.", declined=label))
        if grid.high >= 1000 or grid.low <= -1000:
            sentences.append(words.say("Write thousands without a comma or point: 1000."))
        return words.gap.join(sentences)

    def report(self, given: Fields, words: Words) -> str:
        question, grid = self.question, self.question.number_grid
        typed = "".join(given.get(question.name, [])).strip()
        ticked = bool(given.get(question.name + DECLINED)) or (question.optional and not typed)
        declined = question.offers_to_decline and ticked
        number = number_from_field(typed, grid)
        place = len(grid) if declined else nearest_place(grid, number)
        if declined == bool(typed) or place is None:
            raise ValueError(self.advice(words))
        return str(place).zfill(question.form.width or 0)

    def rounding_sentence(self, given: Fields, words: Words) -> str:
        grid = self.question.number_grid
        number = number_from_field("".join(given.get(self.question.name, [])).strip(), grid)
        place = nearest_place(grid, number)
        if number is None or place is None or grid.value(place) == number:
            return ""
        counted = words.number(grid.value(place))
        return words.say(
            "%(typed)s is counted as %(counted)s.", typed=words.number(number), counted=counted
        )

    def examples(self, words: Words) -> list[tuple[str, str]]:
        grid = self.question.number_grid
        last = grid.size - 1
        some = sorted({0, last // 3, last // 2, 2 * last // 3, last})
        values = [(f"{grid[steps]} {grid.unit}".strip(), f"steps {steps}") for steps in some]
        own = len(self.question.answers) - len(self.question.special_answers)
        return values + self.special_examples(own)


def nearest_place(grid: Grid, number: Fraction | None) -> int | None:
    """The place of the value next to the number, the larger of two; None if it is out of range."""
    if number is None or not grid.low <= number <= grid.high:
        return None
    return math.floor((number - grid.low) / grid.step + Fraction(1, 2))


def number_from_field(text: str, grid: Grid) -> Fraction | None:
    """A typed number: also full-width and Thai digits, a decimal comma, a minus sign or a dash.

    The result is None for an invalid or ambiguous number. Some people read 1,000 as a thousand.
    """
    if len(text) > MAX_NUMBER_CHARACTERS:
        return None
    written = re.sub(r"\s", "", unicodedata.normalize("NFKC", text)).translate(THAI_DIGITS)
    written = re.sub("^[−–]", "-", written)
    if "." not in written:
        written = written.replace(",", ".", 1)
    thousands = max(-grid.low, grid.high) >= 1000 and grid.step >= Fraction(1, 100)
    ambiguous = PERHAPS_ANY_THOUSANDS if thousands else PERHAPS_THOUSANDS
    if ambiguous.fullmatch(written) or not NUMERAL.fullmatch(written):
        return None
    return Fraction(written)
