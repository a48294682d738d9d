"""Decide which of several responses are accepted, as if they arrived one after the other.

The store writes many responses in one transaction, because each commit waits for the disk. The
result for one response must not depend on which other responses are in the transaction.
"""

from collections.abc import Iterable
from dataclasses import dataclass, field

from survey.core.errors import (
    ConflictingResponse,
    SpentInvitation,
    SurveyClosed,
    SurveyError,
    UnknownInvitation,
)
from survey.definition.report_formats import Stored
from survey.definition.responses.parse_response import Response

# True: new. False: already recorded with the same reports. An error: the reason for a refusal.
Verdict = bool | SurveyError


@dataclass
class AdmissionState:
    """What the store knows about a survey when responses arrive. `admit` keeps it up to date.

    Attributes
    ----------
    known : the reports of the responses that are already recorded, by id
    known_texts : the same for texts that are stored apart
    room : the number of new responses that the survey accepts, 0 if it is closed, None for no limit
    spent : whether each response's invitation is spent, by its hash, without invitations that do
        not exist; None for a survey without invitations
    """

    known: dict[bytes, tuple[Stored | None, ...]]
    room: int | None
    spent: dict[bytes | None, bool] | None = None
    known_texts: dict[bytes, tuple[Stored | None, ...]] = field(default_factory=dict)

    def admit(self, response: Response) -> bool:
        """Accept a response: True if it is new, False if it is already recorded.

        Raises, in this order: ConflictingResponse for the same id with other reports, SurveyClosed,
        UnknownInvitation, SpentInvitation.
        """
        if self.is_recorded(response):
            return False
        if self.room == 0:
            raise SurveyClosed("This survey is closed; nothing was recorded.")
        if self.spent is not None:
            require_unspent(self.spent.get(response.invitation))
            self.spent[response.invitation] = True
        if self.room is not None:
            self.room -= 1
        self.known[response.id] = response.reports
        if response.texts is not None:
            self.known_texts[response.texts.id] = response.texts.reports
        return True

    def is_recorded(self, response: Response) -> bool:
        """Whether the response is recorded with the same reports, and with the same texts.

        Both are recorded in one transaction. So if only one of them is known, the other differs.
        Raises ConflictingResponse.
        """
        reports, texts = self.known.get(response.id), response.texts
        recorded = None if texts is None else self.known_texts.get(texts.id)
        if reports is None and recorded is None:
            return False
        if reports != response.reports or (texts is not None and recorded != texts.reports):
            raise ConflictingResponse(
                "This response was recorded before with other reports; the first stays."
            )
        return True

    def admit_all(self, responses: Iterable[Response]) -> tuple[list[Verdict], list[Response]]:
        """The verdict on each response, in order, and the list of new responses."""
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
    """Require an unspent invitation. `spent` is None if the invitation does not exist.

    Raises UnknownInvitation and SpentInvitation.
    """
    if spent is None:
        raise UnknownInvitation(
            "This survey has no such invitation. Check the code; nothing was recorded."
        )
    if spent:
        raise SpentInvitation("This invitation was used before; nothing was recorded.")


def published_at_once(waiting: int, new: int, batch: int) -> int:
    """The number of new responses to publish when `waiting` others already wait.

    All new responses are published except the last few that do not fill a batch. 0 means that the
    batch is not full yet and all of them wait.
    """
    # The place of the new response that fills the batch.
    first = max(1, batch - waiting)
    return 0 if new < first else new - (new - first) % batch
