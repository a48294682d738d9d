"""The accuracy of a release, computed before the draw from public values only.

The interval of a released figure (figures.py) is different: it depends on the drawn value.
"""

import math
from fractions import Fraction

from survey.central_dp.bounded_sums import count_is_known
from survey.central_dp.dp_request import (
    GAIN,
    SELECTED,
    Request,
    Statistic,
    question_of,
    request_bounds,
)
from survey.central_dp.figure_noise import CHEBYSHEV_WITHIN_TWO, figure_noise
from survey.central_dp.noisy_sums import Noise, noises_of, totals_within, unit_of_sum
from survey.central_dp.selection import Selection, is_clipped, is_rounded, selection_of
from survey.central_dp.split_gain import UNITS_PER_BIT
from survey.central_dp.tree import DPTree, tree_of
from survey.core.number_grid import decimal_text
from survey.core.translate import (
    researcher_words,
    translate,
    translate_number,
    translate_plural,
)
from survey.definition.choices import with_unit
from survey.definition.questions import Question
from survey.definition.survey import Survey
from survey.estimation.number_text import number, significant


def accuracy_of(survey: Survey, request: Request, n: int) -> list[str]:
    """The accuracy of a release of n responses as sentences, before the draw."""
    if n == 0:
        return [
            translate("There are no responses. The result would be noise only, at the same cost.")
        ]
    sentences = accuracy_sentences(survey, request, n)
    if noise_outweighs_responses(survey, request, n):
        sentences.insert(
            0,
            translate_plural(
                "The noise may be as large as the effect of %(n)s response, so the result says "
                "little. Collect more responses, or use a larger ε.",
                "The noise may be as large as the effect of %(n)s responses, so the result says "
                "little. Collect more responses, or use a larger ε.",
                n,
            ),
        )
    return sentences


def noise_outweighs_responses(survey: Survey, request: Request, n: int) -> bool:
    """Whether the noise may move a figure as far as all n responses could."""
    if request.statistic in SELECTED:
        selection = selection_of(survey, request)
        sides = max(selection.percent, selection.percent_above) if selection.percent else 100
        return 100 * selection.off_by >= sides * n
    if request.statistic == Statistic.TREE:
        return tree_of(survey, request, n).within >= n
    noises = noises_of(survey, request, n)
    if request.statistic in (Statistic.COUNT, Statistic.HISTOGRAM):
        return noises[0].within >= n
    if request.statistic == Statistic.CURVE:
        return totals_within(noises[0])[-1] >= n * noises[0].part.l1
    return any(noise.within >= n * noise.part.l1 for noise in noises)


def scales_of(survey: Survey, request: Request, n: int) -> list[float]:
    """The scale of each noise and selection, in the units of the drawn values."""
    if request.statistic in SELECTED:
        return [selection_of(survey, request).scale]
    if request.statistic == Statistic.TREE:
        tree = tree_of(survey, request, n)
        return [tree.split, tree.leaf]
    return [noise.scale for noise in noises_of(survey, request, n)]


def within_of(survey: Survey, request: Request, n: int) -> list[float] | None:
    """The error bound of each figure that holds with a probability of 95 %.

    It is in the unit of the figure, or in respondents for a selection. None for a mean or variance
    whose number of answers is not public, or 0; these figures have only an interval.
    """
    question = question_of(survey, request.question)
    if request.statistic in SELECTED:
        return [float(selection_of(survey, request).off_by)]
    if request.statistic == Statistic.TREE:
        return [float(tree_of(survey, request, n).within)]
    noises = noises_of(survey, request, n)
    if request.statistic in (Statistic.COUNT, Statistic.HISTOGRAM) or question.grid is None:
        return [float(noises[0].within)]
    if request.statistic == Statistic.CURVE:
        return [float(question.grid.step * within) for within in totals_within(noises[0])]
    if request.statistic == Statistic.SUM:
        return [float(unit_of_sum(question.grid) * noises[0].within)]
    if n == 0 or not count_is_known(survey, request):
        return None
    return [average_within(survey, request, question, n, noises)]


