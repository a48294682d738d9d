"""Ways of asking: one question with two answers that respondents were asked in different ways.

In an experiment, chance decides whether a respondent is asked directly, by a randomised question,
or by a list. The joined variable of the direct and the randomised questions has the answers of
these respondents, and the list experiment those of the others. The difference from the direct
question shows whether people answer differently if they are protected.
"""

import math
from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from survey.analysis.as_json import part_json
from survey.analysis.changes.changes import Wave, contrast, wave_of
from survey.analysis.columns.joined import PLUS
from survey.analysis.columns.variables import MISSING, AnalysisColumn, SurveyDesign
from survey.analysis.groups.figures import NEGLIGIBLE_RELATIVE_ERROR, IntervalEstimate
from survey.analysis.groups.measures import measure_of
from survey.analysis.indirect.list_experiment import ListExperiment, welch
from survey.core.errors import UnanswerableQuestion
from survey.core.translate import later, translate, translate_constant
from survey.estimation.mean_intervals import student_quantile
from survey.estimation.results import MIN_SHOWN_RESPONSES
from survey.estimation.share_differences import DIFFERENT, OwnInterval

DIRECT = "direct"
RANDOMISED = "randomised"
LIST = "list"
WAY_LABELS = {
    DIRECT: later("Direct question"),
    RANDOMISED: later("Randomised question"),
    LIST: later("List experiment"),
}


@dataclass(frozen=True, kw_only=True)
class WayOfAsking:
    """The estimated share in one way of asking.

    Attributes
    ----------
    way : DIRECT, RANDOMISED or LIST
    questions : the names of its questions; empty for a list
    n : the number of responses; for a list, those of both groups
    difference : the share minus that of the direct question; None for the direct question
    p : the p-value for no difference
    """

    way: str
    questions: tuple[str, ...]
    n: int
    share: IntervalEstimate
    difference: IntervalEstimate | None = None
    p: float | None = None

    @property
    def label(self) -> str:
        """Its name in a table, with its question if there is one."""
        name = translate_constant(WAY_LABELS[self.way])
        if not self.questions:
            return name
        return translate("%(way)s (%(question)s)", way=name, question=", ".join(self.questions))


@dataclass(frozen=True)
class WaysOfAsking:
    """The share of one answer in each way of asking, the direct question first.

    `answer` is the label of the answer, and `special_answers` whether people could
    decline to answer.
    """

    level: float
    answer: str
    special_answers: bool
    ways: tuple[WayOfAsking, ...]


def split_by_way(column: AnalysisColumn) -> list[AnalysisColumn]:
    """The columns of the questions of a joined variable, each with its respondents alone.

    Raises UnanswerableQuestion if the respondents of two questions overlap, or if several questions
    are direct, because their reports are then the same.
    """
    names = column.name.split(PLUS)
    found = len(np.unique(column.designs)) if len(column.designs) else 1
    if found != len(names) or len(names) < 2:
        raise UnanswerableQuestion(
            "“%(question)s” does not show which respondents were asked in which way. Choose a "
            "direct question together with randomised ones.",
            question=column.label,
        )
    columns = []
    for design, name in enumerate(names):
        codes = np.flatnonzero(column.designs == design)
        # The last place is for responses without a report.
        places = np.full(len(column.designs) + 1, MISSING)
        places[codes] = np.arange(len(codes))
        chances = column.chances[:, codes]
        columns.append(
            replace(
                column,
                name=name,
                chances=chances,
                scores=None if column.scores is None else column.scores[codes],
                value_scores=None,
                values=None,
                reports=places[column.reports],
                private=not np.array_equal(chances, np.eye(len(chances))),
                report_names=tuple(column.report_names[code] for code in codes),
                designs=np.zeros(0, dtype=np.int64),
                cases=np.zeros((0, 0), dtype=bool),
            )
        )
    return columns


def check_other_respondents(column: AnalysisColumn, counts: Sequence[AnalysisColumn]) -> None:
    """Raise UnanswerableQuestion if somebody was asked a list and also the question itself."""
    for count in counts:
        given = count.reported & (count.reports < count.listed)
        if both := int((given & column.reported).sum()):
            raise UnanswerableQuestion(
                "%(n)s respondents were asked both “%(first)s” and “%(second)s”. Ways of "
                "asking can be compared only if each respondent was asked in one way.",
                n=both,
                first=count.label,
                second=column.label,
            )


