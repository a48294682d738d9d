"""The page of decision trees: its chart on the page and as a file, its rules, and its refusals."""

import html
import re
from xml.etree import ElementTree

import pytest

from survey.analysis import columns_by_name
from survey.analysis.trees.predictions import tree_accuracy
from survey.analysis.trees.tree_text import rules, tree_accuracy_sentences
from survey.analysis.trees.trees import build_decision_tree
from survey.charts.decision_tree import tree_chart
from survey.definition.responses.parse_response import Response
from survey.estimation.number_text import nonbreaking
from survey.store import Store
from tests.support.analysis_pages import REFUSED, REGION, every_type, kinds, options, shown
from tests.support.definitions import definition, opened, yes_no
from tests.support.every_type import asked
from tests.support.researchers import Researcher

AGE = asked("age", "number", "none", min=0, max=9)


def fill(store: Store, rows: list[tuple[int, ...]]) -> None:
    for number, row in enumerate(rows):
        store.responses.add_response("health", Response(number.to_bytes(16), row))


def test_the_page_has_the_tree_of_the_core_and_its_file(researcher: Researcher, store: Store):
    survey = opened(store, definition(REGION, yes_no(), AGE)).survey
    fill(store, [(n % 2, int(n % 20 < (14 if n % 2 else 6)), n % 3) for n in range(600)])
    asked_for = {"target": "smokes", "predictors": ["region", "age"]}
    page = shown(researcher, "/tree", **asked_for)
    columns = columns_by_name(survey, store.responses.rows("health"), ["smokes", "region", "age"])
    grown = build_decision_tree(columns["smokes"], [columns["region"], columns["age"]])
    assert grown.root.children
    for sentence in rules(grown):
        assert f"<li>{nonbreaking(sentence)}</li>" in page
    assert "Based on 600 responses with an answer or report for the outcome" in page
    drawn = page.partition("<svg")[2].partition("</svg>")[0]
    ElementTree.fromstring(f"<svg{drawn}</svg>")
    assert "<style" not in page  # the page's policy would block it
    [link] = [each for each in re.findall(r'href="([^"]+)"', page) if "tree.svg?" in each]
    link = link.replace("&amp;", "&")
    reply = researcher.client.get(link)
    assert reply.mimetype == "image/svg+xml"
    assert reply.headers["Content-Disposition"] == 'attachment; filename="health-tree.svg"'
    for shape in tree_chart(grown).shapes:
        assert str(shape.__html__()) in reply.text
    for sentence in rules(grown):
        assert sentence in html.unescape(reply.text)
    assert "downloaded a chart" in [act.action for act in store.audit.acts("health")]


def test_the_page_says_how_often_the_tree_is_right(researcher: Researcher, store: Store):
    """Rows of answers are there only if no question is private."""
    survey = opened(store, definition(REGION, yes_no(), AGE)).survey
    fill(store, [(int(n % 10 > 4), n % 2, n % 10) for n in range(600)])
    page = shown(researcher, "/tree", target="region", predictors="age")
    columns = columns_by_name(survey, store.responses.rows("health"), ["region", "age"])
    grown = build_decision_tree(columns["region"], [columns["age"]])
    assert grown.root.split.cut == 4
    for sentence in tree_accuracy_sentences(tree_accuracy(grown)):
        assert f"<li>{nonbreaking(sentence)}</li>" in page
    assert page.count(">correct</td>") == 20
    assert "at most 4" in page
    private = shown(researcher, "/tree", target="smokes", predictors="age")
    assert "Cross-validated accuracy:" in private
    assert "The first responses and their predictions" not in private


def test_texts_of_researchers_are_no_markup_in_the_picture(researcher: Researcher, store: Store):
    label = '<script>alert("1")</script> & more'
    opened(store, definition(yes_no(label=label, privacy="none"), REGION))
    fill(store, [(n % 2, n % 2) for n in range(50)])
    page = shown(researcher, "/tree", target="smokes", predictors="region")
    assert "<svg" in page
    assert "<script>alert" not in page
    assert "&lt;script&gt;alert" in page.partition("<svg")[2]


def test_weights_are_those_of_the_design(researcher: Researcher, store: Store):
    opened(store, definition(yes_no(privacy="none"), REGION, AGE))
    fill(store, [(n % 3 // 2, n % 2, 1 + n % 3) for n in range(90)])
    # Two responses give the first answer, with weights 1 and 2, and one the second, with 3.
    page = shown(researcher, "/tree", target="smokes", predictors="region", weights="age")
    assert "“Yes” 50.0 %" in page
    assert "“Yes” 66.7 %" in shown(researcher, "/tree", target="smokes", predictors="region")


def test_it_begins_with_nothing_computed_and_asks_for_a_question(
    researcher: Researcher, store: Store
):
    opened(store, definition(REGION, yes_no()))
    page = shown(researcher, "/tree")
    assert "<svg" not in page
    assert 'aria-current="page">Analysis</a>' in page
    assert "Tick at least one question." in shown(researcher, "/tree", target="smokes")
    both = shown(researcher, "/tree", target="smokes", predictors="smokes")
    said = "“2. Do you smoke?” is chosen twice. Choose different questions."
    assert REFUSED + said in both


@pytest.mark.parametrize("n", [0, 1, 4, 5])
def test_few_responses_give_a_sentence(researcher: Researcher, store: Store, n):
    opened(store, definition(REGION, yes_no()))
    fill(store, [(0, 0)] * n)
    page = shown(researcher, "/tree", target="smokes", predictors="region")
    if n == 5:
        assert "has no branch: no predictor has two answers whose shares in this branch" in page
    else:
        said = "No responses are published yet." if n == 0 else f": {n} of {n}. An analysis needs"
        assert said in page.partition(REFUSED)[2].partition("</p>")[0]


def test_a_picture_of_nothing_is_not_found(researcher: Researcher, store: Store):
    opened(store, definition(REGION, yes_no()))
    for query in ("", "?target=smokes", "?target=smokes&predictors=region"):  # no responses
        reply = researcher.client.get(f"/admin/surveys/health/analysis/tree.svg{query}")
        assert reply.status_code == 404


def test_one_question_is_too_few(researcher: Researcher, store: Store):
    opened(store, definition())
    assert "needs two questions other than" in shown(researcher, "/tree")


@pytest.mark.slow
@pytest.mark.parametrize("n", [5, 60])
def test_any_target_and_question_give_a_tree_or_a_sentence(researcher: Researcher, store: Store, n):
    every_type(store, n)
    names = kinds(options(shown(researcher, "/tree"), "target"))
    for target in names:
        for by in names:
            page = shown(researcher, "/tree", target=target, predictors=by)
            assert ("<svg" in page) != (REFUSED in page), (target, by)
