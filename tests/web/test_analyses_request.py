"""A request fills in a form, with the survey's design file, and names different columns."""

import pytest
from flask import Flask
from werkzeug.datastructures import MultiDict

from survey.analysis.columns.column_request import OF_FILE
from survey.analysis.columns.design_file import read_design_file
from survey.core.errors import UnanswerableQuestion
from survey.store import Store
from survey.web.analyses.groups import GroupsForm
from survey.web.analyses.request import check_different, form_for
from tests.support.analysis_pages import REGION
from tests.support.definitions import definition, opened, yes_no

QUERY = MultiDict({"measure": "smokes:0", "group": "region", "weights": OF_FILE})


def test_the_form_offers_the_columns_of_the_file_that_the_survey_keeps_or_of_another(
    app: Flask, store: Store
) -> None:
    survey = opened(store, definition(REGION, yes_no())).survey
    other = read_design_file(b"region,weight\ntown,1\ncountry,3\n", survey)
    with app.app_context():
        assert not form_for(GroupsForm, survey, QUERY).validate()
        assert form_for(GroupsForm, survey, QUERY, other).validate()
        store.designs.keep_design("health", "region,weight\ntown,1\ncountry,3\n")
        assert form_for(GroupsForm, survey, QUERY).design.weights == OF_FILE
        assert form_for(GroupsForm, survey, QUERY).validate()


def test_one_question_twice_is_refused(app: Flask, store: Store) -> None:
    survey = opened(store, definition(REGION, yes_no())).survey
    check_different(survey, ["smokes", "region"])
    with pytest.raises(UnanswerableQuestion, match="is chosen twice"):
        check_different(survey, ["smokes", "region", "smokes"])
