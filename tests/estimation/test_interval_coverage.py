"""The data of docs/evidence/coverage.md are those of the study. Some cells are computed again."""

from dataclasses import replace

import numpy as np
import pytest

from bench.evidence import read_rows
from bench.interval_coverage import rare
from bench.interval_coverage.cases import mean_case, number
from bench.interval_coverage.coverage import (
    AGAIN,
    DOCUMENT,
    LEAST,
    MOST,
    NAME,
    OUTSIDE_LIMITS,
    cell_of,
    cells,
    document,
    in_names,
    in_words,
    measured,
    row_of,
    stated,
)
from bench.interval_coverage.kinds import TABLES
from survey.estimation.mean_estimates import NumberEstimate

ROWS = read_rows(NAME)
STATED = stated()

# Some cells of every table that are quick, because they have few outcomes or are enumerated.
QUICK = [
    ("Shares from two-valued scores", "ln 3", "subset selection, 7 answers", 50),
    ("Shares from two-valued scores", "4", "a random few of 10 boxes", 501),
    ("Shares by own tables", "–", "2 answers, 3 reports", 20),
    ("Shares by own tables", "–", "3 answers, 3 reports", 20),
    ("Mean of a number by one bit", "1", "all means", 200),
    ("Mean of a number by the window", "1", "all between two points", 20),
    ("Mean of a number by the window", "2", "one in fifty far out", 1000),
    ("Mean of a number by the optimal table", "1", "skewed", 50),
    ("Mean of a number by discrete Laplace", "4", "half at either end", 10),
    ("Mean of a scale by the exponential mechanism", "2", "all at the least", 200),
    ("Mean of those who gave a number", "4", "skewed", 50),
    ("Mean of a plain number", "plain", "one in fifty far out", 1000),
    ("Mean of those who gave a plain number", "plain", "half at either end", 200),
    ("Shares of the parts of a number's histogram", "1", "all at the least: the first part", 50),
    ("Standard deviation by the window", "4", "all between two points", 10),
    ("Standard deviation of a plain number", "plain", "one in fifty far out", 200),
    ("Standard deviation of a plain number", "plain", "half at either end", 50),
    ("Quantiles by the window", "4", "median: all in the middle", 10),
    ("Quantiles of a plain number", "plain", "first quartile: bell", 50),
    ("Standard deviation of those who gave a number", "plain", "half at either end", 50),
    ("Median of those who gave a number", "plain", "half at either end", 200),
    ("Mean of a scale from reports of bits", "1", "subset selection: skewed", 10),
    ("Mean of a scale from reports of bits", "4", "optimised unary encoding: all at the least", 10),
    ("Mean of a longer scale from reports of bits", "2", "symmetric unary encoding: even", 10),
    (
        "Mean of those who chose a level, from reports of bits",
        "0.5",
        "optimised unary encoding: even",
        10,
    ),
    ("Percentage of a row", "plain", "10 % and 10 %, related", 20),
    ("Difference of two rows", "plain", "5 % and 50 %, independent", 20),
    ("φ of two questions", "plain", "10 % and 10 %, related", 20),
    ("Odds ratio", "plain", "10 % and 10 %, related", 20),
    ("Correlation of two scales", "2", "a rare level, no correlation", 20),
    ("Difference of two surveys", "2", "1 % and 5 %", 200),
    ("Shares of a design with two groups", "–", "the trait, of 20 %", 20),
    ("Respondents who disobey the randomizer", "–", "did not follow the rule, 15 %", 20),
    ("Difference from direct questions", "2", "5 % and 2 %", 20),
    ("Control question", "plain", "corrected share, of 30 %", 20),
    ("Share among those asked", "plain", "10 % asked, 50 % yes", 20),
    ("Share weighted by known totals", "plain", "2 % and 2 %", 20),
    ("Confidence sequence of a share, at every look", "2", "1 %", 200),
]


@pytest.mark.slow
@pytest.mark.parametrize("cell", QUICK, ids=lambda cell: f"{cell[0]}, {cell[1:]}")
def test_the_data_are_what_the_study_gives(cell):
    """The same seeds give the same draws, so there are no false alarms.

    Other processors may round a last digit differently; two draws of 4,000 are allowed for this.
    Each stated cell is compared with its own draws. Only a changed interval can therefore change
    it.
    """
    found, kept = measured(cell), STATED[cell]
    assert found.coverage == pytest.approx(kept.coverage, abs=6e-4)
    assert found.told == pytest.approx(kept.told, abs=6e-3)
    assert found.width == pytest.approx(kept.width, abs=1.1e-3)
    assert (found.wald is None) == (kept.wald is None)
    assert found.wald is None or found.wald == pytest.approx(kept.wald, abs=1.1e-3)
    assert found.narrowest > 0 or "Quantile" in cell[0] or "Median" in cell[0]


def test_every_table_has_a_quick_cell_and_every_cell_a_result():
    assert {cell[0] for cell in QUICK} == {table.title for table in TABLES}
    assert set(STATED) == {cell for cell in cells() if has_result(cell)}


def has_result(cell):
    """All cells except those with too many outcomes, and subsets of one member without bits."""
    title, epsilon, truth, n = cell
    table = next(table for table in TABLES if table.title == title)
    if title == "Shares by own tables":
        return n <= {"2 answers, 3 reports": 200, "3 answers, 3 reports": 50}.get(truth, 20)
    return table.case is None or table.case(epsilon, truth) is not None


