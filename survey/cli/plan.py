"""The command `survey plan`, which calculates the sample size of a survey."""

import click

from survey.cli.command_errors import command
from survey.core.errors import StateError
from survey.core.translate import join_sentences
from survey.definition.certainty import epsilon_text
from survey.definition.sub_surveys import whole_of
from survey.estimation.number_text import percentage_points
from survey.planning.denial import break_even
from survey.planning.joint_comparison import (
    comparison_text,
    comparisons_of,
    cross_table_sentence,
)
from survey.planning.plan_text import (
    asked_sentence,
    comparison_sentences,
    denial_sentence,
    goal_sentence,
    margin_sentence,
    survey_sentence,
    target_sentence,
)
from survey.planning.sample_size import MAX_RESPONDENTS, PlanParameters, comparison, plan_figures
from survey.web.extensions import store

SHARE = click.FloatRange(0, 100)


@command
@click.argument("slug")
@click.option(
    "--n",
    "n",
    type=click.IntRange(1, MAX_RESPONDENTS),
    default=500,
    show_default=True,
    help="Number of respondents for which the command calculates margins of error.",
)
@click.option(
    "--margin",
    type=click.FloatRange(0.1, 50),
    default=5,
    show_default=True,
    help="Target margin of error: in percentage points, or for a mean in percent of the question's "
    "range.",
)
@click.option(
    "--share",
    type=SHARE,
    help="Assumed true share, in percent. Default: the share that needs the most respondents.",
)
@click.option(
    "--null",
    type=SHARE,
    default=10,
    show_default=True,
    help="For the tests: the known share, or the share in the first group, in percent.",
)
@click.option(
    "--truth",
    type=SHARE,
    default=20,
    show_default=True,
    help="For the tests: the true share, or the share in the second group, in percent.",
)
@click.option(
    "--power",
    type=click.FloatRange(50, 99.9),
    default=80,
    show_default=True,
    help="Power of both tests, in percent.",
)
@click.option(
    "--alpha",
    type=click.FloatRange(0.1, 20),
    default=5,
    show_default=True,
    help="Significance level of both tests, in percent.",
)
def plan(
    slug: str,
    n: int,
    margin: float,
    share: float | None,
    null: float,
    truth: float,
    power: float,
    alpha: float,
) -> None:
    """Calculate the sample size that survey SLUG needs, and its expected precision.

    The command compares private questions with direct ones, which respondents answer without
    randomisation. It also calculates the sample sizes of two tests. One tests a share against a
    known share, and the other compares the shares of two groups. For a question with a mean, the
    shares are positions in its range: 20 means 20 % of the way from the minimum to the maximum.
    """
    if abs(truth - null) < 0.1 - 1e-9:
        raise click.BadParameter(
            "The two shares are too close. Choose shares at least 0.1 points apart."
        )
    wishes = PlanParameters(
        n=n,
        margin=margin / 100,
        share=None if share is None else share / 100,
        null=null / 100,
        truth=truth / 100,
        alpha=alpha / 100,
        power=power / 100,
    )
    survey = store().surveys.by_slug(whole_of(slug)).survey
    rows = plan_figures(survey, wishes)
    if not rows:
        raise StateError(f"Survey {slug!r} has no private question. Add one to plan it.")
    truths = "the least favourable true share" if share is None else f"a true share of {share:g} %"
    click.echo(f"Margins are half the width of 95 % intervals, for {truths}.")
    click.echo(survey_sentence(rows, wishes))
    if about := target_sentence(survey, wishes):
        click.echo(about)
    for found in comparisons_of(survey, wishes.share):
        click.echo(join_sentences(cross_table_sentence(found), comparison_text(found)))
    by_name = {row.question.name: row.question for row in rows}
    for name, question in by_name.items():
        own = [row for row in rows if row.question.name == name]
        click.echo(f"\n{question.label}  (epsilon {epsilon_text(own[0].epsilon)})")
        for row in own:
            click.echo(f"  {goal_sentence(row, wishes)}")
            click.echo(f"  {margin_sentence(row, wishes)}")
        if among_asked := asked_sentence(question, wishes, survey):
            click.echo(f"  {among_asked}")
        sample_sizes = comparison(question, survey, wishes)
        for sentence in comparison_sentences(sample_sizes, wishes):
            click.echo(f"  {sentence}")
        if denial := break_even(question, survey, n, wishes.share):
            click.echo(f"  {denial_sentence(denial)}")
        click.echo(
            f"  (Power {percentage_points(wishes.power)} %, significance level "
            f"{percentage_points(wishes.alpha)} %. The "
            f"usual formula gives {sample_sizes.value.by_formula:,}, and "
            f"{sample_sizes.groups.by_formula:,} in each group.)"
        )
