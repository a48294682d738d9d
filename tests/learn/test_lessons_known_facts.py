"""The numbers of "Known facts", against enumeration and published figures."""

import itertools
import math

import numpy as np
import pytest

from survey.learn.controls import read_values
from survey.learn.lessons.known_facts import (
    FACTS,
    MINUTES,
    PLACES,
    TRIPS,
    KnownFacts,
    alone_share,
)
from tests.support.check_each import check_each

pytestmark = pytest.mark.fast


@check_each(("people", "values"), [(1, 3), (2, 3), (4, 3), (5, 2), (3, 5)])
def test_the_expected_share_is_the_mean_over_all_tables(people, values):
    tables = list(itertools.product(range(values), repeat=people))
    alone = sum(table.count(fact) == 1 for table in tables for fact in table)
    assert alone_share(people, values) == pytest.approx(alone / people / len(tables))


def test_the_draw_of_the_page_is_as_often_alone_as_expected():
    """The number of people alone has a variance of at most twice n p (1 − p).

    Someone who joins another changes two people. 4.5 standard errors fail by chance once in 150,000
    times.
    """
    for draw in range(1, 6):
        values = read_values(KnownFacts.controls, {"draw": str(draw)})
        numbers = KnownFacts().show(values).numbers
        share = numbers["expected"]
        error = math.sqrt(2 * share * (1 - share) / values["people"])
        assert abs(numbers["alone"] / values["people"] - share) < 4.5 * error


def test_the_usual_page_is_near_the_published_figure():
    """216 of 248 million (Sweeney 2000). The average postcode area had 248,418,140 / 29,343."""
    expected = KnownFacts().show(read_values(KnownFacts.controls, {})).numbers["expected"]
    assert round(100 * expected) == 86
    assert round(100 * 216 / 248) == 87
    assert pytest.approx(8_500, rel=0.005) == 248_418_140 / 29_343
    assert FACTS[-1][1] == 57_670


def test_each_further_fact_leaves_more_people_alone():
    shares = [alone_share(8_500, values) for _, values in FACTS]
    assert shares == sorted(shares)
    assert shares[0] < 1e-9


def test_nearly_every_taxi_trip_is_alone():
    """97 %, by the Poisson limit as well."""
    share = alone_share(TRIPS, MINUTES * PLACES)
    assert round(100 * share) == 97
    assert share == pytest.approx(math.exp(-TRIPS / (MINUTES * PLACES)), rel=1e-6)


def test_a_page_draws_few_values():
    """The people of the draw and the counts of all combinations: at most 160,000."""
    people, values = KnownFacts.controls[:2]
    assert int(people.high) + int(values.high) <= 2_000_000


def test_both_ends_of_the_bars_have_a_picture():
    for people, values in (("500", "500"), ("40000", "120000"), ("40000", "500")):
        shown = KnownFacts().show(
            read_values(KnownFacts.controls, {"people": people, "values": values})
        )
        assert len(shown.pictures) == 2
        assert np.isfinite(list(shown.numbers.values())).all()


def test_the_page_names_its_sources(client):
    page = client.get("/learn/known-facts?language=en").get_data(as_text=True)
    for source in ("Sweeney (2000)", "Golle (2006)", "Narayanan and Shmatikov (2008)", "Whong"):
        assert source in page
    # The model is said to be one.
    assert "all combinations are equally common" in page
