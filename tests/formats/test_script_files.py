"""The exported scripts repeat every estimate without any of our code.

The scripts compare their estimates with estimates.csv themselves. The tests also read the files
that the scripts write, because a script that compares nothing would pass otherwise.
"""

import csv
import random
import subprocess
import sys
from collections import Counter
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from survey.core.mechanisms import MECHANISMS
from survey.core.mechanisms.registry import BOXES, CHOICES, NUMBERS, ORDERED
from survey.definition.frozen import FrozenSurvey, freeze
from survey.definition.report_formats import Bits
from survey.definition.survey import parse_survey
from survey.definition.target_population import SIMILAR
from survey.formats.csv_import import read_truth
from survey.formats.export_bundle.script_files import SCRIPTS_FOLDER
from survey.planning.simulation import simulate_responses
from survey.web.demo import SIMULATED_SLUG, add_demo
from tests.formats.awkward_surveys import AWKWARD, AWKWARD_ROWS, EVERY, HARD, SOME
from tests.support.definitions import definition, yes_no
from tests.support.every_type import EVERY_TYPE, PICKED, SAMPLED, TRUTH, asked, drawn, stored
from tests.support.export_bundles import (
    R_SURROUNDINGS,
    RSCRIPT,
    Rows,
    needs_r,
    oracle_figures,
    read,
    unpacked,
    with_and_without_r,
)
from tests.support.joint_reports import joint_reports
from tests.support.joint_survey import joint_questions
from tests.support.three_ways import simulated_rows, ways_survey

FIGURES = (
    *("n", "observed", "estimate", "standard_error", "low", "high"),
    *("possible", "variance_at_observed", "variance_bound"),
    *("asked_estimate", "asked_standard_error", "asked_low", "asked_high"),
)
CLOSE = 1e-9  # relative to the largest figure of the same question and measure, or to one
# The script prints its imports at the end, so that a test can find ours among them.
GUARD = """
import runpy, sys
sys.argv = [{path!r}]
try:
    runpy.run_path({path!r}, run_name="__main__")
except SystemExit as ended:
    print("ended", ended.code)
print("imported", *sorted({{name.split(".")[0] for name in sys.modules}}))
"""


def by_python(folder: Path, name: str = "estimate.py") -> str:
    """Run it without our path and without the user's packages."""
    code = GUARD.format(path=str(folder / name))
    ran = subprocess.run([sys.executable, "-I", "-c", code], capture_output=True, text=True)
    assert ran.returncode == 0, ran.stderr
    imported = set(ran.stdout.split("imported ")[1].split())
    assert "numpy" in imported
    assert not imported & {"scipy", "survey", "flask", "jinja2", "pandas"}
    return ran.stdout


def by_r(folder: Path, name: str = "estimate.R") -> str:
    command = [RSCRIPT or "Rscript", "--vanilla", str(folder / name)]
    ran = subprocess.run(command, capture_output=True, text=True, env=R_SURROUNDINGS)
    assert ran.returncode == 0, ran.stdout + ran.stderr
    assert not ran.stderr
    return ran.stdout


def largest_difference(folder: Path, frozen: FrozenSurvey, origin: str = "browser") -> float:
    """The difference of every figure of estimates.csv, or infinity if either side lacks one."""
    prefix = "" if origin == "browser" else f"{origin}-"
    ours = read(folder / f"{prefix}estimates.csv")
    theirs = oracle_figures(frozen, folder, f"{prefix}responses.csv")
    assert ours.keys() == theirs.keys()
    worst = 0.0
    for key, row in ours.items():
        same = [r for k, r in ours.items() if k[:2] == key[:2]]
        size = max(1.0, *(abs(float(r[f])) for r in same for f in FIGURES[1:] if r[f]))
        assert theirs[key]["method"] == row["method"], key
        for figure in FIGURES:
            other = theirs[key].get(figure)
            assert (row[figure] == "") == (other is None), (key, figure)
            if other is not None:
                apart = abs(float(row[figure]) - float(other))
                worst = max(worst, apart / (1 if figure == "n" else size))
    return worst


