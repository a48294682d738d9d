"""Many randomisations of the same true answers: errors of ours and of the two libraries."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass

import numpy as np

from survey.core.factored_randomizers import OneHot
from survey.definition.questions import Question
from survey.definition.survey import parse_survey
from survey.estimation.share_estimates import SharesEstimate, estimate_one_hot, estimate_shares
from survey.planning.simulation import Answers, reports_of

from .peers import Array, Run, seed_all
from .tables import EPSILONS, Table

CHOICES = (2, 5, 16, 64)
SHOWN = (5, 64)  # the numbers of choices in the tables
NAMES = ("1", "ln 3", "2")
RESPONDENTS, REPETITIONS, SEED = 1_000, 300, 2_026
# Histogram encodings are far from the best mechanism in every cell, so the table omits them.
OMITTED = ("SHE", "THE")
ROOM = 3.0  # standard errors that ours may exceed theirs by


@dataclass(frozen=True)
class Error:
    """n times the sum of squared errors: mean over the repetitions, and its standard error."""

    mean: float
    error: float

    @classmethod
    def of(cls, estimates: Sequence[Array], shares: Array, n: int) -> "Error":
        each = n * ((np.array(estimates) - shares) ** 2).sum(axis=1)
        return cls(float(each.mean()), float(each.std(ddof=1) / len(each) ** 0.5))

    def above(self, other: "Error") -> float:
        """The excess over the other error, in standard errors of the difference."""
        return float((self.mean - other.mean) / np.hypot(self.error, other.error))


@dataclass(frozen=True)
class Ours:
    """Errors of three estimates: unbiased, possible, and clipped.

    The second is the one that the page calls possible. The third is clipped at zero and divided by
    its sum, as in multi-freq-ldpy.
    """

    value: Error
    possible: Error
    clipped: Error


@dataclass(frozen=True)
class Theirs:
    unbiased: Error
    clipped: Error | None


@dataclass(frozen=True)
class Cell:
    k: int
    name: str
    ours: Ours
    theirs: dict[str, dict[str, Theirs]]  # by library and method


def zipf(k: int) -> Array:
    """Weights of the choices: the j-th is proportional to 1 / j."""
    return 1 / np.arange(1, k + 1)


def answers_by(weights: Array, n: int) -> Answers:
    """The true answers of n people in these proportions, as close as n allows."""
    wanted = n * weights / weights.sum()
    counts = np.floor(wanted).astype(int)
    counts[np.argsort(counts - wanted, kind="stable")[: n - counts.sum()]] += 1
    return np.repeat(np.arange(len(weights)), counts)


def question_of(k: int, epsilon: float) -> Question:
    """A single choice question, as a researcher would define it."""
    choices = [{"name": f"c{j}", "label": str(j)} for j in range(k)]
    entry = {
        "name": "q", "type": "select_one", "label": "?", "choices": choices,
        "privacy": {"epsilon": epsilon},
    }  # fmt: skip
    return parse_survey({"slug": "bench", "title": "Bench", "questions": [entry]}).questions[0]


def estimated(question: Question, reports: Sequence[int | str]) -> SharesEstimate:
    """Stored reports, counted and estimated as on the results page."""
    codes = np.fromiter((code for each in reports for code in question.form.codes(each)), int)
    randomizer = question.randomizer
    if isinstance(randomizer, OneHot):
        return estimate_one_hot(
            randomizer, np.bincount(codes, minlength=2 * randomizer.answers).tolist()
        )
    table = question.table
    return estimate_shares(table, np.bincount(codes, minlength=table.reports).tolist())


def seed_of(k: int, epsilon: float) -> int:
    """A different seed for each cell, so that no random error is repeated."""
    return SEED + 1_000 * k + round(100 * epsilon)


def clipped(values: Array) -> Array:
    positive = np.maximum(values, 0)
    return positive / positive.sum()


def our_errors(answers: Answers, k: int, epsilon: float, repetitions: int = REPETITIONS) -> Ours:
    question, n = question_of(k, epsilon), len(answers)
    shares = np.bincount(answers, minlength=k) / n
    generator = np.random.default_rng(seed_of(k, epsilon))
    values, possible = [], []
    for _ in range(repetitions):
        estimate = estimated(question, reports_of(question, answers, generator))
        values.append(np.array([share.value for share in estimate.shares]))
        possible.append(np.array([share.possible for share in estimate.shares]))
    return Ours(
        Error.of(values, shares, n),
        Error.of(possible, shares, n),
        Error.of([clipped(each) for each in values], shares, n),
    )


def their_errors(run: Run, answers: Answers, k: int, epsilon: float) -> Theirs:
    n = len(answers)
    shares = np.bincount(answers, minlength=k) / n
    seed_all(seed_of(k, epsilon))
    asked = [int(answer) for answer in answers]
    found = [run(asked, k, epsilon) for _ in range(REPETITIONS)]
    clips = [each.clipped for each in found if each.clipped is not None]
    return Theirs(
        Error.of([each.unbiased for each in found], shares, n),
        Error.of(clips, shares, n) if clips else None,
    )


def cells(libraries: dict[str, dict[str, Run]], say: Callable[[str], None]) -> list[Cell]:
    found = []
    for name in NAMES:
        for k in CHOICES:
            say(f"simulating k = {k}, ε = {name} ...")
            epsilon, answers = EPSILONS[name], answers_by(zipf(k), RESPONDENTS)
            theirs = {
                library: {
                    method: their_errors(run, answers, k, epsilon)
                    for method, run in methods.items()
                }
                for library, methods in libraries.items()
            }
            found.append(Cell(k, name, our_errors(answers, k, epsilon), theirs))
    return found


# The comparisons of ours and theirs.
WAYS: dict[str, tuple[str, Callable[[Ours], Error], Callable[[Theirs], Error | None]]] = {
    "unbiased": ("unbiased estimates", lambda o: o.value, lambda t: t.unbiased),
    "clipped": ("both clipped and divided by the sum", lambda o: o.clipped, lambda t: t.clipped),
    "possible": ("shares between 0 and 1", lambda o: o.possible,
                 lambda t: t.clipped),
}  # fmt: skip


def compared(cell: Cell, library: str, way: str) -> dict[str, tuple[Error, Error, float]]:
    """For each method: ours, theirs, and the excess of ours in standard errors."""
    _, ours, theirs = WAYS[way]
    mine = ours(cell.ours)
    pairs = {method: theirs(each) for method, each in cell.theirs[library].items()}
    return {
        method: (mine, error, mine.above(error))
        for method, error in pairs.items()
        if error is not None
    }


def table(found: list[Cell], library: str, way: str) -> Table:
    methods = [method for method in compared(found[0], library, way) if method not in OMITTED]
    return Table(
        f"Simulation with {library}, {WAYS[way][0]}",
        ["ε", "k", "Candor", *methods],
        [
            [each.name, str(each.k), f"{error_of(each, way).mean:.3f}",
             *(f"{theirs.mean:.3f} ({above:+.1f})"
               for method, (_, theirs, above) in compared(each, library, way).items()
               if method in methods)]
            for each in found
            if each.k in SHOWN
        ],
    )  # fmt: skip


def error_of(cell: Cell, way: str) -> Error:
    return WAYS[way][1](cell.ours)


def exceeding(found: list[Cell], way: str) -> list[str]:
    """The cells in which ours exceeds theirs by more than random error explains."""
    return [
        f"k = {cell.k}, ε = {cell.name}, {library} {method}: ours {mine.mean:.3f}, "
        f"theirs {theirs.mean:.3f} ({above:+.1f} standard errors)"
        for cell in found
        for library in cell.theirs
        for method, (mine, theirs, above) in compared(cell, library, way).items()
        if above > ROOM
    ]


def truths(k: int) -> dict[str, Array]:
    return {
        "in proportion to 1 / j": zipf(k),
        "80 % for one choice, the others equal": np.where(np.arange(k) == 0, 0.8, 0.2 / (k - 1)),
        "equal for an eighth of the choices, 0 for the others": (np.arange(k) < k / 8).astype(
            float
        ),
        "all equal": np.ones(k),
    }


def table_of_clipping() -> Table:
    """Two ways from an unbiased estimate to shares between 0 and 1."""
    rows: list[list[str | float]] = []
    for k in (16, 64):
        for truth, weights in truths(k).items():
            answers = answers_by(weights, RESPONDENTS)
            ours = our_errors(answers, k, EPSILONS["1"], REPETITIONS // 3)
            rows.append([str(k), truth, *(f"{error.mean:.1f} ± {error.error:.1f}" for error in
                                          (ours.value, ours.possible, ours.clipped))])  # fmt: skip
    return Table(
        "Two methods for shares between 0 and 1, ε = 1",
        ["k", "true shares", "unbiased estimates", "possible shares", "clipped shares"],
        rows,
    )
