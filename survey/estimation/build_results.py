"""Build the results of each kind of question from the counts of its reports."""

from collections.abc import Mapping, Sequence
from dataclasses import replace

import numpy as np

from survey.core.errors import UnanswerableQuestion
from survey.core.factored_randomizers import Boxes, OneHot
from survey.core.randomizer import Randomizer
from survey.core.scores import Array, probabilities, support_of, unbiased_scores
from survey.core.translate import later, translate
from survey.definition.choices import Choice, names_of, with_unit
from survey.definition.frozen import FrozenSurvey
from survey.definition.questions import Question
from survey.definition.report_formats import GIVEN, LEFT_EMPTY
from survey.definition.survey import Survey
from survey.definition.target_population import (
    EVERYONE_SIMILAR,
    RESPONDENTS,
    TargetPopulation,
    target_population,
)
from survey.estimation.asked_shares import asked_results
from survey.estimation.build_number_results import (
    number_parts,
    quantities_of_number,
    quantities_of_ranking,
    quantities_of_scale,
)
from survey.estimation.design_fit import (
    DesignFit,
    causes,
    fit_of_boxes,
    fit_of_one_hot,
    fit_of_table,
    mean_scores,
    share_scores,
)
from survey.estimation.findings.remarks import (
    FILLED_IN,
    FIRST_STATEMENT,
    MEAN_ONLY,
    MISFIT,
    NO_REPORTS_ON_BOXES,
    NO_SHARES,
    QUANTILE_INTERVALS,
    STORED_AS_GIVEN,
    TARGET,
    Remark,
)
from survey.estimation.findings.rules import complete
from survey.estimation.headlines import compared
from survey.estimation.number_text import Formula, formula_of_bit, formula_of_table
from survey.estimation.quantile_estimates import CURVE_METHOD
from survey.estimation.results import AnswerResults, QuantityResults, QuestionResults, Results
from survey.estimation.share_estimates import (
    ShareEstimate,
    SharesEstimate,
    estimate_boxes,
    estimate_one_hot,
    estimate_shares,
    variance_at_observed,
    variance_bound,
)
from survey.estimation.types.crosswise_share import (
    first_statement_sentence,
    first_statement_table,
)
from survey.estimation.types.joint_items import item_counts, item_question

LIKELIEST = later("maximum likelihood")
NEAREST = later("nearest shares that add up to one")

Counts = Mapping[int, int]


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
    results = estimated_results(question, counts, level, target.size)
    estimated = replace(
        results,
        design_fit=design_fit_of(question, counts) if results.n else None,
        target=target,
        notes=(*results.notes, *(target_notes(results, target) if results.n else ())),
    )
    return complete(estimated)


def target_notes(results: QuestionResults, target: TargetPopulation) -> tuple[Remark, ...]:
    """Remarks on the people whom the results of a question describe."""
    question = results.question
    if question.kind.free_text:
        return ()
    if target.explanation:
        return (Remark(TARGET, target.explanation),)
    by_curve = any(each.method == CURVE_METHOD for each in results.quantities)
    if target.size is not None and by_curve:
        sentence = translate(
            "The intervals of the median and the quartiles are those for people like the "
            "respondents. They are longer than necessary."
        )
        return (Remark(QUANTILE_INTERVALS, sentence),)
    if target.kind == RESPONDENTS and question.plain:
        sentence = translate(
            "These results describe the respondents themselves, and their answers are stored "
            "as given. So there is no random error, and no interval."
        )
        return (Remark(STORED_AS_GIVEN, sentence),)
    return ()


