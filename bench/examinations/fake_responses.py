"""The bound on the effect of fake responses: it holds for all of them, and some reach it."""

from collections import Counter
from collections.abc import Iterator, Sequence
from functools import partial

import numpy as np

from bench import headlines
from bench.false_alarms import every_report
from survey.core.scores import Array
from survey.definition.questions import Question
from survey.estimation.build_results import question_results
from survey.estimation.manipulation import mean_moved, most_moved, most_moved_among_asked
from survey.estimation.results import QuestionResults

from .answers import EPSILONS, SIZES
from .study import Case, Finding, Study

FRACTIONS = (0.02, 0.1)
# Titles of bench/headlines.py.
KINDS = (
    "yes/no",
    "yes/no, prefer not to say",
    "yes/no, with a condition",
    "choice of 6",
    "choice of 6, one table",
    "choice of 6, bits",
    "scale of 5, for the mean",
    "number, for the mean",
)
MIXTURES = 5
ROUNDING = 1e-9


def codes_of_reports(question: Question) -> list[Counter[int]]:
    """The codes that each possible report adds to the counts."""
    reports = bits(question) if has_bits(question) else every_report(question)
    return [Counter(question.form.codes(report)) for report in reports]


def has_bits(question: Question) -> bool:
    """Whether any set of answers can be reported."""
    return question.mechanism == "optimized_unary_encoding"


def bits(question: Question) -> list[str]:
    size = len(question.choices) + len(question.special_answers)
    return [format(number, f"0{size}b") for number in range(2**size)]


def fakes(
    reports: Sequence[Counter[int]], fake: int, generator: np.random.Generator
) -> Iterator[Counter[int]]:
    """Counts of fake responses: all with the same report, and mixtures of reports."""
    for codes in reports:
        yield Counter({code: fake * times for code, times in codes.items()})
    for _ in range(MIXTURES):
        found: Counter[int] = Counter()
        for place in generator.integers(0, len(reports), fake):
            found.update(reports[place])
        yield found


def moves(found: QuestionResults, honest: QuestionResults) -> list[float]:
    """The largest differences of a share, of a share among those asked, and of the mean."""
    values = [
        (
            [each.value for each in results.answers],
            [each.value for each in results.asked],
            [each.value for each in results.quantities if each.name == "mean"],
        )
        for results in (found, honest)
    ]
    # If nearly nobody is asked, one of both has no estimate among those asked.
    return [
        max((abs(one - other) for one, other in zip(*figures, strict=False)), default=0.0)
        for figures in zip(*values, strict=True)
    ]


def bounds(found: QuestionResults, fraction: float) -> list[float | None]:
    """The bounds that the page states, in the same order."""
    means = [each for each in found.quantities if each.name == "mean"]
    mean = mean_moved(means[0], found.ends, fraction, 1.0) if means and found.ends else None
    n = found.n
    return [most_moved(found, fraction, n), most_moved_among_asked(found, fraction, n), mean]


def draw(
    question: Question, reports: Sequence[Counter[int]], shares: Array, fraction: float, n: int,
    generator: np.random.Generator,
) -> Finding:  # fmt: skip
    fake = round(fraction * n)
    counts = Counter(headlines.draw(question, headlines.Truth(shares, {}, {}), n, generator))
    found = question_results(question, counts)
    limits = bounds(found, fake / n)
    exceeded, reached = False, False
    for sent in fakes(reports, fake, generator):
        if not sent <= counts:
            continue
        honest = question_results(question, counts - sent)
        for move, bound in zip(moves(found, honest), limits, strict=True):
            if bound is not None:
                exceeded |= move > bound + ROUNDING
                reached |= 0 < bound <= move + ROUNDING
    return Finding(alarm=exceeded, found=reached)


def cases() -> list[Case]:
    found = []
    for kind in KINDS:
        for epsilon, value in EPSILONS.items():
            question = headlines.question_of(kind, value)
            reports = codes_of_reports(question)
            shape = "even" if question.kind.numeric else "one leader"
            shares = headlines.truth_of(question, shape).shares
            for fraction in FRACTIONS if epsilon == "2" else FRACTIONS[:1]:
                name = f"{kind}, ε = {epsilon}, {100 * fraction:g} % fake"
                n = SIZES[-1] if kind.startswith("number") else 200
                found += [
                    Case(
                        name,
                        each,
                        partial(draw, question, reports, shares, fraction, each),
                        100 if question.kind.numeric else 200,
                    )
                    for each in (SIZES if kind == "yes/no" else (n,))
                ]
    return found


STUDY = Study(
    "Fake responses",
    """Some of the responses are fake: all with the same report, for each possible report, or a
    random mixture. The estimate of all responses is compared with that of the honest ones alone. A
    false alarm is a difference above the bound that the page states. The power is the percentage of
    surveys in which some fake responses reach the bound exactly, for a share or for the mean. They
    do not if too few responses have the report that they would need.""",
    cases,
)
