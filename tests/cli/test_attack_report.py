"""The report of `candor attack`: the figures of the page, and unknown names."""

import pytest

from survey.learn.attacks.registry import ATTACKS
from survey.learn.controls import read_values
from survey.learn.lessons.break_it import BreakIt


@pytest.fixture
def runner(app):
    return app.test_cli_runner()


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
