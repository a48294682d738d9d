"""The pre-launch checklist. Each item is a sentence with advice.

An item that stops a survey from opening stops it in `frozen.freeze` as well. All other items are
advice.
"""

import zlib
from collections.abc import Iterator, Mapping, Sequence

from survey.core.errors import UnanswerableQuestion
from survey.core.languages import language_name
from survey.core.number_grid import LEVELS_FOR_MEAN
from survey.core.translate import (
    join_sentences,
    later,
    translate,
    translate_list,
    translate_number,
    translate_plural,
)
from survey.definition.fieldwork import DEFAULT_BATCH_RESPONSES
from survey.definition.frozen import table_entry
from survey.definition.instruments.read_instruments import Instrument, instruments_of
from survey.definition.opening.series_arms import rarest_arms, series_arms_fault
from survey.definition.privacy_limits import (
    DEFAULT_LIMITS,
    PrivacyLimits,
    shared_statement_sentence,
)
from survey.definition.questions import Question
from survey.definition.survey import Survey, canonical_json, texts_for_some
from survey.definition.translation import Path
from survey.estimation.progress import texts_rule
from survey.planning.denial import MAX_PUBLISHED_DENIAL, break_even
from survey.planning.joint_comparison import (
    comparison_text,
    comparisons_of,
    cross_table_sentence,
)
from survey.planning.plan_text import (
    denial_sentence,
    expected_precision_text,
    margin_text,
    points_shown,
    respondents_text,
)
from survey.planning.precision import (
    ExpectedPrecision,
    joint_behind,
    planned_questions,
    precisions,
)
from survey.planning.privacy_checks import (
    EXPECTED_RESPONDENTS,
    LOOK,
    PASSED,
    STOPS,
    Check,
    check_alone,
    check_question_losses,
    check_sensitive_questions,
    check_total_loss,
    check_unsent_questions,
    check_waves,
    failed_check,
)
from survey.planning.sample_size import expected_margin, respondents_for
from survey.planning.text_checks import check_characters, check_hidden_addresses, check_imitation

# Half the width of an interval, as a part of the range.
MAX_MARGIN_SHARE = 0.10
# All tables together, which a phone has to load. Pages are compressed on their way.
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
        check_finite_ratio_bound(survey),
        check_translations(survey),
        check_characters(survey),
        *check_hidden_addresses(survey),
        *check_series_arms(survey),
        small_tables(survey),
        check_total_loss(survey, limits),
        check_question_losses(survey, limits),
        check_precision(survey, expected),
        *check_denial(survey, expected),
        *check_joint_questions(survey, limits),
        check_sensitive_questions(survey),
        *check_unsent_questions(survey),
        *check_alone(survey, expected),
        check_number_points(survey),
        check_contact(survey),
        *check_distress(survey),
        declining(survey),
        check_imitation(survey),
        check_batch_size(survey),
        *check_texts(survey),
        *check_class(survey),
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


def check_finite_ratio_bound(survey: Survey) -> Check:
    why = translate(
        "Each report must be possible for every answer. Otherwise, a report can prove that a "
        "respondent did not give a particular answer."
    )
    if survey.ratio_bound is not None:
        sentence = translate("Every report is possible for every answer.")
        return Check(name="finite", verdict=PASSED, sentence=sentence, why=why)
    return failed_check(
        "finite",
        STOPS,
        translate("Some reports on these questions prove that an answer was not given."),
        why,
        translate("Choose another protection for these questions."),
        [
            (q, shared_statement_sentence(q, sharing) if sharing else q.label)
            for q in survey.protected
            if (sharing := survey.shares_statement(q)) or q.ratio_bound is None
        ],
    )


