"""`candor attack` prints the figures of the page "Break it yourself"."""

import pytest

from survey.learn.attacks.registry import ATTACKS, MAX_ERROR, PEOPLE
from survey.learn.controls import read_values
from survey.learn.lessons.break_it import BreakIt

USUAL = read_values(BreakIt.controls, {})


@pytest.fixture
def runner(app):
    return app.test_cli_runner()


def options_of(app) -> dict[str, object]:
    return {each.name: each for each in app.cli.commands["attack"].params}


def test_without_a_name_it_lists_the_attacks(runner):
    result = runner.invoke(args=["attack"])
    assert result.exit_code == 0
    lines = result.output.splitlines()
    assert [line.split()[0] for line in lines] == [attack.name for attack in ATTACKS]
    assert lines[0].endswith("  Linkage")


@pytest.mark.parametrize("name", [attack.name for attack in ATTACKS])
def test_it_prints_the_figures_of_the_page(runner, name):
    result = runner.invoke(args=["attack", name, "--people", "60", "--draw", "7"])
    assert result.exit_code == 0, result.output
    values = read_values(BreakIt.controls, {"attack": name, "people": "60", "draw": "7"})
    numbers = BreakIt().show(values).numbers
    assert f"Right with the raw table: {numbers['raw']:.0f} of " in result.output
    assert f"Right with Candor: {numbers['candor']:.0f} of " in result.output
    assert f"Right with Candor, best known attack: {numbers['best']:.0f} of " in result.output
    assert "Best:       " in result.output
    assert "Bound on average: " in result.output
    assert "three standard errors: " in result.output


def test_an_unknown_name_is_a_sentence_with_the_names(runner):
    result = runner.invoke(args=["attack", "guess"])
    assert result.exit_code == 1
    assert "There is no attack 'guess'. Choose one of: linkage, counts, " in result.output
    assert "Traceback" not in result.output


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