def list_wave(found: ListExperiment) -> Wave:
    """The share of a list experiment, with Welch's interval at any level."""
    groups = [np.array(counts, dtype=np.float64) for counts in (found.control, found.treatment)]
    value = found.share.value
    _, error, degrees = welch(groups)

    def interval_at(level: float) -> OwnInterval:
        # If nothing varies, nothing is known.
        known = error > NEGLIGIBLE_RELATIVE_ERROR
        half = student_quantile(degrees, level) * error if known else math.inf
        return OwnInterval(value, value - half, value + half)

    return Wave(
        label="",
        n=sum(found.n),
        left_out=0,
        figure=found.share,
        bottom=0.0,
        top=1.0,
        interval_at=interval_at,
    )


def compare_ways(
    column: AnalysisColumn,
    found: ListExperiment,
    counts: Sequence[AnalysisColumn],
    level: float = 0.95,
) -> WaysOfAsking:
    """Compare the share of the first answer between ways of asking.

    Parameters
    ----------
    column : a joined variable with two answers: one direct question, and randomised ones
    found : the list experiment about the same statement
    counts : the columns of the same survey with the numbers of true statements

    Raises UnanswerableQuestion as `split_by_way` and `check_other_respondents`, for other columns,
    and with fewer than five responses in a way.

    Notes
    -----
    The share of the direct and of the randomised questions has the interval of comparisons between
    surveys (survey/analysis/changes/), and that of the list Welch's. Differences combine these
    intervals (MOVER), because each respondent was asked in one way. They are individual intervals,
    without a correction for several differences. They are wrong if people do not follow the
    instructions, or if the list has a design effect.
    """
    if column.listed != 2:
        raise UnanswerableQuestion(
            "“%(question)s” must have two answers, because a list shows only whether a "
            "statement is true.",
            question=column.label,
        )
    columns = split_by_way(column)
    direct = [each for each in columns if not each.private]
    if len(direct) != 1:
        raise UnanswerableQuestion(
            "“%(question)s” needs exactly one direct question, which is non-private.",
            question=column.label,
        )
    check_other_respondents(column, counts)
    waves = {each.name: wave_of_way(each, level) for each in columns}
    reference = waves[direct[0].name]
    ways = [
        WayOfAsking(way=DIRECT, questions=(direct[0].name,), n=reference.n, share=reference.figure)
    ]
    others = [(RANDOMISED, (each.name,), waves[each.name]) for each in columns if each.private]
    for way, questions, wave in [*others, (LIST, (), list_wave(found))]:
        difference, p = contrast((wave, reference), (1, -1), DIFFERENT, level)
        ways.append(
            WayOfAsking(
                way=way,
                questions=questions,
                n=wave.n,
                share=wave.figure,
                difference=difference,
                p=p,
            )
        )
    return WaysOfAsking(level, column.answers[0], column.special_answers > 0, tuple(ways))


def wave_of_way(column: AnalysisColumn, level: float) -> Wave:
    """The share of the first answer in one way of asking. Raises UnanswerableQuestion."""
    n = int(column.reported.sum())
    if n < MIN_SHOWN_RESPONSES:
        raise UnanswerableQuestion(
            "The question %(question)s has too few responses (%(n)s). This comparison needs at "
            "least %(minimum)s in each way of asking.",
            question=column.name,
            n=n,
            minimum=MIN_SHOWN_RESPONSES,
        )
    return wave_of(column.name, measure_of(column, 0), SurveyDesign(), level)


def ways_json(found: WaysOfAsking) -> dict[str, Any]:
    """The comparison as a JSON value."""
    return {
        "answer": found.answer,
        "level": found.level,
        "ways": [
            {
                "way": each.way,
                "questions": list(each.questions),
                "n": each.n,
                "share": part_json(each.share),
                "difference_from_direct": part_json(each.difference),
                "p": each.p,
            }
            for each in found.ways
        ],
    }
