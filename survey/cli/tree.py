"""The command `analyse tree`: the questions that best predict the answers to another one."""

from pathlib import Path

import click

from survey.analysis.trees.predictions import predicted_rows, tree_accuracy
from survey.analysis.trees.tree_text import (
    prediction_line,
    rules,
    tree_accuracy_sentences,
    tree_outline,
)
from survey.analysis.trees.trees import MAX_DEPTH_QUESTIONS, build_decision_tree
from survey.cli.analyse import Sampling, read_analysis_columns, with_sampling_options
from survey.cli.command_errors import command
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
@click.option(
    "--level", type=click.FloatRange(50, 99.9), default=95, show_default=True,
    help="Confidence level of the intervals and of the tests of splits, in percent.",
)  # fmt: skip
@with_sampling_options
@click.option(
    "--output",
    type=click.Path(dir_okay=False, writable=True, path_type=Path),
    help="SVG file into which the tree is drawn.",
)
def grow_tree(
    slug: str, target: str, by: tuple[str, ...], deepest: int, level: float,
    sampling: Sampling, output: Path | None,
) -> None:  # fmt: skip
    """Grow a decision tree for TARGET from the questions BY.

    The tree splits the respondents of survey SLUG into groups by their answers to the questions
    BY. The groups differ in their answers to the question TARGET. The command also prints the
    accuracy of the tree. If no question is private, the command prints predictions too.
    """
    stored_survey, columns, design = read_analysis_columns(slug, (target, *by), sampling)
    grown = build_decision_tree(columns[0], columns[1:], design, level / 100, deepest)
    if stored_survey.origin != "browser":
        click.echo(f"Responses: {stored_survey.origin}.")
    for line in tree_outline(grown):
        click.echo(line)
    click.echo()
    for sentence in (*rules(grown), *grown.remarks):
        click.echo(sentence)
    click.echo()
    for sentence in tree_accuracy_sentences(tree_accuracy(grown)):
        click.echo(sentence)
    predicted = predicted_rows(grown)
    if predicted:
        click.echo("\nThe first responses and their predictions:")
    for row in predicted:
        click.echo(prediction_line(row))
    if output is not None:
        try:
            output.write_text(tree_svg(grown), encoding="utf-8")
        except OSError as error:
            raise StateError(
                f"Cannot write {output}: {error.strerror}. Choose another file."
            ) from error
