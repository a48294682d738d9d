"""The limit of processor time: the checks, the computations that make them, and the message.

The clock of these tests counts its own calls, so the speed of the machine does not matter.
"""

import json
import threading
import time
from dataclasses import replace
from itertools import count

import pytest
import scipy.optimize
from flask import Flask
from flask.testing import FlaskClient

from survey.analysis import columns_by_name
from survey.analysis.regression.regression import regress
from survey.core.errors import SettingsError
from survey.core.processor_time import OutOfTime, limit_time, require_time
from survey.definition.responses.receipts import response_id
from survey.definition.survey import parse_survey
from survey.formats.csv_import import read_truth
from survey.learn.lessons import composition
from survey.planning.simulation import simulate_responses
from survey.respondent import public_results
from survey.server.http.wsgi_threads import (
    RESEARCHERS_THREADS,
    STRANGERS_SECONDS,
    STRANGERS_THREADS,
    THREADS,
    Threads,
)
from survey.server.settings import Settings
from survey.store import Store
from survey.web.analyses.background import background_analyses
from tests.support.asgi_servers import Running, started
from tests.support.definitions import definition, opened, yes_no
from tests.support.researchers import Researcher
from tests.support.waiting import wait_until

TRUTH = {"smokes": {"yes": 0.3, "no": 0.7}, "drinks": {"yes": 0.6, "no": 0.4}}
TWO = definition(yes_no(), yes_no("drinks", label="Do you drink?"))


class Looks:
    """A clock that advances by one at each look."""

    def __init__(self) -> None:
        self.numbers = count()
        self.last = 0

    def __call__(self) -> float:
        self.last = next(self.numbers)
        return self.last


def checks_of(work) -> int:
    clock = Looks()
    with limit_time(10**9, clock):
        work()
    return clock.last


# --- the check


def test_without_a_limit_nothing_is_asked_and_the_clock_is_not_read() -> None:
    require_time()
    clock = Looks()
    with limit_time(0, clock):
        for _ in range(100):
            require_time()
    assert clock.last == 0


def test_what_goes_beyond_the_limit_is_stopped_and_what_comes_after_is_not() -> None:
    done = []
    with pytest.raises(OutOfTime, match="more than 5 seconds"), limit_time(5, Looks()):
        while True:
            require_time()
            done.append(1)
    assert len(done) == 5
    require_time()


def test_a_limit_within_another_holds_in_addition() -> None:
    for outer, inner in ((5, 10**9), (10**9, 5), (5, 0)):
        with (
            pytest.raises(OutOfTime, match="more than 5 seconds"),
            limit_time(outer, Looks()),
            limit_time(inner, Looks()),
        ):
            while True:
                require_time()


def test_threads_of_other_requests_have_limits_of_their_own() -> None:
    with limit_time(1, Looks()):
        require_time()
        other = threading.Thread(target=require_time, name="other")
        other.start()
        other.join()
        with pytest.raises(OutOfTime):
            require_time()


# --- the callers


def drawn(n: int) -> list:
    survey = parse_survey(TWO)
    return [
        each
        for batch in simulate_responses(survey, read_truth(TRUTH, survey), n, seed=2)
        for each in batch
    ]


@pytest.mark.parametrize("se", ["smokes", "drinks"])
def test_a_regression_asks_at_each_step(se: str) -> None:
    survey, other = parse_survey(TWO), {"smokes": "drinks", "drinks": "smokes"}[se]
    rows = [each.reports for each in drawn(20_000)]

    def work(n: int) -> None:
        columns = columns_by_name(survey, rows[:n], [se, other])
        regress(columns[se], [columns[other]])

    few, many = checks_of(lambda: work(4_000)), checks_of(lambda: work(20_000))
    # Equal responses count together, so a step does not take longer with more of them.
    assert few > 10
    assert many > 10


def test_each_linear_programme_asks_before_it_is_solved(monkeypatch: pytest.MonkeyPatch) -> None:
    solved = []
    solve = scipy.optimize.linprog

    def counted(*sent, **named):
        solved.append(1)
        return solve(*sent, **named)

    monkeypatch.setattr(scipy.optimize, "linprog", counted)
    questions = [
        {"name": f"q{i}", "type": "number", "label": "x", "min": 0, "max": 100}
        | {"privacy": {"epsilon": 1.2 + i / 1_003, "goal": "mean"}}
        for i in range(6)
    ]
    with pytest.raises(OutOfTime), limit_time(2, Looks()):
        parse_survey(definition(*questions))
    assert 0 < len(solved) <= 2


def test_simulated_respondents_ask_for_each_batch() -> None:
    assert checks_of(lambda: drawn(45_000)) == 5


