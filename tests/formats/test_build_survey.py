"""Surveys from files of responses: missing values, and what is refused."""

from fractions import Fraction

import numpy as np
import pytest

from survey.core.errors import DataFileError, TotalTooLarge
from survey.definition.frozen import freeze
from survey.definition.survey import parse_survey
from survey.estimation.pilot_truth import AssumedGroup
from survey.planning.simulation import simulate_groups
from tests.support.check_each import check_each
from tests.support.definitions import definition, yes_no
from tests.support.randomised_tables import THIRD, WARNER, brought, file_of, halves, imported

FILE = "q,age\n1,30\n0,NA\nNA,40\n,50\n0,60\n0,45\n"


@pytest.mark.parametrize(
    ("text", "wishes", "fault"),
    [
        (
            FILE,
            {"private": {"q": THIRD}, "require_complete": True},
            "Rows without a report in q: 2 of 6.",
        ),
        (FILE, {"numbers": ["q"], "categories": ["q"]}, "cannot be both a number and choices"),
        (FILE, {"private": {"q": THIRD}, "numbers": ["q"]}, "q is private. Use --categories"),
        (FILE, {"weights": ["age"]}, "age: line 3 has no weight. Each row needs a weight"),
        ("q,w\n1,1\n0,-2\n", {"weights": ["w"]}, "w: line 3 has the weight -2."),
        # Omitted rows and a cell of two lines do not shift the numbers of lines.
        ('q,w,r\nNA,1,a\n0,1,"b\nc"\n\n1,-1,a\n', {"weights": ["w"]}, "w: line 6 has the weight"),
        ("q,w\n1,1\n0,x\n", {"weights": ["w"]}, "w must be a number, but line 3 has 'x'."),
        (FILE, {"private": {"p": THIRD}}, "There is no column 'p'. There are: q, age. If "),
        (FILE, {"skip": ["p"]}, "There is no column 'p'"),
        (FILE, {"yes": {"age": "30"}}, "age is not private"),
        ("q\n1\n2\n3\n", {"private": {"q": THIRD}}, "q has 3 different cells ('1', '2', '3')"),
        ("q\n1\n2\n", {"private": {"q": THIRD}}, "which cell of q counts as yes: '1', '2'"),
        ("q\n1\n2\n", {"private": {"q": THIRD}, "yes": {"": "x"}}, "q has no cell 'x'"),
        ("q\n1\n4\n", {"private": {"q": "Kuk,p=c(.8,.2),Kukrep=3"}}, "0 to 3): '4'"),
        ("q\n1\n2\n", {"private": {"q": "FR,p=c(.1,.1,.1)"}}, "The answers of q are unknown"),
        ("q\na\nb\nc\n", {"private": {"q": "coin_flip"}}, "The answers of q are unknown"),
        (
            "q\na\nb\nc\n",
            {"private": {"q": "coin_flip"}, "choices": {"q": ["a", "b", "d"]}},
            "not its reports (the answers a, b, d): 'c'",
        ),
        (
            "q\na\nb\n",
            {"private": {"q": "FR,p=c(.1,.1,.1)"}, "choices": {"q": ["a", "b"]}},
            "q has 2 answers, but its design has 3.",
        ),
        ("q,r\n1,a\n0," + "b" * 501 + "\n", {}, "Column r (a cell): is longer than 500"),
        ("q," + "r" * 2001 + "\n1,a\n0,b\n", {}, "r (heading): is longer than 2,000"),
        ("q\n1\n0\n", {"private": {"q": "Warner,p=1/2"}}, "Column q (--private): p must be above"),
        (
            "q,r\n1,98765432109876543210\n0,1\n1,2\n",
            {},
            "r has numbers with too many digits for a number question. Import them as texts or "
            "choices with --categories r, or omit the column with --skip r.",
        ),
        ("q,r\n1,1e30\n0,2e99\n1,2\n", {}, "r has numbers with too many digits"),
        ("q,r\n1,1e30\n0,1e30\n", {"numbers": ["r"]}, "r has numbers with too many digits"),
        ("q,r\n1,a\n0\n", {}, "Line 3 has 1 cell, but line 1 has 2. Correct the line."),
        ("q,q\n1,a\n", {}, "Two columns are called 'q'."),
        ("q,r\n", {}, "There is no row below the headings."),
        ("", {}, "There is no row below the headings."),
        ('q\n"a\n', {}, "is not CSV"),
        ("q\nNA\nNA\n", {"private": {"q": THIRD}}, "No row has a report"),
    ],
)
def test_refusals_say_what_to_do(text, wishes, fault):
    with pytest.raises(DataFileError) as refused:
        brought(text, **wishes)
    assert fault in str(refused.value)


