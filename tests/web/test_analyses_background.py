"""Analyses that take longer than a request may: joined, shown, stopped, refused.

The analysis of these tests takes a chosen processor time. The process is the real one, but requests
compute for no time at all, so that none of them is quick by chance.
"""

import json
import os
import pickle
import re
import subprocess
import threading
import time
from contextlib import closing
from dataclasses import replace
from pathlib import Path

import pytest
from flask import Flask
from werkzeug.datastructures import MultiDict

from survey.core.errors import UnanswerableQuestion
from survey.core.translate import in_language
from survey.definition.responses.parse_response import Response
from survey.server import logs
from survey.store import ANALYST, MEMBER, Store
from survey.store.sql.saved_analyses import SavedAnalysis
from survey.web import api_tokens
from survey.web.analyses import background
from survey.web.analyses.background import (
    BackgroundAnalyses,
    Computation,
    Failure,
    StillComputing,
    Task,
    background_analyses,
    outcome_of,
    requested_result,
)
from survey.web.analyses.kinds import ANALYSES
from survey.web.analyses.request import query_of
from survey.web.analyses.result import AnalysisResult, result_json
from tests.support.analysis_requests import REQUESTS
from tests.support.definitions import definition, opened, yes_no
from tests.support.habits import loaded
from tests.support.indirect import store_crosswise, store_list, store_two_lists
from tests.support.researchers import Researcher, signed_in, signed_in_with
from tests.support.saved_analyses import unzipped
from tests.support.toy_analysis import SLOW_TWINS
from tests.support.waiting import wait_until

SITE = "/admin/surveys/health/analysis/slow"
QUERY = "one=left&other=right&seconds={}"
SAID = "The twins agree in 60 responses."
CALCULATES = "Candor is calculating this analysis in the background,"


def respond(store: Store, start: int, stop: int) -> None:
    rows = [("health", Response(n.to_bytes(16), (n % 2, n % 3 % 2))) for n in range(start, stop)]
    assert all(store.responses.add_all(rows))


@pytest.fixture
def analyses(app: Flask, store: Store, monkeypatch: pytest.MonkeyPatch) -> BackgroundAnalyses:
    """A survey with 60 responses, the slow analysis, and requests that compute nothing."""
    opened(store, definition(yes_no("left"), yes_no("right"), batch=1, receipts=True))
    respond(store, 0, 60)
    monkeypatch.setitem(ANALYSES, "slow", SLOW_TWINS)
    # Otherwise, other tests on all processors would keep the process from running.
    monkeypatch.setattr(background, "PRIORITY", 0)
    with app.app_context():
        there = background_analyses()
    there.request_seconds = 0.0
    return there


def only_task(analyses: BackgroundAnalyses) -> Task:
    (task,) = {*analyses.tasks.values()}
    return task


def ended(analyses: BackgroundAnalyses) -> Task:
    task = only_task(analyses)
    wait_until(lambda: task.ended is not None, 120)
    return task


def computation(app: Flask, store: Store, **query: str) -> Computation:
    found = store.surveys.by_slug("health")
    with app.app_context():
        form = SLOW_TWINS.valid_form(found, MultiDict({"one": "left", "other": "right"} | query))
        return SLOW_TWINS.read(found, form)


def text_of(page) -> str:
    return re.sub(r"\s+", " ", page.get_data(as_text=True)).replace("\u00a0", " ")


# --- within a request


def test_a_quick_analysis_is_computed_in_its_request(
    analyses: BackgroundAnalyses, researcher: Researcher
) -> None:
    analyses.request_seconds = 60.0
    page = researcher.client.get(f"{SITE}?{QUERY.format(0)}")
    assert (page.status_code, SAID in text_of(page)) == (200, True)
    assert not analyses.tasks


def test_a_request_computes_for_its_limit_and_no_longer(
    analyses: BackgroundAnalyses, researcher: Researcher
) -> None:
    analyses.request_seconds = 0.3
    before = time.process_time()
    page = researcher.client.get(f"{SITE}?{QUERY.format(30)}")
    assert page.status_code == 202
    assert 0.3 < time.process_time() - before < 5
    assert len(analyses.tasks) == 1