PAGES = {
    "cross-tabulation": "?rows=smokes&columns=drinks",
    "groups": "/groups?measure=smokes:0&group=drinks",
    "correlation": "/correlation?questions=smokes:0&questions=drinks:0",
    "regression": "/regression?outcome=smokes&predictors=drinks",
    "tree": "/tree?target=smokes&predictors=drinks",
}


@pytest.mark.parametrize("page", PAGES.values(), ids=PAGES)
def test_pages_of_analyses_ask_for_time(
    app: Flask, researcher: Researcher, store: Store, page: str
) -> None:
    """A computation then goes on in the background. The reading of its data is stopped."""
    survey = opened(store, TWO, "closed").survey
    sample = simulate_responses(survey, read_truth(TRUTH, survey), 12_000, seed=1)
    store.responses.add_batches("health", sample, "simulated")
    address = f"/admin/surveys/health/analysis{page}"
    clock = Looks()
    with limit_time(10**9, clock):
        assert researcher.client.get(address).status_code == 200
    assert clock.last > 1
    with app.app_context():
        analyses = background_analyses()
    with analyses.turn:
        with limit_time(clock.last - 1, Looks()):
            late = researcher.client.get(address)
        assert late.status_code == (422 if "correlation" in page else 202)
        analyses.close()
    with limit_time(1, Looks()):
        reply = researcher.client.get(address)
    assert reply.status_code == 422
    assert "seconds of the server&#39;s processor time" in reply.get_data(as_text=True)
    assert researcher.client.get(address).status_code == 200


def test_what_was_stopped_has_changed_nothing(researcher: Researcher, store: Store) -> None:
    survey = parse_survey(definition())
    store.surveys.save_draft(survey)
    form = "/admin/surveys/health/try-out"
    sent = {"n": "30000", "smokes:yes": "30", "smokes:no": "70"}
    with limit_time(1, Looks()):
        assert researcher.post(f"{form}/pilot", sent, form=form).status_code == 422
    assert "health.pilot" not in researcher.client.get(form).get_data(as_text=True)
    assert researcher.post(f"{form}/pilot", sent, form=form).status_code == 302


# --- the pools


@pytest.fixture
def there(app: Flask, settings: Settings, store: Store):
    frozen = opened(store, definition(yes_no(), batch=1, receipts=True))
    store.shares.publish("health", True)
    with started(app, replace(settings, processor_seconds=1), frozen) as running:
        yield running


def test_a_researchers_request_is_stopped_by_its_own_threads_clock(
    there: Running, app: Flask
) -> None:
    @app.get("/admin/endless")
    def endless() -> str:
        while True:
            require_time()

    status, headers, content = there.ask("GET", "/admin/endless")
    assert status == 422
    assert b"more than 1 seconds" in content
    assert headers["content-security-policy"]
    assert there.front.threads.respondents.seconds == 0


def test_heavy_views_of_researchers_keep_no_respondent_waiting(there: Running, app: Flask) -> None:
    """Nine at once, of which three run. Pages are answered while none of them has ended."""
    free, names, ended = threading.Event(), [], []

    @app.get("/admin/heavy")
    def heavy() -> str:
        names.append(threading.current_thread().name)
        free.wait(60)
        return "done"

    @app.get("/who")
    def who() -> str:
        return threading.current_thread().name

    def ask(path: str) -> None:
        ended.append(there.ask("GET", path)[0])

    researchers = [threading.Thread(target=ask, args=["/admin/heavy"]) for _ in range(9)]
    for each in researchers:
        each.start()
    end = time.monotonic() + 30
    while there.front.threads.researchers.busy < 9 or len(names) < RESEARCHERS_THREADS:
        assert time.monotonic() < end
        time.sleep(0.01)
    for path in ("/s/health", "/how", "/s/health.json", "/static/respondent/respond.js"):
        assert there.ask("GET", path)[0] == 200, path
    assert there.ask("GET", "/who")[2].startswith(b"page")
    assert there.post()[0] == 201
    assert ended == []
    assert len(names) == RESEARCHERS_THREADS
    free.set()
    for each in researchers:
        each.join()
    assert ended == [200] * 9
    assert all(name.startswith("researcher") for name in names)


def test_each_address_has_the_threads_of_its_side() -> None:
    threads = Threads(lambda *_: [])
    for pool, paths in {
        threads.researchers: "/admin /admin/ /admin/sign-in /api/v1/surveys /shared",
        threads.strangers: "/learn/ /learn/gamma /learn/gamma.ipynb /help/ /help/search /how"
        " /help/images/candor.png /verify /s/x/how /s/x/verify /s/x/results",
        threads.respondents: "/ /s/x /s/x.json /s/x/responses /s/x/withdraw /s/x/withdrawals"
        " /s/x/by-hand /static/a /learner /s/x/y/results",
    }.items():
        for path in paths.split():
            assert threads.pool_of(path) is pool, path


