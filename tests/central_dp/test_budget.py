"""The ledger: losses add up for the worst respondent, within the budget."""

from collections import Counter
from fractions import Fraction
from random import Random

import pytest

from survey.central_dp.budget import (
    CentralDPBudget,
    RunningLoss,
    check_change,
    parse_release_budget,
    remaining_budget,
    require_within_budget,
    total_loss,
)
from survey.core.errors import OverBudget, ReleaseError
from tests.central_dp.bounded_answers import request

pytestmark = pytest.mark.fast


def test_losses_add_up_and_groups_of_one_question_cost_the_dearest():
    everyone = request("age", "mean", epsilon="0.3")
    north = request("age", "mean", epsilon="0.5", group="region", member="n")
    south = request("age", "mean", epsilon="0.2", group="region", member="s")
    short = request("age", "mean", epsilon="0.1", group="sleep", member="1")
    assert total_loss([]) == (0, 0)
    assert total_loss([everyone, everyone])[0] == Fraction("0.6")
    assert total_loss([everyone, north, south])[0] == Fraction("0.8")
    assert total_loss([everyone, north, south, south, south])[0] == Fraction("0.9")
    assert total_loss([everyone, north, short])[0] == Fraction("0.9")
    assert RunningLoss([north]).cost(south) == (0, 0)
    assert RunningLoss([south]).cost(north)[0] == Fraction("0.3")


def test_composition_is_the_worst_respondents_sum():
    """Brute force: for each pair of groups of a respondent, the loss of that respondent."""
    requests = [
        request("age", "mean", epsilon=epsilon, group=group, member=member)
        for epsilon, (group, member) in zip(
            ("0.1", "0.2", "0.4", "0.8", "1.6", "0.3"),
            [
                (group, member)
                for group, members in (("region", "nen"), ("sleep", "121"))
                for member in members
            ],
            strict=True,
        )
    ]
    worst = max(
        sum(
            each.loss[0]
            for each in requests
            if (each.group, each.member) in (("region", region), ("sleep", sleep))
        )
        for region in "nes"
        for sleep in "1234"
    )
    assert total_loss(requests)[0] == worst


def test_a_running_loss_is_the_worst_respondents_at_each_step():
    """Each step is compared with the maximum over all members, calculated again."""
    places = [("", ""), ("region", "n"), ("region", "e"), ("sleep", "1"), ("sleep", "2")]
    drawn = Random(1)
    before, running = [], RunningLoss()
    for _ in range(60):
        group, member = drawn.choice(places)
        epsilon = f"{drawn.randrange(1, 30) / 10:.1f}"
        noise = {"mechanism": "gaussian", "delta": "0.000001"} if drawn.random() < 0.4 else {}
        new = request("age", "mean", epsilon=epsilon, group=group, member=member, **noise)
        expected = running.total[0] + running.cost(new)[0], running.total[1] + running.cost(new)[1]
        before.append(new)
        running.add(new)
        for part in (0, 1):
            sums = Counter()
            for each in before:
                sums[each.group, each.member] += each.loss[part]
            total = sum(
                max([sums[place] for place in places if place[0] == group])
                for group in ("", "region", "sleep")
            )
            assert running.total[part] == total == expected[part]


def test_a_budget_is_used_up_to_the_last_digit():
    budget = CentralDPBudget(Fraction("0.3"), Fraction(0))
    tenth = request("age", "mean", epsilon="0.1")
    assert remaining_budget(budget, [tenth] * 3) == (
        0,
        0,
    )  # In floating point 0.1 + 0.1 + 0.1 exceeds 0.3.
    require_within_budget(budget, tenth, RunningLoss([tenth] * 2))
    with pytest.raises(OverBudget, match=r"costs ε = 0\.1, but only ε = 0 of"):
        require_within_budget(budget, tenth, RunningLoss([tenth] * 3))
    with pytest.raises(OverBudget, match="no budget"):
        require_within_budget(None, tenth, RunningLoss())


def test_delta_is_charged_as_well():
    gaussian = request("age", "mean", mechanism="gaussian", delta="0.000001")
    with pytest.raises(OverBudget, match="δ"):
        require_within_budget(CentralDPBudget(Fraction(10), Fraction(0)), gaussian, RunningLoss())
    require_within_budget(
        CentralDPBudget(Fraction(10), Fraction("0.000001")), gaussian, RunningLoss()
    )


def test_a_budget_is_a_promise():
    old, one = CentralDPBudget(Fraction(2), Fraction(0)), request("age", "mean")
    check_change(None, old, [])
    check_change(old, CentralDPBudget(Fraction(3), Fraction(0)), [])
    check_change(old, CentralDPBudget(Fraction(1), Fraction(0)), [one])
    with pytest.raises(ReleaseError, match="only lower it"):
        check_change(old, CentralDPBudget(Fraction(3), Fraction(0)), [one])
    with pytest.raises(ReleaseError, match="spent"):
        check_change(old, CentralDPBudget(Fraction("0.5"), Fraction(0)), [one])
    assert parse_release_budget(" 1.5", "1e-6") == CentralDPBudget(
        Fraction("1.5"), Fraction("0.000001")
    )
    for wrong in ("", "x", "0", "-1", "1/3", "1e9"):
        with pytest.raises(ReleaseError):
            parse_release_budget(wrong, "0")
