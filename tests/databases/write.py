"""Write the database of the present schema, and the figures that it shows.

    python -m tests.databases.write

Until the tag of version 0.1.0 it can be written again. From then on, every later version has to
open it unchanged. Each function below fills a part of the database with the same rows each time,
apart from random numbers and encrypted values (`RANDOM` in tests/system/test_upgrade.py).
"""

import json
import random
import re
import sqlite3
from contextlib import closing
from datetime import date
from fractions import Fraction
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

from survey.central_dp.budget import CentralDPBudget
from survey.central_dp.dp_request import Request
from survey.definition.frozen import FrozenSurvey, freeze
from survey.definition.responses.invitation_codes import token_hash
from survey.definition.responses.parse_response import Response
from survey.definition.sub_surveys import pilot_answers_of, pilot_of, practice_of
from survey.definition.survey import parse_survey
from survey.server.secret_key import wrap_base_key
from survey.store import (
    ANALYST,
    EDITOR,
    MEMBER,
    OWNER,
    Account,
    Limits,
    Session,
    Share,
    Store,
    open_store,
)
from survey.store.sql.audit_log import Act
from survey.store.sql.codes import NO_CODE
from survey.store.sql.saved_analyses import SavedAnalysis
from survey.store.sql.tokens import ApiToken
from survey.store.sql.webhooks import Threshold, Webhook
from tests.support.every_type import PICKED, SAMPLED, drawn, stored
from tests.support.present_database import FIGURES, SCRIPT, figures

CHANCE = random.Random()
TODAY = date(2026, 11, 20)
COIN = {"mechanism": "coin_flip"}
SMOKES = {"name": "smokes", "type": "yes_no", "label": "Do you smoke?", "privacy": COIN}
PARTY = {
    "name": "party", "type": "select_one", "label": "Which party?", "privacy": {"epsilon": 2},
    "choices": [{"name": name, "label": name.upper()} for name in "abc"],
}  # fmt: skip
REGION = {
    "name": "region", "type": "select_one", "label": "Which region?", "privacy": "none",
    "choices": [{"name": name, "label": name.upper()} for name in "ns"],
}  # fmt: skip
AGE = {"name": "age", "type": "number", "label": "Age?", "min": 0, "max": 99, "privacy": "none"}
HOURS = {"name": "hours", "type": "number", "label": "How many hours?", "min": 0, "max": 100}
REMARKS = {"name": "remarks", "type": "text", "label": "Anything else?", "privacy": "none"}
WRITTEN = ("", "No more.", "Không", "two\nlines")


def content(slug: str, *questions: dict[str, Any], **rest: object) -> dict[str, Any]:
    return {"slug": slug, "title": slug.title(), "questions": list(questions), **rest}


def opened(store: Store, definition: dict[str, Any], state: str = "open") -> FrozenSurvey:
    survey = parse_survey(definition)
    store.surveys.save_draft(survey, creator="ada", created=TODAY)
    frozen = freeze(survey, to_open=survey.texts_apart is not False)
    store.surveys.freeze(frozen, state, TODAY if state == "open" else None)
    return frozen


def coins(n: int, places: int = 1) -> list[Response]:
    return [
        Response(CHANCE.randbytes(16), tuple(CHANCE.randrange(2) for _ in range(places)))
        for _ in range(n)
    ]


def respond(store: Store, slug: str, responses: list[Response]) -> None:
    for response in responses:
        store.responses.add_response(slug, response)


def add_accounts(store: Store) -> None:
    store.accounts.add_account(Account(name="ada", role=OWNER, password_hash="scrypt:not-a-hash"))
    store.accounts.set_language("ada", "vi")
    store.accounts.add_session("a session", Session("ada", 1_795_000_000, 1_795_000_000))
    store.accounts.add_person("bob", ANALYST, "a link", 2**33)
    store.accounts.add_account(Account(name="mia", role=MEMBER, password_hash="scrypt:not-a-hash"))
    store.factors.begin_second_factor("ada", bytes(16))
    store.factors.confirm_second_factor("ada", 5, [bytes(32)])
    store.factors.count_failed("nobody")
    store.factors.keep_wrapped_key(None, wrap_base_key("k" * 64, "k" * 64))
    store.tokens.add_token(
        bytes(32),
        ApiToken(account="ada", label="R", made=date(2026, 1, 1), expires=date(2026, 4, 1)),
    )


def add_surveys(store: Store) -> None:
    opened(store, content("coins", SMOKES, PARTY))
    respond(store, "coins", coins(28, 2))
    opened(store, content("closed", SMOKES))
    respond(store, "closed", coins(6))
    store.lifecycle.set_state("closed", "closed")
    store.lifecycle.set_archived("closed", True)
    opened(store, content("made-up", SMOKES), "closed")
    store.responses.add_batches("made-up", [coins(8)], "simulated")
    store.surveys.save_draft(parse_survey(content("later", SMOKES)))
    store.surveys.save_draft(parse_survey(content("gone", SMOKES)), creator="ada", created=TODAY)
    store.deleted_drafts.delete_draft("gone", TODAY)


def add_every_type(store: Store) -> None:
    opened(store, SAMPLED | {"slug": "every-type"})
    rows = [stored(drawn(CHANCE, PICKED)) for _ in range(12)]
    short = [(*row[:-1], row[-1][:40]) for row in rows]
    respond(store, "every-type", [Response(CHANCE.randbytes(16), row) for row in short])


