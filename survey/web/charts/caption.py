"""The caption of a chart that leaves its page.

A caption names the question, the survey, how many responses the chart is made of, and where these
come from. SVG breaks no lines, so they are broken here, by the room that letters may need.
"""

from collections.abc import Sequence
from dataclasses import replace

from survey.core.text_widths import LINE_WIDTH, unstripped
from survey.definition.sub_surveys import BY_HAND, PILOT, PRACTICE, part_kind
from survey.estimation.results import QuestionResults
from survey.web.charts import svg

MAX_QUESTION_LINES = 8  # of a question; a longer one ends in an ellipsis
# sizes and distances of lines, in the same units
SIZES = {"question": 15, "survey": 12, "mark": 12}
# Sizes by which widths are computed: bold letters are about a tenth wider.
WIDTHS = {"question": 16.5, "survey": 12.0, "mark": 13.2}
LEADING = 1.35
MARGIN = 12  # above the first line, and between the last one and the chart

ORIGIN_TEXTS = {
    "simulated": "Simulated: nobody was asked",
    "loaded": "Collected elsewhere, imported from a file",
}
PART_TEXTS = {
    PILOT: "Simulation: nobody was asked",
    PRACTICE: "Test mode: sent by people who tested the page",
    BY_HAND: "Paper-and-coin mode",
}


def caption_lines(
    found: QuestionResults, title: str, slug: str, origin: str, weighted_by: str = ""
) -> list[tuple[str, str]]:
    """The lines of one question's caption, each with its kind, which is a key of SIZES.

    Parameters
    ----------
    title, slug : of the survey
    origin : key of survey.results.ORIGINS
    weighted_by : the label of the question that the results are weighted by, or empty
    """
    texts = (
        ("question", found.question.label),
        ("survey", f"{title} · n = {found.n:,}"),
        # Who answered in a browser is not said.
        ("mark", PART_TEXTS.get(part_kind(slug), ORIGIN_TEXTS.get(origin, ""))),
        ("mark", f"Weighted by “{weighted_by}”" if weighted_by else ""),
    )
    return [(kind, line) for kind, text in texts for line in broken(text, WIDTHS[kind])]


def add_caption(chart: svg.Chart, lines: Sequence[tuple[str, str]]) -> svg.Chart:
    """The chart, which begins at 0, with the lines of a caption above it."""
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


def broken(text: str, size: float) -> list[str]:
    """A caption's text in lines that fit; a very long one ends in an ellipsis."""
    lines = [line.rstrip() for line in unstripped(text, size, LINE_WIDTH)]
    if len(lines) <= MAX_QUESTION_LINES:
        return lines
    return [*lines[: MAX_QUESTION_LINES - 1], f"{lines[MAX_QUESTION_LINES - 1][:-2].rstrip()}…"]
