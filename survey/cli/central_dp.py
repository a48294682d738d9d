"""Central DP releases of non-private questions: `central-dp budget`, `draw` and `list`."""

import click

from survey.central_dp.budget import parse_release_budget, remaining_budget
from survey.central_dp.dp_request import CORRECT, GAUSSIAN, LAPLACE, TREE_SCORES, read_request
from survey.central_dp.text import (
    details_of,
    mechanism_text,
    range_text,
    release_log_text,
    releases_csv,
    request_loss_text,
    title_of,
    tree_outline_lines,
    tree_right_text,
    value_text,
)
from survey.cli.command_errors import command
from survey.core.number_grid import decimal_text
from survey.server.clock import now, today
from survey.web.audit_log import audit
from survey.web.central_dp_service import (
    figures_and_picture,
    preview_release,
    ready,
    release_figures,
    release_statistic,
    require_engine,
)
from survey.web.extensions import store


@command
@click.argument("slug")
@click.option("--epsilon", required=True, help="Maximum total ε of all releases.")
@click.option(
    "--delta",
    default="0",
    show_default=True,
    help="Maximum total δ of all releases. Only Gaussian noise needs a δ above 0.",
)
def budget(slug: str, epsilon: str, delta: str) -> None:
    """Set the central DP budget of survey SLUG.

    After the first release, you can only lower the budget.
    """
    store().releases.set_budget(slug, parse_release_budget(epsilon, delta))
    audit(f"set the DP budget to ε = {epsilon}, δ = {delta}", slug)
    click.echo(f"{slug}: epsilon {epsilon}, delta {delta}")


@command
@click.argument("slug")
@click.argument("question")
@click.argument("statistic")
@click.option("--epsilon", required=True, help="Privacy loss ε of this release.")
@click.option(
    "--delta",
    default="",
    help="Required for Gaussian noise: δ of this release, such as 0.000001.",
)
@click.option(
    "--noise",
    type=click.Choice([LAPLACE, GAUSSIAN]),
    help="Distribution of the noise in count, histogram, sum, mean, variance and clipped_sums. "
    "Default: laplace.",
)
@click.option("--answer", default="", help="For a count: the answer to count. Default: any answer.")
@click.option(
    "--low",
    default="",
    help="Lower bound, to which "
    "smaller numbers are clipped. Default: the smallest value of the question.",
)
@click.option(
    "--high",
    default="",
    help="Upper bound, to which "
    "larger numbers are clipped. Default: the largest value of the question.",
)
@click.option(
    "--bins",
    default="",
    help="For the histogram of a number: "
    "the number of bins. Default: 10, or fewer if the range has fewer values.",
)
@click.option(
    "--percent",
    default="",
    help="Required for a quantile: its level, in percent (50 is the median).",
)
@click.option(
    "--by",
    multiple=True,
    help="Required for a tree: a non-private question for its splits. You can repeat this option.",
)
@click.option(
    "--depth",
    default="",
    help="For a tree: maximum number of splits on a path, 1 to 4. Default: 2.",
)
@click.option(
    "--score",
    type=click.Choice(list(TREE_SCORES)),
    default=CORRECT,
    show_default=True,
    help="For a tree: criterion for the selection of splits.",
)
@click.option(
    "--among",
    default="",
    help="QUESTION=ANSWER: only respondents who gave this answer to another non-private question.",
)
@click.option("--yes", is_flag=True, help="Do not ask for confirmation.")
def draw(
    slug: str,
    question: str,
    statistic: str,
    epsilon: str,
    delta: str,
    noise: str | None,
    answer: str,
    low: str,
    high: str,
    bins: str,
    percent: str,
    by: tuple[str, ...],
    depth: str,
    score: str,
    among: str,
    yes: bool,
) -> None:
    """Publish STATISTIC of a non-private QUESTION of survey SLUG, with noise.

    The survey must be closed and have a central DP budget, and OpenDP must be installed (`make
    central-dp`). STATISTIC is count, histogram, sum, mean, variance, median, quantile, minimum,
    maximum, mode, tree or clipped_sums, if the type of the question allows it.

    The command first prints the privacy loss and the expected accuracy, and asks for confirmation.
    If you request the same release again, the command prints the stored result, without a further
    privacy loss.
    """
    store().lifecycle.close_due(now())
    survey = ready(slug).survey
    group, _, member = among.partition("=")
    typed = {
        "question": question,
        "statistic": statistic,
        "mechanism": noise or "",
        "epsilon": epsilon,
        "delta": delta,
        "answer": answer,
        "low": low,
        "high": high,
        "bins": bins,
        "percent": percent,
        "by": " ".join(by),
        "depth": depth,
        "score": score,
        "group": group,
        "member": member,
    }
    request = read_request(survey, typed)
    asked = preview_release(slug, request)
    click.echo(
        ", ".join([title_of(request), *details_of(survey, request), mechanism_text(request)])
    )
    if asked.before is None:
        for sentence in asked.accuracy:
            click.echo(sentence)
        require_engine()
        click.echo(
            f"This release costs {request_loss_text(request)} of the budget and cannot be undone."
        )
        if not yes:
            click.confirm("Release it?", abort=True, err=True)
    else:
        click.echo("This was released before. Showing it again costs nothing.")
    drawn_release = release_statistic(slug, request, today())
    if asked.before is None:
        audit(release_log_text(survey, request), slug)
    figures, picture = figures_and_picture(survey, drawn_release)
    if picture is not None and picture.root is not None:
        click.echo("\n".join(tree_outline_lines(picture.root)))
        click.echo(tree_right_text(survey, drawn_release))
    else:
        for figure in figures:
            within = range_text(figure)
            click.echo(f"{figure.label}: {value_text(figure)}" + (f" ({within})" if within else ""))
    release_budget = store().releases.budget(slug)
    if release_budget is not None:
        epsilon_left, delta_left = remaining_budget(release_budget, store().releases.requests(slug))
        rest = f", delta {decimal_text(delta_left)}" if release_budget.delta else ""
        click.echo(f"Left: epsilon {decimal_text(epsilon_left)}{rest}")


@command
@click.argument("slug")
def list_releases(slug: str) -> None:
    """Print the central DP releases of survey SLUG as CSV."""
    survey = store().surveys.by_slug(slug).survey
    ledger = [(each, release_figures(survey, each)) for each in store().releases.ledger(slug)]
    click.echo(releases_csv(survey, ledger), nl=False)
