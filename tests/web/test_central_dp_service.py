"""DP releases: charged before they are shown, exactly once, and never above the budget."""

import csv
import importlib
import io
import json
import os
import re
import signal
import subprocess
import sys
from concurrent.futures import ThreadPoolExecutor
from datetime import date
from fractions import Fraction
from threading import Barrier

import pytest

from survey.api.schemas import SCHEMAS
from survey.central_dp.dp_request import read_request
from survey.central_dp.ledger import (
    CentralDPBudget,
    RunningLoss,
    read_budget,
    require_within_budget,
    spent,
)
from survey.central_dp.text import ledger_as_json
from survey.core.errors import MissingExtra, OverBudget, ReleaseError, StateError
from survey.definition.responses.parse_response import Response
from survey.store import ANALYST, EDITOR, open_store
from survey.web import central_dp_service
from tests.support.definitions import definition, opened, yes_no
from tests.support.every_type import asked, letters
from tests.support.project import ROOT
from tests.support.researchers import signed_in
from tests.support.stores import IntegrityErrors, connected, is_postgresql

pytestmark = pytest.mark.both_stores

DAY = date(2026, 11, 21)
QUESTIONS = (
    yes_no(),
    asked("age", "number", "none", min=0, max=100),
    asked("region", "select_one", "none", choices=letters("nesw")),
)
BUDGET = CentralDPBudget(Fraction(1), Fraction("0.00001"))
PAGE = "/admin/surveys/health/releases"


def fill(store, budget=BUDGET, n=40):
    survey = opened(store, definition(*QUESTIONS), "closed").survey
    rows = [Response(bytes([k]) * 16, (k % 2, 20 + k, k % 4)) for k in range(n)]
    store.responses.add_batches("health", [rows], "loaded")
    if budget is not None:
        store.releases.set_budget("health", budget)
    return survey


@pytest.fixture
def survey(store):
    return fill(store)


def wanted(survey, epsilon="0.5", **more):
    typed = {"question": "age", "statistic": "mean", "epsilon": epsilon}
    return read_request(survey, typed | more)


def many(survey, count, epsilon):
    """This number of different requests with this privacy loss."""
    return [wanted(survey, epsilon, high=str(100 - k)) for k in range(count)]


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
    assert spent(each.request for each in store.releases.ledger("health"))[0] == Fraction("0.5")


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


def test_the_budget_is_a_promise_in_the_store_too(app, store, survey):
    store.releases.set_budget(
        "health", CentralDPBudget(Fraction(2), Fraction(0))
    )  # nothing published yet
    with app.app_context():
        central_dp_service.release_statistic("health", wanted(survey), DAY)
    with pytest.raises(ReleaseError, match="only lower it"):
        store.releases.set_budget("health", CentralDPBudget(Fraction(3), Fraction(0)))
    with pytest.raises(ReleaseError, match="spent"):
        store.releases.set_budget("health", CentralDPBudget(Fraction("0.4"), Fraction(0)))
    store.releases.set_budget("health", CentralDPBudget(Fraction("0.5"), Fraction(0)))
    assert store.releases.budget("health") == read_budget("0.5", "0")


def test_a_draft_and_a_part_have_no_budget(store):
    from survey.definition.survey import parse_survey

    store.surveys.save_draft(parse_survey(definition(slug="draft")))
    with pytest.raises(StateError, match="draft"):
        store.releases.set_budget("draft", BUDGET)
    with pytest.raises(StateError, match="part"):
        store.releases.set_budget("health.by-hand", BUDGET)


# --- simultaneous requests, and killed processes


def test_fifty_at_once_on_two_stores_never_overspend(settings, app, store, survey):
    """Room for 10 of 50, half of them through another store on the same file."""
    other, start = open_store(settings.database), Barrier(50)

    def spend(number_and_request):
        number, request = number_and_request
        through = store if number % 2 else other
        through.releases.ledger("health")  # connected
        start.wait()
        try:
            return through.releases.add_release("health", request, 40, ((number,),), DAY)
        except OverBudget:
            return None

    with ThreadPoolExecutor(50) as pool:
        made = [each for each in pool.map(spend, enumerate(many(survey, 50, "0.1"))) if each]
    assert len(made) == 10
    ledger = other.releases.ledger("health")
    assert sorted(made, key=lambda each: each.number) == ledger
    assert spent(each.request for each in ledger)[0] == 1
    other.close()


