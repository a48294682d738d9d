"""Each page of measurements is what its data lead to, and some of the data are measured again."""

import pytest

from bench import (
    default_designs,
    false_alarms,
    group_tests,
    headlines,
    joint_questions,
    quantile_goal,
    survey_levels,
)
from bench.evidence import DATA, EVIDENCE, markdown_table, read_rows, wrapped
from bench.examinations import __main__ as examinations
from bench.interval_coverage import coverage, rare, regression_page
from bench.interval_coverage.automatic import automatic_cells
from bench.interval_coverage.cases import Measured
from bench.median_bounds import MOST_ANSWERS
from survey.estimation.quantile_estimates import QUANTILES

# The page that each module makes from its data, and the names of the data.
PAGES = {
    coverage.DOCUMENT: (coverage.document, [coverage.NAME, rare.NAME]),
    false_alarms.DOCUMENT: (false_alarms.page, [false_alarms.NAME]),
    headlines.DOCUMENT: (headlines.document, [headlines.NAME]),
    joint_questions.DOCUMENT: (
        joint_questions.joint_questions_page, list(joint_questions.PARTS),
    ),
    examinations.DOCUMENT: (examinations.page, [examinations.NAME]),
    default_designs.DOCUMENT: (default_designs.page_of, list(default_designs.PARTS)),
    quantile_goal.PAGE: (quantile_goal.page, list(quantile_goal.PARTS)),
    regression_page.DOCUMENT: (
        lambda rows, totals, automatic: regression_page.page(rows, totals[0], automatic),
        [regression_page.CELLS, regression_page.TOTALS, regression_page.AUTOMATIC],
    ),
    survey_levels.DOCUMENT: (survey_levels.page, [survey_levels.NAME]),
    group_tests.DOCUMENT: (
        lambda *rows: group_tests.page(dict(zip(group_tests.HEADS, rows, strict=True))),
        [group_tests.data_name(kind) for kind in group_tests.HEADS],
    ),
}  # fmt: skip

OTHER_HEADS = {
    "examinations": "coverage",
    "false-alarms": "alarms",
    "quantiles": "variance",
    "regression": "group",
    "private-predictors": "power",
    "survey-levels": "respondents",
}


@pytest.mark.parametrize("path", PAGES, ids=lambda path: path.stem)
def test_the_page_is_what_its_data_lead_to(path):
    make, names = PAGES[path]
    assert path.read_text(encoding="utf-8") == make(*map(read_rows, names))


def test_all_data_belong_to_a_page():
    used = [name for _, names in PAGES.values() for name in names]
    assert sorted(used) == sorted(path.stem for path in DATA.glob("*"))


@pytest.mark.parametrize("path", PAGES, ids=lambda path: path.stem)
def test_another_number_in_the_data_changes_the_page(path):
    """The number is worse than all others, so that every page shows it."""
    make, names = PAGES[path]
    rows = [read_rows(name) for name in names]
    head = {"coverage": "coverage", "headlines": "wrong", "joint-questions": "cell"}.get(path.stem)
    head = head or OTHER_HEADS.get(path.stem, "Coverage")
    number = "1.0 → 1.0" if path == group_tests.DOCUMENT else "0.111"
    next(row for row in rows[0] if row[head])[head] = number
    assert path.read_text(encoding="utf-8") != make(*rows)


def test_data_have_a_row_for_every_case():
    rows = read_rows(headlines.NAME)
    assert [(row["type of question"], int(row["n"])) for row in rows] == [
        (kind.title, n) for kind in headlines.KINDS for n in headlines.SIZES
    ]
    rows = read_rows(regression_page.CELLS)
    cells = regression_page.cells() + regression_page.heavy_tailed_cells()
    assert [(row["n"], row["epsilon"], float(row["prevalence"])) for row in rows] == [
        (str(cell.n), cell.epsilon, 100 * cell.prevalence) for cell in cells
    ]
    for kind, (_, cases) in group_tests.ROWS.items():
        assert len(read_rows(group_tests.data_name(kind))) == len(cases)
    found = [
        (row["analysis"], row["questions"], row["test"], row["true share"], row["n"])
        for row in read_rows(false_alarms.NAME)
    ]
    assert found == [
        (study.analysis, key, test, f"{100 * share:g}", str(n))
        for key, _, share, n in false_alarms.tasks()
        for study in [false_alarms.STUDIES[key]]
        for test in study.tests
    ]
    assert [(row["predictors"], row["n"]) for row in read_rows("private-several")] == [
        (name, str(n)) for name, (_, sizes, _) in default_designs.DESIGNS.items() for n in sizes
    ]
    assert [(row["predictors"], row["n"]) for row in read_rows("private-times")] == [
        (name, str(n)) for name in default_designs.TIMED for n in default_designs.TIMED_SIZES
    ]
    assert [
        (row["n"], row["epsilon"], row["prevalence"])
        for row in read_rows(regression_page.AUTOMATIC)
    ] == [(str(cell.n), cell.epsilon, f"{100 * cell.prevalence:g}") for cell in automatic_cells()]
    quantiles = read_rows("quantiles")
    truths = quantile_goal.true_distributions()
    assert list(dict.fromkeys(row["true answers"] for row in quantiles)) == list(truths)
    assert len(quantiles) == len(truths) * len(QUANTILES) * 16