def design_fit_of(question: Question, counts: Counts) -> DesignFit | None:
    """Whether the reports fit the randomizer; None for a question without one."""
    if not question.protected or not question.kind.estimated:
        return None
    if question.one_hot is not None:
        return fit_of_one_hot(question.one_hot, counts_by_code(counts, 2 * len(question.answers)))
    boxes = boxes_of(question)
    if boxes is not None:
        return fit_of_boxes(boxes, counts_by_code(counts, 2 * boxes.answers))
    table = first_statement_table(question) or reporting_table(question)
    chances, target = probabilities(table), np.eye(table.answers)
    scores: list[Array] = []
    if question.kind.numeric:
        parts = number_parts(question, counts)
        target = parts.target
        if parts.seen is not None:
            scores = mean_scores(chances, parts.seen.values, parts.seen.outside)
    elif question.kind.boxes:
        target = combinations(question)
    scores += share_scores(chances, target)
    if not scores and question.kind.ordered:
        values = np.arange(1.0, len(question.choices) + 1)
        scores = mean_scores(chances, values, len(question.extras))
    return fit_of_table(table, counts_by_code(counts, table.reports), scores)


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


def estimated_results(
    question: Question, counts: Counts, level: float, size: int | None = None
) -> QuestionResults:
    """The results of one question without the test of its design.

    `size` is the number of people whom the estimates describe, or None if there is no limit.
    """
    if question.kind.free_text:
        text_counts = (counts.get(GIVEN, 0), counts.get(LEFT_EMPTY, 0))
        names = ("written", "left empty")
        return QuestionResults(question, sum(text_counts), text_counts, names, level, (), None)
    if question.one_hot is not None:
        return results_of_one_hot(question, question.one_hot, counts, level, size)
    boxes = boxes_of(question)
    if boxes is not None:
        return results_of_boxes(question, boxes, counts, level, size)
    if question.kind.numeric:
        return results_of_number(question, counts, level, size)
    table = reporting_table(question)
    tally = counts_by_code(counts, table.reports)
    values = tuple(names_of(question.reports if not question.plain else question.answers))
    if sum(tally) == 0:
        return QuestionResults(question, 0, tuple(tally), values, level, (), None)
    # For boxes, one table covers all combinations.
    target = combinations(question) if question.kind.boxes else None
    quantities: tuple[QuantityResults, ...] = ()
    if question.kind.ordered:
        quantities = quantities_of_scale(question, table, tally, level, size)
    elif question.kind.ranks:
        quantities = quantities_of_ranking(question, table, tally, level, size)
    try:
        estimate = estimate_shares(table, tally, level, target, family_of(question), size)
    # Tables for a mean need not determine the shares.
    except UnanswerableQuestion:
        if question.kind.ranks:
            sentence = translate(
                "These reports do not allow an estimate of the share of each order."
            )
            note = Remark(NO_SHARES, sentence)
        else:
            sentence = translate(
                "These reports allow an estimate of the mean only, not of the share of each answer."
            )
            note = Remark(MEAN_ONLY, sentence)
        only_mean = QuestionResults(
            question, sum(tally), tuple(tally), values, level, (), None, quantities, (note,)
        )
        return with_asked_shares(only_mean, size=size)
    answers = table_answers(question, table, tally, estimate, target, question.answers)
    sentence = first_statement_sentence(question, tally[0], sum(tally[:2]), level)
    results = QuestionResults(
        question, estimate.n, tuple(tally), values, level, answers, estimate.covariance,
        quantities, (Remark(FIRST_STATEMENT, sentence),) if sentence else (),
    )  # fmt: skip
    return with_asked_shares(results, (table, tally, target), size)


def family_of(question: Question) -> int:
    """The number of shares of a question that its headline compares.

    A headline compares neither the parts of a number, nor the two answers to a yes/no question, nor
    the orders of a ranking.
    """
    kind = question.kind
    if kind.numeric or kind.dichotomous or kind.ranks:
        return 1
    return compared(len(question.offered), exclusive=not kind.boxes)


def with_asked_shares(
    results: QuestionResults,
    reports: tuple[Randomizer, Sequence[int], np.ndarray | None] | None = None,
    size: int | None = None,
) -> QuestionResults:
    """The results with the shares among those asked, or with a remark why there are none.

    Parameters
    ----------
    reports : the table, the count of each report, and the answers in each share (see
        `table_answers`); None for reports of bits
    """
    question = results.question
    if not results.conditional:
        if question.otherwise is None:
            return results
        note = Remark(FILLED_IN, filled_in_sentence(question))
        return replace(results, notes=(*results.notes, note))
    scores = None
    if reports is not None and not question.plain:
        table, tally, target = reports
        wanted = np.eye(table.answers) if target is None else target
        scores = np.asarray(tally, dtype=np.float64), unbiased_scores(table, wanted)
    asked = asked_results(
        question, results.answers, results.covariance, results.n, results.level,
        family_of(question), scores, size,
    )  # fmt: skip
    return replace(results, asked=asked)


