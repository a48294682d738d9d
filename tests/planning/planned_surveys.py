"""Surveys that are planned, for several test modules."""

from survey.definition.survey import parse_survey
from survey.planning.sample_size import PlanParameters, comparison
from tests.support.definitions import definition, yes_no


def forced(null, truth):
    p = {"mechanism": "forced_response", "p_truth": "2/3", "p_yes": "1/6", "p_no": "1/6"}
    survey = parse_survey(definition(yes_no(privacy=p)))
    return comparison(survey.questions[0], survey, PlanParameters(null=null, truth=truth))
