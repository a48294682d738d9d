"""A regression as the blocks of its page."""

from collections.abc import Iterator, Sequence

from survey.analysis.blocks import (
    HINT,
    Block,
    Facts,
    FigureCell,
    Folded,
    FormulaLine,
    Heading,
    Paragraph,
    Row,
    Table,
    remark_block,
)
from survey.analysis.cells import (
    fine_cell,
    level_text,
    p_cell,
    ratio_cell,
    share_cell,
    value_cell,
)
from survey.analysis.columns.variables import AnalysisColumn
from survey.analysis.groups.figures import IntervalEstimate
from survey.analysis.regression.coefficients import (
    MIN_RESPONSES_PER_COEFFICIENT,
    Regression,
)
from survey.analysis.regression.effects import Effect, PredictedShare, TermTest
from survey.analysis.regression.equations import (
    equations,
    odds_ratios,
    scale_sentence,
)
from survey.analysis.regression.estimators import (
    ALIKE,
    DIFFERENT,
    LEAST_SQUARES,
    MAXIMUM_LIKELIHOOD,
    NO_END,
    NO_MAXIMUM,
    PENALISED,
)
from survey.analysis.regression.formula import coefficient_label
from survey.analysis.regression.outcomes import (
    CAUCHIT,
    CLOGLOG,
    LINEAR,
    LOGISTIC,
    LOGITS,
    MULTINOMIAL,
    ORDERED,
    PROBIT,
)
from survey.analysis.sentences import excluded_responses
from survey.core.translate import (
    join_sentences,
    later,
    translate,
    translate_constant,
)
from survey.estimation.number_text import finely_rounded, fixed_decimals, points_text

Columns = Sequence[AnalysisColumn]
MODEL_NAMES = {
    LOGISTIC: later("Logistic regression"),
    PROBIT: later("Probit regression"),
    CLOGLOG: later("Complementary log-log regression"),
    CAUCHIT: later("Cauchit regression"),
    MULTINOMIAL: later("Multinomial logistic regression"),
    ORDERED: later("Ordinal logistic regression"),
    LINEAR: later("Linear regression"),
}
KINDS_OF_ERRORS = {
    "observed": later("observed information"),
    "expected": later("expected information"),
}
# Why the automatic choice is this estimator.
REASON_SENTENCES = {
    ALIKE: later(
        "Candor chose it because the penalised estimates and standard errors differ by at most a "
        "quarter of a standard error."
    ),
    DIFFERENT: later(
        "Candor chose it because an estimate or standard error of maximum likelihood differs by "
        "more than a quarter of a standard error."
    ),
    NO_MAXIMUM: later(
        "Candor chose it because the likelihood has no maximum at finite parameters."
    ),
    NO_END: later("Candor chose it because an interval of maximum likelihood is infinite."),
}
LIKELIHOOD = later(
    "The log-likelihood of one respondent is ln Σ over the answers of Pr(report | answer) × "
    "Pr(answer | predictors). The randomizer determines Pr(report | answer)."
)
LIKELIHOOD_WITH_PRIVATE = later(
    "The log-likelihood of one respondent is ln Σ Pr(reports | k, z) × Pr(k | z, x) × Pr(z | x). "
    "The sum is over all answers k to the outcome and z to the private predictors. The other "
    "predictors are x. Candor estimates Pr(z | x) together with the coefficients. The randomizers "
    "determine Pr(reports | k, z)."
)
METHODS = {
    LEAST_SQUARES: (
        later(
            "Candor estimates the coefficients by least squares on unbiased scores of the reports. "
            "For each answer, the expected score is the value of this answer."
        ),
    ),
    MAXIMUM_LIKELIHOOD: (
        later("Candor estimates the coefficients by maximum likelihood."),
        LIKELIHOOD,
    ),
    PENALISED: (
        later("Candor estimates the coefficients by penalised maximum likelihood."),
        LIKELIHOOD,
        later(
            "The penalty is Jeffreys’ prior of the direct answers: I is Fisher’s information that "
            "the answers would have without randomisation. It keeps every coefficient finite."
        ),
    ),
}
PENALISED_FORMULA = "ln L* = Σ ln L + ½ ln det I"


def regression_heading(found: Regression, outcome: AnalysisColumn) -> str:
    """The model, and the question that it explains."""
    return translate(
        "%(model)s: %(question)s",
        model=translate_constant(MODEL_NAMES[found.model]),
        question=outcome.label,
    )