def test_analyses_of_one_request_share_the_limit(app: Flask, analyses, store: Store) -> None:
    """The second one is not even begun, because the first has used all the time."""
    found, query = store.surveys.by_slug("health"), MultiDict({"one": "left", "other": "right"})
    with app.test_request_context(), pytest.raises(StillComputing):
        requested_result(SLOW_TWINS, found, query, time.thread_time() - 1)
    assert len(analyses.tasks) == 1


# --- the whole way


@pytest.mark.slow
def test_a_long_analysis_goes_on_in_the_background_and_serves_everything(
    app: Flask, analyses: BackgroundAnalyses, store: Store, tmp_path: Path
) -> None:
    query = QUERY.format(0.2)
    store.saved_analyses.save(
        SavedAnalysis(survey="health", name="Mine", analysis="slow", query=query)
    )
    signed_in(app, "eve")
    with app.app_context():
        token = api_tokens.make_token("eve", "script", 90)
    api = f"/api/v1/surveys/health/analyses/slow.json?{query}"
    headers = {"Authorization": f"Bearer {token}"}
    analyst = signed_in_with(app, "bob", ANALYST).client
    with analyses.turn:  # It cannot begin before all of them have joined.
        page = analyst.get(f"{SITE}?{query}")
        assert (page.status_code, page.headers["Refresh"]) == (202, "3")
        assert CALCULATES in text_of(page)
        assert "It has not started yet" in text_of(page)
        early = app.test_client().get(api, headers=headers)
        assert (early.status_code, early.headers["Retry-After"]) == (202, "3")
        assert early.json["status"] == "calculating"
        assert early.json["message"].startswith(CALCULATES)
        file = analyst.get(f"{SITE}.csv?{query}")
        assert file.status_code == 202
        assert "Refresh" not in file.headers
        assert f'href="{SITE}?{query.replace("&", "&amp;")}"' in file.text
        packed = unzipped(app, tmp_path)["analysis-1.txt"]
        assert packed.startswith(f"Mine\n{CALCULATES}")
        assert packed.endswith(f"{SITE}?{query}\n")
    task = ended(analyses)
    page = analyst.get(f"{SITE}?{query}")
    assert page.status_code == 200
    assert "Refresh" not in page.headers
    assert SAID in text_of(page)
    files = {kind: analyst.get(f"{SITE}.{kind}?{query}") for kind in ("csv", "json", "svg")}
    assert {file.status_code for file in files.values()} == {200}
    assert app.test_client().get(api, headers=headers).data == files["json"].data
    assert only_task(analyses) is task
    # The result is the one of a direct calculation.
    printed = app.test_cli_runner().invoke(
        args=["analyse", "slow", "health", "--one", "left", "--other", "right", "--json"]
    )
    assert json.loads(printed.output) == files["json"].json


@pytest.mark.slow
def test_each_reader_gets_the_language_of_the_page_and_english_files(
    app: Flask, analyses: BackgroundAnalyses, store: Store
) -> None:
    researcher = signed_in(app)
    address = f"{SITE}?{QUERY.format(0)}"
    with analyses.turn:
        page = researcher.client.get(address, headers={"Accept-Language": "vi"})
        assert CALCULATES not in text_of(page)
        assert 'lang="vi"' in page.text
    task = ended(analyses)
    assert task.languages == ("vi", "en")
    assert "Tải xuống" in task.result("vi").note
    assert task.result("en").note == "Download"
    page = researcher.client.get(address, headers={"Accept-Language": "vi"})
    assert (page.status_code, "Tải xuống" in page.text) == (200, True)
    assert researcher.client.get(f"{SITE}.csv?{QUERY.format(0)}").status_code == 200
    # The English page has a result already, and the Thai one has none.
    assert researcher.client.get(address, headers={"Accept-Language": "en"}).status_code == 200
    with analyses.turn:
        assert researcher.client.get(address, headers={"Accept-Language": "th"}).status_code == 202
        assert [each.languages for each in analyses.tasks.values() if each is not task] == [("th",)]
        analyses.close()


