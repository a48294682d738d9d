"""Write a database as an earlier version of Candor made it, and the figures that it showed.

Run it once in a checkout of that version, with the code of that version. The databases of released
versions never change afterwards.

    git worktree add /tmp/old COMMIT
    cd /tmp/old && PYTHONPATH=. .../python .../tests/databases/write.py .../tests/databases/NAME

With a POSTGRESQL_URL it is a database of PostgreSQL. tests/system/test_upgrade.py says which commit
each NAME is of. Each part below is left out where a version does not have it yet.
"""

import json
import os
import random
import re
import sqlite3
import subprocess
import sys
from contextlib import suppress
from datetime import date
from fractions import Fraction
from importlib import import_module
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any
from unittest.mock import MagicMock

FOLDER = TemporaryDirectory()
DATABASE = os.environ.get("POSTGRESQL_URL", f"{FOLDER.name}/old.db")
os.environ |= {
    "CANDOR_DATABASE": DATABASE, "CANDOR_SECRET_KEY": "k" * 64,
}  # fmt: skip
# the server of the first version, of which nothing is asked here
sys.modules |= {name: MagicMock() for name in ("granian", "granian.constants", "granian.log")}

from app import create_app  # noqa: E402
from survey.store import Session  # noqa: E402


def imported(*places: str) -> Any:
    """What the first place, such as "survey.definition.survey:parse_survey", has that is there:
    versions have it in different modules. Raises ImportError where none has it."""
    for place in places:
        module, name = place.split(":")
        with suppress(ImportError, AttributeError):
            return getattr(import_module(module), name)
    raise ImportError(places[0])


Response = imported("survey.definition.responses.parse_response:Response", "survey.intake:Response")
parse_survey = imported("survey.definition.survey:parse_survey", "survey.definition:parse_survey")
freeze = imported(
    "survey.definition.frozen:freeze", "survey.frozen:freeze", "survey.definition:freeze"
)
CODE_HASHES = (
    "survey.definition.responses.invitation_codes:token_hash",
    "survey.definition.responses.invitation_codes:invitation_code_hash",
    "survey.invitations:token_hash",
)
BUDGETS = ("survey.central_dp.ledger:CentralDPBudget", "survey.release.ledger:Budget")

CHANCE = random.Random(7)
COIN = {"mechanism": "coin_flip"}
SMOKES = {"name": "smokes", "type": "yes_no", "label": "Do you smoke?", "privacy": COIN}
PARTY = {
    "name": "party", "type": "select_one", "label": "Which party?", "privacy": {"epsilon": 2},
    "choices": [{"name": name, "label": name.upper()} for name in "abc"],
}  # fmt: skip


def content(slug, *questions, **rest):
    return {"slug": slug, "title": slug.title(), "questions": list(questions), **rest}


class AnyStore:
    """A store of any version, by its methods; since it was composed they are those of its parts."""

    def __init__(self, store):
        self.store = store

    def __getattr__(self, name):
        for new in (name, name.replace("release_budget", "budget")):
            for place in (self.store, *vars(self.store).values()):
                if hasattr(place, new):
                    return getattr(place, new)
        raise AttributeError(name)


def opened(store, definition, state="open"):
    survey = parse_survey(definition)
    store.save_draft(survey)
    # as if an earlier version had opened it
    earlier = getattr(survey, "texts_apart", None) is False
    frozen = freeze(survey, to_open=False) if earlier else freeze(survey)
    store.freeze(frozen, state)
    return frozen


def coins(n, places=1):
    return [
        Response(CHANCE.randbytes(16), tuple(CHANCE.randrange(2) for _ in range(places)))
        for _ in range(n)
    ]


def respond(store, slug, responses):
    for response in responses:
        store.add_response(slug, response)


def surveys(store):
    opened(store, content("coins", SMOKES, PARTY))
    respond(store, "coins", coins(28, 2))
    opened(store, content("closed", SMOKES))
    respond(store, "closed", coins(6))
    store.set_state("closed", "closed")
    opened(store, content("made-up", SMOKES), "closed")
    store.add_batches("made-up", [coins(8)], "simulated")
    store.save_draft(parse_survey(content("later", SMOKES)))


def every_type(store):
    PICKED, SAMPLED, drawn, stored = (
        imported(f"tests.support.every_type:{name}", f"tests.every_type:{name}")
        for name in ("PICKED", "SAMPLED", "drawn", "stored")
    )

    opened(store, SAMPLED | {"slug": "every-type"})
    rows = [stored(drawn(CHANCE, PICKED)) for _ in range(12)]
    short = [(*row[:-1], row[-1][:40]) for row in rows]
    respond(store, "every-type", [Response(CHANCE.randbytes(16), row) for row in short])


