"""Columns: the scores of all types and mechanisms are unbiased, by enumerating all reports."""

import random
from dataclasses import replace
from itertools import combinations, product

import numpy as np
import pytest

from survey.analysis import SurveyDesign, columns_by_name, question_column
from survey.analysis.columns.sample_means import complete_case_sample
from survey.analysis.columns.single_answer import bits_of, chances_of_bits
from survey.core.errors import UnanswerableQuestion
from survey.core.factored_randomizers import SubsetSelection, UnaryEncoding
from survey.core.mechanisms import BOXES, CHOICES, MECHANISMS, NUMBERS
from survey.core.randomizer import Randomizer
from survey.core.scores import probabilities
from survey.core.translate import in_language
from survey.definition.survey import parse_survey
from tests.support.definitions import definition
from tests.support.every_type import (
    EVERY_TYPE,
    FIELDS,
    ONE_BIT,
    SAMPLED,
    UNARY,
    asked,
    drawn,
    letters,
    stored,
)

pytestmark = pytest.mark.fast

SURVEY = parse_survey(EVERY_TYPE)
QUESTIONS = {question.name: question for question in SURVEY.fields}
EXAMPLES = [
    pytest.param(entry, answers, parameters, id=f"{entry.name}-{answers}-{number}")
    for entry in MECHANISMS.values()
    for number, (answers, parameters) in enumerate(entry.examples)
]


def all_reports(question):
    """Every possible report of a question with few answers."""
    k, randomizer = len(question.answers), question.randomizer
    if isinstance(randomizer, SubsetSelection):
        chosen = combinations(range(k), randomizer.size)
        return ["".join("01"[j in those] for j in range(k)) for those in chosen]
    if isinstance(randomizer, UnaryEncoding):
        return ["".join(bits) for bits in product("01", repeat=k)]
    if question.type == "select_multiple" and question.table is None:
        return ["".join(bits) for bits in product("01-", repeat=k)]
    if question.non_private and question.grid is not None:
        return list(range(question.grid.size + len(question.special_answers)))
    return list(range(question.table.reports if question.table else k))


def whole(question, box=None):
    """The column in which every report occurs once."""
    return question_column(question, all_reports(question), box)


def boxes(question):
    many = question.type == "select_multiple"
    return [answer.name for answer in question.answers] if many else [None]


def check_scores(column):
    """P contains probabilities, P @ scores is the identity, and P @ value_scores the values."""
    k = len(column.answers)
    assert column.chances.shape[0] == k
    if column.tabled:
        assert column.chances.sum(axis=1) == pytest.approx(np.ones(k), abs=1e-12)
    if column.scores is not None:
        assert column.chances @ column.scores == pytest.approx(np.eye(k), abs=1e-9)
    if column.values is not None and column.value_scores is not None:
        wanted = np.nan_to_num(column.values)
        slack = 1e-9 * max(1.0, np.abs(wanted).max())
        assert column.chances @ column.value_scores == pytest.approx(wanted, abs=slack)
    assert np.isnan(column.values[column.listed :]).all() if column.values is not None else True


@pytest.mark.parametrize("name", [name for name in FIELDS if name != "remarks"])
def test_scores_of_every_type_are_unbiased(name):
    question = QUESTIONS[name]
    for box in boxes(question):
        column = whole(question, box)
        check_scores(column)
        assert column.tabled
        assert column.private is not question.non_private
        # One bit determines only the mean.
        assert (column.scores is None) == (name == "weight")
        assert column.ordered == (question.type in ("number", "scale"))
        assert (column.value_scores is None) == (not column.ordered)
        assert len(column.answers) == len(set(column.answers))


@pytest.mark.parametrize("entry, answers, parameters", EXAMPLES)
def test_scores_of_every_mechanism_are_unbiased(entry, answers, parameters):
    if entry.name.endswith(("unary_encoding", "subset_selection")):
        # With few answers, all reports can be listed.
        answers = min(answers, 8)
    choices = [{"name": f"c{place}", "label": f"C{place}"} for place in range(answers)]
    privacy = {"mechanism": entry.name, **parameters}
    if NUMBERS in entry.serves:
        top = 4 * (answers - 1)
        rest = {"type": "number", "min": 0, "max": top, "step": 4, "privacy": privacy}
        if entry.name != "optimal_quantiles":
            rest |= {"step": 1, "privacy": privacy | {"points": answers}}
    elif BOXES in entry.serves:
        rest = {"type": "select_multiple", "choices": choices[:6], "privacy": privacy}
    else:
        kind = "select_one" if CHOICES in entry.serves else "scale"
        rest = {"type": kind, "choices": choices, "privacy": privacy}
    question = parse_survey(
        definition(
            {"name": "x", "label": "?", **rest}, budget={"epsilon": 99, "per_respondent": "all"}
        )
    ).fields[0]
    for box in boxes(question):
        check_scores(whole(question, box))