def test_rows_without_a_report_are_left_out_with_their_number():
    found = brought(FILE, private={"q": THIRD})
    assert found.rows == [(0, 0), (1, 31), (1, 30), (1, 15)]  # 30, not said, 60, 45
    assert found.said == [
        "Omitted rows without a report in q: 2 of 6.",
        "age lacks 1 of 4 cells. Candor imports them as “Prefer not to say”, and "
        "regressions exclude these respondents.",
        "Numbers have the range of this file: age (30 to 60). A DP release shows this range "
        "without noise. Release statistics of these numbers only if you may publish their range.",
    ]


def test_a_missing_value_that_no_cell_has_is_named():
    assert not [note for note in brought(FILE, missing=[]).said if "--missing" in note]
    said = brought(FILE, missing=["-99", "x"]).said
    assert "No cell is '-99' or 'x', which --missing names. Check how the file" in "\n".join(said)


def test_missing_choices_can_be_an_answer_of_their_own():
    text = "q,region\n1,North\n0,\n1,South\n0,North\n"
    (_, region) = brought(text).survey.fields
    assert [choice.label for choice in region.choices] == ["South", "North"]
    assert [special.label for special in region.special_answers] == ["Prefer not to say"]
    found = brought(text, keep_missing=["region"])
    (_, region) = found.survey.fields
    assert [choice.label for choice in region.choices] == ["(missing)", "North", "South"]
    assert not region.special_answers
    assert [row[1] for row in found.rows] == [1, 0, 2, 1]
    assert not any("missing" in sentence for sentence in found.said)


def test_a_column_of_two_values_can_be_a_number():
    text = "q,w,k\n1,0.5,3\n0,1.5,4\n1,0.5,4\n"
    for wishes in ({"weights": ["w"]}, {"numbers": ["w"]}):
        (_, weight, other) = brought(text, **wishes).survey.fields
        assert (weight.type, other.type) == ("number", "select_one")
        assert (weight.grid.low, weight.grid.high) == (Fraction(1, 2), Fraction(3, 2))


@pytest.mark.parametrize(
    ("role", "cell", "low", "high"),
    [
        ("weights", "5.0", 0, 5),
        ("weights", "0.25", 0, 0.25),
        ("numbers", "-2", -2, 0),
        ("numbers", "0", 0, 1),
    ],
)
def test_a_number_that_is_the_same_in_every_row_is_kept(role, cell, low, high):
    """Such as the equal weights in data sets of RRTCS."""
    found = brought(f"q,w\n1,{cell}\n0,{cell}\n1,{cell}\n", **{role: ["w"]})
    (_, weight) = found.survey.fields
    assert [weight.grid.low, weight.grid.high, weight.grid.size] == [low, high, 2]
    values = {weight.grid.low + row[1] * weight.grid.step for row in found.rows}
    assert values == {Fraction(cell)}
    assert "w has " in found.said[0] and " in every row." in found.said[0]


def test_a_constant_number_may_have_missing_cells():
    found = brought("q,w\n1,3\n0,\n1,3\n", numbers=["w"])
    assert [row[1] for row in found.rows] == [1, 2, 1]
    assert [special.label for special in found.survey.fields[1].special_answers] == [
        "Prefer not to say"
    ]


def test_whole_numbers_may_have_decimals():
    assert brought("q\n1.0\n0.0\n1.0\n", private={"q": THIRD}).rows == [(0,), (1,), (0,)]
    several = brought("q\n2.0\n3.0\n1.0\n", private={"q": "FR,p=c(.1,.1,.1)"})
    assert several.rows == [(1,), (2,), (0,)]
    assert brought("q\n1.00\n2.\n", private={"q": THIRD}, yes={"q": "2"}).rows == [(1,), (0,)]
    cards = brought("q\n0.0\n3.0\n1.0\n", private={"q": "Kuk,p=c(.8,.2),Kukrep=3"})
    assert cards.rows == [(3,), (0,), (2,)]


