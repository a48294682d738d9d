"""The columns of a list experiment: the counts of the control group and of the treatment group."""

from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from survey.analysis.columns.variables import AnalysisColumn
from survey.analysis.indirect.list_experiment import MAX_ITEMS, ListExperiment, list_experiment
from survey.core.errors import UnanswerableQuestion

Counts = npt.NDArray[np.int64]


@dataclass(frozen=True)
class GroupOfCounts:
    """The numbers of true statements in a group, shape (n,), and the largest possible one."""

    counts: Counts
    most: int


def group_of_counts(column: AnalysisColumn) -> GroupOfCounts:
    """The counts in a column: a number, or choices whose labels are whole numbers.

    Raises UnanswerableQuestion for a private question and for other answers.
    """
    if column.private:
        raise UnanswerableQuestion(
            "“%(question)s” is randomised. The number of true statements must be a "
            "non-private question.",
            question=column.label,
        )
    values = answer_numbers(column)
    given = column.reported & (column.reports < column.listed)
    most = max(values, default=0) if column.span is None else int(column.span[1])
    return GroupOfCounts(np.array(values, dtype=np.int64)[column.reports[given]], most)


def answer_numbers(column: AnalysisColumn) -> list[int]:
    """The whole number that each listed answer means. Raises UnanswerableQuestion."""
    listed = column.answers[: column.listed]
    numbers: list[float] = []
    for place, label in enumerate(listed):
        first = label.split(maxsplit=1)[0] if label.strip() else ""
        if first.isdecimal():
            numbers.append(int(first))
        elif column.values is not None and column.span is not None:
            numbers.append(float(column.values[place]))
    if len(numbers) != len(listed) or any(each < 0 or each % 1 for each in numbers):
        raise UnanswerableQuestion(
            "The answers to “%(question)s” are not whole numbers from 0. Choose the question "
            "with the number of true statements.",
            question=column.label,
        )
    return [int(each) for each in numbers]


def split_by_group(
    column: AnalysisColumn, by: AnalysisColumn, treated: int
) -> tuple[GroupOfCounts, GroupOfCounts]:
    """The control group and the treatment group of one question, by the answer to another.

    `treated` is the place of the answer of the treatment group. Raises UnanswerableQuestion.
    """
    if by.private or by.listed != 2:
        raise UnanswerableQuestion(
            "“%(question)s” must be a non-private question with two answers.", question=by.label
        )
    both = group_of_counts(column)
    values = np.array(answer_numbers(column), dtype=np.int64)
    given = column.reported & (column.reports < column.listed)
    control, treatment = (
        values[column.reports[given & (by.reports == place)]] for place in (1 - treated, treated)
    )
    return GroupOfCounts(control, both.most - 1), GroupOfCounts(treatment, both.most)


def analyse_list(
    control: GroupOfCounts,
    treatment: GroupOfCounts,
    items: int | None = None,
    level: float = 0.95,
) -> ListExperiment:
    """Analyse a list experiment.

    Parameters
    ----------
    items : the number of control statements. By default the largest number that the treatment
        group could give, minus 1

    Raises UnanswerableQuestion if somebody gave a larger number than possible, and as
    `list_experiment`.
    """
    most = treatment.most - 1 if items is None else items
    if not 1 <= most <= MAX_ITEMS:
        raise UnanswerableQuestion(
            "A list experiment needs 1 to %(maximum)s control statements, not %(n)s. State "
            "their number.",
            maximum=MAX_ITEMS,
            n=most,
        )
    for group, largest in ((control, most), (treatment, most + 1)):
        if len(group.counts) and group.counts.max() > largest:
            raise UnanswerableQuestion(
                "%(n)s people gave a number above %(largest)s, which is impossible with "
                "%(items)s control statements. State the right number, or exchange the groups.",
                n=int((group.counts > largest).sum()),
                largest=largest,
                items=most,
            )
    return list_experiment(
        np.bincount(control.counts, minlength=most + 1).tolist(),
        np.bincount(treatment.counts, minlength=most + 2).tolist(),
        level,
    )
