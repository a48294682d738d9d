"""The command `analyse tree`: the questions that best predict the answers to another one."""

from pathlib import Path

import click

from survey.analysis.as_json import predictions_json, tree_json
from survey.analysis.sentences import tree_sentence
from survey.analysis.trees.predictions import predicted_rows, tree_accuracy
from survey.analysis.trees.tree_blocks import tree_blocks
from survey.analysis.trees.trees import MAX_DEPTH_QUESTIONS, build_decision_tree
from survey.cli.analyse import (
    Sampling,
    print_analysis,
    read_analysis_columns,
    with_analysis_options,
)
from survey.cli.command_errors import command
from survey.cli.tables import block_lines
from survey.core.errors import StateError
from survey.web.charts.decision_tree import tree_svg


@command
@click.argument("slug")
@click.argument("target")
@click.argument("by", nargs=-1, required=True)
@click.option(
    "--max-depth", "deepest", type=click.IntRange(1, 8),
    default=MAX_DEPTH_QUESTIONS, show_default=True,
    help="Maximum number of splits on the path to a leaf.",
)  # fmt: skip
@with_analysis_options
@click.option(
    "--output",
    type=click.Path(dir_okay=False, writable=True, path_type=Path),
    help="SVG file into which the tree is drawn.",
)
def grow_tree(
    slug: str, target: str, by: tuple[str, ...], deepest: int, level: float,
    sampling: Sampling, machine: bool, output: Path | None,
) -> None:  # fmt: skip
    """Grow a decision tree for TARGET from the questions BY.

    The tree splits the respondents of survey SLUG into groups by their answers to the questions
    BY. The groups differ in their answers to the question TARGET. --level is also the level of the
    tests of splits. The command also prints the accuracy of the tree, and predictions if no
    question is private.
    """
    stored_survey, columns, design = read_analysis_columns(slug, (target, *by), sampling)
    grown = build_decision_tree(columns[0], columns[1:], design, level / 100, deepest)
    accuracy, predicted = tree_accuracy(grown), predicted_rows(grown)
    lines = [tree_sentence(grown), *block_lines(tree_blocks(grown, accuracy, predicted))]
    content = tree_json(grown) | predictions_json(accuracy, predicted)
    print_analysis(stored_survey, content, lines, machine)
    if output is not None:
        try:
            output.write_text(tree_svg(grown), encoding="utf-8")
        except OSError as error:
            raise StateError(
                f"Cannot write {output}: {error.strerror}. Choose another file."
            ) from error
