"""The page of cross-tabulations with many, few and no responses."""

import re

import pytest

from survey.definition.responses.parse_response import Response
from survey.store import Store
from tests.support.analysis_pages import REFUSED, REGION, every_type, options, shown
from tests.support.definitions import definition, opened, yes_no
from tests.support.every_type import asked, letters
from tests.support.researchers import Researcher


def table(researcher: Researcher, slug: str = "health", **query: str) -> str:
    return shown(researcher, slug=slug, **{"of": "row"} | query)


def figures(page: str) -> list[float]:
    cells = page.partition("<tbody>")[2].partition("</tbody>")[0]
    return [float(value) for value in re.findall(r'<data value="([^"]+)"', cells)[::3]]


def test_a_cross_tabulation_is_the_one_of_the_scores(researcher: Researcher, store: Store):
    opened(store, definition(REGION, yes_no()))
    # 25 of 40 in town and 8 of 20 in the country report yes; the estimate is 2P - 1/2.
    reports = [(0, 0)] * 25 + [(0, 1)] * 15 + [(1, 0)] * 8 + [(1, 1)] * 12
    for number, both in enumerate(reports):
        store.responses.add_response("health", Response(number.to_bytes(16), both))
    page = table(researcher, rows="region", columns="smokes")
    expected = [2 * 25 / 40 - 0.5, 1.5 - 2 * 25 / 40, 2 * 8 / 20 - 0.5, 1.5 - 2 * 8 / 20]
    assert figures(page) == pytest.approx(expected, abs=1e-8)
    assert "Based on 60 responses with an answer or report for both questions." in page
    assert "Odds ratio" in page
    everyone = table(researcher, rows="region", columns="smokes", of="all")
    shares = [40 / 60 * expected[0], 40 / 60 * expected[1], expected[2] / 3, expected[3] / 3]
    assert figures(everyone) == pytest.approx(shares, abs=1e-8)
    layered = table(researcher, rows="region", columns="smokes", layers="region")
    assert "“1. Where do you live?” is chosen twice. Choose different questions." in layered


@pytest.mark.parametrize(
    "town, country, text",
    [((24, 6), (7, 13), r"∞ \([\d.]+ to ∞\)"), ((3, 3), (3, 3), r"not known \(0 to ∞\)")],
)
def test_an_odds_ratio_can_be_infinite_or_not_known(
    researcher: Researcher, store: Store, town: tuple[int, int], country: tuple[int, int], text: str
):
    """By the estimate 2P - 1/2, more than all in town say yes."""
    page = page_of_ratio(researcher, store, town, country)
    assert re.search(rf"Odds ratio\s*{text}", page)
    assert ("“Not known” means that any value is possible." in page) == ("not known" in page)


def test_an_odds_ratio_is_missing_if_two_cells_in_a_column_are_estimated_below_zero(
    researcher: Researcher, store: Store
):
    page = page_of_ratio(researcher, store, (2, 28), (1, 19))
    assert "Odds ratio" not in page
    assert "Too many of the four cells are estimated at zero or less" in page


def page_of_ratio(
    researcher: Researcher, store: Store, town: tuple[int, int], country: tuple[int, int]
) -> str:
    """The text of the page for these numbers of reports yes and no."""
    opened(store, definition(REGION, yes_no()))
    counts = {(0, 0): town[0], (0, 1): town[1], (1, 0): country[0], (1, 1): country[1]}
    reports = [both for both, count in counts.items() for _ in range(count)]
    for number, both in enumerate(reports):
        store.responses.add_response("health", Response(number.to_bytes(16), both))
    return re.sub(r"<[^>]+>", "", table(researcher, rows="region", columns="smokes"))


def test_weights_count_in_a_cross_tabulation(researcher: Researcher, store: Store):
    number = {"name": "stands_for", "type": "number", "label": "?", "min": 1, "max": 9}
    opened(store, definition(REGION, yes_no(privacy="none"), number | {"privacy": "none"}))
    # In town one of two says yes with weight 3, the other no with weight 1; the country says no.
    for number, row in enumerate([(0, 0, 3), (0, 1, 1), (1, 1, 2)] * 4):
        store.responses.add_response(
            "health", Response(number.to_bytes(16), (*row[:2], row[2] - 1))
        )
    page = table(researcher, rows="region", columns="smokes", weights="stands_for")
    assert figures(page) == pytest.approx([0.75, 0.25, 0, 1], abs=1e-12)
    assert "Weighted by “?”." in page


def test_it_begins_with_the_first_two_questions_and_nothing_computed(
    researcher: Researcher, store: Store
):
    opened(store, definition(REGION, yes_no()))
    page = researcher.client.get("/admin/surveys/health/analysis").get_data(as_text=True)
    assert '<option selected value="region">1. Where do you live?</option>' in page
    assert '<option selected value="smokes">2. Do you smoke?</option>' in page
    assert "<tbody>" not in page


