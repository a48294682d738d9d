"""What a researcher asks for by names: columns, a design, an answer."""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass

import numpy as np

from ..definition import Survey
from ..errors import UnanswerableQuestion
from ..questions import NUMBER, SELECT_MULTIPLE, Question, names_of
from ..reports import Stored
from .columns import column_of, stored_of
from .variables import Column, Design


@dataclass(frozen=True)
class DesignNames:
    """The plain questions that tell the weight, stratum and cluster of each respondent."""

    weights: str | None = None
    strata: str | None = None
    clusters: str | None = None

    @property
    def given(self) -> list[str]:
        return [name for name in (self.weights, self.strata, self.clusters) if name is not None]


def analysed(
    survey: Survey,
    rows: Iterable[tuple[Stored | None, ...]],
    wanted: Sequence[str],
    names: DesignNames | None = None,
) -> tuple[list[Column], Design]:
    """The columns of these names, in their order, and the design.

    A weight is a plain number; who prefers not to say it, or was not asked, has weight zero. Strata
    and clusters are plain questions with one answer, or typed texts.

    Raises UnanswerableQuestion.
    """
    names = names or DesignNames()
    known = {question.name: question for question in survey.fields}
    for name in names.given:
        check_plain(known.get(name), name)
    split = [name.partition("/")[::2] for name in wanted]
    stored = stored_of(survey, rows, [*(question for question, _ in split), *names.given])
    columns = [column_of(known[name], stored[name], box or None) for name, box in split]
    weights = None
    if names.weights is not None:
        if known[names.weights].type != NUMBER:
            raise UnanswerableQuestion(f"{names.weights} is no number, and weights are.")
        column = column_of(known[names.weights], stored[names.weights])
        # a code of -1, of who was not asked, is at its end
        weights = np.append(np.nan_to_num(np.asarray(column.values)), 0.0)[column.reports]
    strata, clusters = (
        None if name is None else np.asarray(stored[name])
        for name in (names.strata, names.clusters)
    )
    return columns, Design(weights, strata, clusters)


def check_plain(question: Question | None, name: str) -> None:
    """Raises UnanswerableQuestion unless a design can be read off this question."""
    if question is None:
        raise UnanswerableQuestion(f"There is no question {name!r} to take the design from.")
    if not question.plain or question.type == SELECT_MULTIPLE:
        why = "" if question.plain else f", since {name} is private"
        raise UnanswerableQuestion(
            f"{name} cannot tell weights, strata or clusters{why}: these are plain questions with "
            "one answer."
        )


def place_of_answer(survey: Survey, column: Column, answer: str) -> int:
    """The place of a listed answer, by its name in the definition or its label.

    Raises UnanswerableQuestion with the answers there are.
    """
    question = next(q for q in survey.fields if q.name == column.name.partition("/")[0])
    labels = column.answers[: column.listed]
    names = names_of(question.answers)[: column.listed] if question.choices else list(labels)
    if question.type == SELECT_MULTIPLE:
        names = ["1", "0"]
    for known in (names, labels):
        folded = [each.casefold() for each in known]
        if answer.casefold() in folded:
            return folded.index(answer.casefold())
    raise UnanswerableQuestion(
        f"{column.name} has no answer {answer!r}. There are: {', '.join(labels)}."
    )