def check_translations(survey: Survey) -> Check:
    why = translate("If a text is missing, respondents cannot read the survey in that language.")
    if not survey.untranslated:
        languages = len(survey.languages)
        sentence = translate("All texts are complete.")
        if languages > 1:
            sentence = translate("All texts are complete in all %(n)s languages.", n=languages)
        return Check(name="translated", verdict=PASSED, sentence=sentence, why=why)
    missing = [
        (language, path) for language, paths in survey.untranslated.items() for path in paths
    ]
    sentence = translate_plural(
        "%(n)s text is not translated yet.", "%(n)s texts are not translated yet.", len(missing)
    )
    advice, help_page = translate("Complete the translation, or remove the language."), ""
    quoted = [each for each in instruments_of(survey) if lacks_translation(each, survey)]
    if quoted:
        names = translate_list([each.name for each in quoted])
        sentence = join_sentences(
            sentence, translate("Among them are published texts of %(names)s.", names=names)
        )
        advice = translate(
            "For %(names)s, enter the published and validated translation, which Candor does not "
            "contain. Do not translate these texts yourself. Complete the other texts. Or remove "
            "the language.",
            names=names,
        )
        help_page = "reference/instruments"
    return Check(
        name="translated",
        verdict=STOPS,
        sentence=sentence,
        why=why,
        advice=advice,
        details=tuple(
            f"{language_name(language)}: {name_of_text(survey, path)}" for language, path in missing
        ),
        places=tuple(f"translation:{language}" for language, _ in missing),
        help_page=help_page,
    )


def lacks_translation(instrument: Instrument, survey: Survey) -> bool:
    """Whether a text that a survey quotes from an instrument has no translation."""
    quoted = {instrument.lead_in, *(label for label, _ in instrument.items)}
    names = {question.name for question in survey.questions if question.label in quoted}
    return any(
        path[0] == "questions" and path[1] in names
        for paths in survey.untranslated.values()
        for path in paths
    )


# The names of texts, by their place in the definition. Other places are their own names.
TEXT_NAMES = {
    "title": later("title"),
    "introduction": later("introduction"),
    "asked_by": later("asked by"),
    "contact": later("contact"),
    "support": later("support"),
    "recruitment": later("who was asked"),
    "hint": later("hint"),
    "unit": later("unit"),
}


def name_of_text(survey: Survey, path: Path) -> str:
    """A text of the survey in words, such as: hint of “Do you smoke?”."""
    if path[0] != "questions":
        return text_name(path[0])
    label = next(question.label for question in survey.questions if question.name == path[1])
    if path[2] == "label":
        return f"“{label}”"
    if path[2] == "choices":
        return translate("choice %(choice)s of “%(question)s”", choice=path[3], question=label)
    return translate("%(text)s of “%(question)s”", text=text_name(path[2]), question=label)


def text_name(place: str) -> str:
    return translate(TEXT_NAMES[place]) if place in TEXT_NAMES else place.replace("_", " ")


def small_tables(survey: Survey) -> Check:
    """The total size of the tables. The definition limits each one to MAX_TABLE_CHARACTERS."""
    why = translate(
        "On a slow connection a large page loads slowly, and people leave before they see it."
    )
    entries = [table_entry(q, q.randomizer) for q in survey.private if q.randomizer]
    size = sum(len(zlib.compress(canonical_json(entry).encode())) for entry in entries)
    if not size:
        sentence = translate("The respondents’ page is small: nothing is randomised.")
        return Check(name="tables", verdict=PASSED, sentence=sentence, why=why)
    if size <= MAX_TABLES_BYTES:
        sentence = translate(
            "The respondents’ page is small: randomisation adds %(size)s.", size=kilobytes(size)
        )
        return Check(name="tables", verdict=PASSED, sentence=sentence, why=why)
    return Check(
        name="tables",
        verdict=LOOK,
        sentence=translate(
            "The respondents’ page is large: randomisation adds %(size)s.", size=kilobytes(size)
        ),
        why=why,
        advice=translate(
            "Choose strong, medium or light for questions with custom protection, or ask fewer "
            "questions with many answers."
        ),
        places=("questions",),
    )


def kilobytes(size: int) -> str:
    n = translate_number(f"{max(1, round(size / 1000)):,}")
    return translate("%(n)s KB", n=n)


# Items on precision.


