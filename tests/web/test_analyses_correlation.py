"""The form of correlations needs two questions, of which each has one quantity or several."""

import pytest
from flask import Flask
from werkzeug.datastructures import MultiDict

from survey.core.errors import UnanswerableQuestion
from survey.store import Store
from survey.web.analyses.correlation import CORRELATION
from tests.support.analysis_pages import REGION
from tests.support.definitions import definition, opened, yes_no
from tests.support.every_type import asked, letters


def test_a_choice_of_two_answers_is_one_quantity_and_of_three_is_three(
    app: Flask, store: Store
) -> None:
    party = asked("party", "select_one", "none", choices=letters("abc"))
    opened(store, definition(REGION, yes_no(), party))
    with app.app_context():
        form = CORRELATION.form_of_query(store.surveys.by_slug("health"), MultiDict())
        offered = [each.value for each in form.questions.choices]
    assert offered == ["region:0", "smokes:0", "party:0", "party:1", "party:2"]


def test_one_question_has_no_correlation(app: Flask, store: Store) -> None:
    opened(store, definition(REGION, yes_no()))
    found = store.surveys.by_slug("health")
    with app.app_context():
        form = CORRELATION.form_of_query(found, MultiDict({"questions": "smokes:0"}))
        assert not form.validate()
        with pytest.raises(UnanswerableQuestion, match="Tick at least two questions"):
            CORRELATION.result(found, MultiDict({"questions": "smokes:0"}))
