"""The commands `analyse validity` and `analyse two-designs`: honest answers, followed rules."""

from fractions import Fraction

import click

from survey.analysis import columns_by_name
from survey.analysis.as_json import part_json
from survey.analysis.cells import share_cell
from survey.analysis.columns.column_request import DesignNames, place_of_answer
from survey.analysis.columns.sample_means import complete_case_sample
from survey.analysis.columns.variables import AnalysisColumn
from survey.analysis.validity.noncompliance import (
    AT_RANDOM,
    DENIED,
    bounded,
    deviants,
    report_counts_and_table,
)
from survey.analysis.validity.two_designs import (
    CHEATING,
    LIE_DETECTOR,
    SYMMETRIC,
    UNRELATED,
    TwoGroupFigure,
    two_designs,
)
from survey.analysis.validity.validity import contrasted, controlled, require_arms, said_by
from survey.cli.analyse import Sampling, print_analysis, read_analysis_columns
from survey.cli.command_errors import command
from survey.cli.tables import cell_as_text, table_lines
from survey.core.errors import UnanswerableQuestion
from survey.estimation.number_text import points_text
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
@click.option("--model", type=click.Choice(list(R_NAMES)), required=True,
              help="Design: stochastic lie detector (SLD), cheating detection (CDM, CDMsym), or "
              "unrelated question with an unknown share (UQTunknown).")  # fmt: skip
@click.option("--p", "probabilities", type=ProbabilityOfGroup(), multiple=True, required=True,
              help="Answer of a group, and the probability of its design, such as treated=1/6: one "
              "for each group. For CDMsym two for each group: first the probability that the rule "
              "demands yes, then that it demands no.")  # fmt: skip
@click.option("--answer", help="Report that counts as yes. Default: the first one.")
@click.option("--level", type=click.FloatRange(50, 99.9), default=95, show_default=True,
              help="Confidence level of the intervals, in percent.")  # fmt: skip
@click.option(
    "--json", "machine", is_flag=True, help="Print everything as JSON, at full precision."
)
def two_designs_command(
    slug: str, question: str, group: str, model: str,
    probabilities: tuple[tuple[str, float], ...], answer: str | None, level: float, machine: bool,
) -> None:  # fmt: skip
    """Estimate shares of survey SLUG from two groups with different probabilities.

    QUESTION has the reports, as people gave them. Import it as a non-private question, because its
    probabilities depend on an unknown share. The meaning of --p depends on the model. With SLD, it
    is the probability that people without the trait answer truthfully. With CDM, it is the
    probability that the rule demands yes. With UQTunknown, it is the probability that the sensitive
    question is asked.
    """
    survey, (reported, by), _ = read_analysis_columns(
        slug, (question, group), Sampling(DesignNames())
    )
    place = 0 if answer is None else place_of_answer(survey.survey, reported, answer)
    yes, n = counts_of_yes(reported, by, place)
    by_group: tuple[list[float], list[float]] = [], []
    for name, probability in probabilities:
        by_group[place_of_answer(survey.survey, by, name)].append(probability)
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
        "shares": {each.name: part_json(each.figure) for each in found},
    }
    lines = [*count_lines(by, reported.answers[place], yes, n), "", *two_group_lines(found, level)]
    print_analysis(survey, content, lines, machine)


def counts_of_yes(
    reported: AnalysisColumn, by: AnalysisColumn, place: int
) -> tuple[tuple[int, int], tuple[int, int]]:
    """The number of reports "yes", and of all reports, in each of two groups."""
    for column in (reported, by):
        if column.private or column.listed != 2:
            raise UnanswerableQuestion(
                f"“{column.label}” must be a non-private question with two answers."
            )
    given = reported.reported & by.reported & (reported.reports < 2) & (by.reports < 2)
    first, second = (given & (by.reports == each) for each in (0, 1))
    yes = reported.reports == place
    return (
        (int((first & yes).sum()), int((second & yes).sum())),
        (int(first.sum()), int(second.sum())),
    )


def count_lines(
    by: AnalysisColumn, answer: str, yes: tuple[int, int], n: tuple[int, int]
) -> list[str]:
    rows = [[by.name, f"“{answer}”", "of"]]
    rows += [
        [name, f"{count:,}", f"{of:,}"]
        for name, count, of in zip(by.answers[:2], yes, n, strict=True)
    ]
    return table_lines(rows)


def two_group_lines(found: list[TwoGroupFigure], level: float) -> list[str]:
    rows = [["share", f"with {level:g} % interval", "standard error in points"]]
    rows += [
        [each.name, cell_as_text(share_cell(each.figure)), points_text(each.figure.standard_error)]
        for each in found
    ]
    lines = table_lines(rows)
    if any(not 0 <= each.figure.value <= 1 for each in found):
        lines += [
            "",
            "A true share cannot be below 0 or above 100 %. This is random error, or people did "
            "not follow the design.",
        ]
    return lines
