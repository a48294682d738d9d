"""The page that compares groups: its estimates, its corrections, and its refusals."""

import pytest

from survey.analysis import columns_by_name
from survey.analysis.groups.figures import IntervalEstimate
from survey.analysis.groups.groups import compare
from survey.definition.responses.parse_response import Response
from survey.store import Store
from tests.support.analysis_pages import REFUSED, REGION, cells, every_type, kinds, options, shown
from tests.support.definitions import definition, opened, yes_no
from tests.support.every_type import asked, letters
from tests.support.researchers import Researcher

PLAIN_AGE = asked("age", "number", "none", min=0, max=100)
PLACES = asked("place", "select_one", "none", choices=letters("nes"))


def interval(figure: IntervalEstimate) -> tuple[float, float, float]:
    return figure.value, figure.low, figure.high


def test_shares_and_their_differences_are_the_closed_forms(researcher: Researcher, store: Store):
    opened(store, definition(REGION, yes_no()))
    # 25 of 40 in town and 8 of 20 in the country report yes; the estimate is 2P - 1/2.
    reports = [(0, 0)] * 25 + [(0, 1)] * 15 + [(1, 0)] * 8 + [(1, 1)] * 12
    for number, both in enumerate(reports):
        store.responses.add_response("health", Response(number.to_bytes(16), both))
    page = shown(researcher, "/groups", measure="smokes:0", group="region")
    town, country = 2 * 25 / 40 - 0.5, 2 * 8 / 20 - 0.5
    found = cells(page, "groups")
    assert found[0:12:6] == pytest.approx([40 / 60, 20 / 60], abs=1e-8)
    assert found[3:12:6] == pytest.approx([town, country], abs=1e-8)
    assert found[12] == pytest.approx(2 * 33 / 60 - 0.5, abs=1e-8)  # everyone
    assert cells(page, "differences")[0] == pytest.approx(country - town, abs=1e-8)
    assert "Based on 60 responses with an answer or report for both questions." in page
    assert (
        "Score test that the share of “Yes” in “Do you smoke?” is the same in all groups of “Wh"
        in page
    )
    # For the second answer, the differences have the opposite sign.
    other = shown(researcher, "/groups", measure="smokes:1", group="region")
    assert cells(other, "differences")[0] == pytest.approx(town - country, abs=1e-8)


def test_means_have_the_corrections_of_the_core(researcher: Researcher, store: Store):
    survey = opened(store, definition(PLACES, PLAIN_AGE)).survey
    rows = [(number % 3, 20 + 7 * (number % 5) + number % 3) for number in range(90)]
    for number, row in enumerate(rows):
        store.responses.add_response("health", Response(number.to_bytes(16), row))
    columns = columns_by_name(survey, store.responses.rows("health"), ["age", "place"])
    for against, reference, count in (("pairs", None, 3), ("first", 0, 2)):
        page = shown(researcher, "/groups", measure="age:", group="place", against=against)
        found = compare(columns["age"], columns["place"], reference=reference)
        assert len(found.differences) == count
        told = [
            part
            for each in found.differences
            for part in (
                each.figure.value,
                each.figure.low,
                each.figure.high,
                each.low,
                each.high,
                each.p,
                each.adjusted,
            )
        ]
        assert cells(page, "differences") == pytest.approx(told, abs=1e-12)
        assert f"simultaneous intervals for all {count} differences" in page


