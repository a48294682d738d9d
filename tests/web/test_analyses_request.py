"""A request names columns of the published responses, with the survey's design file."""

import pytest
from flask import Flask
from werkzeug.datastructures import MultiDict

from survey.analysis.columns.column_request import OF_FILE
from survey.core.errors import StateError, UnanswerableQuestion
from survey.definition.responses.parse_response import Response
from survey.definition.survey import parse_survey
from survey.store import Store
from survey.web.analyses.forms import GroupsForm
from survey.web.analyses.request import columns_for, form_for
from tests.support.analysis_pages import REGION
from tests.support.definitions import definition, opened, yes_no

QUERY = {"measure": "smokes:0", "group": "region", "against": "pairs"}


def test_the_columns_are_those_of_the_query_with_the_weights_of_the_file(
    app: Flask, store: Store
) -> None:
    opened(store, definition(REGION, yes_no()))
    for number in range(10):
        store.responses.add_response("health", Response(bytes([number]) * 16, (number % 2, 0)))
    store.designs.keep_design("health", "region,weight\ntown,1\ncountry,3\n")
    found = store.surveys.by_slug("health")
    with app.app_context():
        form = form_for(found, GroupsForm, MultiDict(QUERY | {"weights": OF_FILE}))
        assert form is not None
        assert form.validate()
        (outcome, group), design = columns_for(found, form)
    assert (outcome.name, group.name) == ("smokes", "region")
    assert [group.answers[code] for code in group.reports] == [
        "Town" if weight == 1 else "Country" for weight in design.weights
    ]


def test_one_question_twice_and_a_draft_are_refused(app: Flask, store: Store) -> None:
    opened(store, definition(REGION, yes_no()))
    found = store.surveys.by_slug("health")
    with app.app_context():
        form = form_for(found, GroupsForm, MultiDict(QUERY | {"group": "smokes"}))
        assert form is not None
        with pytest.raises(UnanswerableQuestion, match="is chosen twice"):
            columns_for(found, form)
        store.surveys.save_draft(parse_survey(definition(slug="draft")))
        with pytest.raises(StateError, match="is a draft"):
            form_for(store.surveys.by_slug("draft"), GroupsForm, MultiDict())
