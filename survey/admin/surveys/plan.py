"""The planner: how many respondents a survey needs, and the precision that they give."""

from decimal import Decimal
from typing import Any

from flask import render_template, request
from flask.typing import ResponseReturnValue
from wtforms import Field

from survey.admin.blueprint import blueprint
from survey.admin.forms.survey_form import PlanForm
from survey.charts.margins import denial_chart, epsilon_chart, respondents_chart
from survey.core.translate import translate
from survey.definition.questions import Question
from survey.definition.sub_surveys import whole_of
from survey.definition.survey import Survey
from survey.planning.arms import only_arms_decide
from survey.planning.denial import DENIAL_STUDIES, break_even
from survey.planning.joint_comparison import (
    assumption_sentence,
    certainty_text,
    combined_sentence,
    comparisons_of,
    design_name,
    labels_of,
    needed_count,
    price_sentences,
)
from survey.planning.plan_curves import (
    CURVE_SIZES,
    TABLE_SIZES,
    against_denial,
    against_epsilon,
    against_respondents,
)
from survey.planning.plan_text import (
    asked_sentence,
    comparison_sentences,
    denial_sentence,
    figure_label,
    goal_sentence,
    least_sentence,
    margin_points,
    margin_sentence,
    margin_text,
    points_shown,
    survey_sentence,
    target_sentence,
)
from survey.planning.precision import SHARE, asked_precision
from survey.planning.sample_size import PlannedFigure, PlanParameters, comparison, plan_figures
from survey.store import ANALYST
from survey.web.extensions import store


def wishes_of(form: PlanForm) -> PlanParameters:
    """The form's numbers, with percent as fractions. A faulty field, or a faulty pair, has its
    default."""
    pair = bool(form.null.errors or form.truth.errors)

    def value(field: Field, wrong: bool = False) -> Any:
        return field.default if wrong or field.errors else field.data

    def part(field: Field, wrong: bool = False) -> float:
        return float(Decimal(value(field, wrong)) / 100)

    return PlanParameters(
        n=value(form.n),
        margin=part(form.margin),
        share=None if value(form.share) is None else part(form.share),
        asked=None if value(form.asked) is None else part(form.asked),
        null=part(form.null, pair),
        truth=part(form.truth, pair),
        alpha=part(form.alpha),
        power=part(form.power),
    )


def result_numbers(survey: Survey) -> dict[str, str]:
    """The numbers of the planned questions on the results page, by name, such as 1 and 1a."""
    numbers = {}
    for place, question in enumerate(survey.fields, start=1):
        numbers[question.name] = str(place)
        for letter, item in zip("abcd", survey.items_of(question), strict=False):
            numbers[f"{question.name}/{item.name}"] = f"{place}{letter}"
    return numbers


def read_plan_form(rows: tuple[PlannedFigure, ...], survey: Survey) -> PlanForm:
    """The form as sent, or with its defaults. Without a question, it has the first one."""
    labels, numbers = (
        {row.question.name: row.question.label for row in rows},
        result_numbers(survey),
    )
    form = PlanForm(request.args or None)
    form.question.choices = [(name, f"{numbers[name]}. {label}") for name, label in labels.items()]
    if form.question.data not in labels:
        form.question.data = next(iter(labels))
    return form


def changes_hidden_field(form: PlanForm) -> bool:
    """Whether a hidden field differs from its default, or has an error."""
    folded = (form.share, form.asked, form.null, form.truth, form.power, form.alpha)
    return any(field.errors or field.data != field.default for field in folded)


def closely(row: PlannedFigure, survey: Survey, wishes: PlanParameters) -> dict[str, object]:
    """The variables of the page about one question.

    Parameters
    ----------
    row : the first figure of the question
    """
    question = row.question
    power_comparison = comparison(question, survey, wishes)
    unit = translate("margin, in percentage points")
    if power_comparison.kind != SHARE:
        unit = translate("margin, in percent of the range")
    curves = against_respondents(question, survey, wishes.share)
    trades = against_epsilon(question, survey, wishes.n, wishes.share)
    openly = row.relative_margin_openly
    denial = break_even(question, survey, wishes.n, wishes.share)
    denials = against_denial(question, survey, wishes.share)
    return {
        "denial": denial,
        "denial_chart": denial_chart(denials, denial) if denial else None,
        "denial_sentence": denial_sentence(denial) if denial else "",
        "studies": DENIAL_STUDIES,
        "chosen": question,
        "comparison": power_comparison,
        "comparison_sentences": list(comparison_sentences(power_comparison, wishes)),
        "unit": unit,
        "lines": curves,
        "sizes": TABLE_SIZES,
        "respondents_chart": respondents_chart(
            curves, CURVE_SIZES, wishes.n, row.relative_margin, unit
        ),
        "trades": trades,
        "openly": openly,
        "epsilon_chart": epsilon_chart(trades, openly, unit),
    }


def asked_sentences(
    rows: tuple[PlannedFigure, ...], survey: Survey, wishes: PlanParameters
) -> dict[str, str]:
    """For each question with a condition, by name: the margin among those asked."""
    questions = {row.question.name: row.question for row in rows}
    sentences = {name: asked_sentence(each, wishes, survey) for name, each in questions.items()}
    return {name: sentence for name, sentence in sentences.items() if sentence}


def asked_is_unknown(question: Question, survey: Survey) -> bool:
    """Whether the plan needs an assumed share of people who are asked a question."""
    return (
        not only_arms_decide(question, survey) and asked_precision(question, 1, survey) is not None
    )


@blueprint.get("/surveys/<slug>/plan", role=ANALYST)
def plan(slug: str) -> ResponseReturnValue:
    stored = store().surveys.by_slug(whole_of(slug))
    survey, rows = stored.survey, plan_figures(stored.survey, PlanParameters())
    context: dict[str, object] = {}
    form = None
    if rows:
        form = read_plan_form(rows, survey)
        # The defaults are valid.
        if request.args:
            form.validate()
        wishes = wishes_of(form)
        rows = plan_figures(survey, wishes)
        of_chosen = [row for row in rows if row.question.name == form.question.data]
        context = {
            "wishes": wishes,
            "rows": rows,
            "of_chosen": of_chosen,
            "joint_comparisons": comparisons_of(survey, wishes.share),
            "asked_sentences": asked_sentences(rows, survey, wishes),
            "asked_unknown": any(asked_is_unknown(row.question, survey) for row in rows),
            "target_sentence": target_sentence(survey, wishes),
            **closely(of_chosen[0], survey, wishes),
        }
    return render_template(
        "admin/surveys/plan.html",
        found=stored,
        survey=survey,
        form=form,
        changed=form is not None and changes_hidden_field(form),
        assumption_sentence=assumption_sentence,
        certainty_text=certainty_text,
        combined_sentence=combined_sentence,
        design_name=design_name,
        figure_label=figure_label,
        goal_sentence=goal_sentence,
        labels_of=labels_of,
        least_sentence=least_sentence,
        margin_sentence=margin_sentence,
        margin_text=margin_text,
        points=points_shown,
        price_sentences=price_sentences,
        margin_points=margin_points,
        needed_count=needed_count,
        survey_sentence=survey_sentence,
        **context,
    )
