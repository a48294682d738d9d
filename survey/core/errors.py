"""All errors that Candor raises on purpose, as one tree. Messages say what is wrong and what to do.

SurveyError
├── TableError                  a table of integers that is not a randomizer
│   ├── ShapeError              no rows, ragged rows, or entries that are not integers
│   ├── NegativeEntry
│   ├── UnequalTotals
│   ├── TotalTooLarge
│   ├── UnusedReport            a column of zeros
│   ├── DependentRows           the reports do not determine the shares of the answers
│   └── ZeroEntry               a zero next to a positive entry: no finite epsilon
├── MechanismError              a mechanism that cannot be built with its parameters
├── DefinitionError             a survey definition with a fault; `place` says where
├── AboveLimit                  a survey above the privacy limits of this server
├── UnconfirmedProtection       nobody has confirmed a weak protection
├── IntakeError                 a response that is not accepted
│   ├── MalformedResponse
│   ├── StaleFingerprint
│   ├── WrongReport             `question` is its name
│   ├── ConflictingResponse     the same id with other reports
│   ├── UnknownInvitation       `reason` tells the page which refusal it is
│   └── SpentInvitation         `reason`, too
├── UnanswerableQuestion        these reports cannot give that estimate
├── UnknownSurvey
├── SurveyClosed
├── StateError                  the survey is not in the required state
│   └── CapReached              it already has as many responses as the maximum allows
├── DataFileError               a file of responses or true shares with a fault
├── ReleaseError                a central DP release that is not possible as requested
│   └── OverBudget              more than is left of the survey's budget
├── MissingExtra                optional packages that a page or command needs are not installed
├── WebhookError                a webhook that is not valid, or that failed
├── NotAllowed                  an action that the account's role does not include
├── CannotVerify                an address that does not answer, or has no survey
├── MoveError                   a database that cannot be copied unchanged
├── BackupError                 a backup that cannot be written or restored
├── SettingsError
└── StoreUnavailable            the database is locked, full or gone for the moment
    └── DamagedStore            the database returned values that Candor cannot have written
"""

from survey.core.translate import translate_error


class SurveyError(Exception):
    """The base of all errors that Candor raises on purpose. People may see the message.

    `status` is the HTTP status of a page that is refused with this error.

    Parameters
    ----------
    sentence : an English sentence, which `make translations` finds and which is translated when the
        error is raised; or a text that is translated already, then without values
    values : what its placeholders such as %(n)s stand for. Without values, % is an ordinary sign.
    """

    status = 422

    def __init__(self, sentence: str, /, **values: object):
        super().__init__(translate_error(sentence, **values))
        self.values = values


class TableError(SurveyError):
    """The table cannot be a randomizer."""


class ShapeError(TableError):
    pass


class NegativeEntry(TableError):
    pass


class UnequalTotals(TableError):
    pass


class TotalTooLarge(TableError):
    pass


class UnusedReport(TableError):
    pass


class DependentRows(TableError):
    pass


class ZeroEntry(TableError):
    pass


class MechanismError(SurveyError):
    """The mechanism cannot be built with these parameters for this number of answers.

    `parameter` is the name of the wrong parameter, and `reason` describes the fault in one word.
    Both serve forms that have a field for it and their own messages
    (survey/admin/builder/faults.py).
    """

    def __init__(
        self, sentence: str, parameter: str = "", reason: str = "mechanism", /, **values: object
    ):
        super().__init__(sentence, **values)
        self.parameter = parameter
        self.reason = reason


class DefinitionError(SurveyError):
    """The definition has a fault.

    `place` is a path such as `questions[2].choices[0].name`. `parameter` and `reason` are those of
    MechanismError, if there is one.
    """

    def __init__(
        self,
        place: str,
        sentence: str,
        reason: str = "",
        parameter: str = "",
        /,
        **values: object,
    ):
        super().__init__(sentence, **values)
        self.fault = str(self)
        self.args = (f"{place}: {self.fault}" if place else self.fault,)
        self.place = place
        self.reason = reason
        self.parameter = parameter


class AboveLimit(SurveyError):
    """The survey reveals more about a respondent than the limits of this server allow."""


class UnconfirmedProtection(SurveyError):
    """A report nearly reveals the answer, and nobody has confirmed that the survey may open so."""


class IntakeError(SurveyError):
    """The response is not accepted."""


class MalformedResponse(IntakeError):
    status = 400


class StaleFingerprint(IntakeError):
    status = 409


class WrongReport(IntakeError):
    """A report is missing, unknown or outside its table. `question` is the name of its question."""

    def __init__(self, question: str, fault: str):
        super().__init__(f"Question {question!r}: {fault}")
        self.question = question


class ConflictingResponse(IntakeError):
    status = 409


class UnknownInvitation(IntakeError):
    """The survey has no such invitation."""

    status, reason = 403, "unknown_invitation"


class SpentInvitation(IntakeError):
    """The invitation was used for another response."""

    status, reason = 403, "spent_invitation"


class UnanswerableQuestion(SurveyError):
    pass


class UnknownSurvey(SurveyError):
    status = 404


class SurveyClosed(SurveyError):
    status = 410


class StateError(SurveyError):
    status = 409


class CapReached(StateError):
    """The survey already has as many responses as the maximum allows."""


class DataFileError(SurveyError):
    pass


class ReleaseError(SurveyError):
    """`field` is the name of the field that must change, in a request or a budget."""

    def __init__(self, field: str, sentence: str, /, **values: object):
        super().__init__(sentence, **values)
        self.field = field


class OverBudget(ReleaseError):
    pass


class MissingExtra(SurveyError):
    pass


class NotAllowed(SurveyError):
    status = 403


class WebhookError(SurveyError):
    pass


class CannotVerify(SurveyError):
    pass


class MoveError(SurveyError):
    """Some data could not be copied unchanged, so nothing was copied."""


class BackupError(SurveyError):
    pass


class SettingsError(SurveyError):
    pass


class StoreUnavailable(SurveyError):
    status = 503


class DamagedStore(StoreUnavailable):
    pass
