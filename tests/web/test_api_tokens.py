"""API tokens: random, stored as a hash, and valid for some days."""

import re
from datetime import UTC, datetime, timedelta
from pathlib import Path

import pytest
from flask import Flask

from survey.core.errors import StateError
from survey.definition.responses.invitation_codes import token_hash
from survey.server import clock
from survey.server.settings import Settings
from survey.store import ANALYST, Store
from survey.store.sql.tokens import MAX_TOKENS_PER_ACCOUNT, ApiToken
from survey.web import api_tokens
from tests.support.api_programs import Program, assert_refused, today
from tests.support.researchers import signed_in


def test_a_token_is_256_random_bits_and_stored_only_as_a_hash(
    app: Flask, store: Store, token: str, settings: Settings
) -> None:
    assert re.fullmatch(r"candor_[\w-]{43}", token)
    with app.app_context():
        assert api_tokens.make_token("bob", "other", 1) != token
    store.compact()
    data = Path(settings.database).read_bytes()
    assert token.encode() not in data
    assert token.removeprefix("candor_").encode() not in data
    assert token_hash(token) in data


def test_it_is_good_up_to_its_last_day(
    program: Program, store: Store, monkeypatch: pytest.MonkeyPatch
) -> None:
    [made] = store.tokens.of_account("bob")
    assert made == ApiToken(
        account="bob", label="script", made=today(), expires=today() + timedelta(90)
    )
    midnight = datetime(made.expires.year, made.expires.month, made.expires.day, tzinfo=UTC)
    end = int(midnight.timestamp()) + 24 * 60 * 60
    monkeypatch.setattr(clock, "now", lambda: end - 1)
    assert program.get("/surveys").status_code == 200
    assert store.tokens.of_account("bob")[0].used == made.expires
    monkeypatch.setattr(clock, "now", lambda: end)
    assert_refused(program.get("/surveys"), 401)
    assert store.tokens.of_account("bob")[0].used == made.expires


@pytest.mark.both_stores
def test_the_day_of_its_last_use_is_written_once_a_day(
    program: Program, store: Store, monkeypatch: pytest.MonkeyPatch
) -> None:
    touched = []
    touch = store.tokens.touch_token
    monkeypatch.setattr(
        store.tokens, "touch_token", lambda *given: touched.append(given) or touch(*given)
    )
    for _ in range(3):
        assert program.get("/surveys").status_code == 200
    assert [used for _, used in touched] == [today()]
    assert store.tokens.of_account("bob")[0].used == today()


@pytest.mark.both_stores
def test_signing_out_everywhere_ends_ones_tokens_and_nobody_elses(
    app: Flask, program: Program, store: Store
) -> None:
    someone = signed_in(app, "ann", ANALYST)
    with app.app_context():
        hers = Program(app.test_client(), api_tokens.make_token("ann", "script", 1))
    assert hers.get("/surveys").status_code == 200
    someone.post("/admin/account/sign-out-everywhere", form="/admin/account")
    assert_refused(hers.get("/surveys"), 401)
    assert program.get("/surveys").status_code == 200


@pytest.mark.parametrize(
    ("label", "days", "words"),
    [
        ("", 90, "Use 1 to 40 characters for the name of a token."),
        ("x" * 41, 90, "Use 1 to 40 characters for the name of a token."),
        ("a\0b", 90, "Use 1 to 40 characters for the name of a token."),
        ("other", 0, "1 to 365 days"),
        ("other", 366, "1 to 365 days"),
        ("script", 90, "already has a token 'script'"),
        (" script ", 90, "already has a token 'script'"),
    ],
)
def test_what_no_token_can_be_is_said(
    app: Flask, store: Store, token: str, label: str, days: int, words: str
) -> None:
    with app.app_context(), pytest.raises(StateError, match=words):
        api_tokens.make_token("bob", label, days)
    assert len(store.tokens.of_account("bob")) == 1


@pytest.mark.both_stores
def test_an_account_has_a_few_and_a_stranger_none(app: Flask, store: Store, token: str) -> None:
    with app.app_context():
        for number in range(MAX_TOKENS_PER_ACCOUNT - 1):
            api_tokens.make_token("bob", f"{number}", 1)
        with pytest.raises(StateError, match="which is the maximum"):
            api_tokens.make_token("bob", "one more", 1)
        with pytest.raises(StateError, match="There is no account 'nobody'"):
            api_tokens.make_token("nobody", "one", 1)
