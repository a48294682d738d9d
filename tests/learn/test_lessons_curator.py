"""The numbers of "The trusted curator", against the text and closed forms."""

import math
import re
from fractions import Fraction

import numpy as np
import pytest

from survey.learn.controls import read_values
from survey.learn.lessons.curator import Curator, mean_scale, mean_weight, ratio_of_tables

pytestmark = pytest.mark.fast


def numbers(**address: str) -> dict[str, float]:
    return dict(Curator().show(read_values(Curator.controls, address)).numbers)


def test_the_four_weights_have_the_mean_of_the_text():
    assert mean_weight(40, 4) == 62.5
    assert 4 * mean_weight(40, 4) - 210 == 40
    assert mean_weight(40, 1_000) == 62.5


def test_the_scales_and_deviations_are_those_of_the_text():
    """Lap(300) for 4 people, Lap(1.2) with standard deviation 1.7 for 1,000, at ε = 0.1."""
    assert mean_scale(4, 0.1) == pytest.approx(300)
    found = numbers(n="1000")
    assert found["scale"] == pytest.approx(1.2)
    assert found["deviation"] == pytest.approx(1.697, abs=5e-4)


def test_no_published_value_tells_neighbours_apart_by_more_than_e_to_the_epsilon():
    """The reverse triangle inequality, checked exactly: |r − m′| − |r − m| is at most 120/n."""
    for n in (4, 10):
        weights = [Fraction(weight) for weight in (30, 40, 90, 150)]
        means = [(210 + weight + Fraction(125, 2) * (n - 4)) / n for weight in weights]
        for released in [Fraction(k, 4) for k in range(-400, 1_200)]:
            distances = [abs(released - mean) for mean in means]
            assert max(distances) - min(distances) <= Fraction(120, n)
    # The bound is reached by the two ends of the range, beyond both means.
    ends = mean_weight(30, 4), mean_weight(150, 4)
    assert ratio_of_tables(0.0, *ends, mean_scale(4, 0.1)) == pytest.approx(math.exp(0.1))


def test_the_ratio_of_the_page_never_exceeds_its_limit():
    for weight in ("30", "40", "150"):
        for draw in ("1", "2", "3"):
            found = numbers(weight=weight, other="30", epsilon="0.5", draw=draw)
            assert 1 <= found["ratio"] <= found["limit"] * (1 + 1e-12)


def test_released_values_have_the_noise_of_the_scale():
    # |noise| has the mean b. The mean of 2,000 has a relative error of 1/√2,000 = 2.2 %, so 4.5
    # standard errors fail by chance once in 150,000 times.
    generator = np.random.default_rng(8)
    scale = mean_scale(1_000, 0.1)
    sizes = np.abs(generator.laplace(0.0, scale, 2_000))
    assert float(sizes.mean()) == pytest.approx(1.2, rel=4.5 * 0.0224)


@pytest.mark.parametrize("n", ["4", "10", "100", "1000"])
def test_the_printed_means_give_the_printed_weights(n):
    values = read_values(Curator.controls, {"n": n, "epsilon": "3", "weight": "30"})
    text = Curator().show(values).sentence.replace("−", "-")
    mean, weight, published, deduced = (
        float(found.replace(",", "")) for found in re.findall(r"(-?[\d,.]+\d) kg", text)
    )
    others = 210 + 62.5 * (int(n) - 4)
    assert int(n) * mean - others == pytest.approx(weight, abs=0.001)
    assert int(n) * published - others == pytest.approx(deduced, abs=0.0501)


def test_the_published_means_of_the_text_can_be_typed():
    """63.75 is half way between both means. 63 is nearer to 62.5 by 1.5 kg: e^(1.5/300)."""
    half = numbers(published="63,75")
    assert half["ratio"] == 1
    assert half["density"] == half["other_density"] == math.exp(-1.25 / 300) / 600
    nearer = numbers(published="63")
    assert nearer["density"] == pytest.approx(math.exp(-0.5 / 300) / 600)
    assert nearer["other_density"] == pytest.approx(math.exp(-2 / 300) / 600)
    assert nearer["ratio"] == pytest.approx(math.exp(1.5 / 300))
    assert nearer["ratio"] <= nearer["limit"] == pytest.approx(math.exp(0.1))


def test_the_sentence_says_which_weight_makes_a_typed_mean_more_likely():
    def sentence(published: str) -> str:
        values = read_values(Curator.controls, {"published": published})
        return Curator().show(values).sentence

    assert "equally likely with 40 kg and with 50 kg" in sentence("63.75")
    assert "63 kg is 1.005 times as likely with 40 kg as with 50 kg" in sentence("63")
    assert "70 kg is 1.008 times as likely with 50 kg as with 40 kg" in sentence("70")
    assert "1.105" in sentence("70")


def test_both_densities_can_be_told_apart_in_the_usual_view():
    """At the means, the curves are at least a tenth of the height of the chart apart."""
    picture = Curator().show(read_values(Curator.controls, {"published": "63.75"})).pictures[0]
    curves = [shape for shape in picture.chart.shapes if shape.kind.startswith("curve")]
    own, other = (
        dict(tuple(map(float, point.split(","))) for point in curve.attributes["points"].split())
        for curve in curves
    )
    gaps = [abs(y - other[x]) for x, y in own.items()]
    assert max(gaps) > 17
    assert "does not begin at 0" in picture.description


def test_a_new_draw_empties_the_typed_mean():
    values = read_values(Curator.controls, {"published": "63", "again": "1"})
    assert "published" not in values.numbers
    assert values["draw"] == 2
