"""The analyses: the form of each, and the function that computes its result."""

from collections.abc import Callable
from dataclasses import dataclass
from string import ascii_uppercase
from typing import Any

from survey.analysis.as_json import (
    comparison_json,
    correlations_json,
    crosstab_json,
    predictions_json,
    regression_json,
    tree_json,
)
from survey.analysis.as_rows import (
    comparison_rows,
    correlation_rows,
    crosstab_rows,
    regression_rows,
    tree_accuracy_rows,
    tree_rows,
)
from survey.analysis.columns.variables import AnalysisColumn, SurveyDesign
from survey.analysis.groups.group_blocks import comparison_blocks
from survey.analysis.groups.groups import compare
from survey.analysis.groups.measures import measure_text
from survey.analysis.regression.outcomes import LINEAR
from survey.analysis.regression.regression import regress
from survey.analysis.regression.regression_blocks import (
    MODEL_NAMES,
    regression_blocks,
    regression_heading,
)
from survey.analysis.sentences import (
    capitalised,
    comparison_sentence,
    correlations_sentence,
    crosstab_sentence,
    regression_sentence,
    tree_sentence,
)
from survey.analysis.tables.correlation_blocks import correlation_blocks
from survey.analysis.tables.correlation_matrix import correlations
from survey.analysis.tables.crosstab_blocks import crosstab_blocks
from survey.analysis.tables.crosstabs import crosstab
from survey.analysis.trees.predictions import predicted_rows, tree_accuracy
from survey.analysis.trees.tree_blocks import tree_blocks
from survey.analysis.trees.tree_text import rules
from survey.analysis.trees.trees import build_decision_tree
from survey.core.errors import UnanswerableQuestion
from survey.core.translate import (
    join_sentences,
    later,
    translate,
    translate_constant,
    translate_list,
)
from survey.store import StoredSurvey
from survey.web.analyses.change import ChangeForm, change_result, offer_comparable_surveys
from survey.web.analyses.crosswise import CrosswiseForm, crosswise_result
from survey.web.analyses.forms import (
    FIRST,
    AnalysisForm,
    CorrelationForm,
    CrosstabForm,
    GroupsForm,
    RegressionForm,
    TreeForm,
)
from survey.web.analyses.list_experiment import (
    ListForm,
    list_result,
    offer_treatment_surveys,
)
from survey.web.analyses.request import Query, columns_for, form_for
from survey.web.analyses.result import AnalysisResult
from survey.web.analyses.validity import offer_other_surveys, validity_result
from survey.web.analyses.validity_form import ValidityForm
from survey.web.charts import interval_rows
from survey.web.charts.analysis_rows import coefficient_chart, correlation_chart, groups_chart
from survey.web.charts.decision_tree import NARROW, WIDE, tree_chart, tree_svg
from survey.web.charts.heat_map import heat_map
from survey.web.charts.mosaic import NARROW as NARROW_MOSAIC
from survey.web.charts.mosaic import WIDE as WIDE_MOSAIC
from survey.web.charts.mosaic import mosaic_chart, mosaic_shares

Columns = list[AnalysisColumn]
Run = Callable[[Any, Columns, SurveyDesign], AnalysisResult]
ROWS_LAYOUTS = (interval_rows.WIDE, interval_rows.NARROW)


