"""A decision tree from its form: the sentence, the rows and the chart are of the same tree."""

import pytest
from flask import Flask
from werkzeug.datastructures import MultiDict

from survey.core.errors import UnanswerableQuestion
from survey.definition.responses.parse_response import Response
from survey.store import Store
from survey.web.analyses.tree import TREE
from tests.support.analysis_pages import REGION
from tests.support.definitions import definition, opened, yes_no


def test_the_rows_are_those_of_the_leaves_that_the_chart_draws(app: Flask, store: Store) -> None:
    opened(store, definition(REGION, yes_no(privacy="none")))
    rows = [Response(n.to_bytes(16), (n % 2, int(n % 10 < 5 + 3 * (n % 2)))) for n in range(200)]
    assert all(store.responses.add_all([("health", each) for each in rows]))
    query = MultiDict({"target": "smokes", "predictors": "region"})
    with app.app_context():
        result = TREE.result(store.surveys.by_slug("health"), query)
    leaves = [row.about[0] for row in result.rows if row.figure == "share of respondents"]
    assert len(leaves) == 2
    assert "Where do you live?" in result.sentence
    assert "Where do you live?" in result.charts[0].svg().__html__()
    [tested] = [row for row in result.rows if row.figure == "test of a split"]
    assert tested.adjusted_p < 0.05


def test_a_tree_needs_a_question_to_split_by(app: Flask, store: Store) -> None:
    opened(store, definition(REGION, yes_no()))
    with app.app_context(), pytest.raises(UnanswerableQuestion, match="Tick at least one"):
        TREE.result(store.surveys.by_slug("health"), MultiDict({"target": "smokes"}))
