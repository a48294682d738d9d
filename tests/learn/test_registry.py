""" "Break it yourself": what the attacks find in raw tables, and the bounds with Candor."""

import math

import numpy as np
import pytest

from survey.learn.attacks.attempt import AttackSetting, guess_bound
from survey.learn.attacks.registry import ATTACKS, BY_NAME, attack_setting, run_attack
from survey.learn.lessons.break_it import small_share
from tests.learn.attempts import tried
from tests.support.project import ROOT

pytestmark = pytest.mark.fast


each_attack = pytest.mark.parametrize("name", BY_NAME)


@each_attack
@pytest.mark.parametrize("epsilon", [0.5, 1.1, 3.0])
def test_no_attack_beats_its_bound(name, epsilon):
    """By more than three standard errors.

    Each guess is right with at most the bound, whatever happens to the others, so a test fails by
    chance with at most 0.2 %. Five attacks reach their bounds. For other seeds, one of their 15
    tests would fail in at most 3 % of cases. With 960 targets, a true share of 80 % in place of
    75 % would be found with a probability of 73 %, and 90 % (twice the epsilon) always.
    """
    attempts = tried(name, epsilon)
    targets = sum(each.targets for each in attempts)
    bound = sum(each.targets * each.bound for each in attempts) / targets
    share = sum(each.candor for each in attempts) / targets
    assert share <= bound + 3 * math.sqrt(bound * (1 - bound) / targets)


@each_attack
@pytest.mark.parametrize("epsilon", [0.5, 1.1, 3.0])
def test_the_best_known_attack_reaches_the_bound_and_does_not_beat_it(name, epsilon):
    """Within 3.5 standard errors on both sides, and one more or fewer right guess for small shares.

    30 tests at 0.05 % fail by chance in at most 1.5 % of sets of seeds. Only the bounds of the
    census and of the hashes are not reached: they are below one right guess in all draws.
    """
    attempts = tried(name, epsilon)
    targets = sum(each.targets for each in attempts)
    bound = sum(each.targets * each.bound for each in attempts) / targets
    share = sum(each.best for each in attempts) / targets
    allowed = 3.5 * math.sqrt(bound * (1 - bound) / targets) + 1 / targets
    assert abs(share - bound) <= allowed


def test_the_page_of_evidence_has_the_figures_of_each_attack():
    page = (ROOT / "docs" / "evidence" / "textbook-attacks.md").read_text()
    for name in BY_NAME:
        attempts = tried(name, 1.1)
        targets = sum(each.targets for each in attempts)
        sums = [sum(getattr(each, side) for each in attempts) for side in ("raw", "candor", "best")]
        bound = sum(each.targets * each.bound for each in attempts) / targets
        shares = " | ".join(small_share(each) for each in [*(n / targets for n in sums), bound])
        assert f"| {name} | {targets:,} | {shares} |" in page


@each_attack
def test_no_step_beats_its_bound(name):
    """The same at each place of the axis.

    There are 70 steps. With 4.5 standard errors, which is 0.0004 %, one fails by chance in less
    than one of 1,000 sets of seeds. A normal approximation is not good for bounds near 0 or 1, so
    there one more right guess is allowed.
    """
    attempts = tried(name, 1.1)
    for steps in zip(*(each.steps for each in attempts), strict=True):
        bound = min(1.0, float(np.mean([step.bound for step in steps])))
        shares = [step.candor for step in steps if step.candor is not None]
        if not shares:
            continue
        targets = sum(each.targets for each in attempts)
        allowed = bound + 4.5 * math.sqrt(bound * (1 - bound) / targets) + 1 / targets
        assert float(np.mean(shares)) <= allowed, steps[0].x


@each_attack
def test_a_raw_table_falls(name):
    """At the usual values of the page. A census block often has one solution, but not always."""
    attempts = tried(name, 1.1, people=120)
    share = sum(each.raw for each in attempts) / sum(each.targets for each in attempts)
    assert share >= (0.75 if name == "census" else 0.95)


@pytest.mark.parametrize("name", ["linkage", "counts", "ratings", "all-subsets", "averages"])
def test_the_attack_on_candor_is_a_real_one(name):
    """These attacks reach their bounds. Fewer hits by chance: 0.13 % each, at 3 standard errors."""
    attempts = tried(name, 1.1)
    targets = sum(each.targets for each in attempts)
    bound = sum(each.targets * each.bound for each in attempts) / targets
    share = sum(each.candor for each in attempts) / targets
    # Films alone do not always lead to the person's row.
    least = 0.95 * bound if name == "ratings" else bound
    assert share >= least - 3 * math.sqrt(bound * (1 - bound) / targets)


@each_attack
def test_the_same_draw_has_the_same_figures_and_another_draw_others(name):
    setting = attack_setting(60, 1.1, 2)
    again = BY_NAME[name].run(setting, np.random.default_rng([1, *name.encode()]))
    assert again == run_attack(name, 60, 1.1, 2, 1)
    others = {repr(run_attack(name, 60, 1.1, 2, draw)) for draw in range(1, 9)}
    assert len(others) > 1
    assert set(BY_NAME[name].labels) == set(again.more)


def test_the_ratio_bounds_are_those_of_candor_and_never_above_epsilon():
    for tenths in range(1, 41):
        setting = attack_setting(60, tenths / 10, 0)
        assert 0.98 * tenths / 10 < math.log(setting.ratio_bound) <= tenths / 10
    assert attack_setting(60, 1.1, 0).ratio_bound == 3
    assert guess_bound(3) == 0.75


class CountedDraws(np.random.Generator):
    """A generator that counts the values that it has drawn."""

    drawn = 0

    def __getattribute__(self, name):
        found = super().__getattribute__(name)
        if name not in {"integers", "random", "binomial", "geometric", "exponential"}:
            return found

        def counted(*arguments, **named):
            values = found(*arguments, **named)
            self.drawn += np.size(values)
            return values

        return counted


@each_attack
def test_an_attack_draws_at_most_two_million_values(name):
    generator = CountedDraws(np.random.PCG64(1))
    BY_NAME[name].run(attack_setting(240, 4.0, 4), generator)
    assert 0 < generator.drawn <= 2_000_000
    # The climb of the census tries each age of each person of each block twice.
    assert 240 // 5 * 90 * 5 * 2 <= 2_000_000


def test_every_attack_takes_each_setting():
    for attack in ATTACKS:
        for setting in (AttackSetting(60, 1.05, 0.1, 0), AttackSetting(60, 54.0, 4.0, 4)):
            found = attack.run(setting, np.random.default_rng(1))
            assert 0 <= found.raw <= found.targets
            assert 0 <= found.candor <= found.targets
            assert 0 <= found.bound <= 1
