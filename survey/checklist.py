"""What to look at before a survey opens, each as a sentence with what to do about it.

Pure: what stops a survey from opening stops it in `frozen.freeze` as well; all else is advice.
"""

from collections.abc import Iterator, Sequence

from .definition import Survey, canonical
from .disclosure import (
    LOOK,
    PASSED,
    STOPS,
    Check,
    plainly_sensitive,
    same_waves,
    single,
    total,
)
from .errors import UnanswerableQuestion
from .fieldwork import BATCH
from .frozen import table_entry
from .grid import POINTS_FOR_MEAN
from .languages import own_name
from .plan_words import precision_text
from .planning import expected_margin, respondents_for
from .questions import TEXT

MOST_MARGIN = 0.10  # half an interval, as a part of the range
PAGE_LIMIT = 100_000  # bytes of all tables together, which a telephone has to load


def checks(
    survey: Survey, expected: int | None = None, earlier: Sequence[Survey] = ()
) -> tuple[Check, ...]:
    """All that was looked at, what stops the survey first.

    Parameters
    ----------
    expected : how many respondents are expected, or None
    earlier : the earlier waves of the same series
    """
    found = [
        finite(survey),
        translated(survey),
        small_tables(survey),
        total(survey),
        single(survey),
        precise(survey, expected),
        plainly_sensitive(survey),
        few_points(survey),
        reachable(survey),
        batches(survey),
    ]
    if survey.fieldwork.series is not None:
        found.append(same_waves(survey, earlier))
    return tuple(sorted(found, key=lambda check: [STOPS, LOOK, PASSED].index(check.verdict)))


def opens(found: Sequence[Check]) -> bool:
    return all(check.verdict != STOPS for check in found)


# What stops


def finite(survey: Survey) -> Check:
    if survey.odds is not None:
        return Check("finite", PASSED, "No report proves an answer.")
    details = [q.label for q in survey.private if q.randomizer and q.randomizer.odds is None]
    return Check(
        "finite",
        STOPS,
        "Some reports of these questions would prove what the answer was not.",
        "Choose another protection for them. (No finite epsilon.)",
        tuple(details),
    )


def translated(survey: Survey) -> Check:
    if not survey.untranslated:
        languages = len(survey.languages)
        each = "" if languages == 1 else f" in all {languages} languages"
        return Check("translated", PASSED, f"Every text is there{each}.")
    details = [
        f"{own_name(language)}: {'.'.join(path)}"
        for language, paths in survey.untranslated.items()
        for path in paths
    ]
    are = "text is" if len(details) == 1 else "texts are"
    return Check(
        "translated",
        STOPS,
        f"{len(details):,} {are} not translated yet.",
        "Translate them, or leave the language out.",
        tuple(details),
    )


def small_tables(survey: Survey) -> Check:
    """Of each question the definition itself allows no more than MAX_TABLE."""
    entries = [table_entry(q, q.randomizer) for q in survey.private if q.randomizer]
    size = sum(len(canonical(entry).encode()) for entry in entries)
    if size <= PAGE_LIMIT:
        return Check("tables", PASSED, f"The tables that the page carries are {kilobytes(size)}.")
    return Check(
        "tables",
        LOOK,
        f"The tables of all questions add up to {kilobytes(size)}; on a slow connection the page "
        "comes late.",
        "Let an epsilon alone pick the mechanism, which picks a short one, or ask fewer questions "
        "with long tables.",
    )


def kilobytes(size: int) -> str:
    return f"{max(1, round(size / 1000)):,} KB" if size else "0 KB"


# What tells too little


def precise(survey: Survey, expected: int | None) -> Check:
    if expected is None:
        return Check(
            "precision",
            LOOK,
            "How precise the results will be depends on how many respondents you expect.",
            "Say how many, below.",
        )
    details = list(imprecise(survey, expected))
    if not details:
        return Check(
            "precision",
            PASSED,
            f"{expected:,} respondents tell every share to {100 * MOST_MARGIN:.0f} points or "
            "better.",
        )
    return Check(
        "precision",
        LOOK,
        f"{expected:,} respondents are few: half an interval is longer than "
        f"{100 * MOST_MARGIN:.0f} points.",
        "Ask more people, protect less, or offer fewer answers.",
        tuple(details),
    )


def imprecise(survey: Survey, expected: int) -> Iterator[str]:
    for question in survey.fields:
        if question.type == TEXT:
            continue
        try:
            margin = expected_margin(question, expected, survey=survey)
            shown = precision_text(question, expected, survey=survey)
            needed = respondents_for(question, MOST_MARGIN, survey=survey)
        except UnanswerableQuestion:
            continue
        if margin > MOST_MARGIN:
            yield f"“{question.label}”: {shown}; {needed:,} respondents would do"


def few_points(survey: Survey) -> Check:
    details = [
        f"“{question.label}”: {question.points.size} points"
        for question in survey.private
        if question.points is not None and question.points.size > POINTS_FOR_MEAN
    ]
    if not details:
        return Check("points", PASSED, "No number is told on too many points.")
    return Check(
        "points",
        LOOK,
        "These numbers are told on many points, so that each share of their distribution is "
        "uncertain.",
        f"Leave the points out, or take {POINTS_FOR_MEAN} at most.",
        tuple(details),
    )


# How it meets its respondents


def reachable(survey: Survey) -> Check:
    work = survey.fieldwork
    missing = [
        text
        for text, given in (
            ("who asks", work.asked_by),
            ("how to reach them", work.contact),
            ("where to find help with what the survey asks about", work.support),
        )
        if not given
    ]
    if not missing:
        return Check("contact", PASSED, "Respondents are told who asks and where to turn.")
    return Check(
        "contact",
        LOOK,
        "Respondents are not told everything that they may want to know.",
        "Fill in what is missing, in the builder.",
        tuple(missing),
    )


def batches(survey: Survey) -> Check:
    batch = survey.fieldwork.batch
    if batch > 1:
        return Check("batch", PASSED, f"Results change only with every {batch:,} new responses.")
    return Check(
        "batch",
        LOOK,
        "Results change with each response, so that whoever watches them sees one person's report "
        "arrive.",
        f"Let them wait for a batch; {BATCH} is usual.",
    )
