"""What a survey that is being built would tell: odds, epsilon and precision of each question, and
what one respondent would lose in all. Questions with a fault are told apart, not in the way."""

import re
from collections.abc import Mapping
from dataclasses import asdict, dataclass
from functools import cache
from typing import Any

from .builder import EMPTY_QUESTION, fault_of, names_of_questions, question_entry, whole
from .builder_texts import LEVELS
from .definition import Budget, Survey
from .errors import DefinitionError, SurveyError, UnanswerableQuestion
from .languages import LANGUAGES, MAIN
from .pages import nonbreaking
from .parsing import parse_question
from .plan_words import margin_text
from .precision import MEAN, Precision, precisions
from .protection import epsilon_text, of_hundred, per_hundred, surest
from .questions import NOTE, SCALE, TEXT, Question

RESPONDENTS, MOST_RESPONDENTS = 500, 100_000_000
WARY = 5  # beyond this epsilon a protection says little
CERTAIN = 1000  # odds beyond which percentages no longer say how sure anyone can be


@dataclass(frozen=True)
class QuestionOutlook:
    """Of one question: a fault in a sentence, or how it is protected and what it will tell.

    `epsilon` is None where it is not protected; `short` is what stands beside a folded question.
    """

    fault: str = ""
    sentences: tuple[str, ...] = ()
    precision: str = ""
    epsilon: str | None = None
    short: str = ""


@dataclass(frozen=True)
class Outlook:
    """Of all questions, and of one respondent."""

    questions: tuple[QuestionOutlook, ...]
    epsilon: str
    sentences: tuple[str, ...]
    wary: bool

    def as_json(self) -> dict[str, Any]:
        return asdict(self)


@cache
def levels() -> tuple[tuple[str, str, str, str], ...]:
    """Of each level of protection its name, of 100 Yes how many send Yes, epsilon, and how many
    times as many respondents a yes/no question needs as one that is not protected."""
    found = []
    for level in LEVELS:
        question = two_answers(level)
        if question.table is not None:
            times = precisions(question)[0].design_effect
            kept = of_hundred(question.table.probability(0, 0))
            found.append((level.capitalize(), kept, epsilon_text(question.epsilon), f"{times:.1f}"))
    return tuple(found)


def two_answers(level: str) -> Question:
    data = EMPTY_QUESTION | {"label": "?", "privacy": level}
    return parse_question(question_entry(data, 0, "q"), "", MAIN)


def respondents_of(text: str | None) -> int:
    """How many are expected; what is no number in range counts as the default."""
    typed = (text or "").replace(",", "").replace(" ", "")
    if typed.isascii() and typed.isdigit() and 1 <= int(typed) <= MOST_RESPONDENTS:
        return int(typed)
    return RESPONDENTS


def parsed_questions(data: Mapping[str, Any]) -> list[Question | str]:
    """Each question of the form, or what is wrong with it; empty labels are no fault here."""
    language = data["language"] if data["language"] in LANGUAGES else MAIN
    names = names_of_questions(data["questions"])
    found: list[Question | str] = []
    for place, (typed, name) in enumerate(zip(data["questions"], names, strict=True)):
        earlier = [question for question in found if isinstance(question, Question)]
        typed = dict(typed, label=(typed["label"] or "").strip() or "…")
        try:
            if name in {question.name for question in earlier}:
                raise DefinitionError(f"questions[{place}].name", f"{name!r} is there twice.")
            entry = question_entry(typed, place, name)
            question = parse_question(entry, f"questions[{place}]", language, earlier)
            if question.table is not None:
                question.table.require_finite()
            found.append(question)
        except DefinitionError as error:
            found.append(fault_of(error).text)
        except SurveyError as error:
            found.append(str(error))
    return found


def sample_of(text: str | None, private: int) -> int | None:
    """On how many private questions each reports, if that is a possible number of them."""
    sample = whole((text or "").strip())
    return sample if isinstance(sample, int) and 1 <= sample < private else None