def check_verdicts(printed: str, folder: Path, published: str = "estimates.csv") -> None:
    """A script has a verdict for each row: it agrees, or it is a quantile or a deviation."""
    rows = read(folder / published)
    lines = dict(
        line.rsplit(": ", 1 if "not recomputed" in line else 2)[:2]
        for line in printed.splitlines()
        if ": agrees: " in line or ": not recomputed: " in line
    )
    lines = {key.removesuffix(": not recomputed"): verdict for key, verdict in lines.items()}
    expected = {
        ", ".join(filter(None, key)): "it is not a mean of scores"
        if key[1] == "deviation" or key[1].startswith("quantile")
        else "agrees"
        for key in rows
    }
    assert lines == expected
    agree = Counter(expected.values())["agrees"]
    assert f"Rows: agrees {agree}" in printed or not agree


def check(frozen: FrozenSurvey, rows: Rows, folder: Path, r: bool = True) -> Path:
    """The oracle gives the published figures, and both scripts agree with what they recompute."""
    folder = unpacked(frozen, rows, folder)
    assert largest_difference(folder, frozen) <= CLOSE
    check_verdicts(by_python(folder), folder)
    if r:
        check_verdicts(by_r(folder), folder)
    return folder


def simulated(frozen: FrozenSurvey, truth: dict, n: int, seed: int) -> Rows:
    shares = read_truth(truth, frozen.survey)
    return [
        response.reports
        for batch in simulate_responses(frozen.survey, shares, n, seed)
        for response in batch
    ]


def reports(frozen: FrozenSurvey, n: int, seed: int, same: bool = False) -> Rows:
    """Synthetic reports: evenly distributed, or the first of each."""
    r, rows = random.Random(seed), []
    for _ in range(n):
        row = []
        for question in frozen.survey.fields:
            form = question.form
            if isinstance(form, Bits):
                k = len(form.names)
                here = range(form.reported) if same else r.sample(range(k), form.reported)
                if form.ones is None:
                    ones = [j for j in here if same or r.random() < 0.3]
                else:
                    ones = list(range(form.ones)) if same else r.sample(range(k), form.ones)
                row.append("".join("1" if j in ones else "0" if j in here else "-"
                                   for j in range(k)))  # fmt: skip
            else:
                row.append(0 if same else min(int(r.expovariate(3) * 9), len(form.names) - 1))
        rows.append(tuple(row))
    return rows


# A joint question with k-ary randomised response, and one with subset selection.
JOINT_MECHANISMS: dict[str, dict[str, Any]] = {
    "combination": {},
    "set": {"privacy": {"epsilon": 1}},
}


@needs_r
def test_r_is_there_and_runs():
    """The tests of estimate.R below did run, and were not skipped."""
    ran = subprocess.run([RSCRIPT, "-e", "cat(1 + 1)"], capture_output=True, text=True)
    assert ran.stdout == "2"


@needs_r
@pytest.mark.parametrize("n", [0, 1, 2, 40, 700])
@pytest.mark.parametrize("frozen", [EVERY, SOME], ids=["all", "sampled"])
def test_both_scripts_give_every_figure_of_every_type(frozen, n, tmp_path):
    folder = check(frozen, simulated(frozen, TRUTH, n, n), tmp_path)
    assert len(read(folder / "estimates.csv")) >= (70 if n > 2 else 40 if n else 0)


@pytest.mark.parametrize("frozen", [EVERY, SOME], ids=["all", "sampled"])
def test_the_python_script_gives_every_figure_of_every_type(frozen, tmp_path):
    check(frozen, simulated(frozen, TRUTH, 40, 40), tmp_path, r=False)


