"""`responses import-randomised`: files of users of rr and RRreg, with published numbers."""

import csv
import io
import json
import math
import re
import unicodedata
from fractions import Fraction

import numpy as np
import pytest
from scipy.optimize import minimize
from scipy.stats import binom

from survey.core.errors import DataFileError, DefinitionError, SurveyError, TotalTooLarge
from survey.core.nfc import to_nfc
from survey.definition.frozen import FrozenSurvey, freeze
from survey.definition.parse_question import QUESTION_NAME
from survey.definition.survey import parse_survey
from survey.estimation.pilot_truth import AssumedGroup
from survey.formats.randomised_csv.build_survey import ImportOptions, survey_from_table
from survey.formats.randomised_csv.designs import parse_randomisation_design
from survey.formats.randomised_csv.options import OptionTexts, parse_options
from survey.formats.randomised_csv.sheet import read_csv_table
from survey.planning.simulation import simulate_groups
from tests.support.check_each import check_each
from tests.support.decomposed import same_if_decomposed
from tests.support.definitions import definition, yes_no
from tests.support.export_bundles import DESIGNS

THIRD = "forced-known,p=2/3,p0=1/6,p1=1/6"


@pytest.fixture
def run(app, tmp_path):
    def run(*arguments, code=0):
        result = app.test_cli_runner().invoke(args=[*map(str, arguments)])
        assert result.exit_code == code, result.output
        assert "Traceback" not in result.output
        return result.output if code else result.stdout

    return run


@same_if_decomposed
def brought(content, *, slug="study", title="Study", missing=(), encoding="", **wishes):
    """The survey of a file. Each test also reads the decomposed file, with decomposed options."""
    private = {
        to_nfc(name): parse_randomisation_design(design)
        for name, design in wishes.pop("private", {}).items()
    }
    content = content if isinstance(content, bytes) else content.encode()
    sheet = read_csv_table(io.BytesIO(content), missing, encoding)
    return survey_from_table(sheet, ImportOptions(private, **to_nfc(wishes)), slug, title)


def imported(content, *private, missing=(), **options):
    """The same with the options as texts, as the command and the page have them."""
    table = read_csv_table(io.BytesIO(content.encode()), missing)
    wishes = parse_options(OptionTexts(private, **options), table.columns)
    return survey_from_table(table, wishes, "study", "Study")


def tables(design, cells="01"):
    """Pr(report | answer) of a design, with answers and reports in the order of the definition."""
    found = brought("q\n" + "\n".join(cells) + "\n", private={"q": design})
    table = found.survey.fields[0].table
    return [
        [table.probability(y, x) for y in range(table.reports)] for x in range(table.answers)
    ]  # fmt: skip


# ---- Designs ----


@check_each("name", DESIGNS)
def test_what_the_packages_are_given_comes_back_as_the_same_table(name):
    """The models and arguments of test_elsewhere.py are those of the manuals."""
    privacy, model, p, rr, arguments, turned = DESIGNS[name]
    table = parse_survey(definition(yes_no(privacy=privacy))).fields[0].table
    ours = [[table.probability(y, x) for y in range(table.reports)] for x in (0, 1)]
    if model != "custom":
        values = p[0] if len(p) == 1 else f"c({', '.join(p)})"
        draws = ", Kukrep = 3" if name == "thrice" else ""
        assert tables(f"{model}, p = {values}{draws}") == ours
    if rr is not None:
        given = ",".join(f"{key}={value}" for key, value in arguments.items())
        # rr gets the opposite of each report, so its columns are ours in reverse.
        expected = [row[::-1] for row in ours] if turned else ours
        assert tables(f"{rr},{given}") == expected
        rows = [[ours[x][y] for x in (1, 0)] for y in (1, 0)]  # row: report, column: answer
        matrix = "; ".join(" ".join(map(str, row)) for row in rows)
        assert tables(f"custom, p={matrix}") == ours


