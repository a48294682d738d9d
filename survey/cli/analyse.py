"""Commands that estimate: `analyse estimate`, `crosstab`, `compare` and `correlate`."""

import json
from collections.abc import Callable, Iterator, Sequence
from dataclasses import asdict, dataclass
from functools import wraps
from pathlib import Path
from typing import Any

import click

from survey.analysis.as_json import comparison_json, correlation_json, crosstab_json
from survey.analysis.columns.column_request import DesignNames, analysed, place_of_answer
from survey.analysis.columns.columns import AnalysisColumn, SurveyDesign
from survey.analysis.columns.design_file import MAX_DESIGN_FILE_BYTES, read_design_file
from survey.analysis.design_estimates import DesignEstimate, design_estimates
from survey.analysis.groups.group_blocks import comparison_blocks, measure_cell
from survey.analysis.groups.groups import compare
from survey.analysis.groups.measures import measure_text
from survey.analysis.sentences import (
    capitalised,
    comparison_sentence,
    correlations_sentence,
    crosstab_sentence,
)
from survey.analysis.tables.correlation_blocks import correlation_blocks
from survey.analysis.tables.correlation_matrix import correlations
from survey.analysis.tables.crosstab_blocks import OF_ALL, OF_COLUMN, OF_ROW, crosstab_blocks
from survey.analysis.tables.crosstabs import crosstab
from survey.cli.command_errors import command
from survey.cli.tables import (
    block_lines,
    cell_as_text,
)
from survey.definition.certainty import epsilon_text, named_loss
from survey.definition.questions import Question
from survey.definition.survey import Survey
from survey.estimation.findings.remarks import about_entered_answers
from survey.estimation.number_text import error_points
from survey.estimation.results import QuestionResults
from survey.estimation.types.joint_texts import label_with_questions
from survey.formats.csv_export import results_as_json
from survey.store import StoredSurvey
from survey.web.extensions import store
from survey.web.published_results import results_of, survey_now

Command = Callable[..., Any]


@dataclass(frozen=True)
class Sampling:
    """The sampling design of the respondents, as given on the command line."""

    names: DesignNames
    file: Path | None = None

    @property
    def given(self) -> bool:
        """Whether there is any part of a design."""
        names = self.names
        return bool(self.file or names.weights or names.strata or names.clusters)


def read_analysis_columns(
    slug: str, wanted: Sequence[str], sampling: Sampling
) -> tuple[StoredSurvey, list[AnalysisColumn], SurveyDesign]:
    """The survey, its columns from the published responses, and the sampling design."""
    stored_survey = survey_now(slug)
    survey, names, file = stored_survey.survey, sampling.names, None
    if sampling.file is not None:
        with sampling.file.open("rb") as opened:
            file = read_design_file(opened.read(MAX_DESIGN_FILE_BYTES + 1), survey)
        names = names.with_file(file)
    return (stored_survey, *analysed(survey, store().responses.rows(slug), wanted, names, file))


def with_sampling_options(command: Command) -> Command:
    """Add the options for the sampling design, which the command receives as `sampling`."""

    @wraps(command)
    def with_sampling(
        weights: str | None, strata: str | None, clusters: str | None, design: Path | None,
        **others: Any,
    ) -> Any:  # fmt: skip
        return command(sampling=Sampling(DesignNames(weights, strata, clusters), design), **others)

    for option in (
        click.option("--weights", help="Non-private number question: how many people "
                     "each respondent represents."),
        click.option("--strata", help="Non-private question whose answer is the "
                     "respondent's stratum."),
        click.option("--clusters",
                     help="Non-private question whose answer is the respondent's cluster."),
        click.option("--design", type=click.Path(exists=True, dir_okay=False, path_type=Path),
                     help="Design file: CSV with a weight, stratum, cluster or "
                     "population size for each combination of answers to non-private questions."),
    ):  # fmt: skip
        with_sampling = option(with_sampling)
    return with_sampling


def with_analysis_options(command: Command) -> Command:
    """Add the options that all analyses share."""
    for option in (
        with_sampling_options,
        click.option("--level", type=click.FloatRange(50, 99.9), default=95, show_default=True,
                     help="Confidence level of the intervals, in percent."),
        click.option("--json", "machine", is_flag=True,
                     help="Print everything as JSON, at full precision."),
    ):  # fmt: skip
        command = option(command)
    return command


