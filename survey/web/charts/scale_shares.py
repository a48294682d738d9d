"""The chart of a scale: bars in the order of its choices, within 0 to 100 %, with intervals."""

from survey.core.text_widths import wrapped_lines
from survey.estimation.number_text import nonbreaking, percent
from survey.estimation.results import QuestionResults
from survey.web.charts import svg
from survey.web.charts.scale import Scale

LEFT, RIGHT = 8, 352


def scale_shares_chart(result: QuestionResults) -> svg.Chart:
    x = Scale(0, max(0.1, *(answer.high for answer in result.answers)), LEFT, RIGHT)
    labels = [wrapped_lines(answer.choice.label, 13, 335) for answer in result.answers]
    lines = max(len(label) for label in labels)
    row = 30 + 16 * lines
    bottom = 4 + row * len(labels)
    shapes = [svg.line("limit", LEFT, LEFT, 2, bottom)]
    for place, (answer, label) in enumerate(zip(result.answers, labels, strict=True)):
        first = 4 + row * place
        top = first + 16 * (lines - 1)
        width = round(x.within(answer.possible) - LEFT, 1)
        shapes += svg.label_lines(label, LEFT + 5, first + 12)
        shapes.append(svg.rect("bar-share", LEFT, top + 18, width, 18))
        shapes += svg.interval_across(x.within(answer.low), x.within(answer.high), top + 27, 5)
    shapes += [
        svg.text(LEFT, bottom + 14, "0 %", "soft"),
        svg.text(RIGHT, bottom + 14, nonbreaking(percent(x.high)), "soft", "end"),
        *svg.bars_legend(bottom, result.level),
    ]
    return svg.Chart(tuple(shapes), bottom + 58)
