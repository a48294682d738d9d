"""The audit log: all acts of researchers, in words, and no acts of respondents."""

import io
import json
import re
import time
from hashlib import sha256

import pytest
from flask import request, request_started, url_for

from survey.definition.frozen import fingerprint_of
from survey.definition.responses.invitation_codes import code_from, token_hash
from survey.definition.survey import parse_survey
from survey.server.webhooks import safe_http_post
from survey.store import ANALYST, EDITOR
from tests.support.acts import acts
from tests.support.audited_routes import AUDITED, RANDOM, Site
from tests.support.builder_forms import filled, hidden
from tests.support.definitions import definition, opened
from tests.support.project import ROOT
from tests.support.researchers import PASSWORD, Researcher, signed_in
from tests.support.stores import connected

pytestmark = pytest.mark.both_stores


# These routes begin something, or show what was typed.
CHANGES_NOTHING = {
    "admin.begin_second_factor", "admin.check_load", "admin.check_randomised", "admin.class_page",
    "admin.preview_privacy", "admin.preview_typed",
}  # fmt: skip
# A count that a page requests regularly, and the public link as a picture.
LOOKED_AT = {"admin.monitor", "admin.link_svg", "admin.link_png"}
FILES = {
    "codebook_json": "codebook.json",
    "coded_texts": "coded-texts.csv",
    "data_file": "responses.sav",
    "definition_json": "the definition",
    "definition_xlsx": "the definition",
    "estimates": "estimates.csv",
    "export": "all data (ZIP)",
    "log_csv": "the audit log",
    "picture": "a chart",
    "releases_file": "releases.csv",
    "responses": "responses.csv",
    "survey_log_csv": "the audit log",
    "analysis_download": "a chart",
}


# --- every route that changes something, and every file
def test_every_route_that_changes_something_is_done_below(app):
    changing = {
        rule.endpoint
        for rule in app.url_map.iter_rules()
        if rule.endpoint.startswith("admin.") and rule.methods - {"GET", "HEAD", "OPTIONS"}
    }
    assert {*AUDITED} | CHANGES_NOTHING == changing, (
        "a route that changes something calls `audit`, and is done in tests/support/"
        "audited_routes.py"
    )
    assert not {*AUDITED} & CHANGES_NOTHING


@pytest.mark.sqlite_only
@pytest.mark.parametrize("endpoint", AUDITED)
def test_what_changes_something_is_recorded_once(app, store, monkeypatch, endpoint):
    monkeypatch.setattr(safe_http_post, "addresses_of", lambda *_, **__: ["203.0.113.7"])
    monkeypatch.setattr(safe_http_post, "connect_to_any", refuse)
    requests = []

    def note(sender):
        requests.append((request.endpoint, len(store.audit.acts())))

    route, stranger = AUDITED[endpoint], Researcher(app.test_client())
    someone = stranger if endpoint == "admin.setup" else signed_in(app)
    with request_started.connected_to(note, app):
        route.do(Site(app, store, someone))
    asked, before = requests[-1]
    assert asked == endpoint
    recorded = acts(store)[: len(store.audit.acts()) - before]
    survey = route.survey
    if survey == RANDOM:
        survey = recorded[0][0]
        assert store.surveys.by_slug(survey).state == "draft"
    assert recorded == [(survey, "ada", route.action)]


def refuse(*_):
    raise ConnectionRefusedError