def check_precision(survey: Survey, expected: int | None) -> Check:
    points = f"{100 * MAX_MARGIN_SHARE:.0f}"
    why = translate(
        "Randomisation reduces precision, and more respondents increase it. With a margin of "
        "± %(points)s points, an estimate of 30 %% means 20 to 40 %%.",
        points=points,
    )
    if expected is None:
        return Check(
            name="precision",
            verdict=LOOK,
            sentence=translate("The precision of the results depends on the sample size."),
            why=why,
            advice=translate("Enter a sample size below."),
            places=(EXPECTED_RESPONDENTS,),
        )
    respondents = respondents_text(expected)
    imprecise_questions = list(imprecise(survey, expected))
    if not imprecise_questions:
        return Check(
            name="precision",
            verdict=PASSED,
            sentence=translate(
                "With %(respondents)s, the margin of every result is %(points)s points or less "
                "(for a mean, %(points)s %% of the question’s range).",
                respondents=respondents,
                points=points,
            ),
            why=why,
        )
    return failed_check(
        "precision",
        LOOK,
        translate(
            "With %(respondents)s, the margin of these results is more than %(points)s points (for "
            "a mean, %(points)s %% of the question’s range).",
            respondents=respondents,
            points=points,
        ),
        why,
        translate("Ask more people, choose weaker protection, or offer fewer answers."),
        imprecise_questions,
    )


def imprecise(survey: Survey, expected: int) -> Iterator[tuple[Question, str]]:
    for question in planned_questions(survey, survey.listed_fields):
        # The designer knows the shares of experimental arms.
        if question.is_arm:
            continue
        try:
            first = precisions(question, survey=survey)[0]
            margin = expected_margin(question, expected, survey=survey)
            expected_text = expected_precision_text(question, expected, survey=survey)
            needed = respondents_for(question, MAX_MARGIN_SHARE, survey=survey)
        except UnanswerableQuestion:
            continue
        target = margin_text(first, MAX_MARGIN_SHARE * first.width)
        # A margin that is shown as equal to the target is not worth a warning.
        if margin > MAX_MARGIN_SHARE and margin_text(first, first.margin(expected)) != target:
            words = {
                "question": question.label,
                "expected": expected_text,
                "respondents": respondents_text(needed),
                "target": target,
            }
            yield stored_question(question, survey), imprecise_text(first, words)


def imprecise_text(precision: ExpectedPrecision, words: Mapping[str, str]) -> str:
    """The margin of a question and what a smaller one needs."""
    if precision.in_arms < 1:
        return translate(
            "“%(question)s”, asked of %(percent)s %% of the respondents (experimental arm): "
            "%(expected)s; a margin of %(target)s needs %(respondents)s in all",
            percent=points_shown(precision.in_arms),
            **words,
        )
    return translate(
        "“%(question)s”: %(expected)s; a margin of %(target)s needs %(respondents)s", **words
    )


def stored_question(question: Question, survey: Survey) -> Question:
    """The question of the survey for a planned one, which may be behind a joint question."""
    behind = joint_behind(question, survey)
    return question if behind is None else survey.items_of(behind[0])[behind[1]]


def check_denial(survey: Survey, expected: int | None) -> Iterator[Check]:
    """Whether randomising can reduce the error. Nothing can be said without a sample size."""
    if expected is None:
        return
    compared = [
        (stored_question(question, survey), found)
        for question in planned_questions(survey)
        if (found := break_even(question, survey, expected)) is not None
    ]
    if not compared:
        return
    published, share = points_shown(MAX_PUBLISHED_DENIAL), compared[0][1].share
    why = translate(
        "People who would rather not admit something may deny it when asked directly. "
        "Randomising makes honesty easier but estimates less precise. In the studies on the "
        "Plan tab, up to %(published)s %% of the people with the sensitive answer denied it.",
        published=published,
    )
    costly = [
        (
            question,
            translate(
                "“%(question)s”: %(sentence)s",
                question=question.label,
                sentence=denial_sentence(found),
            ),
        )
        for question, found in compared
        if not found.pays_at(MAX_PUBLISHED_DENIAL)
    ]
    if not costly:
        yield Check(
            name="denial",
            verdict=PASSED,
            sentence=translate(
                "With %(respondents)s, randomising can have a smaller error than a direct "
                "question, if many people would deny the truth when asked directly.",
                respondents=respondents_text(expected),
            ),
            why=why,
        )
        return
    yield failed_check(
        "denial",
        LOOK,
        translate(
            "With %(respondents)s and a true share of %(share)s %%, randomising these questions "
            "has a larger error than direct questions, even if %(published)s %% of those with the "
            "sensitive answer deny it.",
            respondents=respondents_text(expected),
            published=published,
            share=points_shown(share),
        ),
        why,
        translate(
            "Ask more people or choose weaker protection. If you randomise to protect the "
            "respondents, keep the protection."
        ),
        costly,
    )


