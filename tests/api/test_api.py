"""The API: authorization, answers, and a document that agrees with them."""

import io
import json
import os
import random
import re
import shutil
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from datetime import UTC, date, datetime, timedelta
from pathlib import Path
from zipfile import ZipFile

import pytest
from flask import Flask
from flask.testing import FlaskClient
from jsonschema import Draft202012Validator
from jsonschema.exceptions import ValidationError
from openapi_spec_validator import validate
from openapi_spec_validator.validation.exceptions import OpenAPIValidationError
from werkzeug.test import TestResponse

from app import create_app
from survey.analysis.columns.column_request import analysed
from survey.analysis.sentences import crosstab_sentence
from survey.analysis.tables.crosstabs import crosstab
from survey.api.blueprint import OPERATIONS
from survey.api.schemas import SCHEMAS
from survey.core.errors import StateError, StoreUnavailable
from survey.definition.frozen import freeze
from survey.definition.responses.invitation_codes import token_hash
from survey.definition.responses.parse_response import Response
from survey.definition.survey import parse_survey
from survey.formats.csv_import import read_truth
from survey.formats.data_files import DATA_FILES
from survey.planning.simulation import simulate_responses
from survey.server import clock
from survey.server.settings import Settings
from survey.store import ANALYST, MEMBER, OWNER, Account, Store
from survey.store.sql.tokens import MAX_TOKENS_PER_ACCOUNT, ApiToken
from survey.web import api_tokens, sign_in_limits
from tests.support.api_examples import EXAMPLES, blocks
from tests.support.definitions import definition, opened, yes_no
from tests.support.every_type import EVERY_TYPE, SAMPLED, TRUTH, asked, drawn, stored
from tests.support.lengths import length, soak
from tests.support.researchers import PASSWORD, password_hash, signed_in
from tests.support.saved_analyses import QUESTIONS, SAVED, answers, save_all, unzipped
from tests.support.servers import Live
from tests.support.texts_apart import publish_texts

# Those of analyses need more than the address of a survey: see "analyses" below.
SIMPLE = [each for each in OPERATIONS if not each.of_an_analysis and not each.of_a_saved_analysis]
OF_A_SURVEY = [each for each in SIMPLE if each.of_a_survey]
NO_DRAFTS = [each for each in SIMPLE if not each.drafts]
OF_AN_ANALYSIS = [each for each in OPERATIONS if each.of_an_analysis]


def today() -> date:
    return datetime.now(UTC).date()


class Program:
    """A client that sends a token, or none."""

    def __init__(self, client: FlaskClient, token: str | None = None):
        self.client = client
        self.headers = {} if token is None else {"Authorization": f"Bearer {token}"}

    def get(self, path: str, **headers: str) -> TestResponse:
        return self.client.get(f"/api/v1{path}", headers=self.headers | headers, buffered=True)


@pytest.fixture
def token(app: Flask, store: Store) -> str:
    store.accounts.add_account(Account("bob", ANALYST, password_hash()))
    with app.app_context():
        return api_tokens.make_token("bob", "script", 90)


@pytest.fixture
def program(app: Flask, token: str) -> Program:
    return Program(app.test_client(), token)


def some_responses(store: Store) -> None:
    """A survey with a saved analysis, and with enough responses for it."""
    opened(store, definition())
    save_all(store, reports=("validity", "asked=smokes:0"))
    for number in range(30):
        store.responses.add_response("health", Response(bytes([number]) * 16, (number % 2,)))


def assert_refused(reply: TestResponse, status: int) -> None:
    """Check for a sentence in JSON, no cookie, and no permission for other sites."""
    assert reply.status_code == status
    assert reply.mimetype == "application/json"
    assert list(reply.get_json()) == ["error"]
    assert reply.get_json()["error"].endswith(".")
    assert "Set-Cookie" not in reply.headers
    assert not [name for name, _ in reply.headers if name.startswith("Access-Control")]


# --- authorization


def paths(app: Flask, store: Store) -> list[str]:
    """Each route of the API, for an existing survey."""
    rules = [rule for rule in app.url_map.iter_rules() if rule.rule.startswith("/api")]
    assert {rule.endpoint.partition(".")[0] for rule in rules} == {"api"}
    number = next((str(each.number) for each in store.saved_analyses.saved("health")), "1")
    whole = [rule.rule.replace("<slug>", "health").replace("<number>", number) for rule in rules]
    return [
        path.replace("<analysis>", "validity") + "?asked=smokes:0" * ("<a" in path)
        for path in whole
    ]


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


