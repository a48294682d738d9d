"""Designs that differ by the cell of another column: `--design-by`."""

import json
import math
import zipfile

import numpy as np
import pytest
from scipy.optimize import minimize

from survey.core.errors import DataFileError, DefinitionError
from survey.definition.frozen import freeze
from survey.definition.survey import PrivacyBudget, parse_survey
from survey.formats.definition_files import read_survey, survey_xlsx
from tests.support.check_each import check_each
from tests.support.randomised_arms import DESIGNS, TABLES, imported, in_arms

PRIVATE = [f"q[{arm}]={design}" for arm, design in DESIGNS.items()]


@pytest.fixture
def ran(app, tmp_path):
    arm, report, age, weight = in_arms()
    rows = zip(arm, report, age, weight, strict=True)
    path = tmp_path / "arms.csv"
    path.write_text("arm,q,age,w\n" + "".join(f"{a},{q},{t},{w}\n" for a, q, t, w in rows))

    def ran(*arguments):
        result = app.test_cli_runner().invoke(args=[*map(str, arguments)])
        assert result.exit_code == 0, result.output
        return result.stdout

    private = [f"--private={each}" for each in PRIVATE]
    options = ["--design-by", "arm", "--weights", "w", *private]
    ran("responses", "import-randomised", "arms", path, *options)
    return ran


@pytest.fixture
def ran_direct(app, tmp_path):
    path = tmp_path / "direct.csv"
    rows = zip(*direct_arms(), strict=True)
    path.write_text("arm,q,age\n" + "".join(f"{a},{q},{t}\n" for a, q, t in rows))

    def ran(*arguments):
        result = app.test_cli_runner().invoke(args=[*map(str, arguments)])
        assert result.exit_code == 0, result.output
        return result.stdout

    private = ["--private=q[A]=Warner,p=2/3", "--private=q[D]=direct"]
    ran("responses", "import-randomised", "direct", path, "--design-by", "arm", *private)
    return ran


def numbers_in(found):
    """All numbers in a JSON value."""
    match found:
        case dict() | list():
            for each in found.values() if isinstance(found, dict) else found:
                yield from numbers_in(each)
        case float() | int():
            yield found


@pytest.mark.parametrize("weighted", [False, True])
def test_the_joined_share_is_the_mean_of_the_scores_of_each_rows_own_table(ran, weighted):
    arm, report, _, weight = in_arms()
    yes, no = np.array([TABLES[each] for each in arm]).T
    score = (report - no) / (yes - no)
    weight = weight / weight.sum() if weighted else np.full(len(arm), 1 / len(arm))
    command = ["analyse", "groups", "arms", "--measure", "q_a+q_b:yes", "--group", "arm", "--json"]
    found = json.loads(ran(*command, *(["--weights", "w"] if weighted else [])))
    shares = {each["group"]: each["estimate"] for each in found["groups"]}
    for each in "AB":
        here = arm == each
        assert shares[each] == pytest.approx(np.average(score[here], weights=weight[here]))
    everyone = found["everyone"]
    assert everyone["estimate"] == pytest.approx(weight @ score)
    deviations = weight * (score - weight @ score)
    error = math.sqrt(len(arm) / (len(arm) - 1) * (deviations @ deviations))
    assert everyone["standard_error"] == pytest.approx(error)


def test_the_regression_maximises_the_likelihood_of_each_rows_own_table(ran):
    arm, report, age, _ = in_arms()
    yes, no = np.array([TABLES[each] for each in arm]).T

    def loss(beta):
        share = 1 / (1 + np.exp(-beta[0] - beta[1] * age))
        chance = no + (yes - no) * share
        return -np.log(np.where(report == 1, chance, 1 - chance)).sum()

    best = minimize(loss, np.zeros(2), tol=1e-10)
    command = ["analyse", "regression", "arms", "--outcome", "q_a+q_b", "--predictors", "age"]
    found = json.loads(ran(*command, "--estimator", "maximum likelihood", "--json"))
    assert [row["value"] for row in found["coefficients"]] == pytest.approx(best.x, abs=1e-3)
    assert found["n"] == len(arm)


