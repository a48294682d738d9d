"""The command `analyse regress`: a regression of one question on others."""

import click

from survey.analysis.as_json import regression_json
from survey.analysis.regression.formula import parse_terms
from survey.analysis.regression.outcomes import MODELS
from survey.analysis.regression.regression import regress
from survey.analysis.regression.regression_blocks import regression_blocks, regression_heading
from survey.analysis.regression.standard_errors import CLUSTERED, KINDS, SANDWICH
from survey.analysis.sentences import regression_sentence
from survey.cli.analyse import (
    Sampling,
    print_analysis,
    read_analysis_columns,
    with_sampling_options,
)
from survey.cli.command_errors import command
from survey.cli.tables import block_lines
from survey.core.errors import UnanswerableQuestion
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
    content = {
        "fingerprint": frozen_of(stored_survey).fingerprint,
        **regression_json(regression, columns[0], columns[1:]),
    }
    blocks = regression_blocks(regression, columns[0], columns[1:], products=bool(formula.products))
    lines = [
        regression_heading(regression, columns[0]),
        regression_sentence(regression, columns[0], columns[1:]),
        *block_lines(blocks),
    ]
    print_analysis(stored_survey, content, lines, machine)
