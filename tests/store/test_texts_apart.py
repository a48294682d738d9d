"""Texts that are stored apart: unread until the survey closes, and joined to no response."""

import random
from collections.abc import Iterator
from contextlib import closing
from dataclasses import dataclass, field

import pytest

from survey.definition.responses.parse_response import Response
from survey.definition.survey import parse_survey
from survey.estimation.progress import why_unread
from survey.server.stopping_rule import StoppingRule
from survey.store import Limits, Store, open_store
from survey.store.copy_database import copy_all
from survey.store.sql import responses as responses_module
from tests.support.definitions import definition, opened, yes_no
from tests.support.every_type import asked
from tests.support.stores import connected, tables_with

pytestmark = pytest.mark.both_stores

WHY = asked("why", "text", "none")
CONTENT = definition(yes_no(), WHY, receipts=True, batch=25)
PART, TABLE = "health.texts", "responses_health.texts"


def sent(number: int, slug: str = "") -> Response:
    """The response of a respondent with a number, whose text says the number."""
    ids = random.Random(f"{slug}{number}")
    texts = Response(ids.randbytes(16), (f"text {number}",))
    return Response(ids.randbytes(16), (number % 2,), texts=texts)


def answer(store: Store, *numbers: int) -> list[Response]:
    new = [sent(number) for number in numbers]
    assert store.responses.add_all([("health", each) for each in new]) == [True] * len(new)
    return new


def close(store: Store) -> None:
    store.lifecycle.set_state("health", "closed")


def reopen(store: Store) -> None:
    store.lifecycle.set_state("health", "open")


def readable(store: Store) -> set[int]:
    """The numbers of the people whose texts can be read."""
    rows = [row for (row,) in store.responses.rows(PART)]
    counts = store.counts.by_question(PART)
    assert counts == ({"why": {0: len(rows)}} if rows else {})
    return {int(str(row).removeprefix("text ")) for row in rows}


def withdraw(store: Store, number: int) -> None:
    one = sent(number)
    assert one.texts is not None
    assert store.responses.withdraw("health", one.id, one.texts.id)


def cells(database: str) -> Iterator[tuple[str, object]]:
    """Every value of the database, with its table."""
    tables = tables_with(database)
    with connected(database) as db:
        for table in tables:
            for row in db.execute(f'SELECT * FROM "{table}"').fetchall():
                yield from ((table, value) for value in row)


def require_nothing_on_single_texts(store: Store, database: str, people: list[Response]) -> None:
    """No value says anything about one text but its own row, which has its id and the text."""
    store.compact()
    ids = {each.texts.id for each in people if each.texts is not None}
    assert {table for table, value in cells(database) if value in ids} <= {TABLE}
    with connected(database) as db:
        rows = db.execute(f'SELECT * FROM "{TABLE}"')
        assert [each[0] for each in rows.description] == ["id", "why"]
        waiting = db.execute("SELECT survey, id FROM waiting").fetchall()
        assert {survey for survey, _ in waiting} <= {"health"}
        counted = db.execute("SELECT survey FROM counts").fetchall()
    found = store.surveys.by_slug(PART)
    if found.unread:
        assert (PART,) not in map(tuple, counted)
    assert list(store.integrity.faults()) == []


def test_after_each_batch_and_each_closing_nothing_joins_the_last_text(store, settings):
    """The last response waits alone. Any mark on the last text would join the two."""
    opened(store, CONTENT)
    people = []
    for n in range(1, 27):
        people += answer(store, n)
        if n in (1, 24, 25, 26):
            require_nothing_on_single_texts(store, settings.database, people)
            assert readable(store) == set()
    assert store.counts.published_and_waiting("health") == (25, 1)
    close(store)
    # The last response goes on waiting, because it is one of fewer than 5. Its text does not.
    assert store.counts.published_and_waiting("health") == (25, 1)
    assert readable(store) == set(range(1, 27))
    require_nothing_on_single_texts(store, settings.database, people)
    reopen(store)
    assert readable(store) == set()
    people += answer(store, 27)
    require_nothing_on_single_texts(store, settings.database, people)
    close(store)
    assert readable(store) == set()
    require_nothing_on_single_texts(store, settings.database, people)
    assert store.counts.number_of_responses(PART) == 27


@pytest.mark.parametrize("left", [1, 2, 3, 4])
def test_a_closing_with_few_waiting_responses_publishes_all_texts(store, settings, left):
    opened(store, CONTENT)
    people = answer(store, *range(25 + left))
    close(store)
    assert store.counts.published_and_waiting("health") == (25, left)
    assert readable(store) == set(range(25 + left))
    require_nothing_on_single_texts(store, settings.database, people)


