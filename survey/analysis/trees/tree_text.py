"""A tree as sentences, the same for the page, the terminal and files."""

from collections.abc import Iterator

from survey.analysis.groups.figures import IntervalEstimate, possible_text, share_in_words
from survey.analysis.trees.predictions import TreeAccuracy
from survey.analysis.trees.trees import DecisionTree, Node
from survey.core.translate import (
    join_sentences,
    translate,
    translate_list,
    translate_number,
    translate_plural,
)
from survey.estimation.number_text import percent


def displayed_answers(tree: DecisionTree) -> tuple[int, ...]:
    """The places of the target's answers that are shown. Of two, the second follows."""
    return (0,) if tree.target.listed == 2 else tuple(range(tree.target.listed))


def share_text(figure: IntervalEstimate | None) -> str:
    """A share with its interval; no share that is impossible or unknown."""
    if figure is None:
        return translate("cannot be estimated")
    return translate("not known") if figure.any_share else share_in_words(figure)


def size_text(figure: IntervalEstimate) -> str:
    """A share without its interval; no share that is impossible or unknown."""
    return translate("not known") if figure.any_share else possible_text(figure, percent)


def people_text(node: Node, tree: DecisionTree, noun: str = "respondents") -> str:
    """The number of respondents, or people, in a node, as far as it can be estimated."""
    if node.share is None:
        return node.why or translate("an estimated 0 people")
    people = min(max(0, round(node.share.value * tree.n)), tree.n)
    exact = (
        not any(column.private for column, _ in node.conditions) and not tree.target.special_answers
    )
    certain = exact or not node.conditions
    share = translate_number(percent(node.share.value)) if certain else size_text(node.share)
    if noun == "people":
        return number_of_people(people, share, exact)
    if exact:
        return translate_plural(
            "%(n)s respondent (%(share)s)", "%(n)s respondents (%(share)s)", people, share=share
        )
    return translate_plural(
        "about %(n)s respondent (%(share)s)",
        "about %(n)s respondents (%(share)s)",
        people,
        share=share,
    )


def number_of_people(people: int, share: str, exact: bool) -> str:
    """A number of people, in fewer letters than a number of respondents."""
    if exact:
        return translate_plural(
            "%(n)s person (%(share)s)", "%(n)s people (%(share)s)", people, share=share
        )
    return translate_plural(
        "about %(n)s person (%(share)s)", "about %(n)s people (%(share)s)", people, share=share
    )


def rules(tree: DecisionTree) -> list[str]:
    """A sentence for each leaf, in the order of the picture.

    The interval has the tree's level, for that leaf by itself.
    """
    return [rule(leaf, tree) for leaf in tree.root.leaves]


def rule(leaf: Node, tree: DecisionTree) -> str:
    facts = {
        "shares": translate(", ").join(
            f"“{tree.target.answers[place]}” {share_text(leaf.shares[place])}"
            for place in displayed_answers(tree)
        ),
        "people": people_text(leaf, tree),
    }
    conditions = [
        translate("%(question)s is “%(answer)s”", question=c.label, answer=c.answers[answer])
        for c, answer in leaf.conditions
    ]
    if not conditions:
        return translate("All respondents: %(shares)s.", shares=facts["shares"])
    return translate(
        "If %(conditions)s: %(shares)s; %(people)s.", conditions=translate_list(conditions), **facts
    )


def nodes_with_depth(node: Node, depth: int = 0) -> Iterator[tuple[Node, int]]:
    """The node and all nodes below it in depth-first order, each with its depth below the first."""
    yield node, depth
    for child in node.children:
        yield from nodes_with_depth(child, depth + 1)


def node_heading(node: Node) -> str:
    if not node.conditions:
        return translate("All respondents")
    column, answer = node.conditions[-1]
    return f"{column.label}: {column.answers[answer]}"


def conditions_text(node: Node) -> str:
    """The answers that lead to a node; empty for all respondents."""
    return "; ".join(
        f"{column.label}: {column.answers[place]}" for column, place in node.conditions
    )


def split_questions(tree: DecisionTree) -> str:
    """The questions of the splits, in the order of the picture; empty for a single leaf."""
    labels = [
        node.split.column.label for node, _ in nodes_with_depth(tree.root) if node.split is not None
    ]
    return "; ".join(dict.fromkeys(labels))


def tree_accuracy_sentences(accuracy: TreeAccuracy) -> list[str]:
    """For which share of the respondents the tree is right, next to the most frequent answer."""
    cross_validated = translate(
        "Cross-validated accuracy: %(share)s. The tree that predicts a respondent’s answer "
        "was fitted without this respondent.",
        share=share_text(accuracy.cross_validated),
    )
    if accuracy.differing is not None:
        differing = translate(
            "Share of respondents for whom this tree and the tree above predict different answers: "
            "%(share)s. The interval of the accuracy is for the tree above: its ends count these "
            "predictions as all wrong and as all correct.",
            share=share_text(accuracy.differing),
        )
        cross_validated = join_sentences(cross_validated, differing)
    return [
        cross_validated,
        translate(
            "In-sample accuracy: %(share)s. This is usually higher than the accuracy for new "
            "respondents.",
            share=share_text(accuracy.in_sample),
        ),
        translate(
            "Baseline accuracy: %(share)s. The baseline always predicts the most frequent "
            "answer, “%(answer)s”.",
            answer=accuracy.answer,
            share=share_text(accuracy.commonest),
        ),
    ]
