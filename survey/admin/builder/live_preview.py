"""The preview of privacy and precision while a survey is being built.

It shows the randomisation, ε and precision of each question, and the total privacy loss of one
respondent. A faulty question is named, and does not hide the figures of the others.
"""

from collections.abc import Mapping, Sequence
from contextlib import suppress
from dataclasses import asdict, dataclass, replace
from fractions import Fraction
from functools import cache
from time import thread_time
from typing import Any

from survey.admin.builder.faults import checked_questions, fault_of_table
from survey.admin.builder.fields import FIELDS, OWN, PROTECTION_NAMES, empty_question
from survey.admin.builder.form_to_definition import (
    names_of_questions,
    protection_in_form,
    question_entry,
    whole_number_or_text,
)
from survey.admin.builder.texts import AS_SURVEY, parse_expected_respondents
from survey.core.errors import DefinitionError, UnanswerableQuestion
from survey.core.factored_randomizers import Boxes
from survey.core.languages import MAIN, Words
from survey.core.processor_time import OutOfTime, limit_time
from survey.core.scores import determines_shares
from survey.core.text_widths import shorten_middle
from survey.core.translate import (
    join_sentences,
    page_language,
    translate,
    translate_list,
    translate_number,
    translate_plural,
)
from survey.definition.certainty import epsilon_text, is_almost_certain, surest, total_is_weak
from survey.definition.choices import ascii_letters
from survey.definition.derived_answers import COMBINED, sources_of
from survey.definition.fieldwork import Fieldwork
from survey.definition.known_tables import KnownTables
from survey.definition.parse_question import parse_question
from survey.definition.privacy_limits import DEFAULT_LIMITS, PrivacyLimits, is_above, limits_text
from survey.definition.protection_levels import LEVELS, MEDIUM
from survey.definition.questions import Question
from survey.definition.survey import PrivacyBudget, Survey
from survey.definition.survey_level import LEVEL_NAMES, SurveyProtection
from survey.definition.target_population import FINITE, MAX_POPULATION, SIMILAR
from survey.estimation.number_text import nonbreaking
from survey.estimation.types import ESTIMATION
from survey.estimation.types.joint_items import item_question
from survey.estimation.types.number import MAX_HISTOGRAM_PARTS
from survey.planning.arms import share_in_arms
from survey.planning.joint_comparison import builder_text, compare_joint_question
from survey.planning.plan_text import margin_text
from survey.planning.precision import (
    MEAN,
    MEDIAN,
    ExpectedPrecision,
    factor_for_declining,
    goal_precisions,
    is_for_one_estimate,
    precisions,
    share_precision,
    share_who_report,
)
from survey.planning.privacy_checks import no_private_sentence
from survey.planning.privacy_text import of_hundred, per_hundred_for_researchers
from survey.planning.survey_protection import division_of_rest
from survey.planning.types import PLANNING

# The sample size if the researcher enters none.
DEFAULT_RESPONDENTS = 500
# Types whose tables take long need a few seconds once. Until then, the page says what happens.
MAX_DIVISION_SECONDS = 8


@dataclass(frozen=True, kw_only=True)
class QuestionPreview:
    """The preview of one question: a fault, or its protection and precision, in sentences.

    `epsilon` is None for a non-private question. `short` is shown next to a folded question.
    `source` says how a derived answer is calculated, `price` what a report on a joint question
    reveals of one answer, and `declining` what the answer “prefer not to say” costs.
    """

    fault: str = ""
    sentences: tuple[str, ...] = ()
    precision: str = ""
    epsilon: str | None = None
    short: str = ""
    source: str = ""
    price: str = ""
    declining: str = ""


@dataclass(frozen=True, kw_only=True)
class SurveyPreview:
    """The privacy loss and expected precision of every question, and the total for one
    respondent. The letters of the title and of choices are there in ASCII, for names that the
    page makes from them."""

    questions: tuple[QuestionPreview, ...]
    epsilon: str
    sentences: tuple[str, ...]
    wary: bool
    letters: Mapping[str, str]

    def as_json(self) -> dict[str, Any]:
        return asdict(self)


