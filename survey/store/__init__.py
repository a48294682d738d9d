"""The store: one small protocol, with SQLite or PostgreSQL behind it. The only package with SQL.

What it keeps about a response is a random id and the reports. There is no column for an address,
a device, a moment, a sequence number or an invitation, and rows lie in the order of their random
ids, so that even the file does not tell who came when, or by which invitation (see `Store.seal`).
It may import `core` to `analysis`. Start reading in the protocol below, then in `sql/responses`.
"""

from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Protocol

from survey.definition.frozen import FrozenSurvey
from survey.definition.privacy_limits import DEFAULT_LIMITS, PrivacyLimits
from survey.definition.questions import Question
from survey.definition.report_formats import Stored
from survey.definition.responses.acceptance import Verdict
from survey.definition.responses.packed_columns import PackedColumns
from survey.definition.responses.parse_response import Response
from survey.definition.survey import Survey
from survey.store.designs import DesignsStore
from survey.store.maintenance import MaintenanceStore
from survey.store.open_store import open_store as open_store
from survey.store.people import PeopleStore
from survey.store.programs import ProgramsStore
from survey.store.public import PublicResults
from survey.store.releases import ReleasesStore
from survey.store.stored import Limits as Limits
from survey.store.stored import ListedSurvey as ListedSurvey
from survey.store.stored import StoredSurvey as StoredSurvey

ANALYST, EDITOR, OWNER = "analyst", "editor", "owner"
ROLES = (ANALYST, EDITOR, OWNER)  # each may do all that those before it may


@dataclass(frozen=True)
class Account:
    """A researcher's account. `role` is one of ROLES: an analyst reads results and takes them home,
    an editor also builds, opens, closes and deletes surveys, an owner also says who has which
    role."""

    name: str
    role: str
    password_hash: str


@dataclass(frozen=True)
class Session:
    """A researcher's session; times are seconds since 1970. While `waiting`, the password was right
    and the second factor is still to come."""

    account: str
    created: int
    seen: int
    waiting: bool = False


@dataclass(frozen=True)
class Share:
    """A link by which others read a survey's results; `name` says for whom it is. `number` is the
    store's, None before it is stored."""

    survey: str
    name: str
    number: int | None = None


