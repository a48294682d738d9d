"""Intervals that are valid at every look, on the results page."""

import random

import pytest

from survey.definition.responses.parse_response import Response
from tests.support.definitions import definition, opened, yes_no

COLUMN = "95 % interval at every look"


def arrive(store, n, *, answers=1, reports=2):
    r = random.Random(4)
    store.responses.add_all(
        [
            (
                "health",
                Response(r.randbytes(16), tuple(r.randrange(reports) for _ in range(answers))),
            )
            for _ in range(n)
        ]
    )


def results_page(researcher):
    return researcher.client.get("/admin/surveys/health/results").text


@pytest.mark.parametrize(
    ("planned", "state", "shown"),
    [({}, "open", True), ({}, "closed", False), ({"planned": 400}, "closed", True),
     ({"stop_at": 5}, "closed", True)],
)  # fmt: skip
def test_the_column_is_there_while_results_may_be_watched(store, researcher, planned, state, shown):
    opened(store, definition(yes_no(), **planned))
    arrive(store, 100)
    if state == "closed":
        store.lifecycle.set_state("health", "closed")
    page = results_page(researcher)
    assert (COLUMN in page) is shown
    assert ("whenever you stop" in page) is shown


def test_a_number_has_the_interval_of_its_mean(store, researcher):
    number = {"name": "age", "type": "number", "label": "Age?", "min": 0, "max": 10,
              "privacy": {"epsilon": 1, "goal": "mean"}}  # fmt: skip
    table = opened(store, definition(number)).survey.questions[0].table
    arrive(store, 100, reports=table.reports)
    page = results_page(researcher)
    assert page.count(f'data-label="{COLUMN}"') >= 1


def test_weighted_results_have_none(store, researcher):
    group = yes_no("group") | {"privacy": "none"}
    opened(store, definition(yes_no(), group))
    arrive(store, 100, answers=2)
    assert COLUMN in results_page(researcher)
    address = "/admin/surveys/health/results?by=group&total-yes=50&total-no=50"
    page = researcher.client.get(address).text
    assert "Weighted by" in page
    assert COLUMN not in page