# --- tokens


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
    assert made == ApiToken("bob", "script", today(), today() + timedelta(90))
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


def remove(store: Store, sql: str) -> None:
    with store.database.transaction() as db:  # type: ignore[attr-defined]
        db.execute(sql)


@pytest.mark.both_stores
@pytest.mark.parametrize(
    "change",
    [
        "DELETE FROM accounts WHERE name = 'bob'",
        "UPDATE accounts SET password_hash = '' WHERE name = 'bob'",
        "UPDATE accounts SET password_hash = 'other' WHERE name = 'bob'",
    ],
)
def test_it_ends_with_its_account_and_its_password_whoever_changes_them(
    app: Flask, program: Program, store: Store, change: str
) -> None:
    """The change uses SQL directly, as any method of the store may in the future."""
    store.accounts.add_account(Account("eve", OWNER, password_hash()))
    with app.app_context():
        other = Program(app.test_client(), api_tokens.make_token("eve", "hers", 1))
    remove(store, change)
    assert_refused(program.get("/surveys"), 401)
    assert store.tokens.of_account("bob") == []
    assert other.get("/surveys").status_code == 200
    if change.startswith("DELETE"):  # The next user of the name does not get the token.
        store.accounts.add_account(Account("bob", ANALYST, password_hash()))
        assert_refused(program.get("/surveys"), 401)


@pytest.mark.both_stores
@pytest.mark.parametrize(
    "change",
    [
        lambda store: store.accounts.remove_account("bob"),
        lambda store: store.accounts.reset_account("bob", "link", 10**10),
        lambda store: store.accounts.set_password("bob", "other"),
    ],
)
def test_it_ends_in_the_very_transaction(
    program: Program, store: Store, change: Callable[[Store], None]
) -> None:
    change(store)
    assert store.tokens.of_account("bob") == []
    assert_refused(program.get("/surveys"), 401)


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


def test_another_role_leaves_it_since_it_only_reads(program: Program, store: Store) -> None:
    remove(store, "UPDATE accounts SET role = 'editor' WHERE name = 'bob'")
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


# --- the page and the commands


@pytest.mark.both_stores
def test_a_token_is_made_shown_once_and_revoked_on_the_page(app: Flask, store: Store) -> None:
    someone = signed_in(app, "ann", ANALYST)
    path = "/admin/account/tokens"
    reply = someone.post(path, {"label": "<b>Script</b>", "days": "30", "own": PASSWORD})
    assert reply.status_code == 200
    [token] = set(re.findall(r"candor_[\w-]{43}", reply.get_data(as_text=True)))
    program = Program(app.test_client(), token)
    assert program.get("/surveys").status_code == 200
    page = someone.client.get(path).get_data(as_text=True)
    assert "candor_" not in page
    assert "&lt;b&gt;Script&lt;/b&gt;" in page
    assert f"{today() + timedelta(30)}" in page
    reply = someone.post(f"{path}/revoke", {"label": "<b>Script</b>"}, form=path)
    assert reply.status_code == 302
    assert_refused(program.get("/surveys"), 401)
    assert store.tokens.of_account("ann") == []
    reply = someone.post(f"{path}/revoke", {"label": "<b>Script</b>"}, form=path)
    assert reply.status_code == 409


@pytest.mark.both_stores
def test_nobody_revokes_or_sees_the_token_of_another(
    app: Flask, program: Program, store: Store
) -> None:
    owner = signed_in(app)
    path = "/admin/account/tokens"
    assert "You have no tokens." in owner.client.get(path).get_data(as_text=True)
    assert owner.post(f"{path}/revoke", {"label": "script"}, form=path).status_code == 409
    assert program.get("/surveys").status_code == 200


@pytest.mark.parametrize(
    ("form", "words"),
    [
        ({"label": "", "days": "90"}, "Type a name, so that you know"),
        ({"label": "x" * 41, "days": "90"}, "Use at most 40 characters."),
        ({"label": "a", "days": "366"}, "Type a number from 1 to 365."),
        ({"label": "a", "days": "many"}, "This is not a whole number. Type one, such as 25."),
        ({"label": "   ", "days": "90"}, "Use 1 to 40 characters for the name of a token."),
        ({"label": "taken", "days": "90"}, "already has a token &#39;taken&#39;"),
        (
            {"label": "a", "days": "90", "own": "wrong"},
            "This is not your current password.",
        ),
        (
            {"label": "a", "days": "90", "own": ""},
            "Type your current password.",
        ),
    ],
)
def test_the_page_says_what_is_wrong_beside_the_field(
    app: Flask, store: Store, form: dict[str, str], words: str
) -> None:
    someone = signed_in(app, "ann", ANALYST)
    with app.app_context():
        api_tokens.make_token("ann", "taken", 1)
    reply = someone.post("/admin/account/tokens", {"own": PASSWORD} | form)
    assert reply.status_code == 422
    page = reply.get_data(as_text=True)
    assert words in page
    assert 'aria-invalid="true"' in page
    assert len(store.tokens.of_account("ann")) == 1


