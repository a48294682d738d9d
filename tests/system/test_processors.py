"""A survey's frozen document has the same bytes on every kind of processor.

Some tables are solutions of a linear programme, rounded to integers. The rounding errors of linear
algebra depend on the instructions of the processor. OpenBLAS chooses its kernels once, at the
start. OPENBLAS_CORETYPE selects those of an older processor, for each of the processes here.
"""

import hashlib
import json
import os
import platform
import subprocess
import sys
from pathlib import Path

import pytest

from survey.definition.frozen import freeze
from survey.definition.survey import parse_survey
from survey.web.demo import SIMULATED, SMOKING
from tests.support.definitions import definition
from tests.support.every_type import EVERY_TYPE, asked, letters
from tests.support.project import ROOT

pytestmark = pytest.mark.slow

CPU = Path("/proc/cpuinfo")
FLAGS = CPU.read_text() if CPU.exists() else ""
# The instructions that these kernels need.
NEEDS = {"Nehalem": "sse4_2", "Sandybridge": "avx", "Haswell": "avx2", "SkylakeX": "avx512f"}
# Values for each question: more than any respondent gets, and few enough for a quick programme.
EPSILONS = (0.1, 0.5, 1, 1.0986122886681098, 2.5)
ABC = "abcdefghijkl"


def questions() -> list[dict]:
    """Questions whose tables use floating point, and some of every other type."""
    made = []
    for place, epsilon in enumerate(EPSILONS):
        exact, for_mean = {"epsilon": epsilon}, {"epsilon": epsilon, "goal": "mean"}
        for n in (2, 5, 12):
            made.append((f"one{place}_{n}", "select_one", exact, {"choices": letters(ABC[:n])}))
            made.append(
                (f"few{place}_{n}", "select_multiple", exact, {"choices": letters(ABC[:n])})
            )
            made.append((f"how{place}_{n}", "scale", for_mean, {"choices": letters(ABC[:n])}))
        for high in (4, 60, 200_000):
            made.append((f"num{place}_{high}", "number", for_mean, {"min": 0, "max": high}))
            made.append((f"hist{place}_{high}", "number", exact, {"min": 0, "max": high}))
    return [asked(name, kind, privacy, **rest) for name, kind, privacy, rest in made]


def documents() -> dict[str, str]:
    """The SHA-256 of each survey's document.

    Each survey has one question, so a difference has a name.
    """
    surveys = [EVERY_TYPE, SMOKING, *(simulated for simulated, _, _ in SIMULATED)]
    named = {each["slug"]: each for each in surveys}
    named |= {each["name"]: definition(each) for each in questions()}
    return {
        name: hashlib.sha256(
            freeze(parse_survey(content), to_open=False).to_json().encode()
        ).hexdigest()
        for name, content in named.items()
    }


def on(kernels: str) -> dict[str, str]:
    """The documents from a process that really uses these kernels."""
    program = (
        "import json, numpy, threadpoolctl, tests.system.test_processors as here;"
        "found = [each['architecture'] for each in threadpoolctl.threadpool_info()"
        " if each['internal_api'] == 'openblas'];"
        "print(json.dumps([found, here.documents()]))"
    )
    env = {**os.environ, "OPENBLAS_CORETYPE": kernels}
    command = [sys.executable, "-c", program]
    ran = subprocess.run(command, cwd=ROOT, env=env, capture_output=True, text=True)
    assert ran.returncode == 0, ran.stderr
    found, made = json.loads(ran.stdout)
    assert found
    assert set(found) == {kernels}
    return made


@pytest.fixture(scope="module")
def here() -> dict[str, str]:
    return documents()


@pytest.mark.skipif(platform.machine() != "x86_64", reason="These kernels are of x86-64.")
@pytest.mark.parametrize("kernels", NEEDS)
def test_frozen_documents_are_the_same_to_the_byte(kernels: str, here: dict[str, str]) -> None:
    if f" {NEEDS[kernels]}" not in FLAGS:
        pytest.skip(f"This processor has no {NEEDS[kernels]}.")
    assert on(kernels) == here
    assert len(here) > 80


def test_linear_algebra_uses_one_thread_also_if_it_is_loaded_later(tmp_path: Path) -> None:
    """numpy and scipy each have an OpenBLAS, and the server loads scipy's late."""
    program = (
        "import app; app.create_app(); import scipy.linalg, threadpoolctl;"
        "print({each['num_threads'] for each in threadpoolctl.threadpool_info()})"
    )
    env = {name: value for name, value in os.environ.items() if "THREADS" not in name}
    env["CANDOR_DATABASE"] = str(tmp_path / "candor.db")
    command = [sys.executable, "-c", program]
    ran = subprocess.run(command, cwd=ROOT, env=env, capture_output=True, text=True)
    assert ran.stdout == "{1}\n", ran.stderr