@pytest.mark.parametrize("n", [0, 1, 4])
def test_few_responses_give_a_sentence(researcher: Researcher, store: Store, n):
    opened(store, definition(REGION, yes_no()))
    for number in range(n):
        store.responses.add_response("health", Response(number.to_bytes(16), (0, 0)))
    page = table(researcher, rows="region", columns="smokes")
    none = "No responses are published yet. Estimates appear when Candor has received 5 responses."
    assert (none if n == 0 else f": {n} of {n}. An analysis needs") in page


def test_where_all_wait_the_page_says_so(researcher: Researcher, store: Store):
    opened(store, definition(REGION, yes_no(), batch=25))
    for number in range(4):
        store.responses.add_response("health", Response(number.to_bytes(16), (0, 0)))
    page = table(researcher, rows="region", columns="smokes")
    assert "yet. 4 responses received. 0 responses are published, and 4 are waiting." in page


def test_all_the_same_gives_a_sentence(researcher: Researcher, store: Store):
    opened(store, definition(REGION, yes_no()))
    for number in range(5):
        store.responses.add_response("health", Response(number.to_bytes(16), (0, 0)))
    page = table(researcher, rows="region", columns="smokes")
    assert "No test is possible here." in page
    assert "No test is possible: the answers to one question do not vary" in page


def test_a_survey_of_one_question_and_a_draft_say_so(researcher: Researcher, store: Store):
    opened(store, definition())
    page = researcher.client.get("/admin/surveys/health/analysis").get_data(as_text=True)
    assert "needs two questions other than" in page
    reply = researcher.client.get("/admin/surveys/nothing/analysis")
    assert reply.status_code == 404


def test_a_non_private_number_that_is_the_same_for_all_gives_a_table(
    researcher: Researcher, store: Store
):
    number = {"name": "years", "type": "number", "label": "?", "min": 1, "max": 9}
    opened(store, definition(yes_no(), number | {"privacy": "none"}))
    for place in range(20):
        store.responses.add_response("health", Response(place.to_bytes(16), (place % 2, 4)))
    page = table(researcher, rows="smokes", columns="years")
    assert "<tbody>" in page
    assert "No test is possible: the answers to one question do not vary" in page


def test_where_nobody_is_estimated_but_for_rounding_that_is_said(
    researcher: Researcher, store: Store
):
    every_type(store, 5)
    # The shares of all cells add up to 10^-16, so no ratio to this sum is possible.
    page = table(researcher, rows="mood", columns="glasses", layers="smokes", of="all")
    assert REFUSED + "According to the estimates, nobody answered all these questions" in page


@pytest.mark.slow
def test_any_two_or_three_questions_give_a_table_or_a_sentence(
    researcher: Researcher, store: Store
):
    every_type(store, 60)
    page = researcher.client.get("/admin/surveys/health/analysis").get_data(as_text=True)
    names = options(page, "columns")
    assert len(names) > 10
    for place, name in enumerate(names):
        other, third = names[place - 1], names[place - 2]
        for layers in ("", third):
            page = table(researcher, rows=name, columns=other, layers=layers)
            assert ("<tbody>" in page) != (REFUSED in page)


def test_two_boxes_that_nobody_reports_together_get_the_reason(
    researcher: Researcher, store: Store
):
    privacy = {"mechanism": "sampled_boxes", "epsilon": 1, "sample": 1}
    boxes = asked("news", "select_multiple", privacy, choices=letters("abcde"))
    opened(store, definition(boxes, yes_no(), batch=1))
    for number in range(10):
        report = "-" * (number % 5) + str(number % 2) + "-" * (4 - number % 5)
        store.responses.add_response("health", Response(number.to_bytes(16), (report, 0)))
    page = table(researcher, rows="news/a", columns="news/b")
    assert "Each respondent reports on 1 of the 5 boxes of “" in page
    assert "these cannot be analysed together." in page


@pytest.mark.parametrize(("yes", "above"), [(20, True), (12, False)])
def test_a_percentage_above_a_hundred_is_explained(
    researcher: Researcher, store: Store, yes: int, above: bool
):
    """If all 20 people in town report Yes, the estimate is 2 - 1/2, or 150 %."""
    opened(store, definition(REGION, yes_no()))
    reports = [(0, 0)] * yes + [(0, 1)] * (20 - yes) + [(1, 0), (1, 1)] * 10
    for number, both in enumerate(reports):
        store.responses.add_response("health", Response(number.to_bytes(16), both))
    page = shown(researcher, rows="region", columns="smokes", of="row")
    assert ("Some estimated percentages are above 100\u00a0%." in page) == above
    assert (max(figures(page)) > 1) == above
