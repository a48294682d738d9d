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
    fill(store, "first", 40)
    fill(store, "second", 60)
    arguments = ("first", "--measure", "smokes:yes", "--surveys", "second")
    reply = run(app, *arguments)
    assert reply.exit_code == 0, reply.output
    assert "Health (second) minus Health (first)" in reply.output
    assert "different respondents" in reply.output
    content = json.loads(run(app, *arguments, "--json").output)
    assert content["differences"][0]["estimate"] == pytest.approx(0.4)
    assert content["trend"] is None


def test_waves_of_a_series_allow_for_remembered_reports(app: Flask, store: Store) -> None:
    for slug, yes in (("one", 40), ("two", 50), ("three", 60)):
        fill(store, slug, yes, series="health-panel")
    others = ("--surveys", "two", "--surveys", "three")
    reply = run(app, "one", "--measure", "smokes:yes", *others)
    assert reply.exit_code == 0, reply.output
    assert "waves of one series" in reply.output
    assert "Average change from one survey to the next" in reply.output


@pytest.mark.parametrize(
    ("measure", "other", "message"),
    [
        ("smokes:yes", "alone", "'alone' is not possible for --surveys. Choose one of these: two."),
        ("smokes:maybe", "two", "Choose one of these: smokes:yes, smokes:no."),
    ],
)
def test_what_cannot_be_compared_is_a_sentence(app, store, measure, other, message) -> None:
    for slug in ("one", "two"):
        fill(store, slug, 40)
    reply = run(app, "one", "--measure", measure, "--surveys", other)
    assert reply.exit_code == 1
    assert message in reply.output
