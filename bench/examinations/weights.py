"""Weights, strata and clusters: shares, means, differences, row shares and correlations."""

from collections.abc import Callable, Sequence
from functools import partial
from itertools import product

import numpy as np
import numpy.typing as npt

from survey.analysis.columns.variables import AnalysisColumn, Codes, SurveyDesign
from survey.analysis.design_estimates import design_estimates
from survey.analysis.groups.groups import compare
from survey.analysis.tables.correlation import pearson_correlation
from survey.analysis.tables.crosstabs import crosstab
from survey.core.errors import UnanswerableQuestion
from survey.core.scores import Array

from . import answers
from .answers import EPSILONS, SIZES
from .study import Case, Finding, Study

CLUSTER_SIZE, CLUSTER_CORRELATION, DECLINING = 10, 0.1, 0.05
COMMON, RARE, EFFECT = 0.3, 0.05, 0.3
FEW_CLUSTERS = "Five clusters leave four degrees of freedom for what their correlation is."
FEW_DEGREES = (
    "Weights leave about 15 degrees of freedom. Fieller's interval is then too short, and pages "
    "say so below 30."
)
WEIGHTED_COUNTS = "An effective sample size of about 20 makes these shares discrete."
ANALYSES = ("groups", "rows", "correlation")
# The share of each stratum among all people, and among respondents.
STRATA = np.array([0.2, 0.3, 0.5]), np.array([0.5, 0.3, 0.2])
PRIVACY: dict[str, object] = {"not private": "none"} | {
    f"ε = {name}": {"epsilon": epsilon} for name, epsilon in EPSILONS.items()
}


def raked(n: int, generator: np.random.Generator) -> tuple[Codes, SurveyDesign]:
    """The stratum of each respondent, and weights that restore the shares of the strata."""
    of_people, of_sample = STRATA
    # At least two people of each stratum respond.
    codes = np.append(np.repeat([0, 1, 2], 2), generator.choice(3, n - 6, p=of_sample))
    weights = (of_people / np.bincount(codes))[codes]
    return codes, SurveyDesign(weights=weights, strata=codes.astype(str))


def clustered(n: int, generator: np.random.Generator) -> tuple[Codes, SurveyDesign]:
    """Clusters of ten, with weights that have nothing to do with the answers."""
    codes = np.arange(n) // CLUSTER_SIZE
    weights = generator.choice([0.5, 1.0, 2.0], n)
    return codes, SurveyDesign(weights=weights, clusters=codes.astype(str))


Design = Callable[[int, np.random.Generator], tuple[Codes, SurveyDesign]]
DESIGNS: dict[str, Design] = {"raked": raked, "clusters": clustered}


def chances_of(design: Design, share: float, codes: Codes, generator: np.random.Generator) -> Array:
    """Each respondent's probability of the answer, whose mean over all people is the share."""
    if design is raked:
        # The answer is commonest in the first stratum.
        ratio = np.array([2.0, 1.0, 0.6])
        return np.asarray(share * ratio / (STRATA[0] @ ratio))[codes]
    # The beta distribution of each cluster has this correlation of two answers in it.
    spread = (1 - CLUSTER_CORRELATION) / CLUSTER_CORRELATION
    of_cluster = generator.beta(share * spread, (1 - share) * spread, int(codes.max()) + 1)
    return np.asarray(of_cluster[codes])


def share(
    column: AnalysisColumn, design: Design, truth: float, n: int, generator: np.random.Generator
) -> Finding:
    """The share of yes among those who do not decline."""
    codes, of_survey = design(n, generator)
    given = no_unless(generator.random(n) < chances_of(design, truth, codes, generator))
    if column.special_answers:
        given = np.where(generator.random(n) < DECLINING, column.listed, given)
    reported = answers.reported(generator, column, given)
    figure = next(iter(design_estimates([reported], of_survey))).figure
    if figure is None:
        raise UnanswerableQuestion("There is no estimate.")
    return Finding([figure.value - truth], [figure.low <= truth <= figure.high])