def test_every_file_that_is_taken_home_is_recorded_and_nothing_else_that_is_read(
    app, store, researcher
):
    Site(app, store, researcher).close()
    taken = {}
    for rule in app.url_map.iter_rules():
        if not rule.endpoint.startswith("admin.") or "GET" not in rule.methods:
            continue
        with app.test_request_context():
            known = dict.fromkeys(rule.arguments, "health") | {"question": "smokes"}
            known |= {"name": "tree", "kind": "svg" if "analysis" in rule.endpoint else "sav"}
            path = url_for(rule.endpoint, **{name: known[name] for name in rule.arguments})
        query = {"target": "smokes", "predictors": "region"} if "tree" in path else {}
        before = len(store.audit.acts())
        researcher.client.head(path, query_string=query, buffered=True)
        assert len(store.audit.acts()) == before, f"{rule.endpoint} records a HEAD request"
        reply = researcher.client.get(path, query_string=query, buffered=True)
        recorded = acts(store)[: len(store.audit.acts()) - before]
        file = reply.status_code == 200 and reply.mimetype != "text/html"
        if file and rule.endpoint not in LOOKED_AT:
            [taken[rule.endpoint]] = recorded
        else:
            assert recorded == [], rule.endpoint
    assert taken == {
        f"admin.{endpoint}": (
            "" if endpoint == "log_csv" else "health",
            "ada",
            f"downloaded {what}",
        )
        for endpoint, what in FILES.items()
    }


# --- what is recorded
def test_a_survey_from_its_draft_to_its_end(app, store, researcher):
    researcher.post("/admin/surveys/new", filled())
    seen = {"seen": hidden(researcher, "/admin/surveys/health/edit", "seen")}
    researcher.post("/admin/surveys/health/edit", filled(slug="wellbeing") | seen)
    fingerprint = {"fingerprint": fingerprint_of(store.surveys.by_slug("wellbeing").survey)}
    page = "/admin/surveys/wellbeing"
    assert researcher.post(f"{page}/open", fingerprint, form=page).status_code == 422  # not yet
    researcher.post(f"{page}/open", fingerprint | {"looked": "yes"}, form=page)
    researcher.post(f"{page}/close", form=page)
    for file in ("responses.csv", "estimates.csv", "codebook.json"):
        assert researcher.client.get(f"{page}/{file}").status_code == 200
    assert acts(store)[::-1] == [
        ("health", "ada", "created the survey"),
        ("wellbeing", "ada", "saved the draft, and changed its address from health"),
        ("wellbeing", "ada", "opened the survey"),
        ("wellbeing", "ada", "closed the survey"),
        ("wellbeing", "ada", "downloaded responses.csv"),
        ("wellbeing", "ada", "downloaded estimates.csv"),
        ("wellbeing", "ada", "downloaded codebook.json"),
    ]
    assert all(abs(act.moment - time.time()) < 60 for act in store.audit.acts())


def test_the_log_outlives_the_survey(store, researcher):
    store.surveys.save_draft(parse_survey(definition()))
    researcher.post("/admin/surveys/health/delete", form="/admin/surveys/health")
    assert store.surveys.all() == []
    assert acts(store) == [("health", "ada", "deleted the draft")]
    assert "deleted the draft" in researcher.client.get("/admin/log").get_data(as_text=True)


def test_sharing_and_importing_are_recorded_though_a_page_follows(store, researcher):
    opened(store, definition())
    page = "/admin/surveys/health/share"
    researcher.post(page, {"name": "the ministry"})
    assert researcher.post(page, {"name": ""}).status_code == 422
    researcher.post(f"{page}/1/delete", form=page)
    for public in ("yes", "no"):
        researcher.post("/admin/surveys/health/publish", {"public": public}, form=page)
    file = (io.BytesIO(json.dumps(definition()).encode()), "x.json")
    assert b"is taken" in researcher.post("/admin/import", {"file": file}).data
    assert acts(store)[::-1] == [
        ("health", "ada", "created a results link for “the ministry”"),
        ("health", "ada", "deleted a results link"),
        ("health", "ada", "published the results"),
        ("health", "ada", "unpublished the results"),
        ("health-2", "ada", "imported the survey from a file"),
    ]


def test_files_of_a_part_are_recorded_with_the_whole(store, researcher):
    opened(store, definition(by_hand=True))
    researcher.client.get("/admin/surveys/health.by-hand/responses.csv")
    assert acts(store) == [("health", "ada", "downloaded responses.csv of paper-and-coin mode")]