def check_joint_questions(survey: Survey, limits: PrivacyLimits) -> Iterator[Check]:
    """Information only: what joint questions cost and gain, or would cost and gain."""
    for found in comparisons_of(survey, limits=limits):
        yield Check(
            name="joint",
            verdict=PASSED,
            sentence=cross_table_sentence(found),
            why=comparison_text(found),
        )


def check_number_points(survey: Survey) -> Check:
    why = translate(
        "The device first rounds a number at random to one of a few levels, which keeps the mean "
        "unbiased. Then it randomises the level. With fewer levels, the estimated share near each "
        "level is more precise."
    )
    numbers = [
        (question, question.levels.size)
        for question in survey.private
        if question.levels and question.mechanism != "optimal_quantiles"
    ]
    fine_questions = [
        (
            question,
            translate_plural(
                "“%(question)s”: %(n)s level",
                "“%(question)s”: %(n)s levels",
                size,
                question=question.label,
            ),
        )
        for question, size in numbers
        if size > LEVELS_FOR_MEAN
    ]
    if not numbers:
        return Check(
            name="points",
            verdict=PASSED,
            sentence=translate("No private number is rounded to levels."),
            why=why,
        )
    if not fine_questions:
        return Check(
            name="points",
            verdict=PASSED,
            sentence=translate("Numbers are rounded to few levels."),
            why=why,
        )
    return failed_check(
        "points",
        LOOK,
        translate(
            "These numbers are rounded to many levels, so the estimated distribution is imprecise."
        ),
        why,
        translate(
            "In the mechanism of these questions, remove “points”, or set it to at most %(most)s.",
            most=LEVELS_FOR_MEAN,
        ),
        fine_questions,
    )


# Items on the fieldwork.


def check_contact(survey: Survey) -> Check:
    why = translate(
        "Before they answer, people want to know who asks, whom to contact and where to find help."
    )
    work = survey.fieldwork
    missing = [
        (text, place)
        for text, value, place in (
            (translate("“Who asks” is empty."), work.asked_by, "asked_by"),
            (translate("“Contact” is empty."), work.contact, "contact"),
            (translate("“Help and support” is empty."), work.support, "support"),
        )
        if not value
    ]
    if not missing:
        sentence = translate("The survey says who asks, whom to contact and where to find help.")
        return Check(name="contact", verdict=PASSED, sentence=sentence, why=why)
    return Check(
        name="contact",
        verdict=LOOK,
        sentence=translate("Some information for respondents is missing."),
        why=why,
        advice=translate("Fill in the missing fields."),
        details=tuple(text for text, _ in missing),
        places=tuple(place for _, place in missing),
    )


def check_distress(survey: Survey) -> Iterator[Check]:
    """Whether a survey with an instrument that can show distress says where to find help."""
    found = {code: each.name for each in instruments_of(survey) for code in each.advice}
    self_harm, distress = found.get("self_harm"), found.get("distress")
    if self_harm:
        why = translate(
            "Candor cannot react to an answer about self-harm, and nobody sees it. Respondents "
            "need the contact of people who can help."
        )
        helped = translate("The survey asks about self-harm, and says where to find help.")
        alone = translate("The survey asks about self-harm, but does not say where to find help.")
    elif distress:
        why = translate(
            "Respondents see the result of the %(instrument)s before they send it, and it can "
            "worry them. The review shows “Help and support” next to the result.",
            instrument=distress,
        )
        helped = translate("The survey asks about distress, and says where to find help.")
        alone = translate("The survey asks about distress, but does not say where to find help.")
    else:
        return
    if survey.fieldwork.support:
        yield Check(name="distress", verdict=PASSED, sentence=helped, why=why)
        return
    advice = translate("Write in “Help and support” whom respondents can contact.")
    yield Check(
        name="distress", verdict=LOOK, sentence=alone, why=why, advice=advice, places=("support",)
    )