def test_every_analysis_of_the_joined_question_and_the_download_work(ran, tmp_path):
    for command in (
        ("analyse", "crosstab", "arms", "--rows", "q_a+q_b", "--columns", "arm"),
        ("analyse", "correlation", "arms", "--questions=q_a+q_b:yes", "--questions=age"),
        ("analyse", "regression", "arms", "--outcome=age", "--predictors=q_a+q_b"),
        ("responses", "export-bundle", "arms", "--output", tmp_path / "all.zip"),
    ):
        assert ran(*command)
    # Each question alone is estimated from the rows with its design.
    found = json.loads(ran("analyse", "estimate", "arms", "--json"))
    arm, report, *_ = in_arms()
    questions = {question["name"]: question for question in found["questions"]}
    for each in "AB":
        yes, no = TABLES[each]
        share = (report[arm == each].mean() - no) / (yes - no)
        (found, _) = questions[f"q_{each.lower()}"]["estimates"]
        assert found["estimate"] == pytest.approx(share)


DIRECT_B = [PRIVATE[0], "q[B]=direct"]
FILE = "arm,q,r,age\nA,1,0,30\nB,0,1,31\nA,0,1,32\nB,1,1,33\n"


def test_each_design_is_a_question_with_the_reports_of_its_rows():
    found = imported(FILE, *PRIVATE, "r=coin_flip")
    assert [each.name for each in found.survey.fields] == ["arm", "q_a", "q_b", "r", "age"]
    assert [row[1:4] for row in found.rows] == [
        (0, None, 1), (None, 1, 0), (1, None, 0), (None, 0, 0)
    ]  # fmt: skip
    a, b, r = found.survey.private
    assert a.label == b.label == "q"
    assert a.table.probability(0, 0) * 3 == 2
    assert b.table.probability(0, 0) * 5 == 1
    # A respondent reports on r, and on q once.
    assert found.survey.budget.sample == 2
    assert found.survey.ratio_bound == b.ratio_bound * r.ratio_bound
    (note,) = (each for each in found.said if "q_a" in each)
    assert "q_a ('A', rows: 2), q_b ('B', rows: 2)" in note
    assert "q_a+q_b stands for all of them" in note


def test_rows_may_report_on_different_numbers_of_columns():
    found = imported(
        FILE.replace("B,0,1", "B,0,").replace("B,1,1", "B,1,"), *PRIVATE, "r[A]=FR,p=c(.1,.2)"
    )
    a, b, r = found.survey.private
    assert [row[1:4] for row in found.rows] == [
        (0, None, 1),
        (None, 1, None),
        (1, None, 0),
        (None, 0, None),
    ]
    # In the worst case, someone reports on r, and on q with the larger loss.
    assert (found.survey.budget.sample, found.survey.budget.at_most) == (2, True)
    assert found.survey.ratio_bound == max(a.ratio_bound, b.ratio_bound) * r.ratio_bound


@pytest.mark.parametrize("first", ["arm,q", "q,arm"])
def test_direct_answers_are_a_question_without_protection_that_only_their_rows_have(first):
    """Arm 2 was asked directly. The question with the condition comes after the arm."""
    lines = [("1", "1"), ("2", "1"), ("2", "0"), ("1", "0"), ("3", "0")]
    content = "\n".join(
        [first, *(",".join(each if first[0] == "a" else each[::-1]) for each in lines)]
    )
    found = imported(content, "q[1]=Warner,p=2/3", "q[2]=direct", "q[3]=coin_flip")
    arm, one, direct, three = sorted(found.survey.fields, key=lambda each: each.name)
    assert found.survey.fields[0] == arm
    assert direct.non_private
    assert direct.relevant == {"arm": ["2"]}
    places = [found.survey.fields.index(each) for each in (one, direct, three)]
    assert [[row[place] for place in places] for row in found.rows] == [
        [0, 2, None],
        [None, 0, None],
        [None, 1, None],
        [1, 2, None],
        [None, 2, 1],
    ]
    # The loss is that of one report. Nothing protects the others, which a note says.
    assert found.survey.ratio_bound == max(one.ratio_bound, three.ratio_bound)
    (note,) = (each for each in found.said if "nothing protects" in each)
    assert note.startswith("q_2 has direct answers") and "(rows: 2)" in note
    # Its form for respondents leaves out what holds only for files.
    form = read_survey(survey_xlsx(found.survey)).survey
    assert form.budget == PrivacyBudget(None, None)
    assert [each.name for each in form.fields] == [each.name for each in found.survey.fields]
    with pytest.raises(DefinitionError, match="report on different numbers of private"):
        freeze(parse_survey({**found.survey.as_definition(), "texts_apart": True}))


