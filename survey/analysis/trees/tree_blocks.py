"""A decision tree as the blocks of its page."""

from collections.abc import Iterator, Sequence

from survey.analysis.blocks import (
    Block,
    FigureCell,
    Folded,
    Heading,
    Listed,
    Paragraph,
    Row,
    Table,
    remark_block,
)
from survey.analysis.cells import DASH, level_text, p_cell, share_cell, value_cell
from survey.analysis.groups.figures import IntervalEstimate
from survey.analysis.sentences import excluded_responses
from survey.analysis.trees.predictions import PredictedRow, TreeAccuracy
from survey.analysis.trees.tree_text import (
    conditions_text,
    displayed_answers,
    nodes_with_depth,
    rules,
    tree_accuracy_sentences,
)
from survey.analysis.trees.trees import DecisionTree, Node
from survey.core.translate import join_sentences, translate
from survey.estimation.number_text import fixed_decimals, percent


def tree_blocks(
    tree: DecisionTree, accuracy: TreeAccuracy, predicted: Sequence[PredictedRow]
) -> Iterator[Block]:
    """Everything that a tree found, but its sentence and its chart."""
    yield Paragraph(join_sentences(*whom_the_tree_describes(tree)))
    yield Heading(translate("Rules"))
    yield Listed("rules", tuple(rules(tree)))
    yield from map(remark_block, tree.remarks)
    yield Heading(translate("Branches"))
    yield branches_table(tree)
    yield Heading(translate("Predictions"))
    yield Listed("accuracy", tuple(tree_accuracy_sentences(accuracy)))
    if predicted:
        yield Folded(
            translate("The first responses and their predictions"),
            (
                Paragraph(
                    translate(
                        "Each row is a response with non-private answers to all these questions."
                    )
                ),
                predicted_table(tree, predicted),
            ),
            printed=True,
        )


def whom_the_tree_describes(tree: DecisionTree) -> Iterator[str]:
    """How many responses there are."""
    yield translate(
        "Based on %(n)s responses with an answer or report for the outcome and every predictor.",
        n=tree.n,
    )
    yield excluded_responses(tree.left_out)


def branches_table(tree: DecisionTree) -> Table:
    """Each branch with its shares, and how it is split, or why not."""
    shares = (
        translate("Share of “%(answer)s”", answer=tree.target.answers[place])
        for place in displayed_answers(tree)
    )
    return Table(
        key="branches",
        region=translate("Branches"),
        caption=translate(
            "Each share has its %(level)s %% interval. The gain is the "
            "information about the outcome, in bits. p has Bonferroni’s correction for all splits "
            "that were tested in the branch.",
            level=level_text(tree.level),
        ),
        names=(translate("Branch"), translate("Split by")),
        figures=(
            translate("Share of respondents"),
            *shares,
            translate("Gain"),
            translate("Gain from noise"),
            "p",
        ),
        rows=tuple(branch_row(node, tree) for node, _ in nodes_with_depth(tree.root)),
    )


def branch_row(node: Node, tree: DecisionTree) -> Row:
    name = conditions_text(node) or translate("All respondents")
    size = branch_cell(node.share) if node.conditions else value_cell(1.0, percent(1.0))
    cells = [size, *(branch_cell(node.shares[place]) for place in displayed_answers(tree))]
    if node.split is None:
        names = name, translate("not split: %(reason)s", reason=node.why)
        return Row(names, (*cells, *[FigureCell(text=DASH)] * 3))
    split = node.split
    gains = [value_cell(gain, fixed_decimals(gain, 3)) for gain in (split.gain, split.noise)]
    return Row((name, split.column.label), (*cells, *gains, p_cell(split.adjusted_p)))


def branch_cell(figure: IntervalEstimate | None) -> FigureCell:
    return share_cell(figure, translate("The estimated size of this group is zero"))


def predicted_table(tree: DecisionTree, predicted: Sequence[PredictedRow]) -> Table:
    """Responses next to what the tree predicts for them."""
    labels = [column.label for column in (*tree.predictors, tree.target)]
    return Table(
        key="predicted",
        region=translate("Predictions"),
        caption="",
        names=(*labels, translate("Prediction"), ""),
        figures=(),
        rows=tuple(
            Row(
                (
                    *row.answers,
                    row.true,
                    row.predicted,
                    translate("correct") if row.right else translate("not correct"),
                )
            )
            for row in predicted
        ),
        tall=False,
        named_rows=False,
    )