class Store(PeopleStore, ProgramsStore, ReleasesStore, DesignsStore, MaintenanceStore, Protocol):
    """What the shell asks of a database. Every method is one transaction, or refuses whole.

    All raise StoreUnavailable where the database is locked, full or gone.
    """

    def listed(self) -> list[ListedSurvey]:
        """All surveys but parts (survey/definition/sub_surveys.py), the newest first."""

    def surveys(self, *, drafts: bool = True) -> list[StoredSurvey]:
        """The same, each read whole, with or without the drafts."""

    def survey(self, slug: str) -> StoredSurvey:
        """Raises UnknownSurvey."""

    def versions(self, slugs: Collection[str], *, results: bool) -> dict[str, bytes]:
        """For each survey that is known to the public a digest of all that its pages, or its public
        results, are made of: it differs wherever these may differ, and is the same on every server
        of a database."""

    def shown_survey(self, slug: str) -> tuple[StoredSurvey, bytes]:
        """A survey that is known to the public, and its version. Raises UnknownSurvey, also for a
        draft and for a pilot."""

    def shown_results(self, slug: str) -> tuple[StoredSurvey, PublicResults, bytes]:
        """As `shown_survey`, with its public results, and their version."""

    def save_draft(self, survey: Survey, replacing: str | None = None) -> None:
        """Add a draft, or replace the one of that slug, and keep its randomizers with it. Raises
        StateError if the slug is taken or the replaced survey is no draft."""

    def delete_draft(self, slug: str) -> None:
        """Raises StateError if it is no draft."""

    def freeze(self, frozen: FrozenSurvey, state: str) -> None:
        """Fix a draft's tables, make room for its responses, and do the same for its parts; the
        state is open or closed."""

    def set_state(self, slug: str, state: str, limits: PrivacyLimits = DEFAULT_LIMITS) -> None:
        """Close an open survey, or open a closed one whose responses come from browsers; its parts
        with it. The first closing releases what waits (see `add_response`); one after it was
        opened again does not, or somebody could open it for one response and read that off.
        Raises StateError for a part, one that is archived, and one whose cap is reached; AboveLimit
        for one that would open above the server's privacy limits."""

    def set_limits(self, slug: str, limits: Limits) -> None:
        """Raises StateError for a part, and where as many responses as the cap have come."""

    def close_due(self, now: int) -> None:
        """Close the open surveys whose moment has come; `now` is in seconds since 1970. Costs
        one look at an index where there is none."""

    def set_archived(self, slug: str, archived: bool) -> None:
        """Put a closed survey out of the way, or bring it back. Raises StateError for others."""

    def delete_survey(self, slug: str) -> None:
        """Remove a closed survey with its parts, responses, counts and invitations, and overwrite
        what they were written on. Raises StateError for a survey that is not closed."""

    def add_response(self, slug: str, response: Response) -> bool:
        """Record one response; when this returns, it is on the disk.

        It waits until it is one of so many as the survey releases at once; then all that wait are
        counted, in the same transaction. Where it is the last that the survey's cap allows, the
        survey closes, in the same transaction too.

        Returns True if it is new, False if the same id and reports were there already.
        Where the survey asks for an invitation, the response's is spent in the same transaction.
        Raises, in this order, ConflictingResponse for the same id with other reports,
        SurveyClosed, UnknownInvitation, SpentInvitation."""

    def add_all(self, sent: Sequence[tuple[str, Response]]) -> list[Verdict]:
        """Record responses, each with the slug of its survey, in one transaction; when this
        returns, they are on the disk. At most a few hundred at once.

        Returns for each, in order, what `add_response` would return or raise, were they added one
        after the other; UnknownSurvey where there is none."""

    def add_invitations(self, slug: str, hashes: Iterable[bytes]) -> None:
        """Issue invitations by the hashes of their codes
        (survey/definition/responses/invitation_codes.py).

        Raises StateError unless it is a frozen survey whose responses come from browsers."""

    def invitations(self, slug: str) -> tuple[int, int]:
        """How many invitations were issued, and how many of them are spent."""

    def check_invitation(self, slug: str, token_hash: bytes) -> None:
        """Only look whether a new response with this invitation would be taken now; nothing is
        spent, and another one may come first.

        Raises, in the order of `add_response`, SurveyClosed, UnknownInvitation,
        SpentInvitation."""

    def withdraw(self, slug: str, id: bytes) -> bool:
        """Remove the response of this id and take it out of every count, so that nothing tells
        that it ever came; an invitation stays spent. False if there is none. Raises
        UnknownSurvey."""

    def add_batches(self, slug: str, batches: Iterable[list[Response]], origin: str) -> None:
        """Record responses from a file or a simulation in a closed survey, all of them or none.

        Raises StateError for any other state, or where there are responses of another origin."""

    def counts(self, slug: str) -> dict[str, dict[int, int]]:
        """How often each report came in the responses that are released, by question and code
        (survey/definition/report_formats.py), those that never came left out; costs the same at any
        number of responses. Empty, like `counts_within` and `responses`, while withdrawals have
        left too few (`StoredSurvey.isolates`)."""

    def arrived(self, slug: str) -> int:
        """How many responses there are, released or waiting; costs the same at any number."""

    def released_and_waiting(self, slug: str) -> tuple[int, int]:
        """The same in its two parts, as they are at one moment; fewer than a batch wait."""

    def counts_within(self, slug: str, by: Question) -> dict[int, dict[str, dict[int, int]]]:
        """The same counts apart for each answer to one plain question, by the code of the answer;
        takes time proportional to the responses."""

    def responses(
        self, slug: str, packs: Sequence[PackedColumns] | None = None
    ) -> Iterator[tuple[Stored | None, ...]]:
        """The reports of each respondent in the responses that are released, in random-id order,
        read piece by piece; one that is released meanwhile may be among them or not. With `packs`
        one value for each of these (survey/definition/responses/packed_columns.py)."""

    def rehearsal(self, kind: str, slug: str) -> StoredSurvey | None:
        """The pilot or the practice (survey/definition/sub_surveys.py) of a survey, if there is
        one."""

    def save_pilot(
        self, frozen: FrozenSurvey, truth: Mapping[str, Any], batches: Iterable[list[Response]]
    ) -> None:
        """Keep simulated respondents and what was assumed of them, instead of those before.

        Raises StateError where the survey holds no responses of real people."""

    def pilot_truth(self, slug: str) -> dict[str, Any] | None:
        """What was assumed for the pilot of a survey, as `read_truth` reads it; None without."""

    def start_practice(self, frozen: FrozenSurvey) -> None:
        """Let people practise, from nothing: what was sent in practice before is deleted. Changing
        the draft closes it. Raises StateError where the survey holds no responses of real
        people."""

    def delete_rehearsal(self, kind: str, slug: str) -> None:
        """Remove the pilot or the practice of a survey with all that is in it, if there is one."""

    def add_share(self, share: Share, token_hash: bytes) -> None:
        """Raises StateError for a draft."""

    def shares(self, slug: str) -> list[Share]:
        """A survey's links, the oldest first."""

    def shared(self, token_hash: bytes) -> Share | None:
        """The link of this token, if it is still good."""

    def delete_share(self, slug: str, number: int) -> None:
        """From now on the link leads nowhere; nothing happens if there is none."""

    def publish(self, slug: str, public: bool) -> None:
        """Let everyone see the estimates, or nobody but researchers. Raises StateError for a
        draft."""

    def is_published(self, slug: str) -> bool: ...

    def add_account(self, account: Account) -> None:
        """Raises StateError if the name is taken."""

    def account(self, name: str) -> Account | None: ...

    def has_accounts(self) -> bool: ...

    def add_session(self, token_hash: str, session: Session) -> None:
        """Nothing happens if the account is gone."""

    def session(self, token_hash: str) -> Session | None: ...

    def touch_session(self, token_hash: str, seen: int) -> None: ...

    def delete_session(self, token_hash: str) -> None: ...

    def delete_sessions_before(self, created: int, seen: int) -> None:
        """Forget sessions created or last seen before these moments."""

    def set_setup_token(self, token_hash: str) -> None:
        """Replace the one-time setup token."""

    def use_setup_token(self, token_hash: str, account: Account) -> bool:
        """Spend the token and add the first account; False if it is not the valid one."""

    def setup_token_is(self, token_hash: str) -> bool: ...
