"""The chart of a question's headline: one line for each estimate that the headline states.

Shares lie on an axis from 0 to 100 %, a mean on the range of the answers. The number is printed at
its mark. The sentence above the chart says the same, so screen readers skip the chart. They read
its caption, which says which intervals the chart shows.
"""

from dataclasses import dataclass

from survey.core.languages import ENGLISH, Words
from survey.core.text_widths import room_for, shorten_middle
from survey.core.translate import join_sentences, translate, translate_number
from survey.estimation.headlines import FEW, MEAN, bounds, written_level
from survey.estimation.number_text import nonbreaking
from survey.estimation.results import QuestionResults
from survey.web.charts import svg
from survey.web.charts.scale import Scale

LEFT, RIGHT, WIDTH = 8, 352, 360
# The height of one estimate.
ROW = 36
MAX_LINES = 3
MAX_LABEL = 180
# The unit at the right end leaves room for the number at the left end.
MAX_END = 150
FONT_RESERVE = 1.15


@dataclass(frozen=True)
class Mark:
    """An estimate of the headline with the interval that the headline states."""

    name: str
    value: float
    low: float
    high: float
    shown: str


def headline_marks(result: QuestionResults) -> tuple[Mark, ...]:
    """The estimates that the headline is about: the largest ones, if they are many.

    Empty if an interval is the whole axis.
    """
    headline = result.headline
    if is_of_mean(result):
        mean = result.lead
        if mean is None or mean.cannot_tell:
            return ()
        ends = result.ends
        unknown = ends is not None and mean.low <= ends[0] and mean.high >= ends[1]
        if unknown:
            return ()
        shown = translate_number(mean.shown)
        if mean.outside:
            first, last = map(translate_number, mean.between)
            shown = translate("%(low)s to %(high)s", low=first, high=last)
        label = translate("Mean") if mean.name == "mean" else mean.label
        return (Mark(label, mean.value, mean.low, mean.high, shown),)
    marks = []
    if any(answer.unknown for answer in headline.answers):
        return ()
    for answer in headline.answers[:MAX_LINES]:
        # Answers that are ranked have simultaneous intervals.
        alone = result.question.kind.dichotomous
        low, high = (answer.low, answer.high) if alone else bounds(answer)
        label = shorten_middle(answer.choice.label, 13, MAX_LABEL)
        shown = translate_number(nonbreaking(answer.shown))
        marks.append(Mark(label, answer.value, low, high, shown))
    return tuple(marks)


def is_of_mean(result: QuestionResults) -> bool:
    """Whether the headline states a mean, or that there are too few responses for it. The headline
    of a scale is about its answers, although it has a mean, too.
    """
    about_mean = result.question.kind.numeric or not result.answers
    return result.headline.kind in (MEAN, FEW) and about_mean and bool(result.quantities)


def headline_chart(result: QuestionResults, words: Words = ENGLISH) -> svg.Chart | None:
    """The chart, or None if the headline states no estimate."""
    marks = headline_marks(result)
    if not marks:
        return None
    if is_of_mean(result) and result.ends is not None:
        low, high = result.ends
        unit = result.question.grid.unit if result.question.grid else ""
        ends = words.number(low, grouped=True), f"{words.number(high, grouped=True)} {unit}".strip()
    else:
        low, high, ends = 0.0, 1.0, (translate_number("0 %"), translate_number("100 %"))
    x, bottom = Scale(low, high, LEFT, RIGHT), ROW * len(marks) + 4
    shapes: list[svg.Shape] = []
    for place in range(5):
        tick = x.at(low + (high - low) * place / 4)
        shapes.append(svg.line("axis", tick, tick, 2, bottom))
    shapes.append(svg.line("axis", LEFT, RIGHT, bottom, bottom))
    for place, mark in enumerate(marks):
        shapes += mark_shapes(mark, x, ROW * place)
    shapes.append(svg.text(LEFT, bottom + 14, nonbreaking(ends[0]), "soft"))
    end = shorten_middle(ends[1], 12, MAX_END)
    shapes.append(svg.text(RIGHT, bottom + 14, nonbreaking(end), "soft", "end"))
    return svg.Chart(tuple(shapes), bottom + 20)


def headline_caption(result: QuestionResults) -> str:
    """Which intervals the chart of ranked answers shows. Empty if there is no such chart.

    The sentence above a chart of one share or mean states its interval.
    """
    marks = headline_marks(result)
    if not marks or is_of_mean(result) or result.question.kind.dichotomous:
        return ""
    level = written_level(result)
    intervals = [answer.simultaneous for answer in result.headline.answers]
    if not any(each is not None and each.level > result.level for each in intervals):
        return translate("The chart shows estimates with %(level)s %% intervals.", level=level)
    difference = translate(
        "With a probability of about %(level)s %%, the intervals of all answers contain the "
        "true shares. Each interval in the table is for a single share, and is usually shorter.",
        level=level,
    )
    if len(result.headline.answers) > len(marks):
        shown = translate(
            "The chart shows the %(number)s largest estimates with simultaneous %(level)s %% "
            "intervals.",
            number=len(marks),
            level=level,
        )
    else:
        shown = translate(
            "The chart shows simultaneous %(level)s %% intervals.",
            level=level,
        )
    return join_sentences(shown, difference)


def mark_shapes(mark: Mark, x: Scale, top: float) -> list[svg.Shape]:
    """One estimate with its interval, and its number above it. An estimate outside has no dot."""
    # On a phone, a unit of the chart is shorter than a pixel, and fonts differ. Two ends of an
    # interval of large numbers have no room for the name, which the sentence above has.
    text = f"{mark.name}: {mark.shown}"
    if FONT_RESERVE * room_for(text, 13) > WIDTH - 4:
        text = mark.shown
    half = FONT_RESERVE * room_for(text, 13) / 2
    at = x.within(mark.value)
    middle = round(min(max(at, 2 + half), WIDTH - 2 - half), 1)
    if 4 * half > WIDTH:
        # A long text may be wider still in another font, so both sides keep the same room.
        middle = WIDTH / 2
    y = top + 28
    shapes = svg.interval_across(x.within(mark.low), x.within(mark.high), y, 6)
    if x.low <= mark.value <= x.high:
        shapes.append(svg.circle("estimate", at, y, 6))
    return [*shapes, svg.text(middle, top + 15, text, "value", "middle")]
