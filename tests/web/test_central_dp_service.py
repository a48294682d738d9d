"""DP releases: charged before they are shown, exactly once, and never above the budget."""

import importlib
import json
import os
import re
import signal
import subprocess
import sys
from concurrent.futures import ThreadPoolExecutor
from fractions import Fraction
from threading import Barrier

import pytest

from survey.api.schemas import SCHEMAS
from survey.central_dp.budget import total_loss
from survey.central_dp.text import ledger_as_json
from survey.core.errors import MissingExtra, OverBudget, StateError
from survey.definition.responses.parse_response import Response
from survey.store import open_store
from survey.web import central_dp_service
from tests.support.definitions import definition, opened
from tests.support.every_type import asked, letters
from tests.support.project import ROOT
from tests.support.releases import ASKED, BUDGET, DAY, PAGE, QUESTIONS, fill, text_of, wanted
from tests.support.stores import connected, is_postgresql

pytestmark = pytest.mark.both_stores


@pytest.fixture
def survey(store):
    return fill(store)


def test_public_releases_are_results_from_the_first_one_on(store, survey):
    """The page of the closed survey then links to them."""
    shown = store.public.shown_survey
    store.releases.publish_releases("health", True)
    assert shown("health")[1] is False
    version = shown("health")[2]
    store.releases.add_release("health", wanted(survey), 1, ((1,),), DAY)
    assert shown("health")[1] is True
    assert (
        shown("health")[2] == store.public.versions(["health"], results=False)["health"] != version
    )
    store.releases.publish_releases("health", False)
    assert shown("health")[1:] == (False, version)


def test_a_figure_is_drawn_spent_and_found_again(app, store, survey):
    with app.app_context():
        made = central_dp_service.release_statistic("health", wanted(survey), DAY)
        assert central_dp_service.release_statistic("health", wanted(survey), DAY) == made
        [figure] = central_dp_service.release_figures(survey, made)
    assert store.releases.ledger("health") == [made]
    assert (made.n, made.day) == (40, "2026-11-21")
    assert figure.low < figure.value < figure.high


def test_a_thousand_requests_for_the_same_give_one_number(app, store, survey, monkeypatch):
    draws = []
    real = central_dp_service.draw_release
    monkeypatch.setattr(
        central_dp_service, "draw_release", lambda *all: draws.append(1) or real(*all)
    )
    with app.app_context():
        values = {
            central_dp_service.release_statistic("health", wanted(survey), DAY).drawn
            for _ in range(1_000)
        }
    assert len(values) == len(draws) == 1
    assert total_loss(each.request for each in store.releases.ledger("health"))[0] == Fraction(
        "0.5"
    )


def test_what_does_not_fit_is_refused_with_what_is_left_and_not_drawn(
    app, store, survey, monkeypatch
):
    with app.app_context():
        central_dp_service.release_statistic("health", wanted(survey, "0.7"), DAY)
        monkeypatch.setattr(central_dp_service, "draw_release", None)
        with pytest.raises(OverBudget, match=r"ε = 0\.4, but only ε = 0\.3 of the budget is left"):
            central_dp_service.release_statistic("health", wanted(survey, "0.4"), DAY)
        assert central_dp_service.release_statistic(
            "health", wanted(survey, "0.7"), DAY
        )  # as stored, at no cost
    assert len(store.releases.ledger("health")) == 1


def test_nothing_is_released_without_a_budget_or_before_the_end(app, store):
    survey = opened(store, definition(*QUESTIONS)).survey
    with app.app_context():
        with pytest.raises(StateError, match="open"):
            central_dp_service.release_statistic("health", wanted(survey), DAY)
        with pytest.raises(StateError, match="not closed"):
            store.releases.add_release("health", wanted(survey), 1, ((1,),), DAY)
        store.lifecycle.set_state("health", "closed")
        with pytest.raises(OverBudget, match="no budget"):
            central_dp_service.release_statistic("health", wanted(survey), DAY)


