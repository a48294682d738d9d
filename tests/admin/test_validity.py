"""The page of validity checks: estimates, choices and refusals."""

import re

import numpy as np
import pytest

from survey.analysis import columns_by_name
from survey.analysis.columns.sample_means import complete_case_sample
from survey.analysis.validity.noncompliance import (
    AT_RANDOM,
    bounds_with_inputs,
    deviants,
    report_counts_and_table,
)
from survey.analysis.validity.validity import (
    contrast_with_direct,
    randomised_arm,
    said_by,
    use_control_question,
)
from survey.definition.responses.parse_response import Response
from survey.estimation.number_text import nonbreaking
from survey.store import Store
from tests.support.analysed import reported
from tests.support.analysis_pages import REFUSED, cells, every_type, options, shown
from tests.support.definitions import definition, opened, yes_no
from tests.support.every_type import asked
from tests.support.researchers import Researcher

ARM = yes_no("coin", "none", label="Was it heads?")
DIRECT = yes_no("direct", "none") | {"relevant": {"coin": "yes"}}
MIXED = yes_no("mixed") | {"relevant": {"coin": "no"}}
FORCED = {"mechanism": "table", "rows": [[9, 1], [2, 8]]}
AGE = asked("age", "number", "none", min=1, max=9)


def page_of(researcher: Researcher, slug: str = "health", **query: object) -> str:
    return shown(researcher, "/validity", slug, **query)


def fill(store: Store, slug: str, rows, origin: str = "browser") -> None:
    responses = [Response(number.to_bytes(16), tuple(row)) for number, row in enumerate(rows)]
    if origin == "browser":
        for response in responses:
            store.responses.add_response(slug, response)
    else:
        store.responses.add_batches(slug, iter([responses]), origin)


def two_questions(store: Store, n: int = 200):
    survey = opened(store, definition(yes_no(), yes_no("moon", label="On the Moon?"), AGE)).survey
    rows = [(int(k % 5 > 1), int(k % 3 > 0), k % 9) for k in range(n)]
    fill(store, "health", rows)
    names = ("smokes", "moon", "age")
    return [columns_by_name(survey, store.responses.rows("health"), names)[name] for name in names]


def test_bounds_and_picture_are_those_of_the_core(researcher: Researcher, store: Store):
    smokes = two_questions(store)[0]
    page = page_of(researcher, asked="smokes:1", denied="20", false="5", random="10")
    said = said_by(smokes, complete_case_sample([smokes]), 1)
    found = bounds_with_inputs(said, 0.2, 0.05, 0.1)
    assert nonbreaking(found.sentence("No", "Do you smoke?")) in page
    assert "Based on 200 responses." in page
    assert "n = 200" in page.partition("<figcaption")[2]
    area = page.partition("<polygon")[2].partition("points=")[2].partition('"/>')[0]
    corners = re.findall(r"([\d.]+),([\d.]+)", area)
    assert len(corners) == 2 * 51
    assert {float(x) for x, _ in corners} == {60.0 + round(288 * n / 50, 1) for n in range(51)}
    assert "because the browser applies the randomizer" in page
    assert "The results page shows how much fake responses could have changed" in page


def test_a_control_question_is_that_of_the_core(researcher: Researcher, store: Store):
    smokes, moon, _ = two_questions(store)
    query = {"asked": "smokes:0", "control": "moon:1", "known": "95"}
    page = page_of(researcher, **query)
    found = use_control_question(smokes, moon, 0.95, 0, 1)
    assert nonbreaking(found.sentence) in page
    figures = (found.control, found.random, found.uncorrected, found.corrected)
    told = [part for each in figures
            for part in (each.value, each.low, each.high, each.standard_error)]  # fmt: skip
    assert cells(page, "control-figures") == pytest.approx(told, abs=1e-12)
    assert "Based on 200 responses with an answer or report for both" in page
    weighted = page_of(researcher, weights="age", **query)
    assert "Weighted by “What of age?”." in weighted
    assert cells(weighted, "control-figures") != pytest.approx(told, abs=1e-6)
    half = page_of(researcher, **query | {"known": "50"})
    assert "because random answers give the same share" in half
    assert "If all answers are true" in half  # a refusal of another check keeps the bounds


def test_what_is_typed_wrongly_is_said_beside_its_field(researcher: Researcher, store: Store):
    two_questions(store, 6)
    for query, said in (
        ({"control": "moon:0"}, "Type the known share, from 0 to 100."),
        ({"control": "moon:0", "known": "x"}, "Type a number from 0 to 100."),
        ({"known": "5"}, "Choose the question that has this share."),
        (
            {"denied": "60", "false": "40"},
            "The sum of this percentage and the percentage who denied it must be below 100.",
        ),
        ({"denied": "NaN"}, "Type a number from 0 to 90."),
        ({"random": "inf"}, "Type a number from 0 to 90."),
        ({"direct": "moon:0"}, "This choice is not in the list"),
        ({"asked": "age:"}, "This choice is not in the list"),
    ):
        address = researcher.client.get(
            "/admin/surveys/health/analysis/validity", query_string={"asked": "smokes:0", **query}
        )
        page = address.get_data(as_text=True)
        assert said in page, query
        assert 'id="finding"' not in page
    twice = page_of(researcher, asked="smokes:0", control="smokes:1", known="3")
    assert REFUSED + "“1. Do you smoke?” is chosen twice." in twice


