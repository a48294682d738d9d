"""R computes the estimates and standard errors of saved analyses again."""

import csv
import io
import random
import re
import subprocess
from pathlib import Path

import pytest
from flask import Flask

from survey.definition.responses.parse_response import Response
from survey.formats.csv_import import read_truth
from survey.planning.simulation import simulate_responses
from survey.store import Store
from survey.store.sql.saved_analyses import SavedAnalysis
from tests.support.definitions import definition, opened, yes_no
from tests.support.derived_survey import unsent
from tests.support.every_type import EVERY_TYPE, TRUTH, asked
from tests.support.export_bundles import R_SURROUNDINGS, RSCRIPT, needs_r
from tests.support.indirect import (
    ANCHOR,
    VERSION,
    crosswise,
    store_crosswise,
    store_list,
    store_rows,
    store_two_lists,
)
from tests.support.joint_reports import with_responses
from tests.support.joint_survey import WITH_OTHERS, joint_question
from tests.support.researchers import signed_in
from tests.support.saved_analyses import QUESTIONS, SAVED, answers, save_all, unzipped
from tests.support.three_ways import store_ways


def r_output(folder: Path, name: str = "analyses.R") -> str:
    command = [RSCRIPT or "Rscript", "--vanilla", str(folder / name)]
    ran = subprocess.run(command, capture_output=True, text=True, env=R_SURROUNDINGS)
    assert ran.returncode == 0, ran.stdout + ran.stderr
    assert not ran.stderr
    return ran.stdout


@needs_r
def test_r_gives_the_estimates_and_standard_errors_of_saved_analyses(
    app: Flask, store: Store, tmp_path: Path
) -> None:
    opened(store, definition(*QUESTIONS), "closed")
    store.responses.add_batches("health", [answers(300)], "loaded")
    save_all(store, **{name: (kind, query) for name, (kind, query, _) in SAVED.items()})
    files = unzipped(app, tmp_path)
    names = sorted(SAVED)
    for number, name in enumerate(names, 1):
        kind, query, _ = SAVED[name]
        page = f"/admin/surveys/health/analysis/{kind}.csv?{query}"
        shown = signed_in(app, f"reader{number}").client.get(page).get_data(as_text=True)
        assert files[f"loaded-analysis-{number}.csv"] == shown
        assert f"“{name}”" in files["loaded-README.txt"].replace("\n  ", " ")
    printed = r_output(tmp_path, "loaded-analyses.R")
    repeated = {f"loaded-analysis-{n}.csv" for n, name in enumerate(names, 1) if SAVED[name][2]}
    assert {line.partition(":")[0] for line in printed.splitlines()} == repeated
    compared = {line.partition(":")[0]: int(line.split()[1]) for line in printed.splitlines()}
    # 3 x 2 x 2 cells in three tables, and 8 differences; an estimate and an error of each
    assert compared[f"loaded-analysis-{names.index('three') + 1}.csv"] == 2 * (3 * 12 + 8)
    assert compared[f"loaded-analysis-{names.index('correlations') + 1}.csv"] == 2 * 3


@needs_r
def test_a_changed_figure_is_found(app: Flask, store: Store, tmp_path: Path) -> None:
    opened(store, definition(*QUESTIONS), "closed")
    store.responses.add_batches("health", [answers(300)], "loaded")
    save_all(store, a=SAVED["three"][:2])
    unzipped(app, tmp_path)
    file = tmp_path / "loaded-analysis-1.csv"
    rows = list(csv.reader(io.StringIO(file.read_text())))
    rows[5][5] = repr(float(rows[5][5]) + 1e-6)
    with file.open("w", newline="") as written:
        csv.writer(written).writerows(rows)
    command = [RSCRIPT or "Rscript", "--vanilla", str(tmp_path / "loaded-analyses.R")]
    ran = subprocess.run(command, capture_output=True, text=True)
    assert ran.returncode == 1
    # It is relative to the largest estimate, an unclipped share of slightly more than one.
    [largest] = re.findall(r"Largest difference: (.*)", ran.stdout)
    assert 0.5e-6 < float(largest) <= 1e-6


