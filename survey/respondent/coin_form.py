"""Reads the form of the paper-and-coin page: each field becomes a report or an error message.

The fields come from anyone on the network. The values of choices and boxes on the form are reports
in the format that browsers send. So the same code reads and refuses both
(survey/definition/responses/parse_response.py).
"""

import secrets
from collections.abc import Mapping
from dataclasses import dataclass, field

from survey.core.errors import MalformedResponse, StaleFingerprint, WrongReport
from survey.core.languages import Words
from survey.definition.frozen import FrozenSurvey
from survey.definition.report_formats import Stored
from survey.definition.responses.parse_response import RESPONSE_ID, Response, stored_report
from survey.definition.survey import Survey
from survey.respondent.types import GIVEN

# The names of fields that are not questions. The name of a question has no hyphen.
ID = "response-id"
TEXTS_ID = "texts-id"
FINGERPRINT = "survey-fingerprint"


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
    answered = (GIVEN[question].field_names() for question in survey.asked)
    return {*id_names(survey), FINGERPRINT}.union(*answered)


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
        answer = GIVEN[question]
        try:
            report = answer.report(given, words)
            sent.stored[question.name] = stored_report(frozen, question, {question.name: report})
            if sentence := answer.rounding_sentence(given, words):
                sent.rounded[question.name] = sentence
        except WrongReport:
            sent.faults[question.name] = answer.advice(words)
        except ValueError as error:
            sent.faults[question.name] = str(error)
    return sent