def accounts(store):
    try:
        from survey.store import OWNER, Account

        store.add_account(Account("ada", OWNER, "scrypt:not-a-hash"))
    except ImportError:
        with suppress(TypeError):
            return store.add_account("ada", "scrypt:not-a-hash")
        store.add_account("ada", "scrypt:not-a-hash", "owner")
    store.add_session("a session", Session("ada", 1_795_000_000, 1_795_000_000))


def invitations(store):
    invitation_code_hash = imported(*CODE_HASHES)

    opened(store, content("invited", SMOKES, invitations=True))
    codes = [invitation_code_hash(f"{number:026d}") for number in range(10)]
    store.add_invitations("invited", codes)
    for response, code in zip(coins(8), codes, strict=False):
        store.add_response("invited", Response(response.id, response.reports, code))


def limits(store):
    from survey.store import Limits

    store.set_limits("coins", Limits(cap=100, closes=2**33, target=90))
    store.set_archived("closed", True)


def sharing(store):
    from survey.store import Share

    store.add_share(Share("coins", "a paper"), bytes(32))
    store.publish("coins", True)


def people(store):
    Act = imported("survey.store.sql.audit_log:Act", "survey.store.people:Act")

    store.add_person("bob", "analyst", "a link", 2**33)
    store.begin_second_factor("ada", bytes(16))
    store.confirm_second_factor("ada", 5, [bytes(32)])
    store.record(Act("coins", "ada", "opened the survey", 1_795_000_000))


def pilots(store):
    pilot_of = imported("survey.definition.sub_surveys:pilot_of", "survey.parts:pilot_of")

    pilot = freeze(pilot_of(parse_survey(content("later", SMOKES))), to_open=False)
    store.save_pilot(pilot, {"smokes": {"yes": 0.3}}, [coins(8)])


def programs(store):
    ApiToken, Threshold, Webhook = (
        imported(f"survey.store.sql.{module}:{name}", f"survey.store.programs:{name}")
        for module, name in (
            ("tokens", "ApiToken"), ("webhooks", "Threshold"), ("webhooks", "Webhook"),
        )
    )  # fmt: skip

    store.add_token(bytes(32), ApiToken("ada", "R", date(2026, 1, 1), date(2026, 4, 1)))
    store.add_webhook(Webhook(bytes(16), "coins", "https://example.org/", (Threshold(99),)))


def releases(store):
    CentralDPBudget = imported(*BUDGETS)

    store.set_release_budget("every-type", CentralDPBudget(Fraction("0.3"), Fraction("0.00001")))


def designs(store):
    store.keep_design("every-type", "region,weight\nn,1.5\n")


def above_the_caps(store):
    """Surveys that are open above what a later version lets open: 999:1 for one question, and
    more than epsilon 12 in all. `store.freeze` asks about neither. A version that has these limits
    opens no such survey."""
    with suppress(ImportError):
        return import_module("survey.definition.privacy_limits")
    sure = {"mechanism": "randomized_response", "odds": 999}
    table = {"mechanism": "table", "rows": [[999, 1], [1, 999]]}
    opened(store, content("one-nearly-certain", SMOKES | {"privacy": sure}, PARTY))
    respond(store, "one-nearly-certain", coins(27, 2))
    opened(store, content("one-table", SMOKES | {"privacy": table}))
    respond(store, "one-table", coins(3))
    many = [PARTY | {"name": f"q{n}", "label": f"Which party, time {n}?"} for n in range(7)]
    opened(store, content("many-questions", *many))
    respond(store, "many-questions", coins(26, 7))


def receipts(store):
    invitation_code_hash = imported(*CODE_HASHES)

    asked = {"receipts": True, "invitations": True, "batch": 10}
    opened(store, content("receipts", SMOKES, **asked))
    codes = [invitation_code_hash(f"{number:026d}") for number in range(100, 120)]
    store.add_invitations("receipts", codes)
    sent = coins(14)
    for response, code in zip(sent, codes, strict=False):
        store.add_response("receipts", Response(response.id, response.reports, code))
    store.withdraw("receipts", sent[3].id)


def drafts(store):
    """With tables for means, whose integers a linear programme finds."""
    mean = {"epsilon": 1, "goal": "mean"}
    hours = {"name": "hours", "type": "number", "label": "How many hours?", "min": 0, "max": 100}
    again = hours | {"name": "again", "privacy": {"epsilon": 1.5, "goal": "mean"}}
    store.save_draft(parse_survey(content("means", hours | {"privacy": mean}, again, PARTY)))
    opened(store, content("open-means", hours | {"privacy": mean}))
    respond(store, "open-means", coins(26))