def test_what_fails_or_only_looks_is_not_recorded(app, store, researcher):
    opened(store, definition(invitations=True))
    store.surveys.save_draft(parse_survey(definition(slug="draft")))
    page = "/admin/surveys/health"
    bob = signed_in(app, "bob", ANALYST)
    for path in ("/admin/", page, f"{page}/results", f"{page}/preview", "/admin/people"):
        assert researcher.client.get(path).status_code == 200
    assert researcher.client.get("/admin/surveys/draft/responses.csv").status_code == 409
    for path in ("open", "close"):
        assert researcher.client.post(f"{page}/{path}").status_code == 400  # no token
        assert bob.post(f"{page}/{path}", form="/admin/account").status_code == 403
        stranger = Researcher(app.test_client())
        assert stranger.post(f"{page}/{path}", form="/admin/sign-in").status_code == 302
    assert researcher.post("/admin/surveys/draft/open", form=page).status_code == 409
    assert researcher.post("/admin/surveys/new", filled(label="")).status_code == 422
    none = researcher.post(f"{page}/invitations", {"count": "0"}, form=page)
    assert none.status_code == 302
    researcher.post("/admin/people/bob/remove", {"own": "wrong"})
    assert acts(store) == []
    assert researcher.post(f"{page}/invitations", {"count": "2"}, form=page).status_code == 200
    assert acts(store) == [("health", "ada", "created 2 invitations")]


def test_a_second_factor_that_was_not_on_is_not_turned_off(store, researcher):
    """It leads to the page of the account, as if it had been on."""
    off = "/admin/account/second-factor/off"
    for form in ({}, {"own": PASSWORD, "code": "123456"}):
        assert researcher.post(off, form, form="/admin/account").location == "/admin/account"
    assert acts(store) == []


def test_what_is_done_to_accounts_is_recorded_in_full(app, store, researcher):
    own = {"own": PASSWORD}
    reply = researcher.post("/admin/people/add", {"name": "bob", "role": EDITOR, **own})
    link = re.search(r"/admin/join\?token=[\w-]+", reply.get_data(as_text=True))[0]
    bob = Researcher(app.test_client())
    bob.post(link, {"password": "seven wet umbrellas", "again": "seven wet umbrellas"})
    researcher.post("/admin/people/bob/role", {"role": ANALYST, **own})
    researcher.post("/admin/people/bob/reset", own)
    researcher.post("/admin/people/bob/remove", own)
    researcher.post("/admin/sign-out", form="/admin/")
    assert acts(store)[::-1] == [
        ("", "ada", "added bob as editor"),
        ("", "bob", "chose a password with a link"),
        ("", "ada", "changed the role of bob to analyst"),
        ("", "ada", "reset the password and second factor of bob"),
        ("", "ada", "removed bob"),
        ("", "ada", "signed out"),
    ]


def test_the_first_account_is_recorded(app, store):
    store.accounts.set_setup_token(token_hash("t").hex())
    form = {"name": "ada", "password": PASSWORD, "again": PASSWORD}
    Researcher(app.test_client()).post("/admin/setup?token=t", form)
    assert acts(store) == [("", "ada", "set up the first account")]


def test_failed_tries_to_sign_in_are_a_count_told_to_who_gets_in(app, store, researcher):
    def sign_in(name, password):
        someone = Researcher(app.test_client())
        someone.post("/admin/sign-in", {"name": name, "password": password})
        return someone.client.get("/admin/").get_data(as_text=True)

    for name, password in (("ada", "x"), ("ada", "y"), ("my password by mistake", "z")):
        sign_in(name, password)
    assert acts(store) == []
    page = researcher.client.get("/admin/people").get_data(as_text=True)
    assert '<td class="figure" data-label="Failed sign-ins">2</td>' in page
    assert "Failed sign-ins with unknown names, since the first start of Candor: 1." in page
    assert "there were 2 failed attempts to sign in" in sign_in("ada", PASSWORD)
    assert "failed" not in sign_in("ada", PASSWORD)
    assert acts(store)[::-1] == [
        ("", "ada", "signed in after 2 failed attempts"),
        ("", "ada", "signed in"),
    ]


