"""The attacks of "Break it yourself": what they find in raw tables, and the bounds with Candor."""

import itertools
import math
from statistics import NormalDist

import numpy as np
import pytest

from survey.central_dp.noise_scales import OUTWARD
from survey.central_dp.noisy_sums import noises_of
from survey.definition.responses.invitation_codes import RANDOM_BYTES, code_from, token_hash
from survey.learn.attacks import census_blocks, hashed_codes, table_joins
from survey.learn.attacks.all_subsets import (
    BITS,
    MEMBERS,
    SMALL,
    candidates_within,
    rounded_counts,
)
from survey.learn.attacks.attempt import AttackSetting, Attempt, guess_bound, report_answers
from survey.learn.attacks.averages import TIMES
from survey.learn.attacks.count_differences import (
    BATCHES,
    chances_of_count,
    yes_chances,
)
from survey.learn.attacks.linkage import commonest_answers
from survey.learn.attacks.mean_differences import weight_bound
from survey.learn.attacks.random_subsets import (
    ALPHAS,
    guess_each,
    majority_share,
    rebuild_by_least_squares,
)
from survey.learn.attacks.registry import ATTACKS, BY_NAME, attack_setting, run_attack
from survey.learn.dp_draws import selection_chances
from survey.learn.lessons.break_it import small_share
from survey.learn.lessons.statistics import release_request, weights_survey
from survey.planning.shuffle_amplification import counted_deltas
from tests.support.project import ROOT

pytestmark = pytest.mark.fast

DRAWS = (1, 2, 3, 4)
each_attack = pytest.mark.parametrize("name", BY_NAME)


def tried(name: str, epsilon: float, people: int = 240, error: int = 2) -> list[Attempt]:
    return [run_attack(name, people, epsilon, error, draw) for draw in DRAWS]


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


def test_reports_have_the_probabilities_of_the_ratio_bounds():
    # 40,000 reports: 4.5 standard errors fail by chance once in 150,000 times.
    reports = report_answers(np.full(40_000, 2), 3.0, 5, np.random.default_rng(4))
    shares = np.bincount(reports, minlength=5) / 40_000
    for answer, share in enumerate(shares):
        chance = 3 / 7 if answer == 2 else 1 / 7
        assert abs(share - chance) < 4.5 * math.sqrt(chance * (1 - chance) / 40_000)


# --- linkage and differencing


def test_the_commonest_answer_of_rows_that_are_alike():
    keys = np.array([5, 5, 5, 8, 8, 9])
    assert commonest_answers(keys, np.array([1, 1, 0, 1, 0, 1])).tolist() == [1, 1, 1, 0, 0, 1]


def test_the_bound_of_a_batch_is_its_exact_divergence():
    """By the formula of Candor's checklist, and by enumeration of all reports of three people."""
    others = np.arange(25)
    if_no = [chances_of_count(k, 25, 0.75) for k in range(25)]
    if_yes = [chances_of_count(k + 1, 25, 0.75) for k in range(25)]
    best = np.maximum(if_yes, if_no).sum(axis=1) / 2
    assert best == pytest.approx((1 + counted_deltas(25, 3.0, 0.0, others)) / 2, abs=1e-9)
    chances = np.zeros(4)
    for reports in itertools.product((0, 1), repeat=3):
        kept = [report == answer for report, answer in zip(reports, (1, 1, 0), strict=True)]
        chances[sum(reports)] += math.prod(0.75 if each else 0.25 for each in kept)
    assert chances_of_count(2, 3, 0.75) == pytest.approx(chances)
    bounds = [step.bound for step in run_attack("counts", 240, 1.1, 2, 1).steps]
    assert bounds[0] == pytest.approx(0.75)
    assert bounds == sorted(bounds, reverse=True)
    assert BATCHES[-1] == 25


def test_a_mean_gives_the_weight_exactly_and_its_release_has_the_noise_of_candor():
    assert run_attack("means", 240, 1.1, 2, 1).more["exact"] == 240
    [noise] = noises_of(weights_survey(), release_request("mean", 0.7), 4)
    assert noise.scale == pytest.approx(120 / 0.7, rel=2 * (OUTWARD - 1))
    # Two weights differ by at most 240 half steps, so a value is at most e^(2ε) times as likely.
    assert math.isclose(240 / (120 / 0.7), 2 * 0.7)
    assert weight_bound(0.7) < guess_bound(math.exp(1.4))


