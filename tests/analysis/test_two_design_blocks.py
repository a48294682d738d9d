"""The blocks of a design of two groups: counts of reports, shares, and shares that cannot be."""

import numpy as np
import pytest

from survey.analysis.blocks import Paragraph
from survey.analysis.validity.two_design_blocks import reports_of_groups, two_design_blocks
from survey.analysis.validity.two_designs import CHEATING, two_designs
from survey.core.errors import UnanswerableQuestion
from survey.estimation.findings.remarks import MISFIT, OUTSIDE_RANGE
from tests.support.analysed import COIN, column, plain
from tests.support.blocks import cells_in, table_in

pytestmark = pytest.mark.fast
LEVEL = 0.95


def blocks_of(p, yes, n=(100, 100)):
    """The blocks, and the shares in them."""
    found = two_designs(CHEATING, p, yes, n, LEVEL)
    by = plain(np.arange(sum(n)) % 2, 2, "version")
    return [*two_design_blocks(found, by, "Yes", yes, n, LEVEL)], found


def test_reports_are_counted_where_both_questions_have_one():
    # The answer 2 is a special one, which counts in no group.
    said = plain(np.array([0, 1, 0, 0, 1, 2, 0, -1]), 3, "said", special_answers=1)
    by = plain(np.array([0, 0, 0, 1, 1, 1, 2, 1]), 3, "version", special_answers=1)
    assert reports_of_groups(said, by, 0).counts == ((2, 1), (3, 2))
    assert reports_of_groups(said, by, 1).counts == ((1, 1), (3, 2))


@pytest.mark.parametrize("place", [0, 1])
@pytest.mark.parametrize(
    "wrong",
    [column(np.array([0, 1] * 5), COIN, "q"), plain(np.array([0, 1] * 5), 3, "q")],
    ids=["private", "three answers"],
)
def test_other_questions_are_refused_by_their_label(place, wrong):
    pair = [plain(np.array([0, 1] * 5), 2, "other")] * 2
    pair[place] = wrong
    with pytest.raises(UnanswerableQuestion, match="“What of q\\?” must be a non-private question"):
        reports_of_groups(*pair, 0)


def test_the_tables_have_the_counts_and_the_shares():
    blocks, found = blocks_of((0.2, 0.6), (40, 60))
    reports = table_in(blocks, "reports")
    assert [row.names for row in reports.rows] == [("version0",), ("version1",)]
    counts = [[cell.text for cell in row] for row in cells_in(reports)]
    assert counts == [["40", "100"], ["60", "100"]]
    assert reports.figures == ("Reports “Yes”", "Reports")
    shares = table_in(blocks, "shares")
    assert [row.names[0] for row in shares.rows] == [
        "honest yes",
        "honest no",
        "did not follow the rule",
    ]
    assert shares.figures[0] == "with 95 % interval"
    for (share, error), each in zip(cells_in(shares), found.shares, strict=True):
        assert share.exact == each.figure.value
        assert (share.low, share.high) == (each.figure.low, each.figure.high)
        assert error.exact == each.figure.standard_error
    assert not any(isinstance(block, Paragraph) for block in blocks)


@pytest.mark.parametrize(
    ("yes", "code"),
    [((47, 53), OUTSIDE_RANGE), ((40, 60), MISFIT)],
    ids=["random error", "swapped probabilities"],
)
def test_a_share_that_cannot_be_true_has_a_remark(yes, code):
    blocks, _ = blocks_of((0.6, 0.2), yes)
    [remark] = [block for block in blocks if isinstance(block, Paragraph)]
    assert remark.code == code
    assert "cannot be below 0 or above 100 %" in remark.text
    assert ("before you use these estimates" in remark.text) == (code == MISFIT)