@pytest.mark.sqlite_only
def test_a_name_that_does_not_exist_is_kept_nowhere(app, store, settings):
    Researcher(app.test_client()).post(
        "/admin/sign-in", {"name": "canary-name", "password": "canary-password"}
    )
    store.compact()
    with open(settings.database, "rb") as file:
        assert b"canary" not in file.read()


def test_commands_are_recorded_as_such(app, store, tmp_path):
    def run(*args, **kwargs):
        result = app.test_cli_runner().invoke(args=args, **kwargs)
        assert result.exit_code == 0, result.output

    file, truth = tmp_path / "d.json", tmp_path / "truth.json"
    file.write_text(json.dumps(definition(invitations=True)))
    truth.write_text('{"smokes": {"yes": 0.3}}')
    run("survey", "import", str(file), "--open")
    run("survey", "invite", "health", "3", "--output", str(tmp_path / "z.zip"))
    file.write_text(json.dumps(definition(slug="other")))
    run("survey", "import", str(file))
    run("responses", "simulate", "other", "--n", "20", "--truth", str(truth))
    run("survey", "list")
    run("analyse", "estimate", "other")
    run("database", "compact")
    run("account", "create", "ada", input=f"{PASSWORD}\n")
    run("account", "reset", "ada")
    run("account", "list")
    assert acts(store)[::-1] == [
        ("health", "command line", "imported the survey"),
        ("health", "command line", "created 3 invitations"),
        ("other", "command line", "imported the survey"),
        ("other", "command line", "added 20 simulated respondents"),
        ("", "command line", "added ada as owner"),
        ("", "command line", "reset the password and second factor of ada"),
    ]


# --- what is not recorded
def test_nothing_that_respondents_do_is_recorded(client, store):
    frozen = opened(store, definition(invitations=True, receipts=True))
    code, secret = code_from(bytes(16)), "0" * 32
    store.invitations.add_invitations("health", [token_hash(code)])
    body = {
        "id": sha256(bytes.fromhex(secret)).digest()[:16].hex(),
        "fingerprint": frozen.fingerprint,
        "reports": {"smokes": "1"},
        "invitation": code,
    }
    assert client.get("/s/health").status_code == 200
    assert client.post("/s/health/responses", json=body).status_code == 201
    assert client.post("/s/health/responses", json={**body, "id": "11" * 16}).status_code == 403
    withdrawn = client.post("/s/health/withdrawals", json={"receipt": secret})
    assert withdrawn.status_code == 200
    assert store.audit.acts() == []


def test_only_researchers_modules_can_record():
    """Modules that respondents reach cannot write to the log."""
    for path in [*(ROOT / "survey").rglob("*.py"), ROOT / "app.py"]:
        source = path.read_text()
        if re.search(r"survey\.web(\.| import.*\b)audit_log|\.record\(", source):
            parts = path.relative_to(ROOT / "survey").parts
            assert parts[0] in ("admin", "api", "cli") or parts == ("web", "audit_log.py"), path


# --- the log itself


def test_a_file_that_cannot_be_recorded_is_not_given_and_a_change_is_reported(
    app, settings, store, researcher, caplog
):
    opened(store, definition())
    token = researcher.token("/admin/")
    with connected(settings.database) as connection:
        connection.execute("DROP TABLE acts")
    reply = researcher.client.get("/admin/surveys/health/responses.csv")
    assert reply.status_code == 503
    assert b"smokes" not in reply.data
    closed = researcher.client.post("/admin/surveys/health/close", data={"csrf_token": token})
    assert closed.status_code == 302
    assert store.surveys.by_slug("health").state == "closed"
    assert "not in the audit log: admin.close_survey" in caplog.text
