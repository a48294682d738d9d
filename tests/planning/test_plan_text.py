"""Sentences of plans: respondents, margins and comparisons."""

from survey.admin.builder.live_preview import question_precision_text as outlook_sentence
from survey.definition.survey import parse_survey
from survey.estimation.number_text import margin_in_words
from survey.planning.checklist import checks
from survey.planning.plan_text import (
    comparison_sentences,
    expected_precision_text,
    goal_sentence,
    least_sentence,
    margin_sentence,
    margin_text,
    survey_sentence,
)
from survey.planning.precision import MEAN, SHARE
from survey.planning.sample_size import PlanParameters, comparison, plan_figures
from tests.planning.planned_surveys import forced
from tests.support.check_each import check_each
from tests.support.definitions import definition, yes_no
from tests.support.every_type import EVERY_TYPE


def test_sentences_with_ties():
    """Questions with the same numbers are all named or counted."""
    wishes = PlanParameters()

    def sentences(*epsilons):
        questions = (
            yes_no(f"q{place}", {"epsilon": each}, label=f"Q{place}?")
            for place, each in enumerate(epsilons)
        )
        rows = plan_figures(parse_survey(definition(*questions)), wishes)
        least = least_sentence(rows, wishes).removeprefix("With 500 respondents, ")
        return survey_sentence(rows, wishes).rpartition("respondents. ")[2], least

    most, least = sentences(1, 1)
    assert most == "Each question needs this number."
    assert least.startswith("all questions are equally precise: ±\u00a0")
    most, least = sentences(1, 2)
    assert most == "“Q0?” needs the most respondents."
    assert least.startswith("“Q0?” is the least precise: ±\u00a0")
    most, least = sentences(1, 2, 1)
    assert most == "“Q0?” and “Q2?” need the most respondents."
    assert least.startswith("“Q0?” and “Q2?” are the least precise: ±\u00a0")
    most, least = sentences(1, 1, 2, 1)
    assert most == "3 of the 4 questions need the most respondents."
    assert least.startswith("3 of the 4 questions are the least precise: ±\u00a0")
    few = PlanParameters(n=2)
    rows = plan_figures(parse_survey(definition(*(yes_no(f"q{i}") for i in range(3)))), few)
    assert least_sentence(rows, few) == "2 respondents are too few to estimate all 3 questions."
    small = definition(*(yes_no(f"q{i}") for i in range(3)), results_about=100)
    rows = plan_figures(parse_survey(small), wishes)
    assert survey_sentence(rows, wishes).endswith("answers. It is too small for all 3 questions.")


def test_sentences():
    survey, wishes = parse_survey(EVERY_TYPE), PlanParameters()
    rows = {(row.question.name, row.precision.kind): row for row in plan_figures(survey, wishes)}
    coins = parse_survey(definition())
    (row,) = plan_figures(coins, wishes)
    assert goal_sentence(row, wishes) == (
        "To estimate the share of Yes with a margin of ±\u00a05 points, you need 1,537 "
        "respondents. A direct question needs 385."
    )
    assert margin_sentence(row, wishes) == (
        "With 500 respondents the margin is ±\u00a08.8 points. A direct question gives "
        "±\u00a04.4 points."
    )
    assert survey_sentence([row], wishes).endswith("you need 1,537 respondents.")
    assert least_sentence([row], wishes) == (
        "With 500 respondents, “Do you smoke?” is the least precise: ±\u00a08.8 points."
    )
    nothing = margin_sentence(rows["mood", SHARE], wishes)
    assert nothing.startswith("500 respondents are too few: the interval")
    kilograms = goal_sentence(rows["weight", MEAN], wishes)
    assert kilograms.startswith("To estimate the mean with a margin of ±\u00a06 kg, you need")
    assert (
        expected_precision_text(rows["weight", MEAN].question, 500) == "±\u00a012.8 kg for the mean"
    )
    assert expected_precision_text(row.question, 500) == "±\u00a08.8 points"
    one, two = comparison_sentences(forced(0.1, 0.2), wishes)
    assert one.startswith(
        "To distinguish a true share of 20 % from a known share of 10 %, you need"
    )
    assert "you need 689 respondents in each group. Direct questions need 196 in each group." in two
    mean = comparison(rows["weight", MEAN].question, survey, wishes)
    assert not mean.value.counted
    assert next(comparison_sentences(mean, wishes)).startswith(
        "To distinguish a true mean at 20 % of the range from a known mean at 10 %"
    )


@check_each(
    ("margin", "unit", "words"),
    [
        (0.0764, None, "±\u00a07.6 points"),
        (0.05, None, "±\u00a05 points"),
        (0.1234, None, "±\u00a012.3 points"),
        (0.0004, None, "±\u00a00.04 points"),
        (6.0, "kg", "±\u00a06 kg"),
        (12.84, "kg", "±\u00a012.8 kg"),
        (0.537, "", "±\u00a00.54"),
        (12_345.6, "บาท", "±\u00a012,346 บาท"),
    ],
)
def test_margins_in_words(margin, unit, words):
    assert margin_in_words(margin, unit) == words


def test_plan_builder_and_checklist_round_alike():
    gamma = {"mechanism": "randomized_response", "gamma": 0.21}
    survey = parse_survey(definition(yes_no(privacy=gamma)))
    (row,) = plan_figures(survey, PlanParameters(n=100))
    words = margin_text(row.precision, row.margin)
    assert words == "±\u00a023 points"
    assert words in margin_sentence(row, PlanParameters(n=100))
    check = next(each for each in checks(survey, 100) if each.name == "precision")
    assert words in check.details[0]
    assert words in outlook_sentence(survey.questions[0], survey, 100)
