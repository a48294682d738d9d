"""The preview of privacy and precision while a survey is being built.

It shows the randomisation, ε and precision of each question, and the total privacy loss of one
respondent. A faulty question is named, and does not hide the figures of the others.
"""

from collections.abc import Mapping
from contextlib import suppress
from dataclasses import asdict, dataclass
from functools import cache
from typing import Any

from survey.admin.builder.faults import checked_questions, fault_of_table
from survey.admin.builder.fields import FIELDS, empty_question
from survey.admin.builder.form_to_definition import question_entry, whole_number_or_text
from survey.admin.builder.texts import parse_expected_respondents
from survey.core.errors import DefinitionError, UnanswerableQuestion
from survey.core.factored_randomizers import Boxes
from survey.core.languages import MAIN
from survey.definition.certainty import epsilon_text, surest
from survey.definition.known_tables import KnownTables
from survey.definition.parse_question import parse_question
from survey.definition.privacy_limits import DEFAULT_LIMITS, PrivacyLimits, is_above, limits_text
from survey.definition.protection_levels import LEVELS
from survey.definition.questions import Question
from survey.definition.survey import PrivacyBudget, Survey
from survey.estimation.build_number_results import MAX_HISTOGRAM_PARTS
from survey.estimation.number_text import nonbreaking
from survey.planning.plan_text import margin_text
from survey.planning.precision import MEAN, ExpectedPrecision, precisions, share_precision
from survey.planning.privacy_text import of_hundred, per_hundred_for_researchers

# The sample size if the researcher enters none.
DEFAULT_RESPONDENTS = 500
# Above this total ε, the guarantee is weak.
HIGH_EPSILON = 5
# Above this likelihood ratio, a percentage no longer shows how sure someone can be.
NEAR_CERTAIN_ODDS = 1000


@dataclass(frozen=True)
class QuestionPreview:
    """The preview of one question: a fault, or its protection and precision, in sentences.

    `epsilon` is None for a non-private question. `short` is shown next to a folded question.
    """

    fault: str = ""
    sentences: tuple[str, ...] = ()
    precision: str = ""
    epsilon: str | None = None
    short: str = ""


@dataclass(frozen=True)
class SurveyPreview:
    """The privacy loss and expected precision of every question, and the total for one
    respondent."""

    questions: tuple[QuestionPreview, ...]
    epsilon: str
    sentences: tuple[str, ...]
    wary: bool

    def as_json(self) -> dict[str, Any]:
        return asdict(self)


@cache
def levels() -> tuple[tuple[str, str, str, str], ...]:
    """A row for each protection level: its name, how many of 100 people with the answer Yes send
    Yes, ε, and the design effect of a yes/no question."""
    rows = []
    for level in LEVELS:
        question = two_answers(level)
        if question.table is not None:
            times = precisions(question)[0].design_effect
            kept = of_hundred(question.table.probability(0, 0))
            rows.append((level.capitalize(), kept, epsilon_text(question.epsilon), f"{times:.1f}"))
    return tuple(rows)


def two_answers(level: str) -> Question:
    data = empty_question() | {"label": "?", "privacy": level, "prefer_not_to_say": False}
    return parse_question(question_entry(data, 0, "q"), "", MAIN)


