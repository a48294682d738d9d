"""The command `analyse two-designs`: designs of two groups, as RRreg has them."""

from dataclasses import asdict
from fractions import Fraction

import click

from survey.analysis.as_json import part_json
from survey.analysis.columns.column_request import columns_and_design, place_of_answer
from survey.analysis.regression.formula import parse_terms
from survey.analysis.validity.two_design_blocks import (
    regression_of_trait,
    regression_of_trait_blocks,
    reports_of_groups,
    two_design_blocks,
)
from survey.analysis.validity.two_designs import (
    CHEATING,
    LIE_DETECTOR,
    SYMMETRIC,
    UNRELATED,
    two_designs,
)
from survey.cli.command_errors import command
from survey.cli.estimate import print_result
from survey.cli.tables import block_lines
from survey.web.extensions import store
from survey.web.published_results import survey_now

# RRreg's names of the designs.
R_NAMES = {"SLD": LIE_DETECTOR, "CDM": CHEATING, "CDMsym": SYMMETRIC, "UQTunknown": UNRELATED}


class Probability(click.ParamType[float]):
    """A probability such as 1/6 or 0.25."""

    name = "probability"

    def convert(
        self, value: str | float, param: click.Parameter | None, ctx: click.Context | None
    ) -> float:
        try:
            return float(Fraction(str(value)))
        except (ValueError, ZeroDivisionError):
            self.fail(f"{value!r} is not a probability. Write it as 1/6 or 0.25.", param, ctx)


class ProbabilityOfGroup(click.ParamType[tuple[str, float]]):
    """A group and its probability, such as treated=1/6."""

    name = "group=probability"

    def convert(
        self,
        value: str | tuple[str, float],
        param: click.Parameter | None,
        ctx: click.Context | None,
    ) -> tuple[str, float]:
        if isinstance(value, tuple):
            return value
        group, equals, number = value.rpartition("=")
        if not equals:
            self.fail(f"{value!r} names no group. Write it as GROUP={value}.", param, ctx)
        return group, Probability().convert(number, param, ctx)


@command
@click.argument("slug")
@click.argument("question")
@click.option("--by", "group", required=True, help="Non-private question with the two groups.")
@click.option(
    "--model",
    type=click.Choice(list(R_NAMES)),
    required=True,
    help="Design: stochastic lie detector (SLD), cheating detection (CDM, CDMsym), or "
    "unrelated question with an unknown share (UQTunknown).",
)
@click.option(
    "--p",
    "probabilities",
    type=ProbabilityOfGroup(),
    multiple=True,
    required=True,
    help="Answer of a group, and the probability of its design, such as treated=1/6: one "
    "for each group. For CDMsym two for each group: first the probability that the rule "
    "demands yes, then that it demands no.",
)
@click.option("--answer", help="Report that counts as yes. Default: the first one.")
@click.option(
    "--predictor",
    "terms",
    multiple=True,
    help="Non-private question that can explain who has the trait, or a product such as "
    "age:region. Only with SLD. Can be repeated.",
)
@click.option(
    "--level",
    type=click.FloatRange(50, 99.9),
    default=95,
    show_default=True,
    help="Confidence level of the intervals, in percent.",
)
@click.option(
    "--json", "machine", is_flag=True, help="Print everything as JSON, at full precision."
)
def two_designs_command(
    slug: str,
    question: str,
    group: str,
    model: str,
    probabilities: tuple[tuple[str, float], ...],
    answer: str | None,
    terms: tuple[str, ...],
    level: float,
    machine: bool,
) -> None:
    """Estimate shares of survey SLUG from two groups with different probabilities.

    QUESTION has the reports, as people gave them. Import it as a non-private question, because its
    probabilities depend on an unknown share. The meaning of --p depends on the model. With SLD, it
    is the probability that people without the trait answer truthfully. With CDM, it is the
    probability that the rule demands yes. With UQTunknown, it is the probability that the sensitive
    question is asked. With --predictor, a logistic regression shows how the trait depends on
    answers to other questions.
    """
    if terms and model != "SLD":
        raise click.UsageError("Only the model SLD has predictors. Leave out --predictor.")
    found_survey = survey_now(slug)
    survey, formula = found_survey.survey, parse_terms(terms)
    names = (question, group, *formula.names)
    (reported, by, *predictors), _ = columns_and_design(survey, store().responses.rows(slug), names)
    place = 0 if answer is None else place_of_answer(survey, reported, answer)
    reports = reports_of_groups(reported, by, place)
    yes, n = reports.counts
    by_group: tuple[list[float], list[float]] = [], []
    for name, probability in probabilities:
        by_group[place_of_answer(survey, by, name)].append(probability)
    if len(by_group[0]) != len(by_group[1]):
        raise click.UsageError("Give --p the same number of times for both groups.")
    found = two_designs(R_NAMES[model], [*by_group[0], *by_group[1]], yes, n, level / 100)
    content = {
        "question": part_json(reported),
        "model": model,
        "groups": list(by.answers[:2]),
        "yes": list(yes),
        "n": list(n),
        "level": level / 100,
        "shares": {each.name: part_json(each.figure) for each in found.shares},
        "design_fit": asdict(found.fit),
    }
    blocks = list(two_design_blocks(found, by, reported.answers[place], yes, n, level / 100))
    if terms:
        truthful = by_group[0][0], by_group[1][0]
        fitted = regression_of_trait(reports, truthful, predictors, formula, level / 100)
        blocks += regression_of_trait_blocks(fitted, level / 100)
        content["regression"] = part_json(
            {
                "n": fitted.n,
                "log_likelihood": fitted.log_likelihood,
                "parameters": [
                    {"name": each.name, "statistic": each.statistic, "p": each.p}
                    | part_json(each.figure)
                    for each in fitted.rows
                ],
                "covariance": fitted.covariance,
            }
        )
    print_result(found_survey, content, block_lines(blocks), machine)
