"""Tables from CSV files of any program: their encoding, their separator, and their rows.

A file says neither its encoding nor its separator, and a wrong guess would change answers without
a word. So Candor reads a file only if no other way to read it is possible. Otherwise, it refuses
the file, and says what the researcher can state.
"""

import csv
import io
import re
import unicodedata
from collections import Counter
from collections.abc import Iterator
from contextlib import contextmanager
from itertools import islice, pairwise
from typing import Any, BinaryIO, TextIO

from survey.core.errors import DataFileError
from survey.core.nfc import to_nfc
from survey.core.translate import join_sentences, later, translate, translate_plural

SEPARATORS = {
    ",": later("commas"),
    ";": later("semicolons"),
    "\t": later("tabs"),
    "|": later("vertical bars"),
}
# The first line with which Excel and other programs state the separator.
SEPARATOR_LINE = re.compile(r'"?sep=(.)"?\s*', re.IGNORECASE)
# As many rows decide about the separator.
MAX_TRIED_ROWS = 1_000
# A sign that separates nothing, for files with one column.
NO_SEPARATOR = "\x1f"
# UTF-32 begins with the mark of UTF-16, so it comes first.
BYTE_ORDER_MARKS = {
    b"\xff\xfe\0\0": "utf-32",
    b"\0\0\xfe\xff": "utf-32",
    b"\xef\xbb\xbf": "utf-8-sig",
    b"\xff\xfe": "utf-16",
    b"\xfe\xff": "utf-16",
}
ZIP_SIGNATURE = b"PK\x03\x04"
XLS_SIGNATURE = b"\xd0\xcf\x11\xe0"
# The beginnings of files that researchers mistake for CSV files, and their programs.
OTHER_FILES = {
    ZIP_SIGNATURE: "Excel (.xlsx) or LibreOffice (.ods)",
    XLS_SIGNATURE: "Excel (.xls)",
    b"$FL2": "SPSS (.sav)",
    b"$FL3": "SPSS (.zsav)",
    b"<sta": "Stata (.dta)",
    b"\x1f\x8b": "R (.rds, .RData)",
}
# The usual name of each encoding without a mark, its codec in Python, and the scripts of its
# letters, as the first words of their names in Unicode.
ENCODINGS = {
    "windows-1252": ("cp1252", ("LATIN",)),
    "windows-1258": ("cp1258", ("LATIN",)),
    "windows-1250": ("cp1250", ("LATIN",)),
    "windows-1254": ("cp1254", ("LATIN",)),
    "macintosh": ("mac_roman", ("LATIN",)),
    "windows-1251": ("cp1251", ("CYRILLIC",)),
    "koi8-r": ("koi8_r", ("CYRILLIC",)),
    "windows-1253": ("cp1253", ("GREEK",)),
    "windows-1255": ("cp1255", ("HEBREW",)),
    "windows-1256": ("cp1256", ("ARABIC",)),
    "windows-874": ("cp874", ("THAI",)),
    "euc-kr": ("cp949", ("HANGUL",)),
    "gb18030": ("gb18030", ("CJK",)),
    "big5": ("cp950", ("CJK",)),
    "shift_jis": ("cp932", ("CJK", "HIRAGANA", "KATAKANA", "KATAKANA-HIRAGANA")),
    "utf-16le": ("utf-16-le", ()),
    "utf-16be": ("utf-16-be", ()),
}
# The bytes of usual characters. Text of another encoding gives rare characters as well.
USUAL_BYTES = {
    "euc-kr": b"[\xb0-\xc8][\xa1-\xfe]",
    "gb18030": b"[\xa1-\xd7][\xa1-\xfe]",
    "big5": b"[\xa1-\xc6].",
    "shift_jis": b"[\x81-\x97].",
}
MAX_LIKELY_ENCODINGS = 5
MIN_SHARE_OF_WORDS = 0.3
MAX_CELLS_SHOWN = 5
MAX_GUESSED_BYTES = 200_000
MAX_CHARACTER_BYTES = 4
# Signs within texts of any script.
USUAL_SIGNS = re.compile("[\xa0°€£–—‘’“”„«»…、。「」，！？：（）]")
WORD = re.compile(r"[^\s,;|!-/:-@\[-`{}~]+")
# Characters that tables do not have.
NO_TEXT = re.compile(r"[\x00-\x08\x0e-\x1f\x7f-\x9f\ufffd]")


class UnknownEncoding(DataFileError):
    """The file is neither UTF-8 nor marked as UTF-16.

    Attributes
    ----------
    likely : the name of each encoding that its bytes may have, the likeliest first, with the first
        cells that the encodings read differently
    """

    def __init__(self, likely: dict[str, list[str]]):
        self.likely = likely
        shown = "; ".join(f"{name} ({', '.join(cells)})" for name, cells in likely.items())
        super().__init__(
            join_sentences(
                translate("The file is not UTF-8."),
                translate("It may be: %(encodings)s.", encodings=shown) if likely else "",
                translate("Save it as CSV UTF-8."),
            )
        )