def levels() -> list[tuple[str, str, str, str]]:
    """A row for each protection level: its name, how many of 100 people with the answer Yes send
    Yes, ε, and the design effect of a yes/no question."""
    return [
        (
            translate(PROTECTION_NAMES[level]),
            of_hundred(kept, Words(page_language.get())),
            translate_number(epsilon),
            precision.design_effect_text,
        )
        for level, kept, epsilon, precision in level_figures()
    ]


@cache
def level_figures() -> tuple[tuple[str, Fraction, str, ExpectedPrecision], ...]:
    """The numbers of `levels`, in no language."""
    rows = []
    for level in LEVELS:
        question = two_answers(level)
        if question.table is not None:
            kept = question.table.probability(0, 0)
            precision = precisions(question)[0]
            rows.append((level, kept, epsilon_text(question.epsilon), precision))
    return tuple(rows)


def two_answers(level: str) -> Question:
    data = empty_question() | {"label": "?", "privacy": level, "prefer_not_to_say": False}
    return parse_question(question_entry(data, 0, "q"), "", MAIN)


def respondents_of(text: str | None) -> tuple[int, str]:
    """The sample size for the precision, and a message if the typed one is not valid."""
    try:
        return parse_expected_respondents(text) or DEFAULT_RESPONDENTS, ""
    except DefinitionError:
        label = FIELDS["respondents"].label
        why = translate(
            "“%(label)s” is not a valid number. The precision shown is for %(n)s respondents.",
            label=translate(label),
            n=DEFAULT_RESPONDENTS,
        )
        return DEFAULT_RESPONDENTS, why


def sampled_question_count(text: str | None, private: int) -> int | None:
    """The number of private questions for each respondent, if it is possible."""
    sample = whole_number_or_text((text or "").strip())
    return sample if isinstance(sample, int) and 1 <= sample < private else None


def preview_survey(
    data: Mapping[str, Any],
    limits: PrivacyLimits = DEFAULT_LIMITS,
    before: Survey | None = None,
) -> SurveyPreview:
    """The preview of a form's data. An empty label is not a fault here. Tables of `before`, the
    edited draft, are not calculated again."""
    tables = KnownTables.of(() if before is None else before.questions)
    ready = [
        (each.sound, fault_of_table(each.sound) if each.sound else each.why_not)
        for each in checked_questions(data, tables, worded=False)
    ]
    sound = tuple(question for question, why in ready if question is not None and not why)
    whole_survey = Survey(
        slug="q",
        title="?",
        language=MAIN,
        introduction="",
        budget=PrivacyBudget(None, None),
        questions=sound,
    )
    protection = protection_in_form(data, whole_survey, before)
    if protection is None:
        sample = sampled_question_count(data["sample"], len(whole_survey.private))
        survey, shared = replace(whole_survey, budget=PrivacyBudget(None, sample)), ""
    else:
        survey, shared = with_level(whole_survey, protection, before, fieldwork_in_form(data))
    n, why_not = respondents_of(data["respondents"])
    titles = question_titles(data["questions"])
    divided = {question.name: question for question in survey.questions}
    questions = tuple(
        QuestionPreview(fault=why, short=translate("incomplete"))
        if why or question is None
        else preview_question(
            divided[question.name], level_name(typed, protection), survey, n, titles
        )
        for (question, why), typed in zip(ready, data["questions"], strict=True)
    )
    named = [data.get("title"), *(typed["choices"] for typed in data["questions"])]
    sentences = total_sentences(survey, len(ready) - len(sound), limits)
    sentences += [nonbreaking(shared)] if shared else []
    return SurveyPreview(
        questions=questions,
        epsilon=epsilon_shown(survey.epsilon),
        sentences=(*sentences, why_not) if why_not else tuple(sentences),
        wary=total_is_weak(survey),
        letters=ascii_letters("".join(text for text in named if text)),
    )


