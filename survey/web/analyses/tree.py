"""A decision tree: the form, and the result."""

from wtforms import SelectField
from wtforms.validators import InputRequired

from survey.analysis.as_json import predictions_json, tree_json
from survey.analysis.as_rows import tree_accuracy_rows, tree_rows
from survey.analysis.columns.variables import SurveyDesign
from survey.analysis.sentences import tree_sentence
from survey.analysis.trees.predictions import predicted_rows, tree_accuracy
from survey.analysis.trees.tree_blocks import tree_blocks
from survey.analysis.trees.tree_text import rules
from survey.analysis.trees.trees import build_decision_tree
from survey.charts.decision_tree import NARROW, WIDE, tree_chart
from survey.core.translate import join_sentences, later, translate
from survey.web.analyses.forms import (
    TICK_ONE,
    AnalysisForm,
    linked_terms,
)
from survey.web.analyses.kind import AnalysisKind, Columns
from survey.web.analyses.result import AnalysisResult
from survey.web.form_fields import CheckboxesField


class TreeForm(AnalysisForm):
    parts = ("target", "predictors")
    target = SelectField(later("Outcome"))
    predictors = CheckboxesField(later("Split by"), [InputRequired(TICK_ONE)])


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
    )


def about_tree() -> str:
    return translate(
        "A decision tree shows which questions, one after the other, best predict the answers to "
        "another question. Where no question is related to these answers, the probability that "
        "Candor still splits the branch is at most about 5 %%. A number is split at a cut point, "
        "such as 40 years. The analysis adds no %(loss)s.",
        **linked_terms(),
    )


TREE = AnalysisKind(
    name="tree",
    title=later("Decision tree"),
    about=about_tree,
    form=TreeForm,
    compute=tree_result,
    help="explanation/analyses#decision-trees",
)
