"""How much room a text needs in a picture, and how it is broken or shortened to fit.

SVG lays out no text, and which font a reader has is not known. A letter therefore counts as 1.3
times as wide as in DejaVu Sans, which is wider than other common fonts.
"""

import unicodedata
from collections.abc import Iterator

LINE_WIDTH = 340.0  # in the units of a picture, which is 360 wide
# What a letter of another font may take, compared with DejaVu Sans.
WIDER = 1.3
# Widths of classes of letters in DejaVu Sans, at a font size of 1.
NARROW_LETTERS, NARROW = frozenset("ijlI.,:;'|!()[]{}frt-/· “”‘’"), 0.42
BROAD_LETTERS, BROAD = frozenset("mwMW%@—…±"), 1.0
CAPITAL, THAI, OTHER = 0.79, 0.68, 0.64
# no line breaks after one of these (vowels that are written before their consonant, brackets), and
# none before one of those
LEADING_LETTERS = frozenset("เแโใไ([{«“‘（《「『")
FOLLOWING_LETTERS = frozenset("ะาำๅๆฯ,.;:!?)]}»”’。，、；：！？）》」』")


def advance(letter: str) -> float:
    """How wide a letter is at most, in its font's size."""
    if unicodedata.category(letter) in ("Mn", "Me", "Cf"):  # drawn above, below, or not at all
        return 0.0
    if unicodedata.east_asian_width(letter) in ("W", "F") or letter in BROAD_LETTERS:
        return WIDER * BROAD
    if "\u0e00" <= letter <= "\u0eff":  # Thai and Lao
        return WIDER * THAI
    if letter in NARROW_LETTERS:
        return WIDER * NARROW
    return WIDER * (CAPITAL if letter.isupper() else OTHER)


def breakable_pieces(text: str) -> Iterator[str]:
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


def shorten_middle(text: str, size: int = 13, width: float = 300.0) -> str:
    """A text on one line: one that is too long loses its middle, since what tells alike ones apart
    may stand at either end."""
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
    """How wide a text is at most, in its font's size."""
    return sum(advance(letter) for letter in text)


def room_for(text: str, size: int = 12) -> float:
    """How wide a text is at most, in the units of a picture."""
    return length(text) * size


def wrapped_lines(text: str, size: int = 13, width: float = LINE_WIDTH, most: int = 2) -> list[str]:
    """A text in at most that many lines; of a longer one the last line loses its middle."""
    lines = list(unstripped(text, size, width))
    if len(lines) > most:
        rest = "".join(lines[most - 1 :])
        lines = [*lines[: most - 1], shorten_middle(rest, size, width)]
    return [line.rstrip() for line in lines]


def unstripped(text: str, size: float, width: float) -> Iterator[str]:
    """The lines of a text that fit, with the spaces between them; a word that is longer than a line
    is broken anywhere."""
    line, used = "", 0.0
    for piece in breakable_pieces(text):
        wide = length(piece.rstrip()) * size
        if line and used + wide > width:
            yield line
            line, used = "", 0.0
        for letter in piece:
            step = advance(letter) * size
            if line and used + step > width and letter != " ":
                yield line
                line, used = "", 0.0
            line, used = line + letter, used + step
    if line.strip():
        yield line
