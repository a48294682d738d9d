"""Reads the form of the paper-and-coin page: each field becomes a report or an error message.

The fields come from anyone on the network. The values of choices and boxes on the form are reports
in the format that browsers send. So the same code reads and refuses both
(survey/definition/responses/parse_response.py). Typed numbers are read as in
static/respondent/questions.js.
"""

import math
import re
import secrets
import unicodedata
from collections.abc import Mapping
from dataclasses import dataclass, field
from fractions import Fraction

from survey.core.errors import MalformedResponse, StaleFingerprint, WrongReport
from survey.core.languages import Words
from survey.core.number_grid import Grid
from survey.definition.frozen import FrozenSurvey
from survey.definition.questions import Question
from survey.definition.report_formats import Stored
from survey.definition.responses.parse_response import RESPONSE_ID, Response, stored_report
from survey.definition.survey import Survey
from survey.definition.types.text import MAX_TYPED_CHARACTERS
from survey.formats.field_days import date_in

# The names of fields that are not questions. The name of a question has no hyphen.
ID = "response-id"
TEXTS_ID = "texts-id"
FINGERPRINT = "survey-fingerprint"
DECLINED = "-declined"
MAX_NUMBER_CHARACTERS = 20
THAI_DIGITS = {0x0E50 + digit: str(digit) for digit in range(10)}
NUMERAL = re.compile(r"[+-]?([0-9]+\.?[0-9]*|\.[0-9]+)")
PERHAPS_THOUSANDS = re.compile(r"[+-]?[1-9][0-9]{0,2}\.[0-9][0-9]0")
# In a question with thousands, 1.255 could be one thousand too. Otherwise it would be rounded to 1.
PERHAPS_ANY_THOUSANDS = re.compile(r"[+-]?[1-9][0-9]{0,2}\.[0-9]{3}")


@dataclass(kw_only=True)
class CoinForm:
    """A form from a browser.

    Attributes
    ----------
    id : 32 hexadecimal digits
    texts_id : 32 other hexadecimal digits, for texts that are stored apart; "" if none are
    given : the values of each field
    faults : an error message for each question with an invalid answer
    stored : the value to store for each question without a fault, by its name
    rounded : for each question whose typed number is between two steps, what it is counted as
    """

    id: str
    texts_id: str = ""
    given: Mapping[str, list[str]] = field(default_factory=dict)
    faults: dict[str, str] = field(default_factory=dict)
    stored: dict[str, Stored | None] = field(default_factory=dict)
    rounded: dict[str, str] = field(default_factory=dict)

    def response(self, survey: Survey) -> Response:
        """The response, if there is no fault."""
        reports, texts = (
            tuple(self.stored[question.name] for question in questions)
            for questions in (survey.fields, survey.apart)
        )
        apart = Response(bytes.fromhex(self.texts_id), texts) if texts else None
        return Response(bytes.fromhex(self.id), reports, texts=apart)


def new_form(survey: Survey) -> CoinForm:
    """An empty form with new random ids."""
    return CoinForm(
        id=secrets.token_hex(16), texts_id=secrets.token_hex(16) if survey.apart else ""
    )


def field_names(survey: Survey) -> set[str]:
    declinable = {q.name + DECLINED for q in survey.fields if q.kind.numeric and q.special_answers}
    return {*id_names(survey), FINGERPRINT, *(q.name for q in survey.asked), *declinable}


def id_names(survey: Survey) -> list[str]:
    """The names of the fields with ids."""
    return [ID, TEXTS_ID] if survey.apart else [ID]


def read_coin_form(frozen: FrozenSurvey, given: Mapping[str, list[str]], words: Words) -> CoinForm:
    """Read a form that answers this survey.

    Parameters
    ----------
    given : the values of each field
    words : the language of the sentences

    Raises
    ------
    MalformedResponse
        If the fields are not those of this page.
    StaleFingerprint
        If the form belongs to another version of the survey.
    """
    if not set(given) <= field_names(frozen.survey):
        raise MalformedResponse("The form holds a field that this survey does not have.")
    ids = [given.get(name, []) for name in id_names(frozen.survey)]
    fingerprints = given.get(FINGERPRINT, [])
    if any(len(values) != 1 for values in [*ids, fingerprints]):
        raise MalformedResponse("The form is not whole.")
    id, texts_id = ids[0][0], ids[1][0] if frozen.survey.apart else ""
    if not all(RESPONSE_ID.fullmatch(each) for [each] in ids):
        raise MalformedResponse("The form is not whole.")
    if id == texts_id:  # Equal ids would join what is stored apart.
        raise MalformedResponse("The form has the same id twice.")
    if fingerprints != [frozen.fingerprint]:
        raise StaleFingerprint("This form is of another version of the survey.")
    sent = CoinForm(id=id, texts_id=texts_id, given=given)
    for question in frozen.survey.in_language(words.language).asked:
        try:
            report = report_of(question, given, words)
            sent.stored[question.name] = stored_report(frozen, question, {question.name: report})
            if sentence := rounding_sentence(question, given, words):
                sent.rounded[question.name] = sentence
        except WrongReport:
            sent.faults[question.name] = wanted(question, words)
        except ValueError as error:
            sent.faults[question.name] = str(error)
    return sent


