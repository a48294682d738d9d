"""Results in sentences, and which of them are shown with few responses."""

import pytest

from survey.definition.frozen import freeze
from survey.definition.survey import parse_survey
from survey.estimation.build_results import survey_results
from survey.estimation.number_text import percent
from survey.estimation.results import error_in_points
from survey.formats.csv_export import estimates_csv, results_as_json
from tests.support.definitions import definition, yes_no
from tests.support.question_results import MANY, asked, results

pytestmark = pytest.mark.fast


def test_the_sentence_names_the_answer_and_both_ends():
    assert results([412, 588]).sentence == (
        "An estimated 32.4 % of people like these respondents would answer “Yes” (95 % "
        "interval 26.3 % to 38.6 %)."
    )


def test_a_single_choice_names_the_most_common_answer():
    choices = [{"name": name, "label": name.upper()} for name in "abc"]
    shown = results([10, 70, 20], {"epsilon": 2}, type="select_one", choices=choices)
    assert shown.sentence == (
        "“B” comes first: an estimated 87.2 % of people like these respondents would "
        "give this answer (simultaneous 95 % interval 69.8 % to 100.0 %)."
    )


def test_where_every_share_is_possible_no_answer_is_named():
    """Nine reports with 2 % truth: 89.7 % and 10.3 %, each between 0 and 100 %."""
    shown = results([6, 3], {"mechanism": "randomized_response", "gamma": 0.05})
    assert shown.sentence == (
        "There are too few responses for a precise estimate. The 95 % interval of the share "
        "of “Yes” goes from 0 % to 100 %."
    )
    choices = [{"name": name, "label": name.upper()} for name in "abc"]
    three = results([4, 3, 2], {"epsilon": 0.1}, type="select_one", choices=choices)
    assert all(answer.unknown for answer in three.answers)
    assert three.sentence == "There are too few responses to say which answer comes first."
    means = asked("number", {0: 4, 1: 5}, {"mechanism": "one_bit", "epsilon": 0.1}, min=0, max=10)
    assert means.sentence.endswith("The 95 % interval of the mean goes from 0 to 10.")


def test_a_tie_is_called_one_and_names_no_winner():
    choices = [{"name": name, "label": name.upper()} for name in "abcde"]
    tied = results([400, 400, 200], {"epsilon": 2}, type="select_one", choices=choices[:3])
    assert tied.sentence == (
        "“A” (43.1 %) and “B” (43.1 %) come first. The data do not show which of them is more "
        "frequent."
    )
    all_alike = results([40] * 5, "none", type="select_one", choices=choices)
    assert all_alike.sentence == "Any of the 5 answers may come first."


def test_reports_that_all_agree_tell_no_standard_error():
    """The standard error is 0 in files. Pages show none."""
    agreed, most = results([9, 0]), results([8, 1])
    assert agreed.answers[0].standard_error == 0
    assert agreed.answers[0].shown_error is None
    assert most.answers[0].shown_error == most.answers[0].standard_error


def test_a_deviation_beyond_its_interval_is_explained():
    shown = asked("number", {0: 5, 14: 5}, {"epsilon": 0.5}, min=0, max=10)
    [spread] = [each for each in shown.quantities if each.name == "deviation"]
    assert spread.value > spread.high
    said = "The estimated standard deviation is above its interval. Random error can explain this."
    assert [each.sentence.startswith(said) for each in shown.explanations].count(True) == 1


def test_an_impossible_estimate_has_a_sentence_of_its_own():
    assert results([20, 80]).sentence.startswith("The estimate for “Yes” is −10.0 % (95 % interval")


def test_a_negative_estimate_is_shown_and_explained():
    shown = results([20, 80])
    assert percent(shown.answers[0].value) == "−10.0 %"
    (below,) = [each.sentence for each in shown.explanations]
    assert "“Yes” is below 0 %" in below
    assert "Random error can explain this." in below
    assert results([40, 60]).explanations == ()


def test_many_impossible_estimates_are_explained_in_one_sentence():
    shown = asked("number", {0: 6, 10: 6}, {"epsilon": 2}, min=0, max=10)
    outside = [answer for answer in shown.answers if answer.outside]
    assert len(outside) > 1
    untold, impossible = [each.sentence for each in shown.explanations[:2]]
    assert untold.startswith("Too imprecise to show: First quartile, Median, Third quartile.")
    assert impossible.startswith(
        f"{len(outside)} of these 11 estimates are below 0 % or above 100 %. Random error can"
    )
    assert all(0 <= answer.low <= answer.high <= 1 for answer in shown.answers)
    assert all(answer.low <= answer.value <= answer.high
               for answer in shown.answers if not answer.outside)  # fmt: skip


def test_an_impossible_mean_is_explained():
    """Ten of ten reports are the far end, which is improbable even for answers there."""
    shown = asked("number", {1: 10}, {"mechanism": "one_bit", "epsilon": 1}, min=0, max=10)
    (mean,) = shown.quantities
    assert mean.value > 10 >= mean.high
    sentence = shown.explanations[0].sentence
    assert sentence.startswith("The estimated mean is outside the range of the answers. Random")
    assert "interval, which contains only possible means" in sentence
    inside = asked("number", {0: 9, 1: 11}, {"mechanism": "one_bit", "epsilon": 1}, min=0, max=10)
    assert not inside.quantities[0].outside
    assert len(inside.explanations) == 1