def outlook_of(data: Mapping[str, Any]) -> Outlook:
    """The outlook of a form's data."""
    parsed = parsed_questions(data)
    sound = tuple(question for question in parsed if isinstance(question, Question))
    whole_survey = Survey("q", "?", MAIN, "", Budget(None, None), sound)
    sample = sample_of(data["sample"], len(whole_survey.private))
    survey = Survey("q", "?", MAIN, "", Budget(None, sample), sound)
    n = respondents_of(data["respondents"])
    questions = tuple(
        QuestionOutlook(re.sub(r"^Question \d+[,:] ", "", each), short="not ready")
        if isinstance(each, str)
        else outlook_of_question(each, level_name(typed), survey, n)
        for each, typed in zip(parsed, data["questions"], strict=True)
    )
    return Outlook(
        questions,
        epsilon_text(survey.epsilon),
        tuple(total_sentences(survey, len(parsed) - len(sound))),
        survey.epsilon > WARY,
    )


def level_name(typed: Mapping[str, Any]) -> str:
    """What the folded line of a question calls its protection."""
    return typed["privacy"].capitalize() if typed["privacy"] in LEVELS else "own"


def outlook_of_question(question: Question, level: str, survey: Survey, n: int) -> QuestionOutlook:
    if question.type == NOTE:
        return QuestionOutlook()
    if question.type == TEXT:
        return QuestionOutlook(sentences=("The text is stored as given.",), short="not protected")
    try:
        precision = nonbreaking(precision_text(question, survey, n))
    except UnanswerableQuestion:
        precision = ""
    if question.plain:
        return QuestionOutlook(
            "", ("The answer is stored as given.",), precision, None, "not protected"
        )
    epsilon = epsilon_text(question.epsilon)
    short = f"{level}, ε = {epsilon}"
    return QuestionOutlook("", tuple(per_hundred(question)), precision, epsilon, short)


def precision_text(question: Question, survey: Survey, n: int) -> str:
    """How far estimates may be off at the worst, in a sentence."""
    found = precisions(question, None, survey)
    hopeless = [each for each in found if each.margin(n) >= each.width / 2]
    if hopeless:
        what = "mean" if hopeless[0].kind == MEAN else "shares"
        return (
            f"With {n:,} respondents, the {what} will not be known at all. Protect it less, offer "
            "fewer answers, or ask more people."
        )
    told = [
        f"{what_of(question, each)} to about {margin_text(each, each.margin(n))}" for each in found
    ]
    of_them = ""
    if found[0].reported < 1:
        of_them = f", of whom about {n * found[0].reported:,.0f} report on it"
    return f"With {n:,} respondents{of_them}, you will know {' and '.join(told)} (95 %)."


def what_of(question: Question, precision: Precision) -> str:
    if precision.kind != MEAN:
        return "each share"
    return "the mean rank" if question.type == SCALE else "the mean"


def total_sentences(survey: Survey, faulty: int) -> list[str]:
    """What anyone could learn about one respondent from all that is sent."""
    private = len(survey.private)
    sentences = []
    if not private:
        sentences.append("No question is protected: every answer is stored as given.")
    elif survey.odds is not None:
        about_all = ""
        if survey.budget.sample != 1 and private > 1:
            sure = "all but certain" if survey.odds > CERTAIN else f"{surest(survey.odds)} sure"
            about_all = f", and {sure} about all together"
        sentences.append(
            "At worst, someone who thought two answers equally likely could become "
            f"{surest(survey.largest_odds)} sure about one question{about_all}."
        )
        if survey.budget.sample is not None:
            sentences.append(
                f"Chance picks {survey.budget.sample} of the {private} private questions for each "
                "respondent."
            )
        if survey.epsilon > WARY:
            sentences.append(
                "That is a lot for one person: protect more, ask fewer private questions, or let "
                "chance pick some of them for each respondent."
            )
    if faulty:
        are = "question is" if faulty == 1 else "questions are"
        sentences.append(f"{faulty} {are} not ready, and not counted.")
    return [nonbreaking(sentence) for sentence in sentences]
