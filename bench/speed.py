"""Times as ratios within one run, because times differ between machines.

They are the processor time of this process, the minimum of three runs. node measures its own.
"""

import json
import shutil
import subprocess
import time
from collections.abc import Callable
from functools import partial
from pathlib import Path

import numpy as np

from survey.core.factored_randomizers import OneHot
from survey.definition.questions import Question
from survey.estimation.share_estimates import estimate_one_hot, estimate_shares
from survey.planning.simulation import Answers, reports_of

from .peers import MULTI_FREQ, PURE_LDP, importlib, pure_client, pure_server, seed_all
from .simulated import answers_by, question_of, zipf
from .tables import EPSILONS, Figure, Table

REPORTS, DRAWS, RUNS = 1_000_000, 100_000, 3
LN_3 = EPSILONS["ln 3"]
KEPT = "Candor, from stored counts"
SCRIPT = Path(__file__).parent / "randomize.js"


def seconds(
    work: Callable[[], object], runs: int = RUNS, clock: Callable[[], float] = time.process_time
) -> float:
    """The time of one call. A fast call is repeated until it takes a fiftieth of a second."""
    least = float("inf")
    for _ in range(runs):
        calls, start = 0, clock()
        while (spent := clock() - start) < 0.02 or not calls:
            work()
            calls += 1
        least = min(least, spent / calls)
    return least


def estimating(libraries: list[str]) -> Table:
    """A million reports: our estimate relative to a plain count, and to the libraries."""
    rows: list[list[str | float]] = []
    figures: list[Figure] = []
    for k in (5, 16):
        question, answers = question_of(k, LN_3), answers_by(zipf(k), REPORTS)
        stored = reports_of(question, answers, np.random.default_rng(1))
        small = np.resize(np.arange(k, dtype=np.uint8), REPORTS)
        floor = seconds(partial(np.bincount, small))
        ours = our_times(question, stored)
        theirs = their_times(libraries, k, answers)
        for name, took in {**ours, **theirs}.items():
            rows.append([str(k), name, took / ours[KEPT]])
        what = f"an estimate of {k} shares from {REPORTS:,} reports"
        for name, took in ours.items():
            for library in libraries:
                least = min(spent for each, spent in theirs.items() if each.startswith(library))
                asked = 20.0 if library == PURE_LDP and name == KEPT else None
                says = f"shortest time of {library} / Candor's, {name.partition(', ')[2]}"
                figures.append(Figure(what, says, least / took, least=asked))
            figures.append(
                Figure(what, f"time / time of np.bincount, {name.partition(', ')[2]}", took / floor)
            )
    return Table(
        f"Time to estimate from {REPORTS:,} reports, ε = ln 3",
        ["k", "method", "time / Candor's from stored counts"],
        rows,
        figures,
    )


def our_times(question: Question, stored: list[int | str]) -> dict[str, float]:
    """The times from the stored counts, and from raw reports: numbers or texts of bits."""
    randomizer = question.randomizer
    if isinstance(randomizer, OneHot):
        k = randomizer.answers
        text = "".join(str(report) for report in stored).encode()

        def tally() -> list[int]:
            ones = (np.frombuffer(text, np.uint8).reshape(-1, k) == ord("1")).sum(axis=0)
            return np.stack([ones, len(text) // k - ones], axis=1).ravel().tolist()

        def estimate(counts: list[int]) -> object:
            return estimate_one_hot(randomizer, counts)
    else:
        table = question.table
        numbers = np.array(stored, dtype=np.uint8)

        def tally() -> list[int]:
            return np.bincount(numbers, minlength=table.reports).tolist()

        def estimate(counts: list[int]) -> object:
            return estimate_shares(table, counts)

    kept = tally()
    return {
        KEPT: seconds(lambda: estimate(kept)),
        "Candor, from raw reports": seconds(lambda: estimate(tally())),
    }


def their_times(libraries: list[str], k: int, answers: Answers) -> dict[str, float]:
    """The times of their servers on raw reports.

    The clients are slow, so a tenth of the reports is used ten times.
    """
    asked = [int(answer) for answer in answers[:: REPORTS // DRAWS]]
    seed_all(1)
    found = {}
    if PURE_LDP in libraries:
        oracles = importlib.import_module("pure_ldp.frequency_oracles")
        options = {"GRR": ("DE", {}), "OUE": ("UE", {"use_oue": True}),
                   "OLH": ("LH", {"use_olh": True})}  # fmt: skip
        for method, (name, chosen) in options.items():
            server = pure_server(oracles, name, k, LN_3, chosen)
            client = pure_client(oracles, name, k, LN_3, chosen, server)
            reports = [client.privatise(answer) for answer in asked] * (REPORTS // DRAWS)

            def collect(name: str = name, chosen=chosen, reports=reports) -> None:
                server = pure_server(oracles, name, k, LN_3, chosen)
                server.aggregate_all(reports)
                server.estimate_all(range(k), suppress_warnings=True)

            found[f"{PURE_LDP} {method}"] = seconds(collect, 1)
    if MULTI_FREQ in libraries:
        folder = "multi_freq_ldpy.pure_frequency_oracles"
        for method in ("GRR", "SS"):
            module = importlib.import_module(f"{folder}.{method}")
            client, server = (getattr(module, f"{method}_{end}") for end in
                              ("Client", "Aggregator_MI"))  # fmt: skip
            reports = [client(answer, k, LN_3) for answer in asked] * (REPORTS // DRAWS)
            found[f"{MULTI_FREQ} {method}"] = seconds(
                lambda server=server, reports=reports: server(reports, k, LN_3), 1
            )
    return found


def randomizing(libraries: list[str]) -> Table | None:
    """One answer among 16: the script of the page in node, relative to the libraries' clients."""
    node = shutil.which("node")
    if node is None:
        return None
    randomizer = question_of(16, LN_3).randomizer
    table = {**randomizer.as_json(), "answers": list(range(16))}
    told = subprocess.run(
        [node, str(SCRIPT), json.dumps(table), str(DRAWS)],
        capture_output=True, text=True, check=True,
    )  # fmt: skip
    ours = float(told.stdout)
    rows: list[list[str | float]] = [["Candor, in Node.js", 1.0]]
    asked = [int(answer) for answer in answers_by(zipf(16), DRAWS)]
    if PURE_LDP in libraries:
        oracles = importlib.import_module("pure_ldp.frequency_oracles")
        client = pure_client(oracles, "UE", 16, LN_3, {"use_oue": True}, None)
        took = seconds(lambda: [client.privatise(answer) for answer in asked], 1)
        rows.append([f"{PURE_LDP} OUE", took / ours])
    if MULTI_FREQ in libraries:
        module = importlib.import_module("multi_freq_ldpy.pure_frequency_oracles.SS")
        module.SS_Client(0, 16, LN_3)  # The first call compiles it.
        took = seconds(lambda: [module.SS_Client(answer, 16, LN_3) for answer in asked], 1)
        rows.append([f"{MULTI_FREQ} SS", took / ours])
    return Table(
        "Time to randomise an answer, k = 16, ε = ln 3", ["method", "time / Candor's"], rows
    )
