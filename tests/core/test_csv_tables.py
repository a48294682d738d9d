"""Tables of any program are read in the only possible way, or refused."""

import csv
import io
import unicodedata
from itertools import pairwise

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from survey.core.csv_tables import (
    ENCODINGS,
    MAX_CELLS_SHOWN,
    UnknownEncoding,
    csv_rows,
    likely_encodings,
)
from survey.core.errors import DataFileError
from survey.core.nfc import to_nfc
from tests.support.check_each import check_each
from tests.support.lengths import length, soak

pytestmark = pytest.mark.fast


def rows(content, *how):
    content = content if isinstance(content, bytes) else content.encode()
    return [row for _, row in csv_rows(io.BytesIO(content), *how)]


# --- rows


def test_rows_have_the_numbers_of_their_lines_and_the_width_of_the_first():
    def read(text):
        return list(csv_rows(io.BytesIO(text.encode())))

    assert read('a;b\n\n1;"x\ny"\n2;\n\n') == [(1, ["a", "b"]), (4, ["1", "x\ny"]), (5, ["2", ""])]
    assert read("") == []
    assert read("sep=;\na;b\n1;2\n") == [(2, ["a", "b"]), (3, ["1", "2"])]
    # In a file of one column, an empty line is a missing cell, but not at the end.
    assert read("q\n1\n\n\n0\n\n") == [
        (1, ["q"]), (2, ["1"]), (3, [""]), (4, [""]), (5, ["0"]),
    ]  # fmt: skip


@check_each(
    ("text", "fault"),
    [
        ("a,b\n1\n", "Line 2 has 1 cell, but line 1 has 2. Correct the line."),
        ("a,b\n1,2\n1,2,3\n", "Line 3 has 3 cells, but line 1 has 2. Correct the line."),
        ("sep=;\na;b\n1\n", "Line 3 has 1 cell, but line 2 has 2. Correct the line."),
        ('a,b\n1,"2\n', "The row that begins in line 2 is not CSV: a quote has no end"),
        ('a,b\n1,2\n3,"4\n5,6\n7,8\n', "The row that begins in line 3 is not CSV"),
        ('sep=,\na,b\n\n3,"4\n', "The row that begins in line 4 is not CSV"),
        ('"a,b\n1,2\n', "The row that begins in line 1 is not CSV"),
        ("q\nno\n" + "a" * 200_000 + "\n", "or a cell is too long. Correct the row."),
        ('q\n"a\n', "The row that begins in line 2 is not CSV"),
        ('a,b\n1,"x \\"y\\" z"\n', "The row that begins in line 2 is not CSV"),
        ("a, b;c\n1,5;2\n2,5;3\n", "can be separated by commas or semicolons. Put quotes around"),
        ("Results of 2025\na,b\n1,2\n", "Line 2 has 2 cells, but line 1 has 1."),
    ],
)
def test_a_table_that_is_none_or_two_is_refused(text, fault):
    with pytest.raises(DataFileError) as refused:
        rows(text)
    assert fault in str(refused.value)


@check_each(
    ("content", "program"),
    [
        (b"PK\x03\x04\x14\0\x06\0", "Excel (.xlsx) or LibreOffice"),
        (b"\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1", "Excel (.xls)"),
        (b"$FL2@(#) SPSS DATA FILE", "SPSS (.sav)"),
        (b"<stata_dta><header>", "Stata (.dta)"),
        (b"\x1f\x8b\x08\0", "R (.rds, .RData)"),
    ],
)
def test_a_file_of_another_program_is_named_in_place_of_its_encoding(content, program):
    for encoding in ("", "windows-1252"):
        with pytest.raises(DataFileError, match="Save its table as CSV UTF-8") as refused:
            list(csv_rows(io.BytesIO(content), encoding))
        assert program in str(refused.value)
        assert not isinstance(refused.value, UnknownEncoding)


