"""Files as tables: their separators, decimal commas and headings."""

import unicodedata

from survey.definition.parse_question import QUESTION_NAME
from tests.support.check_each import check_each
from tests.support.randomised_tables import WARNER, brought, file_of, halves, imported


def test_separators_and_decimal_commas():
    comma = brought("q,x\n1,2.5\n0,3\n1,-1\n")
    assert brought("q;x\r\n1;2,5\r\n0;3\r\n1;-1\r\n").rows == comma.rows
    assert brought("q\tx\n1\t2.5\n0\t3\n1\t-1\n\n").rows == comma.rows
    found = brought('q,x\n"1",2.5\n0,-99\n1,-1\n0,3\n', missing=["-99"])
    assert [row[1] for row in found.rows] == [35, 41, 0, 40]


@check_each(
    ("program", "heading", "separator", "before"),
    [
        ("LimeSurvey", "Age, in years, at last birthday", ";", ""),
        ("Google Forms", "Are you, today, well?\nChoose one", ",", ""),
        ("Excel German", "Alter, in Jahren; heute", ";", "sep=;\r\n"),
        ("Excel Vietnamese", "Tuổi, năm; nay", "\t", "sep=\t\r\n"),
        ("SPSS", "อายุ, ปี, ปัจจุบัน", "\t", ""),
        ("R", 'say "age", please', ",", ""),
    ],
)
def test_headings_are_whole_questions(program, heading, separator, before):
    text = before + file_of(["q1", heading], halves(lambda n: str(20 + n % 9)), separator)
    found = imported(text, f"q1={WARNER}")
    assert [question.label for question in found.survey.fields] == ["q1", heading], program
    assert sum(row[0] == 0 for row in found.rows) == len(found.rows) / 2 == 30
    grid = found.survey.fields[1].grid
    assert (grid.low, grid.size) == (20, 9)


@check_each("column", ["hút_thuốc", "Größe", "สูบบุหรี่ไหมน้ำ", "흡연", "がく"])
def test_a_decomposed_heading_is_the_composed_one(column):
    text = unicodedata.normalize("NFD", file_of([column, "age"], halves(lambda n: str(n % 9))))
    for written in (column, unicodedata.normalize("NFD", column)):
        found = imported(text, f"{written}={WARNER}", numbers=["age"])
        assert [question.label for question in found.survey.fields] == [column, "age"]
        assert QUESTION_NAME.fullmatch(found.survey.fields[0].name)
        assert len(found.rows) == 60
