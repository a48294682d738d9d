"""The picture of a tree of the Titanic: a row for each node, with the shares of both fates."""

from collections.abc import Iterator

from survey.core.text_widths import shorten_middle
from survey.core.translate import translate, translate_constant, translate_number
from survey.web.charts import svg
from survey.web.learn.pictures import BAR_RIGHT
from survey.web.learn.titanic import ANSWERS, DIED, LABELS, NAMES, SURVIVAL
from survey.web.learn.tree_ways import PredictedNode

ROW, INDENT, LEFT, BAR_START, BAR_HEIGHT = 44, 14, 8, 268, 14


def ship_rows(
    node: PredictedNode, name: str, depth: int = 0, above: int = DIED
) -> Iterator[tuple[PredictedNode, str, int, int]]:
    """Each node in the order of the picture, with its name, its depth and its prediction."""
    predicted = node.predicted(above)
    yield node, name, depth, predicted
    if node.split is not None:
        answers = ANSWERS[NAMES[node.split]].values()
        for child, answer in zip(node.children, answers, strict=True):
            yield from ship_rows(child, translate_constant(answer), depth + 1, predicted)


def ship_chart(root: PredictedNode) -> svg.Chart:
    """The tree as indented rows, each with a bar: the share that survived is filled."""
    shapes: list[svg.Shape] = []
    ways: list[float] = []
    rows = list(ship_rows(root, translate("all people")))
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
            fate = list(ANSWERS[NAMES[SURVIVAL]].values())[predicted]
            words = f"{name} → {translate_constant(fate)}"
        else:
            by = translate_constant(LABELS[NAMES[node.split]])
            words = translate("%(group)s, by %(question)s", group=name, question=by)
        shapes.append(svg.text(left, top, shorten_middle(words, 13, BAR_RIGHT - left)))
        shapes.append(svg.text(left, top + 16, fates_text(node), "soft"))
        # The label above has the whole width.
        shapes += share_bar(node, top + 5)
    legend = (
        (svg.rect("estimate", 0, 1, 40, 10), translate("survived")),
        (svg.rect("bar-share", 0, 1, 40, 10), translate("died")),
    )
    return svg.Chart(tuple(shapes), 4 + ROW * len(rows), legend=legend)


def fates_text(node: PredictedNode) -> str:
    if node.counts == (0.0, 0.0):
        return translate("nobody, or too few people")
    survived, died = (translate_number(f"{each:,.0f}").replace("-", "−") for each in node.counts)
    return translate("%(survived)s survived, %(died)s died", survived=survived, died=died)


def share_bar(node: PredictedNode, top: float) -> list[svg.Shape]:
    """The share of both fates, as far as counts with noise allow one."""
    total = sum(node.counts)
    if total <= 0:
        return []
    width = float(BAR_RIGHT - BAR_START)
    filled = round(width * min(max(node.counts[0] / total, 0.0), 1.0), 1)
    whole = svg.rect("bar-share", BAR_START, top, width, BAR_HEIGHT)
    return [whole, *([svg.rect("estimate", BAR_START, top, filled, BAR_HEIGHT)] if filled else [])]
