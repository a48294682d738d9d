"""The mosaic: areas are shares, none below zero, and together all respondents."""

from dataclasses import replace

import numpy as np
import pytest

from survey.analysis.tables.crosstabs import crosstab
from survey.charts.mosaic import NARROW, TOTAL_HEIGHT, WIDE, mosaic_chart, mosaic_shares
from tests.support.analysed import COIN, column, plain
from tests.support.charted import drawn, words

pytestmark = pytest.mark.fast

# 30 of the first row and 10 of the second have the first column, of 40 and 60.
ROWS = plain(np.array([0] * 40 + [1] * 60), 2, "row")
COLUMNS = plain(np.array([0] * 30 + [1] * 10 + [0] * 10 + [1] * 50), 2, "column")


@pytest.mark.parametrize("layout", [WIDE, NARROW])
def test_an_area_is_the_share_of_respondents_with_both_answers(layout):
    chart = mosaic_chart(crosstab([ROWS, COLUMNS]), layout)
    parts = drawn(chart, "rect", "part")[:4]
    width = layout.right - layout.left
    areas = [each.attributes["width"] * each.attributes["height"] for each in parts]
    assert [area / (width * TOTAL_HEIGHT) for area in areas] == pytest.approx(
        [0.3, 0.1, 0.1, 0.5], abs=0.001
    )
    assert {"row0", "row1", "column0", "column1"} <= {*words(chart)}
    assert chart.width == layout.width


def test_three_questions_have_a_mosaic_for_each_layer():
    layer = plain(np.arange(100) % 2, 2, "layer")
    chart = mosaic_chart(crosstab([ROWS, COLUMNS, layer]))
    assert len(drawn(chart, "rect", "part")) == 2 * 4 + 2


def test_a_long_third_question_is_shortened_but_not_its_answer():
    """At 375 px, the heading was “Bạn có hút thuốc không? K…”."""
    layer = replace(
        plain(np.arange(100) % 2, 2, "layer"),
        label="Have you ever smoked in the last 12 months? " * 3,
    )
    for layout in (WIDE, NARROW):
        found = [*words(mosaic_chart(crosstab([ROWS, COLUMNS, layer]), layout))]
        assert sum(each.endswith("… “layer0”") for each in found) == 1
        assert sum(each.endswith("… “layer1”") for each in found) == 1


def test_no_share_is_below_zero():
    # Fewer reports say Yes than noise alone produces.
    private = column(np.array([0] * 5 + [1] * 95), COIN, "private")
    table = crosstab([private, COLUMNS])
    assert table.negative
    shares, likeliest = mosaic_shares(table)
    assert likeliest
    assert min(shares) >= 0
    assert sum(shares) == pytest.approx(1)
    shares, likeliest = mosaic_shares(replace(table, likeliest=None))
    assert not likeliest
    assert min(shares) == 0
    assert sum(shares) == pytest.approx(1)


@pytest.mark.parametrize("layout", [WIDE, NARROW])
def test_the_chart_names_the_questions_of_rows_and_columns(layout):
    """Both questions can have the answers Yes and No."""
    first, second = replace(ROWS, label="Do you drink?"), replace(COLUMNS, label="Do you smoke?")
    found = [*words(mosaic_chart(crosstab([first, second]), layout))]
    assert found.index("Do you drink?") < found.index("row0")
    assert found.index("Do you smoke?") < found.index("column0")