def test_control_looking_before_the_transaction_overspends(settings, app, store, survey):
    """A control: the store would overspend if it read the budget before it takes the lock."""
    looked = Barrier(20)

    def spend(request):
        require_within_budget(
            BUDGET, request, RunningLoss(each.request for each in store.releases.ledger("health"))
        )
        looked.wait()
        with connected(settings.database) as connection:
            connection.execute(
                "INSERT INTO releases (survey, request, responses, drawn, day)"
                " VALUES ('health', ?, 40, '[[1]]', '2026-11-21')",
                [request.to_json()],
            )

    with ThreadPoolExecutor(20) as pool:
        list(pool.map(spend, many(survey, 20, "0.1")))
    assert spent(each.request for each in store.releases.ledger("health"))[0] == 2


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


def test_the_ledger_is_only_added_to(settings, app, store, survey):
    with app.app_context():
        central_dp_service.release_statistic("health", wanted(survey), DAY)
    with (
        pytest.raises(IntegrityErrors, match="only ever added"),
        connected(settings.database) as connection,
    ):
        connection.execute("UPDATE releases SET drawn = '[[1]]'")


def test_a_deleted_survey_takes_its_releases_along(app, store, survey):
    with app.app_context():
        central_dp_service.release_statistic("health", wanted(survey), DAY)
    store.lifecycle.delete_survey("health")
    assert store.releases.ledger("health") == []
    assert store.releases.budget("health") is None


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


# --- pages


def text_of(reply):
    page = re.sub(r"<[^>]+>", " ", reply.get_data(as_text=True)).replace("\u00a0", " ")
    return " ".join(page.split())


ASKED = {"question": "age", "statistic": "mean", "low": "0", "high": "100"}
QUERY = "/new?question=age&statistic=mean&low=0&high=100&mechanism=laplace&epsilon=0.5"


def test_from_the_budget_to_the_ledger_and_the_file(store, researcher):
    fill(store, budget=None)
    assert "Set a budget before the first release" in text_of(researcher.client.get(PAGE))
    reply = researcher.post(f"{PAGE}/budget", {"epsilon": "1", "delta": "0"}, form=PAGE)
    assert reply.status_code == 302
    page = researcher.client.get(PAGE + QUERY)
    assert "The release costs ε = 0.5 of the remaining budget" in text_of(page)
    # 40 people, 0 to 100, epsilon 0.5, all of it for the sum because everyone gave a number.
    assert "The mean is within 7.4" in text_of(page)
    assert store.releases.ledger("health") == []  # the preview draws nothing
    fields = dict(re.findall(r'<input type="hidden" name="(\w+)" value="([^"]*)"', page.text))
    reply = researcher.post(PAGE, fields, form=PAGE + QUERY)
    assert (reply.status_code, reply.location) == (302, f"{PAGE}#release-1")
    [made] = store.releases.ledger("health")
    page = text_of(researcher.client.get(PAGE))
    assert "Remaining budget: ε = 0.5 of ε = 1" in page
    assert "Laplace, ε = 0.5; 40 responses" in page
    assert "You already made this release" in text_of(researcher.client.get(PAGE + QUERY))
    rows = list(csv.DictReader(io.StringIO(researcher.client.get(f"{PAGE}.csv").text)))
    assert [row["statistic"] for row in rows] == ["mean"]
    assert float(rows[0]["low"]) < float(rows[0]["value"]) < float(rows[0]["high"])
    assert rows[0]["level"] == "0.95"
    assert made.request.epsilon == rows[0]["epsilon"] == "0.5"