def test_english_files_have_english_labels(app: Flask, analyses: BackgroundAnalyses) -> None:
    address = "/admin/surveys/health/analysis/groups?measure=left:0&group=right"
    with analyses.turn:
        signed_in(app).client.get(address, headers={"Accept-Language": "vi"})
        sent = pickle.loads(only_task(analyses).sent)
    words = {language: each.form.measure.choices[0].label for language, each in sent.items()}
    assert [*words] == ["vi", "en"]
    assert words["en"].startswith("share of")
    assert "share of" not in words["vi"]


@pytest.mark.slow
def test_a_stopped_analysis_ends_its_process_and_starts_only_when_asked(
    app: Flask, analyses: BackgroundAnalyses
) -> None:
    researcher, query = signed_in(app), QUERY.format(1000)
    page = researcher.client.get(f"{SITE}?{query}")
    task = only_task(analyses)
    wait_until(lambda: task.process is not None)
    assert f'value="{task.name}"' in page.text
    stop = f"{SITE}/stop?{query}"
    other = researcher.post(stop, {"task": "another"}, form="/admin/")
    assert other.status_code == 302
    assert not task.stopped
    reply = researcher.post(stop, {"task": task.name}, form="/admin/")
    wait_until(lambda: task.ended is not None, 10)
    assert task.process.returncode < 0
    assert not analyses.tasks
    page = researcher.client.get(reply.headers["Location"])
    assert page.status_code == 200
    assert "The calculation was stopped." in text_of(page)
    assert 'value="1000' in page.text
    assert not analyses.tasks
    assert researcher.client.get(f"{SITE}?{query}").status_code == 202


@pytest.mark.slow
def test_an_analysis_that_waits_for_its_turn_can_be_stopped(
    app: Flask, analyses: BackgroundAnalyses
) -> None:
    researcher = signed_in(app)
    with analyses.turn:
        researcher.client.get(f"{SITE}?{QUERY.format(0)}")
        task = only_task(analyses)
        researcher.post(f"{SITE}/stop", {"task": task.name}, form="/admin/")
    wait_until(lambda: not [t for t in threading.enumerate() if t.name == "analysis"])
    assert task.process is None


def test_access_is_checked_on_each_visit(app: Flask, analyses: BackgroundAnalyses, store) -> None:
    query = QUERY.format(0)
    member = signed_in_with(app, "bob", MEMBER, health=ANALYST)
    with analyses.turn:
        assert member.client.get(f"{SITE}?{query}").status_code == 202
        stranger = signed_in_with(app, "eve", MEMBER)
        name = only_task(analyses).name
        assert stranger.client.get(f"{SITE}?{query}").status_code in (403, 404)
        sent = {"task": name}
        refused = stranger.post(f"{SITE}/stop", sent, form="/admin/account")
        assert refused.status_code in (403, 404)
        assert only_task(analyses).name == name
        store.accounts.set_survey_role("bob", "health", None)
        assert member.client.get(f"{SITE}?{query}").status_code in (403, 404)
        assert member.client.get(f"{SITE}.csv?{query}").status_code in (403, 404)
        analyses.close()


def test_a_name_of_another_survey_stops_nothing(
    app: Flask, analyses: BackgroundAnalyses, store: Store
) -> None:
    opened(store, definition(slug="another"))
    researcher = signed_in(app)
    with analyses.turn:
        researcher.client.get(f"{SITE}?{QUERY.format(0)}")
        task = only_task(analyses)
        address = SITE.replace("health", "another") + "/stop"
        researcher.post(address, {"task": task.name}, form="/admin/")
        analyses.stop("another")
        assert not task.stopped
        analyses.stop("health")
        assert task.stopped


# --- what it ends with


def test_the_maximum_of_processor_time_is_a_refusal(app: Flask, analyses, store: Store) -> None:
    outcome = outcome_of(computation(app, store, seconds="30"), 0.06)
    assert isinstance(outcome, UnanswerableQuestion)
    assert str(outcome).startswith("This analysis takes more than 0.001 minutes of the server")
    assert "command line, which has no limit" in str(outcome)


