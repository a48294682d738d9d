"""The form of the validity analysis. It is sent by GET, like those of all analyses."""

from wtforms import Form, SelectChoice, SelectField
from wtforms.validators import StopValidation, ValidationError

from survey.analysis.columns.available import AnalysableVariable
from survey.analysis.validity.checks import MatchingQuestion, direct_arms, elsewhere, with_shares
from survey.analysis.validity.noncompliance import AT_RANDOM, DENIED
from survey.core.translate import later, translate
from survey.definition.survey import Survey
from survey.store import StoredSurvey
from survey.web.access import within_reach
from survey.web.analyses.forms import (
    NOTHING,
    AnalysisForm,
    FormSection,
    measures_of,
    place_in,
    translate_choices,
)
from survey.web.extensions import store
from survey.web.form_fields import NumberField, number_between, percent_field
from survey.web.published_results import frozen_of

SAYS = {"denied": DENIED, "random": AT_RANDOM}
KNOWN_SHARE_FAULT = later("Type the known share, from 0 to 100.")
MAX_ERRED_PERCENT = 90


def error_field(label: str) -> NumberField:
    """A field for the maximum percentage of people who erred."""
    return percent_field(label, 0, MAX_ERRED_PERCENT, "0")


def with_the_control(form: Form, field: NumberField) -> None:
    """A validator: the known share is required if a control question is chosen."""
    if any(text.strip() for text in field.raw_data or ()):
        number_between(0, 100)(form, field)
        return
    field.errors[:] = []
    raise StopValidation(translate(KNOWN_SHARE_FAULT) if form.control.data else "")


class ValidityForm(AnalysisForm):
    """The form of the assumptions and the checks."""

    fewest = 1
    lacking = later("This analysis needs a question with shares. This survey has none.")

    asked = SelectField(later("Share to check"))
    control = SelectField(later("Control question"), default="")
    known = NumberField(
        later("Its known share, in percent"),
        [with_the_control],
        places=None,
        render_kw={"inputmode": "decimal"},
    )
    direct = SelectField(later("Direct question"), default="")
    split = SelectField(later("Other survey"), default="", choices=[NOTHING])
    says = SelectField(
        later("People who do not follow the rule report"),
        choices=[
            SelectChoice("denied", later("always the second report, such as No")),
            SelectChoice("random", later("either report with equal probability")),
        ],
        default="denied",
    )
    denied = error_field(later("Maximum % of people with this answer who denied it"))
    false = error_field(later("Maximum % of the others who claimed it"))
    random = error_field(later("Maximum % of all people who answered at random"))
    sections = (
        FormSection(("asked",)),
        FormSection(
            ("denied", "false", "random"),
            later("If some answers are false"),
            later(
                "The responses do not show which answers are false, so enter your assumptions. "
                "Candor then calculates a lower and an upper bound for the true share."
            ),
        ),
        FormSection(
            ("control", "known"),
            later("Control question"),
            later(
                "Choose a question whose true share you know, such as 0 %% for something "
                "impossible. Candor then estimates how many people answered at random, and "
                "corrects for them."
            ),
        ),
        FormSection(
            ("direct",),
            later("Direct arm"),
            later(
                "Choose the non-private version of this question. The comparison is valid only if "
                "each person got one of the two versions, chosen at random."
            ),
        ),
        FormSection(
            ("split", "says"),
            later("Second randomizer"),
            later(
                "Choose another survey that asked other people the same question with a different "
                "randomizer. The two surveys together show how many people did not follow the rule "
                "of their coins, cards or dice."
            ),
        ),
    )

    @staticmethod
    def usable(survey: Survey) -> tuple[AnalysableVariable, ...]:
        return with_shares(survey)

    def offer(self, survey: Survey) -> None:
        super().offer(survey)
        self.says.choices = translate_choices(self.says.choices)
        shares = measures_of(with_shares(survey), mean=False)
        self.asked.choices = shares
        several = len({each.question.name for each in with_shares(survey)}) > 1
        self.control.choices = [NOTHING, *(shares if several else [])]
        self.direct.choices = [NOTHING, *measures_of(direct_arms(survey), mean=False)]
        if self.asked.data is None:
            self.asked.data = shares[0].value
        self.instead |= {
            "control": later(
                "This check needs a second question whose true share you know: something that "
                "hardly anyone has done, or a figure from a register. This survey has no second "
                "question whose shares Candor estimates."
            ),
            "direct": later(
                "This comparison needs the same question twice: randomised for some people, and "
                "non-private for others. A condition (“Asked only if”) must choose these people at "
                "random. This survey has no such pair."
            ),
        }

    def offer_others(self, found: StoredSurvey) -> None:
        """Add the questions of other surveys whose respondents used coins, cards or dice."""
        in_browsers = found.origin == "browser"
        others = [
            each.survey
            for each in ([] if in_browsers else within_reach(store().surveys.all(drafts=False)))
            if each.origin != "browser" and each.survey.slug != found.survey.slug
        ]
        self.split.choices = [
            NOTHING,
            *(
                SelectChoice(other_survey_key(each), f"{each.title}: {each.question.label}")
                for each in elsewhere(frozen_of(found).survey, others)
            ),
        ]
        self.instead["split"] = (
            later(
                "This check is not available here, because the browser applies the randomizer. It "
                "compares two imported surveys with the same question and different randomizers, "
                "whose respondents used coins, cards or dice."
            )
            if in_browsers
            else later(
                "This check needs another survey with imported responses, in which other people "
                "answered one of these questions. That question must have the same name or words, "
                "two answers, and a different randomizer. You have no such survey."
            )
        )

    def used_surveys(self, found: StoredSurvey) -> list[tuple[StoredSurvey, list[str]]]:
        slug, _, name = self.split.data.partition(":")
        own = [(found, self.wanted)]
        return [*own, (store().surveys.by_slug(slug), [name])] if slug else own

    def validate_control(self, field: SelectField) -> None:
        if not field.data and (self.known.raw_data or [""])[0].strip():
            raise ValidationError(translate("Choose the question that has this share."))

    def validate_false(self, field: NumberField) -> None:
        if not self.denied.errors and self.denied.data + field.data >= 100:
            raise ValidationError(
                translate(
                    "The sum of this percentage and the percentage who denied it must be below 100."
                )
            )

    @property
    def wanted(self) -> list[str]:
        chosen = (self.asked.data, self.control.data, self.direct.data)
        return [str(each).rpartition(":")[0] for each in chosen if each]

    @property
    def places(self) -> dict[str, int]:
        """The places of the answers of the question, the control and the direct arm."""
        chosen = {name: self[name].data for name in ("asked", "control", "direct")}
        return {name: place_in(value) or 0 for name, value in chosen.items() if value}

    @property
    def erred(self) -> tuple[float, float, float]:
        """The shares that denied, claimed and answered at random."""
        denied, false, random = (
            float(field.data) / 100 for field in (self.denied, self.false, self.random)
        )
        return denied, false, random


def other_survey_key(found: MatchingQuestion) -> str:
    """The value of a choice: a question of another survey."""
    return f"{found.slug}:{found.question.name}"