def figures(printed: str) -> dict[str, int]:
    """The number of figures that the script compared, by the number of the analysis."""
    found = (
        re.search(r"analysis-(\d+)\.csv: (\d+) figures", line) for line in printed.splitlines()
    )
    return {each[1]: int(each[2]) for each in found if each}


@needs_r
def test_r_repeats_changes_with_the_numbers_of_reports_in_other_surveys(
    app: Flask, store: Store, tmp_path: Path
) -> None:
    """Other surveys may have other randomizers and other answers to a number."""
    r = random.Random(7)
    hours = asked("hours", "number", {"epsilon": 3}, min=0, max=10)
    age = asked("age", "number", "none", min=18, max=97, prefer_not_to_say=True)
    for place, (slug, mechanism) in enumerate(
        (("health", {}), ("later", {"privacy": {"epsilon": 2}}), ("last", {"privacy": "none"}))
    ):
        content = definition(
            yes_no() | mechanism, hours, age | {"max": 97 - place}, slug=slug, title=slug
        )
        survey = opened(store, content, "closed").survey
        truth = {"smokes": {"yes": 0.2 + 0.2 * place}, "hours": {"mean": 4 + place, "sd": 2},
                 "age": {"mean": 50, "sd": 15}}  # fmt: skip
        batches = simulate_responses(survey, read_truth(truth, survey), 150, seed=r.randrange(99))
        store.responses.add_batches(slug, batches, "loaded")
    others = "&surveys=later&surveys=last"
    save_all(
        store,
        a=("change", f"measure=smokes%3A0{others}"),
        b=("change", f"measure=hours%3A{others}"),
        c=("change", "measure=age%3A&surveys=last"),
        d=("change", f"measure=smokes%3A0{others}&shared=y"),
    )
    files = unzipped(app, tmp_path)
    # Three waves, two differences and a trend; two waves and a difference; three waves.
    assert figures(r_output(tmp_path, "loaded-analyses.R")) == {"1": 12, "2": 12, "3": 6, "4": 6}
    # Only the numbers of reports of the other surveys are in the ZIP.
    assert files["loaded-analyses.R"].count("counts = c(") == 7
    assert "it does not repeat their differences" in files["loaded-README.txt"].replace("\n  ", " ")


@needs_r
def test_r_repeats_crosswise_questions(app: Flask, store: Store, tmp_path: Path) -> None:
    store_crosswise(store, "health")
    save_all(
        store,
        a=("crosswise", "asked=copied"),
        b=("crosswise", "asked=copied&check=check:0"),
        c=("crosswise", "asked=copied&anchor="),
        d=("crosswise", "asked=copied&known=0.2&anchor="),
    )
    unzipped(app, tmp_path)
    compared = figures(r_output(tmp_path, "loaded-analyses.R"))
    # An estimate and an error: the share, attentive respondents, and the corrected share.
    assert compared == {"1": 6, "2": 12, "3": 2, "4": 2}


@needs_r
@pytest.mark.parametrize("way", ["by", "second"])
def test_r_repeats_crosswise_questions_of_two_groups(
    app: Flask, store: Store, tmp_path: Path, way: str
) -> None:
    r = random.Random(3)
    if way == "by":
        questions = (crosswise(), VERSION)
        rows = [(r.randrange(2), number % 2) for number in range(200)]
    else:
        # The second question is for those with the version t. Conditions do not matter here.
        questions = (
            VERSION,
            crosswise(relevant={"version": "c"}),
            crosswise("copied_t", "17/20", relevant={"version": "t"}),
        )
        rows = [
            (0, r.randrange(2), 2) if number % 2 else (1, 2, r.randrange(2))
            for number in range(200)
        ]
    store_rows(store, definition(*questions, slug="health"), rows)
    groups = "by:version" if way == "by" else "second:copied_t"
    save_all(store, a=("crosswise", f"asked=copied&anchor=&groups={groups}"))
    unzipped(app, tmp_path)
    assert figures(r_output(tmp_path, "loaded-analyses.R")) == {"1": 2}


