"""The page of correlations: its coefficients, a matrix, and refusals."""

import json
from itertools import combinations

import pytest

from survey.analysis import columns_by_name
from survey.analysis.tables.correlation import pearson_correlation
from survey.analysis.tables.correlation_matrix import correlations
from survey.definition.responses.parse_response import Response
from survey.store import Store
from tests.support.analysis_pages import REFUSED, REGION, cells, every_type, options, shown
from tests.support.definitions import definition, opened, yes_no
from tests.support.every_type import asked, letters
from tests.support.researchers import Researcher

AGE = asked("age", "number", "none", min=0, max=100)
PLACES = asked("place", "select_one", "none", choices=letters("nes"))


def fill(store: Store, rows: list[tuple[int, ...]]) -> None:
    for number, row in enumerate(rows):
        store.responses.add_response("health", Response(number.to_bytes(16), row))


# --- the page
def test_two_questions_have_the_coefficient_of_the_core(researcher: Researcher, store: Store):
    survey = opened(store, definition(REGION, yes_no(), AGE)).survey
    fill(store, [(n % 2, (n % 2 + n % 3 // 2) % 2, 20 + n % 7) for n in range(60)])
    columns = columns_by_name(survey, store.responses.rows("health"), ["smokes", "age"])
    found = pearson_correlation(*columns.values())
    page = shown(researcher, "/correlation", questions=["smokes:0", "age:"])
    figure = found.figure
    assert cells(page, "pairs") == pytest.approx(
        [figure.value, figure.low, figure.high, figure.standard_error, found.p], abs=1e-12
    )
    assert 'id="matrix"' not in page
    assert ">60<" in page
    assert 'aria-current="page">Correlation</a>' in page


def test_more_questions_have_a_matrix_and_every_pair(researcher: Researcher, store: Store):
    survey = opened(store, definition(PLACES, yes_no(), AGE)).survey
    fill(store, [(n % 3, (n % 2 + n % 5 // 4) % 2, 20 + n % 7) for n in range(90)])
    chosen = ["place:2", "smokes:0", "age:"]
    rows = store.responses.rows("health")
    columns = list(columns_by_name(survey, rows, ["place", "smokes", "age"]).values())
    found = correlations(columns, None, [2, 0, None])
    page = shown(researcher, "/correlation", questions=chosen)
    told = [(pair.found.figure, pair) for pair in found.pairs]
    matrix = [found.of(*places).found.figure for places in ((1, 0), (2, 0), (2, 1))]
    assert cells(page, "matrix") == pytest.approx(
        [part for each in matrix for part in (each.value, each.low, each.high)], abs=1e-12
    )
    assert cells(page, "pairs") == pytest.approx(
        [
            part
            for each, pair in told
            for part in (each.value, each.low, each.high, each.standard_error, pair.found.p,
                         pair.adjusted)
        ],
        abs=1e-12,
    )  # fmt: skip
    assert "1. What of place? “S”" in page
    weighted = shown(researcher, "/correlation", questions=chosen, weights="age")
    assert "Weighted by “What of age?”." in weighted
    assert cells(weighted, "matrix") != cells(page, "matrix")


def test_a_pair_that_cannot_be_correlated_says_why_in_its_place(
    researcher: Researcher, store: Store
):
    opened(store, definition(REGION, yes_no(), AGE))
    fill(store, [(0, n % 2, 20 + n % 7) for n in range(60)])
    page = shown(researcher, "/correlation", questions=["region:0", "smokes:0", "age:"])
    assert page.count("The variance of “Where do you live?” is estimated at zero or less") == 2
    twice = shown(researcher, "/correlation", questions=["region:0", "smokes:0", "smokes:0"])
    assert "is chosen twice" in twice


@pytest.mark.parametrize("n", [0, 1, 4])
def test_few_responses_give_a_sentence(researcher: Researcher, store: Store, n):
    opened(store, definition(REGION, yes_no(), AGE))
    fill(store, [(0, 0, 30)] * n)
    for chosen in (["smokes:0", "region:0"], ["smokes:0", "region:0", "age:"]):
        page = shown(researcher, "/correlation", questions=chosen)
        said = "No responses are published yet." if n == 0 else f": {n} of {n}. An analysis needs"
        assert said in page.partition(REFUSED)[2].partition("</p>")[0]


def test_it_begins_with_nothing_computed_and_asks_for_two(researcher: Researcher, store: Store):
    opened(store, definition(REGION, yes_no()))
    page = shown(researcher, "/correlation")
    assert "<tbody>" not in page
    assert 'value="region:0"' in page
    assert "Tick at least two questions." in shown(researcher, "/correlation", questions="region:0")
    opened(store, definition(slug="one"))
    assert "needs two questions other than" in shown(researcher, "/correlation", slug="one")


@pytest.mark.slow
def test_any_two_questions_give_figures_or_a_sentence(researcher: Researcher, store: Store):
    every_type(store, 60)
    chosen = options(shown(researcher, "/correlation").replace("</fieldset>", "</select>"),
                     "questions")  # fmt: skip
    names = {each.rpartition(":")[0].partition("/")[0]: each for each in chosen}
    assert {"smokes", "tried", "weight", "years", "sleep"} <= set(names)
    together = shown(researcher, "/correlation", questions=list(names.values())[:12])
    assert 'id="matrix"' in together
    for both in combinations(names.values(), 2):
        page = shown(researcher, "/correlation", questions=both)
        assert ('id="pairs"' in page) != (REFUSED in page), both


def test_the_command_tells_p(app, store):
    opened(store, definition(REGION, yes_no()))
    fill(store, [(n % 2, (n % 2 + n % 3 // 2) % 2) for n in range(60)])
    run = app.test_cli_runner().invoke
    questions = ("--questions=region:town", "--questions=smokes:yes")
    both = ["analyse", "correlation", "health", *questions]
    [pair] = json.loads(run(args=[*both, "--json"]).output)["pairs"]
    survey, rows = store.surveys.by_slug("health").survey, store.responses.rows("health")
    columns = columns_by_name(survey, rows, ["region", "smokes"])
    assert pair["correlation"]["p"] == pytest.approx(pearson_correlation(*columns.values()).p)
    printed = run(args=both).output
    assert f"{pair['correlation']['p']:.3f}" in printed
