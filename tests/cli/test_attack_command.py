"""The options of `candor attack`: the controls of the page."""

import pytest

from survey.learn.attacks.registry import MAX_ERROR, PEOPLE
from survey.learn.controls import read_values
from survey.learn.lessons.break_it import BreakIt

USUAL = read_values(BreakIt.controls, {})


@pytest.fixture
def runner(app):
    return app.test_cli_runner()


def options_of(app) -> dict[str, object]:
    return {each.name: each for each in app.cli.commands["attack"].params}


def test_its_options_are_the_controls_of_the_page(app):
    options = options_of(app)
    assert options["people"].type.choices == tuple(map(str, PEOPLE))
    assert options["people"].default == USUAL.written["people"]
    assert options["epsilon"].default == USUAL["epsilon"]
    assert (options["epsilon"].type.min, options["epsilon"].type.max) == (0.1, 4)
    assert (options["error"].type.min, options["error"].type.max) == (0, MAX_ERROR)
    assert options["error"].default == USUAL["error"]
    assert options["draw"].default == USUAL["draw"]


@pytest.mark.parametrize("wrong", [["--people", "61"], ["--epsilon", "0"], ["--error", "9"]])
def test_a_value_that_the_page_does_not_offer_is_refused(runner, wrong):
    assert runner.invoke(args=["attack", "linkage", *wrong]).exit_code == 2
