"""The blocks of a list experiment: warnings, the answers of both groups, the types of people."""

import pytest

from survey.analysis.blocks import WARNING
from survey.analysis.indirect.list_blocks import list_blocks
from survey.analysis.indirect.list_experiment import list_experiment
from survey.analysis.sentences import design_effect_remarks, list_sentence
from survey.estimation.findings.remarks import HIDDEN_ANSWERS, NOT_PRIVATE
from tests.support.blocks import cells_in, table_in, texts_in

pytestmark = pytest.mark.fast
CONTROL, TREATMENT = (40, 90, 50, 20), (20, 60, 70, 40, 10)


def test_answers_and_types_are_those_of_the_experiment():
    found = list_experiment(CONTROL, TREATMENT)
    blocks = list(list_blocks(found, None, ""))
    *counts, means = cells_in(table_in(blocks, "answers"))
    assert [[cell.text for cell in row] for row in counts] == [
        ["40", "20"], ["90", "60"], ["50", "70"], ["20", "40"], ["–", "10"]
    ]  # fmt: skip
    assert [cell.exact for cell in means] == list(found.means)
    assert [row[0].exact for row in cells_in(table_in(blocks, "types"))] == [
        each.share for each in found.types
    ]
    assert "Test for a design effect: p = " in texts_in(blocks)
    assert [(block.kind, block.code) for block in blocks[:2]] == [
        (WARNING, HIDDEN_ANSWERS),
        (WARNING, NOT_PRIVATE),
    ]


def test_a_design_effect_leaves_no_estimate_in_words():
    """More people have 0 true statements in the longer list, which is impossible by design."""
    found = list_experiment((10, 60, 100, 30), (60, 40, 60, 30, 10))
    [verdict] = design_effect_remarks(found)
    assert list_sentence(found) == verdict.sentence
    said = texts_in(list_blocks(found, None, ""))
    assert "true for" not in said
    assert "true share" not in said
    assert "the answers 0 (60 respondents) and 4 (10) reveal" in said


def test_a_survey_without_other_ways_has_no_such_table():
    with pytest.raises(KeyError):
        table_in(list_blocks(list_experiment(CONTROL, TREATMENT), None, ""), "ways")