def add_means(store: Store) -> None:
    """A draft and an open survey with tables for means, which a linear programme finds."""
    mean = HOURS | {"privacy": {"epsilon": 1, "goal": "mean"}}
    again = HOURS | {"name": "again", "privacy": {"epsilon": 1.5, "goal": "mean"}}
    store.surveys.save_draft(parse_survey(content("means", mean, again, PARTY)))
    opened(store, content("open-means", mean))
    respond(store, "open-means", coins(26))


def add_invitations(store: Store) -> None:
    """A survey with receipts, of whose responses one is withdrawn and some wait for a batch."""
    opened(store, content("receipts", SMOKES, receipts=True, invitations=True, batch=10))
    codes = [token_hash(f"{number:026d}") for number in range(100, 120)]
    store.invitations.add_invitations("receipts", codes)
    sent = coins(14)
    for response, code in zip(sent, codes, strict=False):
        respond(store, "receipts", [Response(response.id, response.reports, code)])
    store.responses.withdraw("receipts", sent[3].id)


def add_texts(store: Store) -> None:
    """An open survey that stores texts apart, with paper-and-coin mode and test mode; and one
    without private questions, which stores them with the answers."""

    def with_text(report: int, text: str) -> Response:
        return Response(
            CHANCE.randbytes(16), (report,), texts=Response(CHANCE.randbytes(16), (text,))
        )

    asked = content(
        "remarks", SMOKES, REMARKS, receipts=True, by_hand=True, comprehension=True, batch=10
    )
    opened(store, asked)
    sent = [with_text(CHANCE.randrange(2), CHANCE.choice(WRITTEN)) for _ in range(24)]
    respond(store, "remarks", sent[:14])
    respond(store, "remarks.by-hand", sent[14:])
    store.responses.withdraw("remarks", sent[3].id, sent[3].texts and sent[3].texts.id)
    store.rehearsals.start_practice(freeze(practice_of(parse_survey(asked))))
    respond(store, "remarks.practice", [with_text(1, "A test.")])
    opened(store, content("remarks-alone", REGION, REMARKS, batch=10))
    alone = [(CHANCE.randrange(2), CHANCE.choice(WRITTEN)) for _ in range(10)]
    respond(store, "remarks-alone", [Response(CHANCE.randbytes(16), each) for each in alone])
    store.codes.add_code("remarks-alone", "thanks")
    store.codes.set_codings("remarks-alone", "ada", {bytes(32): [NO_CODE]})


def add_rehearsal(store: Store) -> None:
    survey = parse_survey(content("later", SMOKES))
    answers = freeze(pilot_answers_of(survey), None, to_open=False)
    pilot = freeze(pilot_of(survey), to_open=False)
    truth = {"smokes": {"yes": 0.3}}
    store.rehearsals.save_pilot(pilot, truth, [coins(8)], answers, [coins(8)])


def add_releases(store: Store) -> None:
    opened(store, content("told", SMOKES, AGE))
    reports = [(CHANCE.randrange(2), CHANCE.randrange(100)) for _ in range(30)]
    respond(store, "told", [Response(CHANCE.randbytes(16), each) for each in reports])
    store.lifecycle.set_state("told", "closed")
    store.releases.set_budget("told", CentralDPBudget(Fraction(2), Fraction("0.00001")))
    count = Request(statistic="count", question="age", mechanism="laplace", epsilon="0.5")
    store.releases.add_release("told", count, 30, ((31,),), TODAY)
    store.releases.publish_releases("told", True)


def add_around_surveys(store: Store) -> None:
    """What belongs to surveys, apart from responses."""
    store.lifecycle.set_limits("coins", Limits(cap=100, closes=2**33, target=90))
    store.shares.add_share(Share("coins", "a paper"), bytes(32))
    store.shares.publish("coins", True)
    store.audit.record(
        Act(survey="coins", account="ada", action="opened the survey", moment=1_795_000_000)
    )
    store.webhooks.add_webhook(
        Webhook(bytes(16), "coins", "https://example.org/", (Threshold(99),))
    )
    store.saved_analyses.save(
        SavedAnalysis(survey="coins", name="Both", analysis="crosstab", query="rows=smokes")
    )
    store.designs.keep_design("every-type", "region,weight\nn,1.5\n")
    store.accounts.set_survey_role("mia", "coins", EDITOR)


PARTS = (
    add_accounts, add_surveys, add_every_type, add_means, add_invitations, add_texts,
    add_rehearsal, add_releases, add_around_surveys,
)  # fmt: skip


def write_database(path: Path) -> dict[str, list[list[object]]]:
    """Fill a new database at this path, and return the figures of its surveys."""
    CHANCE.seed(7)
    with closing(open_store(str(path))) as store:
        for add in PARTS:
            add(store)
        return figures(store)


def main() -> None:
    with TemporaryDirectory() as folder:
        path = Path(folder) / "candor.db"
        shown = write_database(path)
        with closing(sqlite3.connect(path)) as connection:
            script = "\n".join(connection.iterdump())
    moment = re.compile(r"\d{4}-\d\d-\d\d \d\d:\d\d:\d\d\.\d+\+00:00")
    SCRIPT.write_text(moment.sub("2026-11-28 12:00:00.000000+00:00", script) + "\n")
    FIGURES.write_text(json.dumps(shown, separators=(",", ":")) + "\n")


if __name__ == "__main__":
    main()
