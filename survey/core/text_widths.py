"""The width of texts in charts, with line breaks and shortening to fit.

SVG does not lay out text, and the reader's font is unknown. So each letter counts as 1.3 times its
width in DejaVu Sans, which is wider than other common fonts.
"""

import unicodedata
from collections.abc import Iterator

# The width of a line, in the units of a chart, which is 360 wide.
LINE_WIDTH = 340.0
# The width of a letter in other fonts, relative to DejaVu Sans.
WIDER = 1.3
# Widths of classes of letters in DejaVu Sans, at font size 1.
NARROW_LETTERS = frozenset("ijlI.,:;'|!()[]{}frt-/· “”‘’")
NARROW = 0.42
BROAD_LETTERS = frozenset("mwMW%@—…±")
BROAD = 1.0
CAPITAL = 0.79
THAI = 0.68
OTHER = 0.64
# A line that ends at a space between phrases fills more than this share of the width.
LEAST_FILLED = 1 / 3
# There is no line break after a leading letter (brackets, and vowels that are written before their
# consonant), and none before a following letter.
LEADING_LETTERS = frozenset("เแโใไ([{«“‘（《「『")
FOLLOWING_LETTERS = frozenset("ะาำๅๆฯ,.;:!?)]}»”’。，、；：！？）》」』")


def advance(letter: str) -> float:
    """The maximum width of a letter, relative to its font size."""
    if unicodedata.category(letter) in ("Mn", "Me", "Cf"):  # combining or invisible
        return 0.0
    if unicodedata.east_asian_width(letter) in ("W", "F") or letter in BROAD_LETTERS:
        return WIDER * BROAD
    if "\u0e00" <= letter <= "\u0eff":  # Thai and Lao
        return WIDER * THAI
    if letter in NARROW_LETTERS:
        return WIDER * NARROW
    return WIDER * (CAPITAL if letter.isupper() else OTHER)


def breakable_pieces(text: str) -> Iterator[str]:
    """The smallest pieces after which a line may end.

    A piece is a word with its space. In scripts without spaces, it is a letter with its marks.
    """
    piece = ""
    for letter in " ".join(text.split()):
        joined = (
            advance(letter) == 0
            or letter in FOLLOWING_LETTERS
            or (piece and piece[-1] in LEADING_LETTERS)
            or (has_word_spaces(letter) and bool(piece) and has_word_spaces(piece[-1]))
        )
        if piece and not joined and letter != " ":
            yield piece
            piece = ""
        piece += letter
    if piece:
        yield piece


def has_word_spaces(letter: str) -> bool:
    """Whether the letter belongs to a script with spaces between words."""
    wide = unicodedata.east_asian_width(letter) in ("W", "F")
    return letter != " " and not wide and not "\u0e00" <= letter <= "\u0eff"


def shorten_middle(text: str, size: int = 13, width: float = 300.0) -> str:
    """A text on one line. A long text loses its middle, because its ends may be distinctive."""
    text = " ".join(text.split())
    if length(text) * size <= width:
        return text
    head, tail, end = "", "", list(breakable_pieces(text))
    left = width / size - length("…")
    while end and length(end[-1] + tail) < left / 3:
        tail = end.pop() + tail
    for letter in text[: len(text) - len(tail)]:
        if length(head + letter + tail) > left:
            break
        head += letter
    return f"{head.rstrip()}…{tail}"


def length(text: str) -> float:
    """The maximum width of a text, relative to its font size."""
    return sum(advance(letter) for letter in text)


def room_for(text: str, size: int = 12) -> float:
    """The maximum width of a text, in the units of a chart."""
    return length(text) * size


def wrapped_lines(text: str, size: int = 13, width: float = LINE_WIDTH, most: int = 2) -> list[str]:
    """A text in at most `most` lines. If it is longer, the last line loses its middle.

    Thai has spaces between phrases, and none between words. A line ends at such a space, not within
    a word, if this needs no additional line.
    """
    lines = list(unstripped_lines(text, size, width))
    at_spaces = list(unstripped_lines(text, size, width, LEAST_FILLED))
    if len(at_spaces) <= len(lines):
        lines = at_spaces
    if len(lines) > most:
        rest = "".join(lines[most - 1 :])
        lines = [*lines[: most - 1], shorten_middle(rest, size, width)]
    return [line.rstrip() for line in lines]


def unstripped_lines(text: str, size: float, width: float, filled: float = 1.0) -> Iterator[str]:
    """The lines of a text, with trailing spaces. A word longer than a line is broken anywhere.

    A line ends at its last space if the part before it fills more than `filled` of the width.
    """
    line, used = "", 0.0
    for piece in breakable_pieces(text):
        wide = length(piece.rstrip()) * size
        if line and used + wide > width:
            head, space, tail = line.rpartition(" ")
            if length(head) * size <= filled * width:
                head, space, tail = line, "", ""
            yield head + space
            line, used = tail, length(tail) * size
        for letter in piece:
            step = advance(letter) * size
            if line and used + step > width and letter != " ":
                yield line
                line, used = "", 0.0
            line, used = line + letter, used + step
    if line.strip():
        yield line
