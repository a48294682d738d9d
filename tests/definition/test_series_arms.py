"""The arms of a series single nobody out."""

from fractions import Fraction
from typing import Any

import pytest

from survey.core.errors import DefinitionError
from survey.definition.frozen import freeze
from survey.definition.opening.series_arms import rarest_arms
from survey.definition.survey import parse_survey
from survey.planning.checklist import checks
from survey.planning.privacy_checks import PASSED, STOPS
from tests.support.definitions import definition, yes_no
from tests.support.every_type import asked, letters

pytestmark = pytest.mark.fast


def with_arms(*weights: dict[str, int], **rest: Any) -> dict[str, Any]:
    arms = (
        asked(f"arm{number}", "select_one", "none", choices=letters("".join(each)),
              derived={"random": each})
        for number, each in enumerate(weights)
    )  # fmt: skip
    return definition(yes_no("hiv", {"epsilon": 1}), *arms, **rest)


TWO, THREE = {"a": 1, "b": 1}, {"a": 1, "b": 1, "c": 1}


def test_the_share_of_the_rarest_combination_is_exact() -> None:
    assert rarest_arms(parse_survey(with_arms())) == 1
    assert rarest_arms(parse_survey(with_arms(TWO, {"a": 1, "b": 9}))) == Fraction(1, 20)


def test_few_arms_open_in_a_series_and_many_only_without_one() -> None:
    for weights in ([TWO], [TWO] * 4, [TWO, TWO, THREE], [{"a": 1, "b": 19}]):
        freeze(parse_survey(with_arms(*weights, series="waves")))
    for weights in ([TWO] * 5, [THREE] * 3, [{"a": 1, "b": 20}], [dict.fromkeys("abcdef", 1)] * 20):
        survey = parse_survey(with_arms(*weights, series="waves"))
        with pytest.raises(DefinitionError, match="has the rarest combination of arms"):
            freeze(survey)
        assert freeze(survey, to_open=False).survey == survey
        freeze(parse_survey(with_arms(*weights)))


def test_the_checklist_says_so() -> None:
    def verdicts(content: dict[str, Any]) -> list[str]:
        found = checks(parse_survey(content))
        return [check.verdict for check in found if check.name == "series_arms"]

    assert verdicts(with_arms(series="waves")) == verdicts(with_arms(*[TWO] * 9)) == []
    assert verdicts(with_arms(TWO, series="waves")) == [PASSED]
    assert verdicts(with_arms(*[TWO] * 5, series="waves")) == [STOPS]
