"""The blocks of validity: bounds, checks with their figures, and refused checks."""

import numpy as np
import pytest

from survey.analysis.blocks import NOTICE, Facts, Paragraph
from survey.analysis.columns.sample_means import complete_case_sample
from survey.analysis.groups.figures import IntervalEstimate
from survey.analysis.validity.noncompliance import bounds_with_inputs, denials
from survey.analysis.validity.validity import contrast_with_direct, said_by, use_control_question
from survey.analysis.validity.validity_blocks import (
    bounds_blocks,
    bounds_note,
    contrast_blocks,
    control_blocks,
    refused_check,
)
from survey.estimation.findings.remarks import REFUSED_CHECK
from tests.support.analysed import COIN, column, plain
from tests.support.blocks import cells_in, table_in, texts_in

pytestmark = pytest.mark.fast
Y = column(np.array([0, 1, 1, 0, 0] * 40), COIN, "y")
MOON = column(np.array([1, 1, 1, 0, 1, 0, 1, 1] * 25), COIN, "moon")


def test_the_bounds_are_a_fact_with_both_ends():
    found = bounds_with_inputs(said_by(Y, complete_case_sample([Y]), 0), 0.2, 0.0, 0.0)
    blocks = list(bounds_blocks(found, Y, 200, 3))
    [facts] = [block for block in blocks if isinstance(block, Facts)]
    [(_, cell)] = facts.pairs
    assert (cell.low, cell.high) == (found.low, found.high)
    assert "Based on 200 responses. Candor excludes 3 other responses" in texts_in(blocks)
    note = bounds_note(found, denials(found), "Yes", 200)
    assert "The area shows the bounds. The vertical line" in note


def test_the_note_says_which_errors_were_entered_and_what_the_chart_leaves_out():
    rare = column(np.array([1] * 30 + [0] * 2), COIN, "r")
    found = bounds_with_inputs(said_by(rare, complete_case_sample([rare]), 0), 0.2, 0.1, 0.0)
    note = bounds_note(found, denials(found), "Yes", 32)
    assert "with the other errors that you entered" in note
    assert note.endswith("The curve is below 0, so the chart does not show it.")


def test_the_sentence_names_the_share_and_only_the_errors_that_were_entered():
    said = said_by(Y, complete_case_sample([Y]), 0)
    entered = bounds_with_inputs(said, 0.2, 0.0, 0.05).sentence("Yes", "Y?")
    assert entered.startswith("The estimated share of “Yes” in “Y?” is 70.0 % (")
    assert (
        "Assume that at most 20 % of people with this answer denied it and at most 5 % of all "
        "people answered at random. Then the true share is between "
    ) in entered
    assert "If all answers are true, the true share is between " in bounds_with_inputs(
        said
    ).sentence("A", "B")
    unknown = IntervalEstimate(value=0.5, standard_error=0.3, low=0.0, high=1.0, method="")
    assert bounds_with_inputs(unknown).sentence("Yes", "Y?") == (
        "The share of “Yes” in “Y?” can have any value. If all answers are true, the true share is "
        "between 0.0 % and 100.0 %."
    )
    impossible = IntervalEstimate(value=-0.2, standard_error=0.1, low=0.0, high=0.1, method="")
    assert (
        bounds_with_inputs(impossible)
        .sentence("A", "B")
        .startswith("The share of “A” in “B” is at most")
    )


def test_random_answers_cannot_move_a_share_past_their_own():
    """A known share of 10 %, and 90 % Yes: random answers give 50 %."""
    control = plain(np.array([0] * 9 + [1]).repeat(20), 2, "control")
    question = plain(np.array([0, 1] * 100), 2, "question")
    found = use_control_question(question, control, 0.1)
    assert not found.explains
    assert found.corrected is None
    assert found.sentence.endswith(
        "Random answers alone do not explain this difference, so no correction is possible."
    )
    rows = cells_in(table_in(control_blocks(found, "Yes"), "control-figures"))
    assert [row[0].exact is None for row in rows] == [False, True, False, True]


def test_checks_have_their_figures_or_their_reason():
    control = use_control_question(Y, MOON, 0.95, 0, 1)
    rows = cells_in(table_in(control_blocks(control, "Yes"), "control-figures"))
    assert [row[0].exact for row in rows] == [
        None if each is None else each.value
        for each in (control.control, control.random, control.uncorrected, control.corrected)
    ]
    direct = plain(np.array([0, 1] * 100), 2, "d")
    contrast = contrast_with_direct(Y, direct)
    rows = cells_in(table_in(contrast_blocks(contrast, Y), "contrast-figures"))
    assert [row[0].exact for row in rows] == [
        contrast.randomised.value, contrast.direct.value, contrast.difference.value
    ]  # fmt: skip
    assert list(refused_check("Direct arm", "Too few."))[1] == Paragraph(
        "Too few.", NOTICE, code=REFUSED_CHECK
    )
