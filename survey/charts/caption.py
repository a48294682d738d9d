"""The caption of a chart in a file.

A caption names the question, the survey, the number of responses, and their origin. SVG does not
wrap text, so this module does, from the estimated width of the letters.
"""

from collections.abc import Sequence
from dataclasses import replace

from survey.charts import svg
from survey.core.text_widths import LINE_WIDTH, unstripped_lines
from survey.core.translate import later, translate, translate_number
from survey.definition.sub_surveys import PAPER_AND_COIN, PILOT, PRACTICE, sub_survey_kind
from survey.estimation.results import QuestionResults

# A longer question ends in an ellipsis.
MAX_QUESTION_LINES = 8
# Font sizes, in the units of the chart.
SIZES = {"question": 15, "survey": 12, "mark": 12}
# Font sizes for the estimated widths. Bold letters are about a tenth wider.
WIDTHS = {"question": 16.5, "survey": 12.0, "mark": 13.2}
LEADING = 1.35
# The space above the first line, and between the last line and the chart.
MARGIN = 12

ORIGIN_TEXTS = {
    "simulated": later("Simulated: nobody was asked"),
    "loaded": later("Collected elsewhere, imported from a file"),
}
PART_TEXTS = {
    PILOT: later("Simulation: nobody was asked"),
    PRACTICE: later("Test mode: sent by people who tested the page"),
    PAPER_AND_COIN: later("Paper-and-coin mode"),
}


def caption_lines(
    found: QuestionResults, title: str, slug: str, origin: str, weighted_by: str = ""
) -> list[tuple[str, str]]:
    """The lines of a caption, each with its kind, which is a key of SIZES.

    Parameters
    ----------
    title, slug : of the survey
    origin : key of survey.results.ORIGINS
    weighted_by : the label of the question that the results are weighted by, or empty
    """
    lines = origin_caption_lines(found.question.label, title, slug, origin, found.n)
    weighted = translate("Weighted by “%(question)s”", question=weighted_by) if weighted_by else ""
    return lines + [("mark", line) for line in broken(weighted, WIDTHS["mark"])]


def origin_caption_lines(
    subject: str, title: str, slug: str, origin: str, n: int, width: float = 360
) -> list[tuple[str, str]]:
    """The lines of a caption for a chart of this width: its subject, and the survey with the number
    and the origin of its responses."""
    # Responses from browsers are the normal case, and need no note.
    note = PART_TEXTS.get(sub_survey_kind(slug), ORIGIN_TEXTS.get(origin))
    texts = (
        ("question", subject),
        ("survey", f"{title} · n = {translate_number(f'{n:,}')}"),
        ("mark", translate(note) if note else ""),
    )
    room = width - 360 + LINE_WIDTH
    return [(kind, line) for kind, text in texts for line in broken(text, WIDTHS[kind], room)]


def add_caption(chart: svg.Chart, lines: Sequence[tuple[str, str]]) -> svg.Chart:
    """The chart, which begins at y = 0, with the caption above it."""
    height = 2 * MARGIN + sum(SIZES[kind] * LEADING for kind, _ in lines)
    shapes, y = [], MARGIN - height
    for kind, words in lines:
        y += SIZES[kind] * LEADING
        shapes.append(svg.text(8, round(y - SIZES[kind] * (LEADING - 1), 1), words, kind))
    return replace(
        chart,
        shapes=(*shapes, *chart.shapes),
        height=chart.height + round(height),
        top=-round(height),
    )


def broken(text: str, size: float, width: float = LINE_WIDTH) -> list[str]:
    """The text of a caption in lines that fit. A very long text ends in an ellipsis."""
    lines = [line.rstrip() for line in unstripped_lines(text, size, width)]
    if len(lines) <= MAX_QUESTION_LINES:
        return lines
    return [*lines[: MAX_QUESTION_LINES - 1], f"{lines[MAX_QUESTION_LINES - 1][:-2].rstrip()}…"]
