"""A world for the fuzzing tests: surveys in every state, people of every role, tokens and links.

Each process makes the world once and keeps it as bytes. Each application has a fresh copy.
"""

import random
import re
import sqlite3
import time
from contextlib import closing
from dataclasses import dataclass, field
from datetime import UTC, date, datetime, timedelta
from fractions import Fraction
from functools import cache
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

from flask import Flask

from app import create_app
from survey.central_dp.budget import CentralDPBudget
from survey.central_dp.dp_request import read_request
from survey.definition.frozen import freeze
from survey.definition.responses.invitation_codes import code_from, token_hash
from survey.definition.responses.parse_response import Response
from survey.definition.responses.receipts import response_id
from survey.definition.sub_surveys import pilot_of, practice_of
from survey.definition.survey import parse_survey
from survey.formats.csv_import import read_truth
from survey.planning.simulation import simulate_responses
from survey.server.settings import Settings
from survey.store import ANALYST, EDITOR, OWNER, Account, Limits, Session, Share, Store
from survey.store.sql.tokens import ApiToken
from survey.store.sql.webhooks import Threshold, Webhook
from survey.web import api_tokens as tokens
from survey.web import central_dp_service, sign_in_limits
from tests.support.cheaper import migrated
from tests.support.classes import class_definition
from tests.support.definitions import definition, opened
from tests.support.every_type import EVERY_TYPE, TRUTH, drawn, stored
from tests.support.researchers import password_hash

NOBODY = ""  # in place of a role
NAMES = {OWNER: "ada", EDITOR: "eve", ANALYST: "ann"}
SURVEYS = ("draft", "health", "hand", "invited", "closed", "health.practice", "hand.by-hand")
SHARE, RECEIPT = "s" * 43, "5" * 32
TOKEN, OTHERS_TOKEN = tokens.CANDOR_PREFIX + "t" * 43, tokens.CANDOR_PREFIX + "u" * 43
OLD_TOKEN = tokens.CANDOR_PREFIX + "o" * 43  # expired
WEBHOOK = bytes(range(16))
CODES = [code_from(bytes([k]) * 16) for k in range(40)]
DESIGN = "region,weight,stratum,cluster\nn,1.5,x,a\ne,1,y,b\ns,2,x,c\nw,1,y,d\n*,1,x,e\n"
THAI = {"translations": {"th": {"title": "สุขภาพ"}}}  # an incomplete translation
DAY = date(2026, 11, 21)
TRUTH_OF_ONE = {"smokes": {"yes": 0.3}}


def settings_at(path: Path, **more: Any) -> Settings:
    given: dict[str, Any] = {
        "database": str(path),
        "host": "127.0.0.1",
        "port": 8000,
        "url": "http://localhost",
        "secret_key": "k" * 64,
        "proxies": 0,
    }
    return Settings(**given | more)


def dressed(content: dict[str, Any], text: str) -> dict[str, Any]:
    """The definition with this text wherever a researcher writes a text for people."""
    if not text:
        return content
    dress = {"label": text, "hint": text}
    questions = []
    for each in content["questions"]:
        question = each | dress | ({"unit": text[:20]} if "unit" in each else {})
        if "choices" in each:
            question["choices"] = [
                choice | {"label": f"{text}{number}"}
                for number, choice in enumerate(each["choices"])
            ]
        questions.append(question)
    whole = dict.fromkeys(("title", "introduction", "support", "asked_by", "contact"), text)
    return content | whole | {"questions": questions}