def test_only_responses_that_are_released_count(app, store):
    """Two responses wait for their batch."""
    survey = opened(store, definition(*QUESTIONS, batch=3)).survey
    for k in range(3):
        store.responses.add_response("health", Response(bytes([k]) * 16, (0, 50, 1)))
    store.lifecycle.set_state("health", "closed")
    store.lifecycle.set_state("health", "open")
    for k in range(3, 5):
        store.responses.add_response("health", Response(bytes([k]) * 16, (0, 50, 1)))
    store.lifecycle.set_state("health", "closed")
    store.releases.set_budget("health", BUDGET)
    with app.app_context():
        assert central_dp_service.release_statistic("health", wanted(survey), DAY).n == 3


def test_the_same_request_at_once_is_one_release(settings, app, store, survey):
    """The slower request gets the stored result, and nobody sees its own draw."""
    other, start = open_store(settings.database), Barrier(8)

    def ask(number):
        start.wait()
        through = store if number % 2 else other
        return through.releases.add_release("health", wanted(survey), 40, ((number,),), DAY)

    with ThreadPoolExecutor(8) as pool:
        made = list(pool.map(ask, range(8)))
    assert len({each.drawn for each in made}) == 1
    assert store.releases.ledger("health") == [made[0]]
    other.close()


KILLED = """
import os, signal, sys
from datetime import date
from app import create_app
from survey.central_dp.dp_request import read_request
from survey.server.settings import Settings
from survey.web import central_dp_service

database, moment = sys.argv[1:]
app = create_app(Settings(database=database, host="127.0.0.1", port=8000,
    url="http://127.0.0.1:8000", secret_key="k" * 64, proxies=0))

def die():
    os.kill(os.getpid(), signal.SIGKILL)

def draw(*all, drawn=central_dp_service.draw_release):
    found = drawn(*all)
    if moment == "shown before it is spent":
        print(found[1], flush=True)
    if moment != "spent":
        die()
    return found

with app.app_context():
    survey = central_dp_service.store().surveys.by_slug("health").survey
    wanted = read_request(survey, {"question": "age", "statistic": "mean", "epsilon": "0.5"})
    if moment != "never":
        central_dp_service.draw_release = draw
    made = central_dp_service.release_statistic("health", wanted, date(2026, 11, 21))
    if moment == "spent":
        die()
    print(made.drawn, flush=True)
"""


def killed(database, moment):
    """The output of a process that is killed at that moment."""
    done = subprocess.run(
        [sys.executable, "-c", KILLED, database, moment],
        cwd=ROOT, capture_output=True, text=True, env={**os.environ, "PYTHONPATH": str(ROOT)},
    )  # fmt: skip
    assert done.returncode == (0 if moment == "never" else -signal.SIGKILL), done.stderr
    return done.stdout.split("\n")[:-1]


def in_the_ledger(database):
    """The ledger by separate SQL, without the store."""
    with connected(database) as connection:
        if not is_postgresql(database):
            assert connection.execute("PRAGMA integrity_check").fetchall() == [("ok",)]
        rows = connection.execute("SELECT drawn FROM releases").fetchall()
    return [str(tuple(tuple(part) for part in json.loads(drawn))) for (drawn,) in rows]


@pytest.mark.slow
def test_killed_between_draw_and_reply_no_spend_is_forgotten(settings, app, store, survey):
    """A process killed after the draw has shown nothing and charged nothing.

    If it is killed after the charge and before the reply, the release is in the ledger. The next
    request shows it.
    """
    assert killed(settings.database, "drawn") == []
    assert in_the_ledger(settings.database) == []
    assert killed(settings.database, "spent") == []
    [kept] = in_the_ledger(settings.database)
    assert killed(settings.database, "never") == [kept]
    assert in_the_ledger(settings.database) == [kept]


@pytest.mark.slow
def test_control_a_value_that_is_shown_before_it_is_spent_is_found_out(
    settings, app, store, survey
):
    seen = killed(settings.database, "shown before it is spent")
    assert len(seen) == 1
    assert in_the_ledger(settings.database) == []


