"""The command `analyse two-designs`: shares from two groups, and refusals."""

import json

import pytest
from flask import Flask

from survey.definition.responses.parse_response import Response
from survey.store import Store
from tests.support.definitions import definition, opened, yes_no
from tests.support.every_type import asked, letters

GROUP = asked("version", "select_one", "none", choices=letters("ab"))
CHEATING = ("--model", "CDM", "--p", "1/5", "--p", "0.6")


@pytest.fixture
def answered(store: Store) -> None:
    """Of 100 people in each group, 40 and 60 report yes. Another question is private."""
    direct = yes_no("said", "none")
    opened(store, definition(direct, GROUP, yes_no()), "closed")
    rows = [
        Response(n.to_bytes(16), (int(n // 2 >= (60 if n % 2 else 40)), n % 2, 0))
        for n in range(200)
    ]
    store.responses.add_batches("health", [rows], "loaded")


def run(app: Flask, *arguments: str):
    return app.test_cli_runner().invoke(args=["analyse", "two-designs", "health", *arguments])


@pytest.mark.usefixtures("answered")
def test_the_shares_of_two_groups(app: Flask) -> None:
    reply = run(app, "said", "--by", "version", *CHEATING, "--json")
    assert reply.exit_code == 0, reply.output
    content = json.loads(reply.output)
    assert (content["yes"], content["n"]) == ([40, 60], [100, 100])
    shares = [each["estimate"] for each in content["shares"].values()]
    assert shares == pytest.approx([0.3, 0.5, 0.2])
    shown = run(app, "said", "--by", "version", *CHEATING).output
    assert "did not follow the rule" in shown
    assert "cannot be below 0" not in shown


@pytest.mark.usefixtures("answered")
def test_a_share_below_0_is_explained(app: Flask) -> None:
    swapped = ("--model", "CDM", "--p", "0.6", "--p", "0.2")
    shown = run(app, "said", "--by", "version", *swapped).output
    assert "cannot be below 0" in shown


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (("smokes", "--by", "version", *CHEATING), "must be a non-private question"),
        (("said", "--by", "smokes", *CHEATING), "must be a non-private question"),
        (("said", "--by", "version", *CHEATING[:-1], "1/5"), "different probabilities"),
        (("said", "--by", "version", *CHEATING[:-1], "often"), "is not a probability"),
    ],
)
@pytest.mark.usefixtures("answered")
def test_refusals(app: Flask, arguments: tuple[str, ...], message: str) -> None:
    reply = run(app, *arguments)
    assert reply.exit_code != 0
    assert message in reply.output