@needs_r
@pytest.mark.parametrize("n", [0, 1, 2, 40, 700])
@pytest.mark.parametrize("about", [SIMILAR, "respondents", 900])
@pytest.mark.parametrize("privacy", JOINT_MECHANISMS)
def test_both_scripts_give_every_figure_of_a_joint_question(privacy, about, n, tmp_path):
    content = definition(*joint_questions(**JOINT_MECHANISMS[privacy]), results_about=about)
    frozen = freeze(parse_survey(content), to_open=False)
    rows = [(report,) for report in joint_reports(frozen.survey, n, 1).tolist()]
    found = read(check(frozen, rows, tmp_path) / "estimates.csv")
    # Nine shares of the questions behind it, and twelve of the combinations.
    assert len(found) == (21 if n else 0)


@pytest.mark.parametrize("about", [SIMILAR, "respondents", 900])
@pytest.mark.parametrize("n", [1, 40, 700])
def test_the_python_script_gives_every_figure_of_sets_of_combinations(about, n, tmp_path):
    """The mean of a scale, and shares among those asked, behind two joint questions."""
    mood = {
        "name": "mood",
        "type": "scale",
        "label": "How are you?",
        "privacy": "not_sent",
        "prefer_not_to_say": True,
        "choices": [{"name": name, "label": name} for name in "123"],
    }
    drinks, drives, *_, joint = joint_questions(privacy={"epsilon": 1})
    habits = joint | {"derived": {"joint": ["drinks", "drives", "mood"]}}
    content = definition(drinks, drives, mood, habits, results_about=about)
    frozen = freeze(parse_survey(content), to_open=False)
    combinations = frozen.survey.questions[-1].choices
    truth = {each.name: 1 / len(combinations) for each in combinations}
    rows = [(report,) for report in joint_reports(frozen.survey, n, 1, truth).tolist()]
    found = read(check(frozen, rows, tmp_path, r=False) / "estimates.csv")
    assert ("habits/mood", "mean", "") in found
    assert bool(found["habits/drives", "share", "yes"]["asked_estimate"]) == (n > 1)


def test_the_python_script_gives_the_mean_of_a_scale_behind_a_joint_question(tmp_path):
    mood = {"name": "mood", "type": "scale", "label": "How are you?", "privacy": "not_sent",
            "choices": [{"name": name, "label": name} for name in "123"]}  # fmt: skip
    drinks, *_, joint = joint_questions(privacy={"epsilon": 2})
    joint = joint | {"derived": {"joint": ["drinks", "mood"]}}
    frozen = freeze(parse_survey(definition(drinks, mood, joint)), to_open=False)
    rows = [(code,) for code in [0, 1, 2, 3, 4, 5, 6, 7, 8] * 5]
    found = read(check(frozen, rows, tmp_path, r=False) / "estimates.csv")
    assert float(found["habits/mood", "mean", ""]["estimate"]) == pytest.approx(2)


@needs_r
def test_any_reports_at_all_do(tmp_path):
    r = random.Random(5)
    check(SOME, [stored(drawn(r, PICKED)) for _ in range(60)], tmp_path)


@needs_r
def test_the_same_report_from_everyone(tmp_path):
    check(EVERY, reports(EVERY, 25, 1, same=True), tmp_path)


@with_and_without_r
def test_an_estimate_below_zero_stays_there(r, tmp_path):
    frozen = freeze(parse_survey(definition(yes_no(), yes_no("drinks", privacy="none"))))
    folder = check(frozen, [(0, 1)] * 5 + [(1, 0)] * 95, tmp_path, r)
    found = read(folder / "estimates.csv")["smokes", "share", "yes"]
    assert float(found["estimate"]) == pytest.approx(-0.4)