@needs_r
def test_without_attentive_respondents_there_is_no_corrected_share(
    app: Flask, store: Store, tmp_path: Path
) -> None:
    """Half of the answers to the anchor question are "same", as at random."""
    rows = [(number % 3 % 2, number % 2) for number in range(120)]
    store_rows(store, definition(crosswise(), ANCHOR, slug="health"), rows)
    save_all(store, a=("crosswise", "asked=copied"))
    files = unzipped(app, tmp_path)
    assert "corrected = c(FALSE)" in files["loaded-analyses.R"]
    assert figures(r_output(tmp_path, "loaded-analyses.R")) == {"1": 6}


@needs_r
def test_r_repeats_list_experiments(app: Flask, store: Store, tmp_path: Path) -> None:
    store_list(store, "health")
    save_all(store, a=("list", "count=count&treatment=by:version:1"))
    unzipped(app, tmp_path)
    # The share and its error, 2 means, 4 + 5 counts, and 8 types; each has an error or none.
    expected = 2 * (1 + 2 + 9 + 8)
    assert figures(r_output(tmp_path, "loaded-analyses.R")) == {"1": expected}


@needs_r
def test_r_repeats_a_list_experiment_of_two_surveys(
    app: Flask, store: Store, tmp_path: Path
) -> None:
    store_two_lists(store)
    query = "count=count&treatment=survey:treated:count"
    store.saved_analyses.save(SavedAnalysis("control", "a", "list", query))
    unzipped(app, tmp_path, "control")
    assert figures(r_output(tmp_path, "loaded-analyses.R")) == {"1": 2 * (1 + 2 + 9 + 8)}


@needs_r
def test_r_repeats_the_list_of_three_ways_of_asking(
    app: Flask, store: Store, tmp_path: Path
) -> None:
    """It leaves out the figures of the other ways, which follow those of the list."""
    store_ways(store)
    query = "count=list&treatment=question:list_with:&ways=smokes%2Bsmokes_direct"
    store.saved_analyses.save(SavedAnalysis("ways", "a", "list", query))
    unzipped(app, tmp_path, "ways")
    assert figures(r_output(tmp_path, "loaded-analyses.R")) == {"1": 2 * (1 + 2 + 9 + 8)}


@needs_r
@pytest.mark.parametrize("n", [40, 400])
def test_special_answers_and_every_type_that_has_a_table(
    app: Flask, store: Store, tmp_path: Path, n: int
) -> None:
    """With "prefer not to say" and "not asked". Boxes and reports of bits are not repeated."""
    survey = opened(store, EVERY_TYPE | {"slug": "health"}, "closed").survey
    batches = simulate_responses(survey, read_truth(TRUTH, survey), n, seed=1)
    store.responses.add_batches("health", batches, "simulated")
    save_all(
        store,
        a=("crosstab", "rows=smokes&columns=sleep"),
        b=("groups", "measure=years%3A&group=sleep"),
        c=("groups", "measure=sleep%3A&group=smokes"),
        d=("correlation", "questions=years%3A&questions=sleep%3A&questions=smokes%3A0"),
        e=("crosstab", "rows=tried/v&columns=sleep"),
    )
    files = unzipped(app, tmp_path)
    assert "simulated-analyses.R" in files
    printed = r_output(tmp_path, "simulated-analyses.R")
    assert len(printed.splitlines()) >= 3
    assert "simulated-analysis-5.csv" not in printed


@needs_r
def test_only_cross_tabulations_use_the_conditions_of_the_survey(
    app: Flask, store: Store, tmp_path: Path
) -> None:
    """Two questions are for the same respondents, so their conditions exclude some combinations."""
    region, asked_some = QUESTIONS[2], {"relevant": {"region": ["n"]}}
    content = definition(region, QUESTIONS[0] | asked_some, QUESTIONS[1] | asked_some)
    survey = opened(store, content, "closed").survey
    truth = {"region": {"n": 0.7, "s": 0.3}, "smokes": {"yes": 0.4},
             "party": {"a": 0.4, "b": 0.3, "c": 0.3}}  # fmt: skip
    batches = simulate_responses(survey, read_truth(truth, survey), 400, seed=1)
    store.responses.add_batches("health", batches, "browser")
    save_all(
        store,
        a=("groups", "measure=smokes%3A0&group=party"),
        b=("correlation", "questions=smokes%3A0&questions=party%3A0"),
        c=("crosstab", "rows=smokes&columns=party"),
    )
    assert "analysis-3.csv" in unzipped(app, tmp_path)
    assert figures(r_output(tmp_path)) == {"1": 2 * (3 + 3 + 1), "2": 2}