@pytest.mark.parametrize("privacy", [None, "none", {"epsilon": 1}])
def test_no_estimate_is_shown_of_fewer_than_five_responses(privacy):
    four, five = results([3, 1], privacy), results([4, 1], privacy)
    assert four.as_shown.sentence == (
        "4 responses are too few to show an estimate. Here, Candor shows an estimate only if it "
        "is based on at least 5 responses. The files for researchers also contain estimates from "
        "fewer responses."
    )
    assert four.as_shown.answers == four.as_shown.explanations == ()
    assert four.remark_codes == ["too_few_responses"]
    assert four.as_shown.covariance is None
    assert results([0, 1], privacy).as_shown.sentence.startswith("1 response is too few")
    assert five.as_shown is five
    assert results([0, 0], privacy).as_shown.sentence == "There are no responses yet."


def test_a_number_of_four_responses_has_no_mean_either():
    few = asked("number", {3: 4}, {"epsilon": 1}, min=0, max=10)
    assert few.quantities
    assert few.as_shown.quantities == ()
    # Free texts are counted, not estimated.
    assert asked("text", {0: 2, 1: 1}, "none").as_shown.sentence.startswith("2 of 3 respondents")


def test_boxes_are_shown_each_from_five_responses_on():
    counts = {0: 3, 1: 2, 2: 1, 3: 3}
    shown = asked("select_multiple", counts, {"epsilon": 1}, choices=MANY).as_shown
    assert [answer.choice.name for answer in shown.answers] == ["c0"]
    assert shown.remarks[1].code == "few_responses_on_boxes"
    assert shown.remarks[1].sentence == (
        "Responses on “Choice 1” (4): too few to show an estimate. Here, Candor shows an estimate "
        "only if it is based on at least 5 responses. The files for researchers also contain "
        "estimates from fewer responses."
    )
    none = asked("select_multiple", {0: 3, 3: 4}, {"epsilon": 1}, choices=MANY).as_shown
    assert none.n == 7
    assert none.answers == ()
    assert none.sentence.startswith("Fewer than 5 responses on each box: too few")


def test_files_keep_every_figure_of_few_responses():
    frozen = freeze(parse_survey(definition(yes_no())))
    found = survey_results(frozen, {"smokes": {0: 1}}, "browser")
    assert results_as_json(found)["questions"][0]["estimates"][0]["estimate"] == pytest.approx(1.5)
    assert ",yes,Yes,1,1.0,1.5" in estimates_csv(found)
    assert found.as_shown.questions[0].answers == ()


def test_no_responses_is_a_sentence_too():
    assert results([0, 0]).sentence == "There are no responses yet."
    assert results([0, 0]).answers == ()


def test_json_has_no_infinity():
    frozen = freeze(parse_survey(definition(yes_no(privacy="none"))))
    content = results_as_json(survey_results(frozen, {"smokes": {0: 3, 1: 5}}, "browser"))
    assert content["questions"][0]["epsilon"] is None
    assert content["questions"][0]["reports"] == {"yes": 3, "no": 5}


def test_a_gaussian_states_its_delta_at_the_epsilon_asked_for_however_written():
    def of(epsilon):
        privacy = {"mechanism": "discrete_gaussian", "epsilon": epsilon, "delta": 1e-5}
        return asked("number", {0: 5, 10: 5}, privacy, min=0, max=10).delta

    assert 0 < of(0.5) <= 1e-5
    assert of("1/2") == of(0.5)
    assert asked("number", {0: 5}, {"epsilon": 1}, min=0, max=10).delta is None


def test_a_unit_with_a_full_stop_ends_the_sentence():
    shown = asked("number", {0: 5, 10: 5}, "none", min=0, max=10, unit="กก.")
    assert shown.sentence.endswith(" กก.")
    assert not shown.sentence.endswith("..")


def test_answers_that_are_all_alike_have_no_spread_and_no_excuse():
    shown = asked("number", {50: 5000}, "none", min=0, max=100)
    assert shown.explanations == ()
    # Floats cannot represent tenths exactly.
    for place in (0, 3, 7):
        ends = asked("number", {place: 30}, "none", min=0.1, max=0.8, step=0.1)
        assert ends.explanations == ()


def test_texts_beside_the_estimates_are_those_of_their_numbers():
    found = results([30, 10])
    answer = found.answers[0]
    # P = 3/4, so the estimate is 2 P - 1/2 = 1, and the bound 1 / (16 n / 16) = 1/40.
    assert answer.exact_text == "1"
    assert answer.bound_texts == ("0.025", "0.025")
    assert answer.variance_text == "0.0188"
    assert error_in_points(answer) == "13.9 points"
    assert found.least_certain in found.answers
    assert not found.bounds_differ
    assert error_in_points(results([40, 0]).answers[0]) == "–"


def test_a_question_that_some_skipped_says_how_many_report_on_it():
    frozen = freeze(parse_survey(definition(yes_no(), yes_no("other", label="Other?"))))
    found = survey_results(frozen, {"smokes": {0: 30, 1: 10}, "other": {0: 4, 1: 6}}, "browser")
    first, second = found.questions
    assert found.part_sentence(first) == ""
    assert found.part_sentence(second) == "10 of 40 respondents report on this question."
    assert found.excluded == 0