def test_fewer_than_five_stay_unread_until_more_arrive(store):
    opened(store, CONTENT | {"batch": 1})  # The size of a batch does not matter.
    answer(store, 1, 2, 3, 4)
    close(store)
    assert store.counts.published_and_waiting("health") == (4, 0)
    assert readable(store) == set()
    assert store.texts.progress(PART).received == 4
    reopen(store)
    answer(store, 5)
    assert readable(store) == set()
    close(store)
    assert readable(store) == {1, 2, 3, 4, 5}


def test_after_a_reopening_texts_are_shown_with_none_or_with_25_new_ones(store):
    opened(store, CONTENT)
    answer(store, *range(30))
    close(store)
    everyone = set(range(30))
    assert readable(store) == everyone
    reopen(store)
    assert readable(store) == set()
    close(store)
    assert readable(store) == everyone
    reopen(store)
    answer(store, *range(30, 54))
    close(store)
    assert readable(store) == set()
    assert (store.texts.progress(PART).published, store.texts.progress(PART).new) == (30, 24)
    reopen(store)
    answer(store, 54)
    close(store)
    assert readable(store) == set(range(55))


def test_a_withdrawal_takes_effect_at_once_in_every_state(store, settings):
    opened(store, CONTENT)
    people = answer(store, *range(30))
    withdraw(store, 0)
    close(store)
    withdraw(store, 1)
    assert readable(store) == set(range(2, 30))
    reopen(store)
    withdraw(store, 2)
    close(store)
    assert readable(store) == set(range(3, 30))
    for number in range(3, 25):
        withdraw(store, number)
    assert len(readable(store)) == 5
    withdraw(store, 25)
    # As few as these could be read one by one.
    assert readable(store) == set()
    assert "Withdrawals left only those of 4 people." in why_unread(
        store.texts.progress(PART), "closed"
    )
    require_nothing_on_single_texts(store, settings.database, people)


def test_withdrawals_do_not_put_a_new_text_in_the_place_of_a_published_one(store):
    """Otherwise, people who withdraw published texts could see the only new one."""
    opened(store, CONTENT)
    answer(store, *range(10))
    close(store)
    reopen(store)
    answer(store, 10)
    for number in range(3):
        withdraw(store, number)
    close(store)
    assert readable(store) == set()
    assert store.texts.progress(PART).new == 1
    reopen(store)
    answer(store, *range(11, 35))
    close(store)
    assert readable(store) == set(range(3, 35))


def test_every_way_of_closing_publishes_the_texts(store, settings):
    opened(store, CONTENT)
    store.lifecycle.set_limits("health", Limits(cap=6))
    answer(store, *range(6))
    assert store.surveys.by_slug("health").state == "closed"
    assert readable(store) == set(range(6))
    for slug, rest in (
        ("day", {}),
        ("precise", {"stop_at": 40}),
        ("class", {"class_mode": True, "batch": 5}),
    ):
        opened(store, CONTENT | {"slug": slug} | rest)
        texts = f"{slug}.texts"
        group = [(slug, sent(n, slug)) for n in range(200 if slug == "precise" else 7)]
        store.responses.add_all(group)
        assert list(store.responses.rows(texts)) == []
        if slug == "day":
            store.lifecycle.set_limits(slug, Limits(closes=5))
            store.lifecycle.close_due(6)
        elif slug == "precise":
            StoppingRule(store).look()
        else:
            store.lifecycle.set_state(slug, "closed")
        assert store.surveys.by_slug(slug).state == "closed", slug
        assert len(list(store.responses.rows(texts))) == len(group)
    store.lifecycle.end_class("class")
    store.lifecycle.delete_survey("day")
    assert {listed.slug for listed in store.surveys.list_surveys()} == {"health", "precise"}
    assert not any("class" in str(value) for _, value in cells(settings.database))


def test_a_download_ends_when_the_survey_opens_again(store, monkeypatch):
    """A page of it must not show the text of a respondent who came between two pages."""
    monkeypatch.setattr(responses_module, "EXPORT_PAGE_RESPONSES", 2)
    opened(store, CONTENT)
    answer(store, *range(10))
    close(store)
    download = store.responses.rows(PART)
    seen = [next(download), next(download)]
    reopen(store)
    answer(store, *range(10, 20))
    close(store)
    seen += download
    assert len(seen) == 2
    assert {row[0] for row in seen} <= {f"text {number}" for number in range(10)}