def test_strangers_who_compute_keep_nobody_else_waiting(there: Running, app: Flask) -> None:
    """Twelve at once, of which one runs. Others are answered while none of the twelve has ended."""
    free, names, ended = threading.Event(), [], []

    @app.get("/learn/heavy")
    def heavy() -> str:
        names.append(threading.current_thread().name)
        free.wait(60)
        return "done"

    receipt = "5" * 32
    assert there.post(there.body(id=response_id(receipt).hex()))[0] == 201
    strangers = [
        threading.Thread(target=lambda: ended.append(there.ask("GET", "/learn/heavy?n=2")[0]))
        for _ in range(12)
    ]
    for each in strangers:
        each.start()
    pool = there.front.threads.strangers
    wait_until(lambda: pool.busy == 12 and len(names) == STRANGERS_THREADS, 30)
    pool.most = 12
    for path in ("/s/health", "/s/health.json", "/static/respondent/respond.js", "/admin/sign-in"):
        assert there.ask("GET", path)[0] == 200, path
    assert there.ask("GET", "/s/health/by-hand")[0] == 404
    assert there.post()[0] == 201
    withdrawal = json.dumps({"receipt": receipt}).encode()
    assert there.post(withdrawal, "/s/health/withdrawals")[0] == 200
    for path in ("/learn/gamma", "/learn/gamma?n=3", "/help/search?q=a", "/s/health/results"):
        status, headers, content = there.ask("GET", path)
        assert (status, headers["retry-after"]) == (503, "5"), path
        assert b"Too many people use this server" in content
    assert ended == []
    assert len(names) == STRANGERS_THREADS
    free.set()
    for each in strangers:
        each.join()
    assert ended == [200] * 12
    assert all(name.startswith("stranger") for name in names)
    assert there.ask("GET", "/s/health/results")[0] == 200


def endless(*_: object) -> None:
    while True:
        require_time()


STOPPED = {
    "en": "This page takes more than 0.2 seconds of the server&#39;s processor time",
    "vi": "0,2 giây",
}


def test_a_lesson_is_stopped_in_the_language_of_its_page(
    there: Running, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(composition, "allowed_queries", endless)
    strangers = there.front.threads.strangers
    assert strangers.seconds == STRANGERS_SECONDS
    strangers.seconds = 0.2
    for language, words in STOPPED.items():
        path = f"/learn/composition?queries=7&language={language}"
        status, headers, content = there.ask("GET", path)
        assert status == 422
        assert words in content.decode()
        assert headers["content-security-policy"]
        assert f'lang="{language}"' in content.decode()


def test_lessons_with_long_calculations_ask(client: FlaskClient) -> None:
    """The others draw all their numbers in one step, and have few."""
    for lesson in ("clipping", "statistics", "composition", "titanic-tree", "break-it", "curator"):
        address = f"/learn/{lesson}"
        assert client.get(address).status_code == 200
        with limit_time(0.5, Looks()):
            assert client.get(address).status_code == 422, address


def test_public_results_that_take_too_long_are_stopped_and_not_kept(
    there: Running, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A reader cannot choose less, so the limit is that of a researcher's request."""
    with monkeypatch.context() as patched:
        patched.setattr(public_results, "survey_results", endless)
        status, _, content = there.ask("GET", "/s/health/results?language=vi")
        assert status == 503
        assert "Candor stopped it" not in content.decode()
        assert there.front.pages.cache.size == 0
    assert there.ask("GET", "/s/health/results")[0] == 200


def test_researchers_beyond_what_may_wait_are_told_to_come_again(
    there: Running, app: Flask
) -> None:
    there.front.threads.researchers.most = RESEARCHERS_THREADS
    free = threading.Event()

    @app.get("/admin/heavy")
    def heavy() -> str:
        free.wait(60)
        return "done"

    held = [
        threading.Thread(target=there.ask, args=["GET", "/admin/heavy"])
        for _ in range(RESEARCHERS_THREADS)
    ]
    for each in held:
        each.start()
    end = time.monotonic() + 30
    while not there.front.threads.researchers.full:
        assert time.monotonic() < end
        time.sleep(0.01)
    assert there.ask("GET", "/admin/sign-in")[0] == 503
    assert there.ask("GET", "/s/health")[0] == 200
    free.set()
    for each in held:
        each.join()
    assert THREADS > RESEARCHERS_THREADS


# --- the setting


def test_the_operator_sets_the_limit(tmp_path) -> None:
    known = {"CANDOR_DATABASE": str(tmp_path / "candor.db")}
    assert Settings.from_environment(known).processor_seconds == 30
    chosen = known | {"CANDOR_PROCESSOR_SECONDS": "0"}
    assert Settings.from_environment(chosen).processor_seconds == 0
    with pytest.raises(SettingsError, match="CANDOR_PROCESSOR_SECONDS"):
        Settings.from_environment(known | {"CANDOR_PROCESSOR_SECONDS": "half"})
