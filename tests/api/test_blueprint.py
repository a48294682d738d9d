"""Authorization of the API: tokens, refusals in JSON, and no cookies."""

import pytest
from flask import Flask

from survey.core.errors import StoreUnavailable
from survey.definition.responses.invitation_codes import token_hash
from survey.server import clock
from survey.store import Store
from survey.web import sign_in_limits
from tests.support.api_programs import Program, assert_refused, paths, remove, some_responses
from tests.support.definitions import definition, opened
from tests.support.researchers import signed_in


def test_no_route_answers_without_a_good_token_or_in_another_way(
    app: Flask, store: Store, token: str
) -> None:
    some_responses(store)
    client = app.test_client()
    found = paths(app, store)
    assert len(found) >= 7
    for path in found:
        for headers in (
            {},
            {"Authorization": token},
            {"Authorization": "Bearer"},
            {"Authorization": f"Bearer {token}x"},
            {"Authorization": f"Bearer {token_hash(token).hex()}"},
            {"Authorization": f"Basic {token}"},
            {"Authorization": "Bearer \xff"},
            {"X-Api-Key": token},
            {"Cookie": f"token={token}; candor={token}"},
        ):
            sign_in_limits.limiter.reset()
            reply = client.get(path, headers=headers)
            assert_refused(reply, 401)
            challenge = reply.headers["WWW-Authenticate"]
            assert challenge.startswith("Bearer realm=")
            assert ("invalid_token" in challenge) == ("Authorization" in headers)
        for name in ("token", "access_token", "Authorization"):
            sign_in_limits.limiter.reset()
            query = f"{'&' if '?' in path else '?'}{name}={token}"
            assert_refused(client.get(path + query), 401)
        good = {"Authorization": f"bearer {token}"}
        for method in ("POST", "PUT", "PATCH", "DELETE", "OPTIONS"):
            reply = client.open(path, method=method, headers=good)
            assert_refused(reply, 405)
            assert reply.headers["Allow"] == "GET, HEAD"
        assert client.get(path, headers=good, buffered=True).status_code == 200
        assert client.head(path, headers=good, buffered=True).data == b""
        assert client.head(path).status_code == 401


def test_a_session_is_no_token_and_a_token_no_session(app: Flask, store: Store, token: str) -> None:
    opened(store, definition())
    someone = signed_in(app)
    assert_refused(someone.client.get("/api/v1/surveys"), 401)
    reply = app.test_client().get("/admin/", headers={"Authorization": f"Bearer {token}"})
    assert reply.location == "/admin/sign-in"


def test_it_sets_no_cookie_and_lets_no_other_site_in(program: Program, store: Store) -> None:
    opened(store, definition())
    reply = program.get("/surveys/health", Origin="https://other.example")
    assert reply.status_code == 200
    assert "Set-Cookie" not in reply.headers
    assert not [name for name, _ in reply.headers if name.startswith("Access-Control")]
    assert reply.headers["Cache-Control"] == "no-store"


def test_wrong_tokens_are_throttled_and_good_ones_never(
    app: Flask, program: Program, token: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    stranger = Program(app.test_client(), "wrong")
    seconds = 50_000.0
    monkeypatch.setattr(clock, "steady", lambda: seconds)
    for _ in range(15):
        assert_refused(stranger.get("/surveys"), 401)
    for passed, left in ((0, 600), (120.5, 480), (479, 1)):
        seconds += passed
        reply = stranger.get("/surveys")
        assert_refused(reply, 429)
        assert int(reply.headers["Retry-After"]) == left
    assert program.get("/surveys").status_code == 200  # from the same address
    elsewhere = app.test_client().get("/api/v1/surveys", environ_base={"REMOTE_ADDR": "192.0.2.7"})
    assert_refused(elsewhere, 401)


def test_wrong_tokens_of_one_ipv6_network_are_counted_together(app: Flask) -> None:
    def ask(address: str) -> int:
        sent = {"Authorization": "Bearer wrong"}
        place = {"REMOTE_ADDR": address}
        return (
            app.test_client().get("/api/v1/surveys", headers=sent, environ_base=place).status_code
        )

    assert [ask(f"2001:db8::{n:x}") for n in range(16)] == [401] * 15 + [429]
    assert ask("2001:db8:0:1::1") == 401


def test_an_address_that_there_is_not_is_told_in_json(program: Program) -> None:
    for path in ("/survey", "/surveys/health/estimates.xlsx", "/"):
        assert_refused(program.get(path), 404)


def test_another_role_leaves_it_since_it_only_reads(program: Program, store: Store) -> None:
    remove(store, "UPDATE accounts SET role = 'editor' WHERE name = 'bob'")
    assert program.get("/surveys").status_code == 200


def test_a_database_that_cannot_be_used_is_503(
    program: Program, store: Store, monkeypatch: pytest.MonkeyPatch
) -> None:
    def gone(*_: object) -> None:
        raise StoreUnavailable("disk I/O error")

    monkeypatch.setattr(store.surveys, "list_surveys", gone)
    reply = program.get("/surveys")
    assert_refused(reply, 503)
    assert int(reply.headers["Retry-After"]) > 0
    assert "disk" not in reply.get_data(as_text=True)
    monkeypatch.setattr(store.tokens, "by_hash", gone)
    assert_refused(program.get("/surveys/health"), 503)
