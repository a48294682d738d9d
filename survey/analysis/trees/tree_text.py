"""A tree as sentences, the same for the page, the terminal and files."""

from collections.abc import Iterator

from survey.analysis.groups.figures import IntervalEstimate, with_interval
from survey.analysis.trees.splits import BranchSplit
from survey.analysis.trees.trees import DecisionTree, Node
from survey.estimation.number_text import percent


def displayed_answers(tree: DecisionTree) -> tuple[int, ...]:
    """The places of the target's answers that are shown. Of two, the second follows."""
    return (0,) if tree.target.listed == 2 else tuple(range(tree.target.listed))


def share_text(figure: IntervalEstimate | None) -> str:
    return "cannot be estimated" if figure is None else with_interval(figure)


def people_text(node: Node, tree: DecisionTree, noun: str = "respondents") -> str:
    """The number of respondents in a node, as far as it can be estimated."""
    if node.share is None:
        return node.why or "an estimated 0 people"
    people = max(0, round(node.share.value * tree.n))
    exact = not any(column.private for column, _ in node.conditions) and not tree.target.extras
    return f"{'' if exact else 'about '}{people:,} {noun} ({percent(node.share.value)})"


def split_text(split: BranchSplit) -> str:
    return (
        f"split by {split.column.label}: gain {split.gain:.3f} bits, "
        f"{split.noise:.3f} from noise, p {split_p_text(split.p)}"
    )


def split_p_text(p: float) -> str:
    return f"= {p:.3f}" if p >= 0.001 else "< 0.001"


def rules(tree: DecisionTree) -> list[str]:
    """A sentence for each leaf, in the order of the picture.

    The interval has the tree's level, for that leaf by itself.
    """
    return [rule(leaf, tree) for leaf in tree.root.leaves]


def rule(leaf: Node, tree: DecisionTree) -> str:
    answer_shares = ", ".join(
        f"“{tree.target.answers[place]}” {share_text(leaf.shares[place])}"
        for place in displayed_answers(tree)
    )
    conditions = [f"{c.label} is “{c.answers[answer]}”" for c, answer in leaf.conditions]
    who = f"If {' and '.join(conditions)}" if conditions else "All respondents"
    return f"{who}: {answer_shares}; {people_text(leaf, tree)}."


def tree_outline(tree: DecisionTree) -> list[str]:
    """The tree as indented lines: each branch with its shares, and why it is split or not."""
    lines = []
    for node, depth in walked(tree.root):
        answer_shares = ", ".join(
            f"{tree.target.answers[place]} {share_text(node.shares[place])}"
            for place in displayed_answers(tree)
        )
        reason = f"not split: {node.why}" if node.split is None else split_text(node.split)
        lines.append(
            f"{'  ' * depth}{node_heading(node)}: {answer_shares}; {people_text(node, tree)}; "
            f"{reason}"
        )
    return lines


def walked(node: Node, depth: int = 0) -> Iterator[tuple[Node, int]]:
    yield node, depth
    for child in node.children:
        yield from walked(child, depth + 1)


def node_heading(node: Node) -> str:
    if not node.conditions:
        return "All respondents"
    column, answer = node.conditions[-1]
    return f"{column.label}: {column.answers[answer]}"