def question_titles(typed: Sequence[Mapping[str, Any]]) -> dict[str, str]:
    """The number and the shortened text of each question, by its column name."""
    return {
        name: f"“{number}. {shorten_middle(each['label'] or '') or translate('(no text yet)')}”"
        for number, (name, each) in enumerate(
            zip(names_of_questions(typed), typed, strict=True), start=1
        )
    }


def fieldwork_in_form(data: Mapping[str, Any]) -> Fieldwork:
    """What the division of a level depends on: the people whom results describe, and the mode."""
    about: str | int = data.get("results_about") or SIMILAR
    if about == FINITE:
        size = whole_number_or_text((data.get("population") or "").strip())
        about = size if isinstance(size, int) and 1 <= size <= MAX_POPULATION else SIMILAR
    return Fieldwork(results_about=about, by_hand=bool(data.get("by_hand")))


def with_level(
    survey: Survey, protection: SurveyProtection, before: Survey | None, work: Fieldwork
) -> tuple[Survey, str]:
    """The survey with its level, and the respondents that it needs, or why the level is not kept.

    With main figures, the number is for these.
    """
    try:
        with limit_time(MAX_DIVISION_SECONDS, thread_time):
            found = division_of_rest(replace(survey, fieldwork=work), protection, before)
    except OutOfTime:
        return survey, translate("Candor divides the level when you save.")
    except UnanswerableQuestion as error:
        return survey, str(error)
    if found is None:
        return survey, ""
    divided = replace(found.survey, fieldwork=survey.fieldwork)
    if found.exceeds_population:
        return divided, translate(
            "A margin of ±\u00a05 points (for a mean, 5 %% of its range) is not possible, because "
            "the population is too small."
        )
    needed = translate_number(f"{found.respondents:,}")
    if protection.main:
        return divided, translate(
            "For a margin of ±\u00a05 points of the main figures (for a mean, 5 %% of its range), "
            "and twice this margin of all others, you need %(n)s respondents.",
            n=needed,
        )
    return divided, translate(
        "For a margin of ±\u00a05 points (for a mean, 5 %% of its range), you need %(n)s "
        "respondents.",
        n=needed,
    )


def level_name(typed: Mapping[str, Any], protection: SurveyProtection | None) -> str:
    """The name of the protection in the line of a folded question."""
    chosen = typed["privacy"]
    if chosen == AS_SURVEY:
        return translate(LEVEL_NAMES[protection.level] if protection else PROTECTION_NAMES[MEDIUM])
    return translate(PROTECTION_NAMES[chosen] if chosen in LEVELS else OWN)


def epsilon_shown(epsilon: float) -> str:
    """A privacy loss ε in the language of the page."""
    return translate_number(epsilon_text(epsilon))


def preview_question(
    question: Question, level: str, survey: Survey, n: int, titles: Mapping[str, str]
) -> QuestionPreview:
    if not question.kind.asks:
        return QuestionPreview()
    if question.kind.free_text:
        stored = (
            translate(
                "The text is stored as given, apart from the other answers. Everyone is asked it, "
                "and nobody can read it before the survey closes."
            )
            if survey.texts_apart
            else translate("The text is stored as given.")
        )
        return QuestionPreview(fault="", sentences=(stored,), short=translate("not protected"))
    if not question.sent:
        return QuestionPreview(
            fault="",
            sentences=(unsent_text(question, survey, titles),),
            short=translate("not sent"),
        )
    source = source_text(question, titles)
    if question.is_arm:
        stored = translate("The arm is stored as it is.")
        return QuestionPreview(
            fault="", sentences=(stored,), short=translate("experimental arm"), source=source
        )
    try:
        precision = nonbreaking(question_precision_text(question, survey, n))
    except UnanswerableQuestion:
        precision = ""
    if question.known_share is not None:
        stored = translate(
            "The answer is stored as given. The second statement hides whether the first one is "
            "true."
        )
        sentences = (stored, *per_hundred_for_researchers(question))
        epsilon = epsilon_shown(question.epsilon)
        short = translate("second statement, ε = %(epsilon)s", epsilon=epsilon)
        return QuestionPreview(
            fault="",
            sentences=sentences,
            precision=precision,
            epsilon=epsilon,
            short=short,
            source=source,
        )
    if question.non_private:
        stored = translate("The answer is stored as given.")
        short = translate("not protected")
        return QuestionPreview(
            fault="",
            sentences=(stored,),
            precision=precision,
            epsilon=None,
            short=short,
            source=source,
        )
    epsilon = epsilon_shown(question.epsilon)
    short = translate("%(level)s, ε = %(epsilon)s", level=level, epsilon=epsilon)
    sentences = (
        *per_hundred_for_researchers(question),
        *sampled_boxes_sentences(question),
        *mean_only_sentences(question),
    )
    if not survey.items_of(question):
        declining = nonbreaking(declining_text(question))
        return QuestionPreview(
            fault="",
            sentences=sentences,
            precision=precision,
            epsilon=epsilon,
            short=short,
            source=source,
            declining=declining,
        )
    precision = join_sentences(precision, nonbreaking(item_precision_text(question, survey, n)))
    price = price_text(question)
    if found := compare_joint_question(survey, question):
        price = join_sentences(price, builder_text(found))
    price = nonbreaking(price)
    return QuestionPreview(
        fault="",
        sentences=sentences,
        precision=precision,
        epsilon=epsilon,
        short=short,
        source=source,
        price=price,
    )