@pytest.mark.parametrize("epsilon", [0.1, 1.1, 4.0])
def test_the_bound_of_a_mean_is_the_sum_over_all_noise(epsilon):
    """30 or 150 kg: the guess is right with max(Pr | 30, Pr | 150) / 2, summed over all sums."""
    a = math.exp(-epsilon / 120)
    right = 0.0
    for half_steps in range(-40_000, 40_000):
        right += (1 - a) / (1 + a) * a ** min(abs(half_steps), abs(half_steps - 240)) / 2
    assert weight_bound(epsilon) == pytest.approx(right, rel=1e-6)
    # No two other weights are easier to tell apart.
    assert weight_bound(epsilon) <= guess_bound(math.exp(2 * epsilon))


# --- joins and hashes


def test_each_group_of_each_table_has_four_people():
    order = np.random.default_rng(3).permutation(60)
    groups = order.reshape(-1, table_joins.GROUP)
    assert groups.shape == (15, 4)
    assert sorted(groups.ravel().tolist()) == list(range(60))


def test_the_join_finds_the_shared_code():
    orders = [np.arange(8), np.array([0, 4, 5, 6, 1, 2, 3, 7])]
    codes = np.array([900, 11, 12, 13, 14, 15, 16, 17])
    joined = table_joins.shared_codes(orders, [codes, codes])
    # Person 0 shares no group with anyone twice. Persons 1 to 3 share both groups.
    assert joined[0] == 900
    assert joined[1:4].tolist() == [11, 11, 11]
    assert table_joins.shared_codes(orders[:1], [codes])[0] == 11


def test_a_person_is_missed_if_another_is_in_both_groups():
    # By chance, another person shares both groups with 1 − C(n − 4, 3) / C(n − 1, 3), and has the
    # smaller code half of the time. Sharing happens in pairs, so the standard error is that of
    # half as many people. 4.5 of them fail by chance once in 150,000 times.
    attempts = tried("k-anonymity", 1.1)
    shares = sum(each.raw for each in attempts) / 960
    chance = 1 - (1 - math.comb(236, 3) / math.comb(239, 3)) / 2
    assert abs(shares - chance) < 4.5 * math.sqrt(chance * (1 - chance) / 480)


def test_all_licences_differ_and_have_the_form():
    licences = [hashed_codes.licence_of(number) for number in range(hashed_codes.LICENCES)]
    assert len(set(licences)) == 10 * 26 * 10 * 10
    assert (licences[0], licences[-1]) == ("0A00", "9Z99")
    assert "5X41" in licences
    assert len(hashed_codes.all_md5_sums()) == 26_000
    assert hashed_codes.md5_sum("") == "d41d8cd98f00b204e9800998ecf8427e"  # RFC 1321


def test_codes_and_hashes_are_those_of_invitations():
    generator = np.random.default_rng(5)
    for _ in range(20):
        drawn = generator.bytes(RANDOM_BYTES)
        code = hashed_codes.base32_code(int.from_bytes(drawn, "big"))
        assert code == code_from(drawn)
        assert hashed_codes.code_hash(code) == token_hash(code)
    assert token_hash(code_from((32_767).to_bytes(16, "big"))) in hashed_codes.tried_hashes()
    assert token_hash(code_from((32_768).to_bytes(16, "big"))) not in hashed_codes.tried_hashes()


def test_a_few_dates_find_everyone():
    found = run_attack("ratings", 240, 1.1, 2, 1)
    assert found.more["found"] >= 0.99 * 240
    shares = [step.raw for step in found.steps]
    assert shares[0] < shares[3] == pytest.approx(1, abs=0.01)


# --- census


def test_the_search_finds_exactly_the_blocks_that_fit(monkeypatch):
    """All blocks with ages from 0 to 5, by enumeration of every block with the same figures."""
    monkeypatch.setattr(census_blocks, "OLDEST", 5)
    blocks = [
        np.array([*women, *men])
        for women in itertools.combinations_with_replacement(range(6), 3)
        for men in itertools.combinations_with_replacement(range(6), 2)
    ]
    traits = np.array([0, 4])

    def kept(figures, other):
        """Whether the block has the same figures, and someone of each age that is left over."""
        own = census_blocks.publish_block(other, np.array([], dtype=int))
        left = [figures.everyone - others for others in figures.others]
        return own[:4] == figures[:4] and all(age in other for age in left)

    for block in blocks[::40]:
        figures = census_blocks.publish_block(block, traits)
        found = census_blocks.fitting_blocks(figures)[-1].tolist()
        expected = [other.tolist() for other in blocks if kept(figures, other)]
        assert sorted(found) == sorted(expected)
        assert block.tolist() in found


