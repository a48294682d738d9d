"""Small definitions of surveys, and surveys that are stored and open."""

from fractions import Fraction

from survey.definition.frozen import FrozenSurvey, freeze
from survey.definition.privacy_limits import DEFAULT_LIMITS, PrivacyLimits
from survey.definition.survey import parse_survey
from survey.store import Store


def yes_no(name: str = "smokes", privacy: object = None, label: str = "Do you smoke?") -> dict:
    return {
        "name": name,
        "type": "yes_no",
        "label": label,
        "privacy": privacy or {"mechanism": "coin_flip"},
    }


def definition(*questions: dict, slug: str = "health", **rest: object) -> dict:
    """A survey that publishes each response at once, unless `batch` sets another size."""
    return {
        "slug": slug,
        "title": "Health",
        "questions": list(questions) or [yes_no()],
        "batch": 1,
        **rest,
    }


# The limits of an operator who allows more than usual, for tests without regard to the loss.
WIDE = PrivacyLimits(Fraction("99.9999"), Fraction(1_000))


def opened(
    store: Store, content: dict, state: str = "open", limits: PrivacyLimits = DEFAULT_LIMITS
) -> FrozenSurvey:
    """A survey of this definition, stored and open, or closed so that responses can be loaded.

    One that keeps texts next to private answers is stored as if it could open, which it cannot:
    many tests need a row with every form of report.
    """
    survey = parse_survey(content)
    allowed = state == "open" and survey.texts_apart is not False
    frozen = freeze(survey, limits, to_open=allowed, confirmed=True)
    store.surveys.save_draft(survey)
    store.surveys.freeze(frozen, state)
    return frozen
