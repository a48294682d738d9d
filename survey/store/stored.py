"""What the store says of a survey: read whole, or as lists have it."""

from dataclasses import dataclass, field

from survey.definition.frozen import FrozenSurvey
from survey.definition.survey import Survey


@dataclass(frozen=True)
class Limits:
    """When a survey closes by itself, and what it aims at; may change while it is open.

    Attributes
    ----------
    cap : the most responses that it takes, by hand or not, or None
    closes : the moment from which it takes none, in seconds since 1970, or None
    target : how many responses are hoped for, or None; nothing happens when they have come
    """

    cap: int | None = None
    closes: int | None = None
    target: int | None = None


@dataclass(frozen=True)
class ListedSurvey:
    """What lists say of a survey. Reading it takes no look at a draft's questions, so a list costs
    the same however many drafts there are and whatever they ask.

    `epsilon` is what a respondent loses, None for a draft that an earlier version of Candor saved.
    Of the `fields`, the questions that are reported on, `plain` are not protected.
    """

    slug: str
    title: str
    language: str
    state: str
    origin: str
    archived: bool
    epsilon: float | None
    plain: int
    fields: int
    frozen: FrozenSurvey | None = None


@dataclass(frozen=True)
class StoredSurvey:
    """A survey as stored.

    `state` is draft, open or closed. `frozen` is None for a draft. `origin` says where its
    responses come from: browser, loaded or simulated; the three are never mixed. One that is
    `archived` is closed and out of the way. `closed_before` says whether a closing has
    released what waited: from then on only full batches are released.
    """

    survey: Survey
    state: str
    origin: str
    frozen: FrozenSurvey | None
    archived: bool = False
    closed_before: bool = False
    limits: Limits = field(default_factory=Limits)

    @property
    def as_listed(self) -> ListedSurvey:
        survey = self.survey
        return ListedSurvey(
            survey.slug,
            survey.title,
            survey.language,
            self.state,
            self.origin,
            self.archived,
            survey.epsilon,
            sum(question.plain for question in survey.fields),
            len(survey.fields),
            self.frozen,
        )

    def isolates(self, published: int) -> bool:
        """Whether so few responses are published that each could be read off. A batch and a closing
        publish more at once, so that only withdrawals leave so few. What was loaded or simulated is
        nobody's to withdraw."""
        fewest = self.survey.fieldwork.fewest_at_closing
        return self.origin == "browser" and 0 < published < fewest
