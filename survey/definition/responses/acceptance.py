"""Which of several responses to a survey are taken, as if each came after those before it.

The store writes many responses in one transaction, since each commit waits for the disk. What one
of them is told must not depend on who came with it.
"""

from collections.abc import Iterable
from dataclasses import dataclass

from survey.core.errors import (
    ConflictingResponse,
    SpentInvitation,
    SurveyClosed,
    SurveyError,
    UnknownInvitation,
)
from survey.definition.report_formats import Stored
from survey.definition.responses.parse_response import Response

Verdict = bool | SurveyError  # new, or there already with the same reports; or why it is refused


@dataclass
class AcceptanceState:
    """What the store knows of a survey when responses come to it; kept up to date as they do.

    Attributes
    ----------
    known : the reports of those of the responses that are recorded already, by id
    room : how many new ones the survey takes before it closes, 0 if it is closed; None for no bound
    spent : whether each of their invitations is spent, by its hash, without those that do not
        exist; None for a survey that asks for none
    """

    known: dict[bytes, tuple[Stored | None, ...]]
    room: int | None
    spent: dict[bytes | None, bool] | None = None

    def admit(self, response: Response) -> bool:
        """True if it is new, and taken; False if it is there already.

        Raises, in this order, ConflictingResponse for the same id with other reports,
        SurveyClosed, UnknownInvitation, SpentInvitation."""
        reports = self.known.get(response.id)
        if reports is not None:
            if reports != response.reports:
                raise ConflictingResponse(
                    "This response was recorded before with other reports; the first stays."
                )
            return False
        if self.room == 0:
            raise SurveyClosed("This survey is closed; nothing was recorded.")
        if self.spent is not None:
            require_unspent(self.spent.get(response.invitation))
            self.spent[response.invitation] = True
        if self.room is not None:
            self.room -= 1
        self.known[response.id] = response.reports
        return True

    def admit_all(self, responses: Iterable[Response]) -> tuple[list[Verdict], list[Response]]:
        """The verdict on each response, in order, and those that are new."""
        verdicts: list[Verdict] = []
        new = []
        for response in responses:
            try:
                verdicts.append(self.admit(response))
            except SurveyError as error:
                verdicts.append(error)
            else:
                if verdicts[-1] is True:
                    new.append(response)
        return verdicts, new


def require_unspent(spent: bool | None) -> None:
    """`spent` is None for an invitation that there is not. Raises UnknownInvitation,
    SpentInvitation."""
    if spent is None:
        raise UnknownInvitation(
            "This survey has no such invitation. Check the code; nothing was recorded."
        )
    if spent:
        raise SpentInvitation("This invitation was used before; nothing was recorded.")


def released_at_once(waiting: int, new: int, batch: int) -> int:
    """How many of the new responses are released when so many wait already: all but the last few
    that do not fill a batch. 0 means that the batch is not full yet, and all wait."""
    first = max(1, batch - waiting)  # the one of the new that fills the batch
    return 0 if new < first else new - (new - first) % batch