def test_designs_of_several_answers():
    forced = tables("FR,p=c(.1,.1,.05,.05,.05)", "01234")
    assert forced[0] == [Fraction(n, 100) for n in (75, 10, 5, 5, 5)]
    assert forced[4] == [Fraction(n, 100) for n in (10, 10, 5, 5, 70)]
    own = "forced_response,p_truth=.65,p_forced=.1 .1 .05 .05 .05"
    assert tables(own, "12345") == forced
    # p[i, j] = Pr(report i | answer j)
    custom = tables("custom,p=.8 .1 .2; .1 .8 .2; .1 .1 .6", "012")
    assert custom[2] == [Fraction(1, 5), Fraction(1, 5), Fraction(3, 5)]
    assert tables("table,rows=3 1;1 3") == tables("coin_flip")
    assert tables("Triangular,p=1/4") == tables("Mangat,p=3/4")


@check_each(
    ("design", "fault"),
    [
        ("warn", "There is no design 'warn'"),
        ("forced-known,p=2/3", "forced-known takes the parameters p, p0, p1. Missing: p0, p1."),
        ("forced-known,p=2/3,p0=1/6,p1=1/5", "add up to"),
        ("Warner,2/3", "is not a design. Write a name, then NAME=VALUE"),
        ("Warner", "Warner takes the parameters p. Missing: p."),
        ("Kuk,p1=.6,p2=.2,k=25", "the parameters p, Kukrep. Missing: p. Unknown: p1, p2, k."),
        ("UQTknown,p=c(.5,.1),q=1/2", "UQTknown takes the parameters p. Unknown: q."),
        ("Warner,p=0,7", "with a point, as in 0.7."),
        ("kuk,p_yes=0,6,p_no=0,2", "with a point, as in 0.7."),
        ("table,rows=[[5,1],[1,5]]", "Write a table by rows: table,rows=5 1;1 5."),
        ("Warner,p=x", "a number or a fraction"),
        ("Warner,p=c(1/3,1/3)", "p must be one probability."),
        ("Kuk,p=2/3", "p must be two probabilities"),
        ("Kuk,p=c(2/3,1/3),Kukrep=x", "Kukrep must be a whole number."),
        ("FR,p=c(.5,.5)", "Their sum must be below 1"),
        ("custom,p=3/4 1/4 1/4 3/4", "The matrix of custom must be square"),
        ("custom,p=3/4 3/4; 1/4 1/2", "add up to"),
        ("table,rows=3 1;1", "differ in length"),
        ("table,rows=.75 .25;.25 .75", "whole numbers"),
        ("table,rows=5 3 2;2 3 5", "responses load"),
        ("window,epsilon=1", "There is no design 'window'"),
        ("optimized_unary_encoding,epsilon=1", "responses load"),
    ],
)
def test_a_design_that_is_none(design, fault):
    with pytest.raises(SurveyError, match=fault.replace("(", r"\(").replace(".", r"\.")):
        tables(design)


# ---- Cells ----


@pytest.mark.parametrize(
    ("cells", "yes", "codes"),
    [
        ("1 0 1", None, [0, 1, 0]),
        ("Yes NO yes", None, [0, 1, 0]),
        ("FALSE TRUE TRUE", None, [1, 0, 0]),
        ("0 0 0", None, [1, 1, 1]),
        ("1 2 1", "1", [0, 1, 0]),
        ("1 2 1", "2", [1, 0, 1]),
        ("A B B", "B", [1, 0, 0]),
    ],
)
def test_which_cell_counts_as_yes(cells, yes, codes):
    text = "q\n" + "\n".join(cells.split()) + "\n"
    wish = {} if yes is None else {"q": yes}
    found = brought(text, private={"q": "coin_flip"}, yes=wish)
    assert [row[0] for row in found.rows] == codes


def test_same_counts_as_yes_in_the_crosswise_model_alone():
    text = "q\nsame\ndifferent\n"
    assert brought(text, private={"q": "Crosswise,p=1/4"}).rows == [(0,), (1,)]
    with pytest.raises(DataFileError, match="which cell of q counts as yes"):
        brought(text, private={"q": "Warner,p=1/4"})


def test_red_cards_are_counted():
    found = brought("q\n0\n3\n1\n", private={"q": "Kuk,p=c(2/3,1/3),Kukrep=3"})
    form = found.survey.fields[0].form
    assert [form.cells(row[0]) for row in found.rows] == [["r4"], ["r1"], ["r3"]]