def relation(
    columns: Sequence[AnalysisColumn], analysis: str, design: Design, effect: float, n: int,
    generator: np.random.Generator,
) -> Finding:  # fmt: skip
    """How one of the analyses sees two questions, of which the first halves the people.

    Of those with yes to it, the part `effect` of people without yes to the second gives it, too.
    """
    codes, of_survey = design(n, generator)
    first = generator.random(n) < 0.5
    second = generator.random(n) < chances_of(design, COMMON, codes, generator)
    second |= first & (generator.random(n) < effect)
    halves, reported = (
        answers.reported(generator, column, no_unless(yes))
        for column, yes in zip(columns, (first, second), strict=True)
    )
    truth, p = effect * (1 - COMMON), None
    if analysis == "groups":
        (difference,) = compare(reported, halves, of_survey, answer=0).differences
        # The group with no is compared with that with yes.
        figure, p, truth = difference.figure, difference.stated_p[0], -truth
    elif analysis == "rows":
        row = crosstab([halves, reported], of_survey).differences[0]
        if row is None:
            raise UnanswerableQuestion("The page has no difference.")
        figure, truth = row, -truth
    else:
        found = pearson_correlation(halves, reported, of_survey)
        figure, p = found.figure, found.p
        all_yes = COMMON + truth / 2
        truth *= 0.5 / np.sqrt(all_yes * (1 - all_yes))
    rejects = not figure.low <= 0 <= figure.high if p is None else p < 0.05
    held = [figure.low <= truth <= figure.high]
    if effect:
        return Finding([figure.value - truth], held, found=rejects)
    return Finding([figure.value], held, alarm=rejects)


def no_unless(yes: npt.NDArray[np.bool_]) -> Codes:
    """The answers of these people."""
    return np.where(yes, 0, 1)


def cases() -> list[Case]:
    found = []
    for (title, design), (privacy, entry), n in product(DESIGNS.items(), PRIVACY.items(), SIZES):
        for declines, truth in product((False, True), (COMMON, RARE)):
            column = answers.asked("x", "yes_no", entry, declines=declines)
            name = f"share of {100 * truth:g} %, {title}, {privacy}"
            name += ", special answer" if declines else ""
            reason = (
                "" if n > min(SIZES) else FEW_CLUSTERS if design is clustered else WEIGHTED_COUNTS
            )
            if design is raked and column.private and declines:
                reason = FEW_DEGREES
            found.append(Case(name, n, partial(share, column, design, truth, n), 1_000, reason))
    kinds = {"not private": "none", "ε = 2": {"epsilon": 2.0}}
    for (title, design), (privacy, entry), n in product(DESIGNS.items(), kinds.items(), SIZES):
        private = [answers.asked(name, "yes_no", entry) for name in "xy"]
        halves = {"": answers.asked("x", "yes_no", "none"), ", private groups": private[0]}
        for (kind, first), analysis, effect in product(halves.items(), ANALYSES, (0.0, EFFECT)):
            if kind and privacy == "not private":
                continue
            name = f"{analysis}, {title}, {privacy}{kind}, {'related' if effect else 'not related'}"
            draw = partial(relation, [first, private[1]], analysis, design, effect, n)
            found.append(Case(name, n, draw, 400))
    return found


STUDY = Study(
    "Weights, strata and clusters",
    """A yes/no question in two designs. In the raked one, half of the respondents are from a
    stratum with a fifth of the people. The answer is commonest there, and weights restore the
    shares of three strata. In the other one, respondents are in clusters of ten, in which two
    answers have a correlation of 0.1, and have unequal weights. With a special answer, 5 % of the
    people decline. Two questions are compared by groups, by the rows of a cross-tabulation (whose
    test is that of the interval) and by their correlation.""",
    cases,
    """The interval of a rare share was Student's. With 50 raked responses it covered 78 % for a
    non-private share of 5 %. Student's distribution had too many degrees of freedom, so
    correlations of 50 raked responses were covered in 93 %.""",
)
