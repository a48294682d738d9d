"""The pre-launch checklist. Each item is a sentence with advice.

An item that stops a survey from opening stops it in `frozen.freeze` as well. All other items are
advice.
"""

from collections.abc import Iterator, Sequence

from survey.core.errors import UnanswerableQuestion
from survey.core.languages import language_name
from survey.core.number_grid import POINTS_FOR_MEAN
from survey.definition.fieldwork import DEFAULT_BATCH_RESPONSES
from survey.definition.frozen import table_entry
from survey.definition.privacy_limits import DEFAULT_LIMITS, PrivacyLimits
from survey.definition.questions import Question
from survey.definition.survey import Survey, canonical_json
from survey.planning.plan_text import expected_precision_text
from survey.planning.privacy_checks import (
    EXPECTED_RESPONDENTS,
    LOOK,
    PASSED,
    STOPS,
    Check,
    check_question_losses,
    check_sensitive_questions,
    check_total_loss,
    check_waves,
    failed_check,
)
from survey.planning.sample_size import expected_margin, respondents_for
from survey.planning.text_checks import check_characters, check_imitation

# Half the width of an interval, as a part of the range.
MAX_MARGIN_SHARE = 0.10
# All tables together, which a phone has to load.
MAX_TABLES_BYTES = 100_000


def checks(
    survey: Survey,
    expected: int | None = None,
    earlier: Sequence[Survey] = (),
    limits: PrivacyLimits = DEFAULT_LIMITS,
) -> tuple[Check, ...]:
    """Every item of the checklist. Items that stop the survey come first.

    Parameters
    ----------
    expected : the expected number of respondents, or None
    earlier : the earlier waves of the same series
    limits : the privacy limits of this server
    """
    items = [
        check_finite_odds(survey),
        check_translations(survey),
        check_characters(survey),
        small_tables(survey),
        check_total_loss(survey, limits),
        check_question_losses(survey, limits),
        check_precision(survey, expected),
        check_sensitive_questions(survey),
        check_number_points(survey),
        check_contact(survey),
        declining(survey),
        check_imitation(survey),
        check_batch_size(survey),
    ]
    if survey.fieldwork.series is not None:
        items.append(check_waves(survey, earlier))
    return tuple(sorted(items, key=lambda check: [STOPS, LOOK, PASSED].index(check.verdict)))


def opens(found: Sequence[Check]) -> bool:
    return all(check.verdict != STOPS for check in found)


def to_look_at(found: Sequence[Check]) -> int:
    """The number of items that need attention before the survey opens."""
    return sum(check.verdict == LOOK for check in found)


# Items that can stop a survey.


def check_finite_odds(survey: Survey) -> Check:
    why = (
        "What is sent must fit every answer, more or less. Otherwise it would rule some answers "
        "out, and nobody could say that chance alone had sent it."
    )
    if survey.odds is not None:
        return Check("finite", PASSED, "Nothing that is sent rules out any answer.", why)
    return failed_check(
        "finite",
        STOPS,
        "Some of what these questions send would prove what the answer was not.",
        why,
        "Choose another protection for them.",
        [(q, q.label) for q in survey.private if q.randomizer and q.randomizer.odds is None],
    )


def check_translations(survey: Survey) -> Check:
    why = "Where a text is missing, respondents could not read the survey in that language."
    if not survey.untranslated:
        languages = len(survey.languages)
        each = "" if languages == 1 else f" in all {languages} languages"
        return Check("translated", PASSED, f"Every text is there{each}.", why)
    missing = [
        (language, path) for language, paths in survey.untranslated.items() for path in paths
    ]
    are = "text is" if len(missing) == 1 else "texts are"
    return Check(
        "translated",
        STOPS,
        f"{len(missing):,} {are} not translated yet.",
        why,
        "Translate them, or leave the language out.",
        tuple(f"{language_name(language)}: {'.'.join(path)}" for language, path in missing),
        tuple(f"translation:{language}" for language, _ in missing),
    )


def small_tables(survey: Survey) -> Check:
    """The total size of the tables. The definition limits each one to MAX_TABLE_CHARACTERS."""
    why = "On a slow connection a heavy page comes late, and people leave before they see it."
    entries = [table_entry(q, q.randomizer) for q in survey.private if q.randomizer]
    size = sum(len(canonical_json(entry).encode()) for entry in entries)
    if size <= MAX_TABLES_BYTES:
        adds = f"mixing up adds {kilobytes(size)} to it" if size else "nothing is mixed up"
        return Check("tables", PASSED, f"The respondents’ page is light: {adds}.", why)
    return Check(
        "tables",
        LOOK,
        f"The respondents’ page is heavy: mixing up adds {kilobytes(size)} to it.",
        why,
        "Choose strong, medium or light for the questions that you protect in a way of your own, "
        "or ask fewer questions with many answers.",
        places=("questions",),
    )


