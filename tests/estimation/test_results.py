"""Results: sentences, formulas, and the rate at which intervals hold the truth."""

from collections import Counter

import numpy as np
import pytest

from survey.definition.frozen import freeze
from survey.definition.parse_question import parse_question
from survey.definition.survey import parse_survey
from survey.estimation.build_results import question_results, survey_results
from survey.estimation.number_text import number, percent, rounded_to
from survey.formats.csv_export import estimates_csv, results_as_json
from survey.planning.simulation import simulate_reports
from tests.conftest import definition, yes_no

pytestmark = pytest.mark.fast


def results(counts, privacy=None, **question):
    entry = {**yes_no(privacy=privacy), **question}
    return question_results(parse_question(entry, "", "en"), dict(enumerate(counts)))


def test_the_coin_flip_shows_its_formula_with_the_numbers_filled_in():
    yes = results([412, 588]).answers[0]
    assert yes.formula.letters == "2P − 1/2"
    assert yes.formula.numbers == "2 × 412/1000 − 1/2"
    assert yes.observed == 0.412
    assert yes.value == pytest.approx(0.324)


@pytest.mark.parametrize(
    ("privacy", "letters", "numbers"),
    [
        (
            {"mechanism": "randomized_response", "gamma": 0.3},
            "(P − 1/2 + γ) / (2γ)",
            "(40/100 − 1/2 + 3/10) / (2 × 3/10)",
        ),
        (
            {"mechanism": "forced_response", "p_truth": 0.5, "p_yes": 0.3, "p_no": 0.2},
            "(P − q) / (p − q)",
            "(40/100 − 3/10) / (4/5 − 3/10)",
        ),
        ("none", "P", "40/100"),
    ],
)
def test_other_mechanisms_show_theirs(privacy, letters, numbers):
    formula = results([40, 60], privacy).answers[0].formula
    assert (formula.letters, formula.numbers) == (letters, numbers)


def test_a_table_with_more_reports_than_answers_shows_its_scores():
    shown = results([50, 30, 20], {"mechanism": "table", "rows": [[5, 3, 2], [2, 3, 5]]})
    assert shown.answers[0].observed is None
    assert shown.answers[0].formula.letters == "Σ score × share of each report"
    assert "2.16667 × 50/100" in shown.answers[0].formula.numbers
    assert list(shown.count_by_report) == ["r1", "r2", "r3"]


def test_the_sentence_names_the_answer_and_both_ends():
    assert results([412, 588]).sentence == (
        "For an estimated 32.4 % of people like these respondents, the true answer is “Yes”; "
        "with 95 % confidence between 26.4 % and 38.6 %."
    )


def test_a_single_choice_names_the_most_common_answer():
    choices = [{"name": name, "label": name.upper()} for name in "abc"]
    shown = results([10, 70, 20], {"epsilon": 2}, type="select_one", choices=choices)
    assert shown.sentence.startswith("The largest estimate: for an estimated 87.2 % of people")
    assert "the true answer is “B”" in shown.sentence


@pytest.mark.parametrize(
    ("counts", "privacy"),
    [
        ([37, 83], None),
        ([1, 6], {"mechanism": "randomized_response", "gamma": 0.00001}),
        ([20, 1], {"epsilon": 0.0995}),
        ([198, 112], {"mechanism": "warner", "p": "1/4"}),
        ([40, 60], {"mechanism": "forced_response", "p_truth": 0.6, "p_yes": 0.3, "p_no": 0.1}),
        ([5, 3, 2], {"mechanism": "table", "rows": [[5, 3, 2], [2, 3, 5]]}),
    ],
)
def test_the_formula_with_its_numbers_gives_the_estimate(counts, privacy):
    for answer in results(counts, privacy).answers:
        text = answer.formula.numbers.replace("−", "-").replace("×", "*")
        # scores of many values are shown to six digits, all else is exact
        error = 1e-5 if "Σ" in answer.formula.letters else 1e-9 * max(1, abs(answer.value))
        assert eval(text) == pytest.approx(answer.value, abs=error)


