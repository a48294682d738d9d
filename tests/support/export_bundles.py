"""Export bundles, unpacked, and the programs that run their scripts."""

import csv
import io
import zipfile
from pathlib import Path
from typing import Any

import pytest

from survey.core.factored_randomizers import SubsetPart
from survey.definition.frozen import FrozenSurvey
from survey.formats.export_bundle.archive import write_archive
from survey.formats.export_bundle.facts import estimated_questions
from tests.formats.oracles.estimate import figures_of_file
from tools.r import installed

# By name: the design, RRreg's model and p, rr's design and arguments, and whether rr gets 1 - y.
DESIGNS = {
    "coin": (
        {"mechanism": "coin_flip"},
        *("FR", ("1/4", "1/4"), "forced-known", {"p": "1/2", "p0": "1/4", "p1": "1/4"}, False),
    ),
    "lean": (
        {"mechanism": "randomized_response", "gamma": 0.3},
        *("Warner", ("4/5",), "mirrored", {"p": "4/5"}, False),
    ),
    "kary": (
        {"mechanism": "k_randomized_response", "odds": 4},
        *("Warner", ("4/5",), "mirrored", {"p": "4/5"}, False),
    ),
    "warner": (
        {"mechanism": "warner", "p": "2/3"},
        *("Warner", ("2/3",), "mirrored", {"p": "2/3"}, False),
    ),
    "low_warner": (
        {"mechanism": "warner", "p": 0.25},
        *("Warner", ("1/4",), "mirrored", {"p": "3/4"}, True),
    ),
    "forced": (
        {"mechanism": "forced_response", "p_truth": "2/3", "p_yes": "1/6", "p_no": "1/6"},
        *("FR", ("1/6", "1/6"), "forced-known", {"p": "2/3", "p0": "1/6", "p1": "1/6"}, False),
    ),
    "uneven": (
        {"mechanism": "forced_response", "p_truth": "2/3", "p_yes": "1/4", "p_no": "1/12"},
        *("FR", ("1/12", "1/4"), "forced-known", {"p": "2/3", "p0": "1/12", "p1": "1/4"}, False),
    ),
    "crosswise": (
        {"mechanism": "crosswise", "p": "1/4"},
        *("Crosswise", ("1/4",), "mirrored", {"p": "3/4"}, True),
    ),
    "unrelated": (
        {"mechanism": "unrelated_question", "p": 0.7, "prevalence": "1/4"},
        *("UQTknown", ("7/10", "1/4"), "unrelated-known", {"p": "7/10", "q": "1/4"}, False),
    ),
    "kuk": (
        {"mechanism": "kuk", "p_yes": 0.8, "p_no": 0.2},
        *("Kuk", ("4/5", "1/5"), "disguised", {"p": "4/5"}, False),
    ),
    "uneven_kuk": (
        {"mechanism": "kuk", "p_yes": 0.8, "p_no": "1/3"},
        *("Kuk", ("4/5", "1/3"), "forced-known", {"p": "7/15", "p0": "1/5", "p1": "1/3"}, False),
    ),
    "low_kuk": (
        {"mechanism": "kuk", "p_yes": 0.1, "p_no": 0.3},
        *("Kuk", ("1/10", "3/10"), "forced-known", {"p": "1/5", "p0": "1/10", "p1": "7/10"}, True),
    ),
    "thrice": (
        {"mechanism": "kuk", "p_yes": "2/3", "p_no": "1/3", "draws": 3},
        *("Kuk", ("2/3", "1/3"), None, {}, False),
    ),
    "own": (
        {"mechanism": "table", "rows": [[5, 1], [3, 3]]},
        *("FR", ("1/6", "1/2"), "forced-known", {"p": "1/3", "p0": "1/6", "p1": "1/2"}, False),
    ),
    "low_own": (
        {"mechanism": "table", "rows": [[1, 5], [3, 3]]},
        *("custom", (), "forced-known", {"p": "1/3", "p0": "1/6", "p1": "1/2"}, True),
    ),
    "mangat": (
        {"mechanism": "table", "rows": [[6, 0], [2, 4]]},
        *("Mangat", ("2/3",), "forced-known", {"p": "2/3", "p0": "0", "p1": "1/3"}, False),
    ),
}
RSCRIPT = installed()
# A locale without UTF-8 is the hardest for a script. R would compile each function at its second
# call, which takes longer than all calls.
R_SURROUNDINGS = {"LC_ALL": "C", "R_ENABLE_JIT": "0"}
NO_R = "No R could be installed here, so estimate.R is not run: see tools/r.py."
skip_without_r = pytest.mark.skipif(RSCRIPT is None, reason=NO_R)


def needs_r(test):
    """Mark tests that `make test` leaves out. They are skipped if R could not be installed."""
    return pytest.mark.needs_r(skip_without_r(test))


# A test that runs once without R in `make test`, and once with R in `make test-all`.
with_and_without_r = pytest.mark.parametrize(
    "r", [False, pytest.param(True, marks=(pytest.mark.needs_r, skip_without_r))]
)


Rows = list[tuple[int | str | None, ...]]


def packed(frozen: FrozenSurvey, rows: Rows, origin: str = "browser") -> bytes:
    buffer = io.BytesIO()
    write_archive(buffer, frozen, origin, rows)
    return buffer.getvalue()


def unpacked(frozen: FrozenSurvey, rows: Rows, folder: Path, origin: str = "browser") -> Path:
    folder.mkdir(exist_ok=True)
    zipfile.ZipFile(io.BytesIO(packed(frozen, rows, origin))).extractall(folder)
    return folder


def read(path: Path) -> dict[tuple[str, str, str], dict[str, str]]:
    """The rows with an estimate; texts have a row without one."""
    with path.open(encoding="utf-8", newline="") as file:
        rows = [row for row in csv.DictReader(file) if row["measure"]]
    found = {(r["question"], r["measure"], r["answer"]): r for r in rows}
    return found


def oracle_questions(frozen: FrozenSurvey) -> list[dict[str, Any]]:
    """The facts of the scripts, and those that only the oracle needs."""
    questions = []
    for question, facts in estimated_questions(frozen.survey):
        more: dict[str, Any] = {}
        drawn = question.one_hot
        if facts["kind"] == "bits" and isinstance(drawn, SubsetPart):
            more = drawn.whole.as_json() | {"answers": facts["answers"], "kind": "subset_part"}
        elif facts["kind"] == "bits" and drawn is not None:
            more = drawn.as_json() | {"answers": facts["answers"]}
        if question.grid is not None:
            more["highest"] = float(question.grid.high)
            more["for_quantiles"] = question.mechanism == "optimal_quantiles"
        questions.append(facts | more)
    return questions


def oracle_figures(
    frozen: FrozenSurvey, folder: Path, name: str = "responses.csv"
) -> dict[tuple[str, str, str], dict[str, Any]]:
    """Every figure of an unpacked ZIP, from its responses."""
    about = frozen.survey.fieldwork.results_about
    found: dict[tuple[str, str, str], dict[str, Any]] = figures_of_file(
        oracle_questions(frozen), folder / name, about
    )
    return found