def test_a_tree_by_the_page(app, store, researcher):
    content = definition(*QUESTIONS, asked("sleep", "scale", "none", choices=letters("123")))
    opened(store, content, "closed")
    rows = [Response(bytes([k]) * 16, (k % 2, 20 + k, k % 4, k % 3)) for k in range(60)]
    store.responses.add_batches("health", [rows], "loaded")
    store.releases.set_budget("health", BUDGET)
    new = f"{PAGE}/new?question=sleep&statistic=tree"
    page = researcher.client.get(new)
    assert 'name="by"' in page.text
    assert "Choose non-private yes/no" in text_of(researcher.client.get(f"{new}&epsilon=1"))
    page = researcher.client.get(f"{new}&epsilon=1&by=region&depth=2")
    assert "All counts in the leaves are within" in text_of(page)
    fields = dict(re.findall(r'<input type="hidden" name="(\w+)" value="([^"]*)"', page.text))
    assert researcher.post(PAGE, fields, form=PAGE).status_code == 302
    [made] = store.releases.ledger("health")
    assert (made.request.by, made.request.depth) == ("region", 1)
    shown = text_of(researcher.client.get(PAGE))
    assert re.search(r"What of region\? N 1 −?\d+ 2 −?\d+ 3 −?\d+ E 1 ", shown)
    assert store.releases.find_release("health", made.request) == made


def test_a_program_reads_the_ledger_in_the_form_that_is_described(app, store, survey):
    from jsonschema import Draft202012Validator

    with app.app_context():
        for statistic in ("mean", "median"):
            central_dp_service.release_statistic(
                "health", wanted(survey, "0.25", statistic=statistic), DAY
            )
        ledger = [
            (each, central_dp_service.release_figures(survey, each))
            for each in store.releases.ledger("health")
        ]
    found = ledger_as_json(survey, store.releases.budget("health"), ledger)
    schemas = {"components": {"schemas": SCHEMAS}, "$ref": "#/components/schemas/Releases"}
    Draft202012Validator(schemas).validate(found)
    assert found["left"] == {"epsilon": "0.5", "delta": "0.00001"}
    assert [each["figures"][0]["low"] is None for each in found["releases"]] == [False, True]
    mean, median = (each["figures"][0]["noise_deviation"] for each in found["releases"])
    # 100 half years / 0.25, for 40 people: sqrt 2 times 5 years, to six digits.
    assert (mean, median) == (pytest.approx(5 * 2**0.5, rel=1e-6), None)


@pytest.fixture
def no_engine(monkeypatch):
    """A system without OpenDP: nothing finds it, and nothing can import it."""
    monkeypatch.setitem(sys.modules, "opendp", None)
    monkeypatch.delitem(sys.modules, "survey.central_dp.opendp_sampler", raising=False)
    with pytest.raises(ModuleNotFoundError):
        importlib.import_module("survey.central_dp.opendp_sampler")


def test_without_its_engine_nothing_is_drawn_and_the_rest_works(
    app, store, survey, researcher, request
):
    with app.app_context():
        made = central_dp_service.release_statistic("health", wanted(survey, "0.25"), DAY)
    request.getfixturevalue("no_engine")
    with app.app_context():
        with pytest.raises(MissingExtra, match="Run `make central-dp` there"):
            central_dp_service.release_statistic("health", wanted(survey, "0.5"), DAY)
        assert central_dp_service.release_statistic("health", wanted(survey, "0.25"), DAY) == made
    shown = text_of(researcher.client.get(PAGE))
    assert "Run `make central-dp` there" in shown
    assert "Release another figure" not in shown
    assert f"release-{made.number}" in researcher.client.get(PAGE).text
    new = f"{PAGE}/new?question=age&statistic=mean&low=0&high=100&epsilon=0.5"
    page = researcher.client.get(new)
    assert "Run `make central-dp` there" in text_of(page)
    assert "The release costs ε = 0.5" in text_of(page)
    assert "Make DP release" not in page.text
    sent = researcher.post(PAGE, ASKED | {"epsilon": "0.5"}, form="/admin/account")
    assert sent.status_code == 422
    assert "Run `make central-dp` there" in text_of(sent)
    args = ["central-dp", "draw", "health", "age", "mean", "--epsilon", "0.5", "--yes"]
    told = app.test_cli_runner().invoke(args=args)
    assert told.exit_code == 1
    assert "Run `make central-dp` there" in told.output
    assert store.releases.ledger("health") == [made]
    listed = app.test_cli_runner().invoke(args=["central-dp", "list", "health"])
    assert listed.exit_code == 0
    assert "age" in listed.output