def examples():
    """One question for each example of each mechanism and each kind of answers."""
    kinds = {CHOICES: "select_one", ORDERED: "scale", BOXES: "select_multiple"}
    number = 0
    for entry in MECHANISMS.values():
        for kind in sorted({*entry.serves} & {*kinds, NUMBERS}):
            for answers, parameters in entry.examples:
                number += 1
                name, privacy = f"q{number}", {"mechanism": entry.name, **parameters}
                choices = [{"name": f"c{j}", "label": f"C {j}"} for j in range(answers)]
                if kind == NUMBERS:
                    yield asked(name, "number", privacy, min=-5, max=-5 + 3 * (answers - 1))
                else:
                    yield asked(name, kinds[kind], privacy, choices=choices)


@needs_r
@pytest.mark.parametrize(("n", "r"), [(9, True), (600, False)])
def test_every_mechanism_of_the_registry(n, r, tmp_path):
    questions = list(examples())
    assert len(questions) > len(MECHANISMS)
    frozen = freeze(parse_survey(definition(*questions)), to_open=False)
    check(frozen, reports(frozen, n, n), tmp_path, r)


@needs_r
@pytest.mark.parametrize(
    ("about", "n"),
    [
        (SIMILAR, 1),
        (SIMILAR, 19),
        (SIMILAR, 20),
        (SIMILAR, 600),
        ("respondents", 9),
        ("respondents", 60),
        (100, 60),
    ],
)
def test_both_scripts_give_every_quantile(about, n, tmp_path):
    """Numbers with the goal "quantiles", with few answers and many, and rounded numbers."""
    goal = {"epsilon": 2, "goal": "quantiles"}
    questions = [
        asked("below", "number", goal, min=-2, max=10, prefer_not_to_say=True),
        asked("rounded", "number", {"epsilon": 2}, min=0, max=103),
        asked("halves", "number", goal, min=0, max=20, step=0.5),
        *(asked(f"upto{most}", "number", goal, min=0, max=most) for most in (1, 2, 4)),
    ]
    frozen = freeze(parse_survey(definition(*questions, results_about=about)), to_open=False)
    folder = check(frozen, reports(frozen, n, n), tmp_path)
    found = read(folder / "estimates.csv")
    assert len([key for key in found if key[1].startswith("quantile_")]) == 3 * len(questions)
    if n == 1:
        assert found["rounded", "quantile_50", ""]["cannot_tell"] == "yes"


def conditional_questions():
    """One question with a condition for each form of reports, private or not."""
    choices = [{"name": f"c{j}", "label": f"C {j}"} for j in range(4)]
    ways = [
        ("yes_no", {"epsilon": 1}, {}),
        ("yes_no", "none", {}),
        ("select_one", {"epsilon": 4}, {"choices": choices}),
        ("select_one", {"epsilon": 1, "mechanism": "subset_selection"}, {"choices": choices}),
        ("scale", {"epsilon": 1, "mechanism": "optimized_unary_encoding"}, {"choices": choices}),
        ("select_multiple", "none", {"choices": choices}),
        ("select_multiple", {"epsilon": 4, "mechanism": "joint_boxes"}, {"choices": choices[:3]}),
        ("select_multiple", {"epsilon": 2, "mechanism": "sampled_boxes"}, {"choices": choices}),
        ("select_multiple", {"epsilon": 2, "mechanism": "sampled_boxes", "sample": 2},
         {"choices": choices, "prefer_not_to_say": True}),
        ("number", {"epsilon": 4}, {"min": 0, "max": 20}),
        ("number", "none", {"min": 0, "max": 20}),
    ]  # fmt: skip
    for number, (kind, privacy, more) in enumerate(ways):
        # A non-private question may depend only on non-private ones.
        parent = "plain" if privacy == "none" else "smokes"
        yield asked(f"q{number}", kind, privacy, relevant={parent: "yes"}, **more)