def declining_text(question: Question) -> str:
    """Why to offer “prefer not to say”, and what it costs, whether the question offers it or not.

    Empty if the cost is unknown.
    """
    factor = factor_for_declining(question)
    if factor is None:
        return ""
    reason = translate("With “prefer not to say”, nobody has to answer a sensitive question.")
    if factor < 1.005:
        cost = translate(
            "At the same ε and margin of error, it costs less than 1 %% more respondents."
        )
    else:
        cost = translate(
            "At the same ε and margin of error, it costs about %(percent)s %% more respondents.",
            percent=translate_number(f"{100 * (factor - 1):,.0f}"),
        )
    return join_sentences(reason, cost)


def unsent_text(question: Question, survey: Survey, titles: Mapping[str, str]) -> str:
    """What happens with an answer that is not sent."""
    users = survey.derived_from(question)
    stays = translate("The answer stays on the respondent’s device.")
    if not users:
        return join_sentences(stays, translate("No derived answer uses it yet."))
    names = translate_list([titles[each.name] for each in users])
    return join_sentences(
        stays, translate("The device calculates these answers from it: %(names)s.", names=names)
    )


def source_text(question: Question, titles: Mapping[str, str]) -> str:
    """How the respondent's device gets a derived answer; empty if the respondent gives it."""
    if question.derived is None:
        return ""
    if question.is_arm:
        return translate("The respondent’s device draws this arm at random.")
    names = translate_list([titles[name] for name in sources_of(question.derived)])
    if COMBINED in question.derived:
        return translate(
            "The respondent’s device combines the answers to: %(names)s. %(n)s combinations of "
            "answers are possible.",
            names=names,
            n=len(question.choices),
        )
    return translate("The respondent’s device calculates this answer from: %(names)s.", names=names)


def item_precision_text(joint: Question, survey: Survey, n: int) -> str:
    """The margin of the shares of each question behind a joint question, in the worst case; empty
    if the sample is too small."""
    of_items = [
        item_question(joint, item, place) for place, item in enumerate(survey.items_of(joint))
    ]
    figures = [
        share_precision(each, None, share_who_report(joint, survey) * float(in_arms))
        for each in of_items
        if (in_arms := share_in_arms(each, survey))
    ]
    worst = max(figures, key=lambda figure: figure.margin(n), default=None)
    if worst is None or worst.tells_nothing(n):
        return ""
    return translate(
        "For the share of each answer to one of these questions, it is at most about %(margin)s.",
        margin=margin_text(worst, worst.margin(n)),
    )