@dataclass
class Model:
    """The numbers of people, as they should be."""

    texts: set[int] = field(default_factory=set)
    came: int = 0


@pytest.mark.parametrize("seed", [0, *(pytest.param(n, marks=pytest.mark.slow) for n in (1, 2))])
def test_every_acknowledged_text_is_published_unread_or_withdrawn(store, tmp_path, seed):
    r, model = random.Random(seed), Model()
    opened(store, CONTENT | {"batch": r.choice([1, 3, 25])})
    state = "open"
    for _ in range(25 if seed == 0 else 80):
        act = r.choice(["answer", "answer", "withdraw", "close", "reopen", "compact"])
        if act == "answer" and state == "open":
            new = range(model.came, model.came + r.choice([1, 3, 26]))
            answer(store, *new)
            model.texts |= set(new)
            model.came = new.stop
        elif act == "withdraw" and model.texts:
            number = r.choice(sorted(model.texts))
            withdraw(store, number)
            model.texts.discard(number)
        elif act in ("close", "reopen"):
            state = "closed" if act == "close" else "open"
            store.lifecycle.set_state("health", state)
        else:
            store.compact()
        read = readable(store)
        assert read in (set(), model.texts)
        assert not read or state == "closed"
        assert store.counts.number_of_responses(PART) == len(model.texts)
        assert list(store.integrity.faults()) == []
    with closing(open_store(str(tmp_path / "copy.db"))) as copy:
        copy_all(store, copy)
        assert readable(copy) == readable(store)
        assert copy.texts.progress(PART) == store.texts.progress(PART)
        assert list(copy.integrity.faults()) == []


def guesses(texts: list[int], people: list[int]) -> int:
    """How many right pairs someone finds who takes both files to be in one order."""
    return sum(one == other for one, other in zip(texts, people, strict=True))


@pytest.mark.parametrize("n", [60, pytest.param(1_000, marks=pytest.mark.slow)])
def test_neither_files_nor_tables_join_texts_to_responses_better_than_chance(store, settings, n):
    """The number of right guesses among n random pairs is Poisson with mean 1.

    Chance + 3 standard errors is 4, and a list in one order would give n. All ids are fixed, so the
    test always passes or always fails.
    """
    content = definition(yes_no(), asked("age", "number", "none", min=0, max=n, step=1), WHY)
    opened(store, content)
    person = {}
    for number in random.Random(1).sample(range(n), n):
        one = sent(number)
        assert one.texts is not None
        # Everyone's age is another one here, so that the rows of both files can be recognised.
        store.responses.add_response("health", Response(one.id, (0, number), texts=one.texts))
        person[one.id], person[one.texts.id] = number, number
    close(store)
    store.compact()
    files = (
        [int(str(text).removeprefix("text ")) for (text,) in store.responses.rows(PART)],
        [int(age) for _, age in store.responses.rows("health")],
    )
    with connected(settings.database) as db:
        tables = [
            [person[bytes(id)] for (id,) in db.execute(f'SELECT id FROM "{table}"').fetchall()]
            for table in (TABLE, "responses_health")
        ]
    for texts, people in (files, tables):
        assert sorted(texts) == sorted(people) == list(range(n))
        for other in (people, people[::-1]):
            assert guesses(texts, other) <= 4


def test_sentences_say_why_texts_are_unread(store):
    opened(store, CONTENT)

    def why() -> str:
        state = store.surveys.by_slug("health").state
        return why_unread(store.texts.progress(PART), state)

    assert why().startswith("Nobody can read texts before the survey closes.")
    answer(store, 1, 2)
    close(store)
    assert why() == (
        "Candor does not show the texts of 2 people. With fewer than 5 people, someone could see "
        "who wrote them. Reopen the survey to receive more. No text is lost."
    )
    reopen(store)
    answer(store, 3, 4, 5)
    close(store)
    assert why() == ""
    reopen(store)
    assert why().startswith("While the survey is open again, nobody can read its texts.")
    answer(store, 6)
    close(store)
    assert why() == (
        "Candor does not show the texts. Since they were published, the survey was open again, and "
        "1 person answered. With fewer than 25 people, someone could see who wrote the new texts. "
        "Reopen the survey to receive more. No text is lost."
    )


def test_a_survey_without_texts_has_none_of_this(store):
    opened(store, definition(yes_no()))
    close(store)
    reopen(store)
    assert parse_survey(definition(yes_no())).texts_apart is None
    assert store.surveys.by_slug("health").unread is False
