"""The command `survey privacy`: the privacy loss of a respondent, and the effect of compaction."""

import click

from survey.cli.command_errors import command
from survey.core.errors import StateError
from survey.definition.certainty import epsilon_text, surest, survey_ratio_bound_text, times_text
from survey.definition.privacy_limits import ADVICE, is_above, sentences_above
from survey.planning.shuffle_amplification import shuffled_sentence
from survey.web.extensions import privacy_limits, store


@command
@click.argument("slug")
@click.option(
    "--n",
    "n",
    type=click.IntRange(1, 10_000_000),
    help="Number of shuffled responses. Default: the number of published responses.",
)
def privacy(slug: str, n: int | None) -> None:
    """Show the privacy loss of one respondent of survey SLUG.

    The command shows the privacy loss ε about each protected answer, from all reports that depend
    on it, and the total. If the survey has
    private questions only and enough responses, it also shows the smaller privacy loss towards
    someone who sees only the shuffled responses.
    """
    stored_survey = store().surveys.by_slug(slug)
    survey = stored_survey.survey
    if not survey.protected:
        raise StateError(f"Survey {slug!r} has no private question. Add one first.")
    for question in survey.answers_with_bounds:
        ratio_bound = survey.ratio_bound_about(question)
        times = "∞" if ratio_bound is None else times_text(ratio_bound)
        loss = epsilon_text(survey.epsilon_about(question))
        click.echo(
            f"{question.label}: epsilon {loss}, likelihood ratio at most {times}, at worst "
            f"{surest(ratio_bound)} sure"
        )
    non_private = [question.label for question in survey.unprotected]
    if non_private:
        click.echo(f"Stored as given: {'; '.join(non_private)}")
    click.echo(
        f"All reports of one respondent: epsilon {epsilon_text(survey.epsilon)}, likelihood ratio "
        f"at most {survey_ratio_bound_text(survey)}, at worst {surest(survey.ratio_bound)} sure"
    )
    for above in sentences_above(survey, privacy_limits()):
        click.echo(f"Above the limit: {above}")
    if is_above(survey, privacy_limits()):
        click.echo(ADVICE)
    if n is None and stored_survey.frozen is not None:
        n = store().counts.published_and_waiting(slug)[0]
    sentence = shuffled_sentence(survey, n or 0)
    if sentence:
        click.echo(sentence)
