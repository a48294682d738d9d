"""What a picture says of itself once it has left its page: the question, the survey, how many
responses it is made of, and where these come from.

SVG breaks no lines, so they are broken here, by the widths that letters have in common fonts.
"""

import unicodedata
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from .parts import BY_HAND, PILOT, PRACTICE, kind_of
from .results import QuestionResults

WIDTH = 340.0  # of a line, in the units of the picture, which is 360 wide
MOST_LINES = 8  # of a question; a longer one ends in an ellipsis
# sizes and distances of lines, in the same units
SIZES = {"question": 15, "survey": 12, "mark": 12}
LEADING = 1.35
MARGIN = 12  # above the first line, and between the last one and the chart

OF_ORIGIN = {
    "simulated": "Simulated: nobody was asked",
    "loaded": "Collected elsewhere, loaded from a file",
}
OF_PART = {
    PILOT: "Pilot, simulated: nobody was asked",
    PRACTICE: "Practice: sent by people who tried the page out",
    BY_HAND: "Answered by hand, with real coins",
}
# no line breaks after one of these (vowels that are written before their consonant, brackets), and
# none before one of those
LEADING_LETTERS = frozenset("เแโใไ([{«“‘（《「『")
FOLLOWING_LETTERS = frozenset("ะาำๅๆฯ,.;:!?)]}»”’。，、；：！？）》」』")


@dataclass(frozen=True)
class Line:
    """One line above a chart; `kind` is a key of SIZES, `y` its base line, below 0."""

    text: str
    kind: str
    y: float


@dataclass(frozen=True)
class Caption:
    """The lines above a chart, and the height that they take."""

    lines: tuple[Line, ...]
    height: int


def origin_mark(slug: str, origin: str) -> str:
    """What responses are, if not those of people who answered in their browsers; else empty."""
    return OF_PART.get(kind_of(slug), OF_ORIGIN.get(origin, ""))


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
        *(("question", text) for text in broken(found.question.label, SIZES["question"])),
        *(("survey", text) for text in broken(f"{title} · {people}", SIZES["survey"])),
        *(
            ("mark", text)
            for mark in (origin_mark(slug, origin), weighted)
            for text in broken(mark, SIZES["mark"])
        ),
    ]
    return placed(texts)


def placed(texts: Sequence[tuple[str, str]]) -> Caption:
    height = 2 * MARGIN + sum(SIZES[kind] * LEADING for kind, _ in texts)
    lines, y = [], MARGIN - height
    for kind, text in texts:
        y += SIZES[kind] * LEADING
        lines.append(Line(text, kind, round(y - SIZES[kind] * (LEADING - 1), 1)))
    return Caption(tuple(lines), round(height))


def advance(letter: str) -> float:
    """About how wide a letter is, in its font's size; rather too wide than too narrow."""
    if unicodedata.category(letter) in ("Mn", "Me", "Cf"):  # drawn above, below, or not at all
        return 0.0
    if unicodedata.east_asian_width(letter) in ("W", "F"):
        return 1.0
    if "\u0e00" <= letter <= "\u0eff":  # Thai and Lao
        return 0.68
    return 0.75 if letter.isupper() or letter in "mw%—…" else 0.58


def pieces(text: str) -> Iterator[str]:
    """The least parts that a line may end after: a word with its space; where a script writes no
    spaces, letters with their marks."""
    piece = ""
    for letter in " ".join(text.split()):
        joined = (
            advance(letter) == 0
            or letter in FOLLOWING_LETTERS
            or (piece and piece[-1] in LEADING_LETTERS)
            or (spaced(letter) and bool(piece) and spaced(piece[-1]))
        )
        if piece and not joined and letter != " ":
            yield piece
            piece = ""
        piece += letter
    if piece:
        yield piece


def spaced(letter: str) -> bool:
    """Whether it belongs to a script that puts spaces between words."""
    wide = unicodedata.east_asian_width(letter) in ("W", "F")
    return letter != " " and not wide and not "\u0e00" <= letter <= "\u0eff"


def shortened(text: str, size: int = 13, width: float = 300.0) -> str:
    """A text on one line: one that is too long loses its middle, since what tells alike ones apart
    may stand at either end."""
    text = " ".join(text.split())
    if length(text) * size <= width:
        return text
    head, tail, end = "", "", list(pieces(text))
    left = width / size - length("…")
    while end and length(end[-1] + tail) < left / 3:
        tail = end.pop() + tail
    for letter in text[: len(text) - len(tail)]:
        if length(head + letter + tail) > left:
            break
        head += letter
    return f"{head.rstrip()}…{tail}"


def length(text: str) -> float:
    return sum(advance(letter) for letter in text)


def broken(text: str, size: int) -> list[str]:
    """A text in lines that fit; a word that is longer than a line is broken anywhere."""
    lines, line, used = [], "", 0.0
    for piece in pieces(text):
        wide = length(piece.rstrip()) * size
        if line and used + wide > WIDTH:
            lines.append(line.rstrip())
            line, used = "", 0.0
        for letter in piece:
            step = advance(letter) * size
            if line and used + step > WIDTH and letter != " ":
                lines.append(line)
                line, used = "", 0.0
            line, used = line + letter, used + step
    if line.strip():
        lines.append(line.rstrip())
    if len(lines) > MOST_LINES:
        lines = [*lines[: MOST_LINES - 1], lines[MOST_LINES - 1][:-2].rstrip() + "…"]
    return lines