@needs_r
@pytest.mark.parametrize("n", [1, 2, 9, 300, 700])
def test_both_scripts_give_every_share_among_those_asked(n, tmp_path):
    first = (yes_no(), yes_no("plain", privacy="none"))
    frozen = freeze(parse_survey(definition(*first, *conditional_questions())), to_open=False)
    folder = check(frozen, reports(frozen, n, n), tmp_path)
    told = {key[0] for key, row in read(folder / "estimates.csv").items() if row["asked_low"]}
    if n >= 300:
        assert told == {f"q{number}" for number in range(11)}


def rankings():
    """Rankings of 2 to 4 items with each form of reports, special answers and conditions."""
    ways = [
        (2, "none", {}),
        (3, "none", {"prefer_not_to_say": True, "relevant": {"plain": "yes"}}),
        (2, {"epsilon": 1}, {"prefer_not_to_say": True}),
        (3, {"mechanism": "k_randomized_response", "odds": 9}, {"relevant": {"smokes": "yes"}}),
        (4, {"epsilon": 1}, {}),
        (
            3,
            {"mechanism": "subset_selection", "epsilon": 2, "size": 2},
            {"prefer_not_to_say": True},
        ),
        (
            3,
            {"mechanism": "optimized_unary_encoding", "epsilon": 2},
            {"relevant": {"smokes": "no"}},
        ),
    ]
    for number, (items, privacy, more) in enumerate(ways):
        choices = [{"name": f"i{j}", "label": f"I {j}"} for j in range(items)]
        yield asked(f"q{number}", "ranking", privacy, choices=choices, **more)


@with_and_without_r
@pytest.mark.parametrize("n", [1, 2, 9, 400])
def test_the_scripts_give_the_ranks_of_items(n, r, tmp_path):
    first = (yes_no(), yes_no("plain", privacy="none"))
    frozen = freeze(parse_survey(definition(*first, *rankings())), to_open=False)
    folder = check(frozen, reports(frozen, n, n), tmp_path, r)
    keys = {
        key for key in read(folder / "estimates.csv") if key[1] in ("mean_rank", "ranked_first")
    }
    if n == 400:
        assert len(keys) == 2 * (2 + 3 + 2 + 3 + 4 + 3 + 3)


def check_target(about: str | int, n: int, folder: Path, *, same: bool = False, r: bool = True):
    """Both scripts follow whom the results describe, for every kind of question."""
    first = (yes_no(), yes_no("plain", privacy="none"))
    surveys = [definition(*first, *conditional_questions()), EVERY_TYPE]
    # Synthetic reports need a survey without texts.
    surveys += [] if same else [SAMPLED]
    folder.mkdir(exist_ok=True)
    for number, each in enumerate(surveys):
        frozen = freeze(parse_survey(each | {"results_about": about}), to_open=False)
        if number and not same:
            rows = simulated(frozen, TRUTH, n, n)
        else:
            rows = reports(frozen, n, n, same)
        own = check(frozen, rows, folder / str(number), r)
        rows = read(own / "estimates.csv").values()
        written = {row["results_about"] for row in rows if row["measure"]}
        # A population that is smaller than the number of responses cannot be right.
        assert written == {"people_like_respondents" if about == 50 else str(about)}


@needs_r
@pytest.mark.parametrize(
    ("about", "n"),
    [("respondents", 1), ("respondents", 2), ("respondents", 60), ("respondents", 700),
     (90, 60), (1300, 700), (30_000, 60)],
)  # fmt: skip
def test_both_scripts_follow_whom_the_results_describe(about, n, tmp_path):
    check_target(about, n, tmp_path)


@needs_r
def test_the_same_report_from_everyone_whom_the_results_describe(tmp_path):
    check_target("respondents", 25, tmp_path, same=True)


@pytest.mark.parametrize("about", [pytest.param("respondents", marks=pytest.mark.slow), 50, 200])
def test_the_python_script_follows_whom_the_results_describe(about, tmp_path):
    check_target(about, 60, tmp_path, r=False)


