"""R computes the estimates and standard errors of saved analyses again."""

import csv
import io
import re
import subprocess
from pathlib import Path

import pytest
from flask import Flask

from survey.formats.csv_import import read_truth
from survey.planning.simulation import simulate_responses
from survey.store import Store
from tests.support.definitions import definition, opened
from tests.support.every_type import EVERY_TYPE, TRUTH
from tests.support.export_bundles import RSCRIPT, needs_r
from tests.support.researchers import signed_in
from tests.support.saved_analyses import QUESTIONS, SAVED, answers, save_all, unzipped


def r_output(folder: Path, name: str = "analyses.R") -> str:
    """Run the script in a locale without UTF-8, which is the hardest."""
    command = [RSCRIPT or "Rscript", "--vanilla", str(folder / name)]
    ran = subprocess.run(command, capture_output=True, text=True, env={"LC_ALL": "C"})
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
