"""The command `survey tree`: which questions tell most about the answers to another."""

from pathlib import Path

import click

from ..analysis import columns_of
from ..analysis.tree_picture import picture
from ..analysis.tree_words import outline, rules
from ..analysis.trees import DEEPEST, tree
from ..closing import now
from ..current import store
from ..errors import StateError
from .plainly import plainly
from .surveys import survey_commands


@survey_commands.command("tree")
@click.argument("slug")
@click.argument("target")
@click.argument("by", nargs=-1, required=True)
@click.option("--deepest", type=click.IntRange(1, 8), default=DEEPEST, show_default=True,
              help="Questions on the way to a leaf.")  # fmt: skip
@click.option("--level", type=click.FloatRange(50, 99.9), default=95, show_default=True,
              help="Of the intervals, in percent; the rest is for splits by chance.")  # fmt: skip
@click.option(
    "--output",
    type=click.Path(dir_okay=False, writable=True, path_type=Path),
    help="Draw it into this file, as SVG.",
)
@plainly
def grow_tree(
    slug: str, target: str, by: tuple[str, ...], deepest: int, level: float, output: Path | None
) -> None:
    """Grow the decision tree of question TARGET of survey SLUG, split BY other questions.

    Of a question with boxes, name one box: question/box.
    """
    store().close_due(now())
    found = store().survey(slug)
    if found.frozen is None:
        raise StateError(f"Survey {slug!r} is a draft; it has no responses.")
    columns = columns_of(found.survey, store().responses(slug), (target, *by))
    grown = tree(columns[target], [columns[name] for name in by], None, level / 100, deepest)
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
