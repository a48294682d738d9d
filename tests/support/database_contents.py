"""Surveys with rows in every table, and the contents of a database."""

from datetime import date
from fractions import Fraction

from survey.central_dp.budget import CentralDPBudget
from survey.definition.responses.invitation_codes import token_hash
from survey.definition.responses.parse_response import Response
from survey.definition.survey import parse_survey
from survey.estimation.build_results import survey_results
from survey.formats.csv_export import results_as_json
from survey.store import ANALYST, MEMBER, OWNER, Account, Limits, Session, Share, Store, open_store
from survey.store.copy_database import TABLES
from survey.store.sql.audit_log import Act
from survey.store.sql.codes import NO_CODE
from survey.store.sql.saved_analyses import SavedAnalysis
from survey.store.sql.tokens import ApiToken
from survey.store.sql.webhooks import Threshold, Webhook
from tests.support.batches import feed, plain, responses
from tests.support.definitions import definition, opened
from tests.support.every_type import EVERY_TYPE
from tests.support.stores import connected


def with_texts_apart(response: Response, code: str) -> Response:
    """The response with an invitation. Its text, the last report, is stored apart."""
    *reports, text = response.reports
    texts = Response(response.id[::-1], (text,))
    return Response(response.id, tuple(reports), token_hash(code), texts)


def fill(store: Store, **rest: object) -> None:
    """A closed survey with parts, invitations and searchable words, beside another survey."""
    content = definition(
        *EVERY_TYPE["questions"], comprehension=True, invitations=True, batch=25,
        title="Canary title", introduction="canary introduction " * 500, **rest,
    )  # fmt: skip
    opened(store, content)
    opened(store, definition(slug="other", title="Other"))
    feed(store, plain(3, "other"), "other")
    codes = [f"{number:026d}" for number in range(40)]
    store.invitations.add_invitations("health", map(token_hash, codes))
    for code, response in zip(codes, responses(30), strict=False):
        store.responses.add_response("health", with_texts_apart(response, code))
    places = len(store.surveys.by_slug("health.comprehension").survey.fields)
    store.responses.add_response("health.comprehension", Response(bytes(16), (0,) * places))
    store.lifecycle.set_state("health", "closed")
    store.lifecycle.set_state("health", "open")  # Some responses wait permanently.
    late = responses(1, "late")[0]
    store.responses.add_response("health", with_texts_apart(late, codes[39]))
    store.lifecycle.set_state("health", "closed")
    assert store.counts.published_and_waiting("health") == (30, 1)


LONG = "a-" * 31 + "a"  # too long for the name of a PostgreSQL table


def fill_all(store: Store) -> None:
    fill(store)
    opened(store, definition(slug=LONG, title="NUL and ? and % and 'quotes'"))
    store.responses.add_response(LONG, Response(b"\xff" * 16, (1,)))
    store.lifecycle.set_limits(LONG, Limits(cap=10, closes=2**33, target=5))
    store.accounts.add_account(Account(name="ada", role=OWNER, password_hash="hash"))
    store.accounts.add_person("bob", OWNER, "link", 2**33)
    store.accounts.add_account(Account(name="eve", role=MEMBER, password_hash="hash"))
    store.accounts.set_survey_role("eve", LONG, ANALYST)
    store.accounts.add_session("token", Session("ada", 1, 2, waiting=True))
    store.accounts.set_setup_token("setup")
    store.factors.begin_second_factor("ada", bytes(range(16)))
    store.factors.confirm_second_factor("ada", 5, [bytes(32), b"\xff" * 32])
    store.factors.count_failed("nobody")
    for number in range(3):
        store.audit.record(
            Act(survey="health", account="ada", action=f"did {number} things: ü, ไทย", moment=5)
        )
        store.shares.add_share(Share("health", f"paper {number}"), bytes([number]) * 32)
    store.shares.delete_share("health", 1)
    store.shares.publish("health", True)
    store.tokens.add_token(
        bytes(32),
        ApiToken(account="ada", label="R", made=date(2026, 1, 1), expires=date(2026, 4, 1)),
    )
    thresholds = (Threshold(10), Threshold(20, "given up", 60, "Nobody listened."))
    store.webhooks.add_webhook(Webhook(bytes(16), LONG, "https://example.org/", thresholds))
    store.releases.set_budget("health", CentralDPBudget(Fraction("0.3"), Fraction("0.00001")))
    assert store.factors.keep_wrapped_key(None, b"under the secret key")
    store.designs.keep_design("health", "region,weight\nnorth,1.5\n")
    query = "rows=smokes&columns=party"
    store.surveys.save_draft(parse_survey(definition(slug="gone")), creator="ada")
    store.deleted_drafts.delete_draft("gone", date(2026, 11, 20))
    store.saved_analyses.save(
        SavedAnalysis(survey="health", name="Habits", analysis="crosstab", query=query)
    )
    store.codes.add_code("health", "fear")
    store.codes.set_codings("health", "ada", {b"\xfe" * 32: [NO_CODE], bytes(32): [NO_CODE]})


def contents(database: str) -> dict[str, list[tuple[object, ...]]]:
    with connected(database) as db:
        found = {}
        for table, key in TABLES.items():
            columns = sorted(each[0] for each in db.execute(f"SELECT * FROM {table}").description)
            rows = db.execute(f"SELECT {', '.join(columns)} FROM {table} ORDER BY {', '.join(key)}")
            found[table] = [tuple(row) for row in rows]
        return found


def figures(database: str) -> dict[str, object]:
    store = open_store(database)
    found = {}
    for slug in ("health", "health.comprehension", "other", LONG):
        survey = store.surveys.by_slug(slug)
        assert survey.frozen is not None
        results = survey_results(survey.frozen, store.counts.by_question(slug), survey.origin)
        found[slug] = (
            results_as_json(results),
            list(store.responses.rows(slug)),
            store.counts.number_of_responses(slug),
        )
    store.close()
    return found
