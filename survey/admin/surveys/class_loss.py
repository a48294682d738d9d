"""The privacy loss of a class, which a teacher chooses before the class opens."""

from dataclasses import dataclass

from flask import flash, redirect, render_template, request, url_for
from flask.typing import ResponseReturnValue
from wtforms import RadioField
from wtforms.validators import Optional

from survey.admin.blueprint import blueprint, whole_survey
from survey.core.errors import DefinitionError, StateError
from survey.core.translate import later, translate, translate_number, translate_plural
from survey.definition.certainty import epsilon_text
from survey.definition.privacy_limits import sentences_above
from survey.definition.survey import Survey
from survey.estimation.number_text import nonbreaking, rounded_share
from survey.estimation.share_intervals import Interval
from survey.planning.class_intervals import (
    CLASS_SIZES,
    COINS,
    MAX_CLASS_EPSILON,
    MIN_CLASS_EPSILON,
    OFFERED_LOSSES,
    ClassInterval,
    adjustable_questions,
    chosen_loss,
    class_intervals,
    with_class_loss,
)
from survey.store import EDITOR, StoredSurvey
from survey.store.stored import not_draft
from survey.web.audit_log import audit
from survey.web.extensions import privacy_limits, store
from survey.web.form_fields import NumberField, PageForm, PostForm, number_between


class OwnLossForm(PageForm):
    """A privacy loss of one's own, whose intervals the page adds."""

    own = NumberField(
        later("Another ε"),
        [Optional(), number_between(MIN_CLASS_EPSILON, MAX_CLASS_EPSILON)],
        places=None,
    )


class ClassLossForm(PostForm):
    """The privacy loss of each adjustable question."""

    choice = RadioField(later("Privacy loss ε of each private question"))


@dataclass(frozen=True)
class OfferedLoss:
    """A choice with what it leads to: the survey and its intervals, or why it is not possible."""

    choice: str
    survey: Survey | None
    intervals: list[ClassInterval]
    faults: tuple[str, ...] = ()

    @property
    def rows(self) -> list[tuple[str, list[str]]]:
        """For each adjustable question its ε, and the interval for each size of a class."""
        return [
            (
                translate_number(epsilon_text(each.question.epsilon)),
                [class_interval(interval) for interval in each.intervals],
            )
            for each in self.intervals
        ]

    @property
    def label(self) -> str:
        if self.choice == COINS:
            return translate("two coins")
        return translate_number(f"ε = {self.choice}")


def class_interval(interval: Interval | None) -> str:
    """An interval in whole percent, as all intervals of a class are wide; or a dash."""
    if interval is None:
        return "–"
    low, high = (
        nonbreaking(translate_number(rounded_share(end, 1.0)))
        for end in (interval.low, interval.high)
    )
    return translate("%(low)s to %(high)s", low=low, high=high)


def class_draft(slug: str) -> StoredSurvey:
    """A draft in class mode. Raises StateError for every other survey."""
    found = whole_survey(slug)
    if found.state != "draft":
        raise not_draft(slug, found.state)
    if not found.survey.fieldwork.class_mode:
        raise StateError(
            "Survey '%(slug)s' is not in class mode. Switch class mode on in the builder.",
            slug=slug,
        )
    return found


def offered_loss(survey: Survey, choice: str) -> OfferedLoss:
    """What a choice leads to. It has faults if the survey could not open with it."""
    try:
        changed = with_class_loss(survey, choice)
    except DefinitionError as error:
        return OfferedLoss(choice, None, [], (str(error),))
    above = tuple(sentences_above(changed, privacy_limits()))
    return OfferedLoss(choice, changed, class_intervals(changed), above)


def own_choice(form: OwnLossForm) -> list[str]:
    """The typed ε as a choice; none if it is missing, not valid, or offered already."""
    if not form.validate() or form.own.data is None:
        return []
    written = f"{form.own.data.normalize():f}"
    return [] if written in OFFERED_LOSSES else [written]


@blueprint.route("/surveys/<slug>/class-loss", methods=["GET", "POST"], role=EDITOR)
def class_loss(slug: str) -> ResponseReturnValue:
    """Choose the privacy loss of a class, next to the intervals that 20 and 40 people will get.

    Status 422 if the choice is not possible; 409 unless the survey is a draft in class mode.
    """
    found = class_draft(slug)
    survey = found.survey
    own = OwnLossForm(request.args)
    choices = [*OFFERED_LOSSES, *own_choice(own)]
    offered = [offered_loss(survey, choice) for choice in choices]
    form = ClassLossForm()
    form.choice.choices = [(each.choice, each.label) for each in offered]
    if form.validate_on_submit():
        chosen = next(each for each in offered if each.choice == form.choice.data)
        if chosen.survey is not None and not chosen.faults:
            return saved_loss(slug, chosen.survey)
        form.choice.errors = [*chosen.faults]
    if not form.is_submitted():
        form.choice.data = chosen_loss(survey, [e.choice for e in offered if e.survey is not None])
    page = render_template(
        "admin/surveys/class_loss.html",
        found=found,
        survey=survey,
        own=own,
        form=form,
        offered=offered,
        questions=adjustable_questions(survey),
        headings=tuple(
            translate_plural("%(n)s person", "%(n)s people", n).strip() for n in CLASS_SIZES
        ),
        ends=(MIN_CLASS_EPSILON, MAX_CLASS_EPSILON),
    )
    return page, 422 if form.errors or own.errors else 200


def saved_loss(slug: str, survey: Survey) -> ResponseReturnValue:
    store().surveys.save_draft(survey, replacing=slug)
    audit("chose the privacy loss of the class", slug)
    flash(
        translate_plural(
            "%(n)s private question has the chosen privacy loss now. The total privacy loss of one "
            "respondent is ε = %(epsilon)s.",
            "%(n)s private questions have the chosen privacy loss now. The total privacy loss of "
            "one respondent is ε = %(epsilon)s.",
            len(adjustable_questions(survey)),
            epsilon=translate_number(epsilon_text(survey.epsilon)),
        )
    )
    return redirect(url_for("admin.overview", slug=slug))
