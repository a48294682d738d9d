"""The blocks of a result: what its page and the terminal show, in this order.

Each analysis gives its blocks once, complete and in the language of the page. The page and the
terminal only lay them out: they compare and round nothing. The terminal leaves out what a page
folds, unless it is `printed`.

Texts can have terms of the glossary (survey/core/glossary_terms.py).
"""

from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from typing import ClassVar

from survey.core.glossary_terms import without_marks
from survey.estimation.findings.remarks import NOTE, Remark

# The kinds of paragraphs: ordinary, less important, a finding, a notice, and a warning.
PLAIN = "plain"
HINT = "hint"
FINDING = "finding"
NOTICE = "notice"
WARNING = "warning"


@dataclass(frozen=True, kw_only=True)
class FigureCell:
    """A cell of a table.

    Attributes
    ----------
    text : as it is shown
    exact : the figure at full precision, or None
    between : the interval as it is shown, or empty
    low, high : the ends of the interval at full precision, or None
    why : why there is no figure
    """

    text: str
    exact: float | None = None
    between: tuple[str, str] | None = None
    low: float | None = None
    high: float | None = None
    why: str = ""


@dataclass(frozen=True)
class Row:
    """A row of a table.

    Attributes
    ----------
    names : the cells that say what the row is about
    cells : its figures
    group : a heading above this row and those that follow with the same one
    instead : a sentence that stands in the place of all figures
    """

    names: tuple[str, ...]
    cells: tuple[FigureCell, ...] = ()
    group: str = ""
    instead: str = ""


@dataclass(frozen=True, kw_only=True)
class Table:
    """A table.

    Attributes
    ----------
    key : its name on the page and in files, the same in all languages
    region : its name for screen readers, if it scrolls
    names : the headings of the cells that say what a row is about
    figures : the headings of the figures
    style : the classes of the table
    named_rows : whether the first cell of a row is its heading
    """

    layout: ClassVar[str] = "table"
    key: str
    region: str
    caption: str
    names: tuple[str, ...]
    figures: tuple[str, ...]
    rows: tuple[Row, ...]
    style: str = "crosstab"
    tall: bool = True
    named_rows: bool = True


@dataclass(frozen=True)
class Heading:
    layout: ClassVar[str] = "heading"
    text: str
    key: str = ""


@dataclass(frozen=True)
class Paragraph:
    """A paragraph of a kind such as HINT. If it is a remark, `code` is that of the remark."""

    layout: ClassVar[str] = "paragraph"
    text: str
    kind: str = PLAIN
    key: str = ""
    code: str = ""


@dataclass(frozen=True)
class Listed:
    """A list of sentences."""

    layout: ClassVar[str] = "list"
    key: str
    items: tuple[str, ...]


@dataclass(frozen=True)
class Facts:
    """Names with their values."""

    layout: ClassVar[str] = "facts"
    pairs: tuple[tuple[str, FigureCell], ...]
    key: str = ""


@dataclass(frozen=True)
class FormulaLine:
    """A formula, which is set apart."""

    layout: ClassVar[str] = "formula"
    text: str


@dataclass(frozen=True)
class Folded:
    """Blocks that a page shows at a click. The terminal leaves them out unless `printed`."""

    layout: ClassVar[str] = "folded"
    summary: str
    blocks: tuple["Block", ...]
    printed: bool = False


Block = Heading | Paragraph | Listed | Facts | FormulaLine | Table | Folded


def remark_block(remark: Remark, kind: str = "") -> Paragraph:
    """A remark as a paragraph: a hint if it is a note, else a notice, unless it has this kind."""
    return Paragraph(
        remark.sentence, kind or (HINT if remark.severity == NOTE else NOTICE), code=remark.code
    )


def remarks_in(blocks: Iterable[Block]) -> Iterator[Remark]:
    """The remarks among blocks, in their order. What the finding says is not among them."""
    for block in blocks:
        match block:
            case Paragraph() if block.code:
                yield Remark(block.code, without_marks(block.text))
            case Folded():
                yield from remarks_in(block.blocks)