def rank_bounds(survey: Survey, request: Request, n: int) -> tuple[int, int] | None:
    """For a quantile, the largest number of answers below the selected value, and above it.

    Both hold with a probability of 95 %. None if the number of answers is not public, and for other
    statistics.
    """
    if request.statistic not in (Statistic.MEDIAN, Statistic.QUANTILE):
        return None
    if not count_is_known(survey, request):
        return None
    selection = selection_of(survey, request)
    shares = (selection.percent, selection.percent_above)
    below, above = (min(n, (share * n + selection.deficit) // 100) for share in shares)
    return below, above


def selected_of(survey: Survey, request: Request) -> Selection | DPTree | None:
    """The selection of a request, which has an error bound but no interval; else None."""
    if request.statistic in SELECTED:
        return selection_of(survey, request)
    return tree_of(survey, request, 0) if request.statistic == Statistic.TREE else None


def accuracy_sentences(survey: Survey, request: Request, n: int) -> list[str]:
    return [*claims(survey, request, n), *noise_sentences(survey, request, n)]


def noise_sentences(survey: Survey, request: Request, n: int) -> list[str]:
    """The standard deviation of the added noise, and how often the noise is within two of them."""
    noise = figure_noise(survey, request, n)
    if noise is None:
        return []
    if noise.is_almost_zero:
        return [
            translate(
                "The noise of each released number is 0, except with a probability of less than "
                "one in a million."
            )
        ]
    if request.statistic == Statistic.CURVE:
        terms = noises_of(survey, request, n)[0].part.size
        return [
            translate(
                "The standard deviation of the noise is %(first)s for the sum at the lowest bound, "
                "and %(last)s for the sum at the highest bound.",
                first=translate_number(noise.deviation_text),
                last=translate_number(significant(noise.deviation * math.sqrt(terms), 4)),
            )
        ]
    grid = question_of(survey, request.question).grid
    shown = translate_number(noise.deviation_text)
    if grid is not None and request.statistic in (Statistic.SUM, Statistic.MEAN):
        shown = with_unit(shown, grid)
    return [
        translate(
            "The standard deviation of the noise is %(deviation)s for each released number. By "
            "Chebyshev’s inequality, the noise is within two standard deviations of 0 with a "
            "probability of at least %(least)s. For this distribution, the probability is "
            "%(exact)s.",
            deviation=shown,
            least=translate_number(f"{100 * CHEBYSHEV_WITHIN_TWO} %"),
            exact=noise.within_two_text(researcher_words()),
        )
    ]


def claims(survey: Survey, request: Request, n: int) -> list[str]:
    """How far a release may be from its value without noise."""
    question = question_of(survey, request.question)
    if request.statistic in SELECTED:
        return selected_accuracy(selection_of(survey, request), rank_bounds(survey, request, n), n)
    if request.statistic == Statistic.TREE:
        return dp_tree_accuracy(tree_of(survey, request, n))
    noises = noises_of(survey, request, n)
    within = noises[0].within
    if request.statistic in (Statistic.COUNT, Statistic.HISTOGRAM):
        return bar_accuracy(request, noises)
    grid = question.number_grid
    if request.statistic == Statistic.CURVE:
        withins = totals_within(noises[0])
        first, last = (float(grid.step * withins[place]) for place in (0, -1))
        return [
            translate(
                "The sum at the lowest bound is within %(first)s of its value without noise, and "
                "the sum at the highest bound within %(last)s. With a probability of 95 %%, this "
                "holds for all sums together. Where the curve stops rising, hardly any answer is "
                "above the bound.",
                first=translate_number(number(first)),
                last=translate_number(number(last)),
            )
        ]
    if request.statistic == Statistic.SUM:
        reach = translate_number(number(float(unit_of_sum(grid) * within)))
        return [
            translate(
                "The sum is within %(within)s of its value without noise, with a probability of "
                "95 %%.",
                within=with_unit(reach, grid),
            )
        ]
    return average_accuracy(survey, request, question, n, noises)


def dp_tree_accuracy(tree: DPTree) -> list[str]:
    if tree.score == GAIN:
        splits = translate(
            "All counts in the leaves are within %(within)s of the counts without noise. "
            "Compared with the best split at its node, each split leaves at most %(bits)s more "
            "bits of entropy, summed over all %(n)s respondents. All of this holds with a "
            "probability of 95 %%.",
            within=tree.within,
            bits=translate_number(f"{tree.fewer / UNITS_PER_BIT:,.0f}"),
            n=tree.n,
        )
    else:
        splits = translate(
            "All counts in the leaves are within %(within)s of the counts without noise. "
            "Compared with the best split at its node, each split predicts the answers of at most "
            "%(fewer)s fewer respondents correctly. All of this holds with a probability of 95 %%.",
            within=tree.within,
            fewer=tree.fewer,
        )
    return [
        splits,
        translate(
            "Each of the %(levels)s levels, including the leaves, has ε = %(epsilon)s.",
            levels=tree.depth + 1,
            epsilon=translate_number(f"{tree.loss:.4g}"),
        ),
    ]


def bar_accuracy(request: Request, noises: list[Noise]) -> list[str]:
    """The accuracy of a count, or of the bars of a histogram."""
    within = translate_number(f"{noises[0].within:,}")
    if request.statistic == Statistic.HISTOGRAM:
        claim = translate(
            "With a probability of 95 %%, every bar is within %(within)s of its value without "
            "noise.",
            within=within,
        )
    else:
        claim = translate(
            "With a probability of 95 %%, the count is within %(within)s of its value without "
            "noise.",
            within=within,
        )
    scale = translate_number(significant(noises[0].scale, 4))
    if noises[0].gaussian:
        noise = translate(
            "The noise is a whole number from a discrete Gaussian distribution with σ = %(scale)s.",
            scale=scale,
        )
    else:
        noise = translate(
            "The noise is a whole number from a discrete Laplace distribution with scale "
            "b = %(scale)s.",
            scale=scale,
        )
    return [claim, noise]


def average_accuracy(
    survey: Survey, request: Request, question: Question, n: int, noises: list[Noise]
) -> list[str]:
    """The accuracy of a mean or a variance."""
    within = average_within(survey, request, question, n, noises)
    reach = translate_number(significant(within, 4))
    is_mean = request.statistic == Statistic.MEAN
    if is_mean:
        claim = translate(
            "The mean is within %(within)s of its value without noise, with a probability of "
            "95 %%.",
            within=with_unit(reach, question.number_grid),
        )
    else:
        claim = translate(
            "The variance is within %(within)s of its value without noise, with a probability of "
            "95 %%.",
            within=reach,
        )
    if count_is_known(survey, request):
        return [claim]
    return [claim, *sentences_on_unknown_count(request, n)]


def sentences_on_unknown_count(request: Request, n: int) -> list[str]:
    """Sentences on a mean or a variance of an unknown number of answers."""
    if request.group:
        holds = translate_plural(
            "This holds if %(n)s respondent is in the group and gave a number.",
            "This holds if all %(n)s respondents are in the group and gave a number.",
            n,
        )
    else:
        holds = translate_plural(
            "This holds if %(n)s respondent gave a number.",
            "This holds if all %(n)s respondents gave a number.",
            n,
        )
    return [
        holds,
        translate(
            "With fewer respondents, the result is less accurate. The range of the released value "
            "takes this into account."
        ),
    ]


def average_within(
    survey: Survey, request: Request, question: Question, n: int, noises: list[Noise]
) -> float:
    """The error bound of a mean or variance of n > 0 responses, for the least favourable values."""
    low, high = request_bounds(question, request)
    width, step = high - low, question.number_grid.step
    count_known = count_is_known(survey, request)
    counted = n if count_known else max(1, n - noises[-1].within)
    mean = Fraction(noises[0].within, counted)
    if not count_known:  # The quotient of two noisy numbers, for a mean at a bound.
        mean += Fraction(width * (n - counted), counted)
    if request.statistic == Statistic.MEAN:
        return float(mean / 2 * step)
    squares = Fraction(noises[1].within, counted)
    if not count_known:
        squares += Fraction(width**2 * (n - counted), counted)
    return float((squares / 2 + mean * (2 * width + mean)) / 4 * step**2)


def selected_accuracy(selection: Selection, bounds: tuple[int, int] | None, n: int) -> list[str]:
    sentences = [selection_claim(selection) if bounds is None else ranked_claim(n, *bounds)]
    if is_rounded(selection) and selection.question.grid is not None:
        between = selection.question.grid.step * (selection.places[1] - selection.places[0])
        step = with_unit(translate_number(decimal_text(between)), selection.question.grid)
        sentences.append(
            translate(
                "Answers are first rounded to %(number)s values, %(step)s apart.",
                number=len(selection.places),
                step=step,
            )
        )
    if is_clipped(selection):
        sentences.append(translate("Answers outside the bounds count as the nearest bound."))
    return sentences


def selection_claim(selection: Selection) -> str:
    beyond, shown = selection.off_by, translate_number(f"{selection.off_by:,}")
    rank = translate_number(f"{selection.rank:,}")
    if selection.statistic == Statistic.MODE:
        return translate_plural(
            "Compared with the most frequent answer, at most %(n)s fewer respondent gave the "
            "selected answer, with a probability of 95 %%.",
            "Compared with the most frequent answer, at most %(n)s fewer respondents gave the "
            "selected answer, with a probability of 95 %%.",
            beyond,
        )
    if selection.statistic == Statistic.MINIMUM:
        return translate(
            "If there are at least %(rank)s answers, the selected value is not below the true "
            "minimum, and at most %(number)s answers are below the selected value. This holds "
            "with a probability of 95 %%.",
            rank=rank,
            number=shown,
        )
    if selection.statistic == Statistic.MAXIMUM:
        return translate(
            "If there are at least %(rank)s answers, the selected value is not above the true "
            "maximum, and at most %(number)s answers are above the selected value. This holds "
            "with a probability of 95 %%.",
            rank=rank,
            number=shown,
        )
    return translate(
        "At most %(below)s %% of all answers, and %(number)s more, are below the selected value. "
        "At most %(above)s %% of all answers, and %(number)s more, are above it. Both statements "
        "are true with a probability of 95 %%.",
        below=selection.percent,
        above=selection.percent_above,
        number=shown,
    )


def ranked_claim(n: int, below: int, above: int) -> str:
    """How many of n answers are on each side of a selected quantile."""
    return translate(
        "Of the %(total)s answers, at most %(below)s are below the selected value, and at most "
        "%(above)s are above it. Both statements are true with a probability of 95 %%.",
        total=n,
        below=below,
        above=above,
    )