@check_each(
    ("text", "read"),
    [
        # LimeSurvey and Google Forms have whole questions as headings.
        ('q1;"Age, in years, at last birthday"\n0;20\n', [["q1", "Age, in years, at last birthday"],
                                                          ["0", "20"]]),
        ('"Zeit","Rauchen Sie; ja, nein?"\n"1","ja"\n',
         [["Zeit", "Rauchen Sie; ja, nein?"], ["1", "ja"]]),
        ('q1\t"Tuổi, năm, nay, x"\n0\t20\n', [["q1", "Tuổi, năm, nay, x"], ["0", "20"]]),
        ('"a\nb, c";d\n1;2\n', [["a\nb, c", "d"], ["1", "2"]]),
        # Excel's hint, also as Excel writes it in quotes.
        ("sep=;\r\na;b,c\r\n1;2\r\n", [["a", "b,c"], ["1", "2"]]),
        ('"sep=,"\na,b\n1,2\n', [["a", "b"], ["1", "2"]]),
        ("SEP=|\na|b\n1|2\n", [["a", "b"], ["1", "2"]]),
        # Decimal commas, line ends of old Macs, spaces after separators, vertical bars.
        ("a;b\n1,5;2,5\n", [["a", "b"], ["1,5", "2,5"]]),
        ("a,b\r1,2\r", [["a", "b"], ["1", "2"]]),
        ('a, b\n1, "x, y"\n', [["a", "b"], ["1", "x, y"]]),
        ('"a", "b"\n"1", "x"\n', [["a", "b"], ["1", "x"]]),
        ("a|b\n1|x, y; z\n", [["a", "b"], ["1", "x, y; z"]]),
        # One column.
        ("note\nhello, you\nme\n", [["note"], ["hello, you"], ["me"]]),
        ('"Age, in years"\n20\n', [["Age, in years"], ["20"]]),
        # A Greek question mark is a semicolon in form C, but separates nothing.
        ("ερώτηση\u037e;b\nx;1\n", [["ερώτηση;", "b"], ["x", "1"]]),
    ],
)  # fmt: skip
def test_the_separator_gives_all_rows_equally_many_cells(text, read):
    assert rows(text) == read


def test_a_stated_separator_decides():
    assert rows("a, b;c\n1,5;2\n", "", ";") == [["a, b", "c"], ["1,5", "2"]]
    assert rows("a;b,c\n1;2,3\n", "", ",") == [["a;b", "c"], ["1;2", "3"]]


# --- encodings

TABLES = {
    "windows-1252": "Größe;Straße\n1;Müller\n2;naïve café\n",
    "windows-1250": "Płeć,miasto\n1,Łódź\n2,Kraków\n",
    "windows-1251": "вопрос,город\n1,Москва\n2,Санкт-Петербург\n",
    "windows-1253": "ερώτηση,όχι\n1,Αθήνα\n",
    "windows-1254": "Şehir,İl\n1,İstanbul\n2,Iğdır\n",
    "windows-1255": "שאלה,עיר\n1,ירושלים\n",
    "windows-1256": "السؤال,نعم\n1,لا\n",
    "windows-874": "q1,จังหวัด\n1,เชียงใหม่\n0,กรุงเทพ\n1,ไม่รู้\n",
    "koi8-r": "вопрос,город\n1,Москва\n2,Санкт-Петербург\n",
    "macintosh": "Größe;Straße\n1;Müller\n2;naïve café\n",
    "gb18030": "性别,省份\n男,北京\n女,广东\n",
    "big5": "性別,縣市\n男,臺北\n女,高雄\n",
    "shift_jis": "性別,はい\nいいえ,東京\n",
    "euc-kr": "성별,예\n남자,아니요\n",
    "utf-16le": "a,b\n1,é\n",
    "utf-16be": "จังหวัด,b\n1,é\n",
}
# Windows-1258 has marks of tones apart, and other marks as parts of letters.
VIETNAMESE = "hu\u0301t thuô\u0301c,tỉnh\nkhông,Hà Nô\u0323i\n".replace("ỉ", "i\u0309")


@check_each(("name", "text"), [*TABLES.items(), ("windows-1258", VIETNAMESE)])
def test_a_file_in_another_encoding_is_read_after_its_encoding_is_confirmed(name, text):
    content = text.encode(ENCODINGS[name][0])
    with pytest.raises(UnknownEncoding) as refused:
        rows(content)
    likely = refused.value.likely
    assert name in likely, likely
    beyond = [each for each in to_nfc(text).replace("\n", ",").replace(";", ",").split(",") if each]
    shown = [each for each in beyond if not each.isascii()] if name[:3] != "utf" else beyond
    assert likely[name] == list(dict.fromkeys(shown))[:MAX_CELLS_SHOWN]
    assert f"{name} ({likely[name][0]}" in str(refused.value)
    assert rows(content, name) == rows(text)


@check_each("name", ["windows-874", "gb18030", "shift_jis", "euc-kr", "koi8-r", "windows-1258"])
def test_a_long_file_may_be_cut_within_a_character(name):
    text = VIETNAMESE if name == "windows-1258" else TABLES[name]
    content = (text * 2_000).encode(ENCODINGS[name][0])
    for end in range(10_000, 10_004):
        assert name in likely_encodings(content[:end])


@check_each("codec", ["utf-8", "utf-8-sig", "utf-16", "utf-32"])
def test_unicode_is_known_by_its_mark(codec):
    text = "q1,tỉnh\n1,Huế\n0,是\n"
    assert rows(text.encode(codec)) == [["q1", "tỉnh"], ["1", "Huế"], ["0", "是"]]
    # Even if another encoding is stated.
    if codec != "utf-8":
        assert rows(text.encode(codec), "windows-874") == rows(text)