def filled_in_sentence(question: Question) -> str:
    """The sentence for a question with a condition and an answer for those who are not asked."""
    if question.grid is not None:
        filled = [with_unit(str(question.otherwise), question.grid)]
    else:
        chosen = question.otherwise if question.kind.boxes else [question.otherwise]
        filled = [f"“{c.label}”" for c in question.choices if c.name in chosen]
    return translate(
        "For respondents who were not asked this question, the survey uses the answer "
        "%(answers)s. The estimates describe all respondents, not only those who were asked.",
        answers=translate(", ").join(filled) or translate("no box"),
    )


def boxes_of(question: Question) -> Boxes | None:
    """The randomizer of boxes that are counted separately; exact for a non-private question."""
    if isinstance(question.randomizer, Boxes):
        return question.randomizer
    if question.kind.boxes and question.plain:
        return Boxes(len(question.answers), len(question.answers), ((1, 0), (0, 1)))
    return None


def reporting_table(question: Question) -> Randomizer:
    """The question's table. The report to a non-private question is its answer."""
    return question.table or Randomizer.identity(len(question.answers))


def combinations(question: Question) -> np.ndarray:
    """Which boxes or special answers each row of a joint table contains, as 0 and 1."""
    boxes, extras = len(question.choices), len(question.extras)
    target = np.zeros((2**boxes + extras, boxes + extras))
    for number in range(2**boxes):
        target[number, :boxes] = [number >> box & 1 for box in range(boxes)]
    target[2**boxes :, boxes:] = np.eye(extras)
    return target


def counts_by_code(counts: Counts, length: int) -> list[int]:
    return [counts.get(code, 0) for code in range(length)]


def table_answers(
    question: Question,
    table: Randomizer,
    tally: Sequence[int],
    estimate: SharesEstimate,
    target: np.ndarray | None,
    meant: Sequence[Choice],
) -> tuple[AnswerResults, ...]:
    """One result for each share, with the simplest formula that its scores allow."""
    wanted = np.eye(table.answers) if target is None else target
    scores = unbiased_scores(table, wanted)
    answers = []
    for column, (choice, share) in enumerate(zip(meant, estimate.shares, strict=True)):
        support = support_of(table, scores[:, column], wanted[:, column] > 0)
        observed = None if support is None else support.count(tally) / estimate.n
        private = observed is not None and not question.plain
        answers.append(
            answer_results(
                choice,
                estimate.n,
                observed,
                share,
                formula_of_table(question.table, support, scores[:, column], tally),
                LIKELIEST,
                ends_of(scores[:, column]),
                table if private else None,
            )
        )
    return tuple(answers)


def answer_results(
    choice: Choice, n: int, observed: float | None, share: ShareEstimate, formula: Formula,
    possible_by: str, scores: tuple[float, float], table: Randomizer | None = None,
) -> AnswerResults:  # fmt: skip
    bound = at_observed = None
    if table is not None and observed is not None:
        bound = variance_bound(table, n)
        at_observed = variance_at_observed(table, observed, n)
    return AnswerResults(
        choice=choice,
        n=n,
        observed=observed,
        value=share.value,
        standard_error=share.standard_error,
        low=share.interval.low,
        high=share.interval.high,
        method=share.interval.method,
        possible=share.possible,
        possible_by=possible_by,
        formula=formula,
        variance_bound=bound,
        variance_at_observed=at_observed,
        scores=scores,
        simultaneous=share.simultaneous,
    )


def ends_of(scores: np.ndarray) -> tuple[float, float]:
    return float(scores.min()), float(scores.max())


def bit_names(question: Question) -> tuple[str, ...]:
    return tuple(f"{name}: {bit}" for name in names_of(question.answers) for bit in (1, 0))


