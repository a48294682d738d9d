"""Protection for questions of a draft that have none, as after the import of an XLSForm."""

from collections.abc import Collection

from survey.core.errors import DefinitionError
from survey.definition.answer_bounds.largest_ratio import names_behind
from survey.definition.choices import MAX_CHOICES
from survey.definition.protection_levels import MEDIUM, privacy_of_level
from survey.definition.questions import Question
from survey.definition.survey import Survey, parse_survey


def can_be_private(question: Question) -> bool:
    """Whether there is a mechanism for the question, and a table of all its choices.

    A table does not know which choices a respondent is offered.
    """
    few = not question.choices or 2 <= len(question.choices) <= MAX_CHOICES
    return question.kind.mechanisms is not None and few and not question.choice_conditions


def protectable(survey: Survey, names: Collection[str]) -> tuple[Question, ...]:
    """Those of the named questions that are not private and can be."""
    return tuple(
        question
        for question in survey.questions
        if question.name in names and question.non_private and can_be_private(question)
    )


def dependent_texts(survey: Survey, names: Collection[str]) -> tuple[Question, ...]:
    """The questions that the survey cannot keep if the named questions are private.

    They can never be private and depend on the named questions: whether someone was asked, or which
    choices were offered, would reveal the answer. Or they are texts that only some respondents see,
    such as that for "Other, please specify" (`texts_for_some`). Or they depend on one of these.
    """
    private = set(with_dependents(survey, names))
    lost = dict[str, Question]()
    for question in survey.questions:
        used = names_behind(question)
        has_answer, is_text = question in survey.with_answers, question in survey.texts_and_dates
        revealing = has_answer and not can_be_private(question) and question.depends_on
        if lost.keys() & used or (revealing and (is_text or private & used)):
            lost[question.name] = question
    return tuple(lost.values())


def with_dependents(survey: Survey, names: Collection[str]) -> tuple[str, ...]:
    """The named questions, and the non-private ones whose conditions or calculations depend on
    them: these must be private, too."""
    every = set(names)
    for question in survey.questions:
        if can_be_private(question) and question.non_private and every & names_behind(question):
            every.add(question.name)
    return tuple(question.name for question in survey.questions if question.name in every)


def protect(survey: Survey, names: Collection[str]) -> Survey:
    """The survey with medium protection for the named questions, and for those that depend on them.

    It has no longer the texts that depend on them (`dependent_texts`).

    Raises DefinitionError, for example if the total privacy loss is then above the budget.
    """
    chosen = {question.name: question for question in protectable(survey, names)}
    if not chosen:
        raise DefinitionError("questions", "has no such question without protection.")
    content = survey.as_definition()
    private = with_dependents(survey, chosen)
    left_out = {question.name for question in dependent_texts(survey, chosen)}
    content["questions"] = [q for q in content["questions"] if q["name"] not in left_out]
    for entry in content["questions"]:
        if entry["name"] in private:
            kind = next(q.kind for q in survey.questions if q.name == entry["name"])
            entry["privacy"] = privacy_of_level(MEDIUM, kind)
    return parse_survey(content)