def print_analysis(
    found: StoredSurvey, content: dict[str, Any], lines: list[str], machine: bool
) -> None:
    if machine:
        about = {"survey": found.survey.slug, "origin": found.origin}
        click.echo(json.dumps(about | content, indent=1, allow_nan=False))
        return
    if found.origin != "browser":
        click.echo(f"Responses: {found.origin}.")
    click.echo("\n".join(lines))


@command
@click.argument("slug")
@with_sampling_options
@click.option(
    "--json", "machine", is_flag=True, help="Print everything as JSON, at full precision."
)
def estimate(slug: str, sampling: Sampling, machine: bool) -> None:
    """Estimate the true shares and means of survey SLUG.

    SLUG can also be a sub-survey, such as health.by-hand. With weights, strata or clusters, the
    command prints means and shares only for the respondents who answered the question.
    """
    if sampling.given:
        estimate_with_design(slug, sampling, machine)
        return
    results = results_of(survey_now(slug))
    if machine:
        click.echo(json.dumps(results_as_json(results), indent=1, allow_nan=False))
        return
    if results.origin != "browser":
        click.echo(f"Responses: {results.origin}.")
    click.echo(f"{results.n:,} responses, {named_loss(results.frozen.survey)}")
    click.echo(about_entered_answers())
    for question in results.as_shown.every:
        plain = not question.question.protected
        loss = "stored as given" if plain else f"epsilon {epsilon_text(question.epsilon)}"
        click.echo(f"\n{question.question.label}  ({loss})")
        for line in (question.sentence, *figure_lines(question)):
            click.echo(f"  {line}")
        if question.calculation is not None:
            click.echo(f"  {question.calculation.sentence}")
        for remark in question.explanations:
            click.echo(f"  {remark.sentence}")


def estimate_with_design(slug: str, sampling: Sampling, machine: bool) -> None:
    """Print the estimates of all questions under a sampling design."""
    names = sampling.names
    about_design = {names.weights, names.strata, names.clusters}
    wanted = [
        name
        for question in survey_now(slug).survey.fields
        if question.kind.estimated and question.name not in about_design
        for name in analysed_names(survey_now(slug).survey, question)
    ]
    survey, columns, design = read_analysis_columns(slug, wanted, sampling)
    found = list(design_estimates(columns, design))
    finite = design.populations is not None
    lines = [
        f"{each.measure.column.label}, {each.measure.words}: "
        f"{design_estimate_text(each)}, n = {each.n:,}"
        + ("; no finite population correction" if finite and not each.corrected else "")
        for each in found
    ]
    content = [
        {
            "question": each.measure.column.name,
            "answer": each.measure.answer,
            "n": each.n,
            "figure": None if each.figure is None else asdict(each.figure),
            **({"finite_population_correction": each.corrected} if finite else {}),
        }
        for each in found
    ]
    print_analysis(survey, {"estimates": content}, lines, machine)


def analysed_names(survey: Survey, question: Question) -> list[str]:
    """The names of a question's boxes, of the questions behind a joint one and its own, or its own
    alone."""
    if question.kind.boxes:
        return [f"{question.name}/{box.name}" for box in question.choices]
    items = [f"{question.name}/{item.name}" for item in survey.items_of(question)]
    return [*items, question.name]


def design_estimate_text(estimate_of: DesignEstimate) -> str:
    """The estimate with its interval."""
    return cell_as_text(measure_cell(estimate_of.figure, estimate_of.measure))


def figure_lines(question: QuestionResults) -> Iterator[str]:
    """One line for each estimate."""
    level = f"{question.level_text} % interval"
    asked = [(answer, ", among those asked") for answer in question.asked]
    items = [item.question for item in question.items]
    for answer, among in [*asked, *((answer, "") for answer in question.answers)]:
        error, (low, high) = answer.shown_error, answer.between
        yield (
            f"{label_with_questions(answer.choice, items)}{among}: {answer.shown}"
            f" (standard error {'unknown' if error is None else error_points(error)};"
            f" {level} {low} to {high})"
        )
    for quantity in question.listed_quantities:
        if quantity.cannot_tell:
            yield f"{quantity.label}: too uncertain to show ({level} wider than half of the range)"
            continue
        low, high = quantity.between
        heaped = ""
        if quantity.heaped_between:
            ends = " to ".join(quantity.heaped_between)
            heaped = f", or {ends} if many people gave the same number"
        yield f"{quantity.label}: {quantity.shown} ({level} {low} to {high}{heaped})"


