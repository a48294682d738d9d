"""Releases in the store: the ledger is only added to, and never above the budget."""

from concurrent.futures import ThreadPoolExecutor
from fractions import Fraction
from threading import Barrier

import pytest

from survey.central_dp.budget import (
    CentralDPBudget,
    RunningLoss,
    parse_release_budget,
    require_within_budget,
    total_loss,
)
from survey.core.errors import OverBudget, ReleaseError, StateError
from survey.store import open_store
from survey.web import central_dp_service
from tests.support.definitions import definition
from tests.support.releases import BUDGET, DAY, fill, wanted
from tests.support.stores import IntegrityErrors, connected

pytestmark = pytest.mark.both_stores


@pytest.fixture
def survey(store):
    return fill(store)


def many(survey, count, epsilon):
    """This number of different requests with this privacy loss."""
    return [wanted(survey, epsilon, high=str(100 - k)) for k in range(count)]


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
    assert store.releases.budget("health") == parse_release_budget("0.5", "0")


def test_a_draft_and_a_part_have_no_budget(store):
    from survey.definition.survey import parse_survey

    store.surveys.save_draft(parse_survey(definition(slug="draft")))
    with pytest.raises(StateError, match="draft"):
        store.releases.set_budget("draft", BUDGET)
    with pytest.raises(StateError, match="part"):
        store.releases.set_budget("health.by-hand", BUDGET)


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
    assert total_loss(each.request for each in ledger)[0] == 1
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
    assert total_loss(each.request for each in store.releases.ledger("health"))[0] == 2


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
