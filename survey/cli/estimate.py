"""The command `analyse estimate`: the results of all questions."""

import json
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import asdict, fields
from functools import partial
from pathlib import Path
from typing import Any

import click

from survey.analysis.columns.column_request import DesignNames, columns_and_design
from survey.analysis.columns.design_file import DesignFile
from survey.analysis.design_estimates import DesignEstimate, design_estimates
from survey.analysis.groups.group_blocks import measure_cell
from survey.analysis.scrambled_reports import Scrambling, mean_behind_reports
from survey.cli.analyse import design_options, read_design
from survey.cli.command_errors import command
from survey.cli.tables import cell_as_text
from survey.core.errors import MechanismError, UnanswerableQuestion
from survey.core.exact_numbers import exact, probability
from survey.definition.certainty import epsilon_text, named_loss
from survey.definition.questions import Question
from survey.definition.survey import Survey
from survey.estimation.findings.remarks import about_entered_answers
from survey.estimation.number_text import error_points
from survey.estimation.results import QuestionResults
from survey.estimation.types.joint_texts import label_with_questions
from survey.formats.csv_export import results_as_json
from survey.store import StoredSurvey
from survey.web.analyses.forms import AnalysisForm
from survey.web.extensions import store
from survey.web.published_results import results_of, survey_now

SCRAMBLED_ASSUMPTION = (
    "Means of the answers behind scrambled reports: they assume that everyone followed the rule, "
    "and that its random numbers do not depend on the answer. In general, no ε bounds what a "
    "scrambled report reveals."
)


class ScrambledQuestion(click.ParamType[tuple[str, Scrambling]]):
    """A question and its design, such as income=p_truth=0.6,factor_mean=5/3,addition_mean=25/9."""

    name = "question=design"

    def convert(
        self,
        value: str | tuple[str, Scrambling],
        param: click.Parameter | None,
        ctx: click.Context | None,
    ) -> tuple[str, Scrambling]:
        if isinstance(value, tuple):
            return value
        question, _, design = value.partition("=")
        pairs = [each.partition("=") for each in design.split(",")]
        names = [name.strip() for name, _, _ in pairs]
        if sorted(names) != sorted(each.name for each in fields(Scrambling)):
            self.fail(
                f"{value!r} needs p_truth, factor_mean and addition_mean, once each. Write it as "
                "QUESTION=p_truth=0.6,factor_mean=5/3,addition_mean=25/9.",
                param,
                ctx,
            )
        try:
            numbers = {
                name: float((probability if name == "p_truth" else exact)(number, name))
                for name, (_, _, number) in zip(names, pairs, strict=True)
            }
        except MechanismError as error:
            self.fail(str(error), param, ctx)
        return question.strip(), Scrambling(**numbers)


def with_design_options(function: Callable[..., Any]) -> Callable[..., Any]:
    """Add the options for the sampling design."""
    for option in reversed(design_options(AnalysisForm(None))):
        function = option(function)
    return function


@command
@click.argument("slug")
@with_design_options
@click.option(
    "--scrambled",
    type=ScrambledQuestion(),
    multiple=True,
    help="Non-private number with scrambled reports that were collected elsewhere, and its design, "
    "such as income=p_truth=0.6,factor_mean=5/3,addition_mean=25/9. With probability p_truth, the "
    "report is the answer, otherwise answer × factor + addition, with random numbers of these "
    "means. Can be repeated.",
)
@click.option(
    "--json", "machine", is_flag=True, help="Print everything as JSON, at full precision."
)
def estimate(
    slug: str,
    machine: bool,
    file: Path | None,
    encoding: str | None,
    scrambled: tuple[tuple[str, Scrambling], ...],
    **names: str | None,
) -> None:
    """Estimate the true shares and means of survey SLUG.

    SLUG can also be a sub-survey, such as health.by-hand. With weights, strata, clusters or
    scrambled numbers, the command prints means and shares only for the respondents who answered the
    question.
    """
    if file or scrambled or any(names.values()):
        read = partial(read_design, file, encoding)
        estimate_with_design(slug, DesignNames(**names), read, dict(scrambled), machine)
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
        non_private = not question.question.protected
        loss = "stored as given" if non_private else f"epsilon {epsilon_text(question.epsilon)}"
        click.echo(f"\n{question.question.label}  ({loss})")
        for line in (question.sentence, *figure_lines(question)):
            click.echo(f"  {line}")
        if question.calculation is not None:
            click.echo(f"  {question.calculation.sentence}")
        for remark in question.explanations:
            click.echo(f"  {remark.sentence}")


def estimate_with_design(
    slug: str,
    names: DesignNames,
    read: Callable[[Survey], DesignFile | None],
    scrambled: Mapping[str, Scrambling],
    machine: bool,
) -> None:
    """Print the estimates of all questions under a sampling design.

    `read` reads the design file. `scrambled` has the questions with scrambled reports.
    """
    found = survey_now(slug)
    survey, file = found.survey, read(found.survey)
    if file is not None:
        names = names.with_file(file)
    about_design = {names.weights, names.strata, names.clusters}
    wanted = [
        name
        for question in survey.fields
        if question.kind.estimated and question.name not in about_design
        for name in analysed_names(survey, question)
    ]
    unknown = [name for name in scrambled if name not in wanted]
    if unknown:
        raise UnanswerableQuestion(
            f"There is no question {unknown[0]!r} to estimate. Use one of these: "
            f"{', '.join(wanted)}."
        )
    columns, design = columns_and_design(survey, store().responses.rows(slug), wanted, names, file)
    estimates: list[DesignEstimate] = []
    for column in columns:
        if column.name in scrambled:
            estimates.append(mean_behind_reports(column, scrambled[column.name], design))
        else:
            estimates += design_estimates([column], design)
    finite = design.populations is not None
    lines = [
        f"{each.measure.column.label}, {each.measure.words}: "
        f"{design_estimate_text(each)}, n = {each.n:,}"
        + ("; no finite population correction" if finite and not each.corrected else "")
        + "".join(f"\n  {remark.sentence}" for remark in each.remarks)
        for each in estimates
    ]
    content = [
        {
            "question": name,
            "answer": each.measure.answer,
            "n": each.n,
            "figure": None if each.figure is None else asdict(each.figure),
            "remarks": [remark.as_json for remark in each.remarks],
            **({"finite_population_correction": each.corrected} if finite else {}),
            **({"scrambled": asdict(scrambled[name])} if name in scrambled else {}),
        }
        for each in estimates
        for name in (each.measure.column.name,)
    ]
    if scrambled:
        lines.append(SCRAMBLED_ASSUMPTION)
    print_result(found, {"estimates": content}, lines, machine)


def print_result(
    found: StoredSurvey, content: dict[str, Any], lines: Iterable[str], machine: bool
) -> None:
    """Print a result as JSON for programs, or as lines."""
    if machine:
        about = {"survey": found.survey.slug, "origin": found.origin}
        click.echo(json.dumps(about | content, indent=1, allow_nan=False))
        return
    if found.origin != "browser":
        click.echo(f"Responses: {found.origin}.")
    click.echo("\n".join(lines))


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
        yield f"{quantity.label}: {quantity.shown} ({level} {low} to {high})"