def test_two_columns_with_gaps_keep_their_names():
    found = imported(
        "arm,q1,q2\nA,1,\nB,,0\nA,0,\nB,,1\nA,,\nC,,\n", "q1[A]=Warner,p=2/3", "q2[B]=coin_flip"
    )
    assert [each.name for each in found.survey.fields] == ["arm", "q1", "q2"]
    assert [row[1:] for row in found.rows] == [(0, None), (None, 1), (1, None), (None, 0)]
    assert "Omitted rows without a report in q1 (2), q2 (1): 2 of 6." in found.said


@check_each(
    ("content", "private", "options", "fault"),
    [
        (
            FILE.replace("B,0", "C,0"), PRIVATE, {},
            "Line 3 has the report '0' in q, but there is no design for its cell 'C' in arm (rows "
            "like this: 1). Correct the cell, remove the report, or add --private "
            '"q[C]=DESIGN".',
        ),
        (
            FILE.replace("B,", "NA,"), PRIVATE[:1], {},
            "Line 3 has the report '0' in q, but its cell in arm is missing, so its design is "
            "unknown (rows like this: 2). Fill in the cell, or remove the report.",
        ),
        (FILE, [*PRIVATE, "q[C]=coin_flip"], {}, "q[C]: no row has the cell 'C' in arm."),
        (FILE, PRIVATE, {"by": "group"}, "There is no column 'group'. There are: arm, q, r, age."),
        (FILE, PRIVATE, {"by": ""}, "q[A] is a design for the cell 'A' of another column."),
        (FILE, ["q=coin_flip"], {}, "--design-by arm needs a design for each cell of arm"),
        (FILE, [*PRIVATE, "q[A]=coin_flip"], {}, "q[A] has two designs. Remove one."),
        (FILE, [*PRIVATE, "q=coin_flip"], {}, "q has a design for all rows, and others for some"),
        (FILE, PRIVATE, {"by": "q"}, "q is private, so it cannot decide"),
        (FILE, PRIVATE, {"skip": ["q"]}, "q has a design, but --skip omits it."),
        (FILE, ["q[A]=Warner,p=0,7", PRIVATE[1]], {}, "with a point, as in 0.7."),
        (FILE, ["q=direct"], {"by": ""}, "so it needs a cell, such as q[A]=direct. If all rows"),
        (FILE, ["q[A]=direct", "q[B]=direct"], {}, "q has only direct answers. Leave out"),
        (
            "arm,q\nA,1\nB,\nC,1\n", [*DIRECT_B, "q[C]=coin_flip"], {},
            "q[B]: no row that is imported has this cell. Remove this design.",
        ),
        (FILE, DIRECT_B, {"skip": ["arm"]}, "arm says which rows have direct answers, so Candor"),
        (FILE, DIRECT_B, {"numbers": ["arm"]}, "arm cannot be both a number and choices."),
    ],
)  # fmt: skip
def test_refusals_name_the_row_the_column_and_what_to_do(content, private, options, fault):
    with pytest.raises(DataFileError) as refused:
        imported(content, *private, **options)
    assert fault in str(refused.value)


def test_a_cell_has_one_meaning_in_all_designs():
    """In arm A alone, 1 and 0 would be yes and no; in B, they are two of three answers."""
    content = "arm,q\nA,0\nA,1\nB,0\nB,1\nB,2\n"
    private = ["q[A]=coin_flip", "q[B]=coin_flip"]
    with pytest.raises(DataFileError, match="The answers of q are unknown"):
        imported(content, *private)
    found = imported(content, *private, choices=["q=2,1,0"])
    assert [row[1:] for row in found.rows] == [
        (2, None), (1, None), (None, 2), (None, 1), (None, 0)
    ]  # fmt: skip


def direct_arms(n=500, seed=8):
    """Arm (A is Warner, D was asked directly), report (1 is yes) and age of each row."""
    r = np.random.default_rng(seed)
    arm, age = r.choice(list("AD"), n), r.integers(0, 10, n)
    yes = r.random(n) < 0.1 + 0.06 * age
    return arm, np.where((arm == "A") & (r.random(n) < 1 / 3), ~yes, yes).astype(int), age