def declining(survey: Survey) -> Check:
    """Information only, without advice: a survey may require an answer to every question."""
    why = translate(
        "People who would rather not answer may leave, or answer falsely. You can offer “prefer "
        "not to say” for each private question. It is randomised like any other answer."
    )
    # Behind a joint question, each question offers it for itself.
    private = [each for one in survey.private for each in survey.items_of(one) or (one,)]
    offering = [question for question in private if question.offers_to_decline]
    if not private:
        sentence = translate("The survey has no private question.")
    elif not offering:
        sentence = translate(
            "Respondents must answer every private question: none offers “prefer not to say”."
        )
    elif len(offering) == len(private):
        sentence = translate("Every private question offers “prefer not to say”.")
    else:
        sentence = translate_plural(
            "%(n)s of %(all)s private questions offers “prefer not to say”.",
            "%(n)s of %(all)s private questions offer “prefer not to say”.",
            len(offering),
            all=len(private),
        )
    return Check(name="declining", verdict=PASSED, sentence=sentence, why=why)


def check_texts(survey: Survey) -> Iterator[Check]:
    """Information only, for a survey that stores texts apart."""
    if survey.texts_apart is False:
        yield Check(
            name="texts",
            verdict=STOPS,
            sentence=translate("Candor would store texts next to the reports of the same person."),
            why=translate(
                "A text can show who wrote it. Then it also shows whose reports are next to it."
            ),
            advice=translate("Save the survey in the builder. Candor then stores texts apart."),
        )
    if not survey.apart:
        return
    some = tuple(question.name for _, question in texts_for_some(survey))
    if some:
        yield Check(
            name="texts",
            verdict=STOPS,
            sentence=translate("Some respondents would not be asked all texts and dates."),
            why=translate(
                "Which texts someone leaves empty would then show which response this person sent, "
                "because the answers and arms that decide it are stored with the response."
            ),
            advice=translate(
                "Ask everyone, for example “If you chose other: which one?”. Remove the conditions "
                "of these questions, also those of their sections."
            ),
            details=tuple(question.label for _, question in texts_for_some(survey)),
            places=tuple(f"question:{name}" for name in some),
        )
        return
    why = join_sentences(
        translate(
            "What people write can show who they are. So Candor stores texts in a file of their "
            "own, and nothing links a text to the other answers of the person who wrote it."
        ),
        texts_rule(),
    )
    sentence = translate("Texts are stored apart from the other answers.")
    yield Check(name="texts", verdict=PASSED, sentence=sentence, why=why)


def check_batch_size(survey: Survey) -> Check:
    why = translate(
        "Without batches, someone who watches the results can see the effect of one response."
    )
    batch = survey.fieldwork.batch
    if batch > 1:
        sentence = translate(
            "Responses are published in batches of %(batch)s.",
            batch=batch,
        )
        return Check(name="batch", verdict=PASSED, sentence=sentence, why=why)
    return Check(
        name="batch",
        verdict=LOOK,
        sentence=translate("Each response is published immediately."),
        why=why,
        advice=translate("Set a batch size. %(batch)s is usual.", batch=DEFAULT_BATCH_RESPONSES),
        places=("batch",),
    )


def check_series_arms(survey: Survey) -> Iterator[Check]:
    """In a series, a device keeps its experimental arms, so they must not single anyone out."""
    if survey.fieldwork.series is None or rarest_arms(survey) == 1:
        return
    why = translate(
        "In a series, a respondent has the same experimental arms in every wave, and they are "
        "stored as they are. A rare combination of arms would join the reports of a respondent in "
        "all waves."
    )
    fault = series_arms_fault(survey)
    if fault is None:
        sentence = translate("Many respondents share each combination of experimental arms.")
        yield Check(name="series_arms", verdict=PASSED, sentence=sentence, why=why)
        return
    yield Check(
        name="series_arms",
        verdict=STOPS,
        sentence=translate("The survey has too many experimental arms for a series."),
        why=why,
        advice=translate("Use fewer arms or more equal weights, or remove the series."),
        details=(f"series {fault}",),
        places=("series",),
    )


def check_class(survey: Survey) -> Iterator[Check]:
    """A survey in class mode is erased, so its researcher should know that before it opens."""
    if not survey.fieldwork.class_mode:
        return
    yield Check(
        name="class",
        verdict=LOOK,
        sentence=translate("Candor erases this survey and all its responses when the class ends."),
        why=translate(
            "You end the class on its page “Class”. If nobody ends it, Candor erases the survey at "
            "the end of the day after the opening (UTC). Respondents read before they start that "
            "everything is erased."
        ),
        advice=translate("Keep a copy of the definition. Use class mode only in a class."),
        places=("class_mode",),
    )