def kilobytes(size: int) -> str:
    return f"{max(1, round(size / 1000)):,} KB"


# Items on precision.


def check_precision(survey: Survey, expected: int | None) -> Check:
    points = f"{100 * MAX_MARGIN_SHARE:.0f} points"
    why = (
        "Mixing answers up costs precision, which more respondents bring back. With "
        f"{points}, an estimate of 30 % stands for 20 to 40 %."
    )
    if expected is None:
        return Check(
            "precision",
            LOOK,
            "How precise the results will be depends on how many respondents you expect.",
            why,
            "Say how many, below.",
            places=(EXPECTED_RESPONDENTS,),
        )
    imprecise_questions = list(imprecise(survey, expected))
    if not imprecise_questions:
        return Check(
            "precision",
            PASSED,
            f"{expected:,} respondents tell every share to {points} or better.",
            why,
        )
    return failed_check(
        "precision",
        LOOK,
        f"{expected:,} respondents are few: these results may be off by {points} or more, either "
        "way.",
        why,
        "Ask more people, protect less, or offer fewer answers.",
        imprecise_questions,
    )


def imprecise(survey: Survey, expected: int) -> Iterator[tuple[Question, str]]:
    for question in survey.fields:
        if question.kind.free_text:
            continue
        try:
            margin = expected_margin(question, expected, survey=survey)
            expected_text = expected_precision_text(question, expected, survey=survey)
            needed = respondents_for(question, MAX_MARGIN_SHARE, survey=survey)
        except UnanswerableQuestion:
            continue
        if margin > MAX_MARGIN_SHARE:
            yield question, f"“{question.label}”: {expected_text}; {needed:,} respondents would do"


def check_number_points(survey: Survey) -> Check:
    why = (
        "A number is first rounded to one of a few values, by chance so that the mean stays right, "
        "and then mixed up. The fewer values, the surer how many people there are near each."
    )
    numbers = [(question, question.points.size) for question in survey.private if question.points]
    fine_questions = [
        (question, f"“{question.label}”: {size} points")
        for question, size in numbers
        if size > POINTS_FOR_MEAN
    ]
    if not numbers:
        return Check("points", PASSED, "No protected question asks for a number.", why)
    if not fine_questions:
        return Check("points", PASSED, "Numbers are rounded to few values.", why)
    return failed_check(
        "points",
        LOOK,
        "These numbers are rounded to many values, so that how they spread is told roughly only.",
        why,
        f"Leave “points” out of their mechanism, or set it to {POINTS_FOR_MEAN} at most.",
        fine_questions,
    )


# Items on the fieldwork.


def check_contact(survey: Survey) -> Check:
    why = "Before they answer, people want to know who asks, and where to turn afterwards."
    work = survey.fieldwork
    missing = [
        (text, place)
        for text, value, place in (
            ("who asks", work.asked_by, "asked_by"),
            ("how to reach them", work.contact, "contact"),
            ("where to find help with what the survey asks about", work.support, "support"),
        )
        if not value
    ]
    if not missing:
        return Check("contact", PASSED, "Respondents are told who asks and where to turn.", why)
    return Check(
        "contact",
        LOOK,
        "Respondents are not told everything that they may want to know.",
        why,
        "Fill in what is missing.",
        tuple(text for text, _ in missing),
        tuple(place for _, place in missing),
    )


def declining(survey: Survey) -> Check:
    """Information only, without advice: a survey may require an answer to every question."""
    why = (
        "Who would rather not answer may leave, or answer what is not true. “Prefer not to say”, "
        "beside a question’s protection, is an answer like any other: it is mixed up too."
    )
    private = survey.private
    offering = [question for question in private if question.offers_to_decline]
    if not private:
        sentence = "There is no protected question that anyone may want to decline."
    elif not offering:
        sentence = (
            "Every protected question must be answered: nobody may decline with “prefer not to "
            "say”."
        )
    elif len(offering) == len(private):
        sentence = "Every protected question can be declined with “prefer not to say”."
    else:
        sentence = (
            f"{len(offering):,} of {len(private):,} protected questions can be declined with "
            "“prefer not to say”."
        )
    return Check("declining", PASSED, sentence, why)


def check_batch_size(survey: Survey) -> Check:
    why = "Whoever watches the results could otherwise see what one more response changed in them."
    batch = survey.fieldwork.batch
    if batch > 1:
        return Check(
            "batch", PASSED, f"Results change only with every {batch:,} new responses.", why
        )
    return Check(
        "batch",
        LOOK,
        "Results change with each response, so that whoever watches them sees one person's report "
        "arrive.",
        why,
        f"Let them wait for a batch; {DEFAULT_BATCH_RESPONSES} is usual.",
        places=("batch",),
    )
