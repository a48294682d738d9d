"""Raw answers fall to the textbook attacks. Reports reveal no more than epsilon allows."""

import pytest
from scipy.stats import binom

from tests.support.attacks import ATTACKS, Outcome
from tests.support.project import ROOT

pytestmark = pytest.mark.slow

# Each guess against Candor is correct with at most the probability of the bound, whatever happened
# to the others. Therefore more hits than the level come by chance once in 10,000 runs. The seeds
# are fixed, so a run always passes or always fails. The tests would find twice the epsilon (90 % in
# place of 75 %) with a probability above 99.9 %, and single reports that are visible through
# batches with 90 %.
FALSE_ALARM = 1e-4
SUCCEEDS = 0.95  # of the targets in the raw table


@pytest.fixture(scope="module")
def outcomes(tmp_path_factory) -> dict[str, Outcome]:
    return {
        attack.__name__: attack(tmp_path_factory.mktemp("attack") / attack.__name__)
        for attack in ATTACKS
    }


@pytest.mark.parametrize("attack", [attack.__name__ for attack in ATTACKS])
def test_an_attack_finds_raw_answers_and_no_more_than_epsilon_allows(outcomes, attack):
    found = outcomes[attack]
    assert found.raw >= SUCCEEDS * found.targets
    assert found.candor <= binom.isf(FALSE_ALARM, found.targets, found.bound)


@pytest.mark.parametrize("attack", ["linkage", "arrivals_one_by_one", "withdrawals"])
def test_the_attack_is_a_real_one(outcomes, attack):
    """If the attacker reads the report itself, the hits are those of the coin, 3 in 4.

    Fewer hits would mean a bad attack. By chance they come once in 10,000 runs.
    """
    found = outcomes[attack]
    assert found.candor >= binom.ppf(FALSE_ALARM, found.targets, found.bound)


def test_batches_hide_what_single_arrivals_show(outcomes):
    """The bound comes from the exact divergence of the batch's count: 54.5 % in place of 75 %."""
    assert 0.53 < outcomes["arrivals_in_batches"].bound < 0.56


def test_the_page_has_these_figures(outcomes):
    page = (ROOT / "docs" / "evidence" / "textbook-attacks.md").read_text()
    for outcome in outcomes.values():
        assert outcome.line() in page, outcome.line()