def respondents_of(text: str | None) -> tuple[int, str]:
    """The sample size for the precision, and a message if the typed one is not valid."""
    try:
        return parse_expected_respondents(text) or DEFAULT_RESPONDENTS, ""
    except DefinitionError:
        why = (
            f"“{FIELDS['respondents'].label}” is not a valid number. The precision shown is for "
            f"{DEFAULT_RESPONDENTS} respondents."
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
    whole_survey = Survey("q", "?", MAIN, "", PrivacyBudget(None, None), sound)
    sample = sampled_question_count(data["sample"], len(whole_survey.private))
    survey = Survey("q", "?", MAIN, "", PrivacyBudget(None, sample), sound)
    n, why_not = respondents_of(data["respondents"])
    questions = tuple(
        QuestionPreview(why, short="incomplete")
        if why or question is None
        else preview_question(question, level_name(typed), survey, n)
        for (question, why), typed in zip(ready, data["questions"], strict=True)
    )
    sentences = total_sentences(survey, len(ready) - len(sound), limits)
    return SurveyPreview(
        questions,
        epsilon_text(survey.epsilon),
        (*sentences, why_not) if why_not else tuple(sentences),
        survey.epsilon > HIGH_EPSILON,
    )


def level_name(typed: Mapping[str, Any]) -> str:
    """The name of the protection in the line of a folded question."""
    return typed["privacy"].capitalize() if typed["privacy"] in LEVELS else "Custom"


def preview_question(question: Question, level: str, survey: Survey, n: int) -> QuestionPreview:
    if not question.kind.asks:
        return QuestionPreview()
    if question.kind.free_text:
        where = ", apart from the other answers" if survey.texts_apart else ""
        return QuestionPreview("", (f"The text is stored as given{where}.",), short="not protected")
    try:
        precision = nonbreaking(question_precision_text(question, survey, n))
    except UnanswerableQuestion:
        precision = ""
    if question.plain:
        return QuestionPreview(
            "", ("The answer is stored as given.",), precision, None, "not protected"
        )
    epsilon = epsilon_text(question.epsilon)
    short = f"{level}, ε = {epsilon}"
    sentences = (*per_hundred_for_researchers(question), *sampled_boxes_sentences(question))
    return QuestionPreview("", sentences, precision, epsilon, short)


def sampled_boxes_sentences(question: Question) -> list[str]:
    """What cannot be analysed if each respondent reports on a sample of the boxes."""
    boxes = question.randomizer
    if not isinstance(boxes, Boxes) or boxes.sample == boxes.answers:
        return []
    if boxes.sample == 1:
        return [
            f"Each respondent reports on 1 of the {boxes.answers} boxes, chosen at random. So the "
            "results can never show how two boxes are related, for example in a cross-tabulation."
        ]
    return [
        f"Each respondent reports on {boxes.sample} of the {boxes.answers} boxes, chosen at "
        f"random. So an analysis can never use more than {boxes.sample} of them together."
    ]


def wanted_precisions(question: Question, survey: Survey) -> tuple[ExpectedPrecision, ...]:
    """The expected precision of the quantities that matter: only the mean if it is the goal,
    otherwise also the shares. For a number, these are the shares of the parts of its range, which
    the planner leaves out."""
    figures = precisions(question, None, survey)
    if (question.privacy or {}).get("goal") == "mean":
        return tuple(each for each in figures if each.kind == MEAN)
    spread = question.kind.numeric and question.table is not None
    if spread and (question.points is None or question.points.size <= MAX_HISTOGRAM_PARTS):
        with suppress(UnanswerableQuestion):  # a table for the mean alone
            return (share_precision(question, None, figures[0].reported), *figures)
    return figures


def question_precision_text(question: Question, survey: Survey, n: int) -> str:
    """The margin of the estimates in the worst case, in a sentence."""
    figures = wanted_precisions(question, survey)
    estimable = [each for each in figures if each.margin(n) < each.width / 2]
    hopeless = [name_of(question, each, of_all=True) for each in figures if each not in estimable]
    sentences = []
    if hopeless:
        names = " and ".join(hopeless)
        sentences.append(f"With {n:,} respondents, the sample is too small to estimate {names}.")
    if estimable:
        estimates_text = " and ".join(
            f"about {margin_text(each, each.margin(n))} for {name_of(question, each)}"
            for each in estimable
        )
        of_them = ""
        if figures[0].reported < 1:
            what = "each box" if question.kind.boxes else "this question"
            of_them = f", of whom about {n * figures[0].reported:,.0f} report on {what}"
        start = "The" if hopeless else f"With {n:,} respondents{of_them}, the"
        sentences.append(f"{start} margin (95 %) is {estimates_text}.")
    if hopeless:
        fewer = "" if question.kind.numeric else " offer fewer answers,"
        sentences.append(f"Choose weaker protection,{fewer} or ask more people.")
    return " ".join(sentences)


def name_of(question: Question, figure: ExpectedPrecision, *, of_all: bool = False) -> str:
    """The name of a figure in a sentence. With `of_all`, the sentence is about all shares."""
    if figure.kind == MEAN:
        return "the mean rank" if question.kind.ordered and not of_all else "the mean"
    if question.kind.numeric:
        return (
            "the shares of the parts of the range"
            if of_all
            else "the share of each part of the range"
        )
    return "the shares" if of_all else "each share"


def total_sentences(
    survey: Survey, faulty: int, limits: PrivacyLimits = DEFAULT_LIMITS
) -> list[str]:
    """What someone could learn about one respondent from everything that is sent."""
    private = len(survey.private)
    sentences = []
    if not private:
        sentences.append("No question is private. Every answer is stored as given.")
    elif survey.odds is not None:
        about_all = ""
        if survey.budget.sample != 1 and private > 1:
            sure = (
                "almost certain"
                if survey.odds > NEAR_CERTAIN_ODDS
                else f"{surest(survey.odds)} sure"
            )
            about_all = f", and {sure} about all questions together"
        sentences.append(
            "Suppose that someone first thinks two answers equally likely. In the worst case, this "
            f"person becomes {surest(survey.largest_odds)} sure of the answer to one question"
            f"{about_all}."
        )
        if survey.budget.sample is not None:
            sentences.append(
                f"Each respondent reports on {survey.budget.sample} of the {private} private "
                "questions, chosen at random."
            )
        if is_above(survey, limits):
            certainty, epsilon = limits_text(limits)
            sentences.append(
                f"You cannot open this survey. This server allows at most {certainty} certainty "
                f"about one question, and a total privacy loss of at most ε = {epsilon}."
            )
        if survey.epsilon > HIGH_EPSILON:
            sentences.append(
                "This total is a weak guarantee. Choose stronger protection, ask fewer private "
                "questions, or ask each respondent only some of them, chosen at random."
            )
    if faulty:
        are, them = ("question is", "it") if faulty == 1 else ("questions are", "them")
        sentences.append(f"{faulty} {are} incomplete. This total leaves {them} out.")
    return [nonbreaking(sentence) for sentence in sentences]