def price_text(joint: Question) -> str:
    """What someone who knows the other answers learns about one answer, in the worst case."""
    ratio_bound = None if joint.randomizer is None else joint.randomizer.ratio_bound
    return translate(
        "Someone who knows the other answers learns at most as much about one answer as "
        "ε = %(epsilon)s allows. If this person first considers two answers equally likely, the "
        "certainty is at most %(certainty)s afterwards.",
        epsilon=epsilon_shown(joint.epsilon),
        certainty=surest(ratio_bound, Words(page_language.get())),
    )


def sampled_boxes_sentences(question: Question) -> list[str]:
    """What cannot be analysed if each respondent reports on a sample of the boxes."""
    boxes = question.randomizer
    if not isinstance(boxes, Boxes) or boxes.sample == boxes.answers:
        return []
    if boxes.sample == 1:
        return [
            translate(
                "Each respondent reports on 1 of the %(boxes)s boxes, chosen at random. So the "
                "results can never show how two boxes are related, for example in a "
                "cross-tabulation.",
                boxes=boxes.answers,
            )
        ]
    return [
        translate(
            "Each respondent reports on %(sample)s of the %(boxes)s boxes, chosen at random. "
            "So an analysis can use at most %(sample)s boxes together.",
            sample=boxes.sample,
            boxes=boxes.answers,
        )
    ]


def mean_only_sentences(question: Question) -> list[str]:
    """What cannot be analysed if the reports determine only the mean."""
    without_mean = ESTIMATION[question].ends() is None
    if without_mean or question.table is None or determines_shares(question.table):
        return []
    return [
        translate(
            "The reports allow an estimate of the mean only, not of the share of each answer. So "
            "this question cannot be in a cross-tabulation, and cannot be a predictor in a "
            "regression. It can be the outcome. If you need more, choose another goal or "
            "protection."
        )
    ]


def wanted_precisions(question: Question, survey: Survey) -> tuple[ExpectedPrecision, ...]:
    """The expected precision of the quantities that matter.

    If the mean or the median is the goal, it is only this one, otherwise also the shares. For a
    number, these are the shares of the parts of its range, which the planner leaves out.
    """
    figures = goal_precisions(question, None, survey)
    if question.grid is None or question.table is None or is_for_one_estimate(question):
        return figures
    if question.levels is None or question.levels.size <= MAX_HISTOGRAM_PARTS:
        with suppress(UnanswerableQuestion):  # a table for the mean alone
            share = share_precision(question, None, figures[0].reported)
            return (replace(share, in_arms=figures[0].in_arms), *figures)
    return figures


def question_precision_text(question: Question, survey: Survey, n: int) -> str:
    """The margin of the estimates in the worst case, in a sentence."""
    figures = wanted_precisions(question, survey)
    estimable = [each for each in figures if not each.tells_nothing(n)]
    hopeless = [all_of(question, each) for each in figures if each not in estimable]
    respondents = translate_number(f"{n:,}")
    sentences = []
    if hopeless:
        sentences.append(
            translate(
                "With %(n)s respondents, the sample is too small to estimate %(estimates)s.",
                n=respondents,
                estimates=join_parts(hopeless),
            )
        )
    if estimable:
        sentences.append(expected_margin_text(question, estimable, n, starts=not hopeless))
    if hopeless and question.non_private:
        sentences.append(translate("Ask more people."))
    elif hopeless:
        sentences.append(PLANNING[question].advice_on_precision())
    return Words(page_language.get()).gap.join(sentences)


def expected_margin_text(
    question: Question, figures: Sequence[ExpectedPrecision], n: int, *, starts: bool
) -> str:
    """The margins of some estimates. A sentence that `starts` also states the sample size."""
    margins = join_parts([margin_of_figure(question, each, n) for each in figures])
    if not starts:
        return translate("The margin (95 %%) is %(margins)s.", margins=margins)
    respondents = translate_number(f"{n:,}")
    if figures[0].all_report:
        return translate(
            "With %(n)s respondents, the margin (95 %%) is %(margins)s.",
            n=respondents,
            margins=margins,
        )
    reporting = figures[0].reports_text(n)
    if figures[0].only_arms:
        return translate(
            "With %(n)s respondents, of whom about %(reporting)s are in an arm with this question "
            "and report on it, the margin (95 %%) is %(margins)s.",
            n=respondents,
            reporting=reporting,
            margins=margins,
        )
    return PLANNING[question].margin_among_reporting(
        {"n": respondents, "reporting": reporting, "margins": margins}
    )