def test_a_refusal_is_in_the_language_of_the_page(app: Flask, analyses, store: Store) -> None:
    with in_language("vi"):
        outcome = outcome_of(computation(app, store, error="refusal"), 60)
    assert str(outcome) == "Refused. Tải xuống"
    assert str(pickle.loads(pickle.dumps(outcome))) == str(outcome)


def test_an_internal_error_names_places_and_no_values(app: Flask, analyses, store: Store) -> None:
    outcome = outcome_of(computation(app, store, error="fault"), 60)
    assert isinstance(outcome, Failure)
    assert outcome.kinds == ["ValueError"]
    assert outcome.trace[-1].endswith("slow_twins_result")
    assert "secret" not in repr(outcome)


@pytest.mark.slow
def test_refusals_and_errors_of_the_process_are_shown_as_usual(
    app: Flask, analyses: BackgroundAnalyses, monkeypatch: pytest.MonkeyPatch
) -> None:
    researcher, warned = signed_in(app), []
    monkeypatch.setattr(logs, "warn", lambda event, **facts: warned.append((event, facts)))
    for error, status, sentence in (
        ("refusal", 200, "Refused. Download"),
        ("fault", 500, "Candor had an internal error."),
    ):
        address = f"{SITE}?{QUERY.format(0)}&error={error}"
        assert researcher.client.get(address).status_code == 202
        ended(analyses)
        page = researcher.client.get(address)
        assert (page.status_code, sentence in text_of(page)) == (status, True)
        analyses.close()
    ((event, facts),) = warned
    assert (event, facts["kinds"]) == ("fault in an analysis", ["ValueError"])
    # The file of a refused analysis has the same message as without a process.
    monkeypatch.setattr(background, "MAX_TASK_SECONDS", 0.06)
    address = f"{SITE}?{QUERY.format(1000)}"
    assert researcher.client.get(address).status_code == 202
    ended(analyses)
    refused = researcher.client.get(address)
    assert (refused.status_code, "more than 0.001 minutes" in text_of(refused)) == (200, True)
    file = researcher.client.get(f"{SITE}.json?{QUERY.format(1000)}")
    assert (file.status_code, "more than 0.001 minutes" in file.text) == (404, True)


@pytest.mark.slow
def test_a_process_that_the_system_ends_is_an_internal_error(
    app: Flask, analyses: BackgroundAnalyses
) -> None:
    researcher, address = signed_in(app), f"{SITE}?{QUERY.format(1000)}"
    researcher.client.get(address)
    task = only_task(analyses)
    wait_until(lambda: task.process is not None)
    task.process.kill()
    assert ended(analyses) is task
    assert researcher.client.get(address).status_code == 500


@pytest.mark.slow
def test_the_process_has_the_lowest_priority(app: Flask, store: Store) -> None:
    opened(store, definition(yes_no("left"), yes_no("right"), batch=1))
    with closing(BackgroundAnalyses()) as analyses:
        sent = {"en": computation(app, store, seconds="1000")}
        task = analyses.start(("health", "slow", "", "", "en"), {}, sent)
        wait_until(lambda: task.process is not None)
        wait_until(lambda: os.getpriority(os.PRIO_PROCESS, task.process.pid) == 19, 200)


@pytest.mark.slow
def test_the_process_ends_with_the_server(app: Flask, analyses, store: Store) -> None:
    """The server may be killed. Then only the end of the standard input tells the process so."""
    sent = pickle.dumps({"en": computation(app, store, seconds="1000")})
    with subprocess.Popen(
        (*background.COMMAND, "1000", "0"),
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        cwd=background.PROJECT_FOLDER,
        env=background.ENVIRONMENT,
    ) as process:
        process.stdin.write(sent)
        process.stdin.close()
        assert process.wait(120) == 1
        assert process.stdout.read() == b""


# --- other data


def finished_task(analyses: BackgroundAnalyses, app: Flask, store: Store, query: str) -> Task:
    """A task that has ended, with the result of a direct calculation."""
    client = signed_in(app).client
    with analyses.turn:
        assert client.get(f"{SITE}?{query}").status_code == 202
        task = only_task(analyses)
        task.stopped = True  # The thread ends without a process.
    task.stopped, task.began = False, time.monotonic()
    task.outcomes = {"en": outcome_of(computation(app, store), 60)}
    task.ended = time.monotonic()
    return task


