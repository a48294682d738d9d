"""Correlations of several questions as the blocks of their page."""

from collections.abc import Iterator, Sequence
from string import ascii_uppercase

from survey.analysis.blocks import (
    HINT,
    Block,
    FigureCell,
    Folded,
    FormulaLine,
    Heading,
    Paragraph,
    Row,
    Table,
    remark_block,
)
from survey.analysis.cells import DASH, amount_cell, count_cell, error_cell, level_text, p_cell
from survey.analysis.tables.correlation_matrix import Correlations, Pair
from survey.core.glossary_terms import glossary_term
from survey.core.text_widths import shorten_middle
from survey.core.translate import join_sentences, translate

# The size of a label in a row of a pair, and its width. The matrix has the whole labels.
LABEL_SIZE = 13
LABEL_WIDTH = 340


def correlation_blocks(
    found: Correlations, labels: Sequence[str], *, weighted: bool
) -> Iterator[Block]:
    """Everything that was found, but its sentence and its chart. `labels` name the quantities."""
    several = len(found.pairs) > 1
    if several:
        yield matrix(found, labels)
        yield Heading(translate("Pairs"))
    yield pairs_table(found, labels, weighted=weighted)
    yield Paragraph(join_sentences(*meaning_of_p(found)), HINT)
    yield from map(remark_block, found.remarks)
    if any(column.special_answers for column in found.columns):
        special = glossary_term("special answer", translate("special answer"))
        yield Paragraph(
            translate(
                "All results describe respondents who gave no %(special_answer)s to either "
                "question of a pair.",
                special_answer=special,
            ),
            HINT,
        )
    yield Folded(translate("How this is computed"), tuple(method_of_correlations()))


def matrix(found: Correlations, labels: Sequence[str]) -> Table:
    """The coefficients of all pairs below the diagonal."""
    letters, columns = ascii_uppercase[: len(labels)], range(len(labels) - 1)

    def cell(row: int, column: int) -> FigureCell:
        if column >= row:
            return FigureCell(text="")
        pair = found.of(row, column)
        return FigureCell(text=DASH) if pair.found is None else amount_cell(pair.found.figure)

    return Table(
        key="matrix",
        region=translate("Matrix"),
        caption=translate(
            "Each coefficient has its %(level)s %% interval.",
            level=level_text(found.level),
        ),
        names=("",),
        figures=tuple(letters[:-1]),
        rows=tuple(
            Row(
                (f"{letters[row]} {label}",),
                tuple(cell(row, each) for each in columns),
            )
            for row, label in enumerate(labels)
        ),
        style="crosstab matrix",
    )


def pairs_table(found: Correlations, labels: Sequence[str], *, weighted: bool) -> Table:
    """Each pair with its coefficient, its standard error and its p-values."""
    several = len(found.pairs) > 1
    level = level_text(found.level)
    caption = (
        translate(
            "With a separate %(level)s %% interval for each pair. n is the number of responses "
            "with an answer or report for both questions, and with a weight.",
            level=level,
        )
        if weighted
        else translate(
            "With a separate %(level)s %% interval for each pair. n is the number of responses "
            "with an answer or report for both questions.",
            level=level,
        )
    )
    holm = (translate("p (Holm)"),) if several else ()
    return Table(
        key="pairs",
        region=translate("Pairs"),
        caption=caption,
        names=(translate("Questions"),),
        figures=(translate("Coefficient"), translate("Standard error"), "n", "p", *holm),
        rows=tuple(pair_row(pair, labels, several=several) for pair in found.pairs),
    )


def pair_row(pair: Pair, labels: Sequence[str], *, several: bool) -> Row:
    both = translate("Both")
    if several:
        both = "; ".join(
            f"{ascii_uppercase[each]} {shorten_middle(labels[each], LABEL_SIZE, LABEL_WIDTH)}"
            for each in (pair.first, pair.second)
        )
    if pair.found is None:
        return Row((both,), instead=pair.refusal)
    figure = pair.found.figure
    cells = [amount_cell(figure), error_cell(figure.standard_error)]
    cells += [count_cell(pair.found.n), p_cell(pair.found.p)]
    return Row((both,), (*cells, p_cell(pair.adjusted)) if several else tuple(cells))


def meaning_of_p(found: Correlations) -> Iterator[str]:
    yield translate(
        "p is the probability of a coefficient at least this far from 0 if there were no "
        "correlation."
    )
    if len(found.pairs) > 1:
        yield translate(
            "With %(n)s pairs, some can look significant by chance alone. Use Holm’s p: it "
            "controls the probability of any false positive among all pairs.",
            n=len(found.pairs),
        )
    yield translate(
        "Correlation is not causation, and a coefficient of 0 can hide a nonlinear relation."
    )


def method_of_correlations() -> Iterator[Block]:
    yield FormulaLine(
        translate("(mean of xy − mean of x × mean of y) / √(variance of x × variance of y)")
    )
    yield Paragraph(
        translate(
            "Each mean is a mean of %(scores)s that are unbiased for the answers. For non-private "
            "questions, the coefficient is Pearson’s. If both questions have two answers, the "
            "coefficient is φ. Standard errors use the delta method. Intervals use Fisher’s z "
            "scale if both questions are non-private and at least one has more than two answers. "
            "Otherwise, they use the covariance. The p-value is from a test that the covariance is "
            "zero. This test is valid even with few responses, except with a sampling design or "
            "for questions that are randomised together. With few responses or strong "
            "randomisation, a coefficient is biased away from zero.",
            scores=glossary_term("score", translate("scores")),
        ),
        HINT,
    )