def wanted(question: Question, words: Words) -> str:
    """The error message for an invalid answer: what to do."""
    if question.dates is not None:
        low, high = (date_in(words, end) for end in question.dates)
        return words.say(
            "Give a date from %(low)s to %(high)s, or leave this empty.", low=low, high=high
        )
    if question.kind.free_text:
        most = words.number(MAX_TYPED_CHARACTERS, grouped=True)
        return words.say("Write at most %(most)s characters.", most=most)
    if question.grid is None:
        return words.say("Choose an answer to continue.")
    grid = question.grid
    ends = {"low": words.number(grid.low), "high": words.number(grid.high)}
    sentences = [words.say("Type a number from %(low)s to %(high)s.", **ends)]
    if question.offers_to_decline:
        label = question.offered[-1].label
        sentences.append(words.say("Or tick “%(declined)s”.", declined=label))
    if grid.high >= 1000 or grid.low <= -1000:
        sentences.append(words.say("Write thousands without a comma or point: 1000."))
    return words.gap.join(sentences)


def report_of(question: Question, given: Mapping[str, list[str]], words: Words) -> str:
    """The report in the format that browsers send; raises ValueError with an error message."""
    values = given.get(question.name, [])
    if question.kind.boxes:
        return report_of_boxes(question, values, words)
    if question.kind.free_text:
        # Browsers send two characters for a line end. A text in the database has no zero character.
        text = "".join(values).replace("\r\n", "\n").strip()
        return text.replace("\0", "\ufffd")
    if question.grid is not None:
        return report_of_number(question, question.grid, values, given, words)
    if question.optional and not values:
        values = [str(len(question.choices)).zfill(question.form.width or 0)]
    if len(values) != 1:
        raise ValueError(wanted(question, words))
    return values[0]


def report_of_boxes(question: Question, values: list[str], words: Words) -> str:
    places = [str(place) for place in range(len(question.answers))]
    declined = question.offers_to_decline and places[-1] in values
    if not set(values) <= set(places) or len(set(values)) != len(values):
        raise ValueError(wanted(question, words))
    if declined and len(values) > 1:
        label = question.offered[-1].label
        raise ValueError(
            words.say("Tick “%(declined)s” or other boxes, but not both.", declined=label)
        )
    return "".join("1" if place in values else "0" for place in places)


def report_of_number(
    question: Question, grid: Grid, values: list[str], given: Mapping[str, list[str]], words: Words
) -> str:
    typed = "".join(values).strip()
    ticked = bool(given.get(question.name + DECLINED)) or (question.optional and not typed)
    declined = question.offers_to_decline and ticked
    number = number_from_field(typed, grid)
    place = len(grid) if declined else nearest_place(grid, number)
    if declined == bool(typed) or place is None:
        raise ValueError(wanted(question, words))
    return str(place).zfill(question.form.width or 0)


def nearest_place(grid: Grid, number: Fraction | None) -> int | None:
    """The place of the value next to the number, the larger of two; None if it is out of range."""
    if number is None or not grid.low <= number <= grid.high:
        return None
    return math.floor((number - grid.low) / grid.step + Fraction(1, 2))


def rounding_sentence(question: Question, given: Mapping[str, list[str]], words: Words) -> str:
    """What a valid number between two steps is counted as; empty for any other answer."""
    grid = question.grid
    if grid is None:
        return ""
    number = number_from_field("".join(given.get(question.name, [])).strip(), grid)
    place = nearest_place(grid, number)
    if number is None or place is None or grid.value(place) == number:
        return ""
    counted = words.number(grid.value(place))
    return words.say(
        "%(typed)s is counted as %(counted)s.", typed=words.number(number), counted=counted
    )


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
