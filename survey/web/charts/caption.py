"""The caption of a chart that leaves its page.

A caption names the question, the survey, how many responses the chart is made of, and where these
come from.

SVG breaks no lines, so they are broken here, by the room that letters may need.
"""

from collections.abc import Sequence
from dataclasses import dataclass, replace

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
    "loaded": "Collected elsewhere, loaded from a file",
}
PART_TEXTS = {
    PILOT: "Pilot, simulated: nobody was asked",
    PRACTICE: "Practice: sent by people who tried the page out",
    BY_HAND: "Answered by hand, with real coins",
}


@dataclass(frozen=True)
class Caption:
    """The lines above a chart, which begins at 0, and the height that they take."""

    lines: tuple[svg.Text, ...]
    height: int


def origin_mark(slug: str, origin: str) -> str:
    """What responses are, if not those of people who answered in their browsers; else empty."""
    return PART_TEXTS.get(part_kind(slug), ORIGIN_TEXTS.get(origin, ""))


def caption_of(
    found: QuestionResults, title: str, slug: str, origin: str, weighted_by: str = ""
) -> Caption:
    """The caption of one question's picture.

    Parameters
    ----------
    title, slug : of the survey
    origin : key of survey.results.ORIGINS
    weighted_by : the label of the question that the results are weighted by, or empty
    """
    people = f"n = {found.n:,}"
    weighted = f"Weighted by “{weighted_by}”" if weighted_by else ""
    texts = [
        *(("question", text) for text in broken(found.question.label, WIDTHS["question"])),
        *(("survey", text) for text in broken(f"{title} · {people}", WIDTHS["survey"])),
        *(
            ("mark", text)
            for mark in (origin_mark(slug, origin), weighted)
            for text in broken(mark, WIDTHS["mark"])
        ),
    ]
    return lay_out_caption(texts)


def lay_out_caption(texts: Sequence[tuple[str, str]]) -> Caption:
    height = 2 * MARGIN + sum(SIZES[kind] * LEADING for kind, _ in texts)
    lines, y = [], MARGIN - height
    for kind, text in texts:
        y += SIZES[kind] * LEADING
        lines.append(svg.Text(8, round(y - SIZES[kind] * (LEADING - 1), 1), text, kind))
    return Caption(tuple(lines), round(height))


def add_caption(chart: svg.Chart, caption: Caption) -> svg.Chart:
    """The chart with a caption above it."""
    return replace(
        chart,
        shapes=(*caption.lines, *chart.shapes),
        height=chart.height + caption.height,
        top=-caption.height,
    )


def broken(text: str, size: float) -> list[str]:
    """A caption's text in lines that fit; a very long one ends in an ellipsis."""
    lines = [line.rstrip() for line in unstripped(text, size, LINE_WIDTH)]
    if len(lines) > MAX_QUESTION_LINES:
        lines = [
            *lines[: MAX_QUESTION_LINES - 1],
            lines[MAX_QUESTION_LINES - 1][:-2].rstrip() + "…",
        ]
    return lines
