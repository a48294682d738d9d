"""Protection for questions of a draft that have none, as after the import of an XLSForm."""

from collections.abc import Collection

from survey.core.errors import DefinitionError
from survey.core.translate import translate
from survey.definition.protection_levels import MEDIUM, privacy_of_level
from survey.definition.questions import Question
from survey.definition.survey import Survey, parse_survey


def protectable(survey: Survey, names: Collection[str]) -> tuple[Question, ...]:
    """Those of the named questions that are not private and can be.

    A question cannot be private if a text depends on it: whether someone was asked for the text
    would reveal the answer.
    """
    fixed: set[str] = set()
    for question in reversed(survey.questions):
        if question.kind.free_text or question.name in fixed:
            fixed |= set(question.relevant or {})
    return tuple(
        question
        for question in survey.questions
        if question.name in names
        and question.plain
        and question.kind.estimated
        and question.name not in fixed
    )


def with_dependents(survey: Survey, names: Collection[str]) -> tuple[str, ...]:
    """The named questions, and the non-private ones whose conditions depend on them: these must be
    private, too."""
    every = set(names)
    for question in survey.questions:
        if question.kind.estimated and question.plain and every & set(question.relevant or {}):
            every.add(question.name)
    return tuple(question.name for question in survey.questions if question.name in every)


def protect(survey: Survey, names: Collection[str]) -> Survey:
    """The survey with medium protection for the named questions, and for those that depend on them.

    Raises DefinitionError, for example if the total privacy loss is then above the budget.
    """
    chosen = {question.name: question for question in protectable(survey, names)}
    if not chosen:
        fault = translate("has no such question without protection.")
        raise DefinitionError("questions", fault)
    content = survey.as_definition()
    for entry in content["questions"]:
        if entry["name"] in with_dependents(survey, chosen):
            kind = next(q.kind for q in survey.questions if q.name == entry["name"])
            entry["privacy"] = privacy_of_level(MEDIUM, kind)
    return parse_survey(content)