def test_where_every_share_is_possible_no_answer_is_named():
    """Nine reports through 2 % of truth: 89.7 % and 10.3 %, each between 0 and 100 %."""
    shown = results([6, 3], {"mechanism": "randomized_response", "gamma": 0.05})
    assert shown.sentence == (
        "9 responses are too few for so much mixing up to tell anything yet: with 95 % confidence, "
        "the share of “Yes” could be anything from 0.0 % to 100.0 %."
    )
    choices = [{"name": name, "label": name.upper()} for name in "abc"]
    three = results([4, 3, 2], {"epsilon": 0.1}, type="select_one", choices=choices)
    assert all(answer.unknown for answer in three.answers)
    assert "confidence, each share could be anything from 0.0 % to 100.0 %." in three.sentence
    means = asked("number", {0: 4, 1: 5}, {"mechanism": "one_bit", "epsilon": 0.1}, min=0, max=10)
    assert "the mean could be anything from 0 to 10." in means.sentence


def test_a_tie_is_called_one_and_names_no_winner():
    choices = [{"name": name, "label": name.upper()} for name in "abcde"]
    tied = results([400, 400, 200], {"epsilon": 2}, type="select_one", choices=choices[:3])
    assert tied.sentence.startswith("The largest estimate is shared by “A” and “B”: ")
    low, high = tied.answers[0].low, tied.answers[0].high
    assert tied.sentence.endswith(
        f"% each; each true share lies with 95 % confidence between {percent(low)} and "
        f"{percent(high)}."
    )
    all_alike = results([40] * 5, "none", type="select_one", choices=choices)
    assert "shared by “A”, “B”, “C” and 2 more: 20.0 % each; each true" in all_alike.sentence


def test_reports_that_all_agree_tell_no_standard_error():
    """It comes out as 0, which files hold; pages show none."""
    agreed, most = results([9, 0]), results([8, 1])
    assert agreed.answers[0].standard_error == 0
    assert agreed.answers[0].shown_error is None
    assert most.answers[0].shown_error == most.answers[0].standard_error


def test_a_deviation_beyond_its_interval_is_explained():
    shown = asked("number", {0: 9, 14: 9}, {"epsilon": 0.5}, min=0, max=10)
    [spread] = [each for each in shown.quantities if each.name == "deviation"]
    assert spread.value > spread.high
    said = "The estimated standard deviation lies beyond its interval: that is chance"
    assert [each.startswith(said) for each in shown.explanations].count(True) == 1


def test_an_impossible_estimate_has_a_sentence_of_its_own():
    assert results([20, 80]).sentence.startswith(
        "The estimate for “Yes” is −10.0 %, which no share can be; the true share lies with 95 %"
    )


def test_a_negative_estimate_is_shown_and_explained():
    shown = results([20, 80])
    assert percent(shown.answers[0].value) == "−10.0 %"
    (below,) = shown.explanations
    assert "“Yes” is below 0 %" in below
    assert "chance, not a mistake" in below
    assert results([40, 60]).explanations == ()


def test_many_impossible_estimates_are_explained_in_one_sentence():
    shown = asked("number", {0: 60, 10: 60}, {"epsilon": 2}, min=0, max=10)
    outside = [answer for answer in shown.answers if answer.outside]
    assert len(outside) > 1
    assert shown.explanations[0].startswith(
        f"{len(outside)} of these 11 estimates are below 0 % or above 100 %: that is chance"
    )
    assert all(0 <= answer.low <= answer.high <= 1 for answer in shown.answers)
    assert all(answer.low <= answer.value <= answer.high
               for answer in shown.answers if not answer.outside)  # fmt: skip


def test_an_impossible_mean_is_explained():
    """Twenty of twenty report the far end, which even there not all do by chance."""
    shown = asked("number", {1: 20}, {"mechanism": "one_bit", "epsilon": 1}, min=0, max=10)
    (mean,) = shown.quantities
    assert mean.value > 10 >= mean.high
    (sentence, _) = shown.explanations
    assert sentence.startswith("The estimated mean lies beyond what could be answered: that is")
    assert "interval, which holds possible means only" in sentence
    inside = asked("number", {0: 9, 1: 11}, {"mechanism": "one_bit", "epsilon": 1}, min=0, max=10)
    assert not inside.quantities[0].outside
    assert len(inside.explanations) == 1