@pytest.mark.both_stores
def test_the_commands_make_list_and_revoke(app: Flask, store: Store) -> None:
    store.accounts.add_account(Account("bob", ANALYST, password_hash()))
    runner = app.test_cli_runner()

    def run(*args: str) -> str:
        done = runner.invoke(args=args)
        assert done.exit_code == 0, done.output
        return done.output

    token = run("token", "create", "bob", "--days", "30").strip()
    program = Program(app.test_client(), token)
    assert program.get("/surveys").status_code == 200
    ends = today() + timedelta(30)
    assert run("token", "list", "bob") == (
        f"command line: made {today()}, valid until {ends}, last used {today()}\n"
    )
    run("token", "create", "bob", "--label", "second")
    assert "second: " in run("token", "list", "bob")
    assert run("token", "revoke", "bob", "second") == "bob: token 'second' revoked\n"
    assert program.get("/surveys").status_code == 200
    run("token", "create", "bob", "--label", "second")
    assert run("token", "revoke", "bob") == "bob: 2 tokens revoked\n"
    assert_refused(program.get("/surveys"), 401)
    for args, words in [
        (("token", "create", "eve"), "There is no account 'eve'."),
        (("token", "list", "eve"), "There is no account 'eve'."),
        (("token", "revoke", "eve"), "There is no account 'eve'."),
        (("token", "revoke", "bob", "second"), "bob has no token 'second'."),
        (("token", "create", "bob", "--days", "0"), "1 to 365 days"),
    ]:
        done = runner.invoke(args=args)
        assert done.exit_code == 1
        assert words in done.output


# --- the answers


@pytest.fixture
def surveys(store: Store) -> None:
    """A draft, an open survey of every type, one with parts, a simulated one and a sampled one."""
    store.surveys.save_draft(parse_survey(definition(slug="draft")))
    opened(store, definition(by_hand=True, comprehension=True))
    store.responses.add_response("health.by-hand", Response(b"\1" * 16, (0,)))
    opened(store, EVERY_TYPE | {"slug": "every-type"}, "closed")
    survey = store.surveys.by_slug("every-type").survey
    batches = simulate_responses(survey, read_truth(TRUTH, survey), 200, seed=1)
    store.responses.add_batches("every-type", batches, "simulated")
    opened(store, SAMPLED | {"slug": "sampled", "batch": 1})
    r = random.Random(1)
    for _ in range(30):
        store.responses.add_response("sampled", Response(r.randbytes(16), stored(drawn(r, 3))))
    opened(store, definition(yes_no("wide", {"epsilon": 2}), slug="empty"))
    proof = yes_no(privacy={"mechanism": "table", "rows": [[2, 0], [1, 1]]})
    survey = parse_survey(definition(proof, slug="no-finite-epsilon"))
    store.surveys.save_draft(survey)
    store.surveys.freeze(freeze(survey, to_open=False), "closed")


SLUGS = [
    *("draft", "health", "health.by-hand", "health.comprehension", "every-type", "sampled"),
    *("empty", "no-finite-epsilon"),
]


def test_the_list_has_every_survey_and_its_parts(surveys: None, program: Program) -> None:
    listed = program.get("/surveys").get_json()["surveys"]
    assert [each["slug"] for each in listed] == [
        *("no-finite-epsilon", "empty", "sampled", "every-type", "health", "draft"),
    ]
    by_slug = {each["slug"]: each for each in listed}
    assert by_slug["health"]["parts"] == ["health.by-hand", "health.comprehension"]
    assert by_slug["draft"] == {
        "slug": "draft", "title": "Health", "state": "draft", "archived": False,
        "origin": "browser", "arrived": 0, "parts": [],
    }  # fmt: skip
    assert by_slug["every-type"]["origin"] == "simulated"
    assert [by_slug[slug]["arrived"] for slug in ("every-type", "sampled")] == [200, 30]


