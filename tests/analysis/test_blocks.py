"""Each kind of block has a layout that the page knows, and lines in the terminal."""

from typing import get_args

import pytest

from survey.analysis.blocks import (
    Block,
    Facts,
    FigureCell,
    Folded,
    FormulaLine,
    Heading,
    Listed,
    Paragraph,
    Row,
    Table,
)
from survey.cli.tables import block_lines
from tests.support.project import ROOT

pytestmark = pytest.mark.fast
TABLE = Table(
    key="k",
    region="Region",
    caption="Caption",
    names=("",),
    figures=("Share",),
    rows=(Row(("a",), (FigureCell(text="5 %", exact=0.05),)),),
)


def test_the_template_lays_out_every_kind():
    template = (ROOT / "templates" / "admin" / "analysis" / "_blocks.html").read_text()
    for kind in get_args(Block):
        assert f'block.layout == "{kind.layout}"' in template, kind


def test_the_terminal_prints_every_kind_that_is_not_folded():
    figure = FigureCell(text="5 %", exact=0.05, between=("1 %", "9 %"), low=0.01, high=0.09)
    blocks = [
        Heading("Head"), Paragraph("Text."), Listed("key", ("One", "Two")), FormulaLine("a + b"),
        Facts((("Odds", figure),)), TABLE, Folded("More", (Paragraph("Hidden."),)),
    ]  # fmt: skip
    assert {type(block) for block in blocks} == {*get_args(Block)}
    lines = "\n".join(block_lines(blocks))
    for words in ("Head", "Text.", "* One", "* Two", "a + b", "Odds: 5 % (1 % to 9 %)", "Caption"):
        assert words in lines
    assert "Hidden." not in lines


def test_a_reason_stands_in_place_of_figures():
    table = Table(
        key="k",
        region="R",
        caption="C",
        names=("",),
        figures=("A", "B"),
        rows=(Row(("x",), instead="Too few."),),
    )
    [line] = [line.split() for line in block_lines([table]) if "Too few." in line]
    assert line == ["x", "Too", "few."]