def test_later_responses_are_named_and_counted_after_a_while(
    app: Flask, analyses: BackgroundAnalyses, store: Store
) -> None:
    query = QUERY.format(0)
    task = finished_task(analyses, app, store, query)
    client = signed_in(app, "bob").client
    said = "More responses were published after Candor had read the data"
    assert said not in text_of(client.get(f"{SITE}?{query}"))
    respond(store, 60, 70)
    page = client.get(f"{SITE}?{query}")
    assert (page.status_code, SAID in text_of(page), said in text_of(page)) == (200, True, True)
    codes = [each["code"] for each in client.get(f"{SITE}.json?{query}").json["remarks"]]
    assert codes == ["outdated", "few_responses"]
    task.ended -= background.OUTDATED_SECONDS
    analyses.request_seconds = 60.0
    page = text_of(client.get(f"{SITE}?{query}"))
    assert "The twins agree in 70 responses." in page
    assert said not in page


def test_a_withdrawn_response_is_in_no_result(
    app: Flask, analyses: BackgroundAnalyses, store: Store
) -> None:
    query = QUERY.format(0)
    finished_task(analyses, app, store, query)
    assert store.responses.withdraw("health", (0).to_bytes(16))
    analyses.request_seconds = 60.0
    page = signed_in(app, "bob").client.get(f"{SITE}?{query}")
    assert "The twins agree in 59 responses." in text_of(page)
    assert not analyses.tasks


def test_few_analyses_wait_and_few_results_are_kept(
    app: Flask, analyses: BackgroundAnalyses, monkeypatch: pytest.MonkeyPatch
) -> None:
    client = signed_in(app).client
    monkeypatch.setattr(background, "MAX_UNFINISHED", 2)
    monkeypatch.setattr(background, "MAX_KEPT", 2)
    with analyses.turn:
        for number in range(2):
            assert client.get(f"{SITE}?{QUERY.format(number)}").status_code == 202
        page = client.get(f"{SITE}?{QUERY.format(2)}")
        assert "Many analyses are waiting on this server." in text_of(page)
        first, second = analyses.tasks.values()
        first.stopped = True
        assert client.get(f"{SITE}?{QUERY.format(2)}").status_code == 202
        assert next(iter(analyses.tasks.values())) is second
        assert len(analyses.tasks) == 2
        analyses.close()


@pytest.mark.slow
@pytest.mark.parametrize("name", REQUESTS)
def test_every_analysis_needs_no_database(
    app: Flask, store: Store, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, name: str
) -> None:
    """Outside of the application, `store` raises RuntimeError."""
    monkeypatch.chdir(tmp_path)
    loaded(app, tmp_path)
    store_crosswise(store)
    store_list(store)
    store_two_lists(store)
    slug, _, query = REQUESTS[name]
    found, kind = store.surveys.by_slug(slug), ANALYSES[name]
    with app.app_context():
        read = kind.read(found, kind.valid_form(found, query_of(query)))
        direct = result_json(read.result(), found, name)
    outcome = outcome_of(pickle.loads(pickle.dumps(read)), 60)
    assert isinstance(outcome, AnalysisResult), outcome
    assert result_json(pickle.loads(pickle.dumps(outcome)), found, name) == direct


def test_a_computation_can_be_sent_to_a_process(app: Flask, analyses, store: Store) -> None:
    read = computation(app, store, seconds="0.01")
    elsewhere = ((read.form.found, read.columns[0]),)
    sent = {"vi": replace(read, elsewhere=elsewhere), "en": read}
    received = pickle.loads(pickle.dumps(sent))
    form = received["vi"].form
    assert form.data == read.form.data
    assert (form.slug, form.wanted, form.design) == ("health", ["left", "right"], read.form.design)
    assert received["vi"].result().sentence == SAID
    ((found, column),) = form.elsewhere
    assert (found.survey.slug, column.name) == ("health", "left")
    assert received["en"].result().sentence == SAID
    assert form.elsewhere == ()
