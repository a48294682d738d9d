"""`responses import-randomised`: published numbers, weights and clusters, and refusals."""

import json
import math
import re
from fractions import Fraction

import numpy as np
import pytest
from scipy.optimize import minimize

from survey.core.errors import DefinitionError
from survey.definition.frozen import FrozenSurvey, freeze
from survey.definition.survey import parse_survey
from tests.support.definitions import definition
from tests.support.randomised_tables import THIRD, WARNER, brought, file_of, halves


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
