"""The accuracy of a release, computed before the draw from public values only.

The interval of a released figure (figures.py) is different: it depends on the drawn value.
"""

from fractions import Fraction

from survey.central_dp.bounded_sums import count_is_known
from survey.central_dp.dp_request import SELECTED, Request, Statistic, question_of, request_bounds
from survey.central_dp.noisy_sums import Noise, noises_of, totals_within, unit_of_sum
from survey.central_dp.selection import Selection, is_rounded, selection_of
from survey.central_dp.tree import DPTree, tree_of
from survey.core.number_grid import decimal_text
from survey.definition.choices import with_unit
from survey.definition.questions import Question
from survey.definition.survey import Survey


def accuracy_of(survey: Survey, request: Request, n: int) -> list[str]:
    """The accuracy of a release of n responses as sentences, before the draw."""
    if n == 0:
        return ["There are no responses. The result would be noise only, at the same cost."]
    sentences = accuracy_sentences(survey, request, n)
    if outweighed(survey, request, n):
        responses = "1 response" if n == 1 else f"{n:,} responses"
        sentences.insert(
            0,
            f"The noise may be as large as the effect of {responses}, so this figure would say "
            "little. Collect more responses, or use a larger epsilon.",
        )
    return sentences


def outweighed(survey: Survey, request: Request, n: int) -> bool:
    """Whether the noise may move a figure as far as all n responses could."""
    if request.statistic in SELECTED:
        selection = selection_of(survey, request)
        sides = max(selection.percent, 100 - selection.percent) if selection.percent else 100
        return 100 * selection.off_by >= sides * n
    if request.statistic == Statistic.TREE:
        return tree_of(survey, request).within >= n
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
        tree = tree_of(survey, request)
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
        return [float(tree_of(survey, request).within)]
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


def selected_of(survey: Survey, request: Request) -> Selection | DPTree | None:
    """The selection of a request, which has an error bound but no interval; else None."""
    if request.statistic in SELECTED:
        return selection_of(survey, request)
    return tree_of(survey, request) if request.statistic == Statistic.TREE else None


def accuracy_sentences(survey: Survey, request: Request, n: int) -> list[str]:
    question = question_of(survey, request.question)
    if request.statistic in SELECTED:
        return selected_accuracy(selection_of(survey, request))
    if request.statistic == Statistic.TREE:
        tree = tree_of(survey, request)
        return [
            f"All counts in the leaves are within {tree.within:,} of the counts without noise. "
            f"Each split predicts at most {tree.fewer:,} respondents fewer correctly than the best "
            "one at its node. All of this holds with a probability of 95 %.",
            f"Each of the {tree.depth + 1} levels, including the leaves, has epsilon "
            f"{tree.loss:.4g}.",
        ]
    noises = noises_of(survey, request, n)
    parts = ", ".join(dict.fromkeys(f"{noise.scale:.4g}" for noise in noises))
    letter = "standard deviation" if noises[0].gaussian else "scale"
    within = noises[0].within
    if request.statistic in (Statistic.COUNT, Statistic.HISTOGRAM):
        each = "Each bar" if request.statistic == Statistic.HISTOGRAM else "The count"
        together = ", all of them together" if noises[0].part.size > 1 else ""
        return [
            f"{each} is within {within:,} of its value without noise, with a probability of 95 %"
            f"{together}. The noise consists of whole numbers: {letter} {parts}."
        ]
    grid = question.number_grid
    if request.statistic == Statistic.CURVE:
        withins = totals_within(noises[0])
        first, last = (float(grid.step * withins[place]) for place in (0, -1))
        return [
            f"The sum at the lowest bound is within {first:,.6g} of its value without noise, and "
            f"the sum at the highest bound within {last:,.6g}. With a probability of 95 %, this "
            "holds "
            "for all sums together. Where the curve stops rising, hardly any answer is above the "
            "bound."
        ]
    if request.statistic == Statistic.SUM:
        sum_text = with_unit(f"{float(unit_of_sum(grid) * within):,.6g}", grid)
        return [
            f"The sum is within {sum_text} of its value without noise, with a probability of 95 %."
        ]
    return [average_accuracy(survey, request, question, n, noises)]


def average_accuracy(
    survey: Survey, request: Request, question: Question, n: int, noises: list[Noise]
) -> str:
    count_known = count_is_known(survey, request)
    asked = (
        ""
        if count_known
        else f" if all {n:,} gave a number. With fewer numbers, it is less accurate"
    )
    within = average_within(survey, request, question, n, noises)
    accuracy_text = f"{within:,.4g}" if within < 10_000 else f"{within:,.0f}"
    if request.statistic == Statistic.MEAN:
        accuracy_text = with_unit(accuracy_text, question.number_grid)
    return (
        f"The {request.statistic} is within {accuracy_text} of its value without noise, with a "
        f"probability of 95 %, for any numbers{asked}."
    )


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


def selected_accuracy(selection: Selection) -> list[str]:
    beyond = selection.off_by
    if selection.statistic == Statistic.MODE:
        many = f"{beyond:,} respondent{'' if beyond == 1 else 's'}"
        claim = f"At most {many} fewer gave the selected answer than the most frequent answer"
    elif selection.statistic in (Statistic.MINIMUM, Statistic.MAXIMUM):
        side = "below" if selection.statistic == Statistic.MINIMUM else "above"
        claim = (
            f"The selected value is not {side} the true {selection.statistic}, and at most "
            f"{beyond:,} answers are {side} it, if there are at least "
            f"{selection.rank:,} answers"
        )
    else:
        claim = (
            f"At most {selection.percent} % of the answers and {beyond:,} more are below the "
            f"selected value, and at most {100 - selection.percent} % and {beyond:,} more above it"
        )
    sentences = [f"{claim}, with a probability of 95 %."]
    if is_rounded(selection) and selection.question.grid is not None:
        between = selection.question.grid.step * (selection.places[1] - selection.places[0])
        sentences.append(
            f"Answers are first rounded to {len(selection.places):,} values, "
            f"{with_unit(decimal_text(between), selection.question.grid)} apart."
        )
    return sentences