@pytest.mark.slow
def test_a_direct_arm_is_that_of_the_core(researcher: Researcher, store: Store):
    survey = opened(store, definition(ARM, DIRECT, MIXED, yes_no(label="And now?"))).survey
    generator = np.random.default_rng(3)
    coin, says = generator.integers(0, 2, (2, 300))
    mixed = reported(generator, survey.questions[2].table, np.where(coin == 0, 2, says))
    direct = np.where(coin == 0, says, 2)
    fill(store, "health", zip(coin.tolist(), direct.tolist(), mixed.tolist(), says.tolist(),
                              strict=True))  # fmt: skip
    page = page_of(researcher, asked="mixed:0", direct="direct:0")
    names = ("mixed", "direct")
    columns = [
        columns_by_name(survey, store.responses.rows("health"), names)[name] for name in names
    ]
    found = contrast_with_direct(randomised_arm(*columns), columns[1])
    assert nonbreaking(found.sentence) in page
    assert cells(page, "contrast-figures")[0::4] == pytest.approx(
        [found.randomised.value, found.direct.value, found.difference.value], abs=1e-12
    )
    assert "All results describe respondents who gave no " in page
    assert "direct+mixed:0" not in options(page, "asked")
    together = shown(researcher, "/correlation", questions=["direct+mixed:0", "smokes:0"])
    assert ('id="pairs"' in together) != (REFUSED in together)
    # A question that everyone answered is not a separate arm.
    refused = page_of(researcher, asked="smokes:0", direct="direct:0")
    assert "People who answered “And now?” and were also asked “" in refused
    assert "is a non-private question" in page_of(researcher, asked="coin:0", direct="direct:0")


def test_another_table_tells_who_does_not_do_as_asked(researcher: Researcher, store: Store):
    survey = opened(store, definition(yes_no()), "closed").survey
    other = opened(store, definition(yes_no(privacy=FORCED), slug="other"), "closed").survey
    opened(store, definition(yes_no("x", FORCED, "Something else?"), slug="far"), "closed")
    fill(store, "health", [(int(k % 5 > 1),) for k in range(200)], "loaded")
    fill(store, "other", [(int(k % 4 > 0),) for k in range(300)], "loaded")
    fill(store, "far", [(int(k % 4 > 0),) for k in range(300)], "loaded")
    assert options(page_of(researcher), "split") == ["other:smokes"]
    columns = [columns_by_name(each, store.responses.rows(each.slug), ["smokes"])["smokes"]
               for each in (survey, other)]  # fmt: skip
    for says, chance in (("denied", 0.0), ("random", AT_RANDOM)):
        page = page_of(researcher, asked="smokes:0", split="other:smokes", says=says)
        found = deviants(*map(report_counts_and_table, columns), chance)
        assert nonbreaking(found.sentence) in page
        assert "This survey has 200 responses, and the other survey has 300" in page
        told = (found.honest_yes, found.honest_no, found.deviating)
        assert cells(page, "deviants-figures")[0::4] == pytest.approx(
            [each.value for each in told], abs=1e-12
        )


def test_what_the_design_does_not_allow_is_said_instead_of_offered(
    researcher: Researcher, store: Store
):
    opened(store, definition())
    page = page_of(researcher)
    for said in (
        "This survey has no second question whose shares Candor estimates.",
        "This survey has no such pair.",
        "This check is not available here",
    ):
        assert said in page
    for field in ("control", "direct", "split"):
        assert f'name="{field}"' not in page
    opened(store, definition(slug="loaded"), "closed")
    fill(store, "loaded", [(0,)] * 9, "loaded")
    assert "You have no such survey." in page_of(researcher, "loaded")
    numbers = definition(AGE, AGE | {"name": "other"}, slug="numbers")
    opened(store, numbers)
    assert "needs a question with shares" in page_of(researcher, "numbers")


@pytest.mark.parametrize("n", [0, 1, 4, 5])
def test_few_responses_give_a_sentence(researcher: Researcher, store: Store, n):
    opened(store, definition(yes_no(), yes_no("moon")))
    fill(store, "health", [(0, 0)] * n)
    page = page_of(researcher, asked="smokes:0", control="moon:0", known="0")
    if n == 5:
        assert "If all answers are true, the true share is between" in page
        assert "answered at random" in page
    else:
        said = "No responses are published yet." if n == 0 else f": {n} of {n}. An analysis needs"
        assert said in page.partition(REFUSED)[2].partition("</p>")[0]


@pytest.mark.slow
def test_any_share_and_control_give_figures_or_a_sentence(researcher: Researcher, store: Store):
    every_type(store, 60)
    page = page_of(researcher)
    shares = {each.rpartition(":")[0].partition("/")[0]: each for each in options(page, "asked")}
    directs = options(page, "direct")
    assert {"smokes", "tried", "pets", "mood", "region", "news"} <= set(shares)
    assert all(each.startswith("region:") for each in directs)
    for name, share in shares.items():
        for control in shares.values():
            if control != share:
                page = page_of(researcher, asked=share, control=control, known="3",
                               direct=directs[0] if name != "region" else "")  # fmt: skip
                assert ('id="finding"' in page) != (REFUSED in page), (share, control)
