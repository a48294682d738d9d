"""The command `analyse change`: two surveys, waves of a series, and refusals."""

import json

import pytest
from flask import Flask

from survey.definition.responses.parse_response import Response
from survey.store import Store
from tests.support.definitions import definition, opened, yes_no


def fill(store: Store, slug: str, yes: int, **more: object) -> None:
    opened(store, definition(yes_no(), slug=slug, **more))
    for n in range(100):
        store.responses.add_response(slug, Response(n.to_bytes(16), (int(n >= yes),)))


def run(app: Flask, *arguments: str):
    return app.test_cli_runner().invoke(args=["analyse", "change", *arguments])


def test_two_surveys_are_compared(app: Flask, store: Store) -> None:
    fill(store, "before", 40)
    fill(store, "after", 60)
    reply = run(app, "before", "smokes", "after")
    assert reply.exit_code == 0, reply.output
    assert "after minus before" in reply.output
    assert "different respondents" in reply.output
    content = json.loads(run(app, "before", "smokes", "after:smokes", "--json").output)
    assert content["differences"][0]["estimate"] == pytest.approx(0.4)
    assert content["trend"] is None


def test_waves_of_a_series_allow_for_remembered_reports(app: Flask, store: Store) -> None:
    for slug, yes in (("one", 40), ("two", 50), ("three", 60)):
        fill(store, slug, yes, series="health-panel")
    reply = run(app, "one", "smokes", "two", "three")
    assert reply.exit_code == 0, reply.output
    assert "waves of one series" in reply.output
    assert "Average change from one survey to the next" in reply.output