def test_a_design_that_browsers_cannot_draw_from_never_opens():
    kuk = {"mechanism": "kuk", "p_yes": "0.6", "p_no": "0.2", "draws": 20}
    survey = parse_survey(definition(yes_no(privacy=kuk)))
    with pytest.raises(
        TotalTooLarge, match="'smokes': Some probabilities of this design are too small"
    ):
        freeze(survey)
    assert freeze(survey, to_open=False).survey == survey
    reports = [
        row[0]
        for batch, _ in simulate_groups(
            survey, (AssumedGroup(1.0, {"smokes": [1.0, 0.0]}),), 2_000, 3
        )
        for row in batch
    ]
    assert np.mean(reports) == pytest.approx(8, abs=0.3)  # Report 0 is 20 red cards; 12 are usual.


def test_non_private_columns():
    wide = [
        [
            "",
            "Q1",
            "q.1",
            "id",
            "sex",
            "score",
            "big",
            "fine",
            "region",
            "code",
            "note",
            "who",
            "all",
        ]
    ]
    for n in range(30):
        fine = repr(0.1234567890123 * n)
        wide.append([str(n), "10"[n % 2], f"{n % 4 / 4}", f"p{n}", "fm"[n % 2], f"{n % 7 - 3}.50",
                     str(n * 10**9), fine, ["South", "North", "East"][n % 3], str(n % 3),
                     f"text {n}", f"{n + 7}", "x"])  # fmt: skip
    text = "\n".join(",".join(row) for row in wide) + "\n"
    found = brought(text, categories=["code"], skip=["who"])
    fields = {question.label: question for question in found.survey.fields}
    assert {label: question.name for label, question in fields.items()} == {
        "Q1": "q1", "q.1": "q_1", "id": "id_2", "sex": "sex", "score": "score", "big": "big",
        "fine": "fine", "region": "region", "code": "code", "note": "note",
    }  # fmt: skip
    assert [q.type for q in fields.values()] == [
        "select_one", "number", "text", "select_one", "number", "number", "number",
        "select_one", "select_one", "text",
    ]  # fmt: skip
    # Of two choices, the second is the reference of a regression, and otherwise the first.
    assert [c.name for c in fields["Q1"].choices] == ["1", "0"]
    assert [c.name for c in fields["sex"].choices] == ["m", "f"]
    assert [c.name for c in fields["region"].choices] == ["East", "North", "South"]
    assert [c.name for c in fields["code"].choices] == ["0", "1", "2"]
    grid = fields["score"].grid
    assert (grid.low, grid.high, grid.step) == (Fraction(-7, 2), Fraction(7, 2), Fraction(1, 10))
    for place, question in enumerate(found.survey.fields):
        column = wide[0].index(question.label)
        for row, cells in zip(found.rows, wide[1:], strict=True):
            (back,) = question.form.cells(row[place])
            if question.type == "number":
                assert float(back) == pytest.approx(float(cells[column]), abs=1e-5)
            else:
                assert back == cells[column]
    said = "\n".join(found.said)
    assert "Column 1 has no heading and is omitted." in said
    assert "id differs in every row." in said
    assert "all is omitted: every row has 'x'." in said
    assert "fine is rounded to 0.00001: a number question has at most 1,000,001 values." in said
    assert "Q1 is q1, q.1 is q_1, id is id_2" in said


@check_each(
    ("write", "values"),
    [
        (lambda n: f"1.2{n % 10}0.000", [1_200_000, 1_290_000]),
        (lambda n: f"1,2{n % 10}0,000", [1_200_000, 1_290_000]),
        (lambda n: f"1.2{n % 10}0,5", [Fraction(2401, 2), Fraction(2581, 2)]),
        (lambda n: f"2{n % 10},5", [Fraction(41, 2), Fraction(59, 2)]),
        (lambda n: f"1 2{n % 10}0", [1200, 1290]),
    ],
)
def test_numbers_with_thousands_are_numbers(write, values):
    found = imported(file_of(["q1", "income"], halves(write), ";"), f"q1={WARNER}")
    grid = found.survey.fields[1].grid
    assert [grid.low, grid.low + (grid.size - 1) * grid.step] == values


@check_each("word", ["N/A", "#N/A", "#NULL!", "#NV", "null", ".a", "NA", "."])
def test_one_missing_word_leaves_a_number(word):
    text = file_of(["q1", "age"], halves(lambda n: word if n == 10 else str(20 + n % 30)))
    found = imported(text, f"q1={WARNER}")
    age = found.survey.fields[1]
    values = [age.grid.low + row[1] for row in found.rows if row[1] < age.grid.size]
    assert len(values) == 59
    assert float(sum(values)) / 59 == pytest.approx(
        sum(20 + n % 30 for n in range(60) if n != 10) / 59
    )
    assert "age lacks 1 of 60 cells." in "\n".join(found.said)