def test_no_interval_covers_less_than_094():
    """A coverage of 0.945 from 40,000 new draws has a standard error of 0.0011."""
    assert AGAIN == 40_000
    assert min(found.coverage for found in STATED.values()) >= LEAST


def test_the_page_is_what_the_data_lead_to():
    assert DOCUMENT.read_text() == document(ROWS, read_rows(rare.NAME))


def test_the_page_gives_the_reason_of_each_long_interval():
    """Kinds with a coverage above 0.985, where there are many reports."""
    text = in_names(DOCUMENT.read_text())
    part = text.partition("## Coverage of each kind")[2].partition("\n## ")[0]
    rows = [[cell.strip() for cell in line.split("|")[1:-1]] for line in part.splitlines()]
    long = {
        row[0] for row in rows
        if len(row) == 6 and row[4][:1].isdigit() and float(row[4]) > MOST
    }  # fmt: skip
    assert long == set(OUTSIDE_LIMITS)
    assert all(f"* **{kind}:** " in part for kind in long)


def test_the_page_has_the_smallest_coverage_of_every_kind():
    text = DOCUMENT.read_text()
    for table in TABLES:
        mine = [found.coverage for cell, found in STATED.items() if cell[0] == table.title]
        assert f"| {in_words(table.title)} | {len(mine)} | {min(mine):.4f} |" in text


@pytest.mark.slow
@pytest.mark.parametrize("row", read_rows(rare.NAME)[:2], ids=str)
def test_the_lengths_for_rare_traits_are_those_of_the_study(row):
    found = rare.lengths(int(row["n"]), float(row["expected answers"]))
    assert found.coverage == pytest.approx(float(row["coverage"]), abs=6e-5)
    assert found.ours / found.blaker == pytest.approx(float(row["length"]), abs=6e-4)


def test_with_many_respondents_no_interval_is_much_wider_than_walds():
    """n is 1000, and the interval is well within the range.

    Wald's interval covers too little near the ends and ignores rounding, so the limit there is 1.5
    times its width.
    """
    for (title, epsilon, truth, n), found in STATED.items():
        if n >= 1000 and found.wald is not None and found.wald > 0.02 and found.width < 0.4:
            room = 2.2 if title.startswith("Standard deviation") else 1.5
            assert found.width < room * found.wald, (title, epsilon, truth)


CASE = mean_case(number("window", "1"), "skewed")


@pytest.mark.slow
def test_intervals_that_are_a_fifth_too_short_would_be_caught():
    """With 800 draws, the coverage falls to about 0.89, four standard errors below 0.94."""

    def shorter(counts):
        found = CASE.estimate(counts)
        low, high = found.interval.low, found.interval.high
        cut = replace(found.interval, low=low + 0.1 * (high - low), high=high - 0.1 * (high - low))
        return NumberEstimate(found.value, found.standard_error, cut)

    case = replace(CASE, estimate=shorter, holds=None)
    assert case.measure(1000, 800, np.random.default_rng(1), 0).coverage < 0.94


def test_walds_interval_would_be_caught():
    """Of 50 direct answers, one in fifty is an outlier.

    Often there is none in the sample, and the standard error is zero.
    """
    plain = mean_case(number("", "plain"), "one in fifty far out")

    def wald(counts):
        found = plain.estimate(counts)
        half = 1.96 * found.standard_error
        ends = replace(found.interval, low=found.value - half, high=found.value + half)
        return NumberEstimate(found.value, found.standard_error, ends)

    case = replace(plain, estimate=wald, holds=None)
    assert case.measure(50, 2_000, np.random.default_rng(1), 0).coverage < 0.7


@pytest.mark.parametrize("truth", ["all at the least", "even"])
def test_the_shortcut_says_what_the_intervals_say(truth):
    """300 intervals are computed in full, except longer ones of estimates outside the range."""
    case = mean_case(number("window", "1"), truth)
    draws = case.draw(50, 300, np.random.default_rng(2))
    said = [case.holds(counts) for counts in draws]
    found = [case.estimate(counts) for counts in draws]
    held = [case.inside(estimate.interval) for estimate in found]
    inside = [case.low <= estimate.value <= case.high for estimate in found]
    assert all(a <= b for a, b in zip(said, held, strict=True))
    assert all(a == b for a, b, c in zip(said, held, inside, strict=True) if c)
    assert any(inside)
    assert not all(said)


def test_a_row_of_the_data_can_be_read_again():
    cell = (
        "Mean of those who chose a level, from reports of bits",
        "0.5",
        "subset selection: even",
        10,
    )
    row = next(row for row in ROWS if cell_of(row) == cell)
    written = {name: str(value) for name, value in row_of(cell, STATED[cell]).items()}
    assert written == row
    assert STATED[cell].told == pytest.approx(0.71)
    assert {STATED[cell].wald is None for cell in STATED} == {True, False}


def test_the_words_of_the_page_stand_for_the_names_in_the_code():
    names = [name for title, *parts, _ in cells() for name in (title, *parts)]
    assert all(in_names(in_words(name)) == name for name in names)
    assert in_words("Mean of a plain number") == "Mean of a non-private number"
    assert in_words("Seven levels: even") == "Seven levels: uniform"
