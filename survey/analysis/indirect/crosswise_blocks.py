"""A crosswise question as the blocks of its page."""

from collections.abc import Iterator

from survey.analysis.blocks import HINT, Block, Folded, Heading, Paragraph, Row, Table
from survey.analysis.cells import count_cell, level_text, share_cell
from survey.analysis.groups.figures import p_words
from survey.analysis.indirect.crosswise import Crosswise, CrosswiseFigures, InstructionTest
from survey.core.translate import join_sentences, translate


def crosswise_blocks(found: Crosswise) -> Iterator[Block]:
    """Everything that was found, but its sentence and its chart."""
    yield shares_table(found)
    if found.instructions is not None:
        yield Heading(translate("Instructions"))
        yield Paragraph(groups_text(found.instructions))
    method = translate(
        "The correction follows Atsusaka and Stevenson. The test of two groups follows Heck and "
        "others. The correction is wrong if people who answer at random prefer one answer, or "
        "answer only one of the two questions at random."
    )
    yield Folded(translate("How this is computed"), (Paragraph(method, HINT),))


def shares_table(found: Crosswise) -> Table:
    """The shares of all respondents, and of those who passed the check."""
    corrected = found.everyone.attentive is not None
    sets = [(translate("All respondents"), found.everyone)]
    if found.passed is not None:
        sets.append((translate("Passed the attention check"), found.passed))
    headings = [translate("Responses"), translate("Share, not corrected")]
    if corrected:
        headings += [translate("Attentive"), translate("Share, corrected")]
    return Table(
        key="shares",
        region=translate("Shares"),
        caption=translate(
            "Each estimate has its %(level)s %% interval.",
            level=level_text(found.level),
        ),
        names=(translate("Respondents"),),
        figures=tuple(headings),
        rows=tuple(figures_row(name, figures, corrected=corrected) for name, figures in sets),
    )


def figures_row(name: str, figures: CrosswiseFigures, *, corrected: bool) -> Row:
    cells = [count_cell(figures.n), share_cell(figures.uncorrected)]
    if corrected:
        why = translate("No correction is possible: all respondents may have answered at random")
        cells += [share_cell(figures.attentive), share_cell(figures.corrected, why)]
    return Row((name,), tuple(cells))


def groups_text(test: InstructionTest) -> str:
    """The answers of both groups, and the test that both follow the model."""
    counts = translate(
        "In the first group, %(same)s of %(n)s people said that both statements are true or both "
        "are false. In the second group, it was %(other)s of %(m)s.",
        same=test.same[0],
        n=test.n[0],
        other=test.same[1],
        m=test.n[1],
    )
    return join_sentences(counts, p_words(test.p))
