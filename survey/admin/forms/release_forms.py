"""Forms of central DP releases: the budget, and a new release. survey/central_dp/ checks them."""

from wtforms import SelectChoice, SelectField, StringField

from survey.central_dp.dp_request import (
    CORRECT,
    DEFAULT_TREE_DEPTH,
    LAPLACE,
    MAX_TREE_DEPTH,
    MECHANISMS,
    TREE_SCORES,
    Statistic,
    groupings,
    has_bounds,
    mechanisms_for,
    tree_questions,
)
from survey.central_dp.types import ANSWER_STATISTICS
from survey.core.translate import later, translate
from survey.definition.questions import Question
from survey.definition.survey import Survey
from survey.web.form_fields import CheckboxesField, PageForm, PostForm

EVERYONE = "everyone"


class BudgetForm(PostForm):
    epsilon = StringField(later("Total ε of all releases"))
    delta = StringField(later("Total δ of all releases"))


class ReleaseForm(PageForm):
    """The form of a new release. It is sent by GET, shows the cost, and draws nothing."""

    answer = SelectField(later("Answer to count"), validate_choice=False)
    low = StringField(later("Lower bound"))
    high = StringField(later("Upper bound"))
    bins = StringField(later("Number of bins"))
    by = CheckboxesField(later("Questions to split by"), validate_choice=False)
    depth = SelectField(
        later("Maximum depth of the tree"),
        choices=[SelectChoice(str(n), str(n)) for n in range(1, MAX_TREE_DEPTH + 1)],
        default=str(DEFAULT_TREE_DEPTH),
    )
    score = SelectField(later("Splits by"), validate_choice=False, default=CORRECT)
    percent = StringField(later("Percentage of answers below the quantile"), default="90")
    among = SelectField(later("Group"), validate_choice=False, default=EVERYONE)
    mechanism = SelectField(later("Noise"), validate_choice=False)
    epsilon = StringField(later("Privacy loss ε"))
    delta = StringField(later("δ (for Gaussian noise)"), default="0.000001")


def keep_fitting_fields(
    form: ReleaseForm, survey: Survey, question: Question, statistic: str
) -> ReleaseForm:
    """The form with only the fields of this statistic, and their choices."""
    form.answer.choices = [
        SelectChoice(name, label if name else translate(label))
        for name, label in ANSWER_STATISTICS[question].countable()
    ]
    form.mechanism.choices = [
        SelectChoice(each, translate(MECHANISMS[each])) for each in mechanisms_for(statistic)
    ]
    form.among.choices = [SelectChoice(EVERYONE, translate("everyone"))]
    for group in groupings(survey, question.name):
        form.among.choices += [
            SelectChoice(f"{group.name}/{each.name}", each.label, optgroup=group.label)
            for each in group.answers
        ]
    form.by.choices = [
        SelectChoice(each.name, each.label) for each in tree_questions(survey, question.name)
    ]
    form.score.choices = [
        SelectChoice(name, translate(label)) for name, label in TREE_SCORES.items()
    ]
    bounded = has_bounds(question, statistic)
    unfit = {
        "answer": statistic != Statistic.COUNT,
        "low": not bounded,
        "high": not bounded,
        "bins": statistic != Statistic.HISTOGRAM or question.grid is None,
        "by": statistic != Statistic.TREE,
        "depth": statistic != Statistic.TREE,
        "score": statistic != Statistic.TREE,
        "percent": statistic != Statistic.QUANTILE,
        "among": len(form.among.choices) == 1,
        "mechanism": len(mechanisms_for(statistic)) == 1,
        "delta": LAPLACE not in mechanisms_for(statistic),
    }
    for name, unneeded in unfit.items():
        if unneeded:
            del form[name]
    return form


def texts_of_form(form: ReleaseForm, question: str, statistic: str) -> dict[str, str]:
    """The texts that `read_request` reads."""
    texts = {field.name: field.data or "" for field in form if field.name != "by"}
    if "by" in form:
        texts["by"] = " ".join(form.by.data or [])
    among = texts.pop("among", EVERYONE)
    if among != EVERYONE:
        texts["group"], _, texts["member"] = among.partition("/")
    return texts | {"question": question, "statistic": statistic}