def regression_blocks(
    found: Regression, outcome: AnalysisColumn, predictors: Columns, *, products: bool
) -> Iterator[Block]:
    """Everything that a regression found, but its sentence and its chart.

    `products` says whether the model has products of predictors.
    """
    yield Paragraph(join_sentences(*responses_and_method(found)))
    yield Heading(translate("Coefficients"))
    yield coefficients_table(found, predictors)
    if found.log_likelihood is not None and found.aic is not None:
        yield fit_facts(found.log_likelihood, found.aic)
    if any(test.degrees > 1 for test in found.tests if test.adjusted_p is not None):
        yield Paragraph(
            translate(
                "With several coefficients for a predictor, one of them can look significant by "
                "chance alone. A test below takes all coefficients of a predictor together."
            ),
            HINT,
        )
    yield Heading(translate("Tests"))
    yield tests_table(found, (outcome, *predictors), products=products)
    if has_several_tests(found):
        yield Paragraph(
            translate(
                "With %(n)s predictors, some can look significant by chance alone. Use Holm’s p: "
                "it controls the probability of any false positive among all predictors.",
                n=len(predictors),
            ),
            HINT,
        )
    if found.effects:
        yield Heading(translate("Average marginal effects"))
        yield effects_table(found, predictors)
    if found.shares:
        yield Heading(translate("Predicted shares"))
        yield predicted_shares(found, predictors)
    yield from map(remark_block, found.remarks)
    yield Folded(translate("Formula"), tuple(formula_blocks(found, predictors)))


def responses_and_method(found: Regression) -> Iterator[str]:
    """How many responses there are, the method, and the scale of the coefficients."""
    yield translate("Based on %(n)s responses.", n=found.n)
    yield excluded_responses(found.left_out)
    yield from estimator_sentences(found)
    yield translate(
        "Standard errors: %(kind)s. Method for the intervals: %(intervals)s.",
        kind=translate_constant(KINDS_OF_ERRORS.get(found.errors, found.errors)),
        intervals=translate_constant(found.intervals),
    )
    yield scale_sentence(found)


def estimator_sentences(found: Regression) -> Iterator[str]:
    """The estimator, and why it is this one if the choice was automatic."""
    yield translate("Estimator: %(estimator)s.", estimator=translate_constant(found.estimator))
    if found.estimator_reason is not None:
        yield translate(REASON_SENTENCES[found.estimator_reason])


def fit_facts(log_likelihood: float, aic: float) -> Facts:
    """The log-likelihood, and Akaike's criterion, by which models of the same responses compare."""
    return Facts(
        (
            (
                translate("Log-likelihood"),
                value_cell(log_likelihood, fixed_decimals(log_likelihood, 2)),
            ),
            (
                translate("AIC (Akaike information criterion)"),
                value_cell(aic, fixed_decimals(aic, 2)),
            ),
        ),
        key="fit",
    )


def few_responses_text(found: Regression) -> str:
    """That p-values can be wrong, or an empty text."""
    if not found.has_few_responses:
        return ""
    return translate(
        "There are fewer than %(n)s responses for each coefficient, so p can be wrong.",
        n=MIN_RESPONSES_PER_COEFFICIENT,
    )


def coefficients_table(found: Regression, predictors: Columns) -> Table:
    has_ratios = found.model in LOGITS
    level = level_text(found.level)
    caption = (
        translate(
            "With standard errors and %(level)s %% intervals; odds ratio = e^coefficient.",
            level=level,
        )
        if has_ratios
        else translate("With standard errors and %(level)s %% intervals.", level=level)
    )
    ratio = (translate("Odds ratio"),) if has_ratios else ()
    return Table(
        key="coefficients",
        region=translate("Coefficients"),
        caption=join_sentences(caption, few_responses_text(found)),
        names=(translate("Predictor"),),
        figures=(translate("Coefficient"), translate("Standard error"), *ratio, "p"),
        rows=tuple(coefficient_rows(found, predictors)),
    )


def coefficient_rows(found: Regression, predictors: Columns) -> Iterator[Row]:
    """A row for each coefficient. Constants and thresholds have no odds ratio."""
    for each, ratio in zip(found.coefficients, odds_ratios(found), strict=True):
        figure = fine_cell(each.value, each.low, each.high, each.error / 2)
        error = value_cell(each.error, finely_rounded(each.error, each.error / 2))
        cells = [figure, error]
        if found.model in LOGITS:
            cells.append(ratio_cell(ratio))
        yield Row(
            (coefficient_label(each.name, predictors),),
            (*cells, p_cell(each.p)),
            group=each.equation,
        )


def has_several_tests(found: Regression) -> bool:
    """Whether several tests have Holm's correction."""
    return sum(test.adjusted_p is not None for test in found.tests) > 1


