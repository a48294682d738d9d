"""The form of the validity analysis. It is sent by GET, like those of all analyses."""

from collections.abc import Iterable

from wtforms import Form, SelectChoice, SelectField
from wtforms.validators import StopValidation, ValidationError

from survey.analysis.columns.available import AnalysableVariable
from survey.analysis.validity.checks import MatchingQuestion, direct_arms, elsewhere, with_shares
from survey.analysis.validity.noncompliance import AT_RANDOM, DENIED
from survey.core.translate import later, translate
from survey.definition.survey import Survey
from survey.web.analyses.forms import NOTHING, AnalysisForm, measures_of, place_in, translated
from survey.web.form_fields import NumberField, number_between, percent_field

SAYS = {"denied": DENIED, "random": AT_RANDOM}
KNOWN_SHARE_FAULT = later("Type the known share, from 0 to 100.")
MAX_ERRED_PERCENT = 90


def part(label: str) -> NumberField:
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
    """The form. `offer_surveys` fills the list of other surveys, which `offer` does not know."""

    fewest = 1
    lacking = later("This analysis needs a question with shares. This survey has none.")

    asked = SelectField(later("Share to check"))
    control = SelectField(later("Control question"), default="")
    known = NumberField(later("Its known share, in percent"), [with_the_control], places=None)
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
    denied = part(later("Maximum % of people with this answer who denied it"))
    false = part(later("Maximum % of the others who claimed it"))
    random = part(later("Maximum % of all people who answered at random"))

    @staticmethod
    def usable(survey: Survey) -> tuple[AnalysableVariable, ...]:
        return with_shares(survey)

    def offer(self, survey: Survey) -> None:
        super().offer(survey)
        self.says.choices = translated(self.says.choices)
        shares = measures_of(with_shares(survey), mean=False)
        self.asked.choices = shares
        several = len({each.question.name for each in with_shares(survey)}) > 1
        self.control.choices = [NOTHING, *(shares if several else [])]
        self.direct.choices = [NOTHING, *measures_of(direct_arms(survey), mean=False)]
        if self.asked.data is None:
            self.asked.data = shares[0].value

    def offer_surveys(self, survey: Survey, others: Iterable[Survey]) -> None:
        self.split.choices = [
            NOTHING,
            *(
                SelectChoice(other_survey_key(each), f"{each.title}: {each.question.label}")
                for each in elsewhere(survey, others)
            ),
        ]

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
