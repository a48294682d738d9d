"""A researcher's request by names: columns, a sampling design, an answer."""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass

import numpy as np

from survey.analysis.columns.columns import question_column, source_questions, stored_of, variable
from survey.analysis.columns.conditions import with_conditions
from survey.analysis.columns.design_file import DESIGN_COLUMNS, DesignFile, design_values_from_file
from survey.analysis.columns.joined import PLUS, check_apart
from survey.analysis.columns.variables import AnalysisColumn, SurveyDesign
from survey.analysis.types import ANALYSIS
from survey.core.errors import UnanswerableQuestion
from survey.core.scores import Array
from survey.core.translate import join_sentences, later, translate
from survey.definition.questions import Question
from survey.definition.report_formats import Stored
from survey.definition.survey import Survey

# No question can have this name.
OF_FILE = "@file"


@dataclass(frozen=True)
class DesignNames:
    """The non-private questions that define each respondent's weight, stratum and cluster.

    A name is OF_FILE if a file defines it. Only a file defines population sizes.
    """

    weights: str | None = None
    strata: str | None = None
    clusters: str | None = None
    populations: str | None = None

    @property
    def named(self) -> dict[str, str]:
        """The given names, by the columns of a design file."""
        names = (self.weights, self.strata, self.clusters, self.populations)
        each = zip(DESIGN_COLUMNS, names, strict=True)
        return {column: name for column, name in each if name is not None}

    @property
    def given(self) -> list[str]:
        return list(self.named.values())

    def sentence(self, labels: Mapping[str, str]) -> str:
        """What defines weights, strata and clusters, with the labels of questions by their name."""
        phrases = {
            "weight": later("Weighted by %(source)s."),
            "stratum": later("Strata by %(source)s."),
            "cluster": later("Clusters by %(source)s."),
            "population": later(
                "Population sizes by %(source)s: intervals and tests are about the people of this "
                "population."
            ),
        }
        file = translate("the design file")
        return join_sentences(
            *(
                translate(phrases[column], source=file if name == OF_FILE else f"“{labels[name]}”")
                for column, name in self.named.items()
            )
        )

    def with_file(self, file: DesignFile) -> "DesignNames":
        """The names, completed by a file. Raises UnanswerableQuestion if both define one column."""
        twice = [column for column in file.tells if column in self.named]
        if twice:
            raise UnanswerableQuestion(
                "The design file has a column %(column)s, and you also chose %(question)s. "
                "Use only one of them.",
                column=twice[0],
                question=self.named[twice[0]],
            )
        everything = self.named | dict.fromkeys(file.tells, OF_FILE)
        return DesignNames(*(everything.get(column) for column in DESIGN_COLUMNS))


def columns_and_design(
    survey: Survey,
    rows: Iterable[tuple[Stored | None, ...]],
    wanted: Sequence[str],
    names: DesignNames | None = None,
    file: DesignFile | None = None,
) -> tuple[list[AnalysisColumn], SurveyDesign]:
    """The columns of these names, in order, and the sampling design.

    A weight is a non-private number. It is zero for respondents who preferred not to say or were
    not asked. Strata and clusters are non-private questions with one answer, or typed texts. A file
    can define each of them instead.

    Raises UnanswerableQuestion.
    """
    names = names or DesignNames()
    questions_by_name = {question.name: question for question in survey.fields}
    questions = [name for name in names.given if name != OF_FILE]
    for name in questions:
        check_non_private(questions_by_name.get(name), name)
    if names.weights in questions and not questions_by_name[names.weights].grid:
        raise UnanswerableQuestion(
            "%(question)s is not a number. Choose a number for the weights.", question=names.weights
        )
    if len(questions) < len(names.given):
        check_design_file_columns(file, names)
        questions += file.keys if file else ()
    needed = [each for name in wanted for each in source_questions(survey, name)]
    check_apart(wanted)
    stored = stored_of(survey, rows, [*needed, *questions])
    columns = with_conditions(survey, [variable(survey, name, stored) for name in wanted])
    parts: dict[str, Array] = {}
    if file is not None and OF_FILE in names.given:
        parts |= design_values_from_file(file, survey, stored)
    for column, name in names.named.items():
        if name != OF_FILE:
            weighs = column == DESIGN_COLUMNS[0]
            parts[column] = (
                weights_by(questions_by_name[name], stored) if weighs else np.asarray(stored[name])
            )
    weights, stratum, cluster, sizes = (
        parts[c] if c in names.named else None for c in DESIGN_COLUMNS
    )
    strata = names.strata if names.strata in questions else None
    called = {} if strata is None else names_of_strata(questions_by_name[strata], stored[strata])
    return columns, SurveyDesign(
        weights=weights, strata=stratum, clusters=cluster, called=called, populations=sizes
    )


def names_of_strata(question: Question, stored: Sequence[Stored | None]) -> dict[int, str]:
    """The name of each stratum that is stored as the code of an answer."""
    if question.kind.free_text or not stored:
        return {}
    codes, where = np.unique(np.asarray(stored), return_index=True)
    column = question_column(question, stored)
    return {
        int(code): column.report_names[place]
        for code, place in zip(codes, column.reports[where], strict=True)
    }


def weights_by(question: Question, stored: Mapping[str, Sequence[Stored | None]]) -> Array:
    column = question_column(question, stored[question.name])
    # The code -1, of respondents who were not asked, selects the last place.
    return np.append(np.nan_to_num(np.asarray(column.values)), 0.0)[column.reports]


def check_design_file_columns(file: DesignFile | None, names: DesignNames) -> None:
    """Raise UnanswerableQuestion unless the file has the requested columns."""
    if file is None:
        raise UnanswerableQuestion(
            "The design file no longer exists. Choose questions, or nothing."
        )
    for column, name in names.named.items():
        if name == OF_FILE and column not in file.tells:
            raise UnanswerableQuestion(
                "The design file has no column %(column)s. Choose a question, or nothing.",
                column=column,
            )


def check_non_private(question: Question | None, name: str) -> None:
    """Raise UnanswerableQuestion unless this question can define a part of the design."""
    if question is None:
        raise UnanswerableQuestion(
            "There is no question %(question)s for the design.", question=repr(name)
        )
    if not question.non_private:
        raise UnanswerableQuestion(
            "%(question)s is private. For weights, strata or clusters, choose a non-private "
            "question to which people give only one answer.",
            question=name,
        )
    if fault := ANALYSIS[question].why_not_in_design():
        raise UnanswerableQuestion(fault)


def place_of_answer(survey: Survey, column: AnalysisColumn, answer: str) -> int:
    """The place of a listed answer, by its name in the definition or its label.

    Raises UnanswerableQuestion with the available answers.
    """
    first = column.name.partition(PLUS)[0].partition("/")[0]
    question = next(q for q in survey.fields if q.name == first)
    labels = column.answers[: column.listed]
    names = ANALYSIS[question].answer_names()[: column.listed] or list(labels)
    for candidates in (names, labels):
        folded = [each.casefold() for each in candidates]
        if answer.casefold() in folded:
            return folded.index(answer.casefold())
    raise UnanswerableQuestion(
        "%(question)s has no answer %(answer)s. There are: %(answers)s.",
        question=column.name,
        answer=repr(answer),
        answers=", ".join(labels),
    )
