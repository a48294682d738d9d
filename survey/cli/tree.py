"""The command `analyse tree`: which questions tell most about the answers to another."""

from pathlib import Path

import click

from survey.analysis.trees.tree_picture import picture
from survey.analysis.trees.tree_text import outline, rules
from survey.analysis.trees.trees import DEEPEST, tree
from survey.cli.analyse import Sampling, read, sampled
from survey.cli.command_errors import plainly
from survey.core.errors import StateError


@click.command()
@click.argument("slug")
@click.argument("target")
@click.argument("by", nargs=-1, required=True)
@click.option("--deepest", type=click.IntRange(1, 8), default=DEEPEST, show_default=True,
              help="Questions on the way to a leaf.")  # fmt: skip
@click.option("--level", type=click.FloatRange(50, 99.9), default=95, show_default=True,
              help="Of the intervals, in percent; the rest is for splits by chance.")  # fmt: skip
@sampled
@click.option(
    "--output",
    type=click.Path(dir_okay=False, writable=True, path_type=Path),
    help="Draw it into this file, as SVG.",
)
@plainly
def grow_tree(
    slug: str, target: str, by: tuple[str, ...], deepest: int, level: float,
    sampling: Sampling, output: Path | None,
) -> None:  # fmt: skip
    """Grow the decision tree of question TARGET of survey SLUG, split BY other questions.

    Of a question with boxes, name one box: question/box.
    """
    found, columns, design = read(slug, (target, *by), sampling)
    grown = tree(columns[0], columns[1:], design, level / 100, deepest)
    if found.origin != "browser":
        click.echo(f"Responses: {found.origin}.")
    for line in outline(grown):
        click.echo(line)
    click.echo()
    for sentence in (*rules(grown), *grown.remarks):
        click.echo(sentence)
    if output is not None:
        try:
            output.write_text(picture(grown), encoding="utf-8")
        except OSError as error:
            raise StateError(f"{output} cannot be written: {error.strerror}.") from error
