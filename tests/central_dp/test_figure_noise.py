"""The standard deviation and the tails of the drawn noise, against sums and closed forms."""

import math
from fractions import Fraction

import pytest

from survey.central_dp.accuracy import accuracy_of
from survey.central_dp.dp_request import read_request
from survey.central_dp.figure_noise import (
    FigureNoise,
    common_noise,
    discrete_gaussian_deviation,
    discrete_laplace_deviation,
    figure_noise,
    gaussian_within,
    laplace_within,
)
from survey.central_dp.figures import dp_figures
from survey.core.languages import Words
from survey.core.translate import in_language
from survey.definition.survey import parse_survey
from tests.support.check_each import check_each
from tests.support.definitions import definition, yes_no
from tests.support.every_type import asked, letters

pytestmark = pytest.mark.fast

SURVEY = parse_survey(
    definition(
        yes_no("smokes", privacy="none"),
        asked("weight", "number", "none", min=30, max=150, unit="kg"),
        asked("cups", "number", "none", min=0, max=3, prefer_not_to_say=True),
        asked("drugs", "select_multiple", "none", choices=letters("abcd")),
    )
)


def request(question: str, statistic: str, epsilon: str = "1", **more: str):
    typed = {"question": question, "statistic": statistic, "epsilon": epsilon, "percent": "90"}
    return read_request(SURVEY, typed | more)


def added_up(weight, reach):
    """The standard deviation, and the probabilities within each distance, term by term."""
    weights = [weight(x) for x in range(reach)]
    total = 2 * math.fsum(weights) - weights[0]
    squares = 2 * math.fsum(x * x * each for x, each in enumerate(weights))
    within = [(2 * math.fsum(weights[: t + 1]) - weights[0]) / total for t in range(5)]
    return math.sqrt(squares / total), within


@pytest.mark.parametrize("scale", [0.05, 0.2, 1.0, 2.5, 30.0, 400.0])
def test_the_laplace_distribution_is_that_of_whole_numbers(scale):
    deviation, within = added_up(lambda x: math.exp(-x / scale), 200 + math.ceil(60 * scale))
    assert discrete_laplace_deviation(scale) == pytest.approx(deviation, rel=1e-12)
    for distance, probability in enumerate(within):
        assert laplace_within(scale, distance) == pytest.approx(probability, rel=1e-12)


def test_the_laplace_distribution_by_hand():
    """With q = 1/2, the variance is 2q / (1 - q)^2 = 4, so two standard deviations are 4.

    Beyond 4 are 2 (q^5 / (1 + q)) = 1/24.
    """
    noise = FigureNoise(False, 1 / math.log(2), Fraction(1, 2))
    assert noise.whole_deviation == pytest.approx(2, rel=1e-15)
    assert noise.deviation == pytest.approx(1, rel=1e-15)
    # A deviation of 2 minus a rounding error would end at 3.
    assert laplace_within(noise.scale, 4) == pytest.approx(23 / 24, rel=1e-15)


def test_wide_laplace_noise_is_that_of_the_textbooks():
    """The square root of 2 times b, and 1 - exp(-2 sqrt 2) = 94.1 % within two of them."""
    wide = FigureNoise(False, 1e6, Fraction(1))
    assert wide.deviation == pytest.approx(math.sqrt(2) * 1e6, rel=1e-12)
    assert wide.within_two == pytest.approx(1 - math.exp(-2 * math.sqrt(2)), abs=1e-6)
    for scale in (0.1, 1.0, 10.0):
        assert discrete_laplace_deviation(scale) < math.sqrt(2) * scale


@pytest.mark.parametrize("scale", [0.2, 0.7, 1.0, 3.0, 9.99, 10.0, 40.0])
def test_the_gaussian_distribution_is_that_of_whole_numbers(scale):
    deviation, within = added_up(
        lambda x: math.exp(-((x / scale) ** 2) / 2), 60 + 40 * math.ceil(scale)
    )
    assert discrete_gaussian_deviation(scale) == pytest.approx(deviation, rel=1e-12)
    for distance, probability in enumerate(within):
        assert gaussian_within(scale, distance) == pytest.approx(probability, rel=1e-12)
    # Canonne, Kamath and Steinke (2020): its variance is at most sigma^2.
    assert discrete_gaussian_deviation(scale) <= scale


def test_wide_gaussian_noise_is_normal_within_half_a_step_more():
    scale = 2_000.0
    weights = [math.exp(-((x / scale) ** 2) / 2) for x in range(4_001)]
    exact = (2 * math.fsum(weights) - 1) / (scale * math.sqrt(2 * math.pi))
    assert gaussian_within(scale, 4_000) == pytest.approx(exact, abs=1 / (100 * scale**2))
    wide = FigureNoise(True, 1e9, Fraction(1))
    assert wide.within_two == pytest.approx(math.erf(math.sqrt(2)), abs=1e-8)


@check_each("gaussian", [False, True])
@check_each("exponent", range(-4, 12))
def test_chebyshevs_inequality_holds_at_every_scale(gaussian, exponent):
    noise = FigureNoise(gaussian, max(0.05, 2.0**exponent), Fraction(1))
    assert 0.75 <= noise.within_two <= 1