def test_the_true_block_always_fits():
    generator = np.random.default_rng(6)
    for _ in range(50):
        ages = generator.integers(0, 90, 5)
        figures = census_blocks.publish_block(ages, generator.integers(0, 5, 6))
        truth = [*sorted(ages[:3].tolist()), *sorted(ages[3:].tolist())]
        for found in census_blocks.fitting_blocks(figures):
            assert truth in found.tolist()


def test_triples_with_a_mean_and_a_median():
    triples = [
        (a, 30, b) for a in range(31) for b in range(30, 90) if a + 30 + b == 132
    ]  # fmt: skip
    assert census_blocks.ages_of_three(132, 30).tolist() == [list(each) for each in triples]
    assert len(triples) == 18


def test_the_block_of_the_text_has_no_upper_age():
    """30 as in the text, with ages from 1 and without a limit; 18 with ages of at most 89."""
    triples = [(a, 30, 102 - a) for a in range(1, 31)]
    found = census_blocks.ages_of_three(132, 30, youngest=1, oldest=132)
    assert found.tolist() == [list(each) for each in triples]
    assert len(triples) == 30
    assert sum(highest <= 89 for _, _, highest in triples) == 18
    assert sorted(highest for _, _, highest in triples if highest > 89) == [*range(90, 102)]


@pytest.mark.parametrize("epsilon", [0.5, 4.0])
def test_the_bound_of_the_census_is_a_product_of_exact_sums(epsilon):
    """Each noisy sum, by adding up its largest probabilities; each median by e^(m ε / 10)."""
    part = epsilon / 10
    a = math.exp(-part / 89)
    gain = math.exp((3 + 5) * part)
    for people in (3, 5, *[4] * 6):
        width = 2 * 89 * people
        values = np.arange(-30_000, width + 30_000)
        nearest = np.maximum(0, np.maximum(-values, values - width))
        gain *= float(((1 - a) / (1 + a) * a**nearest).sum())
    assert census_blocks.block_bound(epsilon) == pytest.approx(12 / 90**5 * gain, rel=1e-6)
    assert gain <= math.exp(4 * epsilon)


def test_the_bound_of_a_median_holds_for_all_ages_of_three_people(monkeypatch):
    """Ages from 0 to 4: the sum of the largest probabilities, by the exact selection."""
    monkeypatch.setattr(census_blocks, "OLDEST", 4)
    loss = 0.7
    largest = np.zeros(5)
    for ages in itertools.combinations_with_replacement(range(5), 3):
        scores = [
            -abs(sum(age < each for age in ages) - sum(age > each for age in ages))
            for each in range(5)
        ]
        chances = selection_chances(scores, 2 / loss)
        assert chances.sum() == pytest.approx(1)
        largest = np.maximum(largest, chances)
    assert largest.sum() <= math.exp(3 * loss)


def test_a_rounded_sum_does_not_show_whether_it_is_odd():
    """Rounding halves to even numbers did: the noise was even three times as often as odd."""
    generator = np.random.default_rng(8)
    ages, traits = np.array([20, 30, 40, 50, 60]), np.zeros(6, dtype=int)
    exact = census_blocks.publish_block(ages, traits)
    odd = 0
    for _ in range(400):
        found = census_blocks.release_block(ages, traits, 2.0, generator)
        odd += sum((a - b) % 2 for a, b in zip(found.others, exact.others, strict=True))
    # 2,400 numbers: 4.5 standard errors fail by chance once in 150,000 times.
    assert abs(odd / 2_400 - 0.5) < 4.5 * 0.5 / math.sqrt(2_400)


def test_climbing_never_ends_at_a_less_likely_block():
    generator = np.random.default_rng(3)
    released, starts = [], generator.integers(0, 90, (20, 5))
    for _ in range(20):
        ages, traits = generator.integers(0, 90, 5), generator.integers(0, 5, 6)
        released.append(census_blocks.release_block(ages, traits, 3.0, generator))
    found = census_blocks.climb_to_blocks(released, starts, 3.0)
    before, after = (
        census_blocks.log_likelihoods(released, blocks[:, np.newaxis], 3.0)
        for blocks in (starts, found)
    )
    assert (after >= before - 1e-9).all()
    assert (after > before).any()


