"""The limit of processor time: the checks, the computations that make them, and the message.

The clock of these tests counts its own calls, so the speed of the machine does not matter.
"""

import threading
import time
from dataclasses import replace
from itertools import count

import pytest
import scipy.optimize
from flask import Flask

from survey.analysis import columns_by_name
from survey.analysis.regression.regression import regress
from survey.core.errors import SettingsError
from survey.core.processor_time import OutOfTime, limited, require_time
from survey.definition.survey import parse_survey
from survey.formats.csv_import import read_truth
from survey.planning.simulation import simulate_responses
from survey.server.http.wsgi_threads import RESEARCHERS_THREADS, THREADS
from survey.server.settings import Settings
from survey.store import Store
from tests.support.asgi_servers import Running, started
from tests.support.definitions import definition, opened, yes_no
from tests.support.researchers import Researcher

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
    with limited(10**9, clock):
        work()
    return clock.last


# --- the check


def test_without_a_limit_nothing_is_asked_and_the_clock_is_not_read() -> None:
    require_time()
    clock = Looks()
    with limited(0, clock):
        for _ in range(100):
            require_time()
    assert clock.last == 0


def test_what_goes_beyond_the_limit_is_stopped_and_what_comes_after_is_not() -> None:
    done = []
    with pytest.raises(OutOfTime, match="more than 5 seconds"), limited(5, Looks()):
        while True:
            require_time()
            done.append(1)
    assert len(done) == 5
    require_time()


def test_threads_of_other_requests_have_limits_of_their_own() -> None:
    with limited(1, Looks()):
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
def test_a_regression_asks_for_each_block_of_responses_at_each_step(se: str) -> None:
    survey, other = parse_survey(TWO), {"smokes": "drinks", "drinks": "smokes"}[se]
    rows = [each.reports for each in drawn(20_000)]

    def work(n: int) -> None:
        columns = columns_by_name(survey, rows[:n], [se, other])
        regress(columns[se], [columns[other]])

    few, many = checks_of(lambda: work(4_000)), checks_of(lambda: work(20_000))
    assert few > 10
    assert many > 3 * few  # There are five times the blocks, and steps differ a little.


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
    with pytest.raises(OutOfTime), limited(2, Looks()):
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
def test_pages_of_analyses_are_stopped_with_a_sentence(
    researcher: Researcher, store: Store, page: str
) -> None:
    survey = opened(store, TWO, "closed").survey
    sample = simulate_responses(survey, read_truth(TRUTH, survey), 12_000, seed=1)
    store.responses.add_batches("health", sample, "simulated")
    address = f"/admin/surveys/health/analysis{page}"
    clock = Looks()
    with limited(10**9, clock):
        assert researcher.client.get(address).status_code == 200
    assert clock.last > 1
    with limited(clock.last - 1, Looks()):
        reply = researcher.client.get(address)
    assert reply.status_code == 422
    assert "seconds of the server&#39;s processor time" in reply.get_data(as_text=True)
    assert researcher.client.get(address).status_code == 200


def test_what_was_stopped_has_changed_nothing(researcher: Researcher, store: Store) -> None:
    survey = parse_survey(definition())
    store.surveys.save_draft(survey)
    form = "/admin/surveys/health/try-out"
    sent = {"n": "30000", "smokes:yes": "30", "smokes:no": "70"}
    with limited(1, Looks()):
        assert researcher.post(f"{form}/pilot", sent, form=form).status_code == 422
    assert "health.pilot" not in researcher.client.get(form).get_data(as_text=True)
    assert researcher.post(f"{form}/pilot", sent, form=form).status_code == 302


# --- the pools


@pytest.fixture
def there(app: Flask, settings: Settings, store: Store):
    frozen = opened(store, definition(yes_no(), batch=1))
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


@pytest.mark.parametrize(
    ("path", "pool"),
    [
        *((path, "researchers") for path in ("/admin", "/admin/", "/api/v1/surveys", "/shared")),
        *((path, "respondents") for path in ("/", "/s/x", "/s/x/results", "/verify", "/static/a")),
    ],
)
def test_each_address_has_the_threads_of_its_side(there: Running, path: str, pool: str) -> None:
    assert there.front.threads.pool_of(path) is getattr(there.front.threads, pool)


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
