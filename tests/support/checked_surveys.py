"""Surveys for the checklist, for several test modules."""

from survey.definition.survey import parse_survey
from survey.planning.checklist import checks
from tests.support.definitions import definition

REACHABLE = {"asked_by": "A university", "contact": "02 123", "support": "A hotline", "batch": 25}


def survey_of(*questions, **rest):
    return parse_survey(definition(*questions, **(REACHABLE | rest)))


def found(survey, name, expected=1_000, earlier=()):
    return next(check for check in checks(survey, expected, earlier) if check.name == name)