def test_one_person_changes_each_released_figure_by_its_sensitivity():
    """A sum in half years from the middle changes by at most 89, and a score by 1."""
    for age in range(90):
        assert abs(2 * age - census_blocks.OLDEST) <= census_blocks.OLDEST
    candidates = np.arange(90)[:, np.newaxis]

    def scores(ages):
        return -np.abs((ages < candidates).sum(axis=1) - (ages > candidates).sum(axis=1))

    ages = np.array([3, 40, 40, 77, 89])
    for more in range(90):
        assert np.abs(scores(np.append(ages, more)) - scores(ages)).max() <= 1


# --- Dinur and Nissim


def test_a_count_is_within_the_error():
    for error in range(5):
        for table in MEMBERS[:: 2**SMALL // 50]:
            exact = MEMBERS @ table
            assert np.abs(rounded_counts(table, error) - exact).max() <= error
    assert BITS[5] == 2


@pytest.mark.parametrize("error", [1, 2, 3])
def test_at_most_4e_answers_are_wrong(error):
    """The theorem, for rounded and for random answers: each candidate that fits is near."""
    generator = np.random.default_rng(error)
    for table in generator.integers(0, 2, (4, SMALL)):
        exact = MEMBERS @ table
        noisy = exact + generator.integers(-error, error + 1, 2**SMALL)
        for answers in (rounded_counts(table, error), noisy):
            fits = candidates_within(answers, error)
            slow = [k for k in range(0, 2**SMALL, 7)
                    if np.abs(BITS[k & np.arange(2**SMALL)] - answers).max() <= error]  # fmt: skip
            if len(fits) > 1:
                assert {*slow} <= {*fits.tolist()}
            wrong = np.abs(MEMBERS[fits] - table).sum(axis=1)
            assert 0 in wrong
            assert wrong.max() <= 4 * error


def test_4e_is_the_best_possible():
    """Answers halfway between two tables fit both, which differ in 4E places."""
    error = 2
    one = np.array([1] * 4 + [0] * 8)
    other = np.array([0] * 4 + [1] * 4 + [0] * 4)
    halfway = (MEMBERS @ one + MEMBERS @ other) // 2
    assert np.abs(MEMBERS @ one - halfway).max() <= error
    assert np.abs(MEMBERS @ other - halfway).max() <= error
    fits = candidates_within(halfway, error).tolist()
    places = [int(table @ (1 << np.arange(SMALL))) for table in (one, other)]
    assert {*places} <= {*fits}
    assert int(np.abs(one - other).sum()) == 4 * error


def test_least_squares_are_right_as_often_as_their_error_says():
    """A fit is off by a normal error with the variance of the formula σ² (AᵀA)⁻¹.

    The fits of 960 people are nearly independent, and 4.5 standard errors fail by chance once in
    150,000 times. One more right guess is allowed for shares near 1.
    """
    generator = np.random.default_rng(9)
    for error in (4, 8, 16, 31):
        right, expected = 0.0, 0.0
        for _ in range(4):
            truth = generator.integers(0, 2, 240)
            subsets = generator.integers(0, 2, (960, 240)).astype(float)
            counts = subsets @ truth + generator.integers(-error, error + 1, 960)
            right += float(np.mean(rebuild_by_least_squares(subsets, counts) == truth)) / 4
            spreads = np.sqrt(np.diag(np.linalg.inv(subsets.T @ subsets)) * error * (error + 1) / 3)
            normal = NormalDist()
            expected += float(np.mean([normal.cdf(0.5 / each) for each in spreads])) / 4
        chance = math.sqrt(expected * (1 - expected) / 960)
        assert abs(right - expected) < 4.5 * chance + 1 / 960
        # The theorem: a share of O(α²) is wrong. Here it is below 2 α².
        assert 1 - right < 2 * error**2 / 240


def test_without_errors_every_answer_is_rebuilt():
    for people in (60, 120, 240):
        assert run_attack("random-subsets", people, 1.1, 0, 3).raw == people


def test_the_number_of_people_hardly_matters_at_the_same_alpha():
    """A constant share is wrong at the same α, for each n: O(α² n) answers, and not O(α²).

    With exact errors α√n, a fit is off by a variance of about 4α²/9. Whole errors and small n
    change this a little. The largest standard error is 1.6 points (α = 1/2, 240 answers), so 5
    points fail by chance in 0.2 % of cases.
    """
    found = tried("random-subsets", 1.1, people=240)
    assert {size for size, _ in found[0].sizes} == {60, 120}
    shares = {240: [[step.raw for step in each.steps] for each in found]}
    for place in (0, 1):
        shares[found[0].sizes[place][0]] = [list(each.sizes[place][1]) for each in found]
    for place, alpha in enumerate(ALPHAS[:3]):
        for size, several in shares.items():
            share = float(np.mean([each[place] for each in several]))
            expected = NormalDist().cdf(0.75 / alpha) if alpha else 1
            assert abs(share - expected) < 0.05, (alpha, size)
            assert 1 - share <= 2 * alpha**2
    # At α = 1/2 the number of wrong answers is about 6.7 % of n, so it grows with n.
    wrong = {
        size: sum((1 - each[ALPHAS.index(0.5)]) * size for each in several)
        for size, several in shares.items()
    }
    assert wrong[60] < wrong[120] < wrong[240]


def test_the_noise_of_the_releases_shares_epsilon():
    """An answer more changes each of the 4n counts by at most 1, so 4n/ε is the scale for ε."""
    found = run_attack("random-subsets", 60, 1.1, 2, 1)
    assert found.more["queries"] == 240
    assert found.bound < guess_bound(math.exp(1.1))
    assert found.more["wrong"] == 60 - found.raw
    assert found.more["share"] == pytest.approx(found.more["wrong"] / 60)


def test_a_noisy_count_says_no_more_than_a_vote():
    """The ratio of its probabilities has two values: e^(1/s) from 1 on, and e^(−1/s) up to 0."""
    a = math.exp(-1 / 7)
    for value in range(-40, 41):
        ratio = a ** abs(value - 1) / a ** abs(value)
        assert ratio == pytest.approx(1 / a if value >= 1 else a)
    yes = sum((1 - a) / (1 + a) * a ** abs(value - 1) for value in range(1, 2_000))
    assert yes / (1 - yes) == pytest.approx(math.exp(1 / 7))


def test_the_majority_of_votes_by_all_outcomes():
    for votes in range(1, 8):
        for odds in (1.05, 3.0):
            p = odds / (1 + odds)
            right = 0.0
            for each in itertools.product((0, 1), repeat=votes):
                chance = math.prod(p if vote else 1 - p for vote in each)
                right += chance * (0.5 if 2 * sum(each) == votes else 2 * sum(each) > votes)
            assert majority_share(votes, odds) == pytest.approx(right)
            # No guess is better: the sum of the larger probabilities of each outcome.
            best = sum(
                max(
                    math.prod(p if vote else 1 - p for vote in each),
                    math.prod(1 - p if vote else p for vote in each),
                )
                for each in itertools.product((0, 1), repeat=votes)
            ) / 2  # fmt: skip
            assert majority_share(votes, odds) == pytest.approx(best)


def test_who_knows_all_other_answers_counts_votes():
    """Without noise, every guess is right: each count with a person shows the answer."""
    generator = np.random.default_rng(2)
    secrets = generator.integers(0, 2, 12)
    subsets = generator.integers(0, 2, (30, 12)).astype(float)
    guesses = guess_each(secrets, subsets, np.zeros(30, dtype=int), generator)
    assert (guesses == secrets).all()


@pytest.mark.parametrize("reports", [1, 2, 3, 4])
def test_the_most_frequent_report_is_right_as_often_as_all_lists_say(reports):
    """Four codes: the largest of the probabilities of each list, and the reports of the code."""
    for odds in (1.2, 3.0, 20.0):
        p = guess_bound(odds, 4)
        other = (1 - p) / 3
        best = 0.0
        for each in itertools.product(range(4), repeat=reports):
            best += max(
                math.prod(p if report == code else other for report in each) for code in range(4)
            )
        assert table_joins.most_frequent_share(reports, odds, 4) == pytest.approx(best / 4)
    if reports < 3:
        assert table_joins.most_frequent_share(reports, 3.0) == pytest.approx(3 / 1_002)


def test_the_most_frequent_report_of_each_person():
    reports = np.array([[5, 1, 7], [6, 2, 8], [6, 3, 7]])
    assert table_joins.frequent_codes(reports).tolist() == [6, 1, 7]


# --- averaging


def test_the_majority_is_right_as_often_as_the_binomial_says():
    attempts = tried("averages", 1.1)
    for place, times in enumerate(TIMES):
        share = float(np.mean([each.steps[place].raw for each in attempts]))
        chance = float(yes_chances(times, 0.75)[times // 2 + 1 :].sum())
        # Seven shares, 4.5 standard errors each: a false alarm once in 20,000 times.
        assert abs(share - chance) < 4.5 * math.sqrt(chance * (1 - chance) / 960)


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
