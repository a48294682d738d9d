"""Surveys as the store returns them: complete, or for lists."""

from dataclasses import dataclass, field
from datetime import date, timedelta

from survey.core.errors import StateError, UnknownSurvey
from survey.core.translate import later
from survey.definition.fieldwork import MIN_RESPONSES_AT_CLOSING
from survey.definition.frozen import FrozenSurvey
from survey.definition.sub_surveys import TEXTS, sub_survey_kind
from survey.definition.survey import Survey


def unknown_survey(slug: str) -> UnknownSurvey:
    """The error for a survey that does not exist, or that the account must not know of."""
    return UnknownSurvey("There is no survey %(slug)s.", slug=repr(slug[:63]))


def not_opened(slug: str) -> StateError:
    """The error for a draft, where only an open or closed survey will do."""
    return StateError("Survey '%(slug)s' is a draft. Open it first.", slug=slug)


def not_closed(slug: str, state: str) -> StateError:
    """The error for a draft or an open survey, where only a closed one will do."""
    if state == "open":
        return StateError("Survey '%(slug)s' is open. Close it first.", slug=slug)
    return StateError("Survey '%(slug)s' is a draft. Only a closed survey allows this.", slug=slug)


def not_draft(slug: str, state: str) -> StateError:
    """The error for an open or a closed survey, where only a draft can be changed."""
    if state == "open":
        sentence = later("Survey '%(slug)s' is open. You can change only drafts.")
    else:
        sentence = later("Survey '%(slug)s' is closed. You can change only drafts.")
    return StateError(sentence, slug=slug)


# A survey in class mode is erased at the end of the day after its first opening (UTC). So a class
# in any time zone has at least 24 hours.
CLASS_LASTS = timedelta(days=1)

# Why responses of this origin keep a survey from receiving others.
NEVER_MIXED = {
    "browser": later(
        "Survey '%(slug)s' holds responses from browsers, which are never mixed with others. "
        "Import the definition under another name."
    ),
    "simulated": later(
        "Survey '%(slug)s' holds simulated responses, which are never mixed with others. Import "
        "the definition under another name."
    ),
    "loaded": later(
        "Survey '%(slug)s' holds imported responses, which are never mixed with others. Import "
        "the definition under another name."
    ),
}


def never_mixed(slug: str, origin: str) -> StateError:
    """The error for a survey that holds responses of another origin."""
    return StateError(NEVER_MIXED[origin], slug=slug)


@dataclass(frozen=True)
class Limits:
    """The automatic closing and the target of a survey. Both can change while it is open.

    Attributes
    ----------
    cap : the maximum number of responses, including paper-and-coin mode, or None
    closes : the closing time in seconds since 1970, or None
    target : the target sample size, or None; reaching it has no effect
    """

    cap: int | None = None
    closes: int | None = None
    target: int | None = None


@dataclass(frozen=True)
class History:
    """Who created a survey, and on which days (UTC) it was created and first opened.

    Each is None if it did not happen. A demo survey has none of them.
    """

    creator: str | None = None
    created: date | None = None
    opened: date | None = None


@dataclass(frozen=True, kw_only=True)
class ListedSurvey:
    """A survey as lists show it.

    It does not read the questions of a draft, so a list takes the same time for any drafts.
    `epsilon` is the total privacy loss of a respondent. `fields` is the number of questions that
    are answered, and `non_private` the number of non-private ones among them.
    """

    slug: str
    title: str
    language: str
    state: str
    origin: str
    archived: bool
    epsilon: float
    non_private: int
    fields: int
    frozen: FrozenSurvey | None = None
    history: History = field(default_factory=History)


@dataclass(frozen=True, kw_only=True)
class StoredSurvey:
    """A survey with its state.

    Attributes
    ----------
    state : draft, open or closed
    origin : the origin of its responses: browser, loaded or simulated, which are never mixed
    frozen : the frozen survey, or None for a draft
    archived : whether it is closed and hidden from the list
    closed_before : whether a closing has published waiting responses; later, only full batches are
        published. For texts that are stored apart: whether the last closing has published them
    """

    survey: Survey
    state: str
    origin: str
    frozen: FrozenSurvey | None
    archived: bool = False
    closed_before: bool = False
    limits: Limits = field(default_factory=Limits)
    history: History = field(default_factory=History)

    @property
    def last_class_day(self) -> date | None:
        """The last day (UTC) of an open or closed survey in class mode. Candor erases it then."""
        opened = self.history.opened
        in_class = self.survey.fieldwork.class_mode and self.frozen is not None
        return opened + CLASS_LASTS if in_class and opened is not None else None

    @property
    def unread(self) -> bool:
        """Whether it holds texts that nobody can read (survey/store/sql/texts_apart.py)."""
        published = self.state == "closed" and self.closed_before
        return sub_survey_kind(self.survey.slug) == TEXTS and not published

    @property
    def as_listed(self) -> ListedSurvey:
        survey = self.survey
        return ListedSurvey(
            slug=survey.slug,
            title=survey.title,
            language=survey.language,
            state=self.state,
            origin=self.origin,
            archived=self.archived,
            epsilon=survey.epsilon,
            non_private=len(survey.unprotected),
            fields=len(survey.unprotected) + len(survey.protected),
            frozen=self.frozen,
            history=self.history,
        )

    def isolates(self, published: int) -> bool:
        """Whether so few responses are published that someone could read them one by one.

        A batch and a closing publish more at once, so only withdrawals can leave so few. Nobody
        withdraws loaded or simulated responses.
        """
        texts = sub_survey_kind(self.survey.slug) == TEXTS
        fewest = MIN_RESPONSES_AT_CLOSING if texts else self.survey.fieldwork.fewest_at_closing
        return self.origin == "browser" and 0 < published < fewest