def tests_table(found: Regression, columns: Columns, *, products: bool) -> Table:
    """A test of each predictor. `columns` are the outcome and the predictors."""
    sentences = [
        translate(
            "Each test shows whether a predictor, with its products, adds information to the other "
            "predictors."
        )
        if products
        else translate(
            "Each test shows whether a predictor adds information to the other predictors."
        )
    ]
    if any(column.private and column.special_answers for column in columns):
        sentences.append(
            translate("The tests leave out special answers such as “Prefer not to say”.")
        )
    several = has_several_tests(found)
    holm = (translate("p (Holm)"),) if several else ()
    return Table(
        key="tests",
        region=translate("Tests"),
        caption=join_sentences(*sentences, few_responses_text(found)),
        names=(translate("Predictor"), translate("Test")),
        figures=(translate("Statistic"), translate("Degrees of freedom"), "p", *holm),
        rows=tuple(predictor_test_row(test, columns, several=several) for test in found.tests),
        tall=False,
    )


def predictor_test_row(test: TermTest, columns: Columns, *, several: bool) -> Row:
    degrees = (
        translate("%(first)s and %(second)s", first=test.degrees, second=test.freedom)
        if test.freedom
        else f"{test.degrees}"
    )
    cells = [
        value_cell(test.statistic, fixed_decimals(test.statistic, 2)),
        FigureCell(text=degrees),
    ]
    cells += [p_cell(test.p), *((p_cell(test.adjusted_p),) if several else ())]
    return Row((coefficient_label(test.name, columns), translate_constant(test.kind)), tuple(cells))


def told_answers(found: Regression) -> list[str]:
    """The answers with figures of their own. Of two, the other follows."""
    if len(found.answers) > 2:
        return list(found.answers)
    return [answer for answer in found.answers if answer != found.compared_with]


def effects_table(found: Regression, predictors: Columns) -> Table:
    answers = told_answers(found)
    return Table(
        key="effects",
        region=translate("Average marginal effects"),
        caption=translate(
            "The change in the share of an answer, in percentage points, with its %(level)s %% "
            "interval. For a category, this is the change from the reference category. For a "
            "number, it is the effect of one more unit.",
            level=level_text(found.level),
        ),
        names=(translate("Predictor"), translate("Answer")),
        figures=(translate("Change, in points"), translate("Standard error, in points")),
        rows=tuple(
            effect_row(each, predictors) for each in found.effects if each.answer in answers
        ),
    )


def effect_row(effect: Effect, predictors: Columns) -> Row:
    """A change with one decimal, or more if its standard error is small."""
    change = fine_cell(effect.value, effect.low, effect.high, effect.error, times=100, least=1)
    error = value_cell(effect.error, finely_rounded(100 * effect.error, 100 * effect.error, 1))
    return Row((coefficient_label(effect.name, predictors), effect.answer), (change, error))


def predicted_shares(found: Regression, predictors: Columns) -> Table:
    answers = told_answers(found)
    return Table(
        key="shares",
        region=translate("Predicted shares"),
        caption=translate(
            "The predicted share if all respondents gave this answer to one question and their own "
            "answers to the other predictors, with its %(level)s %% interval.",
            level=level_text(found.level),
        ),
        names=(translate("If everyone answered"), translate("Answer")),
        figures=(translate("Share"), translate("Standard error, in points")),
        rows=tuple(
            predicted_row(each, predictors) for each in found.shares if each.answer in answers
        ),
    )


def predicted_row(share: PredictedShare, predictors: Columns) -> Row:
    name = coefficient_label(f"{share.predictor}: {share.level}", predictors)
    figure = IntervalEstimate(
        value=share.value, standard_error=share.error, low=share.low, high=share.high, method=""
    )
    error = value_cell(share.error, points_text(share.error))
    return Row((name, share.answer), (share_cell(figure), error))


def formula_blocks(found: Regression, predictors: Columns) -> Iterator[Block]:
    """The model in letters, then with its numbers, and how Candor fits it."""
    formulas = equations(found)
    yield FormulaLine(formulas[0].letters)
    yield Facts(tuple((column.name, FigureCell(text=column.label)) for column in predictors))
    yield from (FormulaLine(formula.numbers) for formula in formulas)
    if found.estimator == PENALISED:
        yield FormulaLine(PENALISED_FORMULA)
    brackets = translate(
        "A predictor in square brackets is 1 for respondents who gave this answer, and 0 for all "
        "others."
    )
    has_private = any(column.private for column in predictors)
    method = [
        LIKELIHOOD_WITH_PRIVATE if has_private and each == LIKELIHOOD else each
        for each in METHODS[found.estimator]
    ]
    method += method_for_private(found, predictors)
    yield Paragraph(join_sentences(brackets, *map(translate, method)), HINT)


def method_for_private(found: Regression, predictors: Columns) -> Iterator[str]:
    """What the method adds for the distribution of private predictors, not yet translated."""
    private = sum(column.private for column in predictors)
    if not private or found.model == LINEAR:
        return
    if found.estimator == PENALISED:
        yield later(
            "The distribution of the answers to private predictors has a penalty, too. It is "
            "equivalent to half a further respondent for each of its parameters."
        )
    if private > 2:
        yield later(
            "Candor assumes that the answers to private predictors are related in pairs only."
        )