def test_texts_that_are_stored_apart_have_a_file_of_their_own(
    store: Store, program: Program
) -> None:
    opened(store, definition(yes_no(), asked("why", "text", "none"), slug="apart"))
    texts = Response(b"\2" * 16, ("Because",))
    store.responses.add_response("apart", Response(b"\1" * 16, (0,), texts=texts))
    assert program.get("/surveys/apart").get_json()["parts"] == ["apart.texts"]
    assert program.get("/surveys/apart/responses.csv").text == "smokes.randomised\r\nyes\r\n"
    assert program.get("/surveys/apart.texts/responses.csv").text == "why\r\n"
    publish_texts(store, "apart")
    texts_csv = program.get("/surveys/apart.texts/responses.csv").text
    assert texts_csv == "why\r\nBecause\r\n" + '""\r\n' * 4
    [question] = program.get("/surveys/apart.texts/estimates.json").get_json()["questions"]
    assert question["reports"] == {"written": 1, "left empty": 4}


def test_a_survey_has_its_definition_and_the_public_document(
    surveys: None, program: Program, client: FlaskClient
) -> None:
    found = program.get("/surveys/health").get_json()
    assert (
        found["document"] | {"origin": "browser", "public_results": False}
        == client.get("/s/health.json").get_json()
    )
    assert found["definition"] == found["document"]["definition"]
    draft = program.get("/surveys/draft").get_json()
    assert draft["document"] is None
    assert parse_survey(draft["definition"]) == parse_survey(definition(slug="draft"))


@pytest.mark.slow
@pytest.mark.parametrize("slug", ["health", "health.by-hand", "every-type", "sampled", "empty"])
def test_files_are_those_of_the_page_to_the_byte(
    surveys: None, app: Flask, program: Program, slug: str
) -> None:
    someone = signed_in(app)
    labelled = [f"responses.{kind}" for kind in DATA_FILES]
    for name in ("responses.csv", "estimates.csv", "codebook.json", "export.zip", *labelled):
        ours = program.get(f"/surveys/{slug}/{name}")
        theirs = someone.client.get(f"/admin/surveys/{slug}/{name}")
        assert ours.status_code == theirs.status_code == 200
        assert ours.data == theirs.data
        for header in ("Content-Type", "Content-Disposition"):
            assert ours.headers[header] == theirs.headers[header]
        marked = f"{slug}-simulated-" if slug == "every-type" else f"{slug}-{name}"
        assert f'filename="{marked}' in ours.headers["Content-Disposition"]


def test_estimates_in_json_are_those_of_the_command(
    surveys: None, app: Flask, program: Program
) -> None:
    done = app.test_cli_runner().invoke(args=["analyse", "estimate", "every-type", "--json"])
    reply = program.get("/surveys/every-type/estimates.json")
    assert reply.get_json() == json.loads(done.output)
    assert reply.get_json()["n"] == 200


