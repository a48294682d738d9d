"""Fixtures of several test modules."""

import random

import pytest

from survey.definition.frozen import freeze
from survey.definition.responses.parse_response import Response
from survey.definition.survey import parse_survey
from survey.formats.csv_import import read_truth
from survey.planning.simulation import simulate_responses
from survey.store import Store
from tests.support.api_programs import Program
from tests.support.definitions import definition, opened, yes_no
from tests.support.every_type import EVERY_TYPE, SAMPLED, TRUTH, drawn, stored


@pytest.fixture
def surveys(store: Store) -> None:
    """A draft, an open survey of every type, one with parts, a simulated one and a sampled one."""
    store.surveys.save_draft(parse_survey(definition(slug="draft")))
    opened(store, definition(by_hand=True, comprehension=True))
    store.responses.add_response("health.by-hand", Response(b"\1" * 16, (0,)))
    opened(store, EVERY_TYPE | {"slug": "every-type"}, "closed")
    survey = store.surveys.by_slug("every-type").survey
    batches = simulate_responses(survey, read_truth(TRUTH, survey), 200, seed=1)
    store.responses.add_batches("every-type", batches, "simulated")
    opened(store, SAMPLED | {"slug": "sampled", "batch": 1})
    r = random.Random(1)
    for _ in range(30):
        store.responses.add_response("sampled", Response(r.randbytes(16), stored(drawn(r, 3))))
    opened(store, definition(yes_no("wide", {"epsilon": 2}), slug="empty"))
    proof = yes_no(privacy={"mechanism": "table", "rows": [[2, 0], [1, 1]]})
    survey = parse_survey(definition(proof, slug="no-finite-epsilon"))
    store.surveys.save_draft(survey)
    store.surveys.freeze(freeze(survey, to_open=False), "closed")


@pytest.fixture
def document(program: Program) -> dict:
    return program.get("/openapi.json").get_json()
