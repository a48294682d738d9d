"""A survey closes by itself when its private questions are as precise as its designer asked."""

import random

import pytest

from survey.definition.responses.parse_response import Response
from survey.server.stopping_rule import StoppingRule
from tests.support.definitions import definition, opened, yes_no


def arrive(store, n, slug="health", seed=1):
    r = random.Random(seed)
    store.responses.add_all(
        [(slug, Response(r.randbytes(16), (r.randrange(2),))) for _ in range(n)]
    )


def state(store, slug="health"):
    return store.surveys.by_slug(slug).state


def test_it_closes_at_the_precision_and_not_before(store):
    opened(store, definition(yes_no(), stop_at=10, planned=1_000))
    rule = StoppingRule(store)
    arrive(store, 300)
    rule.look()
    assert state(store) == "open"
    # With two coins, the half-width of a share near one half is about 0.097 at 1,000 responses.
    arrive(store, 700, seed=2)
    rule.look()
    assert state(store) == "closed"


def test_it_leaves_other_surveys_open(store):
    opened(store, definition(yes_no()))
    opened(store, definition(yes_no(), slug="later", stop_at=1))
    arrive(store, 500)
    arrive(store, 500, "later")
    StoppingRule(store).look()
    assert (state(store), state(store, "later")) == ("open", "open")


@pytest.mark.parametrize("responses", [600, 602])
def test_a_reopened_survey_stays_open(store, responses):
    """Also if it was closed while responses of a new batch were waiting."""
    opened(store, definition(yes_no(), stop_at=20, batch=25))
    arrive(store, responses)
    StoppingRule(store).look()
    assert state(store) == "closed"
    store.lifecycle.set_state("health", "open")
    StoppingRule(store).look()
    assert state(store) == "open"
    arrive(store, 100, seed=3)
    StoppingRule(store).look()
    assert state(store) == "open"


def test_waiting_responses_do_not_count(store):
    opened(store, definition(yes_no(), stop_at=20, batch=1_000))
    arrive(store, 999)
    StoppingRule(store).look()
    assert state(store) == "open"


def test_a_survey_without_private_questions_never_closes_by_itself(store):
    question = yes_no() | {"privacy": "none"}
    opened(store, definition(question, stop_at=40))
    arrive(store, 500)
    StoppingRule(store).look()
    assert state(store) == "open"