def results_of_one_hot(
    question: Question, randomizer: OneHot, counts: Counts, level: float, size: int | None
) -> QuestionResults:
    """Factored reports with one or several bits for each answer."""
    tally, names = counts_by_code(counts, 2 * randomizer.answers), bit_names(question)
    if sum(tally) == 0:
        return QuestionResults(question, 0, tuple(tally), names, level, (), None)
    estimate = estimate_one_hot(randomizer, tally, level, family_of(question), size)
    n = estimate.n
    answers = []
    p, q = float(randomizer.p), float(randomizer.q)
    for j, choice in enumerate(question.answers):
        formula, bits = formula_of_bit(randomizer, j, tally[2 * j], n), randomizer.sizes[j]
        scores = [(number - bits * q) / (p - q) for number in randomizer.numbers_of(j)]
        observed = tally[2 * j] / n if bits == 1 else None
        answers.append(
            answer_results(
                choice,
                n,
                observed,
                estimate.shares[j],
                formula,
                NEAREST,
                (min(scores), max(scores)),
            )
        )
    quantities: tuple[QuantityResults, ...] = ()
    if question.kind.ordered:
        quantities = quantities_of_scale(question, randomizer, tally, level, size)
    elif question.kind.ranks:
        quantities = quantities_of_ranking(question, randomizer, tally, level, size)
    results = QuestionResults(
        question, n, tuple(tally), names, level, tuple(answers), estimate.covariance, quantities
    )
    return with_asked_shares(results, size=size)


def results_of_boxes(
    question: Question, boxes: Boxes, counts: Counts, level: float, size: int | None
) -> QuestionResults:
    """Boxes that are counted separately, each with the number of responses that report on it."""
    tally, names = counts_by_code(counts, 2 * boxes.answers), bit_names(question)
    box_results, silent = [], []
    scores = unbiased_scores(boxes.table, np.eye(2))[:, 0]
    support = support_of(boxes.table, scores, np.array([True, False]))
    table = None if question.plain else boxes.table
    for j, box in enumerate(estimate_boxes(boxes, tally, level, family_of(question), size)):
        choice, pair = question.answers[j], tally[2 * j : 2 * j + 2]
        if box is None:
            silent.append(f"“{choice.label}”")
            continue
        n, share = box
        formula = formula_of_table(table, support, scores, pair)
        box_results.append(
            answer_results(
                choice, n, pair[0] / n, share, formula, LIKELIEST, ends_of(scores), table
            )
        )
    n = sum(tally) // boxes.sample
    notes: tuple[Remark, ...] = ()
    if n and silent:
        sentence = translate("No reports on %(boxes)s yet.", boxes=translate(", ").join(silent))
        notes = (Remark(NO_REPORTS_ON_BOXES, sentence),)
    results = QuestionResults(
        question, n, tuple(tally), names, level, tuple(box_results), None, (), notes
    )
    return with_asked_shares(results, size=size)


def results_of_number(
    question: Question, counts: Counts, level: float, size: int | None = None
) -> QuestionResults:
    """A histogram in a few parts, with mean, standard deviation and quantiles."""
    parts = number_parts(question, counts, size)
    if parts.seen is None:
        return QuestionResults(question, 0, parts.tally, parts.names, level, (), None)
    quantities, notes = quantities_of_number(question, parts.seen, parts.tells_distribution, level)
    answers: tuple[AnswerResults, ...] = ()
    covariance = None
    if parts.tells_distribution:
        # Random rounding makes the part of an answer random, which no formula here allows for.
        if parts.seen.width:
            size = None
        estimate = estimate_shares(parts.table, parts.counts, level, parts.target, size=size)
        answers = table_answers(
            question, parts.table, parts.counts, estimate, parts.target, parts.choices
        )
        covariance = estimate.covariance
    results = QuestionResults(
        question, sum(parts.tally), parts.tally, parts.names, level, answers, covariance,
        quantities, notes,
    )  # fmt: skip
    return with_asked_shares(results, (parts.table, parts.counts, parts.target), size)


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
    return Results(frozen, origin, n, questions, target=target)


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
