"""Fixtures of several test modules."""

import pytest

from survey.formats.csv_import import read_truth
from survey.planning.simulation import simulate_responses
from tests.support.definitions import definition, opened, yes_no
from tests.support.every_type import EVERY_TYPE, SAMPLED, TRUTH


@pytest.fixture
def answered(store):
    frozen = opened(
        store,
        state="closed",
        content=definition(
            yes_no(),
            yes_no("cheated", privacy={"mechanism": "randomized_response", "gamma": 0.3}),
            {
                "name": "party",
                "type": "select_one",
                "label": "Which party?",
                "choices": [{"name": n, "label": n.upper()} for n in "abc"],
                "privacy": {"epsilon": 1},
            },
            yes_no("drinks", privacy="none"),
        ),
    )
    truth = {
        "smokes": [0.3, 0.7], "cheated": [0.1, 0.9], "party": [0.5, 0.3, 0.2], "drinks": [0.6, 0.4],
    }  # fmt: skip
    batches = simulate_responses(frozen.survey, truth, 5_000, seed=7)
    store.responses.add_batches("health", batches, "simulated")
    return frozen


@pytest.fixture(params=[EVERY_TYPE, SAMPLED], ids=["all are reported", "chance picks three"])
def every_type(request, store):
    """A survey with all question types and 2,000 simulated respondents."""
    frozen = opened(store, request.param, "closed")
    truth = read_truth(TRUTH, frozen.survey)
    store.responses.add_batches(
        "health", simulate_responses(frozen.survey, truth, 2_000, seed=11), "simulated"
    )
    return frozen
