"""The page of a class for the projector, and the end of the class.

The database stores neither the order of responses nor their batches, so it cannot show how an
estimate changed. The open page collects this: each reply contains the counts that the page has
seen, signed, and the page sends them back. The counted hands are only in the page, too. Both are
sent in the body of a request, so they are in no address, history or log. A reload loses them.
"""

from collections.abc import Mapping
from contextlib import suppress
from typing import Any

from flask import current_app, flash, redirect, render_template, url_for
from flask.typing import ResponseReturnValue
from itsdangerous import BadData, URLSafeSerializer
from wtforms import HiddenField, SelectChoice, SelectField
from wtforms.validators import NumberRange, Optional, ValidationError

from survey.admin.blueprint import blueprint, frozen_of, link_of, whole_survey
from survey.admin.forms.survey_form import ActionForm, WholeNumberField
from survey.admin.results.looks import look_at, sentence_on_hands, shares_to_watch
from survey.admin.surveys.overview import live_figures, progress_of
from survey.charts.looks import Look, ShownHands, looks_chart
from survey.core.errors import StateError, StoreUnavailable
from survey.core.translate import later, translate, translate_plural
from survey.definition.frozen import FrozenSurvey
from survey.estimation.build_results import responses_behind, survey_results
from survey.store import ANALYST, EDITOR, StoredSurvey
from survey.web.analyses.background import background_analyses
from survey.web.audit_log import audit
from survey.web.extensions import store
from survey.web.form_fields import PostForm

MAX_HANDS = 10_000
# More looks would make the page slow.
MAX_LOOKS = 60

Counts = Mapping[str, Mapping[int, int]]


class ClassForm(PostForm):
    """What the page shows. `seen` are the earlier counts."""

    watched = SelectField(later("Question"), coerce=int)
    raised = WholeNumberField(later("Raised hands"), [Optional(), NumberRange(0, MAX_HANDS)])
    asked = WholeNumberField(later("People asked"), [Optional(), NumberRange(1, MAX_HANDS)])
    seen = HiddenField()

    def validate_asked(self, field: WholeNumberField) -> None:
        if self.raised.data is not None and field.data < self.raised.data:
            raise ValidationError(
                translate("More people raised a hand than were asked. Correct one of the numbers.")
            )

    @property
    def hands(self) -> ShownHands | None:
        """The counted hands, if both numbers are there and valid."""
        raised, asked = self.raised.data, self.asked.data
        if self.errors or raised is None or not asked:
            return None
        return ShownHands(raised, asked)


def class_of(slug: str) -> StoredSurvey:
    """An open or closed survey in class mode. Raises StateError for another survey."""
    found = whole_survey(slug)
    frozen_of(found)
    if not found.survey.fieldwork.class_mode:
        raise StateError(
            "Survey '%(slug)s' is not in class mode. To use it in a class, duplicate it and "
            "switch class mode on.",
            slug=slug,
        )
    return found


def serializer_of(frozen: FrozenSurvey) -> URLSafeSerializer:
    """Signs the counts of one frozen survey."""
    return URLSafeSerializer(str(current_app.secret_key), salt=f"class {frozen.fingerprint}")


def counts_seen(frozen: FrozenSurvey, signed: str | None, now: Counts) -> list[Counts]:
    """All counts that the page has seen, in ascending order, with the present ones last.

    Earlier counts are left out if they are not signed, or if withdrawals have made them larger than
    the present ones.
    """
    earlier: list[Counts] = []
    with suppress(BadData):
        for entry in serializer_of(frozen).loads(signed or ""):
            earlier.append(
                {
                    name: {int(code): n for code, n in counts.items()}
                    for name, counts in entry.items()
                }
            )
    last = responses_behind(frozen.survey, now)
    kept = [each for each in earlier if responses_behind(frozen.survey, each) < last]
    return [*kept, now][-MAX_LOOKS:] if last else []


def looks_of(found: StoredSurvey, seen: list[Counts], watched: tuple[str, str]) -> list[Look]:
    """The watched share at each count. Counts with too few reports for an estimate are left out."""
    frozen, planned = frozen_of(found), found.survey.fieldwork.planned
    question, answer = watched
    looks = []
    for counts in seen:
        results = survey_results(frozen, counts, found.origin).as_shown
        of_question = next(each for each in results.every if each.question.name == question)
        look = look_at(of_question, answer, planned)
        if look is not None:
            looks.append(look)
    return looks


def figures_of(found: StoredSurvey, form: ClassForm) -> dict[str, Any]:
    """The variables of the page that depend on the form, also if the form is not valid."""
    shares = shares_to_watch(found.survey)
    form.watched.choices = [
        SelectChoice(place, f"{question.label} – {choice.label}")
        for place, (question, choice) in enumerate(shares)
    ]
    if not shares:
        return {"form": form, "watched": None}
    if form.is_submitted():
        form.validate()
    place = form.watched.data or 0
    question, choice = shares[place if place < len(shares) else 0]
    frozen = frozen_of(found)
    seen = counts_seen(frozen, form.seen.data, store().counts.by_question(found.survey.slug))
    form.seen.data = serializer_of(frozen).dumps(seen)
    looks = looks_of(found, seen, (question.name, choice.name))
    hands = form.hands
    return {
        "form": form,
        "watched": choice,
        "asked": question,
        "last": looks[-1] if looks else None,
        "chart": looks_chart(looks, hands),
        "on_hands": sentence_on_hands(hands, looks[-1] if looks else None) if hands else "",
    }


@blueprint.route("/surveys/<slug>/class", methods=["GET", "POST"], role=ANALYST)
def class_page(slug: str) -> ResponseReturnValue:
    """The page for the projector. A POST request changes nothing: it has the seen counts.

    Status 422 if a number is not valid; the rest of the page is right then, too.
    """
    found = class_of(slug)
    figures = figures_of(found, ClassForm())
    page = render_template(
        "admin/results/class.html",
        found=found,
        survey=found.survey,
        link=link_of(found),
        live=live_figures(found),
        **figures,
    )
    return page, 422 if figures["form"].errors else 200


@blueprint.route("/surveys/<slug>/class/end", methods=["GET", "POST"], role=EDITOR)
def end_class(slug: str) -> ResponseReturnValue:
    """Erase a class and everything in it, after one confirmation.

    The class is erased within two days anyway, so this needs no password, unlike the deletion of
    another survey.
    """
    found = class_of(slug)
    form = ActionForm()
    n = progress_of(found).people
    if not form.validate_on_submit():
        return render_template(
            "admin/results/end_class.html", found=found, survey=found.survey, form=form, n=n
        )
    store().lifecycle.end_class(slug)
    background_analyses().stop(slug)
    audit("ended the class and erased it", slug)
    # The data are deleted and overwritten already, so a failure here loses nothing.
    with suppress(StoreUnavailable):
        store().compact()
    flash(
        translate_plural(
            "“%(title)s” is erased, with %(n)s response.",
            "“%(title)s” is erased, with %(n)s responses.",
            n,
            title=found.survey.title,
        )
    )
    return redirect(url_for("admin.class_ended"))


@blueprint.get("/class-ended", role=ANALYST)
def class_ended() -> str:
    """The last page of a class. It names no survey, because there is none any more."""
    return render_template("admin/results/class_ended.html")