def test_chances_of_bits_are_those_of_the_two_steps():
    """Unary encoding bit by bit, and subsets by the weights of their definition."""
    colour = whole(QUESTIONS["colour"])
    p, q = (float(QUESTIONS["colour"].randomizer.p), float(QUESTIONS["colour"].randomizer.q))
    for code, text in enumerate(sorted(all_reports(QUESTIONS["colour"]))):
        for answer in range(4):
            chances = [
                (p if j == answer else q) if bit == "1" else (1 - p if j == answer else 1 - q)
                for j, bit in enumerate(text)
            ]
            assert colour.chances[answer, code] == pytest.approx(np.prod(chances), rel=1e-12)
    party = whole(QUESTIONS["party"])
    holds = np.array([[text[answer] == "1" for text in sorted(all_reports(QUESTIONS["party"]))]
                      for answer in range(8)])  # fmt: skip
    odds = float(QUESTIONS["party"].randomizer.ratio_bound)
    assert party.chances[holds].min() == pytest.approx(party.chances[~holds].max() * odds)


def test_a_scale_of_bits_has_the_values_of_its_levels_and_none_for_special_answers():
    question = parse_survey(
        definition(asked("x", "scale", UNARY, choices=letters("abcde"), prefer_not_to_say=True),
                   budget={"epsilon": 9, "per_respondent": "all"})
    ).fields[0]  # fmt: skip
    column = whole(question)
    assert column.values[:5].tolist() == [1, 2, 3, 4, 5]
    check_scores(column)


def test_a_zero_in_the_table_of_the_bits_divides_nothing():
    randomizer = UnaryEncoding(3, ((1, 1), (0, 2)))
    texts = ["".join(bits) for bits in product("01", repeat=3)]
    chances = chances_of_bits(randomizer, bits_of(texts, 3))
    assert chances.sum(axis=1).tolist() == [1, 1, 1]
    assert chances[0, texts.index("100")] == 0.5


def test_reports_are_codes_and_what_is_missing_is_minus_one():
    survey, r = parse_survey(SAMPLED), random.Random(1)
    rows = [stored(drawn(r, 3)) for _ in range(300)]
    wanted = ["smokes", "party", "tried/w", "pets/d", "glasses", "years", "news/r"]
    columns = columns_by_name(survey, iter(rows), wanted)
    assert list(columns) == wanted
    by_field = dict(zip(FIELDS, zip(*rows, strict=True), strict=True))
    for name in ("smokes", "glasses"):
        expected = [-1 if report is None else report for report in by_field[name]]
        assert columns[name].reports.tolist() == expected
    party = columns["party"]
    texts = sorted({report for report in by_field["party"] if report is not None})
    assert [None if code < 0 else texts[code] for code in party.reports] == list(by_field["party"])
    bit = {"1": 0, "0": 1, "-": -1}
    expected = [-1 if report is None else bit[report[1]] for report in by_field["tried"]]
    assert columns["tried/w"].reports.tolist() == expected
    years = columns["years"]
    assert [years.answers[code] for code in years.reports] == [
        "Prefer not to say" if place == 121 else str(place) for place in by_field["years"]
    ]
    assert columns["news/r"].reports.tolist() == [bit[report[1]] for report in by_field["news"]]


def test_a_box_of_all_combinations_keeps_apart_who_declines():
    column = whole(QUESTIONS["pets"], "d")
    assert column.answers == ("Ticked", "Not ticked", "Prefer not to say")
    assert (column.special_answers, column.listed) == (1, 2)
    # A combination has one of three values for the box.
    assert column.chances.shape == (3, 3)
    ticked = [code for code in range(8) if code >> 1 & 1]
    assert {int(column.reports[code]) for code in ticked} == {int(column.reports[2])}
    declined = whole(QUESTIONS["pets"], "prefer_not_to_say")
    assert declined.answers == ("Ticked", "Not ticked")
    assert declined.chances.shape == (2, 2)


def test_a_plain_box_of_a_question_that_may_not_be_asked():
    question = parse_survey(
        definition(
            asked("k", "yes_no", "none"),
            asked("x", "select_multiple", "none", choices=letters("ab"), relevant={"k": "yes"}),
        )
    ).fields[1]
    column = question_column(question, ["100", "010", "110", "000", "001"], "a")
    assert column.answers == ("Ticked", "Not ticked", "Not asked")
    assert column.reports.tolist() == [0, 1, 0, 1, 2]


def test_a_table_that_says_something_else_for_other_boxes_has_scores_alone():
    rows = [[5, 1, 1, 1], [1, 4, 2, 1], [1, 1, 5, 1], [1, 2, 1, 4]]
    question = parse_survey(
        definition(asked("x", "select_multiple", {"mechanism": "joint_boxes", "odds": 5},
                         choices=letters("ab")))
    ).fields[0]  # fmt: skip
    table = Randomizer.from_rows(rows)
    column = question_column(replace(question, randomizer=table), [0, 1, 2, 3, None], "a")
    assert not column.tabled
    assert column.scores.shape == (4, 2)
    ticked = np.array([0, 1, 0, 1.0])
    expected = np.column_stack([ticked, 1 - ticked])
    assert probabilities(table) @ column.scores == pytest.approx(expected, abs=1e-12)
    assert column.reports.tolist() == [0, 1, 2, 3, -1]