def texts(store):
    """Texts: stored apart where the version does so, else with the answers. There is a survey with
    private questions, with paper-and-coin mode and test mode. Another has none, and the last is a
    draft."""
    practice_of = imported("survey.definition.sub_surveys:practice_of", "survey.parts:practice_of")

    remarks = {"name": "remarks", "type": "text", "label": "Anything else?", "privacy": "none"}
    written = ("", "No more.", "Không", "two\nlines")
    asked = content("remarks", SMOKES, remarks, receipts=True, by_hand=True, batch=10)
    apart = hasattr(import_module(practice_of.__module__), "texts_part")
    if apart:
        asked["texts_apart"] = True
    opened(store, asked)

    def sent_now(report, text):
        if not apart:
            return Response(CHANCE.randbytes(16), (report, text))
        there = Response(CHANCE.randbytes(16), (text,))
        return Response(CHANCE.randbytes(16), (report,), texts=there)

    sent = [sent_now(CHANCE.randrange(2), CHANCE.choice(written)) for _ in range(24)]
    respond(store, "remarks", sent[:14])
    respond(store, "remarks.by-hand", sent[14:])
    store.withdraw("remarks", sent[3].id)
    store.start_practice(freeze(practice_of(parse_survey(asked))))
    store.add_response("remarks.practice", sent_now(1, "A test."))
    region = {
        "name": "region", "type": "select_one", "label": "Which region?", "privacy": "none",
        "choices": [{"name": name, "label": name.upper()} for name in "ns"],
    }  # fmt: skip
    opened(store, content("remarks-alone", region, remarks, batch=10))
    alone = [(CHANCE.randrange(2), CHANCE.choice(written)) for _ in range(10)]
    respond(store, "remarks-alone", [Response(CHANCE.randbytes(16), each) for each in alone])
    store.save_draft(parse_survey(asked | {"slug": "remarks-later"}))


def noisy_releases(store):
    Request = imported("survey.central_dp.dp_request:Request", "survey.release.asking:Request")
    CentralDPBudget = imported(*BUDGETS)

    age = {"name": "age", "type": "number", "label": "Age?", "min": 0, "max": 99, "privacy": "none"}
    opened(store, content("told", SMOKES, age))
    respond(store, "told", [
        Response(CHANCE.randbytes(16), (CHANCE.randrange(2), CHANCE.randrange(100)))
        for _ in range(30)
    ])  # fmt: skip
    store.set_state("told", "closed")
    store.set_release_budget("told", CentralDPBudget(Fraction(2), Fraction("0.00001")))
    count = Request("count", "age", "laplace", "0.5")
    store.add_release("told", count, 30, ((31,),), date(2026, 11, 20))
    store.publish_releases("told", True)


def wrapped_key(store):
    wrap_base_key = imported("survey.server.secret_key:wrap_base_key", "survey.secret_key:wrapped")

    store.keep_wrapped_key(None, wrap_base_key("k" * 64, "k" * 64))


def survey_roles(store):
    from survey.store import EDITOR, MEMBER, Account

    store.add_account(Account("mia", MEMBER, "scrypt:not-a-hash"))
    store.set_survey_role("mia", "coins", EDITOR)


def figures(results):
    """One list for each: the question, the estimate, its standard error, both ends of its interval,
    as it was called then."""
    for question in results["questions"]:
        for one in question.get("estimates", question.get("answers")):
            ends = one["interval"] if "interval" in one else [one["low"], one["high"]]
            yield [question["name"], one["estimate"], one["standard_error"], *ends]


def dumped():
    if "POSTGRESQL_URL" not in os.environ:
        return "\n".join(sqlite3.connect(DATABASE).iterdump())
    command = ["pg_dump", "--inserts", "--no-owner", "--no-privileges", DATABASE]
    lines = subprocess.run(command, check=True, capture_output=True, text=True).stdout.split("\n")
    # no settings, no comments, no commands of psql
    return "\n".join(line for line in lines if line and not line.startswith(("--", "SET ", "\\")))


def main(name):
    app = create_app()
    store = AnyStore(app.extensions["candor.store"])
    for part in (surveys, every_type, accounts, invitations, limits, sharing, people, pilots,
                 programs, releases, designs, above_the_caps, receipts, drafts, texts,
                 noisy_releases, wrapped_key, survey_roles):  # fmt: skip
        with suppress(ImportError, AttributeError):
            part(store)
            print(part.__name__, end=" ")
    shown, every = {}, store.surveys
    every = every if callable(every) else every.all
    for slug in sorted(found.survey.slug for found in every() if found.frozen):
        told = app.test_cli_runner().invoke(args=["survey", "estimate", slug, "--json"])
        shown[slug] = list(figures(json.loads(told.stdout)))
    store.close()
    dump = dumped()
    moment = re.compile(r"\d{4}-\d\d-\d\d \d\d:\d\d:\d\d\.\d+\+00:00")
    Path(f"{name}.sql").write_text(moment.sub("2026-11-21 12:00:00.000000+00:00", dump) + "\n")
    Path(f"{name}.json").write_text(json.dumps(shown, separators=(",", ":")) + "\n")


main(sys.argv[1])
