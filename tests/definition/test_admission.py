"""Responses in one group get the same results as one after the other, and are stored equally."""

import random
from collections.abc import Sequence

import pytest

from survey.core.errors import SurveyError
from survey.definition.responses.admission import Verdict, published_at_once
from survey.definition.responses.invitation_codes import token_hash
from survey.definition.responses.parse_response import Response
from survey.server.settings import Settings
from survey.store import Limits, Store, open_store
from survey.store.sqlite.store import SQLiteStore
from tests.support.definitions import definition, opened, yes_no

SLUG = "health"


def test_what_is_published_at_once_is_what_is_published_one_by_one() -> None:
    for batch in range(1, 9):
        for waiting in range(12):
            for new in range(40):
                waits, published = waiting, 0
                for number in range(1, new + 1):
                    waits += 1
                    if waits >= batch:
                        waits, published = 0, number
                assert published_at_once(waiting, new, batch) == published


def one_by_one(store: Store, sent: Sequence[tuple[str, Response]]) -> list[Verdict]:
    verdicts: list[Verdict] = []
    for slug, response in sent:
        try:
            verdicts.append(store.responses.add_response(slug, response))
        except SurveyError as error:
            verdicts.append(error)
    return verdicts


def in_groups(
    store: Store, sent: Sequence[tuple[str, Response]], r: random.Random
) -> list[Verdict]:
    verdicts: list[Verdict] = []
    while len(verdicts) < len(sent):
        start = len(verdicts)
        verdicts += store.responses.add_all(sent[start : start + r.randint(1, 30)])
    return verdicts


def sentences(verdicts: Sequence[Verdict]) -> list[object]:
    return [each if isinstance(each, bool) else (type(each), str(each)) for each in verdicts]


def rows_of(store: SQLiteStore, table: str) -> list[object]:
    with store.database.reading() as db:
        return sorted(db.execute(f"SELECT * FROM {table}").fetchall())


@pytest.mark.parametrize("seed", range(12))
def test_a_group_is_told_and_stored_as_one_by_one(seed: int, settings: Settings) -> None:
    """Surveys with and without a cap and invitations, with batches of several sizes.

    Ids, reports and invitations are repeated, within a group and across groups.
    """
    r = random.Random(seed)
    batch, cap, invited = r.choice([1, 3, 7, 25]), r.choice([None, 9, 40]), r.random() < 0.5
    fieldwork = {"batch": batch, "invitations": invited}
    stores = []
    for name in ("alone", "together"):
        store = open_store(f"{settings.database}.{name}")
        opened(store, definition(yes_no(), slug=SLUG, **fieldwork))
        store.lifecycle.set_limits(SLUG, Limits(cap=cap))
        if invited:
            store.invitations.add_invitations(SLUG, [token_hash(str(k)) for k in range(60)])
        stores.append(store)
    sent = []
    for _ in range(120):
        code = token_hash(str(r.randrange(70))) if invited else None
        sent.append((SLUG, Response(bytes([r.randrange(80)]) * 16, (r.randrange(3),), code)))
    alone, together = stores
    expected = sentences(one_by_one(alone, sent))
    assert sentences(in_groups(together, sent, r)) == expected
    for table in ("responses_health", "invitations", "surveys"):
        assert rows_of(together, table) == rows_of(alone, table)
    # In one commit, it does not matter which of the responses are published, so they may differ.
    # The counts of each store are those of its published responses.
    assert len(rows_of(together, "waiting")) == len(rows_of(alone, "waiting"))
    for store in stores:
        assert list(store.integrity.faults()) == []
    assert together.database.uncompacted == alone.database.uncompacted
    assert together.database.compaction_due == alone.database.compaction_due
    # New, repeated, and at least one refusal.
    assert len(set(map(str, expected))) >= 3
    for store in stores:
        store.close()


def test_surveys_are_told_apart_and_an_unknown_one_spoils_nothing(store: Store) -> None:
    for slug in ("health", "other"):
        opened(store, definition(yes_no(), slug=slug))
    store.lifecycle.set_state("other", "closed")
    responses = [Response(bytes([k]) * 16, (0,)) for k in range(4)]
    slugs = ["health", "nowhere", "other", "health"]
    told = store.responses.add_all(list(zip(slugs, responses, strict=True)))
    assert [type(each).__name__ for each in told] == [
        "bool",
        "UnknownSurvey",
        "SurveyClosed",
        "bool",
    ]
    assert store.counts.number_of_responses("health") == 2
    assert store.counts.number_of_responses("other") == 0


def test_a_cap_is_shared_with_the_part_for_real_coins(store: Store) -> None:
    question = yes_no(privacy={"mechanism": "coin_flip"})
    opened(store, definition(question, slug=SLUG, by_hand=True))
    store.lifecycle.set_limits(SLUG, Limits(cap=3))
    slugs = [SLUG, f"{SLUG}.by-hand", SLUG, f"{SLUG}.by-hand", SLUG]
    sent = [(slug, Response(bytes([k]) * 16, (0,))) for k, slug in enumerate(slugs)]
    told = store.responses.add_all(sent)
    assert told.count(True) == 3
    assert (
        store.counts.number_of_responses(SLUG) + store.counts.number_of_responses(f"{SLUG}.by-hand")
        == 3
    )
    assert (
        store.surveys.by_slug(SLUG).state
        == store.surveys.by_slug(f"{SLUG}.by-hand").state
        == "closed"
    )
    assert store.database.compaction_due
