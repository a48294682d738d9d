"""Crosswise questions with an anchor question, and people who answer at random."""

from dataclasses import replace
from functools import partial
from itertools import product

import numpy as np
import numpy.typing as npt

from bench.false_alarms import every_report, known
from survey.analysis.columns.columns import question_column
from survey.analysis.columns.variables import AnalysisColumn
from survey.analysis.indirect.crosswise_columns import analyse_crosswise, crosswise_column
from survey.core.errors import UnanswerableQuestion
from survey.definition.parse_question import parse_question
from survey.definition.questions import Question

from .study import Case, Finding, Study

# The known shares p, of which e^ε is (1 - p) / p.
KNOWN = {"2": "0.1192", "ln 3": "0.25", "0.5": "0.3775"}
SIZES = (50, 200, 1_000, 5_000)
RARE, COMMON = 0.05, 0.3
ATTENTIVE = (1.0, 0.8)
REASON = (
    "Candor gives a corrected share only if it finds that some people are attentive. With few "
    "respondents, it finds that in the surveys where more of them happened to seem attentive."
)


def asked(name: str, known_share: str) -> Question:
    entry = {"name": name, "type": "crosswise", "label": "?", "hint": "!", "privacy": "none",
             "known_share": known_share}  # fmt: skip
    return parse_question(entry, "", "en")


def column(question: Question, same: npt.NDArray[np.bool_]) -> AnalysisColumn:
    """The first answer is "same"."""
    empty = question_column(question, every_report(question))
    return replace(empty, reports=np.where(same, 0, 1))


def draw(
    known_share: str, trait: float, attentive: float, groups: bool, n: int,
    generator: np.random.Generator,
) -> Finding:  # fmt: skip
    question, anchor = asked("q", known_share), asked("anchor", known_share)
    p = float(known_share)
    in_second = np.arange(n) % 2 == 1 if groups else np.zeros(n, dtype=bool)
    true = generator.random(n) < trait
    careful = generator.random(n) < attentive
    # The unrelated statement of each question is true for p, and in the second group for 1 - p.
    other = generator.random(n) < np.where(in_second, 1 - p, p)
    anchor_same = generator.random(n) >= p
    same, anchor_same = (
        np.where(careful, each, generator.random(n) < 0.5) for each in (true == other, anchor_same)
    )
    group = replace(known("group", 2).column, reports=in_second.astype(np.int64))
    found = analyse_crosswise(
        crosswise_column(column(question, same), question),
        crosswise_column(column(anchor, anchor_same), anchor),
        by=group if groups else None,
    )
    corrected, test = found.everyone.corrected, found.instructions
    if corrected is None:
        raise UnanswerableQuestion("The page has no corrected share.")
    return Finding(
        [corrected.value - trait], [corrected.low <= trait <= corrected.high],
        alarm=None if test is None else test.p < 0.05,
    )  # fmt: skip


def cases() -> list[Case]:
    found = []
    for epsilon, trait, attentive in product(KNOWN, (RARE, COMMON), ATTENTIVE):
        name = f"ε = {epsilon}, {100 * trait:g} %, {100 * attentive:g} % attentive"
        for n in SIZES if epsilon == "ln 3" else SIZES[:-1]:
            part = partial(draw, KNOWN[epsilon], trait, attentive, False, n)
            found.append(Case(name, n, part, 300, REASON))
        if epsilon == "ln 3":
            part = partial(draw, KNOWN[epsilon], trait, attentive, True, 200)
            found.append(Case(f"{name}, two groups", 200, part, 300, REASON))
    return found


STUDY = Study(
    "Crosswise questions with an anchor",
    """The corrected share of the sensitive trait. The known share of both questions is 0.1192, 0.25
    or 0.3775, which has the ε of the table. Those who are not attentive answer both questions at
    random. With two groups, the known share is 1 - p for half of the respondents, and the false
    alarms are those of the test whether people followed the instructions. The page has no corrected
    share (“refused”) if the interval of the attentive respondents includes 0.""",
    cases,
)