@contextmanager
def decode_text(file: BinaryIO, encoding: str = "") -> Iterator[TextIO]:
    """The text of a file, with its line ends. The file stays open.

    Parameters
    ----------
    file : a seekable file
    encoding : a key of ENCODINGS that the researcher confirmed. It is ignored if the file begins
        with the mark of UTF-8, UTF-16 or UTF-32

    Raises
    ------
    UnknownEncoding
        If the file has no mark, is not UTF-8, and no encoding is given.
    DataFileError
        If the file does not have the encoding, or is one of OTHER_FILES.
    """
    file.seek(0)
    start = file.read(4)
    require_csv(start)
    marks = (name for mark, name in BYTE_ORDER_MARKS.items() if start.startswith(mark))
    marked = next(marks, "")
    codec = marked or (ENCODINGS[encoding][0] if encoding else "utf-8")
    file.seek(0)
    text = io.TextIOWrapper(file, codec, newline="")
    try:
        while part := text.read(1_000_000):
            # UTF-16 without a mark can be valid UTF-8 with null characters.
            if "\0" in part:
                raise UnicodeDecodeError(codec, b"\0", 0, 1, "null character")
    except UnicodeError as error:
        text.detach()
        if codec == "utf-8":
            file.seek(0)
            raise UnknownEncoding(likely_encodings(file.read(MAX_GUESSED_BYTES))) from error
        if marked:
            raise DataFileError(
                "The file begins with the byte order mark of %(encoding)s, but some of its "
                "bytes are no text in this encoding. Save the table as CSV UTF-8 again.",
                encoding=marked.removesuffix("-sig"),
            ) from error
        raise DataFileError(
            "The file does not have the encoding %(encoding)s. Choose another one, or save "
            "the file as CSV UTF-8.",
            encoding=encoding,
        ) from error
    text.seek(0)
    try:
        yield text
    finally:
        if not file.closed:
            text.detach()


def require_csv(start: bytes) -> None:
    """Raise DataFileError if these first bytes are those of one of OTHER_FILES."""
    for beginning, program in OTHER_FILES.items():
        if start.startswith(beginning):
            raise DataFileError(
                "This is no CSV file, but looks like a file of %(program)s. Save its table as "
                "CSV UTF-8, and choose that file.",
                program=program,
            )


def likely_encodings(content: bytes) -> dict[str, list[str]]:
    """The encodings of ENCODINGS that give words, the likeliest first, with their first cells.

    Encodings that read the same cells are one. The bytes may end within a character.
    """
    found: dict[str, tuple[float, list[str]]] = {}
    for name, (codec, scripts) in ENCODINGS.items():
        try:
            text = to_nfc(content.decode(codec))
        except UnicodeDecodeError as error:
            if error.start < len(content) - MAX_CHARACTER_BYTES:
                continue
            text = to_nfc(content[: error.start].decode(codec))
        if NO_TEXT.search(text):
            continue
        words = Counter(word for word in WORD.findall(text) if not word.isascii())
        right = sum(times for word, times in words.items() if is_word(word, name))
        share = right / max(words.total(), 1)
        if not scripts:  # Only UTF-16 has null characters.
            share = float(b"\0" in content and "\n" in text)
        cells = [cell for cell in first_cells(text) if not (scripts and cell.isascii())]
        first = list(dict.fromkeys(cells))[:MAX_CELLS_SHOWN]
        if share > MIN_SHARE_OF_WORDS and first not in (cells for _, cells in found.values()):
            # Text of another encoding has usual characters of two bytes only by chance.
            found[name] = share + (name in USUAL_BYTES), first
    best = sorted(found, key=lambda name: -found[name][0])[:MAX_LIKELY_ENCODINGS]
    return {name: found[name][1] for name in best}


def first_cells(text: str) -> list[str]:
    """The cells of the first rows. If the text is no table, any separator ends a cell."""
    try:
        rows = islice(rows_of_text(io.StringIO(text, newline=""), ""), MAX_TRIED_ROWS)
        return [cell.strip() for _, row in rows for cell in row if cell.strip()]
    except DataFileError:
        return list(filter(None, re.split(r'["\s]*[,;\t|\r\n]["\s]*', text)))


def is_word(word: str, encoding: str) -> bool:
    """Whether a word, decoded with this encoding, looks like one of its language.

    Its letters are of one script, and no small letter comes before a capital one. In Latin script,
    at most half of the letters have accents. In Chinese, Japanese and Korean, characters are usual.
    Text of other encodings often breaks these rules.
    """
    codec, scripts = ENCODINGS[encoding]
    bare = USUAL_SIGNS.sub("", word)
    letters = [each for each in bare if unicodedata.category(each)[0] not in "NM"]
    if not all(unicodedata.name(each, "").startswith(scripts) for each in letters):
        return False
    if any(before.islower() and after.isupper() for before, after in pairwise(bare)):
        return False
    if scripts == ("LATIN",):
        return sum(not each.isascii() for each in letters) <= max(1, len(letters) / 2)
    usual = USUAL_BYTES.get(encoding)
    pairs = (each.encode(codec, "replace") for each in bare if not each.isascii())
    return usual is None or all(re.fullmatch(usual, pair, re.DOTALL) for pair in pairs)


