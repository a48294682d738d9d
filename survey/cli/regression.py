"""The command `analyse regress`: a regression of one question on others."""

from collections.abc import Iterator, Sequence
from dataclasses import asdict

import click
import numpy as np

from survey.analysis.regression.coefficients import Regression
from survey.analysis.regression.equations import scale_sentence
from survey.analysis.regression.formula import parse_terms
from survey.analysis.regression.outcomes import LINEAR, LINKS, LOGISTIC, MODELS
from survey.analysis.regression.regression import regress
from survey.analysis.regression.standard_errors import CLUSTERED, KINDS, SANDWICH
from survey.cli.analyse import (
    Sampling,
    print_analysis,
    read_analysis_columns,
    with_sampling_options,
)
from survey.cli.command_errors import command
from survey.cli.tables import p_value, table_lines
from survey.core.errors import UnanswerableQuestion
from survey.estimation.number_text import number, percent, rounded_to
from survey.web.published_results import frozen_of


@command
@click.argument("slug")
@click.argument("outcome")
@click.argument("predictors", nargs=-1, required=True)
@click.option(
    "--model", type=click.Choice(MODELS),
    help="Regression model. Default: logistic for two answers, multinomial for more, ordered for a "
    "scale, linear for a number and for a private scale with “Prefer not to say”. For two answers, "
    "probit, cloglog (complementary log-log) and cauchit are other links.",
)  # fmt: skip
@click.option(
    "--se", type=click.Choice([*KINDS, CLUSTERED]),
    help="Type of standard errors. Default: clustered with clusters; sandwich for a linear model, "
    "or with weights or strata; otherwise observed.",
)  # fmt: skip
@with_sampling_options
@click.option(
    "--categories",
    multiple=True,
    help="Predictor, a number or a scale, whose values are treated as separate categories. You can "
    "repeat this option. In a non-private predictor that you name here, special answers such as "
    "“Prefer not to say” are categories too. Otherwise, the regression leaves out respondents "
    "with a special answer.",
)
@click.option(
    "--json", "machine", is_flag=True, help="Print everything as JSON, at full precision."
)
def regress_answers(
    slug: str, outcome: str, predictors: tuple[str, ...], model: str | None, se: str | None,
    sampling: Sampling, categories: tuple[str, ...], machine: bool,
) -> None:  # fmt: skip
    """Regress the question OUTCOME of survey SLUG on PREDICTORS.

    PREDICTORS are one or more questions. QUESTION+QUESTION treats two questions as one. They
    must have the same answer options, and each respondent must have been asked exactly one of them.

    A predictor can also be a term. age:region is a product of two predictors, and 'age*region' also
    adds these predictors. 'I(age^2)' is a square, and 'C(region, ref=South)' makes South the
    reference category. Quote a term that has * or parentheses.
    """
    formula = parse_terms(predictors)
    unasked = [name for name in categories if name not in formula.names]
    if unasked:
        raise UnanswerableQuestion(f"{unasked[0]} is not a predictor. Add it to the predictors.")
    wanted = (outcome, *formula.names)
    stored_survey, columns, design = read_analysis_columns(slug, wanted, sampling)
    if se == CLUSTERED:  # `regress` calls these the sandwich errors of clusters.
        if design.clusters is None:
            raise UnanswerableQuestion(
                "Clustered standard errors need clusters. Add --clusters QUESTION."
            )
        se = SANDWICH
    regression = regress(
        columns[0], columns[1:], model, se, design if design.given else None, categories,
        formula=formula,
    )  # fmt: skip
    content = {"fingerprint": frozen_of(stored_survey).fingerprint, **asdict(regression)}
    print_analysis(stored_survey, content, list(regression_lines(regression)), machine)


def regression_lines(regression: Regression) -> Iterator[str]:
    """The regression as lines for a terminal."""
    left_out = f", {regression.left_out:,} left out" if regression.left_out else ""
    yield f"{regression.model.capitalize()} regression of {regression.outcome}"
    yield (
        f"{regression.n:,} responses{left_out}; {regression.errors} standard errors; "
        f"intervals: {regression.intervals}"
    )
    if regression.model in LINKS:
        yield scale_sentence(regression)
    elif regression.compared_with is not None:
        yield f"The reference category of the logits is “{regression.compared_with}”."
    yield ""
    yield from coefficient_lines(regression)
    yield ""
    yield "Tests of the predictors"
    for test in regression.tests:
        freedom = f"{test.degrees}" + (f" and {test.freedom}" if test.freedom else "")
        yield (
            f"  {test.name}: {test.kind} {number(float(f'{test.statistic:.4g}'))}, "
            f"degrees of freedom {freedom}, p {p_value(test.p)}"
        )
    if regression.model != LINEAR:
        yield from effect_lines(regression)
    if regression.shares:
        yield from share_lines(regression)
    for remark in regression.remarks:
        yield ""
        yield remark


def coefficient_lines(regression: Regression) -> Iterator[str]:
    """One line for each coefficient, below a heading for each equation."""
    equation = ""
    rows: list[Sequence[str]] = []
    ratios = regression.model == LOGISTIC
    for row in regression.coefficients:
        if row.equation != equation:
            equation = row.equation
            rows.append([equation])
        cells = [
            f"  {row.name}",
            *(rounded_to(value, row.error / 2) for value in (row.value, row.error)),
            " to ".join(rounded_to(value, row.error / 2) for value in (row.low, row.high)),
            p_value(row.p),
        ]
        rows.append([*cells, number(float(f"{np.exp(row.value):.3g}"))] if ratios else cells)
    interval = f"{100 * regression.level:g} % interval"
    headings = ["", "coefficient", "standard error", interval, "p"]
    yield from table_lines([[*headings, "odds ratio"] if ratios else headings, *rows], "", "  ")


def effect_lines(regression: Regression) -> Iterator[str]:
    """The average marginal effects, as lines."""
    yield ""
    yield "Average marginal effects, in percentage points"
    rows = [
        [
            f"  {e.name}", e.answer, effect_in_points(e.value),
            f"{effect_in_points(e.low)} to {effect_in_points(e.high)}",
        ]
        for e in regression.effects
        if has_own_line(regression, e.answer)
    ]  # fmt: skip
    headings = ["", "answer", "change", f"{100 * regression.level:g} % interval"]
    yield from table_lines([headings, *rows], "", "  ")


def share_lines(regression: Regression) -> Iterator[str]:
    """The predicted shares, as lines."""
    yield ""
    yield "Predicted shares, if everyone had given the same answer"
    rows = [
        [
            f"  {s.predictor}: {s.level}", s.answer, percent(s.value),
            f"{percent(s.low)} to {percent(s.high)}",
        ]
        for s in regression.shares
        if has_own_line(regression, s.answer)
    ]  # fmt: skip
    headings = ["", "answer", "share", f"{100 * regression.level:g} % interval"]
    yield from table_lines([headings, *rows], "", "  ")


def has_own_line(regression: Regression, answer: str) -> bool:
    """Whether an answer has its own line. Of two answers, one line says everything."""
    return len(regression.answers) > 2 or answer != regression.compared_with


def effect_in_points(value: float) -> str:
    """A difference of shares, in percentage points."""
    return f"{round(100 * value, 2) + 0.0:.2f}".replace("-", "−")
