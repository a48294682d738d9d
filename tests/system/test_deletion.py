"""Deleted data leaves no byte: SQLite's files at once, PostgreSQL's after compaction.

The tests search the bytes of all files for words and keys in their stored form. Before the deletion
the search finds them, which shows that the search works. tests/admin/test_lifecycle.py and
test_withdrawal.py check the same from inside: the deleted rows, and the figures afterwards.
"""

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from datetime import date
from pathlib import Path

import pytest

from survey.definition.frozen import freeze
from survey.definition.responses.invitation_codes import token_hash
from survey.definition.responses.parse_response import Response
from survey.definition.sub_surveys import PILOT, PRACTICE, pilot_of, practice_of
from survey.definition.survey import parse_survey
from survey.server.settings import Settings
from survey.store import OWNER, Account, Session, Share, Store
from survey.store.sql.codes import NO_CODE
from survey.store.sql.saved_analyses import SavedAnalysis
from survey.store.sql.tokens import ApiToken
from survey.store.sql.webhooks import Threshold, Webhook
from tests.support.definitions import definition, opened, yes_no
from tests.support.postgresql import Cluster, files_of
from tests.support.stores import connected, is_postgresql

pytestmark = pytest.mark.both_stores

CODE = "7" * 26
REMARKS = {"name": "remarks", "type": "text", "label": "CanaryLabel?", "privacy": "none"}
SURVEY = definition(
    yes_no(), REMARKS, title="CanaryTitle", introduction="CanaryIntroduction",
    invitations=True, receipts=True,
)  # fmt: skip # and so short that PostgreSQL does not compress it


def key(text: str) -> bytes:
    """The 16 bytes of a response's id."""
    return f"{text:*<16}".encode()


def answer(store: Store, slug: str, name: str, code: bytes | None = None) -> None:
    texts = Response(key(f"{name}Tx"), (f"{name}Text",))
    store.responses.add_response(slug, Response(key(f"{name}Id"), (1,), code, texts))


def a_draft(store: Store) -> None:
    store.surveys.save_draft(parse_survey(SURVEY))


def a_survey(store: Store) -> None:
    """A survey with everything that may belong to one."""
    opened(store, SURVEY)
    store.invitations.add_invitations("health", [token_hash(CODE)])
    answer(store, "health", "Canary", token_hash(CODE))
    store.shares.add_share(Share("health", "CanaryReader"), key("CanaryShare") * 2)
    hook = Webhook(key("CanaryHook"), "health", "https://canaryhost.example/", (Threshold(9),))
    store.webhooks.add_webhook(hook)
    store.designs.keep_design("health", "region,weight\nCanaryRegion,1.5\n")
    saved = SavedAnalysis(
        survey="health", name="CanaryAnalysis", analysis="crosstab", query="rows=CanaryRow"
    )
    store.saved_analyses.save(saved)
    store.codes.add_code("health", "CanaryCode")
    store.codes.set_codings("health", "CanaryCoder", {key("CanaryText") * 2: [NO_CODE]})
    store.lifecycle.set_state("health", "closed")


def a_response(store: Store) -> None:
    opened(store, definition(yes_no(), REMARKS, receipts=True))
    answer(store, "health", "Canary")


def rehearsals(store: Store) -> None:
    survey = parse_survey(definition(yes_no(), REMARKS))
    store.surveys.save_draft(survey)
    responses = [Response(key("CanaryId"), (1,))]
    store.rehearsals.save_pilot(
        freeze(pilot_of(survey), to_open=False), {"CanaryTruth": {}}, [responses]
    )
    store.rehearsals.start_practice(freeze(practice_of(survey), to_open=False))
    answer(store, "health.practice", "CanaryPractice")


def end_rehearsals(store: Store) -> None:
    for kind in (PILOT, PRACTICE):
        store.rehearsals.delete_rehearsal(kind, "health")


