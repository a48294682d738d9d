"""The audit of the API: each download once a day."""

import time

import pytest
from flask import Flask

from survey.core.errors import StoreUnavailable
from survey.server import clock
from survey.store import ANALYST, Store
from tests.support.acts import acts
from tests.support.api_programs import SIMPLE, Program, assert_refused, paths, some_responses
from tests.support.researchers import PASSWORD, signed_in

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
