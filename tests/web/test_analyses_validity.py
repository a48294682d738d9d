"""The checks of the validity analysis in its files: what a check found, or why there is nothing."""

import json

import pytest
from flask import Flask
from werkzeug.datastructures import MultiDict

from survey.definition.responses.parse_response import Response
from survey.store import Store
from survey.web.analyses.kinds import ANALYSES
from survey.web.analyses.result import analysis_file
from tests.support.definitions import definition, opened, yes_no


def test_a_control_question_is_in_all_files(app: Flask, store: Store) -> None:
    opened(store, definition(yes_no(), yes_no("impossible")))
    for n in range(200):
        reports = (n % 2, int(n % 10 >= 4))
        store.responses.add_response("health", Response(n.to_bytes(16), reports))
    found = store.surveys.by_slug("health")
    query = {"asked": "smokes:0", "control": "impossible:0", "known": "0", "denied": "10"}
    query |= {"false": "0", "random": "0"}
    with app.app_context():
        result = ANALYSES["validity"].result(found, MultiDict(query))
        content = json.loads(analysis_file(result, found, "validity", "json"))
    by_figure = {row.figure: row for row in result.rows}
    # 40 % report Yes to the control, so 2 x 0.4 - 1/2 = 30 % is its estimated share.
    assert by_figure["control question"].estimate == pytest.approx(0.3)
    assert content["control"]["control"]["estimate"] == pytest.approx(0.3)
    assert by_figure["answered at random"].p is None
    bounds = by_figure["bounds of the true share"]
    assert (bounds.low, bounds.high) == (content["bounds"]["low"], content["bounds"]["high"])
    assert result.sentence.startswith("The estimated share of “Yes” in “Do you smoke?” is 50.0 %")


def test_a_check_that_is_not_possible_has_its_reason(app: Flask, store: Store) -> None:
    opened(store, definition(yes_no(), yes_no("impossible")))
    for n in range(30):
        store.responses.add_response("health", Response(n.to_bytes(16), (n % 2, n % 2)))
    found = store.surveys.by_slug("health")
    # A known share of 50 % is that of random answers, so it has no information.
    query = {"asked": "smokes:0", "control": "impossible:0", "known": "50"}
    query |= {"denied": "0", "false": "0", "random": "0"}
    with app.app_context():
        result = ANALYSES["validity"].result(found, MultiDict(query))
    assert list(result.content["control"]) == ["refusal"]
    assert result.content["control"]["refusal"].endswith(".")