def test_the_form_warns_against_bounds_from_the_answers(store, researcher):
    """Only where the form has bounds."""
    fill(store)
    warning = "Never choose the bounds from the answers that you see"
    for statistic, bounded in (("mean", True), ("sum", True), ("median", True), ("mode", False)):
        page = researcher.client.get(f"{PAGE}/new?question=age&statistic={statistic}")
        assert (warning in text_of(page)) == bounded


def test_a_range_beyond_all_use_is_written_out(store, researcher):
    fill(store, n=10)
    page = text_of(researcher.client.get(PAGE + QUERY.replace("mean", "variance", 1)
                                         .replace("epsilon=0.5", "epsilon=0.001")))  # fmt: skip
    assert re.search(r"The variance is within [\d,]{6,} of its", page)


def test_a_second_press_leads_to_the_same_figure(store, survey, researcher):
    """This includes a form that was open in two windows.

    The log has the release once.
    """
    fields = ASKED | {"epsilon": "0.5", "mechanism": "laplace"}
    for _ in range(2):
        reply = researcher.post(PAGE, fields, form=PAGE)
        assert (reply.status_code, reply.location) == (302, f"{PAGE}#release-1")
    assert "so it cost nothing" in text_of(researcher.client.get(PAGE))
    assert len(store.releases.ledger("health")) == 1
    log = researcher.client.get("/admin/surveys/health/log.csv").get_data(as_text=True)
    assert log.count("released Mean") == 1


def test_a_request_over_budget_is_refused_on_both_pages(store, survey, researcher):
    page = researcher.client.get(PAGE + QUERY.replace("0.5", "1.5"))
    assert "This release costs ε = 1.5, but only ε = 1 of the budget is left" in text_of(page)
    assert "Make DP release" not in page.text
    reply = researcher.post(PAGE, ASKED | {"epsilon": "1.5"}, form=PAGE)
    assert reply.status_code == 422
    assert "1 of the budget is left" in text_of(reply)


def test_faults_stand_beside_their_fields(store, survey, researcher):
    page = researcher.client.get(PAGE + QUERY.replace("high=100", "high=101"))
    assert re.search(r'id="high-error">Type one of the question', page.text)
    reply = researcher.post(f"{PAGE}/budget", {"epsilon": "0", "delta": "0"}, form=PAGE)
    assert reply.status_code == 422
    assert "With epsilon 0, Candor can release nothing" in reply.get_data(as_text=True)
    reply = researcher.post(f"{PAGE}/budget", {"epsilon": "x", "delta": "0"}, form=PAGE)
    assert reply.status_code == 422
    assert 'id="epsilon-error"' in reply.text
    assert researcher.client.get(f"{PAGE}/new?question=smokes&statistic=mean").status_code == 422


def test_roles(app, store, survey):
    analyst, editor = signed_in(app, "ann", ANALYST), signed_in(app, "ed", EDITOR)
    page = analyst.client.get(PAGE)
    assert page.status_code == 200
    assert "Release another figure" not in text_of(page)
    token = analyst.token(PAGE)
    assert analyst.client.post(PAGE, data=ASKED | {"csrf_token": token}).status_code == 403
    budget = {"epsilon": "9", "delta": "0"}
    assert editor.post(f"{PAGE}/budget", budget, form=PAGE).status_code == 403
    assert editor.post(PAGE, ASKED | {"epsilon": "0.5"}, form=PAGE).status_code == 302


def test_an_open_survey_says_why_not_yet(store, researcher):
    opened(store, definition(*QUESTIONS))
    store.releases.set_budget("health", BUDGET)
    assert "DP releases need a closed survey." in text_of(researcher.client.get(PAGE))
    assert researcher.post(PAGE, ASKED | {"epsilon": "0.5"}, form=PAGE).status_code == 409


