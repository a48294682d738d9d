"""Columns of single answers: bits, numbers and codes, against enumeration and by hand."""

import random
from itertools import product

import numpy as np
import pytest

from survey.analysis import columns_by_name, question_column
from survey.analysis.columns.single_answer import bits_of, chances_of_bits
from survey.core.factored_randomizers import UnaryEncoding
from survey.core.translate import in_language
from survey.definition.survey import parse_survey
from tests.analysis.columns_of_types import QUESTIONS, all_reports, check_scores, whole
from tests.support.definitions import definition
from tests.support.every_type import FIELDS, ONE_BIT, SAMPLED, UNARY, asked, drawn, letters, stored

pytestmark = pytest.mark.fast


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


def test_a_scale_of_bits_has_the_values_of_its_levels_and_none_for_extras():
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