def csv_rows(
    file: BinaryIO, encoding: str = "", separator: str = ""
) -> Iterator[tuple[int, list[str]]]:
    """The rows of a CSV file with the numbers of their last lines. The first row has the headings.

    Cells are in normalisation form C. Empty lines are left out, except for missing cells in a file
    of one column.

    Parameters
    ----------
    file, encoding : see `decode_text`
    separator : Empty for the one that the first line states (`sep=;`), or the only one of
        SEPARATORS that gives all rows the same number of cells.

    Raises
    ------
    UnknownEncoding
    DataFileError
        If a line is not CSV or has another number of cells than the headings, or if two separators
        are possible.
    """
    with decode_text(file, encoding) as text:
        yield from rows_of_text(text, separator)


def rows_of_text(text: TextIO, separator: str) -> Iterator[tuple[int, list[str]]]:
    """The rows of the text of a file, see `csv_rows`."""
    first = text.readline()
    stated = SEPARATOR_LINE.fullmatch(first)
    skipped = int(stated is not None)
    if stated and not separator:
        separator = stated[1]
    separator, spaced = chosen_separator(text, skipped, separator)
    rows = csv_reader(text, skipped, separator, spaced)
    width, empty, line = None, list[int](), skipped
    try:
        for row in rows:
            line = rows.line_num + skipped
            if width is None:
                width = len(row)
            elif not row:
                empty.append(line)
                continue
            if len(row) != width:
                raise DataFileError(
                    translate_plural(
                        "Line %(line)s has %(n)s cell, but line %(first)s has %(width)s. Correct "
                        "the line.",
                        "Line %(line)s has %(n)s cells, but line %(first)s has %(width)s. Correct "
                        "the line.",
                        len(row),
                        line=line,
                        first=skipped + 1,
                        width=width,
                    )
                )
            # Editors leave empty lines at the end, so only those before another row count.
            for each in empty if width == 1 else ():
                yield each, [""]
            empty.clear()
            yield line, list(map(to_nfc, row))
    except csv.Error as error:
        raise DataFileError(
            "The row that begins in line %(line)s is not CSV: a quote has no end, text "
            "follows its end, or a cell is too long. Correct the row.",
            line=line + 1,
        ) from error


def csv_reader(text: TextIO, skipped: int, separator: str, spaced: bool) -> Any:
    """A reader of the text from its beginning, without the skipped lines."""
    text.seek(0)
    lines = islice(text, skipped, None)
    return csv.reader(lines, delimiter=separator, strict=True, skipinitialspace=spaced)


def chosen_separator(text: TextIO, skipped: int, separator: str) -> tuple[str, bool]:
    """The separator, and whether spaces follow it. Raises DataFileError if two are possible."""
    readings = {
        each: row_widths(text, skipped, each) for each in ([separator] if separator else SEPARATORS)
    }
    even = [
        each for each, (widths, _) in readings.items() if widths and 1 < min(widths) == max(widths)
    ]
    if len(even) > 1:
        raise DataFileError(
            "The cells can be separated by %(separators)s. Put quotes around the cells that "
            "contain the other sign.",
            separators=translate(" or ").join(translate(SEPARATORS[each]) for each in even),
        )
    if separator or even:
        chosen = separator or even[0]
        return chosen, readings[chosen][1]
    # A title above a table also has one cell, but then all other lines have several.
    if all(
        widths[:1] == [1] and not (widths[1:] and 1 < min(widths[1:]) == max(widths[1:]))
        for widths, _ in readings.values()
    ):
        return NO_SEPARATOR, False
    # The rows with as many cells as the headings. The reader then refuses the first other row.
    fitting = {
        each: sum(width == widths[0] > 1 for width in widths)
        for each, (widths, _) in readings.items()
    }
    return max(fitting, key=fitting.__getitem__), False


def row_widths(text: TextIO, skipped: int, separator: str) -> tuple[list[int], bool]:
    """The numbers of cells of the first rows, and whether spaces may come before a quote.

    The number of a row that is not CSV is 0.
    """
    found: list[tuple[list[int], bool]] = []
    for spaced in (False, True):
        widths: list[int] = []
        quotes_after_spaces = False
        try:
            for row in islice(csv_reader(text, skipped, separator, spaced), MAX_TRIED_ROWS):
                widths += [len(row)] if row else []
                quotes_after_spaces |= any(cell[:1] == " " and '"' in cell for cell in row)
        except csv.Error:
            widths.append(0)
        found.append((widths, spaced))
        if len({*widths}) == 1 and widths[0] and not quotes_after_spaces:
            return widths, spaced
    # Spaces before a quote belong to no cell, if the rows then have equal numbers of cells.
    with_spaces = found[1]
    return with_spaces if len({*with_spaces[0]}) == 1 and with_spaces[0][0] else found[0]
