"""Two columns with gaps, each with a design: `--join`."""

import json
import math

import numpy as np
import pytest
from scipy.optimize import minimize

from survey.analysis.columns.joined import joinable
from survey.core.errors import DataFileError
from tests.support.check_each import check_each
from tests.support.randomised_arms import TABLES, imported, in_arms

PRIVATE = ("q1=Warner,p=2/3", "q2=Crosswise,p=1/5")
JOIN = {"by": "", "join": ["q=q1,q2"]}
FILE = "q1,q2,age\n1,,30\n,0,31\nNA,1,32\n0,,33\n,,34\n"


def test_each_column_is_a_question_and_analyses_offer_both_as_one():
    found = imported(FILE, *PRIVATE, **JOIN)
    one, two, _ = found.survey.fields
    assert [row[:2] for row in found.rows] == [(0, None), (None, 1), (None, 0), (1, None)]
    assert [*joinable(found.survey)] == ["q1+q2"]
    # Everyone reports once, in the worst case with the larger loss.
    assert found.survey.budget.sample == 1
    assert found.survey.ratio_bound == max(one.ratio_bound, two.ratio_bound)
    assert "Omitted rows without a report in q1 (1), q2 (1): 1 of 5." in found.said
    assert "In analyses, q1+q2 stands for q, and uses the design of each row." in found.said


def test_other_columns_and_designs_by_cell_are_as_without_it():
    found = imported("r," + FILE.replace("\n", "\n1,", 5), *PRIVATE, "r=coin_flip", **JOIN)
    assert found.survey.budget.sample == 2
    content = "arm,q1,q2\nA,1,\nB,,0\nA,0,\nB,,1\n"
    found = imported(content, "q1[A]=Warner,p=2/3", "q2[B]=direct", join=["Did you?=q1,q2"])
    assert [*joinable(found.survey)] == ["q1+q2"]
    assert found.survey.fields[2].non_private


def test_the_joined_share_and_regression_use_the_table_of_each_row(app, tmp_path):
    arm, report, age, _ = in_arms()
    path = tmp_path / "gaps.csv"
    cells = [
        f"{q},,{t}" if a == "A" else f",{q},{t}" for a, q, t in zip(arm, report, age, strict=True)
    ]
    path.write_text("\n".join(["q1,q2,age", *cells]))

    def ran(*arguments):
        result = app.test_cli_runner().invoke(args=[*map(str, arguments)])
        assert result.exit_code == 0, result.output
        return result.stdout

    options = [f"--private={each}" for each in PRIVATE]
    ran("responses", "import-randomised", "gaps", path, *options, "--join", "q=q1,q2")
    yes, no = np.array([TABLES[each] for each in arm]).T
    score = (report - no) / (yes - no)
    command = ["analyse", "correlation", "gaps", "--questions=q1+q2:yes", "--questions=age"]
    assert ran(*command)
    command = ["analyse", "regression", "gaps", "--outcome", "q1+q2", "--predictors", "age"]
    found = json.loads(ran(*command, "--estimator", "maximum likelihood", "--json"))

    def loss(beta):
        chance = no + (yes - no) / (1 + np.exp(-beta[0] - beta[1] * age))
        return -np.log(np.where(report == 1, chance, 1 - chance)).sum()

    best = minimize(loss, np.zeros(2), tol=1e-10)
    assert [row["value"] for row in found["coefficients"]] == pytest.approx(best.x, abs=1e-3)
    command = ["analyse", "groups", "gaps", "--measure", "q1+q2:yes", "--group", "age", "--json"]
    everyone = json.loads(ran(*command))["everyone"]
    assert everyone["estimate"] == pytest.approx(score.mean())
    assert everyone["standard_error"] == pytest.approx(score.std(ddof=1) / math.sqrt(len(arm)))


@check_each(
    ("content", "options", "fault"),
    [
        (
            FILE.replace("NA,1", "1,1"),
            JOIN,
            "Line 4 has reports in q1 and q2, which --join treats as one question, q (rows like "
            "this: 1). Remove one of the reports, or remove --join.",
        ),
        (FILE, {**JOIN, "join": ["q=q1"]}, "--join q needs two or more private columns"),
        (FILE, {**JOIN, "join": ["q=q1,q1"]}, "--join q needs two or more private columns"),
        (FILE, {**JOIN, "join": ["q=q1,age"]}, "--join q needs two or more private columns"),
        (FILE, {**JOIN, "join": ["q=q1,q2", "r=q1,q2"]}, "each in one --join"),
        (FILE, {**JOIN, "join": ["q=q1,q3"]}, "There is no column 'q3'."),
        (FILE, {**JOIN, "join": ["q1,q2"]}, "Write it as NAME=COLUMN,COLUMN."),
        (FILE, {**JOIN, "join": ["age=q1,q2"]}, "'age' is a column of its own. Choose another"),
        (FILE, {"by": ""}, "No row has all reports that it needs: q1 (3), q2 (3)."),
    ],
)
def test_refusals_say_what_to_do(content, options, fault):
    with pytest.raises(DataFileError) as refused:
        imported(content, *PRIVATE, **options)
    assert fault in str(refused.value)


def test_columns_with_different_answers_are_refused():
    content = "q1,q2\na,\n,c\nb,\n,a\nc,\n,b\n"
    private = ["q1=k_randomized_response,odds=3", "q2=k_randomized_response,odds=2"]
    choices = ["q1=a,b,c", "q2=c,b,a"]
    with pytest.raises(DataFileError, match="--join q have different answers: a, b, c; c, b, a"):
        imported(content, *private, choices=choices, **JOIN)
    found = imported(content, *private, choices=[choices[0], "q2=a,b,c"], **JOIN)
    assert found.rows == [(0, None), (None, 2), (1, None), (None, 0), (2, None), (None, 1)]
