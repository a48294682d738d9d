"""rr-and-RRreg.R: the inputs of the R packages, and our estimates from them in base R."""

import random
import re
import subprocess
from fractions import Fraction
from pathlib import Path

import pytest

from survey.definition.frozen import FrozenSurvey, freeze
from survey.definition.survey import parse_survey
from survey.formats.export_bundle.elsewhere import r_package_question
from tests.support.check_each import check_each
from tests.support.definitions import definition, yes_no
from tests.support.every_type import asked
from tests.support.export_bundles import (
    DESIGNS,
    R_SURROUNDINGS,
    RSCRIPT,
    Rows,
    needs_r,
    read,
    unpacked,
)

FROZEN = freeze(
    parse_survey(definition(*(yes_no(name, privacy=d[0]) for name, d in DESIGNS.items()))),
    to_open=False,
)


def of_rrreg(model: str, p: tuple[Fraction, ...], draws: int) -> list[list[Fraction]]:
    """Pr(report i | answer j), both from 0 = no on, by RRreg's manual for each p."""
    if model in ("Warner", "Crosswise"):
        no, yes = 1 - p[0], p[0]
    elif model == "FR":  # forced no, forced yes
        no, yes = p[1], p[1] + (1 - p[0] - p[1])
    elif model == "UQTknown":  # asked the question, yes to the other
        no, yes = (1 - p[0]) * p[1], p[0] + (1 - p[0]) * p[1]
    elif model == "Mangat":  # a no that says no
        no, yes = 1 - p[0], Fraction(1)
    else:  # Kuk: red in the first pack, that of yes, and in the second
        no, yes = p[1], p[0]
    if draws == 1:
        return [[1 - no, 1 - yes], [no, yes]]
    assert draws == 3
    red = [[(1 - x) ** 3, 3 * x * (1 - x) ** 2, 3 * x * x * (1 - x), x**3] for x in (no, yes)]
    return [list(row) for row in zip(*red, strict=True)]


def of_rr(design: str, p: Fraction, **more: Fraction) -> list[Fraction]:
    """Pr(report 1 | no), Pr(report 1 | yes), by rr's manual for its arguments."""
    if design in ("mirrored", "disguised"):
        return [1 - p, p]
    if design == "unrelated-known":
        return [(1 - p) * more["q"], p + (1 - p) * more["q"]]
    assert p + more["p0"] + more["p1"] == 1  # the truth, a forced no, a forced yes
    return [more["p1"], more["p1"] + p]


@check_each("name", DESIGNS)
def test_each_package_is_given_our_table_in_its_own_conventions(name):
    _, model, p, design, arguments, turned = DESIGNS[name]
    question = next(q for q in FROZEN.survey.fields if q.name == name)
    table, handed = question.table, r_package_question(question)
    # From ours to theirs: rows are reports, columns are answers, both from 0 = no on.
    ours = [[table.probability(y, x) for x in (1, 0)] for y in range(table.reports - 1, -1, -1)]
    assert (handed.rrreg.model, handed.rrreg.p) == (model, tuple(map(Fraction, p)))
    if model != "custom":
        assert of_rrreg(model, handed.rrreg.p, handed.rrreg.draws) == ours
    if design is None:
        assert handed.rr is None and handed.matrix is None
        return
    assert [list(row) for row in handed.matrix] == ours
    assert [sum(column) for column in zip(*handed.matrix, strict=True)] == [1, 1]
    rr = handed.rr
    assert rr.design == design
    assert rr.given == {key: Fraction(value) for key, value in arguments.items()}
    assert rr.turned == turned
    assert of_rr(rr.design, **rr.given) == ours[0 if turned else 1]


@pytest.mark.parametrize(
    "question",
    [
        yes_no() | {"prefer_not_to_say": True},
        yes_no(privacy="none"),
        yes_no(privacy={"mechanism": "table", "rows": [[5, 3, 2], [2, 3, 5]]}),
        asked("age", "number", {"epsilon": 1}, min=0, max=1),
        asked("party", "select_one", {"epsilon": 1},
              choices=[{"name": name, "label": name} for name in "abc"]),
    ],
)  # fmt: skip
def test_what_they_do_not_take(question, tmp_path):
    frozen = freeze(parse_survey(definition(question)))
    assert r_package_question(frozen.survey.fields[0]) is None
    folder = unpacked(frozen, [], tmp_path)
    assert not (folder / "rr-and-RRreg.R").exists()
    assert "rr-and-RRreg.R" not in (folder / "README.txt").read_text()