SHARED = [
    ("smokes", "count", {"answer": "yes"}, 1),
    ("weight", "histogram", {"bins": "4"}, 1),
    ("drugs", "histogram", {}, 1),
    ("weight", "sum", {}, 1),
    ("weight", "mean", {}, Fraction(1, 2 * 1_000)),  # half steps, for 1,000 people
]


@check_each(("question", "statistic", "more", "unit"), SHARED)
@check_each("mechanism", ["laplace", "gaussian"])
def test_a_figure_moves_by_the_unit_when_its_noise_moves_by_one(
    question, statistic, more, unit, mechanism
):
    wanted = request(question, statistic, mechanism=mechanism, delta="0.000001", **more)
    noise = figure_noise(SURVEY, wanted, 1_000)
    assert noise is not None
    assert (noise.unit, noise.gaussian) == (unit, mechanism == "gaussian")
    drawn = 4 if statistic == "histogram" else 1
    figures = [dp_figures(SURVEY, wanted, 1_000, ((k,) * drawn,)) for k in (7, 8)]
    for one, other in zip(*figures, strict=True):
        assert other.value - one.value == pytest.approx(float(unit))
        assert one.noise_deviation == noise.deviation == float(unit) * noise.whole_deviation


def test_each_further_sum_of_a_curve_has_one_noise_more():
    wanted = request("weight", "clipped_sums")
    figures = dp_figures(SURVEY, wanted, 1_000, ((5_000,) * 10,))
    first = discrete_laplace_deviation(120 * (1 + 1e-9))
    for terms, figure in enumerate(figures, 1):
        assert figure.noise_deviation == pytest.approx(first * math.sqrt(terms), rel=1e-12)
    assert common_noise(SURVEY, wanted, 1_000) is None
    # 1 / (sqrt 2 sinh(1/240)) = 169.7, and sqrt 10 times that.
    said = "is 169.7 for the sum at the lowest bound, and 536.7 for the sum at the highest bound."
    assert said in accuracy_of(SURVEY, wanted, 1_000)[-1]


def test_a_tree_has_the_noise_of_its_leaves():
    wanted = read_request(
        SURVEY,
        {"question": "smokes", "statistic": "tree", "by": "weight", "epsilon": "2", "depth": "1"},
    )
    noise = figure_noise(SURVEY, wanted, 100)
    assert noise is not None
    assert noise.deviation == pytest.approx(discrete_laplace_deviation(1), rel=1e-8)


@check_each(
    ("question", "statistic", "n"),
    [("weight", "variance", 100), ("cups", "mean", 100), ("weight", "mean", 0)]
    + [("weight", each, 100) for each in ("median", "quantile", "minimum", "maximum", "mode")],
)
def test_without_one_noise_for_a_figure_nothing_is_said(question, statistic, n):
    wanted = request(question, statistic)
    assert figure_noise(SURVEY, wanted, n) is None
    assert "standard deviation" not in " ".join(accuracy_of(SURVEY, wanted, n))


def test_the_sentence_has_chebyshevs_bound_next_to_the_probability():
    """The mean of 1,000 weights from 30 to 150 kg at ε = 0.1 has noise of scale 0.6 kg.

    The noise counts half kilograms with b = 1,200, so √2 b is 1,697.06 of them, for 1,000 people
    0.8485 kg. Within 3,394 of them lie 1 - 2 exp(-3395/1200) / (1 + exp(-1/1200)) = 94.1 %.
    """
    wanted = request("weight", "mean", "0.1")
    assert accuracy_of(SURVEY, wanted, 1_000)[-1] == (
        "The standard deviation of the noise is 0.8485 kg for each released number. By "
        "Chebyshev’s inequality, the noise is within two standard deviations of 0 with a "
        "probability of at least 75 %. For this distribution, the probability is 94.1 %."
    )
    with in_language("vi"):
        assert "0,8485 kg" in accuracy_of(SURVEY, wanted, 1_000)[-1]


@pytest.mark.parametrize(
    ("epsilon", "said"),
    [
        # With q = exp(-ε), only 0 is within two standard deviations: (1 - q) / (1 + q).
        ("6", "the probability is 99.5 %."),
        ("10", "the probability is more than 99.9 %."),
        ("100", "is 0, except with a probability of less than one in a million."),
    ],
)
def test_hardly_any_noise_is_described_exactly(epsilon, said):
    wanted = request("smokes", "count", epsilon, answer="yes")
    assert accuracy_of(SURVEY, wanted, 1_000)[-1].endswith(said)
    noise = figure_noise(SURVEY, wanted, 1_000)
    assert noise is not None
    q = math.exp(-float(epsilon))
    assert noise.within_two == pytest.approx((1 - q) / (1 + q), rel=1e-7)
    assert noise.is_almost_zero == (1 - noise.within_two < 1e-6)
    # The public page says the same.
    if not noise.is_almost_zero:
        assert said == f"the probability is {noise.within_two_text(Words())}."
