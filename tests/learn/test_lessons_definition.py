"""The numbers of "The definition", against closed forms, and its list of neighbours."""

import math

import pytest

from survey.learn.controls import read_values
from survey.learn.lesson import BY_ADDING, BY_CHANGE
from survey.learn.lessons import LESSONS
from survey.learn.lessons.definition import MECHANISMS, PLACES, Definition
from survey.learn.neighbour_outputs import FARTHEST
from tests.support.check_each import check_each

pytestmark = pytest.mark.fast

DEFINITION = "Pr[M(x) ∈ S] ≤ e<sup>ε</sup> · Pr[M(y) ∈ S] + δ"


def numbers(**address: str) -> dict[str, float]:
    return dict(Definition().show(read_values(Definition.controls, address)).numbers)


def test_the_definition_stands_on_the_first_page(client):
    assert LESSONS[0].address == "definition"
    for language in ("en", "vi", "th", "zh"):
        page = client.get(f"/learn/definition?language={language}").get_data(as_text=True)
        assert DEFINITION in page.replace("&nbsp;", " ")


def test_laplace_counts_by_hand():
    """Pr(noise = k) = (1 − a)/(1 + a) · a^|k| with a = 1/e: S is 100 to 102."""
    a = math.exp(-1)
    unit = (1 - a) / (1 + a)
    found = numbers()
    assert found["x"] == pytest.approx(unit * (1 + a + a**2))
    assert found["y"] == pytest.approx(unit * (a + 1 + a))
    assert found["high"] == pytest.approx(1 - math.exp(-1) * (1 - found["y"]))
    assert found["low"] == pytest.approx(1 - math.e * (1 - found["y"]))
    assert found["excess"] == found["delta"] == 0


def test_the_bound_is_reached_in_both_directions():
    to_y, to_x = numbers(first="101", last="121"), numbers(first="80", last="100")
    assert to_y["y"] == pytest.approx(math.e * to_y["x"])
    assert to_x["x"] == pytest.approx(math.e * to_x["y"])
    assert to_y["x"] == pytest.approx(to_y["low"])
    assert to_x["x"] == pytest.approx(to_x["high"])


def test_the_order_of_the_sliders_does_not_matter():
    assert numbers(first="104", last="98") == numbers(first="98", last="104")


def test_everything_has_probability_one():
    for mechanism in MECHANISMS:
        found = numbers(mechanism=mechanism, first="80", last="121", report="both")
        assert found["x"] == pytest.approx(1)
        assert found["y"] == pytest.approx(1)


def test_epsilon_alone_fails_where_the_noise_is_cut_off():
    """At ε = 1 and δ = 0.05, t is 3: 97 has a³/(1 + 2(a + a² + a³)) for x, and 0 for y."""
    a = math.exp(-1)
    found = numbers(mechanism="cut", first="80", last="97")
    assert found["y"] == 0
    assert found["x"] == pytest.approx(a**3 / (1 + 2 * (a + a**2 + a**3)))
    assert found["excess"] == found["x"] == found["delta"]
    assert found["x"] <= found["high"] == pytest.approx(0.05)
    page = Definition().show(
        read_values(Definition.controls, {"mechanism": "cut", "first": "80", "last": "97"})
    )
    assert "97 or less" in page.sentence


@check_each("mechanism", MECHANISMS)
def test_each_point_lies_in_the_band(mechanism):
    for epsilon in ("0.1", "1", "3"):
        for first, last in (("80", "95"), ("97", "97"), ("101", "121"), ("105", "108")):
            for report in ("yes", "no"):
                found = numbers(
                    mechanism=mechanism, epsilon=epsilon, first=first, last=last, report=report
                )
                assert found["low"] - 1e-12 <= found["x"] <= found["high"] + 1e-12
                assert found["excess"] <= found["delta"] + 1e-12


def test_randomised_response_by_hand():
    found = numbers(mechanism="response", report="yes", epsilon="2")
    assert found["y"] == pytest.approx(math.exp(2) / (1 + math.exp(2)))
    assert found["x"] == pytest.approx(1 - found["y"]) == pytest.approx(found["low"])


def test_the_page_lists_each_lesson_by_its_neighbours(client):
    page = client.get("/learn/definition").get_data(as_text=True)
    change, adding = page.split("Lessons in which one table has one more person:")
    change = change.split("Lessons in which the data of one person differ:")[1]
    adding = adding.split("</ul>")[0]
    for lesson in LESSONS:
        link = f'href="/learn/{lesson.address}"'
        assert (link in change) == (BY_CHANGE in lesson.neighbours), lesson.address
        assert (link in adding) == (BY_ADDING in lesson.neighbours), lesson.address
        assert set(lesson.neighbours) <= {BY_CHANGE, BY_ADDING}
    kinds = {lesson.address: lesson.neighbours for lesson in LESSONS}
    assert kinds["two-coins"] == kinds["curator"] == (BY_CHANGE,)
    # These two publish no value with ε, and the last lesson repeats those of others.
    assert {address for address, each in kinds.items() if not each} == {
        "known-facts", "k-anonymity", "slips",
    }  # fmt: skip
    assert kinds["clipping"] == kinds["composition"] == kinds["mechanisms"] == (BY_ADDING,)


def test_no_address_does_more_than_a_hundred_thousand_steps():
    """Both probabilities of each output are read for S, the excess, the charts and the band."""
    outputs = 2 * (FARTHEST + 1)
    assert 20 * outputs + 100 * PLACES < 100_000