def test_the_first_choice_is_the_yes():
    choices = [{"name": "often", "label": "Often"}, {"name": "seldom", "label": "Seldom"}]
    survey = parse_survey(
        definition(asked("drinks", "scale", {"mechanism": "coin_flip"}, choices=choices))
    )
    handed = r_package_question(survey.fields[0])
    assert (handed.answer, handed.reports) == ("often", ("seldom", "often"))


def drawn_rows(frozen: FrozenSurvey, n: int, share: float, seed: int) -> Rows:
    r, rows = random.Random(seed), []
    for _ in range(n):
        tables = [question.table for question in frozen.survey.fields]
        rows.append(
            tuple(
                r.choices(range(t.reports), t.rows[0 if r.random() < share else 1])[0]
                for t in tables
            )
        )
    return rows


def in_r(folder: Path, name: str = "rr-and-RRreg.R") -> subprocess.CompletedProcess[str]:
    """A library with base R's own packages alone."""
    command = [RSCRIPT or "Rscript", "--vanilla", str(folder / name)]
    environment = R_SURROUNDINGS | {"R_LIBS_USER": "none", "R_LIBS_SITE": "none"}
    return subprocess.run(command, capture_output=True, text=True, env=environment)


PART = re.compile(r"^(\w+), share of (\w+): (\d+) responses$(.*?)(?=^\S|\Z)", re.DOTALL | re.M)
FIGURE = r"  {} +(-?[\d.]+)(?: +standard error +([\d.]+))?"


@needs_r
@pytest.mark.parametrize(("n", "share"), [(2, 0.5), (400, 0.0), (3000, 0.3), (400, 1.0)])
def test_base_r_gets_our_estimates_from_what_the_packages_are_given(n, share, tmp_path):
    folder = unpacked(FROZEN, drawn_rows(FROZEN, n, share, n), tmp_path)
    ran = in_r(folder)
    assert ran.returncode == 0, ran.stdout + ran.stderr
    assert not ran.stderr
    assert "Not installed here: RRreg, rr. Base R fits the inputs of them." in ran.stdout
    published = read(folder / "estimates.csv")
    parts = PART.findall(ran.stdout)
    assert [part[0] for part in parts] == list(DESIGNS)
    outside = 0
    for name, answer, count, text in parts:
        row = published[name, "share", answer]
        assert count == row["n"] == str(n)
        fitted = re.search(FIGURE.format("base R, these inputs"), text)
        likely = re.search(FIGURE.format("base R, most likely"), text)
        assert float(likely[1]) == pytest.approx(float(row["possible"]), abs=1e-6)
        if name == "thrice":
            assert "Both estimates are unbiased" in text
            continue
        assert float(fitted[1]) == pytest.approx(float(row["estimate"]), abs=1e-6)
        assert float(fitted[2]) == pytest.approx(float(row["standard_error"]), abs=1e-6)
        outside += not 0 <= float(row["estimate"]) <= 1
    assert outside or share not in (0.0, 1.0)  # so that such shares were compared too


@needs_r
def test_a_wrong_input_is_found(tmp_path):
    folder = unpacked(FROZEN, drawn_rows(FROZEN, 300, 0.3, 3), tmp_path)
    script = folder / "rr-and-RRreg.R"
    right = 'in_rrreg = quote(list(model = "FR", p = c(1/12, 1/4)'
    text = script.read_text()
    assert right in text
    script.write_text(text.replace(right, right.replace("1/12, 1/4", "1/4, 1/12")))
    assert in_r(folder).returncode == 1


@needs_r
def test_no_responses_and_sampled_questions(tmp_path):
    questions = [yes_no(name) for name in ("a", "b")]
    budget = {"per_respondent": {"sample": 1}}
    frozen = freeze(parse_survey(definition(*questions, budget=budget)))
    empty = in_r(unpacked(frozen, [], tmp_path / "empty"))
    assert empty.returncode == 0, empty.stderr
    assert "Too few to compare." in empty.stdout
    rows = [(0, None), (None, 1), (1, None), (None, 0), (None, 0)]
    ran = in_r(unpacked(frozen, rows, tmp_path / "some"))
    assert ran.returncode == 0, ran.stdout + ran.stderr
    assert "a, share of yes: 2 responses" in ran.stdout
    assert "b, share of yes: 3 responses" in ran.stdout
