"""Tables in a terminal: their columns are aligned by what it shows."""

from survey.cli.tables import table_lines, width


def test_tables_are_aligned_by_what_a_terminal_shows():
    assert [width(text) for text in ("Süd", "西部", "ที่", "Su\u0308d")] == [3, 4, 1, 3]
    lines = table_lines([["", "a"], ["西", "10"], ["bcd", "7"]])
    assert lines == ["         a", "  西    10", "  bcd    7"]