def test_estimates_take_the_weights_of_the_results_page(
    program: Program, app: Flask, store: Store
) -> None:
    opened(store, definition(yes_no(), yes_no("drinks", "none")))
    for number in range(60):
        reports = (number % 2, number % 3 // 2)
        store.responses.add_response("health", Response(bytes([number]) * 16, reports))
    query = "by=drinks&total-yes=3&total-no=1"
    content = program.get(f"/surveys/health/estimates.json?{query}").get_json()
    Draft202012Validator({**SCHEMAS["Estimates"], "components": {"schemas": SCHEMAS}}).validate(
        content
    )
    assert content["weights"] == {"question": "drinks", "shares": {"yes": 0.75, "no": 0.25}}
    someone = signed_in(app, "ann", ANALYST)
    page = someone.client.get(f"/admin/surveys/health/estimates.csv?{query}")
    reply = program.get(f"/surveys/health/estimates.csv?{query}")
    assert reply.data == page.data != program.get("/surveys/health/estimates.csv").data
    assert_refused(program.get("/surveys/health/estimates.csv?by=smokes&total-yes=1"), 422)


def test_unknown_surveys_and_drafts_are_refused_in_json(surveys: None, program: Program) -> None:
    for each in OF_A_SURVEY:
        assert_refused(program.get(each.path.replace("{slug}", "helth")), 404)
        reply = program.get(each.path.replace("{slug}", "draft"))
        if each.drafts:
            assert reply.status_code == 200
        else:
            assert_refused(reply, 409)
            assert reply.get_json()["error"] == "Survey 'draft' is a draft. Open it first."


def test_a_database_that_cannot_be_used_is_503(
    program: Program, store: Store, monkeypatch: pytest.MonkeyPatch
) -> None:
    def gone(*_: object) -> None:
        raise StoreUnavailable("disk I/O error")

    monkeypatch.setattr(store.surveys, "listed", gone)
    reply = program.get("/surveys")
    assert_refused(reply, 503)
    assert int(reply.headers["Retry-After"]) > 0
    assert "disk" not in reply.get_data(as_text=True)
    monkeypatch.setattr(store.tokens, "by_hash", gone)
    assert_refused(program.get("/surveys/health"), 503)


def test_a_survey_closes_on_its_last_day_by_the_api_too(program: Program, store: Store) -> None:
    opened(store, definition())
    remove(store, "UPDATE surveys SET closes = 1")
    assert program.get("/surveys/health").get_json()["state"] == "closed"


# --- analyses


def test_an_analysis_is_that_of_its_page(program: Program, app: Flask, store: Store) -> None:
    opened(store, definition(yes_no(), yes_no("drinks", "none")))
    for number in range(60):
        reports = (number % 2, number % 3 // 2)
        store.responses.add_response("health", Response(bytes([number]) * 16, reports))
    query = "rows=smokes&columns=drinks&of=row"
    found = program.get(f"/surveys/health/analyses/crosstab.json?{query}")
    content = found.get_json()
    Draft202012Validator(SCHEMAS["Analysis"]).validate(content)
    columns, design = analysed(
        store.surveys.by_slug("health").survey, store.responses.rows("health"), ["smokes", "drinks"]
    )
    table = crosstab(columns, design)
    assert [cell["estimate"] for cell in content["cells"]] == [cell.value for cell in table.cells]
    assert content["sentence"] == crosstab_sentence(table)
    someone = signed_in(app, "ann", ANALYST)
    for kind in ("json", "csv", "svg"):
        page = someone.client.get(f"/admin/surveys/health/analysis/crosstab.{kind}?{query}")
        reply = program.get(f"/surveys/health/analyses/crosstab.{kind}?{query}")
        assert reply.data == page.data
        assert reply.mimetype == page.mimetype


def test_an_analysis_that_cannot_be_made_is_refused_in_json(
    surveys: None, program: Program
) -> None:
    assert len(OF_AN_ANALYSIS) == 3
    for each in OF_AN_ANALYSIS:
        path = each.path.replace("{analysis}", "groups")
        assert_refused(program.get(path.replace("{slug}", "helth")), 404)
        assert_refused(program.get(path.replace("{slug}", "draft")), 409)
        wrong = program.get(path.replace("{slug}", "health") + "?measure=nothing&group=smokes")
        assert_refused(wrong, 422)
        unknown = each.path.replace("{slug}", "health").replace("{analysis}", "magic")
        assert_refused(program.get(unknown), 404)


def test_the_download_of_an_analysis_is_recorded_and_not_its_refusal(
    program: Program, store: Store
) -> None:
    some_responses(store)
    address = "/surveys/health/analyses/validity.csv"
    assert program.get(f"{address}?asked=nothing").status_code == 422
    assert acts(store) == []
    assert program.get(f"{address}?asked=smokes:0").status_code == 200
    what = "downloaded an analysis (validity.csv) with the API token script"
    assert acts(store) == [("health", "bob", what)]


def test_saved_analyses_are_listed_and_are_those_of_the_zip(
    program: Program, app: Flask, store: Store, tmp_path: Path
) -> None:
    opened(store, definition(*QUESTIONS), "closed")
    store.responses.add_batches("health", [answers(80)], "loaded")
    save_all(store, a=SAVED["tree"][:2], b=SAVED["share by group"][:2])
    listed = program.get("/surveys/health/saved-analyses").get_json()["saved_analyses"]
    assert [(each["name"], each["analysis"], each["query"]) for each in listed] == [
        ("a", *SAVED["tree"][:2]), ("b", *SAVED["share by group"][:2]),
    ]  # fmt: skip
    files = unzipped(app, tmp_path)
    address = "/surveys/health/saved-analyses"
    for place, each in enumerate(listed, 1):
        reply = program.get(f"{address}/{each['number']}.json")
        assert reply.text == files[f"loaded-analysis-{place}.json"]
        Draft202012Validator(SCHEMAS["Analysis"]).validate(reply.get_json())
    what = "downloaded the saved analysis “a” with the API token script"
    assert ("health", "bob", what) in acts(store)


def test_a_saved_analysis_that_cannot_be_given_is_refused_in_json(
    surveys: None, program: Program, store: Store
) -> None:
    some_saved = {"gone": ("groups", "measure=gone%3A1&group=smokes")}
    save_all(store, **some_saved)
    [saved] = store.saved_analyses.saved("health")
    for slug, number, status in (
        ("health", saved.number, 422),
        ("health", "1", 404),
        ("health", "x", 404),
        ("every-type", saved.number, 404),
        ("helth", saved.number, 404),
        ("draft", saved.number, 409),
    ):
        assert_refused(program.get(f"/surveys/{slug}/saved-analyses/{number}.json"), status)
    for slug in ("draft", "health.by-hand"):
        reply = program.get(f"/surveys/{slug}/saved-analyses")
        assert reply.get_json() == {"saved_analyses": []}


def test_saved_analyses_are_read_by_the_roles_of_their_survey(
    app: Flask, program: Program, store: Store
) -> None:
    some_responses(store)
    [saved] = store.saved_analyses.saved("health")
    store.accounts.add_account(Account("eve", MEMBER, password_hash()))
    with app.app_context():
        member = Program(app.test_client(), api_tokens.make_token("eve", "hers", 1))
    for path in ("", f"/{saved.number}.json"):
        address = f"/surveys/health/saved-analyses{path}"
        assert program.get(address).status_code == 200
        assert_refused(member.get(address), 404)


# --- the log


def acts(store: Store) -> list[tuple[str, str, str]]:
    return [(act.survey, act.account, act.action) for act in store.audit.acts()][::-1]


def test_a_download_is_recorded_once_a_day(
    surveys: None, program: Program, store: Store, monkeypatch: pytest.MonkeyPatch
) -> None:
    for each in SIMPLE:
        for slug in ("health", "unknown", "draft"):
            for _ in range(3):
                program.get(each.path.replace("{slug}", slug))
    once = [
        ("health", "bob", f"downloaded {what} with the API token script")
        for what in (
            *("responses.csv", "responses.xlsx", "responses.dta", "responses.sav"),
            *("estimates.json", "estimates.csv"),
            *("codebook.json", "releases.json", "all data (ZIP)"),
        )
    ]
    assert acts(store) == once
    program.get("/surveys/health.by-hand/responses.csv")
    assert acts(store) == [*once, once[0]]
    day = 24 * 60 * 60
    monkeypatch.setattr(clock, "now", lambda: int(time.time()) + day)
    program.get("/surveys/health/responses.csv")
    program.get("/surveys/health/responses.csv")
    assert acts(store) == [*once, once[0], once[0]]


def test_every_file_is_recorded_and_nothing_else_that_is_read(
    surveys: None, app: Flask, program: Program, store: Store
) -> None:
    files = {f"/api/v1{each.path}".replace("{slug}", "health") for each in NO_DRAFTS}
    for path in paths(app, store):
        if "analyses/" in path:
            continue
        before = len(acts(store))
        for method in ("HEAD", "GET"):
            program.client.open(path, method=method, headers=program.headers, buffered=True)
            assert len(acts(store)) - before == (path in files), path


def test_what_cannot_be_recorded_is_not_given(
    surveys: None, program: Program, store: Store, monkeypatch: pytest.MonkeyPatch
) -> None:
    def gone(*_: object) -> None:
        raise StoreUnavailable("gone")

    with monkeypatch.context() as broken:
        broken.setattr(store.audit, "record", gone)
        for each in NO_DRAFTS:
            assert_refused(program.get(each.path.replace("{slug}", "health")), 503)
    for each in NO_DRAFTS:
        assert program.get(each.path.replace("{slug}", "health")).status_code == 200
    assert len(acts(store)) == len(NO_DRAFTS)


def test_making_and_revoking_is_recorded(app: Flask, store: Store) -> None:
    someone = signed_in(app, "ann", ANALYST)
    path = "/admin/account/tokens"
    form = {"label": "laptop", "days": "30"}
    someone.post(path, form | {"own": "wrong"})
    someone.post(path, form | {"own": PASSWORD})
    someone.post(f"{path}/revoke", {"label": "laptop"}, form=path)
    runner = app.test_cli_runner()
    runner.invoke(args=["token", "create", "ann"])
    runner.invoke(args=["token", "list", "ann"])
    runner.invoke(args=["token", "revoke", "ann"])
    assert acts(store) == [
        ("", "ann", "created the API token “laptop”"),
        ("", "ann", "revoked the API token “laptop”"),
        ("", "command line", "created the API token “command line” of ann"),
        ("", "command line", "revoked API tokens of ann"),
    ]


# --- batches


@pytest.mark.slow
@soak
def test_figures_and_files_are_byte_identical_until_the_25th_new_response(
    program: Program, store: Store, client: FlaskClient
) -> None:
    content = {key: value for key, value in SAMPLED.items() if key != "batch"}
    fingerprint = opened(store, content).fingerprint
    names = [each.path.replace("{slug}", "health") for each in OF_A_SURVEY if not each.drafts]
    names.remove("/surveys/health/releases.json")  # The ledger does not change with responses.
    assert len(names) >= 4
    r = random.Random(3)

    def shown() -> dict[str, bytes]:
        replies = {name: program.get(name) for name in names}
        assert {reply.status_code for reply in replies.values()} == {200}
        return {name: reply.data for name, reply in replies.items()}

    def send() -> None:
        body = {
            "id": r.randbytes(16).hex(), "fingerprint": fingerprint, "reports": drawn(r, 3),
        }  # fmt: skip
        assert client.post("/s/health/responses", json=body).status_code == 201

    before, ledger = shown(), program.get("/surveys/health/releases.json").data
    for number in range(1, 52):
        send()
        assert program.get("/surveys/health/releases.json").data == ledger
        assert program.get("/surveys/health").get_json()["arrived"] == number
        if number % 25 in {
            0,
            *range(1, 25, length(23, 1)),
        }:  # as in tests/web/test_published_results.py
            now = shown()
            assert [now[name] == before[name] for name in names] == [number % 25 != 0] * len(names)
            before = now
    assert program.get("/surveys/health/estimates.json").get_json()["n"] == 50


# --- the document


@pytest.fixture
def document(program: Program) -> dict:
    return program.get("/openapi.json").get_json()


def test_the_document_is_openapi(document: dict) -> None:
    assert document["openapi"].startswith("3.1.")
    validate(document)


def test_control_a_document_with_a_fault_is_found(document: dict) -> None:
    del document["components"]["parameters"]["slug"]["schema"]
    with pytest.raises(OpenAPIValidationError):
        validate(document)


def test_the_document_and_the_routes_say_the_same(app: Flask, document: dict) -> None:
    prefix = document["servers"][0]["url"].removeprefix(app.config["CANDOR_URL"])
    routes = {
        (re.sub("<(.*?)>", r"{\1}", rule.rule), method.lower(), rule.endpoint)
        for rule in app.url_map.iter_rules()
        if rule.rule.startswith("/api")
        for method in rule.methods - {"HEAD"}
    }
    written = {
        (prefix + path, method, f"api.{about['operationId']}")
        for path, methods in document["paths"].items()
        for method, about in methods.items()
    }
    assert routes == written


def test_all_that_asks_for_a_token_says_so(document: dict) -> None:
    assert document["security"] == [{"token": []}]
    assert document["components"]["securitySchemes"]["token"] == {
        "type": "http", "scheme": "bearer",
    }  # fmt: skip
    for methods in document["paths"].values():
        assert "security" not in methods["get"]
        assert "401" in methods["get"]["responses"]


def fits(document: dict, schema: dict, content: object) -> None:
    # The schema's references exist in the document, at the same places.
    Draft202012Validator(schema | {"components": document["components"]}).validate(content)


def check(document: dict, path: str, reply: TestResponse) -> None:
    """A reply has the documented status, type, headers and content."""
    written = document["paths"][path]["get"]["responses"][str(reply.status_code)]
    [(kind, content)] = written["content"].items()
    assert reply.mimetype == kind
    for header in written.get("headers", {}):
        assert header in reply.headers
    if kind == "application/zip":  # The document says nothing more about it.
        assert content["schema"] == {}
        with ZipFile(io.BytesIO(reply.data)) as archive:
            assert "README.txt" in "".join(archive.namelist())
        return
    if kind in {media_type for _, media_type in DATA_FILES.values()}:
        assert content["schema"] == {}
        assert reply.data[:4] in (b"PK\x03\x04", b"<sta", b"$FL2")
        return
    given = reply.get_json() if kind == "application/json" else reply.get_data(as_text=True)
    fits(document, content["schema"], given)


@pytest.mark.parametrize("slug", [*SLUGS, "unknown"])
def test_every_reply_fits_the_document(
    surveys: None, program: Program, document: dict, slug: str
) -> None:
    for path in document["paths"]:
        check(document, path, program.get(path.replace("{slug}", slug)))


def test_every_refusal_fits_the_document(
    app: Flask, program: Program, document: dict, store: Store, monkeypatch: pytest.MonkeyPatch
) -> None:
    stranger = Program(app.test_client())
    for path in document["paths"]:
        sign_in_limits.limiter.reset()
        asked = path.replace("{slug}", "health")
        for status in [401] * 15 + [429]:
            reply = stranger.get(asked)
            assert reply.status_code == status
            check(document, path, reply)

    def gone(*_: object) -> None:
        raise StoreUnavailable("gone")

    monkeypatch.setattr(store.tokens, "by_hash", gone)
    for path in document["paths"]:
        reply = program.get(path)
        assert reply.status_code == 503
        check(document, path, reply)


def test_control_a_reply_with_more_or_less_than_is_written_is_found(
    surveys: None, program: Program, document: dict
) -> None:
    schema = SCHEMAS["Surveys"]
    content = program.get("/surveys").get_json()
    fits(document, schema, content)
    with pytest.raises(ValidationError):
        fits(document, schema, content | {"secret": 1})
    del content["surveys"][0]["origin"]
    with pytest.raises(ValidationError):
        fits(document, schema, content)


# --- docs/reference/api.md


@pytest.fixture
def health(live: Live, app: Flask) -> Iterator[dict[str, str]]:
    """A live server with the survey of the examples, and their environment."""
    opened(live.store, definition())
    for number in range(40):
        live.store.responses.add_response("health", Response(bytes([number]) * 16, (number % 2,)))
    live.store.accounts.add_account(Account("bob", ANALYST, password_hash()))
    with app.app_context():
        token = api_tokens.make_token("bob", "script", 90)
    # without a proxy, since these requests go to this machine
    yield {**os.environ, "CANDOR_TOKEN": token, "no_proxy": "*", "URL": live.url}


def run(command: list[str], environment: dict[str, str], folder: Path) -> str:
    done = subprocess.run(
        command, env=environment, cwd=folder, capture_output=True, text=True, timeout=120
    )
    assert done.returncode == 0, done.stderr
    return done.stdout


def here(example: str, environment: dict[str, str]) -> str:
    assert "https://survey.example.org" in example
    return example.replace("https://survey.example.org", environment["URL"])


@pytest.mark.skipif(shutil.which("curl") is None, reason="curl is not installed")
def test_the_lines_for_curl_work(health: dict[str, str], tmp_path: Path, live: Live) -> None:
    [example] = blocks("sh")
    printed = run(["sh", "-e", "-c", here(example, health)], health, tmp_path)
    assert [each["slug"] for each in json.loads(printed)["surveys"]] == ["health"]
    lines = (tmp_path / "responses.csv").read_bytes().split(b"\r\n")
    assert lines[0] == b"smokes.randomised"
    assert sorted(lines[1:-1]) == [b"no"] * 20 + [b"yes"] * 20


def test_the_lines_for_python_work(health: dict[str, str], tmp_path: Path) -> None:
    example = blocks("python")[0]
    printed = run([sys.executable, "-c", here(example, health)], health, tmp_path)
    # Half of the reports are Yes: 2 * 1/2 - 1/2.
    for line, label in zip(printed.splitlines(), ["Yes", "No"], strict=True):
        question, answer, estimate, low, high = line.split()
        assert (question, answer) == ("smokes", label)
        assert float(estimate) == pytest.approx(0.5)
        assert float(low) < 0.5 < float(high)


@pytest.mark.needs_r
@pytest.mark.skipif(shutil.which("Rscript") is None, reason="R is not installed")
def test_the_lines_for_r_work(health: dict[str, str], tmp_path: Path) -> None:
    [example] = blocks("r")
    printed = run(["Rscript", "-e", here(example, health)], health, tmp_path)
    assert re.search(r"smokes +Yes +0\.5 ", printed)
    assert re.search(r"smokes +No +0\.5 ", printed)


def test_the_table_of_addresses_is_what_there_is() -> None:
    assert set(re.findall(r"^\| `GET (/api/v1[^`]*)`", EXAMPLES, re.MULTILINE)) == {
        f"/api/v1{each.path}" for each in OPERATIONS
    }


def test_the_table_of_refusals_is_what_is_written(document: dict) -> None:
    in_the_text = set(re.findall(r"^\| `(\d{3})` \|", EXAMPLES, re.MULTILINE))
    written = {
        status for methods in document["paths"].values() for status in methods["get"]["responses"]
    }
    assert in_the_text == written | {"405"}  # This status belongs to no operation.


def test_the_address_in_the_document_is_the_one_that_people_type(settings: Settings) -> None:
    from dataclasses import replace

    app = create_app(replace(settings, url="https://survey.example.org"))
    store = app.extensions["candor.store"]
    store.accounts.add_account(Account("bob", ANALYST, password_hash()))
    with app.app_context():
        program = Program(app.test_client(), api_tokens.make_token("bob", "script", 1))
    document = program.get("/openapi.json").get_json()
    assert document["servers"] == [{"url": "https://survey.example.org/api/v1"}]
    store.close()