def test_a_non_private_number_of_many_values_has_its_values_and_no_table():
    question = parse_survey(definition(asked("x", "number", "none", min=0, max=5000))).fields[0]
    column = question_column(question, [7, *range(1, 3000, 2), None])
    assert column.scores is None
    assert not column.tabled
    assert column.value_scores[column.reports[0]] == 7
    assert column.reports[-1] == -1
    assert column.value_scores.tolist() == column.values.tolist() == list(range(1, 3000, 2))


def test_the_mean_of_a_private_number_may_be_all_there_is():
    column = whole(QUESTIONS["weight"])
    assert column.scores is None
    assert column.value_scores is not None
    assert QUESTIONS["weight"].privacy == ONE_BIT


@pytest.mark.parametrize("name", [name for name in FIELDS if name != "remarks"])
def test_no_responses_make_an_empty_column(name):
    for box in boxes(QUESTIONS[name]):
        column = question_column(QUESTIONS[name], [], box)
        assert len(column.reports) == 0
        missing = question_column(QUESTIONS[name], [None, None], box)
        assert missing.reports.tolist() == [-1, -1]


@pytest.mark.parametrize(
    "wanted, sentence",
    [
        ("remarks", "remarks is a text, which has no answers."),
        ("welcome", "There is no question 'welcome' to analyse."),
        ("tried", "tried has boxes. Name one of: tried/v, tried/w"),
        ("tried/q", "tried has no box 'q'. Name one of: tried/v"),
        ("smokes/yes", "smokes has no boxes."),
    ],
)
def test_what_is_no_column_is_refused_in_a_sentence(wanted, sentence):
    with pytest.raises(UnanswerableQuestion) as refusal:
        columns_by_name(SURVEY, [], [wanted])
    assert str(refusal.value).startswith(sentence)


@pytest.mark.parametrize(
    "design, sentence",
    [
        (
            SurveyDesign(weights=np.ones(2)),
            "The weights need one value for each response: 3, not 2.",
        ),
        (
            SurveyDesign(clusters=np.ones(4)),
            "The clusters need one value for each response: 3, not 4.",
        ),
        (
            SurveyDesign(weights=np.array([1, -1, 1])),
            "Weights must be numbers, and none may be below zero.",
        ),
        (
            SurveyDesign(weights=np.array([1, np.nan, 1])),
            "Weights must be numbers, and none may be below zero.",
        ),
        (SurveyDesign(weights=np.zeros(3)), "All weights are zero, so no response is left."),
    ],
)
def test_a_design_that_does_not_fit_is_refused(design, sentence):
    SurveyDesign(np.ones(3), np.array(["a", "b", "a"]), np.arange(3)).check(3)
    with pytest.raises(UnanswerableQuestion, match=sentence):
        design.check(3)


def test_boxes_that_no_response_has_together_are_refused_with_the_reason():
    """Two of five boxes are reported, so no number of responses can relate three of them."""
    privacy = {"mechanism": "sampled_boxes", "epsilon": 1, "sample": 2}
    boxes = asked("boxes", "select_multiple", privacy, choices=letters("abcde"))
    question = parse_survey(definition(boxes)).fields[0]
    sample, boxes = question.randomizer.sample, len(question.answers)
    reports = [report for report in all_reports(question) if report.count("-") == boxes - sample]
    columns = [question_column(question, reports * 2, each.name) for each in question.answers]
    assert complete_case_sample(columns[:sample]).n
    with pytest.raises(UnanswerableQuestion) as refusal:
        complete_case_sample(columns[: sample + 1])
    assert str(refusal.value) == (
        f"Each respondent reports on {sample} of the {boxes} boxes of “{question.label}”, chosen "
        f"at random. So no response has reports on {sample + 1} boxes, and these cannot be "
        "analysed together."
    )


def test_numbers_are_labelled_with_the_signs_of_the_language():
    """Groups and rules of a tree showed "40000000" and "1.5" on Vietnamese pages."""
    income = asked("income", "number", "none", min=0, max=50_000_000, step=500_000, unit="đồng")
    hours = asked("hours", "number", {"epsilon": 1}, min=0, max=3, step=0.5, unit="giờ")
    survey = parse_survey(definition(income, hours))
    with in_language("vi"):
        paid, slept = (
            question_column(question, reports)
            for question, reports in zip(survey.fields, ([80, 3], [1, 2]), strict=True)
        )
    assert paid.answers == ("1.500.000 đồng", "40.000.000 đồng")
    assert paid.cuts[0][1] == "4.500.000 đồng"
    assert slept.answers[:2] == ("0 giờ", "0,5 giờ")
    assert slept.report_names[:3] == ("−0,5 giờ", "0 giờ", "0,5 giờ")
    assert question_column(survey.fields[0], [80]).answers == ("40,000,000 đồng",)