def test_all_headlines_and_regressions_meet_their_requirements():
    assert max(float(row["wrong"] or 0) for row in read_rows(headlines.NAME)) < headlines.LIMIT
    rows = read_rows(regression_page.CELLS)
    rates = [
        float(row[name])
        for row in rows
        if row["study"] != regression_page.HEAVY
        for name in regression_page.COEFFICIENTS
    ]
    assert len(rates) == 180
    assert regression_page.LOW <= min(rates) <= max(rates) <= regression_page.HIGH


@pytest.mark.slow
def test_the_first_row_about_joint_questions_is_what_the_study_gives():
    heads, rows = joint_questions.PARTS["joint-coverage"]
    assert dict(zip(heads, next(iter(rows())), strict=True)) == read_rows("joint-coverage")[0]


@pytest.mark.slow
def test_a_row_about_quantiles_is_what_the_study_gives():
    """Another processor may round a last digit differently."""
    truth = quantile_goal.true_distributions()["half gave 20, half 80"]
    found = quantile_goal.measured_row("half gave 20, half 80", truth, 0.5, "2", 1_000)
    [row] = [
        row for row in read_rows("quantiles")
        if (row["true answers"], row["quantile"]) == ("half gave 20, half 80", "median")
        and (row["epsilon"], row["n"]) == ("2", "1000")
    ]  # fmt: skip
    assert float(found["coverage"]) == pytest.approx(float(row["coverage"]), abs=1.1e-3)
    assert found["length"] == row["length"]


def test_quantiles_meet_their_requirements():
    rows = read_rows("quantiles")
    # With 2,000 surveys, a coverage of 0.95 has a standard error of 0.005.
    assert min(float(row["coverage"]) for row in rows) >= 0.935
    # At epsilon = 4, the bound for more answers is too small.
    variances = [
        row
        for row in read_rows("quantile-variances")
        if row["epsilon"] != "4" or int(row["answers"]) <= MOST_ANSWERS
    ]
    assert max(float(row["variance"]) / float(row["bound"]) for row in variances) <= 1.3


@pytest.mark.slow
def test_the_variances_of_quantiles_are_what_the_formula_gives():
    rows = [row for row in read_rows("quantile-variances") if row["answers"] in ("5", "21")]
    found = quantile_goal.variance_rows((5, 21))
    for row, known in zip(found, rows, strict=True):
        # The search for the bound has other roundings on other computers.
        assert float(str(row.pop("bound"))) == pytest.approx(float(known.pop("bound")), rel=0.03)
        assert {name: str(cell) for name, cell in row.items()} == known


def test_a_row_about_two_groups_is_what_the_study_gives():
    measure, cases = group_tests.ROWS["pairs"]
    row = read_rows(group_tests.data_name("pairs"))[5]
    assert measure(*cases[5]) == list(row.values())


def test_a_row_about_false_alarms_is_what_the_study_gives():
    task = "crosswise, two groups", false_alarms.SIMPLE, 0.5, 200
    [row] = [
        row for row in read_rows(false_alarms.NAME)
        if (row["analysis"], row["true share"], row["n"]) == ("Crosswise", "50", "200")
    ]  # fmt: skip
    assert [{head: str(cell) for head, cell in each.items()} for each in false_alarms.rows_of(task)
            ] == [row]  # fmt: skip


def test_texts_are_filled_and_tables_stay():
    page = (
        f"# Title\n\n\nA\nline.\n\n* one\n  two\n* {'x ' * 60}\n\n{markdown_table(['a'], [['1']])}"
    )
    lines = wrapped(page).splitlines()
    assert lines[:5] == ["# Title", "", "A line.", "", "* one two"]
    assert lines[6].startswith("  x")
    assert lines[-3:] == ["| a |", "| --- |", "| 1 |"]
    assert max(map(len, lines)) <= 110


def test_unknown_numbers_are_empty():
    cell = ("Mean of a plain number", "plain", "even", 10)
    row = coverage.row_of(cell, Measured(1.0, 1.0, 0.5, None, float("nan"), float("nan")))
    assert (row["width of Wald's"], row["narrowest"], row["outside"]) == ("", "", "")
    assert EVIDENCE.name == "evidence"


def test_declining_to_answer_costs_regressions_nearly_nothing():
    rows = read_rows("private-declining")
    for row in rows:
        if not float(row["declined"]):
            assert float(row["power_if_known"]) - float(row["power"]) < 0.03
        assert float(row["false_positives"]) < 0.06
        assert float(row["coverage"]) > 0.94
    assert len(rows) == len(default_designs.SIZES) * len(default_designs.DECLINING_SHARES)
