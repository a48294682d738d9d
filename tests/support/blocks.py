"""What the blocks of a result show: all texts, and the cells of a table."""

from collections.abc import Iterable

from survey.analysis.blocks import Block, FigureCell, Folded, Paragraph, Table
from survey.core.glossary_terms import without_marks


def table_in(blocks: Iterable[Block], key: str) -> Table:
    """The table with a key, also if a page folds it."""
    for block in blocks:
        if isinstance(block, Table) and block.key == key:
            return block
        if isinstance(block, Folded):
            for inner in block.blocks:
                if isinstance(inner, Table) and inner.key == key:
                    return inner
    raise KeyError(key)


def cells_in(table: Table) -> list[tuple[FigureCell, ...]]:
    """The figures of each row."""
    return [row.cells for row in table.rows]


def texts_in(blocks: Iterable[Block]) -> str:
    """The paragraphs that are not folded, one below the other."""
    return "\n".join(without_marks(each.text) for each in blocks if isinstance(each, Paragraph))


def remarked(found):
    """The sentences of the remarks on a result."""
    return tuple(remark.sentence for remark in found.remarks)