@pytest.mark.parametrize("privacy", [None, "none", {"epsilon": 1}])
def test_no_estimate_is_shown_of_fewer_than_five_responses(privacy):
    four, five = results([3, 1], privacy), results([4, 1], privacy)
    assert four.as_shown.sentence == (
        "4 responses: too few to estimate from; estimates are shown from 5 on."
    )
    assert four.as_shown.answers == four.as_shown.explanations == ()
    assert four.as_shown.covariance is None
    assert results([0, 1], privacy).as_shown.sentence.startswith("1 response: too few")
    assert five.as_shown is five
    assert results([0, 0], privacy).as_shown.sentence == "No responses yet."


def test_a_number_of_four_responses_has_no_mean_either():
    few = asked("number", {3: 4}, {"epsilon": 1}, min=0, max=10)
    assert few.quantities
    assert few.as_shown.quantities == few.as_shown.remarks == ()
    # what somebody wrote is counted, not estimated
    assert asked("text", {0: 2, 1: 1}, "none").as_shown.sentence.startswith("2 of 3 respondents")


def test_boxes_are_shown_each_from_five_responses_on():
    counts = {0: 3, 1: 2, 2: 1, 3: 3}
    shown = asked("select_multiple", counts, {"epsilon": 1}, choices=MANY).as_shown
    assert [answer.choice.name for answer in shown.answers] == ["c0"]
    assert shown.remarks[0] == (
        "Responses on “Choice 1” (4): too few to estimate from; estimates are shown from 5 on."
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
    assert results([0, 0]).sentence == "No responses yet."
    assert results([0, 0]).answers == ()


def test_the_bound_stands_beside_the_exact_variance():
    yes = results([412, 588]).answers[0]
    assert yes.variance_bound == pytest.approx(1 / (16 * 0.25**2 * 1000))
    assert yes.variance_at_observed == pytest.approx(0.412 * 0.588 / (4 * 0.25**2 * 1000))
    assert results([412, 588], "none").answers[0].variance_bound is None


@pytest.mark.parametrize(
    ("value", "text"),
    [(0.5, "0.5"), (-0.0154, "−0.0154"), (2 / 3, "0.666667"), (0.0, "0"), (10.0, "10")],
)
def test_numbers_in_formulas(value, text):
    assert number(value) == text


def test_percent_never_shows_minus_zero():
    assert percent(-1e-17) == "0.0 %"
    assert percent(-0.001) == "−0.1 %"


@pytest.mark.parametrize(
    ("share", "text"),
    [
        (0.0625, "6.3 %"),
        (0.1225, "12.3 %"),  # less than that as a float
        (-0.0625, "−6.3 %"),
        (0.06249, "6.2 %"),
        (1 / 3, "33.3 %"),
        (float("inf"), "inf %"),
    ],
)
def test_percentages_round_halves_away_from_zero(share, text):
    assert percent(share) == text


def test_json_has_no_infinity():
    frozen = freeze(parse_survey(definition(yes_no(privacy="none"))))
    content = results_as_json(survey_results(frozen, {"smokes": {0: 3, 1: 5}}, "browser"))
    assert content["questions"][0]["epsilon"] is None
    assert content["questions"][0]["reports"] == {"yes": 3, "no": 5}


@pytest.mark.slow
def test_true_shares_lie_inside_the_intervals_at_the_rate_claimed():
    """5,000 simulated respondents, three questions, 400 times.

    At a true coverage of 0.95, the count of misses among 400 independent draws of one share is
    binomial with mean 20 and standard deviation 4.36; below 0.9 (more than 40 misses) or never
    missing (fewer than 3) has a probability of about 1e-5 for each of the three shares. The seed
    is fixed, so the test is exact from run to run.
    """
    survey = parse_survey(
        definition(
            yes_no("a"),
            yes_no("b", privacy={"mechanism": "randomized_response", "gamma": 0.1}),
            {
                "name": "c",
                "type": "select_one",
                "label": "?",
                "choices": [{"name": name, "label": name} for name in "wxyz"],
                "privacy": {"epsilon": 1},
            },
        )
    )
    truth = {"a": [0.3, 0.7], "b": [0.05, 0.95], "c": [0.4, 0.3, 0.2, 0.1]}
    generator = np.random.default_rng(2026)
    repeats = 400
    inside = np.zeros(3)
    for _ in range(repeats):
        columns = simulate_reports(survey, truth, 5_000, generator)
        for place, question in enumerate(survey.questions):
            first = question_results(question, Counter(columns[place])).answers[0]
            inside[place] += first.low <= truth[question.name][0] <= first.high
    assert (inside / repeats >= 0.90).all(), inside
    assert (inside / repeats <= 0.9925).all(), inside


def asked(kind, counts, privacy, **question):
    entry = {"name": "q", "type": kind, "label": "?", "privacy": privacy, **question}
    return question_results(parse_question(entry, "", "en"), counts)


LEVELS = [{"name": f"l{n}", "label": f"Level {n}"} for n in range(1, 6)]
MANY = [{"name": f"c{n}", "label": f"Choice {n}"} for n in range(9)]


def test_a_gaussian_states_its_delta_at_the_epsilon_asked_for_however_written():
    def of(epsilon):
        privacy = {"mechanism": "discrete_gaussian", "epsilon": epsilon, "delta": 1e-5}
        return asked("number", {0: 5, 10: 5}, privacy, min=0, max=10).delta

    assert 0 < of(0.5) <= 1e-5
    assert of("1/2") == of(0.5)
    assert asked("number", {0: 5}, {"epsilon": 1}, min=0, max=10).delta is None


def test_each_quantity_has_its_own_formula():
    shown = asked("number", {0: 5, 10: 5}, {"epsilon": 1}, min=0, max=10)
    formulas = {quantity.name: quantity.formula for quantity in shown.quantities}
    assert formulas["mean"].startswith("Σ score × share of each report")
    assert "(x − mean)²" in formulas["deviation"]
    assert "most likely shares" in formulas["quantile_50"]


def test_a_scale_has_shares_and_a_mean():
    shown = asked("scale", {0: 10, 1: 20, 2: 40, 3: 20, 4: 10}, "none", choices=LEVELS)
    assert [answer.value for answer in shown.answers] == [0.1, 0.2, 0.4, 0.2, 0.1]
    (mean,) = shown.quantities
    assert mean.value == pytest.approx(3)
    assert mean.standard_error == pytest.approx(np.sqrt(1.2 / 99))
    assert mean.low < 3 < mean.high
    assert mean.label == "Mean, 1 = Level 1, 5 = Level 5"


def test_a_scale_by_subset_selection_has_a_mean_from_its_shares():
    choices = [{"name": f"l{n}", "label": f"L{n}"} for n in range(9)]
    bits = dict.fromkeys(range(18), 100)
    shown = asked("scale", bits, {"epsilon": 1}, choices=choices)
    assert shown.question.mechanism == "subset_selection"
    assert shown.quantities[0].value == pytest.approx(5)
    assert shown.answers[0].possible_by == "nearest shares that add up to one"


def test_boxes_say_how_many_report_on_each():
    shown = asked("select_multiple", {0: 40, 1: 60, 2: 30, 3: 30}, {"epsilon": 1}, choices=MANY)
    assert [answer.n for answer in shown.answers] == [100, 60]
    assert shown.n == 160
    silent = ", ".join(f"“Choice {place}”" for place in range(2, 9))
    assert shown.remarks == (f"Nobody has reported on {silent} yet.",)


def test_plain_boxes_are_counted():
    shown = asked("select_multiple", {0: 40, 1: 60, 2: 10, 3: 90}, "none", choices=MANY[:2])
    assert [answer.value for answer in shown.answers] == [0.4, 0.1]
    assert shown.n == 100
    assert shown.answers[0].formula.letters == "P"


def test_a_plain_number_has_the_ordinary_figures():
    counts = {0: 1, 10: 2, 20: 4, 40: 1}  # steps above 0
    shown = asked("number", counts, "none", min=0, max=100, step=1, unit="kg")
    figures = {quantity.name: quantity for quantity in shown.quantities}
    data = np.array([0, 10, 10, 20, 20, 20, 20, 40])
    assert figures["mean"].value == pytest.approx(data.mean())
    assert figures["mean"].standard_error == pytest.approx(data.std(ddof=1) / np.sqrt(8))
    assert figures["quantile_50"].value == 20
    assert sum(answer.value for answer in shown.answers) == pytest.approx(1)
    assert shown.count_by_report["40"] == 1
    assert "an estimated 17.5 kg; with 95 % confidence it lies between" in shown.sentence


@pytest.mark.slow
def test_a_million_plain_values_are_no_trouble():
    counts = dict.fromkeys(range(0, 1000001, 50), 1)
    shown = asked("number", counts, "none", min=0, max=1_000_000, step=1)
    assert shown.quantities[0].value == pytest.approx(500_000)
    assert len(shown.answers) <= 11


def test_a_unit_with_a_full_stop_ends_the_sentence():
    shown = asked("number", {0: 5, 10: 5}, "none", min=0, max=10, unit="กก.")
    assert shown.sentence.endswith(" กก.")
    assert not shown.sentence.endswith("..")


def test_who_declines_counts_in_no_mean():
    # 30 say 0, 30 say 10, 40 decline
    counts = {0: 30, 10: 30, 11: 40}
    shown = asked("number", counts, "none", min=0, max=10, prefer_not_to_say=True)
    assert shown.quantities[0].value == pytest.approx(5)
    assert shown.answers[-1].choice.name == "prefer_not_to_say"
    assert shown.answers[-1].value == pytest.approx(0.4)


@pytest.mark.parametrize("mechanism", ["window", "discrete_laplace", "discrete_gaussian"])
def test_a_number_gives_back_mean_spread_and_parts(mechanism):
    """From the expected counts of a thousand million respondents."""
    privacy = {"mechanism": mechanism, "epsilon": 2}
    if mechanism == "discrete_gaussian":
        privacy["delta"] = 1e-5
    entry = {
        "name": "q", "type": "number", "label": "?", "min": 0, "max": 10, "privacy": privacy,
    }  # fmt: skip
    question = parse_question(entry, "", "en")
    truth = np.array([0, 0.05, 0.1, 0.2, 0.3, 0.2, 0.1, 0.05, 0, 0, 0])
    table = np.array(question.table.rows) / question.table.total
    counts = dict(enumerate((1e9 * truth @ table).round().astype(int).tolist()))
    shown = question_results(question, counts)
    figures = {quantity.name: quantity for quantity in shown.quantities}
    values = np.arange(11)
    mean = truth @ values
    assert figures["mean"].value == pytest.approx(mean, abs=0.01)
    deviation = np.sqrt(truth @ (values - mean) ** 2)
    assert figures["deviation"].value == pytest.approx(deviation, abs=0.05)
    assert figures["quantile_50"].value == 4
    assert figures["quantile_50"].low <= 4 <= figures["quantile_50"].high
    parts = [answer.value for answer in shown.answers]
    np.testing.assert_allclose(parts, truth, atol=1e-3)


def test_one_bit_says_that_it_tells_the_mean_alone():
    shown = asked("number", {0: 60, 1: 40}, {"mechanism": "one_bit", "epsilon": 1}, min=0, max=10)
    assert [quantity.name for quantity in shown.quantities] == ["mean"]
    assert shown.answers == ()
    assert "the mean alone" in shown.remarks[0]


@pytest.mark.parametrize(
    "privacy", [{"mechanism": "one_bit", "epsilon": 1}, {"epsilon": 4, "goal": "mean"}]
)
def test_a_scale_that_tells_the_mean_alone_says_so(privacy):
    choices = [{"name": f"l{n}", "label": f"L{n}"} for n in range(7)]
    shown = asked("scale", {0: 30, 1: 30}, privacy, choices=choices)
    assert shown.n == 60
    assert [quantity.name for quantity in shown.quantities] == ["mean"]
    if not shown.answers:
        assert "tell the mean alone" in shown.remarks[0]
        assert shown.sentence.startswith("The mean of people like these respondents")


def test_answers_that_are_all_alike_have_no_spread_and_no_excuse():
    shown = asked("number", {50: 5000}, "none", min=0, max=100)
    assert shown.explanations == ()
    for place in (0, 3, 7):  # tenths have no exact floats
        ends = asked("number", {place: 30}, "none", min=0.1, max=0.8, step=0.1)
        assert ends.explanations == ()


def test_discrete_laplace_states_its_tail_bound():
    """b ln(1/beta): for beta = 0.05, ln 20 is 3.0, not 20."""
    privacy = {"mechanism": "discrete_laplace", "epsilon": 1}
    shown = asked("number", {0: 5, 20: 5}, privacy, min=0, max=20)
    scale = 20 / 1  # range over epsilon, in steps of one
    assert f"b = {scale:.3g}" in shown.remarks[-1]
    assert f"within {scale * np.log(20):.3g}" in shown.remarks[-1]


def test_chebyshev_stands_beside_the_interval_of_a_mean():
    shown = asked("number", {0: 50, 10: 50}, "none", min=0, max=10)
    mean = shown.quantities[0]
    assert mean.chebyshev == pytest.approx(
        (5 - 2 * mean.standard_error, 5 + 2 * mean.standard_error)
    )


def test_a_text_is_only_counted():
    shown = asked("text", {0: 3, 1: 7}, "none")
    assert shown.n == 10
    assert shown.sentence == "3 of 10 respondents wrote something."


@pytest.mark.parametrize("kind", ["scale", "select_multiple", "number", "text", "select_one"])
def test_without_responses_every_kind_says_so(kind):
    more = {"min": 0, "max": 9} if kind == "number" else {"choices": MANY}
    privacy = "none" if kind == "text" else {"epsilon": 1}
    shown = asked(kind, {}, privacy, **({} if kind == "text" else more))
    assert shown.sentence == "No responses yet."
    assert shown.n == 0


def test_one_response_gives_no_standard_error_and_no_trace():
    for kind, more in [
        ("number", {"min": 0, "max": 9}),
        ("scale", {"choices": MANY}),
        ("scale", {"choices": LEVELS}),
        ("select_one", {"choices": MANY}),
    ]:
        question = parse_question(
            {"name": "q", "type": kind, "label": "?", "privacy": {"epsilon": 1}, **more}, "", "en"
        )
        form = question.form
        text = "0" * form.width if question.one_hot is None else "1100" + "0" * 5
        codes = Counter(form.codes(form.read(text[: form.width])))
        shown = question_results(question, codes)
        assert shown.n == 1
        assert all(answer.standard_error is None for answer in shown.answers)


@pytest.mark.parametrize(
    ("value", "error", "text"),
    [
        (62.512, 0.4, "62.51"),
        (62.512, 3, "62.5"),
        (62.512, 30, "63"),
        (5.49255, 2.64, "5.5"),
        (0.01234, 0.001, "0.0123"),
        (-1e-9, 1, "0.0"),
        (5, 0, "5"),
    ],
)
def test_numbers_are_shown_as_finely_as_they_are_known(value, error, text):
    assert rounded_to(value, error) == text


def test_with_sampling_each_question_has_its_own_n():
    survey = parse_survey(
        definition(yes_no("a"), yes_no("b"), yes_no("c"), budget={"per_respondent": {"sample": 1}})
    )
    counts = {"a": {0: 3, 1: 1}, "b": {0: 2}, "c": {1: 4}}
    shown = survey_results(freeze(survey), counts, "browser")
    assert shown.n == 10
    assert [question.n for question in shown.questions] == [4, 2, 4]