def test_analyses_join_direct_answers_with_reports(ran_direct):
    """The score of a direct answer is the answer, and its probability 1 or 0."""
    arm, report, age = direct_arms()
    score = np.where(arm == "A", 3 * report - 1.0, report)
    command = ["analyse", "groups", "direct", "--measure", "q_a+q_d:yes", "--group", "arm"]
    found = json.loads(ran_direct(*command, "--json"))
    assert found["everyone"]["estimate"] == pytest.approx(score.mean())
    error = score.std(ddof=1) / math.sqrt(len(arm))
    assert found["everyone"]["standard_error"] == pytest.approx(error)

    def loss(beta):
        share = 1 / (1 + np.exp(-beta[0] - beta[1] * age))
        chance = np.where(arm == "A", (1 + share) / 3, share)
        return -np.log(np.where(report == 1, chance, 1 - chance)).sum()

    best = minimize(loss, np.zeros(2), tol=1e-10)
    command = ["analyse", "regression", "direct", "--outcome", "q_a+q_d", "--predictors", "age"]
    found = json.loads(ran_direct(*command, "--estimator", "maximum likelihood", "--json"))
    assert [row["value"] for row in found["coefficients"]] == pytest.approx(best.x, abs=1e-3)
    # The design without protection is compared with the other one.
    command = ["analyse", "validity", "direct", "--asked", "q_a:yes", "--direct", "q_d:yes"]
    text = ran_direct(*command, "--json")
    private, direct = (score[arm == each].mean() for each in "AD")
    assert any(value == pytest.approx(private - direct) for value in numbers_in(json.loads(text)))


def test_every_analysis_of_direct_answers_works_and_the_export_loads_again(ran_direct, tmp_path):
    for command in (
        ("crosstab", "direct", "--rows", "q_a+q_d", "--columns", "arm"),
        ("correlation", "direct", "--questions=q_a+q_d:yes", "--questions=age"),
        ("regression", "direct", "--outcome=age", "--predictors=q_a+q_d"),
        ("estimate", "direct"),
    ):
        assert ran_direct("analyse", *command)
    ran_direct("responses", "export-bundle", "direct", "--output", tmp_path / "all.zip")
    with zipfile.ZipFile(tmp_path / "all.zip") as bundle:
        written = {name.removeprefix("loaded-"): bundle.read(name) for name in bundle.namelist()}
    assert b"reported on at most 1 of the 1 private" in b"".join(written.values())
    definition = json.loads(written["definition.json"])
    (tmp_path / "again.json").write_text(json.dumps({**definition, "slug": "again"}))
    (tmp_path / "again.csv").write_bytes(written["responses.csv"])
    ran_direct("survey", "import", tmp_path / "again.json")
    ran_direct("responses", "load", "again", tmp_path / "again.csv")
    command = ["analyse", "groups", "--measure", "q_a+q_d:yes", "--group", "arm", "--json"]
    one, other = (json.loads(ran_direct(*command, slug)) for slug in ("direct", "again"))
    assert one["everyone"] == other["everyone"]


def test_red_cards_may_be_drawn_a_different_number_of_times():
    private = ["q[A]=Kuk,p=c(2/3,1/3),Kukrep=3", "q[B]=Kuk,p=c(2/3,1/3)"]
    found = imported("arm,q\nA,3\nA,0\nB,0\nB,1\n", *private)
    assert [row[1:] for row in found.rows] == [(0, None), (3, None), (None, 1), (None, 0)]


def test_brackets_may_be_part_of_a_heading():
    content = "arm,q[SQ1],tỉ lệ\nbé,1,1\nlớn,0,0\nbé,0,1\nlớn,1,0\n"
    found = imported(content, "q[SQ1]=coin_flip", "tỉ lệ[bé]=coin_flip", "tỉ lệ[lớn]=Warner,p=2/3")
    assert [each.name for each in found.survey.private] == ["q_sq1", "ti_le_be", "ti_le_lon"]
    private = ["q[SQ1][bé]=coin_flip", '"q[SQ1][lớn]"=Warner,p=2/3']
    found = imported(content, *private)
    assert [each.name for each in found.survey.private] == ["q_sq1_be", "q_sq1_lon"]
