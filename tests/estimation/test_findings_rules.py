"""The rules for results that are impossible, contradicted, too imprecise or too few."""

from dataclasses import replace

import pytest

from survey.definition.frozen import freeze
from survey.definition.survey import parse_survey
from survey.estimation.build_results import survey_results
from survey.estimation.findings.remarks import (
    CAUTION,
    DEVIATION_ZERO,
    JOINT_MISFIT,
    MEAN_OUTSIDE,
    MISFIT,
    NO_RESPONSES,
    SHARE_OUTSIDE,
    TOO_FEW,
    TOO_IMPRECISE,
)
from survey.estimation.findings.rules import complete
from survey.estimation.manipulation import fake_sentences
from survey.estimation.results import QuestionResults
from tests.support.definitions import definition
from tests.support.joint_survey import WITH_OTHERS
from tests.support.question_results import asked, results

pytestmark = pytest.mark.fast

FORCED = {"mechanism": "forced_response", "p_truth": 0.5, "p_yes": 0.25, "p_no": 0.25}


def test_possible_results_have_no_remark():
    shown = results([412, 588])
    assert shown.remarks == ()
    assert shown.verdict is None
    assert not shown.unusable
    assert shown.as_published.answers


def test_reports_that_contradict_the_design_replace_the_finding():
    """60 of 1,000 reports are Yes, where chance alone gives 25 %."""
    shown = results([60, 940], FORCED)
    assert shown.remark_codes == [MISFIT]
    assert shown.unusable
    assert shown.sentence == shown.verdict.sentence == shown.design_warning
    assert shown.explanations == ()
    assert shown.as_shown.answers
    assert shown.as_published.answers == ()


def test_all_impossible_estimates_are_no_part_of_themselves():
    """Nearly all reports are the first answer, so its estimate is above 100 %, the rest below 0."""
    choices = [{"name": name, "label": name} for name in "abc"]
    shown = asked("select_one", {0: 980, 1: 10, 2: 10}, {"epsilon": 1}, choices=choices)
    assert shown.sentence.startswith("All of these 3 estimates are below 0 % or above 100 %.")
    assert fake_sentences(shown, 0.02, 1_000) == ()


def test_a_number_that_contradicts_the_design_is_not_called_random_error():
    """All of 1,000 reports are equal, so the variance is estimated below zero."""
    shown = asked("number", {5: 1_000}, {"epsilon": 1}, min=0, max=10)
    assert DEVIATION_ZERO in [note.code for note in shown.notes]
    assert DEVIATION_ZERO not in shown.remark_codes
    assert shown.remark_codes[0] == MISFIT
    assert not any("is random error" in each.sentence for each in shown.remarks)


def test_too_few_responses_state_no_estimate():
    """The test of the design may still reject, but names no estimate."""
    one = asked("number", {5: 4}, {"epsilon": 8}, min=0, max=10)
    assert one.remark_codes[0] == TOO_FEW
    assert one.verdict.code == TOO_FEW
    assert not any("%" in each.sentence for each in one.remarks if each.code == MISFIT)
    assert results([0, 0]).remark_codes == [NO_RESPONSES]


def test_an_impossible_mean_is_not_the_headline():
    """9 of 10 reports are the lower end of one bit, so the estimate is below 0."""
    shown = asked("number", {0: 300, 1: 96}, {"mechanism": "one_bit", "epsilon": 1}, min=0, max=10)
    (mean,) = shown.quantities
    assert mean.outside
    assert shown.remark_codes[0] == MEAN_OUTSIDE
    assert shown.remarks[0].severity == CAUTION
    assert shown.sentence.startswith("The 95 % interval of the mean for people like these")
    assert mean.shown not in shown.sentence


def test_an_estimate_is_impossible_only_if_its_text_is():
    """A share of -0.03 % is printed as 0.0 %, which a share can be."""
    shown = results([40, 60])
    first = shown.answers[0]

    def with_share(value: float) -> QuestionResults:
        near = replace(first, value=value, standard_error=0.01, low=0.0, high=0.02)
        return complete(replace(shown, answers=(near, *shown.answers[1:])))

    assert with_share(-0.0003).remark_codes == []
    assert "An estimated 0.0 % of people" in with_share(-0.0003).sentence
    assert with_share(-0.0006).remark_codes == [SHARE_OUTSIDE]
    assert "−0.1 %" in with_share(-0.0006).sentence


def test_a_wide_interval_is_too_imprecise_for_a_finding():
    shown = results([30, 20], {"epsilon": 1})
    assert shown.remark_codes == [TOO_IMPRECISE]
    assert shown.remarks[0].sentence == shown.sentence


def test_the_questions_behind_contradicted_combinations_are_not_used():
    frozen = freeze(parse_survey(definition(*WITH_OTHERS, slug="joint")))
    joint = next(each for each in frozen.survey.fields if frozen.survey.items_of(each))
    # Each combination of half of the parts alone is possible, but not all reports of one kind.
    counts = {joint.name: {0: 500}}
    [found] = [r for r in survey_results(frozen, counts, "browser").questions if r.items]
    assert found.verdict.code == MISFIT
    assert all(item.verdict.code in (MISFIT, JOINT_MISFIT) for item in found.items)
    assert all(item.as_published.answers == () for item in found.items)