def test_everyone_sees_what_is_released_only_where_it_was_turned_on(
    app, store, survey, researcher, client
):
    researcher.post(PAGE, ASKED | {"epsilon": "0.5"}, form=PAGE)
    [made] = store.releases.ledger("health")
    with app.app_context():
        [figure] = central_dp_service.release_figures(survey, made)
    public = "/s/health/results"
    assert client.get(public).status_code == 404
    store.shares.publish("health", True)
    assert "What of age?" not in text_of(client.get(public))
    researcher.post(f"{PAGE}/public", {"public": "yes"}, form=PAGE)
    shown = text_of(client.get(public))
    assert "What of age?" in shown
    assert f"Mean {figure.shown} {figure.between[0]} to" in shown
    assert "Do you smoke?" in shown
    store.shares.publish("health", False)  # without the estimates, only the releases
    shown = text_of(client.get(public))
    assert "What of age?" in shown
    assert "Do you smoke?" not in shown
    researcher.post(f"{PAGE}/public", {"public": "no"}, form=PAGE)
    assert client.get(public).status_code == 404


def test_a_budget_that_is_lowered_meanwhile_stays_lowered_when_releases_are_shown(store, survey):
    store.releases.publish_releases("health", True)
    store.releases.set_budget("health", CentralDPBudget(Fraction("0.5"), Fraction(0)))
    found = store.releases.budget("health")
    assert (found.epsilon, found.public) == (Fraction("0.5"), True)


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


# --- the command line


def test_on_the_command_line(app, store):
    survey = fill(store, budget=None)

    def run(*args, **more):
        return app.test_cli_runner().invoke(args=args, **more)

    assert (
        run("central-dp", "budget", "health", "--epsilon", "1").output
        == "health: epsilon 1, delta 0\n"
    )
    asked_for = [
        "central-dp",
        "draw",
        "health",
        "age",
        "mean",
        "--epsilon",
        "0.4",
        "--among",
        "region=n",
    ]
    refused = run(*asked_for, input="n\n")
    assert refused.exit_code == 1
    assert "The mean is within" in refused.output
    assert store.releases.ledger("health") == []
    done = run(*asked_for, "--yes")
    assert done.exit_code == 0, done.output
    [made] = store.releases.ledger("health")
    assert made.request == wanted(survey, "0.4", group="region", member="n")
    assert "Left: epsilon 0.6" in done.output
    assert run(*asked_for).output.splitlines()[-2:] == done.output.splitlines()[-2:]
    over = run("central-dp", "draw", "health", "age", "sum", "--epsilon", "0.7", "--yes")
    assert (over.exit_code, "0.6 of the budget is left" in over.output) == (1, True)
    assert run("central-dp", "list", "health").output.splitlines()[1].startswith("health,1,")
    said = [act.action for act in store.audit.acts()]
    assert "released Mean of age, only N to region, ε = 0.4" in said
    assert "set the DP budget to ε = 1, δ = 0" in said


def test_a_tree_by_age_and_gain_is_drawn_by_a_command_and_shown_on_the_page(app, store, researcher):
    survey = fill(store, budget=None)
    run = app.test_cli_runner().invoke
    run(args=["central-dp", "budget", "health", "--epsilon", "9"])
    asked_for = "central-dp draw health region tree --by age --depth 1 --epsilon 2 --score gain"
    done = run(args=[*asked_for.split(), "--yes"])
    assert done.exit_code == 0, done.output
    assert "split by information gain" in done.output
    assert "By its noisy counts, the tree predicts " in done.output
    [made] = store.releases.ledger("health")
    assert (made.request.by, made.request.score) == ("age", "gain")
    assert "By its noisy counts, the tree predicts " in text_of(researcher.client.get(PAGE))
    form = researcher.client.get(f"{PAGE}/new?question=region&statistic=tree")
    assert 'value="age"' in form.text
    assert '<option value="gain">information gain</option>' in form.text
    again = f"{PAGE}/new?question=region&statistic=tree&by=age&depth=1&epsilon=2&score=gain"
    assert "You already made this release" in text_of(researcher.client.get(again))
    refused = f"{PAGE}/new?question=region&statistic=tree&by=age&depth=1&epsilon=2&score=luck"
    assert "Choose one of the scores correct, gain." in text_of(researcher.client.get(refused))
    figures = central_dp_service.release_figures(survey, made)
    assert any(" at most " in figure.label for figure in figures)


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