def join_parts(parts: Sequence[str]) -> str:
    """One or two parts of a sentence."""
    if len(parts) == 1:
        return parts[0]
    return translate("%(first)s and %(second)s", first=parts[0], second=parts[1])


def margin_of_figure(question: Question, figure: ExpectedPrecision, n: int) -> str:
    """The largest margin of one estimate, as a part of a sentence.

    That of a mean assumes that everyone gives a value (`precisions`).
    """
    margin = margin_text(figure, figure.margin(n))
    if figure.kind == MEDIAN:
        return translate(
            "about %(margin)s for the median if answers are spread evenly", margin=margin
        )
    if figure.kind == MEAN:
        return PLANNING[question].margin_of_mean(margin)
    return PLANNING[question].margin_of_share(margin, only_arms=figure.only_arms)


def all_of(question: Question, figure: ExpectedPrecision) -> str:
    """The name of an estimate in a sentence about all shares."""
    if figure.kind == MEDIAN:
        return translate("the median")
    if figure.kind == MEAN:
        return translate("the mean")
    return PLANNING[question].shares_in_words()


def total_sentences(
    survey: Survey, faulty: int, limits: PrivacyLimits = DEFAULT_LIMITS
) -> list[str]:
    """What someone could learn about one respondent from everything that is sent."""
    sentences = []
    if not survey.protected:
        sentences.append(no_private_sentence(survey))
    elif survey.ratio_bound is not None:
        sentences += private_sentences(survey, limits)
    if faulty:
        sentences.append(
            translate_plural(
                "%(n)s question is incomplete. This total excludes it.",
                "%(n)s questions are incomplete. This total excludes them.",
                faulty,
            )
        )
    return [nonbreaking(sentence) for sentence in sentences]


def private_sentences(survey: Survey, limits: PrivacyLimits) -> list[str]:
    """What someone could learn from the reports on the private questions."""
    sentences = [certainty_sentence(survey)]
    if survey.budget.sample is not None:
        sentences.append(
            translate(
                "Each respondent reports on %(sample)s of the %(private)s private questions, "
                "chosen at random.",
                sample=survey.budget.sample,
                private=len(survey.private),
            )
        )
    if is_above(survey, limits):
        certainty, epsilon = limits_text(limits)
        sentences.append(
            translate(
                "You cannot open this survey. This server allows at most %(certainty)s certainty "
                "about one question, and a total privacy loss of at most ε = %(epsilon)s.",
                certainty=translate_number(certainty),
                epsilon=translate_number(epsilon),
            )
        )
    if total_is_weak(survey):
        sentences.append(
            translate(
                "This total is a weak guarantee. Choose stronger protection, ask fewer private "
                "questions, or ask each respondent only some of them, chosen at random."
            )
        )
    return sentences


def certainty_sentence(survey: Survey) -> str:
    """How sure someone could become of one answer, and of all answers together."""
    words = Words(page_language.get())
    one = surest(survey.largest_ratio_bound, words)
    sampled = survey.budget.sample == 1 and survey.protected == survey.private
    if sampled or len(survey.protected) == 1:
        return translate(
            "Suppose that someone first considers two answers equally likely. In the worst "
            "case, this person becomes %(one)s sure of the answer to one question.",
            one=one,
        )
    if is_almost_certain(survey.ratio_bound):
        return translate(
            "Suppose that someone first considers two answers equally likely. In the worst "
            "case, this person becomes %(one)s sure of the answer to one question, and almost "
            "certain about all private questions together.",
            one=one,
        )
    return translate(
        "Suppose that someone first considers two answers equally likely. In the worst case, "
        "this person becomes %(one)s sure of the answer to one question, and %(all)s sure "
        "about all private questions together.",
        one=one,
        all=surest(survey.ratio_bound, words),
    )