@check_each("encoding", ["", "windows-874"])
@check_each(
    ("content", "name"),
    [(b"\xef\xbb\xbfq\n\xff\n", "utf-8"), (b"\xff\xfeq\x00\n\x00\x00\xd8", "utf-16")],
)
def test_bytes_that_contradict_the_mark_are_not_blamed_on_a_chosen_encoding(
    content, name, encoding
):
    with pytest.raises(DataFileError, match=f"byte order mark of {name}, but some"):
        rows(content, encoding)


def test_a_file_without_words_has_no_likely_encoding():
    with pytest.raises(UnknownEncoding) as refused:
        rows(b"q,r\n\x01\xff\xfe,\x81\x8d\n")
    assert refused.value.likely == {}
    with pytest.raises(DataFileError, match="does not have the encoding euc-kr"):
        rows("จังหวัด\n".encode("cp874"), "euc-kr")


# --- every dialect

WORDS = {
    "": [
        *("a", "b1", "Yes", "12,5", "1.200", "3;4", "x|y", "=2", 'say"so', "l1\nl2", "t\tt", "'q'"),
        "-9",
    ],
    "windows-1252": "größer café Ñandú",
    "windows-1251": "Москва город да нет",
    "windows-874": "เชียงใหม่ ใช่ ไม่ใช่ จังหวัด",
    "gb18030": "北京 上海 是 不是",
    "shift_jis": "東京 はい いいえ",
    "euc-kr": "서울 예 아니요",
    "utf-8": "Huế không hu\u0301t ใช่ 是 Да 예 naïve\u2028x",
    "utf-16": "Huế không hu\u0301t ใช่ 是",
    "utf-8-sig": "Huế không hu\u0301t ใช่ 是",
}  # fmt: skip


@st.composite
def tables(draw):
    """The rows of a table with headings, its encoding, and the bytes that a program writes."""
    encoding = draw(st.sampled_from([name for name in WORDS if name]))
    words = st.sampled_from([*WORDS[""], *WORDS[encoding].split(" ")])
    cells = st.lists(words, max_size=3).map(" ".join)
    width = draw(st.integers(1, 4))
    separator = draw(st.sampled_from(",;\t|")) if width > 1 else ","
    headings = draw(st.lists(cells.filter(bool), min_size=width, max_size=width))
    table = [headings, *draw(st.lists(st.lists(cells, min_size=width, max_size=width), max_size=5))]
    quoting = draw(st.sampled_from([csv.QUOTE_MINIMAL, csv.QUOTE_ALL, csv.QUOTE_NONNUMERIC]))
    end = draw(st.sampled_from(["\n", "\r\n", "\r"]))
    # With this line end, Python quotes no line feeds. And 3;4 is one cell only within quotes.
    if end == "\r" or width == 1:
        quoting = csv.QUOTE_ALL
    text = io.StringIO()
    if draw(st.booleans()):
        text.write(f"sep={separator}{end}")
    writer = csv.writer(text, delimiter=separator, quoting=quoting, lineterminator=end)
    writer.writerows(table)
    written = text.getvalue()
    if quoting == csv.QUOTE_ALL and draw(st.booleans()):
        written = written.replace(f'"{separator}"', f'"{separator} "')
        # Quotes within a cell can look like the end of a cell.
        table = [[cell.replace(f'"{separator}"', f'"{separator} "') for cell in r] for r in table]
    return table, encoding, written.encode(ENCODINGS.get(encoding, (encoding,))[0])


@soak
@settings(max_examples=length(300, 10_000), deadline=None)
@given(tables())
def test_a_table_of_any_program_is_read_as_it_is_or_refused(drawn):
    table, encoding, content = drawn
    expected = [[to_nfc(cell).strip() for cell in row] for row in table]
    confirmed = encoding if encoding in ENCODINGS else ""
    try:
        found = rows(content, confirmed)
    except DataFileError as refusal:
        assert "can be separated by" in str(refusal)
        return
    assert [[cell.strip() for cell in row] for row in found] == expected


def test_the_property_covers_what_it_names():
    """The dialects above are not all refused."""
    table = [["größer, 5", "café"], ['say"so', "x;y"]]
    for separator, other in pairwise(",;\t|,"):
        text = io.StringIO()
        csv.writer(text, delimiter=separator).writerows(table)
        content = text.getvalue().encode("cp1252")
        assert rows(content, "windows-1252") == table, other
    assert unicodedata.normalize("NFC", "hu\u0301t") == "hút"
