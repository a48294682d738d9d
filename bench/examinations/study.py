"""Surveys whose truth is known, analysed by the functions that pages call.

A study is a module of this folder with a `STUDY`. `python -m bench.examinations` measures all of
them, and writes docs/evidence/examinations.md and its data.
"""

import zlib
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import cache
from importlib import import_module
from pathlib import Path
from pkgutil import iter_modules

import numpy as np

from bench.evidence import Row
from bench.false_alarms import quicker
from survey.analysis import permutations
from survey.core.errors import UnanswerableQuestion

SEED = 20261130
# The limits of the issue that asked for these studies, in percent. A coverage above HIGHEST is
# needlessly long, but with fewer respondents than FEW.
LEAST, HIGHEST, MOST_ALARMS, FEW = 94.0, 98.5, 5.5, 50
# A power may differ from a stated one by this much.
POWER_POINTS = 2.0


@dataclass(frozen=True)
class Finding:
    """What the analysis of one simulated survey says.

    Attributes
    ----------
    errors : estimates minus their true values; several figures of a survey count separately
    held : whether the interval of each figure contains its true value
    alarm : whether a test finds what does not exist; None without such a test
    found, best : whether a test finds what exists, and whether the best known one does
    """

    errors: Sequence[float] = ()
    held: Sequence[bool] = ()
    alarm: bool | None = None
    found: bool | None = None
    best: bool | None = None


Draw = Callable[[np.random.Generator], Finding]


@dataclass(frozen=True)
class Case:
    """A row of a study.

    Attributes
    ----------
    name : what differs between the rows, such as "ε = 0.5, 5 %"
    n : the respondents of a survey
    draw : from a generator of random numbers, one simulated survey as it is analysed
    surveys : how many
    reason : why a limit does not hold, as a sentence; "" if all do
    stated : the power that Candor states for this number of respondents, from 0 to 1
    """

    name: str
    n: int
    draw: Draw
    surveys: int = 250
    reason: str = ""
    stated: float | None = None


@dataclass(frozen=True)
class Study:
    """The rows about one method.

    Attributes
    ----------
    title : the method
    text : a paragraph on the surveys, and on what is compared with what
    cases : a function, because some cases take time to make
    repaired : what this study found wrong, as sentences; "" if nothing
    """

    title: str
    text: str
    cases: Callable[[], Sequence[Case]]
    repaired: str = ""


@cache
def studies() -> dict[str, Study]:
    """All studies by the names of their modules."""
    found = {}
    for module in iter_modules([str(Path(__file__).parent)]):
        if module.name == "__main__":
            continue
        study = getattr(import_module(f"{__package__}.{module.name}"), "STUDY", None)
        if study is not None:
            found[module.name] = study
    return found


def measured(title: str, case: Case) -> Row:
    """The row of data of a case. Its seed follows from its name."""
    name = zlib.crc32(f"{title}|{case.name}|{case.n}".encode())
    generator = np.random.default_rng([SEED, name])
    findings, refused = [], 0
    with quicker():
        for _ in range(case.surveys):
            # With the same orders in every survey, their chance would move all p-values alike.
            permutations.SEED = int(generator.integers(2**31))
            try:
                findings.append(case.draw(generator))
            except UnanswerableQuestion:
                refused += 1
    errors = np.array([error for each in findings for error in each.errors])
    held = [each for finding in findings for each in finding.held]
    return {
        "method": title,
        "case": case.name,
        "n": str(case.n),
        "surveys": str(case.surveys),
        "refused": str(refused),
        "bias": f"{errors.mean() / errors.std():+.3f}" if len(errors) and errors.std() else "",
        "coverage": percent(held),
        "false alarms": percent([each.alarm for each in findings]),
        "power": percent([each.found for each in findings]),
        "stated power": "" if case.stated is None else f"{100 * case.stated:.2f}",
        "best power": percent([each.best for each in findings]),
    }


def percent(answers: Sequence[bool | None]) -> str:
    """The percentage that is true, of those that are not None; "" if all are."""
    known = [each for each in answers if each is not None]
    return f"{100 * np.mean(known):.2f}" if known else ""


def outside(row: Row) -> list[str]:
    """The limits that a row does not keep, beyond three standard errors of the simulation."""
    surveys = int(row["surveys"]) - int(row["refused"])
    found = []

    def beyond(name: str, limit: float, sign: int) -> bool:
        if not row[name]:
            return False
        error = 100 * np.sqrt(limit / 100 * (1 - limit / 100) / max(surveys, 1))
        return bool(sign * (float(row[name]) - limit) > 3 * error)

    if beyond("coverage", LEAST, -1):
        found.append("coverage too low")
    if int(row["n"]) >= FEW and beyond("coverage", HIGHEST, 1):
        found.append("coverage too high")
    if beyond("false alarms", MOST_ALARMS, 1):
        found.append("too many false alarms")
    if row["stated power"]:
        stated = float(row["stated power"])
        if beyond("power", stated - POWER_POINTS, -1):
            found.append("power lower than stated")
        if beyond("power", stated + POWER_POINTS, 1):
            found.append("power higher than stated")
    return found
