"""Measure every study again, one after the other: `make evidence`.

An interrupted run continues with the study that was interrupted. A study is finished for as long as
the code stays the same.
"""

import json
import subprocess
import sys
from time import monotonic

from bench.kept_rows import KEPT, PROJECT, code_hash

# The minutes of each study on a machine with two cores.
STUDIES = {
    "bench.survey_levels": 1,
    "bench.ten_studies": 1,
    "bench.quantile_goal": 10,
    "bench.joint_questions": 15,
    "bench.group_tests": 25,
    "bench.false_alarms": 35,
    "bench.headlines": 30,
    "bench.default_designs": 40,
    "bench.examinations": 60,
    "bench.interval_coverage.coverage": 60,
    "bench.interval_coverage.regression_page": 60,
}
FINISHED = KEPT / "finished-studies.json"


def finished_studies() -> dict[str, str]:
    """The hash of the code with which each study was finished."""
    return json.loads(FINISHED.read_text(encoding="utf-8")) if FINISHED.exists() else {}


def main() -> None:
    code = code_hash((PROJECT / "bench").rglob("*.py"))
    rest = [each for each in STUDIES if finished_studies().get(each) != code]
    print(f"{len(STUDIES) - len(rest)} of {len(STUDIES)} studies are finished.", flush=True)
    for place, module in enumerate(rest):
        minutes = sum(STUDIES[each] for each in rest[place:])
        print(f"{module}: about {STUDIES[module]} of the remaining {minutes} minutes", flush=True)
        begun = monotonic()
        subprocess.run([sys.executable, "-m", module], cwd=PROJECT, check=True)
        print(f"{module}: finished after {(monotonic() - begun) / 60:.0f} minutes", flush=True)
        KEPT.mkdir(exist_ok=True)
        # The data of a study do not change its code.
        done = finished_studies() | {module: code}
        FINISHED.write_text(json.dumps(done, indent=1) + "\n", encoding="utf-8")


if __name__ == "__main__":
    main()
