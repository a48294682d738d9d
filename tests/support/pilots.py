"""Simulations of surveys, for several test modules."""

from survey.definition.survey import parse_survey
from survey.formats.csv_import import read_truth
from tests.support.definitions import definition, yes_no
from tests.support.derived_survey import derived, unsent
from tests.support.every_type import EVERY_TYPE, TRUTH

SURVEY = parse_survey(EVERY_TYPE)
SHARES = read_truth(TRUTH, SURVEY)
ARMS = [{"name": name, "label": f"Version {name}"} for name in "ab"]
SCORED = definition(
    derived("arm", {"random": {"a": 1, "b": 3}}, "select_one", choices=ARMS, privacy="none"),
    unsent("sad", relevant={"arm": ["b"]}),
    unsent("tired"),
    derived("high", {"count": {"sad": ["often"], "tired": ["often"]}, "at_least": 1},
            privacy={"epsilon": 1}),
    derived("days", {"sum": {"sad": {"never": 0, "some": 1, "often": 2}, "tired": {"never": 0,
            "some": 1, "often": 2}}}, "number", min=0, max=4),
    yes_no("help", {"epsilon": 1}, "Did you get help?") | {"relevant": {"high": ["yes"]}},
    yes_no("first", "none", "Is this version a?") | {"relevant": {"arm": ["a"]}},
)  # fmt: skip
