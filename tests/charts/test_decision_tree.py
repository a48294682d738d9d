"""The chart of a decision tree, calculated by hand: 356 units from 470 to 826 are 0 to 100 %."""

from dataclasses import replace
from xml.etree import ElementTree

import numpy as np
import pytest

from survey.analysis.trees.trees import DecisionTree, build_decision_tree
from survey.charts.decision_tree import NARROW, WIDE, Layout, clip_text, tree_chart
from survey.core.text_widths import length
from tests.support.analysed import plain

pytestmark = pytest.mark.fast


def grown() -> DecisionTree:
    """400 people: one half gave the first answer three times in four, the other half never."""
    x = np.arange(400) % 2
    return build_decision_tree(plain(np.where(np.arange(400) % 8 < 2, 1, x), 2, "y"), [plain(x, 2)])


def found(svg: str, tag: str, name: str) -> list[str | None]:
    return [each.get(name) for each in ElementTree.fromstring(svg).iter() if each.tag.endswith(tag)]


@pytest.mark.parametrize(
    ("layout", "ticks", "dots"),
    [
        (WIDE, ["470.0", "559.0", "648.0", "737.0", "826.0"], ["603.5", "737.0", "470.0"]),
        # Without names of answers, the axis begins further left.
        (NARROW, ["24.0", "96.5", "169.0", "241.5", "314.0"], ["132.8", "241.5", "24.0"]),
    ],
)
def test_shares_lie_on_an_axis_from_0_to_100_percent(layout: Layout, ticks, dots):
    """The shares of all respondents, and of each half."""
    svg = tree_chart(grown(), layout).svg().__html__()
    assert found(svg, "circle", "cx") == dots
    assert sorted({x for x in found(svg, "line", "x1") if x in ticks}, key=float) == ticks


def test_texts_are_escaped_and_cut():
    hostile = '<script>"&' + "题" * 60
    x = np.arange(400) % 2
    split = replace(plain(x, 2, "x"), label=hostile, answers=("ก็" * 60, "b"))
    drawn = tree_chart(build_decision_tree(plain(x, 2, "y"), [split])).svg().__html__()
    ElementTree.fromstring(drawn)
    assert "<script" not in drawn
    assert "…" in drawn
    assert length("题" * 10) > 1.5 * length("a" * 10)
    assert length("ก็" * 10) == length("ก" * 10)
    assert clip_text("题" * 10, 13 * length("题题题…")) == "题" * 3 + "…"
    assert clip_text("abc", 0) == "…"
    assert clip_text("abc", 13 * length("abc")) == "abc"