def fill(app: Flask, store: Store, text: str = "") -> None:
    for role, name in NAMES.items():
        store.accounts.add_account(Account(name=name, role=role, password_hash=password_hash()))
    today, day = datetime.now(UTC).date(), timedelta(days=1)
    for token, label, last in (
        (TOKEN, text[:40] or "script", today + 90 * day),
        (OTHERS_TOKEN, "other", today + day),
        (OLD_TOKEN, "old", today - day),
    ):
        name = NAMES[OWNER] if token == OTHERS_TOKEN else NAMES[ANALYST]
        store.tokens.add_token(
            token_hash(token),
            ApiToken(account=name, label=label, made=today - 2 * day, expires=last),
        )
    # A draft that keeps texts next to private answers could not open.
    draft = EVERY_TYPE | {"slug": "draft", "support": "Call *us*.", "texts_apart": True} | THAI
    store.surveys.save_draft(parse_survey(dressed(draft, text)))
    opened(store, dressed(EVERY_TYPE | {"receipts": True}, text))
    hand = definition(slug="hand", by_hand=True, comprehension=True, batch=5)
    opened(store, dressed(hand, text))
    opened(store, dressed(class_definition(slug="class"), text))
    opened(store, dressed(definition(slug="invited", invitations=True), text))
    closed = opened(store, dressed(EVERY_TYPE | {"slug": "closed"}, text), "closed").survey
    r = random.Random(1)
    for _ in range(30):
        store.responses.add_response("health", Response(r.randbytes(16), stored(drawn(r))))
    store.responses.add_response("health", Response(response_id(RECEIPT), stored(drawn(r))))
    for k in range(7):
        store.responses.add_response("hand", Response(bytes([k]) * 16, (k % 2,)))
        store.responses.add_response("hand.by-hand", Response(bytes([k]) * 16, (k % 2,)))
    store.invitations.add_invitations("invited", map(token_hash, CODES))
    store.responses.add_batches(
        "closed", simulate_responses(closed, read_truth(TRUTH, closed), 120, seed=1), "simulated"
    )
    for slug in ("health", "closed"):
        store.shares.add_share(Share(slug, text or "a colleague"), token_hash(slug[0] + SHARE[1:]))
        store.shares.publish(slug, True)
        store.designs.keep_design(slug, DESIGN)
    store.lifecycle.set_limits("health", Limits(cap=10_000, target=500))
    waits = (Threshold(10_000),)
    store.webhooks.add_webhook(Webhook(WEBHOOK, "health", f"https://203.0.113.7/told{text}", waits))
    store.releases.set_budget(
        "closed", CentralDPBudget(Fraction(2), Fraction("0.00001"), public=True)
    )
    for asked in (
        {"question": "years", "statistic": "mean", "epsilon": "0.1"},
        {"question": "region", "statistic": "histogram", "epsilon": "0.1"},
    ):
        with app.app_context():
            central_dp_service.release_statistic("closed", read_request(closed, asked), DAY)
    health = store.surveys.by_slug("health").survey
    store.rehearsals.start_practice(freeze(practice_of(health), to_open=False))
    piloted = store.surveys.by_slug("hand").survey
    batches = list(simulate_responses(piloted, read_truth(TRUTH_OF_ONE, piloted), 40, seed=1))
    store.rehearsals.save_pilot(freeze(pilot_of(piloted), to_open=False), TRUTH_OF_ONE, batches)


@cache
def made(text: str = "") -> bytes:
    """The database without sessions, with this text wherever people write one."""
    with TemporaryDirectory() as folder:
        path = Path(folder) / "candor.db"
        path.write_bytes(migrated())
        app = create_app(settings_at(path))
        with closing(app.extensions["candor.store"]) as store:
            fill(app, store, text)
            store.compact()
        return path.read_bytes()


@dataclass
class World:
    """An application on a copy of the world, with the keys to sign in."""

    app: Flask
    path: Path
    cookies: dict[str, str] = field(default_factory=dict)  # by role
    tokens: dict[str, str] = field(default_factory=dict)  # CSRF tokens, by role
    fingerprints: dict[str, str] = field(default_factory=dict)  # fingerprints at the first freeze

    @property
    def store(self) -> Store:
        found: Store = self.app.extensions["candor.store"]
        return found

    def close(self) -> None:
        self.store.close()

    def restore(self) -> None:
        """Restore the first state, with the sessions, for the same application."""
        with closing(sqlite3.connect(":memory:")) as first:
            content = made()  # The header below says that there is no log.
            first.deserialize(content[:18] + b"\1\1" + content[20:])
            with closing(sqlite3.connect(self.path)) as database:
                first.backup(database)
        self.forget_tries()
        for role in NAMES:
            self.let_in_again(role)

    def forget_tries(self) -> None:
        """Forget the attempts to sign in, and the other counted ones."""
        sign_in_limits.limiter.reset()

    def let_in_again(self, role: str) -> None:
        """Sign in everyone who signed out, was removed or now has another role."""
        name, now = NAMES[role], int(time.time())
        if self.store.accounts.by_name(name) is None:
            self.store.accounts.add_account(
                Account(name=name, role=role, password_hash=password_hash())
            )
        self.store.accounts.delete_session(token_hash(name).hex())
        self.store.accounts.add_session(
            token_hash(name).hex(), Session(name, created=now, seen=now)
        )


def world(folder: Path, *, text: str = "", **more: Any) -> World:
    """A fresh world in this folder, in place of an earlier one."""
    path = folder / "candor.db"
    for each in folder.glob("candor.db*"):
        each.unlink()
    path.write_bytes(made(text))
    app = create_app(settings_at(path, **more))
    app.load_routes()
    sign_in_limits.limiter.reset()
    found = World(app, path)
    found.fingerprints = {
        each.survey.slug: each.frozen.fingerprint
        for each in map(found.store.surveys.by_slug, SURVEYS)
        if each.frozen is not None
    }
    now = int(time.time())
    for role, name in {NOBODY: "", **NAMES}.items():
        client = app.test_client()
        if role != NOBODY:
            found.store.accounts.add_session(
                token_hash(name).hex(), Session(name, created=now, seen=now)
            )
            with client.session_transaction(base_url="http://localhost/admin/") as session:
                session["token"] = name
        page = client.get("/admin/account" if role else "/admin/sign-in").get_data(as_text=True)
        forgery = re.search(r'name="csrf_token"[^>]*value="([^"]+)"', page)
        cookie = client.get_cookie(app.config["SESSION_COOKIE_NAME"], path="/admin")
        if forgery is None or cookie is None:
            raise AssertionError(f"No session of {role}.")
        found.cookies[role], found.tokens[role] = cookie.value, forgery[1]
    return found
