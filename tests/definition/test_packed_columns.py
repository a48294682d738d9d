"""Reports packed into one number: unpacking gives every combination unchanged."""

import math
from itertools import pairwise, product

import pytest

from survey.definition.responses.packed_columns import (
    MAX_PACK_VALUES,
    PackedColumns,
    packs_of,
    separate,
)
from survey.definition.survey import parse_survey
from tests.support.definitions import definition, yes_no
from tests.support.every_type import EVERY_TYPE, SAMPLED, asked, letters

pytestmark = pytest.mark.fast


def packed(pack: PackedColumns, reports: tuple[int | None, ...]) -> int:
    """An independent packing: the first report is the lowest digit, a missing one the highest."""
    number, step = 0, 1
    for question, size, report in zip(pack.questions, pack.sizes, reports, strict=True):
        number += step * (len(question.form.names) if report is None else report)
        step *= size
    return number


@pytest.mark.parametrize("sample", [None, 1])
def test_every_combination_of_reports_is_read_again(sample):
    questions = [yes_no(), asked("mood", "scale", {"epsilon": 1}, choices=letters("abc")),
                 asked("region", "select_one", "none", choices=letters("nesw"))]  # fmt: skip
    budget = {} if sample is None else {"budget": {"per_respondent": {"sample": sample}}}
    [pack] = packs_of(parse_survey(definition(*questions, **budget)))
    assert pack.sizes == ((2, 3, 4) if sample is None else (3, 4, 4))
    none = [] if sample is None else [None]
    ways = list(product([0, 1, *none], [0, 1, 2, *none], range(4)))
    numbers = [packed(pack, way) for way in ways]
    assert sorted(numbers) == list(range(math.prod(pack.sizes)))
    assert [tuple(pack.reports(number)) for number in numbers] == ways


def test_a_number_that_the_database_gives_as_text_is_read_too():
    [pack] = packs_of(parse_survey(definition(yes_no(), yes_no("drinks"))))
    assert pack.reports("3") == [1, 1]


@pytest.mark.parametrize("content", [EVERY_TYPE, SAMPLED])
def test_packs_have_the_questions_in_order_and_few_values(content):
    survey = parse_survey(content)
    packs = packs_of(survey)
    assert [each for pack in packs for each in pack.questions] == list(survey.fields)
    assert len(packs) < len(survey.fields)
    for pack in packs:
        assert math.prod(pack.sizes) <= MAX_PACK_VALUES
        if not pack.sizes:
            assert len(pack.questions) == 1
            assert pack.reports("a text") == ["a text"]
    for before, after in pairwise(packs):
        # One more question would exceed the limit.
        if before.sizes and after.sizes:
            assert math.prod(before.sizes) * after.sizes[0] > MAX_PACK_VALUES


def test_separate_packs_hold_what_is_stored():
    survey = parse_survey(definition(yes_no(), yes_no("drinks")))
    assert separate(survey) == [PackedColumns((question,)) for question in survey.fields]
    assert separate(survey)[0].reports(1) == [1]
    assert separate(survey)[0].reports(None) == [None]