def test_the_demo(store, tmp_path):
    add_demo(store)
    found = store.surveys.by_slug(SIMULATED_SLUG)
    rows = store.responses.rows(SIMULATED_SLUG)
    folder = unpacked(found.frozen, rows, tmp_path / "home", found.origin)
    printed = by_python(folder, "simulated-estimate.py")
    assert "ended 0" in printed
    check_verdicts(printed, folder, "simulated-estimates.csv")
    assert largest_difference(folder, found.frozen, found.origin) <= CLOSE
    assert all(path.name.startswith("simulated-") for path in folder.iterdir())


@with_and_without_r
def test_a_changed_figure_is_found(r, tmp_path):
    frozen = freeze(parse_survey(definition()))
    folder = unpacked(frozen, [(0,)] * 30 + [(1,)] * 70, tmp_path)
    published = (folder / "estimates.csv").read_text()
    changed = published.replace(",0.09211323729436767,", ",0.0921132,", 1)
    assert changed != published
    (folder / "estimates.csv").write_text(changed)
    printed = by_python(folder)
    assert "ended 1" in printed
    assert "smokes, share, yes: DIFFERS" in printed
    assert "smokes, share, no: agrees" in printed
    if r:
        ran = subprocess.run([RSCRIPT, str(folder / "estimate.R")], capture_output=True, text=True)
        assert ran.returncode == 1
        assert "smokes, share, yes: DIFFERS" in ran.stdout


@with_and_without_r
def test_weighted_estimates_are_not_compared(r, tmp_path):
    """The results page has estimates with weights, and the scripts have none."""
    frozen = freeze(parse_survey(definition()))
    folder = unpacked(frozen, [(0,)] * 30 + [(1,)] * 70, tmp_path)
    with (folder / "estimates.csv").open(newline="") as file:
        rows = list(csv.DictReader(file))
    with (folder / "estimates.csv").open("w", newline="") as file:
        writer = csv.DictWriter(file, rows[0])
        writer.writeheader()
        writer.writerows(row | {"weights": "sex: man 0.5, woman 0.5", "n": 1} for row in rows)
    for printed in [by_python(folder), *([by_r(folder)] if r else [])]:
        assert "smokes, share, yes: not recomputed: it has weights" in printed


@pytest.mark.parametrize("name", ["estimate.py", "estimate.R"])
def test_a_script_can_be_read_in_one_go(name):
    lines = (SCRIPTS_FOLDER / name).read_text(encoding="utf-8").splitlines()
    assert len(lines) <= 225
    assert max(map(len, lines)) <= 100


@needs_r
def test_awkward_texts_and_names_pass_through(tmp_path):
    folder = check(AWKWARD, AWKWARD_ROWS, tmp_path)
    plain = (folder / "responses.csv").read_bytes()
    assert (folder / "responses-excel.csv").read_bytes() == b"\xef\xbb\xbf" + plain
    with (folder / "responses.csv").open(encoding="utf-8", newline="") as file:
        texts = [row["why"] for row in csv.DictReader(file)]
    assert texts == ["'=1+1" if text == "=1+1" else text for text in HARD * 3]


@with_and_without_r
def test_an_experimental_arm_is_a_column_of_the_data_and_of_both_scripts(r, tmp_path):
    survey = ways_survey()
    rows = simulated_rows(survey, 60, (0.3, 0.2, 0.3), np.random.default_rng(3))
    random.Random(3).shuffle(rows)  # Responses have the order of their random ids.
    folder = check(freeze(survey), rows, tmp_path, r)
    with (folder / "responses.csv").open(encoding="utf-8-sig", newline="") as file:
        arms = [row["arm"] for row in csv.DictReader(file)]
    assert Counter(arms) == dict.fromkeys(("randomised", "direct", "list", "list_with"), 60)
    shares = {key: row for key, row in read(folder / "estimates.csv").items() if key[0] == "arm"}
    assert {float(row["estimate"]) for row in shares.values()} == {0.25}
    assert "list_with" in (folder / "codebook.html").read_text(encoding="utf-8")
