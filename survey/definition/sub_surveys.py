"""Sub-surveys: parts of a survey that are stored and estimated separately, as surveys.

A sub-survey's slug is the slug of the whole survey, a dot and its kind: `health.by-hand`. Users
cannot choose a slug with a dot, so slugs never collide. The store freezes them with their survey,
opens and closes them with it, and omits them from the list. Every function that takes a slug
accepts that of a sub-survey.

A survey with private questions has a sub-survey for its texts. A text can show who wrote it, so
nothing stored may connect it with the reports of its writer. The page sends both in one request,
and the store gives each an id of its own. Nobody opens its page or answers it separately. Its texts
can be read only after the survey has closed (survey/store/sql/texts_apart.py).

Rehearsals are sub-surveys, too, but they start and end independently. A pilot is a simulation with
generated respondents. A practice is test mode, in which people try the real page. Both may belong
to a draft. Test mode has one for its texts, and a simulation has no texts. A simulation has
one for the true answers of its generated respondents, so that analyses can be compared with them.
"""

from dataclasses import replace

from survey.core.randomizer import Randomizer
from survey.definition.comprehension import asked_after
from survey.definition.survey import PrivacyBudget, Survey
from survey.definition.target_population import SIMILAR

PAPER_AND_COIN = "by-hand"
COMPREHENSION = "comprehension"
TEXTS = "texts"
PILOT = "pilot"
PRACTICE = "practice"
PRACTICE_TEXTS = "practice-texts"
PILOT_ANSWERS = "pilot-answers"
REHEARSALS = (PILOT, PRACTICE)
# The public knows no page of these, and nobody can answer them separately.
WITHOUT_PAGE = (PILOT, PILOT_ANSWERS, TEXTS, PRACTICE_TEXTS)
SUB_SURVEYS_OF_TEXTS = (TEXTS, PRACTICE_TEXTS)


def sub_survey_slug(kind: str, whole: str) -> str:
    return f"{whole}.{kind}"


def whole_of(slug: str) -> str:
    """The slug of the whole survey, for the slug of a sub-survey or of the survey itself."""
    return slug.partition(".")[0]


def sub_survey_kind(slug: str) -> str:
    """The kind of a sub-survey: the text after the dot."""
    return slug.partition(".")[2]


def is_sub_survey(slug: str) -> bool:
    return "." in slug


def paper_and_coin_sub_survey(survey: Survey) -> Survey:
    """The same questions and tables, for the reports of paper-and-coin mode."""
    work = replace(
        survey.fieldwork, by_hand=False, comprehension=False, receipts=False, invitations=False
    )
    slug = sub_survey_slug(PAPER_AND_COIN, survey.slug)
    return replace(survey, slug=slug, fieldwork=work, protection=None)


def comprehension_sub_survey(survey: Survey) -> Survey:
    """The comprehension test."""
    return asked_after(survey, sub_survey_slug(COMPREHENSION, survey.slug))


def texts_slug(slug: str) -> str:
    """The slug of the sub-survey with the texts of a survey, or of its test mode."""
    kind = PRACTICE_TEXTS if sub_survey_kind(slug) == PRACTICE else TEXTS
    return sub_survey_slug(kind, whole_of(slug))


def texts_sub_survey(survey: Survey) -> Survey | None:
    """The text questions that a survey stores apart; None if it has none.

    Everyone who answers the survey sends a text to each of them, which may be empty. In a survey
    that opens, all of them are asked of everyone (`require_texts_for_all`). Texts of paper-and-coin
    mode go into that of the whole survey.
    """
    if not survey.texts_apart or sub_survey_kind(survey.slug) not in ("", PRACTICE):
        return None
    questions = tuple(replace(q, relevant=None, otherwise=None) for q in survey.apart)
    # Only researchers see it, so it has no translations. It is not published in batches.
    return Survey(
        slug=texts_slug(survey.slug),
        title=survey.title,
        language=survey.language,
        introduction="",
        budget=PrivacyBudget(None, None),
        questions=questions,
    )


def sub_surveys_of(survey: Survey) -> tuple[Survey, ...]:
    """The sub-surveys that store something: those that the designer switched on, and the texts."""
    found = []
    if survey.fieldwork.by_hand:
        found.append(paper_and_coin_sub_survey(survey))
    if survey.fieldwork.comprehension:
        found.append(comprehension_sub_survey(survey))
    texts = texts_sub_survey(survey)
    return tuple(found) if texts is None else (*found, texts)


def pilot_of(survey: Survey) -> Survey:
    """The same questions and tables, for simulated respondents."""
    return rehearsal_of(survey, PILOT)


def pilot_answers_of(survey: Survey) -> Survey:
    """The same questions without randomisation, for the true answers of simulated respondents.

    It has no text questions, because simulated respondents write none, and no questions that are
    not sent. Derived answers are questions like all others in it. Notes lose the conditions that
    name a question which is not in it. Only researchers see it, so it has no translations.

    A joint question keeps the questions behind it, and those in their conditions. A table that
    changes nothing stands for its randomizer.
    """
    behind = [item for each in survey.derived for item in survey.items_of(each)]
    kept = {item.name for item in behind} | {name for i in behind for name in i.relevant or {}}
    unsent = {question.name for question in survey.unsent} - kept
    questions = tuple(
        replace(question, randomizer=Randomizer.identity(len(question.choices)))
        if survey.items_of(question)
        else replace(
            question,
            privacy=None,
            randomizer=None,
            derived=None,
            battery=False,
            relevant={n: c for n, c in (question.relevant or {}).items() if n not in unsent}
            or None,
        )
        for question in survey.questions
        if question not in survey.texts_and_dates and question.name not in unsent
    )
    directly = replace(
        survey,
        questions=questions,
        budget=PrivacyBudget(None, None),
        texts_apart=None,
        translations={},
        not_offered={},
    )
    return rehearsal_of(directly, PILOT_ANSWERS)


def practice_of(survey: Survey) -> Survey:
    """The same questions, tables and page, for test mode."""
    return rehearsal_of(survey, PRACTICE)


def rehearsal_of(survey: Survey, part: str) -> Survey:
    """A rehearsal of a survey, for a simulation or for test mode.

    It spends no invitation, has no designed parts and publishes results at once, also for a class.
    It has no series, because a remembered device would send the reports of test mode again in the
    survey. Its results are about people like its respondents, because a simulation assumes shares
    of such people.
    """
    alone = replace(survey.fieldwork, invitations=False, by_hand=False, comprehension=False)
    work = replace(alone, class_mode=False, series=None, batch=1, results_about=SIMILAR)
    slug = sub_survey_slug(part, survey.slug)
    return replace(survey, slug=slug, fieldwork=work, protection=None)
