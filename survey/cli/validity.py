"""The command `analyse validity`: checks of honest answers and followed instructions."""

import click

from survey.analysis import AnalysisColumn, columns_by_name
from survey.analysis.columns.sample_means import complete_case_sample
from survey.analysis.validity.noncompliance import (
    AT_RANDOM,
    DENIED,
    bounded,
    deviants,
    report_counts_and_table,
)
from survey.analysis.validity.validity import contrasted, controlled, require_arms, said_by
from survey.cli.command_errors import command
from survey.web.extensions import store
from survey.web.published_results import survey_now

SHARE = click.FloatRange(0, 100)
PART = click.FloatRange(0, 99)


def released_columns(slug: str, *names: str) -> list[AnalysisColumn]:
    """The columns of a survey's published responses."""
    by_name = columns_by_name(survey_now(slug).survey, store().responses.rows(slug), names)
    return [by_name[name] for name in names]


@command
@click.argument("slug")
@click.argument("question")
@click.option(
    "--control", help="Control question: another question of the survey, whose true share is known."
)
@click.option(
    "--known",
    type=SHARE,
    help="With --control: the true share of the first answer to that question, in percent.",
)
@click.option(
    "--direct",
    help="Non-private question of the survey with the same text, "
    "which other respondents were asked.",
)
@click.option(
    "--split",
    help="Slug of a survey that asks other respondents "
    "QUESTION, under the same name, with another randomizer.",
)
@click.option("--coin", is_flag=True, help="With --split: assume that people who break the "
              "randomisation rule report either answer with the same probability. Default: they "
              "always report the second answer, No.")  # fmt: skip
@click.option(
    "--denied",
    type=PART,
    default=0,
    help="For bounds: of the people whose true answer is the first one, the maximum percentage who "
    "give another answer.",
)
@click.option(
    "--false",
    "false",
    type=PART,
    default=0,
    help="For bounds: of the people whose true answer is another one, the maximum percentage who "
    "give the first answer.",
)
@click.option(
    "--random",
    "random",
    type=PART,
    default=0,
    help="For bounds: maximum percentage of all respondents who answer at random.",
)
def validity(
    slug: str, question: str, control: str | None, known: float | None, direct: str | None,
    split: str | None, coin: bool, denied: float, false: float, random: float,
) -> None:  # fmt: skip
    """Check how reliable the answers to QUESTION are.

    --control, --direct and --split each select a check. Without them, the command prints bounds on
    the true share of the first answer to QUESTION in survey SLUG. The default of --denied, --false
    and --random is 0.
    """
    if (control is None) != (known is None):
        raise click.UsageError("--control and --known belong together. Give both.")
    if control is not None and known is not None:
        asked, checked = released_columns(slug, question, control)
        click.echo(controlled(asked, checked, known / 100).sentence)
    if direct is not None:
        randomised, plainly_asked = released_columns(slug, question, direct)
        require_arms(randomised, plainly_asked)
        click.echo(contrasted(randomised, plainly_asked).sentence)
    if split is not None:
        says = AT_RANDOM if coin else DENIED
        deviation = deviants(
            report_counts_and_table(released_columns(slug, question)[0]),
            report_counts_and_table(released_columns(split, question)[0]),
            says,
        )
        click.echo(deviation.sentence)
    if (control is None and direct is None and split is None) or denied or false or random:
        column = released_columns(slug, question)[0]
        answer_share = said_by(column, complete_case_sample([column]))
        click.echo(
            bounded(answer_share, denied / 100, false / 100, random / 100, column.listed).sentence
        )
