"""Central DP releases of non-private questions: `central-dp budget`, `draw` and `list`."""

import click

from survey.central_dp.dp_request import GAUSSIAN, LAPLACE, read_request
from survey.central_dp.ledger import left, read_budget
from survey.central_dp.text import (
    details_of,
    mechanism_text,
    range_text,
    releases_csv,
    request_loss_text,
    title_of,
    tree_outline_lines,
    value_text,
)
from survey.cli.command_errors import command
from survey.core.number_grid import decimal_text
from survey.server.clock import now, today
from survey.web.audit_log import audit
from survey.web.central_dp_service import (
    pictured,
    preview_release,
    ready,
    release_figures,
    require_engine,
)
from survey.web.central_dp_service import release_statistic as draw
from survey.web.extensions import store


@command
@click.argument("slug")
@click.option("--epsilon", required=True, help="Maximum total ε of all releases.")
@click.option(
    "--delta", default="0", show_default=True, help="Maximum total δ, for Gaussian noise."
)
def budget(slug: str, epsilon: str, delta: str) -> None:
    """Set the budget of survey SLUG for central DP releases.

    After the first release, the budget can only be lowered.
    """
    store().releases.set_budget(slug, read_budget(epsilon, delta))
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
    help="Privacy loss δ of this release, for Gaussian noise; for example 0.000001.",
)
@click.option(
    "--noise",
    type=click.Choice([LAPLACE, GAUSSIAN]),
    help="Distribution of the noise that is added to a statistic. Default: laplace.",
)
@click.option("--answer", default="", help="For a count: the answer to count.")
@click.option("--low", default="", help="Lower bound, to which smaller numbers are clipped.")
@click.option("--high", default="", help="Upper bound, to which larger numbers are clipped.")
@click.option("--bins", default="", help="For the histogram of a number: the number of bins.")
@click.option(
    "--percent", default="", help="For a quantile: its level, in percent (50 is the median)."
)
@click.option(
    "--by",
    multiple=True,
    help="For a tree: a non-private question for its splits; can be repeated.",
)
@click.option("--depth", default="", help="For a tree: the number of questions on each path.")
@click.option(
    "--among",
    default="",
    help="QUESTION=ANSWER: only respondents who gave this non-private answer.",
)
@click.option("--yes", is_flag=True, help="Publish without asking for confirmation.")
def release(
    slug: str, question: str, statistic: str, epsilon: str, delta: str, noise: str | None,
    answer: str, low: str, high: str, bins: str, percent: str, by: tuple[str, ...], depth: str,
    among: str, yes: bool,
) -> None:  # fmt: skip
    """Publish STATISTIC of a non-private QUESTION of survey SLUG, with noise.

    STATISTIC is count, histogram, sum, mean, variance, median, quantile, minimum, maximum, mode,
    tree or clipped_sums. The command first prints the privacy loss and the expected accuracy, and
    asks for confirmation.
    """
    store().lifecycle.close_due(now())
    survey = ready(slug).survey
    group, _, member = among.partition("=")
    typed = {
        "question": question, "statistic": statistic, "mechanism": noise or "", "epsilon": epsilon,
        "delta": delta, "answer": answer, "low": low, "high": high, "bins": bins,
        "percent": percent, "by": " ".join(by), "depth": depth, "group": group, "member": member,
    }  # fmt: skip
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
    drawn_release = draw(slug, request, today())
    audit(f"released {statistic} of {question}, ε = {epsilon}", slug)
    figures, picture = pictured(survey, drawn_release)
    if picture is not None and picture.root is not None:
        click.echo("\n".join(tree_outline_lines(picture.root)))
    else:
        for figure in figures:
            within = range_text(figure)
            click.echo(f"{figure.label}: {value_text(figure)}" + (f" ({within})" if within else ""))
    release_budget = store().releases.budget(slug)
    if release_budget is not None:
        epsilon_left, delta_left = left(release_budget, store().releases.requests(slug))
        rest = f", delta {decimal_text(delta_left)}" if release_budget.delta else ""
        click.echo(f"Left: epsilon {decimal_text(epsilon_left)}{rest}")


@command
@click.argument("slug")
def releases(slug: str) -> None:
    """Print the central DP releases of survey SLUG as CSV."""
    survey = store().surveys.by_slug(slug).survey
    ledger = [(each, release_figures(survey, each)) for each in store().releases.ledger(slug)]
    click.echo(releases_csv(survey, ledger), nl=False)
