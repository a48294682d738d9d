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
            f"The noise may be as large as the effect of {responses}, so this figure says little. "
            "Collect more responses, or use a larger ε.",
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
            f"Each of the {tree.depth + 1} levels, including the leaves, has ε = {tree.loss:.4g}.",
        ]
    noises = noises_of(survey, request, n)
    parts = ", ".join(dict.fromkeys(f"{noise.scale:.4g}" for noise in noises))
    letter = "standard deviation" if noises[0].gaussian else "scale"
    within = noises[0].within
    if request.statistic in (Statistic.COUNT, Statistic.HISTOGRAM):
        each = "every bar" if request.statistic == Statistic.HISTOGRAM else "the count"
        return [
            f"With a probability of 95 %, {each} is within {within:,} of its value without noise. "
            f"The noise is a whole number with {letter} {parts}."
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
    within = average_within(survey, request, question, n, noises)
    accuracy_text = f"{within:,.4g}" if within < 10_000 else f"{within:,.0f}"
    if request.statistic == Statistic.MEAN:
        accuracy_text = with_unit(accuracy_text, question.number_grid)
    claim = (
        f"the {request.statistic} is within {accuracy_text} of its value without noise, with a "
        "probability of 95 %."
    )
    if count_is_known(survey, request):
        return f"T{claim[1:]}"
    who = "are in the group and gave a number" if request.group else "gave a number"
    all_of_them = f"all {n:,} respondents" if n > 1 else "1 respondent"
    return (
        f"The accuracy depends on how many respondents {who}. With {all_of_them}, {claim} With "
        f"fewer, it is less accurate. The range of the released {request.statistic} takes this "
        "into account."
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
            f"If there are at least {selection.rank:,} answers, the selected value is not {side} "
            f"the true {selection.statistic}, and at most {beyond:,} answers are {side} the "
            "selected value"
        )
    else:
        more = f"{beyond:,} answer{'' if beyond == 1 else 's'}"
        claim = (
            f"At most {selection.percent} % of the answers plus {more} are below the selected "
            f"value, and at most {100 - selection.percent} % plus {more} are above it"
        )
    sentences = [f"{claim}, with a probability of 95 %."]
    if is_rounded(selection) and selection.question.grid is not None:
        between = selection.question.grid.step * (selection.places[1] - selection.places[0])
        sentences.append(
            f"Answers are first rounded to {len(selection.places):,} values, "
            f"{with_unit(decimal_text(between), selection.question.grid)} apart."
        )
    return sentences
