"""The endpoints of the API: they give what the pages give."""

import json
import random
import time
from pathlib import Path

import pytest
from flask import Flask
from flask.testing import FlaskClient
from jsonschema import Draft202012Validator

from survey.analysis.columns.column_request import columns_and_design
from survey.analysis.sentences import crosstab_sentence
from survey.analysis.tables.crosstabs import crosstab
from survey.api.blueprint import OPERATIONS
from survey.api.schemas import SCHEMAS
from survey.core.errors import StoreUnavailable
from survey.definition.responses.parse_response import Response
from survey.definition.survey import parse_survey
from survey.formats.data_files import DATA_FILES
from survey.server import clock
from survey.store import ANALYST, MEMBER, Account, Store
from survey.web import api_tokens
from tests.support.acts import acts
from tests.support.api_programs import (
    SIMPLE,
    Program,
    assert_refused,
    paths,
    remove,
    some_responses,
)
from tests.support.definitions import definition, opened, yes_no
from tests.support.every_type import SAMPLED, asked, drawn
from tests.support.lengths import length, soak
from tests.support.researchers import PASSWORD, password_hash, signed_in
from tests.support.saved_analyses import QUESTIONS, SAVED, answers, save_all, unzipped
from tests.support.texts_apart import publish_texts

OF_A_SURVEY = [each for each in SIMPLE if each.of_a_survey]
OF_AN_ANALYSIS = [each for each in OPERATIONS if each.of_an_analysis]


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


def test_a_survey_closes_on_its_last_day_by_the_api_too(program: Program, store: Store) -> None:
    opened(store, definition())
    remove(store, "UPDATE surveys SET closes = 1")
    assert program.get("/surveys/health").get_json()["state"] == "closed"


def test_an_analysis_is_that_of_its_page(program: Program, app: Flask, store: Store) -> None:
    opened(store, definition(yes_no(), yes_no("drinks", "none")))
    for number in range(60):
        reports = (number % 2, number % 3 // 2)
        store.responses.add_response("health", Response(bytes([number]) * 16, reports))
    query = "rows=smokes&columns=drinks&of=row"
    found = program.get(f"/surveys/health/analyses/crosstab.json?{query}")
    content = found.get_json()
    Draft202012Validator(SCHEMAS["Analysis"]).validate(content)
    columns, design = columns_and_design(
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
    [saved] = store.saved_analyses.list_analyses("health")
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
    [saved] = store.saved_analyses.list_analyses("health")
    store.accounts.add_account(Account(name="eve", role=MEMBER, password_hash=password_hash()))
    with app.app_context():
        member = Program(app.test_client(), api_tokens.make_token("eve", "hers", 1))
    for path in ("", f"/{saved.number}.json"):
        address = f"/surveys/health/saved-analyses{path}"
        assert program.get(address).status_code == 200
        assert_refused(member.get(address), 404)


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


# --- the audit

NO_DRAFTS = [each for each in SIMPLE if not each.drafts]


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
    assert acts(store)[::-1] == once
    program.get("/surveys/health.by-hand/responses.csv")
    assert acts(store)[::-1] == [*once, once[0]]
    day = 24 * 60 * 60
    monkeypatch.setattr(clock, "now", lambda: int(time.time()) + day)
    program.get("/surveys/health/responses.csv")
    program.get("/surveys/health/responses.csv")
    assert acts(store)[::-1] == [*once, once[0], once[0]]


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
    assert acts(store)[::-1] == [
        ("", "ann", "created the API token “laptop”"),
        ("", "ann", "revoked the API token “laptop”"),
        ("", "command line", "created the API token “command line” of ann"),
        ("", "command line", "revoked API tokens of ann"),
    ]