def test_weights_strata_and_clusters_are_those_of_the_core(researcher: Researcher, store: Store):
    opened(store, definition(PLACES, PLAIN_AGE, yes_no("plain", "none")))
    rows = [(number % 3, 1 + number % 4, number % 7 // 4) for number in range(60)]
    for number, row in enumerate(rows):
        store.responses.add_response("health", Response(number.to_bytes(16), row))
    page = shown(researcher, "/groups", measure="plain:0", group="place", weights="age")
    weighted = [
        sum(age for place, age, answer in rows if place == group and answer == 0)
        / sum(age for place, age, answer in rows if place == group)
        for group in range(3)
    ]
    assert cells(page, "groups")[3::6] == pytest.approx(weighted, abs=1e-12)
    assert "Weighted by “What of age?”." in page
    assert "This p is from an F distribution." in page
    assert "<details open>" in page
    for sampled in ({"strata": "plain"}, {"clusters": "age"}):
        again = shown(researcher, "/groups", measure="plain:0", group="place", **sampled)
        assert cells(again, "groups")[3::6] != pytest.approx(weighted, abs=1e-6)
        assert "<tbody>" in again
    alone = opened(store, definition(PLACES, PLAIN_AGE, yes_no("plain", "none"), slug="alone"))
    for number, row in enumerate([(0, 40, 0)] * 9 + [(0, 41, 1)]):
        store.responses.add_response(alone.survey.slug, Response(number.to_bytes(16), row))
    refused = shown(researcher, "/groups", "alone", measure="plain:0", group="place", strata="age")
    assert "Stratum “41” has a single response, so its variance cannot be estimated." in refused
    unknown = shown(researcher, "/groups", measure="plain:0", group="place", weights="place")
    assert "This choice is not in the list" in unknown


@pytest.mark.parametrize(
    ("question", "excepted"), [("place", ""), ("age", " except “Share of respondents”")]
)
def test_the_page_says_whom_special_answers_leave_out(
    researcher: Researcher, store: Store, question, excepted
):
    special = {"prefer_not_to_say": True}
    groups, numbers = (special, {}) if question == "place" else ({}, special)
    opened(store, definition(PLACES | groups, PLAIN_AGE | numbers))
    for number in range(60):
        store.responses.add_response("health", Response(number.to_bytes(16), (number % 3, 30)))
    page = shown(researcher, "/groups", measure="age:", group="place")
    assert "The 60 responses can include <a" in page
    assert f">special answers</a>. All results{excepted} describe respondents who gave no" in page
    assert "This p is exact, simulated or from permutations." in page


def test_it_begins_with_questions_and_nothing_computed(researcher: Researcher, store: Store):
    opened(store, definition(REGION, yes_no()))
    page = shown(researcher, "/groups")
    assert '<option selected value="region:0">share of “Town” · 1. Where do you live?<' in page
    assert '<option selected value="smokes">2. Do you smoke?</option>' in page
    assert "<tbody>" not in page
    assert 'aria-current="page">Analysis</a>' in page
    assert 'aria-current="page">Groups</a>' in page


@pytest.mark.parametrize("n", [0, 1, 4])
def test_few_responses_give_a_sentence(researcher: Researcher, store: Store, n):
    opened(store, definition(REGION, yes_no()))
    for number in range(n):
        store.responses.add_response("health", Response(number.to_bytes(16), (0, 0)))
    page = shown(researcher, "/groups", measure="smokes:0", group="region")
    said = "No responses are published yet." if n == 0 else f": {n} of {n}. An analysis needs"
    assert said in page.partition(REFUSED)[2].partition("</p>")[0]


def test_all_in_one_group_is_said(researcher: Researcher, store: Store):
    opened(store, definition(REGION, yes_no()))
    for number in range(5):
        store.responses.add_response("health", Response(number.to_bytes(16), (0, 0)))
    page = shown(researcher, "/groups", measure="smokes:0", group="region")
    assert "A single group cannot be compared." in page
    assert "Groups with an estimated size of zero: “Country”." in page


def test_one_question_is_too_few(researcher: Researcher, store: Store):
    opened(store, definition())
    assert "needs two questions other than" in shown(researcher, "/groups")


@pytest.mark.slow
def test_any_measure_in_any_groups_gives_figures_or_a_sentence(
    researcher: Researcher, store: Store
):
    every_type(store, 60)
    page = shown(researcher, "/groups")
    names = kinds(options(page, "group"))
    measures = {each.rpartition(":")[0]: each for each in options(page, "measure")}
    assert set(measures) >= set(names)
    for name in names:
        for group in names:
            found = shown(researcher, "/groups", measure=measures[name], group=group)
            assert ('id="groups"' in found) != (REFUSED in found), (name, group)
