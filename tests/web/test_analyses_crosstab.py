"""The form of a cross-tabulation proposes two different questions."""

from flask import Flask
from werkzeug.datastructures import MultiDict

from survey.store import Store
from survey.web.analyses.crosstab import CROSSTAB
from tests.support.analysis_pages import REGION
from tests.support.definitions import definition, opened, yes_no
from tests.support.every_type import asked


def test_rows_and_columns_are_different_at_first(app: Flask, store: Store) -> None:
    opened(store, definition(REGION, yes_no()))
    with app.app_context():
        form = CROSSTAB.form_of_query(store.surveys.by_slug("health"), MultiDict())
        assert (form.rows.data, form.columns.data) == ("region", "smokes")
        assert not form.layers.data
        assert form.of.data == "row"


def test_boxes_of_one_question_are_not_proposed_together(app: Flask, store: Store) -> None:
    boxes = asked("drugs", "select_multiple", "none", choices=REGION["choices"])
    opened(store, definition(boxes, yes_no()))
    with app.app_context():
        form = CROSSTAB.form_of_query(store.surveys.by_slug("health"), MultiDict())
        assert (form.rows.data, form.columns.data) == ("drugs/town", "smokes")
        assert form.wanted == ["drugs/town", "smokes"]