@dataclass(frozen=True)
class AnalysisKind:
    """An analysis.

    Attributes
    ----------
    name : in the addresses of its files
    title : in the list of analyses
    form : what a researcher chooses
    run : computes the result. Raises UnanswerableQuestion.
    help : the address of its formulas in the documents
    prepare : adds choices to the form that come from other surveys
    """

    name: str
    title: str
    form: type[AnalysisForm]
    run: Run
    help: str
    prepare: Callable[[Any, StoredSurvey], None] | None = None

    def requested(self, found: StoredSurvey, query: Query) -> AnalysisForm | None:
        """The form with what a query chooses; None if the survey has too few questions."""
        form = form_for(found, self.form, query)
        if form and self.prepare:
            self.prepare(form, found)
        return form

    def result(self, found: StoredSurvey, query: Query) -> AnalysisResult:
        """The result for a query. Raises UnanswerableQuestion if the query is not valid."""
        form = self.valid_form(found, query)
        return self.run(form, *columns_for(found, form))

    def valid_form(self, found: StoredSurvey, query: Query) -> AnalysisForm:
        """The form with what a query chooses. Raises UnanswerableQuestion if it is not valid."""
        form = self.requested(found, query)
        if form is None:
            raise UnanswerableQuestion(translate_constant(self.form.lacking))
        if not query:
            raise UnanswerableQuestion(
                translate("The address has no parameters: copy it from the page.")
            )
        if not form.validate():
            name, faults = next(iter(form.errors.items()))
            label = translate_constant(form[name].label.text if name else self.title)
            messages = (translate_constant(str(fault)) for fault in faults)
            raise UnanswerableQuestion(f"{label}: {join_sentences(*messages)}")
        return form


def crosstab_result(form: CrosstabForm, columns: Columns, design: SurveyDesign) -> AnalysisResult:
    """How the answers to several questions are related."""
    table = crosstab(columns, design)
    _, likeliest = mosaic_shares(table)
    note = (
        later(
            "The area of each part shows the share of respondents with both answers (maximum "
            "likelihood shares). For the random error, see the intervals in the table."
        )
        if likeliest
        else later(
            "The area of each part shows the share of respondents with both answers (estimated "
            "shares, with 0 for those below 0). For the random error, see the intervals in the "
            "table."
        )
    )
    return AnalysisResult(
        title=" × ".join(column.label for column in columns),
        sentence=crosstab_sentence(table),
        n=table.n,
        charts=tuple(mosaic_chart(table, layout) for layout in (WIDE_MOSAIC, NARROW_MOSAIC)),
        rows=tuple(crosstab_rows(table)),
        content=crosstab_json(table),
        heading=" × ".join(column.label for column in table.columns[:2]),
        blocks=tuple(crosstab_blocks(table, form.of.data)),
        note=translate(note),
    )


def groups_result(form: GroupsForm, columns: Columns, design: SurveyDesign) -> AnalysisResult:
    """A share or a mean in each group, and the differences between groups."""
    outcome, group = columns
    reference = 0 if form.against.data == FIRST else None
    found = compare(outcome, group, design, form.answer, reference)
    subject = capitalised(measure_text(found.measure))
    return AnalysisResult(
        title=translate("%(measure)s, by “%(question)s”", measure=subject, question=group.label),
        sentence=comparison_sentence(found),
        n=found.n,
        charts=tuple(groups_chart(found, layout) for layout in ROWS_LAYOUTS),
        rows=tuple(comparison_rows(found)),
        content=comparison_json(found),
        heading=f"{outcome.label} · {group.label}",
        blocks=tuple(comparison_blocks(found)),
    )


def correlation_result(
    form: CorrelationForm, columns: Columns, design: SurveyDesign
) -> AnalysisResult:
    """How strongly the answers to questions are related."""
    found = correlations(columns, design, form.answers)
    named = list(zip(ascii_uppercase, form.labels, strict=False))
    several = len(found.pairs) > 1
    if several:
        charts = tuple(heat_map(found, named, narrow) for narrow in (False, True))
        title = translate("Correlations of %(n)s questions", n=len(named))
        note = translate(
            "A square has a colour if its coefficient differs significantly from 0, with "
            "Holm’s correction for all pairs."
        )
    else:
        charts = tuple(correlation_chart(found, form.labels, each) for each in ROWS_LAYOUTS)
        title = translate("Correlation of %(questions)s", questions=translate_list(form.labels))
        note = ""
    return AnalysisResult(
        title=title,
        sentence=correlations_sentence(found, form.labels),
        n=max(pair.found.n for pair in found.pairs if pair.found is not None),
        charts=charts,
        rows=tuple(correlation_rows(found, form.labels)),
        content=correlations_json(found, form.labels),
        heading=title if several else " × ".join(form.labels),
        blocks=tuple(correlation_blocks(found, form.labels, weighted=bool(form.design.weights))),
        note=note,
    )