@needs_r
def test_r_repeats_analyses_of_questions_behind_a_joint_question(
    app: Flask, store: Store, tmp_path: Path
) -> None:
    """Two of them have one report, so the script uses the scores of their combinations."""
    with_responses(store, definition(*WITH_OTHERS), 600)
    save_all(
        store,
        a=("groups", "measure=habits/drinks%3A0&group=region"),
        b=("groups", "measure=cheated%3A0&group=habits/smokes"),
        c=("crosstab", "rows=habits/smokes&columns=region"),
        d=("crosstab", "rows=habits/drinks&columns=habits/smokes"),
        e=("crosstab", "rows=habits/smokes&columns=cheated&layers=habits/drinks"),
        f=("correlation", "questions=habits/drinks%3A0&questions=habits/smokes%3A1"
           "&questions=cheated%3A0"),
        g=("crosstab", "rows=habits/drinks&columns=habits/drives"),
        h=("crosstab", "rows=habits/drinks&columns=region&strata=region"),
    )  # fmt: skip
    files = unzipped(app, tmp_path)
    assert {f"analysis-{number}.csv" for number in range(1, 9)} <= set(files)
    # Shares of 2 groups, their figures, and that of all; the same for 3 groups. In a table with c
    # cells: 3 c, and the differences of all rows but the first. "Prefer not to say" adds its share.
    assert figures(r_output(tmp_path)) == {
        "1": 2 * (2 + 2 + 1),
        "2": 2 * (3 + 3 + 1),
        "3": 2 * (3 * 6 + 4),
        "4": 2 * (1 + 3 * 6 + 3),
        "5": 2 * (1 + 3 * 12 + 8),
        "6": 2 * 3,
    }
    # The conditions of the survey exclude cells of the seventh table, and the last has a design.


@needs_r
def test_r_repeats_the_change_of_a_question_behind_a_joint_question(
    app: Flask, store: Store, tmp_path: Path
) -> None:
    """It is compared with another joint question, and asked alone."""
    drinks = unsent("drinks", "scale", label="Do you drink?", prefer_not_to_say=True)
    smokes = unsent("smokes", "yes_no", label="Do you smoke?")
    alone = drinks | {"privacy": {"epsilon": 2}}
    joint = joint_question("drinks", "smokes", privacy={"epsilon": 3})
    first = joint_question("smokes", "drinks", name="both", privacy={"epsilon": 2})
    for number, (slug, content) in enumerate(
        (("health", [drinks, smokes, joint]), ("before", [smokes, drinks, first]),
         ("after", [alone]))
    ):  # fmt: skip
        content = definition(*content, slug=slug, title=slug, budget={"epsilon": 3})
        survey = opened(store, content, "closed").survey
        field = survey.fields[-1]
        chance = random.Random(number)
        reports = [(min(chance.randrange(9), len(field.reports) - 1),) for _ in range(200)]
        responses = [Response(place.to_bytes(16, "big"), row) for place, row in enumerate(reports)]
        store.responses.add_batches(slug, [responses], "browser")
    others = "&surveys=before&surveys=after"
    save_all(
        store,
        a=("change", f"measure=habits/drinks%3A{others}"),
        b=("change", f"measure=habits/drinks%3A1{others}"),
        c=("change", "measure=habits/smokes%3A0&surveys=before"),
    )
    files = unzipped(app, tmp_path)
    assert figures(r_output(tmp_path)) == {"1": 12, "2": 12, "3": 6}
    assert files["analyses.R"].count("counts = c(") == 5