def a_person(store: Store) -> None:
    for name in ("ada", "canaryname"):
        store.accounts.add_account(
            Account(name=name, role=OWNER, password_hash=f"scrypt:CanaryHash-{name}")
        )
    store.accounts.add_session("CanarySession", Session("canaryname", 1, 2))
    made = ApiToken(
        account="canaryname", label="CanaryLabel", made=date(2026, 1, 1), expires=date(2026, 4, 1)
    )
    store.tokens.add_token(key("CanaryToken") * 2, made)
    store.factors.begin_second_factor("canaryname", key("CanarySalt"))
    store.factors.confirm_second_factor("canaryname", 5, [key("CanaryCode") * 2])


@dataclass(frozen=True)
class Case:
    """The data, the deletion, and the bytes that the search looks for."""

    fill: Callable[[Store], None]
    delete: Callable[[Store], object]
    canaries: tuple[bytes, ...]


RESPONSE = (key("CanaryId"), key("CanaryTx"), b"CanaryText")
PRACTICE_TEXT = (key("CanaryPracticeTx"), b"CanaryPracticeText")


def withdraw(store: Store) -> bool:
    return store.responses.withdraw("health", key("CanaryId"), key("CanaryTx"))


def delete_for_good(store: Store) -> None:
    """A deleted draft stays for 30 days, unless someone deletes it for good."""
    store.deleted_drafts.delete_draft("health", date.today())
    [draft] = store.deleted_drafts.list_deleted(date.today())
    store.deleted_drafts.drop_deleted(draft.number)


CASES = {
    "a draft": Case(
        a_draft,
        delete_for_good,
        (b"CanaryTitle", b"CanaryIntroduction"),
    ),
    "a survey": Case(
        a_survey,
        lambda store: store.lifecycle.delete_survey("health"),
        (
            *(b"CanaryTitle", b"CanaryIntroduction", b"CanaryReader", b"canaryhost"),
            *(
                b"CanaryRegion",
                *RESPONSE,
                token_hash(CODE),
                key("CanaryShare"),
                key("CanaryHook"),
            ),
        ),
    ),
    "a response": Case(a_response, withdraw, RESPONSE),
    "rehearsals": Case(
        rehearsals, end_rehearsals, (b"CanaryTruth", key("CanaryId"), *PRACTICE_TEXT)
    ),
    "a person": Case(
        a_person,
        lambda store: store.accounts.remove_account("canaryname"),
        (
            *(b"CanaryHash-canaryname", b"CanarySession"),
            *(key("CanaryToken"), key("CanarySalt"), key("CanaryCode")),
        ),
    ),
}


def files(database: str, request: pytest.FixtureRequest) -> Iterator[Path]:
    """All files of a database."""
    if not is_postgresql(database):
        yield from Path(database).parent.glob(f"{Path(database).name}*")
        return
    server: Cluster = request.getfixturevalue("postgresql_server")
    server.administer("CHECKPOINT")  # A checkpoint writes the contents of memory to a file.
    for folder in (files_of(server, database), server.data / "pg_wal"):
        yield from (each for each in folder.rglob("*") if each.is_file())


@pytest.mark.parametrize("name", CASES)
def test_what_is_deleted_is_in_no_byte(
    name: str, store: Store, settings: Settings, request: pytest.FixtureRequest
) -> None:
    case = CASES[name]

    def found() -> set[bytes]:
        contents = [each.read_bytes() for each in files(settings.database, request)]
        return {canary for canary in case.canaries if any(canary in each for each in contents)}

    case.fill(store)
    opened(store, definition(slug="other"))
    assert found() == set(case.canaries)
    case.delete(store)
    if is_postgresql(settings.database):
        store.compact()
    assert found() == set()
    assert store.surveys.by_slug("other").state == "open"


@pytest.mark.sqlite_only
def test_while_somebody_reads_it_stays_in_the_log_until_the_next_compaction(
    store: Store, settings: Settings
) -> None:
    """Compact as described in docs/how-to/back-up-and-restore.md."""
    a_response(store)
    log = Path(f"{settings.database}-wal")
    with connected(settings.database) as reader:
        reader.execute("SELECT * FROM responses_health").fetchone()
        withdraw(store)
        assert key("CanaryId") in log.read_bytes()
    store.compact()
    assert key("CanaryId") not in Path(settings.database).read_bytes() + log.read_bytes()
