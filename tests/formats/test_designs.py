"""Designs of rr and RRreg: each gives the table of the package."""

import math
from fractions import Fraction

import numpy as np
import pytest
from scipy.stats import binom

from survey.core.errors import DataFileError, SurveyError
from survey.definition.survey import parse_survey
from tests.support.check_each import check_each
from tests.support.definitions import definition, yes_no
from tests.support.export_bundles import DESIGNS
from tests.support.randomised_tables import brought


def tables(design, cells="01"):
    """Pr(report | answer) of a design, with answers and reports in the order of the definition."""
    found = brought("q\n" + "\n".join(cells) + "\n", private={"q": design})
    table = found.survey.fields[0].table
    return [
        [table.probability(y, x) for y in range(table.reports)] for x in range(table.answers)
    ]  # fmt: skip


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
