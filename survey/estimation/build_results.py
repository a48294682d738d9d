"""Build the results of a survey from the counts of its reports."""

from collections.abc import Mapping
from dataclasses import replace

from survey.core.translate import translate
from survey.definition.frozen import FrozenSurvey
from survey.definition.questions import Question
from survey.definition.survey import Survey
from survey.definition.target_population import (
    EVERYONE_SIMILAR,
    TargetPopulation,
    target_population,
)
from survey.estimation.design_fit import DesignFit, causes
from survey.estimation.findings.remarks import MISFIT, Remark
from survey.estimation.findings.rules import complete
from survey.estimation.results import QuestionResults, Results
from survey.estimation.share_results import Counts
from survey.estimation.types import ESTIMATION
from survey.estimation.types.joint_items import item_counts, item_question


def question_results(
    question: Question,
    counts: Counts,
    level: float = 0.95,
    target: TargetPopulation = EVERYONE_SIMILAR,
) -> QuestionResults:
    """Compute the results of one question, and whether its reports fit its design.

    Parameters
    ----------
    counts : mapping from a report's code (survey/definition/report_formats.py) to its count
    level : float in (0, 1)
        Confidence level of each interval by itself.
    target : TargetPopulation
        The people whom the estimates describe.
    """
    estimation = ESTIMATION[question]
    results = estimation.results(counts, level, target.size)
    about = estimation.remarks_on_people(results, target) if results.n else ()
    estimated = replace(
        results,
        design_fit=design_fit_of(question, counts) if results.n else None,
        target=target,
        notes=(*results.notes, *about),
    )
    return complete(estimated)


def design_fit_of(question: Question, counts: Counts) -> DesignFit | None:
    """Whether the reports fit the design of a protected question; None for other questions."""
    return ESTIMATION[question].design_fit(counts) if question.protected else None


def misfit_remark(question: Question, counts: Counts) -> Remark | None:
    """The remark on an analysis of a question whose reports do not fit, by the test of its results.

    None if they fit, or if there are none.
    """
    fit = design_fit_of(question, counts) if any(counts.values()) else None
    if fit is None or fit.fits:
        return None
    sentence = translate(
        "Random error does not explain the reports on “%(question)s” (%(p)s). They do not fit the "
        "stated design. %(causes)s Find the cause before you use this analysis.",
        question=question.label,
        p=fit.p_text,
        causes=causes(),
    )
    return Remark(MISFIT, sentence)


def survey_results(
    frozen: FrozenSurvey, counts: Mapping[str, Counts], origin: str, level: float = 0.95
) -> Results:
    """Compute the results of every question.

    Parameters
    ----------
    frozen : FrozenSurvey
    counts : for each question, a mapping from a report's code to its count
    origin : key of ORIGINS
    level : float in (0, 1)
        Confidence level of each interval by itself.
    """
    n = responses_behind(frozen.survey, counts)
    target = target_population(frozen.survey.fieldwork.results_about, n)
    questions = tuple(
        with_items(
            question_results(question, counts.get(question.name, {}), level, target),
            frozen.survey,
            counts.get(question.name, {}),
        )
        for question in frozen.survey.fields
    )
    return Results(frozen=frozen, origin=origin, n=n, questions=questions, target=target)


def with_items(results: QuestionResults, survey: Survey, counts: Counts) -> QuestionResults:
    """The results of a joint question with those of the questions behind it."""
    joint = results.question
    items = [
        replace(
            question_results(
                item_question(joint, item, place),
                item_counts(joint, item, place, counts),
                results.level,
                results.target,
            ),
            joint=joint,
        )
        for place, item in enumerate(survey.items_of(joint))
    ]
    return complete(replace(results, items=tuple(items)))


def responses_behind(survey: Survey, counts: Mapping[str, Counts]) -> int:
    """The number of responses in these counts.

    With a random sample, no question has all of them.
    """
    reports = {
        question.name: sum(counts.get(question.name, {}).values()) // question.form.codes_each
        for question in survey.fields
    }
    everyone = [reports[q.name] for q in survey.fields if survey.always_reported(q)]
    if everyone:
        return max(everyone)
    return sum(reports.values()) // (survey.budget.sample or 1)