@command
@click.argument("slug")
@click.argument("questions", nargs=-1, required=True)
@click.option(
    "--of",
    type=click.Choice([OF_ROW, OF_COLUMN, OF_ALL]),
    default=OF_ROW,
    show_default=True,
    help="What the percentages add up to.",
)
@with_analysis_options
def crosstab_command(
    slug: str, questions: tuple[str, ...], of: str, sampling: Sampling, level: float,
    machine: bool,
) -> None:  # fmt: skip
    """Cross-tabulate two or three QUESTIONS of survey SLUG.

    The first question gives the rows, and the second the columns. With a third question, the
    command prints the tables for each of its answers. QUESTION+QUESTION treats two questions as
    one, if they have the same answers and each respondent was asked one of them.
    """
    survey, columns, design = read_analysis_columns(slug, questions, sampling)
    table = crosstab(columns, design, level / 100)
    lines = [crosstab_sentence(table), *block_lines(crosstab_blocks(table, of))]
    print_analysis(survey, crosstab_json(table), lines, machine)


@command
@click.argument("slug")
@click.argument("outcome")
@click.option("--by", "by", required=True, help="Question that defines the groups.")
@click.option(
    "--answer",
    help="Answer whose share is compared. Default: the mean of a number or scale, or the share of "
    "the first of two answers.",
)
@click.option(
    "--reference",
    help="Answer of the group with which all other groups are compared. "
    "Default: all pairs of groups are compared.",
)
@with_analysis_options
def compare_command(
    slug: str, outcome: str, by: str, answer: str | None, reference: str | None,
    sampling: Sampling, level: float, machine: bool,
) -> None:  # fmt: skip
    """Compare a share or mean of OUTCOME between groups of respondents.

    OUTCOME is a question of survey SLUG. Respondents with the same answer to the question of --by
    form a group.
    """
    survey, (first, group), design = read_analysis_columns(slug, (outcome, by), sampling)
    place = None if answer is None else place_of_answer(survey.survey, first, answer)
    against = None if reference is None else place_of_answer(survey.survey, group, reference)
    comparison = compare(first, group, design, place, against, level / 100)
    blocks = comparison_blocks(comparison)
    lines = [comparison_sentence(comparison), *block_lines(blocks)]
    print_analysis(survey, comparison_json(comparison), lines, machine)


@command
@click.argument("slug")
@click.argument("first")
@click.argument("second")
@click.option("--first-answer", help="Answer to FIRST that counts as 1.")
@click.option("--second-answer", help="Answer to SECOND that counts as 1.")
@with_analysis_options
def correlate_command(
    slug: str, first: str, second: str, first_answer: str | None, second_answer: str | None,
    sampling: Sampling, level: float, machine: bool,
) -> None:  # fmt: skip
    """Correlate the questions FIRST and SECOND of survey SLUG.

    Candor uses the values of a number or a scale. For any other question, one answer counts as 1,
    and all others count as 0. By default, this is the first of two answers. If the question has
    more answers, choose one with --first-answer or --second-answer.
    """
    survey, (x, y), design = read_analysis_columns(slug, (first, second), sampling)
    places = (
        None if first_answer is None else place_of_answer(survey.survey, x, first_answer),
        None if second_answer is None else place_of_answer(survey.survey, y, second_answer),
    )
    found = correlations([x, y], design, places, level / 100)
    # A single pair without a coefficient is refused.
    [result] = [pair.found for pair in found.pairs if pair.found is not None]
    labels = [capitalised(measure_text(each)) for each in (result.first, result.second)]
    blocks = correlation_blocks(found, labels, weighted=design.weights is not None)
    lines = [correlations_sentence(found, labels), *block_lines(blocks)]
    print_analysis(survey, correlation_json(result), lines, machine)
