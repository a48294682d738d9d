"""The page and the notebook of "Break it yourself"."""

import html
import math

import pytest

from survey.core.languages import LANGUAGES
from survey.learn.attacks.random_subsets import majority_share
from survey.learn.attacks.registry import ATTACKS, BY_NAME, PEOPLE, run_attack
from survey.learn.controls import read_values
from survey.learn.lesson import check_answer
from survey.learn.lessons.break_it import (
    BreakIt,
    further_number,
    small_share,
)

pytestmark = pytest.mark.fast

MAX_PAGE_BYTES = 100_000
each_attack = pytest.mark.parametrize("name", BY_NAME)


def values_of(**address: str):
    values = read_values(BreakIt.controls, address)
    assert not values.refused
    return values


def test_the_sentence_compares_both_tables_with_the_bound():
    assert BreakIt().show(values_of()).sentence == (
        "Linkage: 120 of 120 guesses are right with the raw table, and 92 with Candor. The best "
        "known attack on Candor has 92 right. With Candor, at most 75.0 % of the guesses are right "
        "on average, whatever the attack."
    )


@each_attack
def test_the_notebook_of_each_attack_runs_without_candor(name):
    values = values_of(attack=name, people="60", epsilon="2", error="1", draw="3")
    code = [cell.source for cell in BreakIt().notebook(values) if cell.code]
    assert not [line for line in code if "survey" in line]
    names: dict[str, object] = {}
    for source in code:
        exec(compile(source, name, "exec"), names)  # our own notebook
    found = names["numbers"]
    assert found == pytest.approx(dict(BreakIt().show(values).numbers), rel=1e-12)


@each_attack
def test_each_page_shows_its_attack_in_each_language(name, client):
    attack = BY_NAME[name]
    for language in LANGUAGES:
        reply = client.get(f"/learn/break-it?attack={name}&people=60&language={language}")
        assert reply.status_code == 200
        assert len(reply.data) < MAX_PAGE_BYTES
    page = client.get(f"/learn/break-it?attack={name}&people=60&language=en").get_data(as_text=True)
    page = html.unescape(page).replace("\u00a0", " ")
    for text in (attack.guess, attack.raw, attack.candor, attack.best, attack.reason, attack.axis):
        assert text in page


@each_attack
def test_the_page_has_the_numbers_of_the_attack(name):
    shown = BreakIt().show(values_of(attack=name))
    found = run_attack(name, 120, 1.1, 2, 1)
    assert shown.numbers["raw"] == found.raw
    assert shown.numbers["candor"] == found.candor
    assert shown.numbers["best"] == found.best
    assert len(shown.figures) == 5 + len(BY_NAME[name].labels)
    assert found.targets in (24, 120)


def test_numbers_of_any_size_are_readable():
    assert small_share(0.75) == "75.0 %"
    assert small_share(0.0) == "0.0 %"
    assert small_share(0.00049) == "4.9 × 10⁻⁴"
    assert small_share(2.0**-113) == "9.6 × 10⁻³⁵"
    assert further_number(2.0**128) == "3.4 × 10³⁸"
    assert further_number(26_000) == "26,000"
    assert further_number(7.625) == "7.63"


def test_both_blocks_have_their_own_answer():
    """30 as in the course text, and 18 with ages of at most 89. The other number is wrong."""
    exercises = {each.name: each for each in BreakIt.exercises}
    for name, right, wrong in (("block", "18", "30"), ("open-block", "30", "18")):
        assert check_answer(exercises[name], right).right
        assert not check_answer(exercises[name], wrong).right


def test_the_majority_of_thirteen():
    by_hand = sum(math.comb(13, k) * 3**k for k in range(7, 14)) / 4**13
    assert majority_share(13, 3) == pytest.approx(by_hand)
    assert round(100 * by_hand, 1) == 97.6


def test_people_can_be_divided_into_the_groups_of_all_attacks():
    assert all(people % 4 == people % 5 == people % 12 == 0 for people in PEOPLE)
    assert len({attack.title for attack in ATTACKS}) == len(ATTACKS) == 10