def regression_result(
    form: RegressionForm, columns: Columns, design: SurveyDesign
) -> AnalysisResult:
    """How answers to one question depend on the answers to others."""
    outcome, predictors = columns[0], columns[1:]
    sampled = design if design.given else None
    model, errors = form.model.data or None, form.errors_of.data or None
    found = regress(outcome, predictors, model, errors, sampled, formula=form.formula)
    model_name = translate_constant(MODEL_NAMES[found.model])
    is_linear, products = found.model == LINEAR, bool(form.formula.products)
    return AnalysisResult(
        title=translate("%(model)s of “%(question)s”", model=model_name, question=outcome.label),
        sentence=regression_sentence(found, outcome, predictors),
        n=found.n,
        charts=tuple(coefficient_chart(found, predictors, each) for each in ROWS_LAYOUTS),
        rows=tuple(regression_rows(found, predictors)),
        content=regression_json(found, outcome, predictors),
        heading=regression_heading(found, outcome),
        blocks=tuple(regression_blocks(found, outcome, predictors, products=products)),
        note=translate("A coefficient is a change in the mean.") if is_linear else "",
    )


def tree_result(form: TreeForm, columns: Columns, design: SurveyDesign) -> AnalysisResult:
    """Which questions, one after the other, best predict the answers to another one."""
    tree = build_decision_tree(columns[0], columns[1:], design)
    accuracy, predicted = tree_accuracy(tree), predicted_rows(tree)
    return AnalysisResult(
        title=translate("“%(question)s”: a decision tree", question=tree.target.label),
        sentence=tree_sentence(tree),
        n=tree.n,
        charts=tuple(tree_chart(tree, layout) for layout in (WIDE, NARROW)),
        rows=(*tree_rows(tree), *tree_accuracy_rows(tree, accuracy)),
        content=tree_json(tree) | predictions_json(accuracy, predicted),
        heading=tree.target.label,
        blocks=tuple(tree_blocks(tree, accuracy, predicted)),
        description=join_sentences(*rules(tree)),
        file=tree_svg(tree),
    )


ANALYSES = {
    kind.name: kind
    for kind in (
        AnalysisKind(
            "crosstab", later("Cross-tabulation"), CrosstabForm, crosstab_result,
            "explanation/analyses#cross-tabulations",
        ),
        AnalysisKind(
            "groups", later("Groups"), GroupsForm, groups_result, "explanation/analyses#groups"
        ),
        AnalysisKind(
            "change", later("Change over time"), ChangeForm, change_result,
            "explanation/analyses#changes", offer_comparable_surveys,
        ),
        AnalysisKind(
            "correlation", later("Correlation"), CorrelationForm, correlation_result,
            "explanation/analyses#correlation",
        ),
        AnalysisKind(
            "regression", later("Regression"), RegressionForm, regression_result,
            "explanation/regression",
        ),
        AnalysisKind(
            "tree", later("Decision tree"), TreeForm, tree_result,
            "explanation/analyses#decision-trees",
        ),
        AnalysisKind(
            "crosswise", later("Crosswise"), CrosswiseForm, crosswise_result,
            "explanation/analyses#crosswise-questions",
        ),
        AnalysisKind(
            "list", later("List experiment"), ListForm, list_result,
            "explanation/analyses#list-experiments", offer_treatment_surveys,
        ),
        AnalysisKind(
            "validity", later("Validity"), ValidityForm, validity_result,
            "explanation/analyses#validity", offer_other_surveys,
        ),
    )
}  # fmt: skip
