"""The form of regressions: predictors that are ticked, and those that further terms name."""

import pytest
from flask import Flask
from werkzeug.datastructures import MultiDict

from survey.core.errors import UnanswerableQuestion
from survey.definition.responses.parse_response import Response
from survey.store import Store
from survey.web.analyses.regression import REGRESSION
from survey.web.analyses.result import analysis_citation, result_csv
from tests.support.analysis_pages import REGION
from tests.support.definitions import definition, opened, yes_no
from tests.support.every_type import asked

AGE = asked("age", "number", "none", min=0, max=9)
QUERY = {"outcome": "smokes", "predictors": "region"}


def test_a_term_adds_its_question_once(app: Flask, store: Store) -> None:
    opened(store, definition(REGION, yes_no(), AGE))
    with app.app_context():
        found = store.surveys.by_slug("health")
        form = REGRESSION.form_of_query(found, MultiDict(QUERY | {"further": "age*region"}))
        assert form.validate()
        assert form.wanted == ["smokes", "region", "age"]


def test_the_estimator_is_part_of_the_address_and_of_the_citation(app: Flask, store: Store) -> None:
    """Old addresses have none, and mean the automatic one."""
    opened(store, definition(REGION, yes_no()))
    for number in range(400):
        row = (number % 2, number * 7 % 11 % 2)
        store.responses.add_response("health", Response(number.to_bytes(16), row))
    with app.test_request_context():
        found = store.surveys.by_slug("health")
        for query, estimator in (
            ({}, "maximum likelihood. Candor chose it because"),
            ({"estimator": "maximum likelihood"}, "maximum likelihood. Software:"),
            ({"estimator": "penalised"}, "penalised. Software:"),
        ):
            result = REGRESSION.result(found, MultiDict(QUERY | query))
            assert f"Estimator: {estimator}" in analysis_citation(result, found, "Regression")
            assert f"\r\nestimator,{result.content['estimator']}," in result_csv(result)
        with pytest.raises(UnanswerableQuestion, match="Estimator: "):
            REGRESSION.result(found, MultiDict(QUERY | {"estimator": "firth"}))


@pytest.mark.parametrize(
    ("further", "message"),
    [
        ("C(weight)", "No question that can be a predictor has the name “weight”."),
        ("I(age^2", "is not a term"),
        ("x" * 501, "too long"),
    ],
)
def test_a_wrong_term_is_refused_with_its_reason(
    app: Flask, store: Store, further: str, message: str
) -> None:
    opened(store, definition(REGION, yes_no(), AGE))
    with app.app_context(), pytest.raises(UnanswerableQuestion, match=message):
        query = MultiDict(QUERY | {"further": further})
        REGRESSION.result(store.surveys.by_slug("health"), query)


def test_questions_without_shares_are_named_as_outcomes_alone(app: Flask, store: Store) -> None:
    one_bit = {"mechanism": "one_bit", "epsilon": 1}
    opened(store, definition(yes_no(), AGE, asked("hours", "number", one_bit, min=0, max=9)))
    with app.app_context():
        form = REGRESSION.form_of_query(store.surveys.by_slug("health"), MultiDict())
        assert "“3. What of hours?”" in form.predictors.description
