"""The chart of a question's answers: estimates with their intervals, and the shares reported.

The axis covers 0 to 100 %. An unclipped estimate can extend it by up to 50 points on each side. A
value farther out is an arrow. Each estimate has its number next to it. The share of reports is a
thin bar below: it is no estimate.
"""

from survey.charts import svg
from survey.charts.scale import Scale
from survey.core.text_widths import room_for, wrapped_lines
from survey.core.translate import translate, translate_number
from survey.estimation.number_text import nonbreaking
from survey.estimation.results import AnswerResults, QuestionResults

LEFT = 18
RIGHT = 330
WIDTH = 360
# The space between an estimate and its number.
GAP = 8
# The axis extends at most this far beyond 0 and 100 %.
BEYOND = 0.5


def answer_shares_chart(result: QuestionResults) -> svg.Chart:
    values = [answer.value for answer in result.answers]
    low, high = max(-BEYOND, min(0, *values)), min(1 + BEYOND, max(1, *values))
    x = Scale(low=low, high=high, start=LEFT, end=RIGHT)
    # The number of an estimate may stand to the right of its label.
    room = 260 - x.at(0)
    labels = [wrapped_lines(answer.choice.label, 13, room) for answer in result.answers]
    lines = max(len(label) for label in labels)
    row = 34 + 16 * lines
    bottom = 8 + row * len(labels)
    shapes = percent_ticks(x, bottom)
    for place, (answer, label) in enumerate(zip(result.answers, labels, strict=True)):
        first = 6 + row * place
        shapes += svg.label_lines(label, x.at(0) + 5, first + 11)
        top = first + 16 * (lines - 1)
        shapes += estimate_shapes(answer, x, top + 25)
        shapes.append(value_beside(answer, x, top + 25))
        if answer.observed is not None and not result.question.non_private:
            shapes.append(svg.rect("observed", x.at(0), top + 35, x.length(answer.observed), 3))
    level = translate_number(result.level_text)
    if result.asked:
        interval = translate("share of those asked, %(level)s %% interval", level=level)
    else:
        interval = translate("estimate, %(level)s %% interval", level=level)
    shapes += [
        svg.line("interval", LEFT - 2, LEFT + 24, bottom + 32, bottom + 32),
        svg.circle("estimate", LEFT + 11, bottom + 32),
        svg.text(LEFT + 28, bottom + 36, interval, "soft"),
    ]
    seen = any(answer.observed is not None for answer in result.answers)
    if result.question.non_private or result.asked or not seen:
        return svg.Chart(shapes=tuple(shapes), height=bottom + 44)
    shapes.append(svg.rect("observed", LEFT, bottom + 48, 22, 3))
    reported = translate("reported, not corrected")
    shapes.append(svg.text(LEFT + 28, bottom + 53, reported, "soft"))
    return svg.Chart(shapes=tuple(shapes), height=bottom + 61)


def percent_ticks(x: Scale, bottom: float) -> list[svg.Shape]:
    """The ticks. On a wide axis, only every second one has a number, or they would overlap."""
    shapes = []
    for tick in (0, 0.25, 0.5, 0.75, 1):
        place, every = x.at(tick), x.high - x.low < 1.4
        shapes.append(svg.line("limit" if tick in (0, 1) else "axis", place, place, 2, bottom))
        if every or tick in (0, 0.5, 1):
            shapes.append(
                svg.text(
                    place, bottom + 14, translate_number(f"{100 * tick:g} %"), "soft", "middle"
                )
            )
    return shapes


def estimate_shapes(answer: AnswerResults, x: Scale, y: float) -> list[svg.Shape]:
    """An estimate with its interval. A line joins an impossible estimate to its interval."""
    shapes = svg.interval_across(x.at(answer.low), x.at(answer.high), y, 6)
    if answer.outside:
        end = answer.low if answer.value < 0 else answer.high
        shapes.append(svg.line("limit", x.within(answer.value), x.at(end), y, y))
    if x.low <= answer.value <= x.high:
        return [*shapes, svg.circle("estimate", x.at(answer.value), y)]
    tip, foot = (LEFT - 8, LEFT + 2) if answer.value < x.low else (RIGHT + 8, RIGHT - 2)
    return [*shapes, svg.polygon("estimate", [(tip, y), (foot, y - 6), (foot, y + 6)])]


def value_beside(answer: AnswerResults, x: Scale, y: float) -> svg.Shape:
    """The number of an estimate: to the right of its interval, else to the left, else above."""
    words = translate_number(nonbreaking(answer.shown))
    room = room_for(words, 13) + GAP
    right = max(x.at(answer.high), x.within(answer.value)) + GAP
    left = min(x.at(answer.low), x.within(answer.value)) - GAP
    if right + room <= WIDTH:
        return svg.text(right, y + 4, words, "value")
    if left - room >= 0:
        return svg.text(left, y + 4, words, "value", "end")
    return svg.text(WIDTH - GAP, y - 14, words, "value", "end")
