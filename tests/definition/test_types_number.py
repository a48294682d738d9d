"""Numbers: values of a grid, and bounds as conditions."""

from fractions import Fraction

import pytest

from survey.core.errors import DefinitionError
from survey.definition.survey import parse_survey
from survey.definition.types import QUESTION_TYPES
from tests.support.definitions import definition, yes_no
from tests.support.question_entries import WEIGHT, changed

pytestmark = pytest.mark.fast


def test_spread_reports_go_beyond_the_range():
    (weight,) = parse_survey(definition(WEIGHT)).questions
    beyond = (len(weight.reports) - weight.levels.size) // 2
    assert beyond > 0
    assert weight.reports[beyond].name == "30"
    assert weight.mechanism == "window"


def test_a_non_private_one_is_its_place_on_the_grid():
    (weight,) = parse_survey(definition(changed(WEIGHT, privacy="none"))).questions
    assert weight.form.names[3] == "31.5"
    declining = changed(WEIGHT, privacy="none", prefer_not_to_say=True)
    (weight,) = parse_survey(definition(declining)).questions
    assert weight.form.names[241] == "prefer_not_to_say"


def test_conditions_are_bounds():
    kind = QUESTION_TYPES["number"]
    assert kind.parse_condition({"max": "80", "min": 50.5}, (), "x") == {"max": 80, "min": 50.5}
    for wrong in ("80", {}, {"most": 1}, {"min": "many"}):
        with pytest.raises(DefinitionError) as caught:
            kind.parse_condition(wrong, (), "x")
        assert caught.value.reason == "bounds"


def test_those_who_are_not_asked_have_a_value():
    with pytest.raises(DefinitionError, match="a possible answer"):
        parse_survey(
            definition(yes_no(), changed(WEIGHT, relevant={"smokes": "no"}, otherwise=60.2))
        )
    with pytest.raises(DefinitionError, match="min, max and step"):
        parse_survey(definition(changed(WEIGHT, min=200)))


def test_two_ranges_hold_together_where_they_overlap():
    kind = QUESTION_TYPES["number"]
    assert kind.both_conditions({"min": 18}, {"max": 65}) == {"min": 18, "max": 65}
    assert kind.both_conditions({"min": 18, "max": 40}, {"min": 40}) == {"min": 40, "max": 40}
    assert kind.both_conditions({"min": 18}, {"max": 17}) is None


def test_ranges_cover_a_grid_only_without_gaps():
    """By enumeration: each value from 30 to 150 in steps of 0.5 is in a range, or one is not."""
    (weight,) = parse_survey(definition(changed(WEIGHT, privacy="none"))).questions
    for low, high in ((60, 60.5), (60, 61), (60.5, 60), (30.5, 150)):
        ranges = [{"max": low}, {"min": high}]
        every = all(value <= low or value >= high for value in map(float, weight.grid))
        assert weight.kind.are_all_covered(weight, ranges, None) == every
        inside = {"min": high + 1}
        assert weight.kind.are_all_covered(weight, ranges, inside)


def test_a_sum_lies_between_the_weighted_ends():
    (weight,) = parse_survey(definition(changed(WEIGHT, privacy="none"))).questions
    assert weight.kind.points_between(2, weight) == (60, 300)
    assert weight.kind.points_between(-1, weight) == (-150, -30)


def test_a_value_between_two_levels_has_the_weights_of_both():
    """The page rounds it up with the probability of its distance from the level below."""
    (weight,) = parse_survey(definition(WEIGHT)).questions
    table, width = weight.table, weight.grid.width(weight.levels.size)
    below, above = table.rows[2], table.rows[3]
    at = [weight.kind.report_weights(weight, table, (2 * width + up,)) for up in range(width)]
    assert at[0] == list(below)
    for up in range(1, width):
        share = Fraction(up, width)
        expected = [(1 - share) * b + share * a for b, a in zip(below, above, strict=True)]
        assert [Fraction(each, width) for each in at[up]] == expected
