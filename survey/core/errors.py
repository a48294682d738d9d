"""Everything Candor refuses, as one tree. Each message says what happened and what to do.

SurveyError
├── TableError                  a table of integers that is no randomizer
│   ├── ShapeError              no rows, ragged rows, or entries that are no integers
│   ├── NegativeEntry
│   ├── UnequalTotals
│   ├── TotalTooLarge
│   ├── UnusedReport            a column of zeros
│   ├── DependentRows           the reports do not tell the answers' shares
│   └── ZeroEntry               a zero beside a positive entry: no finite epsilon
├── MechanismError              a mechanism that cannot be built as asked
├── DefinitionError             a survey definition with a fault; `place` says where
├── AboveLimit                  a survey that would reveal more than this server allows
├── IntakeError                 a response that is not accepted
│   ├── MalformedResponse
│   ├── StaleFingerprint
│   ├── WrongReport             `question` says which
│   ├── ConflictingResponse     the same id came with other reports
│   ├── UnknownInvitation       `reason` tells it from other refusals, for the page
│   └── SpentInvitation         `reason`, too
├── UnanswerableQuestion        these reports cannot give that estimate
├── UnknownSurvey
├── SurveyClosed
├── StateError                  the survey is not in the state that this needs
├── DataFileError               a file of responses or truths with a fault
├── ReleaseError                a statistic of plain answers that cannot be released as asked
│   └── OverBudget              more than is left of the survey's budget
├── EngineMissing               what draws central DP releases is not installed
├── WebhookError                a program that cannot be told of a threshold, or did not listen
├── NotAllowed                  what the account's role does not include
├── CannotVerify                an address that could not be asked, or holds no survey
├── MoveError                   a database that cannot be copied to another as it is
├── BackupError                 a backup that cannot be written, or not be restored
├── SettingsError
└── StoreUnavailable            the database is locked, full or gone for the moment
    └── DamagedStore            what is read from it cannot have been written
"""


class SurveyError(Exception):
    """The base of all that Candor raises on purpose; its text may be shown to a person. A page that
    is refused for it has the `status` of HTTP."""

    status = 422


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
    """The mechanism cannot be built with these parameters for this many answers.

    `parameter` names the one that is wrong, and `reason` in one word what is wrong with it, where
    a form has a field for it and words of its own (survey/admin/builder/faults.py).
    """

    def __init__(self, fault: str, parameter: str = "", reason: str = "mechanism"):
        super().__init__(fault)
        self.parameter = parameter
        self.reason = reason


class DefinitionError(SurveyError):
    """The definition has a fault. `place` is a path such as `questions[2].choices[0].name`;
    `parameter` and `reason` are those of MechanismError, where there is one to tell."""

    def __init__(self, place: str, fault: str, reason: str = "", parameter: str = ""):
        super().__init__(f"{place}: {fault}" if place else fault)
        self.place = place
        self.fault = fault
        self.reason = reason
        self.parameter = parameter


class AboveLimit(SurveyError):
    """The survey would reveal more about a respondent than the limits of this server allow."""


class IntakeError(SurveyError):
    """The response is not accepted."""


class MalformedResponse(IntakeError):
    status = 400


class StaleFingerprint(IntakeError):
    status = 409


class WrongReport(IntakeError):
    """`question` names the question whose report is missing, unknown or outside its table."""

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


class DataFileError(SurveyError):
    pass


class ReleaseError(SurveyError):
    """`field` names what is to be changed: a field of a request, or of a budget."""

    def __init__(self, field: str, fault: str):
        super().__init__(fault)
        self.field = field


class OverBudget(ReleaseError):
    pass


class EngineMissing(SurveyError):
    pass


class NotAllowed(SurveyError):
    status = 403


class WebhookError(SurveyError):
    pass


class CannotVerify(SurveyError):
    pass


class MoveError(SurveyError):
    """Not everything could be copied, and so nothing was."""


class BackupError(SurveyError):
    pass


class SettingsError(SurveyError):
    pass


class StoreUnavailable(SurveyError):
    status = 503


class DamagedStore(StoreUnavailable):
    pass
