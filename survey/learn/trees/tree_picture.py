"""The picture of a tree: a row for each node, with the shares of both outcomes."""

from collections.abc import Iterator

from survey.charts import svg
from survey.core.text_widths import shorten_middle
from survey.core.translate import translate, translate_constant, translate_number
from survey.learn.pictures import BAR_RIGHT
from survey.learn.trees.tree_nodes import SECOND, PredictedNode
from survey.learn.trees.tree_table import TreeTable

ROW = 44
INDENT = 14
LEFT = 8
BAR_START = 268
BAR_HEIGHT = 14


def picture_rows(
    node: PredictedNode, table: TreeTable, name: str, depth: int = 0, above: int = SECOND
) -> Iterator[tuple[PredictedNode, str, int, int]]:
    """Each node in the order of the picture, with its name, its depth and its prediction."""
    predicted = node.prediction(above)
    yield node, name, depth, predicted
    if node.split is not None:
        for branch, child in enumerate(node.children):
            label = table.branch_label(node.split, branch)
            yield from picture_rows(child, table, label, depth + 1, predicted)


def tree_chart(root: PredictedNode, table: TreeTable) -> svg.Chart:
    """The tree as indented rows, each with a bar: the share of the first outcome is filled."""
    shapes: list[svg.Shape] = []
    ways: list[float] = []
    rows = list(picture_rows(root, table, translate_constant(table.everyone)))
    first, second = (translate_constant(outcome) for outcome in table.outcomes)
    for place, (node, name, depth, predicted) in enumerate(rows):
        top, left = 16.0 + ROW * place, float(LEFT + INDENT * depth)
        ways[depth:] = [top + 24]
        if depth:
            elbow = left - INDENT + 4
            shapes.append(
                svg.polyline(
                    "curve", [(elbow, ways[depth - 1]), (elbow, top - 4), (left - 3, top - 4)]
                )
            )
        if node.split is None:
            after = f" → {second if predicted else first}"
            words = name + after
        else:
            question = translate_constant(table.questions[node.split.place])
            after = ", " + translate("by %(question)s", question=question)
            words = translate("%(group)s, by %(question)s", group=name, question=question)
        room, below = BAR_RIGHT - left, counts_text(node, table)
        if shorten_middle(words, 13, room) != words:
            words, below = name, below + after
        shapes.append(svg.text(left, top, shorten_middle(words, 13, room)))
        shapes.append(svg.text(left, top + 16, below, "soft"))
        # The label above has the whole width.
        shapes += share_bar(node, top + 5)
    legend = (
        (svg.rect("estimate", 0, 1, 40, 10), first),
        (svg.rect("bar-share", 0, 1, 40, 10), second),
    )
    return svg.Chart(shapes=tuple(shapes), height=4 + ROW * len(rows), legend=legend)


def counts_text(node: PredictedNode, table: TreeTable) -> str:
    if node.counts == (0.0, 0.0):
        return translate("nobody, or too few people")
    first, second = (translate_number(f"{each:,.0f}").replace("-", "−") for each in node.counts)
    return translate(table.counted, first=first, second=second)


def share_bar(node: PredictedNode, top: float) -> list[svg.Shape]:
    """The share of both outcomes, as far as counts with noise allow one."""
    total = sum(node.counts)
    if total <= 0:
        return []
    width = float(BAR_RIGHT - BAR_START)
    filled = round(width * min(max(node.counts[0] / total, 0.0), 1.0), 1)
    whole = svg.rect("bar-share", BAR_START, top, width, BAR_HEIGHT)
    return [whole, *([svg.rect("estimate", BAR_START, top, filled, BAR_HEIGHT)] if filled else [])]