def test_labels_of_several_answers_are_named_in_order():
    text = "q\nnever\nไม่มี\nso so\n"
    design = {"q": "forced_response,p_truth=.5,p_forced=.2 .2 .05 .05"}
    order = {"q": ["so so", "never", "ไม่มี", "always"]}
    found = brought(text, private=design, choices=order)
    assert [row[0] for row in found.rows] == [1, 2, 0]
    choices = found.survey.fields[0].choices
    assert [c.label for c in choices] == order["q"]
    assert [c.name for c in choices] == ["so_so", "never", "aimmi", "always"]


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


def test_equal_weights_change_no_estimate(run, tmp_path):
    path = tmp_path / "equal.csv"
    path.write_text("q,wt\n" + "".join(f"{n % 3 // 2},5.0\n" for n in range(300)))
    given = ["--private", "q=coin_flip", "--weights", "wt"]
    run("responses", "import-randomised", "equal", path, *given)
    found = json.loads(run("analyse", "estimate", "equal", "--weights", "wt", "--json"))
    share = next(each for each in found["estimates"] if each["question"] == "q")
    assert share["figure"]["value"] == pytest.approx(
        2 * sum(n % 3 // 2 for n in range(300)) / 300 - 0.5
    )


def test_whole_numbers_may_have_decimals():
    assert brought("q\n1.0\n0.0\n1.0\n", private={"q": THIRD}).rows == [(0,), (1,), (0,)]
    several = brought("q\n2.0\n3.0\n1.0\n", private={"q": "FR,p=c(.1,.1,.1)"})
    assert several.rows == [(1,), (2,), (0,)]
    assert brought("q\n1.00\n2.\n", private={"q": THIRD}, yes={"q": "2"}).rows == [(1,), (0,)]
    cards = brought("q\n0.0\n3.0\n1.0\n", private={"q": "Kuk,p=c(.8,.2),Kukrep=3"})
    assert cards.rows == [(3,), (0,), (2,)]


def test_probabilities_may_add_up_to_one_up_to_rounding():
    thirds = [[Fraction(2, 3), Fraction(1, 3)], [Fraction(1, 3), Fraction(2, 3)]]
    assert tables("custom,p=.66666666667 .3333333333; .3333333333 .6666666667") == thirds
    exact = tables("forced-known,p=2/3,p0=1/6,p1=1/6")
    assert tables("forced-known,p=.6666666667,p0=.1666666667,p1=.1666666667") == exact
    assert tables("forced_response,p_truth=.6666666667,p_yes=.1666666667,p_no=.1666666667") == exact
    # No simple fraction is near these probabilities, so the rows are rounded to multiples of 2^-32.
    odd = tables("custom,p=.7312345678901 .2; .2687654321098 .8")
    assert odd[1][1] == pytest.approx(0.7312345678901, abs=1e-9)
    assert all(sum(row) == 1 for row in odd)
    with pytest.raises(DataFileError, match=r"add up to 1\.00000001"):
        tables("custom,p=.66666668 .25; .33333333 .75")


def test_kuk_with_many_draws():
    """The table is the binomial distribution, up to 2^-32 or exactly. No odds are too small."""
    cells = [str(red) for red in range(15)]
    table = tables("Kuk,p=c(.7,.4),Kukrep=14", cells)
    for row, share in zip(table, (0.7, 0.4), strict=True):
        expected = binom.pmf(np.arange(14, -1, -1), 14, share)
        assert [float(chance) for chance in row] == pytest.approx(expected, abs=1e-8)
    assert table[0][0] / table[1][0] >= Fraction(7, 4) ** 14
    # Where 2^-32 is too coarse, all probabilities are exact.
    for yes, no, draws in (("3/5", "1/5", 14), ("3/5", "1/5", 25), (".9", ".1", 40)):
        cells = [str(red) for red in range(draws + 1)]
        exact = tables(f"Kuk,p=c({yes},{no}),Kukrep={draws}", cells)
        for row, share in zip(exact, map(Fraction, (yes, no)), strict=True):
            assert row == [
                math.comb(draws, red) * share**red * (1 - share) ** (draws - red)
                for red in range(draws, -1, -1)
            ]


@pytest.mark.parametrize(
    ("yes", "no", "draws"),
    [("0.6", "0.2", 13), ("0.6", "0.2", 14), ("0.6", "0.2", 20), ("0.6", "0.2", 25),
     (".9", ".1", 40), ("2/3", "1/3", 100), (".99", ".01", 100)],
)  # fmt: skip
def test_the_loss_of_many_cards_is_finite_and_exact(run, tmp_path, store, yes, no, draws):
    """The most telling report has only red cards, or none: (p_yes / p_no)^n or its mirror."""
    path = tmp_path / "kuk.csv"
    path.write_text("q\n" + "".join(f"{red}\n" * 5 for red in range(draws + 1)))
    design = f"q=Kuk,p=c({yes},{no}),Kukrep={draws}"
    said = run("responses", "import-randomised", "kuk", path, "--private", design)
    p, q = Fraction(yes), Fraction(no)
    expected = draws * math.log(max(p / q, (1 - q) / (1 - p)))
    stated = float(re.search(r"epsilon ([\d.,]+)", said)[1].replace(",", ""))
    assert stated == pytest.approx(expected, abs=0.0101)
    # The moment estimate is the mean share of red cards, which is 1/2, on the scale of the packs.
    shares = estimates(run, "kuk")
    assert shares[0]["estimate"] + shares[1]["estimate"] == pytest.approx(1)
    # The survey is the same after a restart, and has its files.
    frozen = store.surveys.by_slug("kuk").frozen
    again = FrozenSurvey.from_json(frozen.to_json())
    assert (again.survey.fields[0].table, again.fingerprint) == (
        frozen.survey.fields[0].table, frozen.fingerprint,
    )  # fmt: skip
    run("responses", "export-bundle", "kuk", "--output", tmp_path / "all.zip")


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


def test_separators_and_decimal_commas():
    comma = brought("q,x\n1,2.5\n0,3\n1,-1\n")
    assert brought("q;x\r\n1;2,5\r\n0;3\r\n1;-1\r\n").rows == comma.rows
    assert brought("q\tx\n1\t2.5\n0\t3\n1\t-1\n\n").rows == comma.rows
    found = brought('q,x\n"1",2.5\n0,-99\n1,-1\n0,3\n', missing=["-99"])
    assert [row[1] for row in found.rows] == [35, 41, 0, 40]


# ---- By command, with published numbers ----


def estimates(run, slug):
    (question,) = json.loads(run("analyse", "estimate", slug, "--json"))["questions"]
    return question["estimates"]


@pytest.mark.parametrize(("same", "value"), [(198, 0.222581), (230, 0.016129)])
def test_plagiarism(run, tmp_path, same, value):
    """Jann, Jerke & Krumpal (2012), POQ 76; crosswise, 310 students."""
    path = tmp_path / "jann.csv"
    path.write_text("answer\n" + "1\n" * same + "0\n" * (310 - same))
    assert "310 responses" in run(
        "responses", "import-randomised", "jann", path, "--private", "answer=Crosswise,p=.25"
    )
    yes = estimates(run, "jann")[0]
    share = same / 310
    assert yes["estimate"] == pytest.approx(value, abs=5e-7)
    assert yes["standard_error"] == pytest.approx(math.sqrt(share * (1 - share) / 309) / 0.5)


def test_five_categories(run, tmp_path):
    path = tmp_path / "five.csv"
    counts = (412, 301, 155, 92, 40)
    path.write_text("x\n" + "".join(f"{j}\n" * count for j, count in enumerate(counts)))
    run("responses", "import-randomised", "five", path, "--private", "x=FR,p=c(.1,.1,.05,.05,.05)")
    found = estimates(run, "five")
    moment, likely = (0.48, 0.3092, 0.1615, 0.0646, -0.0154), (0.4734, 0.3044, 0.1591, 0.0631, 0)
    assert [each["estimate"] for each in found] == pytest.approx(moment, abs=5e-5)
    assert [each["possible"] for each in found] == pytest.approx(likely, abs=5e-5)


def test_minarets(run, tmp_path):
    """Heck & Moshagen (2018), section 4.1: the stochastic lie detector.

    There are 564 and 692 respondents with 771 yes, which gives 373 and 398. The model is two shares
    and their difference.
    """
    path = tmp_path / "minarets.csv"
    groups = {1: (373, 564), 2: (398, 692)}
    path.write_text("answer,group\n" + "".join(
        f"yes,{g}\n" * yes + f"no,{g}\n" * (n - yes) for g, (yes, n) in groups.items()
    ))  # fmt: skip
    run("responses", "import-randomised", "minarets", path)
    found = json.loads(
        run(
            "analyse", "groups", "minarets", "--measure", "answer:yes", "--group", "group", "--json"
        )
    )
    share = {int(each["group"]): each["estimate"] for each in found["groups"]}
    error = {}
    # RRreg divides by n - 1 of the group, and we divide by n - 1 of all.
    for each in found["groups"]:
        n = groups[int(each["group"])][1]
        more = math.sqrt(n / (n - 1) * 1255 / 1256)
        error[int(each["group"])] = each["standard_error"] * more
    p, q = 2 / 12, 10 / 12
    (difference,) = found["differences"]
    assert 1 - difference["estimate"] / (q - p) == pytest.approx(0.870695, abs=5e-7)
    assert math.hypot(*error.values()) / (q - p) == pytest.approx(0.041118, abs=5e-7)
    assert difference["standard_error"] / (q - p) == pytest.approx(0.041118, rel=5e-4)
    carriers = share[2] - share[1] + q - p
    t = (share[2] * (1 - p) - share[1] * (1 - q)) / carriers
    slopes = (
        (p - q) * (q + share[2] - 1) / carriers**2, (p - q) * (p + share[1] - 1) / carriers**2
    )  # fmt: skip
    assert t == pytest.approx(0.635806, abs=5e-7)
    t_error = math.hypot(error[1] * slopes[0], error[2] * slopes[1])
    assert t_error == pytest.approx(0.017344, abs=5e-7)


def test_a_regression_from_a_file_as_r_writes_it(run, tmp_path):
    """Compared with a maximum of the penalised likelihood by another method, listwise like rr."""
    random = np.random.default_rng(5)
    n = 800
    age, female = random.integers(18, 80, n), random.integers(0, 2, n)
    asset, region = random.normal(size=n), random.choice(["West", "East", "North"], n)
    eta = -1 + 0.03 * (age - 45) + 0.6 * female + 0.4 * asset + 0.5 * (region == "West")
    truth = random.random(n) < 1 / (1 + np.exp(-eta))
    die = random.random(n)
    report = np.where(die < 2 / 3, truth, die < 5 / 6).astype(int)
    reported = [1 if j % 40 == 7 else 0 for j in range(n)]  # 1 means missing
    lines = ['"","rr.q1","cov.age","cov.female","cov.asset.index","region"']
    for j in range(n):
        years = "NA" if j % 50 == 3 else age[j]
        q = "NA" if reported[j] else report[j]
        lines.append(f'"{j + 1}",{q},{years},{female[j]},{asset[j]!r},"{region[j]}"'
                     .replace("np.float64(", "").replace(")", ""))  # fmt: skip
    path = tmp_path / "nigeria.csv"
    path.write_text("\n".join(lines) + "\n")
    bring = "responses", "import-randomised", "nigeria", path, "--private", f"rr.q1={THIRD}"
    said = run(*bring, "--require-complete", code=1)
    assert "Rows without a report in rr.q1: 20 of 800." in said
    assert "--require-complete" in said
    run(*bring)
    names = ("cov_age", "cov_female", "cov_asset_index", "region")
    command = ("--outcome", "rr_q1", *(f"--predictors={each}" for each in names))
    analyse = ("analyse", "regression", "nigeria", *command, "--estimator", "maximum likelihood")
    found = json.loads(run(*analyse, "--json"))

    kept = np.array([not reported[j] and j % 50 != 3 for j in range(n)])
    design = np.column_stack(
        [np.ones(n), age, female, asset, region == "North", region == "West"]
    )[kept].astype(float)  # fmt: skip
    y = report[kept]

    def loss(beta):
        yes = 1 / (1 + np.exp(-design @ beta))
        chance = 1 / 6 + 2 / 3 * yes
        return -np.sum(np.where(y == 1, np.log(chance), np.log(1 - chance)))

    scale = np.array([1, 50, 1, 1, 1, 1.0])
    best = minimize(lambda b: loss(b / scale), np.zeros(6), tol=1e-10).x / scale
    assert (found["n"], found["estimator"]) == (kept.sum(), "maximum likelihood")
    rows = found["coefficients"]
    assert [row["name"] for row in rows] == [
        "constant", "cov_age", "cov_female: 1", "cov_asset_index", "region: North", "region: West",
    ]  # fmt: skip
    for row, value in zip(rows, best, strict=True):
        assert row["value"] == pytest.approx(value, abs=2e-3 * row["error"])
    for command in (
        ("analyse", "crosstab", "nigeria", "--rows", "rr_q1", "--columns", "region"),
        ("analyse", "groups", "nigeria", "--measure", "rr_q1:yes", "--group", "cov_female"),
        ("analyse", "correlation", "nigeria", "--questions=rr_q1:yes", "--questions=cov_age"),
        ("analyse", "estimate", "nigeria"),
        ("responses", "export-bundle", "nigeria", "--output", tmp_path / "all.zip"),
    ):
        assert run(*command)


def test_weights_and_clusters_come_as_non_private_questions(run, tmp_path):
    lines = ["q,wt,village"] + [f"{n % 3 // 2},{1 + n % 2 / 8},{n % 20}" for n in range(300)]
    path = tmp_path / "w.csv"
    path.write_text("\n".join(lines) + "\n")
    run(
        "responses",
        "import-randomised",
        "weighted",
        path,
        "--private",
        "q=coin_flip",
        "--weights",
        "wt",
        "--title",
        "Weighted",
    )
    found = json.loads(
        run(
            "analyse",
            "regression",
            "weighted",
            "--outcome=q",
            "--predictors=wt",
            "--weights",
            "wt",
            "--clusters",
            "village",
            "--json",
        )
    )
    assert found["errors"].startswith("sandwich") or "cluster" in found["errors"]
    weighted = json.loads(run("analyse", "estimate", "weighted", "--weights", "wt", "--json"))
    share = next(each for each in weighted["estimates"] if each["question"] == "q")
    weight = np.array([1 + n % 2 / 8 for n in range(300)])
    yes = np.array([n % 3 // 2 for n in range(300)])
    mean = weight @ yes / weight.sum()
    assert share["figure"]["value"] == pytest.approx(2 * mean - 0.5)
    deviations = weight * (2 * yes - 2 * mean) / weight.sum()
    error = math.sqrt(300 / 299 * (deviations @ deviations))
    assert share["figure"]["standard_error"] == pytest.approx(error)
    assert "share of Yes" in run("analyse", "estimate", "weighted", "--clusters", "village")


def test_a_name_that_is_taken_and_bytes_that_are_no_text(run, tmp_path, store):
    path = tmp_path / "a.csv"
    path.write_text("q\n1\n0\n")
    run("responses", "import-randomised", "study", path, "--private", "q=coin_flip", "--yes", "1")
    found = store.surveys.by_slug("study")
    assert (found.state, found.origin) == ("closed", "loaded")
    assert "There is already a survey 'study'" in run(
        "responses", "import-randomised", "study", path, code=1
    )
    path.write_bytes(b"q\n\xff\n")
    assert "is not UTF-8" in run("responses", "import-randomised", "other", path, code=1)
    path.write_text("q\n1\n0\n")
    said = run("responses", "import-randomised", "other", path, "--private", "q", code=1)
    assert "Write it as COLUMN=DESIGN." in said


def test_load_names_the_columns_that_a_survey_does_not_have(run, tmp_path, store):
    store.surveys.save_draft(parse_survey(definition()))
    path = tmp_path / "a.csv"
    path.write_text("rr.q1\n1\n")
    assert "does not have these columns: rr.q1" in run("responses", "load", "health", path, code=1)


def test_texts_of_a_file_stay_next_to_the_reports_and_the_survey_cannot_open():
    """The researcher has the file, so nothing would be gained by storing its texts apart."""
    lines = [f"{n % 2},in words number {n}" for n in range(200)]
    found = brought("q,why\n" + "\n".join(lines) + "\n", private={"q": "coin_flip"})
    assert [question.type for question in found.survey.fields] == ["yes_no", "text"]
    assert found.survey.texts_apart is False
    assert found.rows[1][1] == "in words number 1"
    with pytest.raises(DefinitionError, match="must not lie next to private answers"):
        freeze(found.survey)


# ---- Files of survey programs, in other languages (smallest inputs after public reports) ----


def halves(*columns, n=60):
    """Rows of a private column with half 0 and half 1, and of the other columns by their row."""
    return [[str(place % 2), *(column(place) for column in columns)] for place in range(n)]


def file_of(headings, rows, separator=",", end="\n"):
    text = io.StringIO()
    csv.writer(text, delimiter=separator, lineterminator=end).writerows([headings, *rows])
    return text.getvalue()


WARNER = "Warner,p=2/3"


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


@check_each("column", ["hút_thuốc", "Größe", "สูบบุหรี่ไหมน้ำ", "흡연", "がく"])
def test_a_decomposed_heading_is_the_composed_one(column):
    text = unicodedata.normalize("NFD", file_of([column, "age"], halves(lambda n: str(n % 9))))
    for written in (column, unicodedata.normalize("NFD", column)):
        found = imported(text, f"{written}={WARNER}", numbers=["age"])
        assert [question.label for question in found.survey.fields] == [column, "age"]
        assert QUESTION_NAME.fullmatch(found.survey.fields[0].name)
        assert len(found.rows) == 60


def test_choices_in_any_script_have_different_names():
    answers = ["Không", "Khong", "不是", "ไม่ใช่", "Нет", "-1", "1", "…"]
    text = file_of(["q", "a"], halves(lambda n: answers[n % 8]))
    (_, question) = imported(text, "q=coin_flip").survey.fields
    names = {choice.label: choice.name for choice in question.choices}
    assert set(names) == set(answers)
    assert len({*names.values()}) == 8
    assert names["不是"] == "bushi"
    assert names["-1"] == "minus_1"
    assert {names["Không"], names["Khong"]} == {"khong_2", "Khong"} or names["Không"] == "khong"


@check_each(
    ("answers", "stated"),
    [
        (["No, never", "Yes, once", "Yes, often"], '"No, never","Yes, once","Yes, often"'),
        (["nie", "ja, selten", "ja, oft"], 'nie, "ja, selten", "ja, oft"'),
        (["không, không", "có; ít", 'có, "nhiều"'], '"không, không",có; ít,"có, ""nhiều"""'),
        (["从不", "是，一次", "是,常常"], '从不,是，一次,"是,常常"'),
    ],
)
def test_answers_with_commas_are_named_in_quotes(answers, stated):
    text = file_of(["q1", "age"], [[answers[n % 3], str(n)] for n in range(60)])
    found = imported(text, "q1=FR,p=c(.1,.1,.1)", choices=[f"q1={stated}"], skip=["age"])
    assert [choice.label for choice in found.survey.fields[0].choices] == answers
    assert [row[0] for row in found.rows] == [n % 3 for n in range(60)]
    with pytest.raises(DataFileError, match="Put quotes around an answer that contains a comma"):
        imported(text, "q1=FR,p=c(.1,.1,.1)", choices=["q1=No, never,Yes, once,Yes, often"])


def test_a_file_in_another_encoding_is_asked_about_and_read(run, tmp_path, store):
    content = file_of(["q1", "จังหวัด"], halves(lambda n: ["เชียงใหม่", "ภูเก็ต"][n % 2]))
    path = tmp_path / "thai.csv"
    path.write_bytes(content.encode("cp874"))
    command = ("responses", "import-randomised", "thai", path, "--private", f"q1={WARNER}")
    said = run(*command, code=1)
    assert "It may be: windows-874 (จังหวัด, เชียงใหม่, ภูเก็ต)" in said
    assert "--encoding windows-874" in said
    assert "60 responses" in run(*command, "--encoding", "windows-874")
    labels = [choice.label for choice in store.surveys.by_slug("thai").survey.fields[1].choices]
    assert sorted(labels) == ["ภูเก็ต", "เชียงใหม่"]
    path.write_bytes(content.encode("utf-16"))
    assert "60 responses" in run(*command[:2], "utf-16", *command[3:])
    path.write_text("q1, x;age\n" + "1,5;2\n0,5;3\n")
    assert "can be separated by commas or semicolons" in run(*command, code=1)
