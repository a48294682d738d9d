"""The estimate of one share at each look at an open survey, for the page of a class."""

from survey.charts.looks import Look, ShownHands
from survey.core.translate import translate, translate_count, translate_number
from survey.definition.choices import Choice
from survey.definition.questions import Question
from survey.definition.survey import Survey
from survey.estimation.confidence_sequences import DEFAULT_PLANNED, reports_by_answer
from survey.estimation.number_text import rounded_share
from survey.estimation.results import QuestionResults
from survey.estimation.types import ESTIMATION
from survey.estimation.types.joint_items import item_questions


def shares_to_watch(survey: Survey) -> list[tuple[Question, Choice]]:
    """The answers whose shares a class can compare with raised hands.

    A question with two answers has one, because the other is its mirror image. Numbers, orders of
    items and crosswise questions have none. The questions behind a joint question come before it.
    """
    questions = [
        each for question in survey.fields for each in (*item_questions(survey, question), question)
    ]
    return [
        (question, choice)
        for question in questions
        for choice in question.choices[: 1 if question in survey.yes_no else None]
        if choice in ESTIMATION[question].ranked_choices()
    ]


def look_at(results: QuestionResults, answer: str, planned: int | None) -> Look | None:
    """The share of an answer in these results; None if they show no estimate.

    `planned` is the number of responses at which the interval at every look is shortest.
    """
    if results.verdict is not None:
        return None
    for each in reports_by_answer(results):
        if each.answer.choice.name == answer:
            sequence = each.sequence(planned or DEFAULT_PLANNED, results.level)
            return Look(each.answer, results.level_text, sequence)
    return None


def sentence_on_hands(hands: ShownHands, last: Look | None) -> str:
    """The share that a teacher counted, and whether the interval for one look contains it."""
    counted = {
        "raised": translate_count(hands.raised),
        "asked": translate_count(hands.asked),
        "share": translate_number(
            rounded_share(hands.share, 0 if last is None else last.estimate.spread)
        ),
    }
    if last is None:
        return translate("%(raised)s of %(asked)s people raised a hand: %(share)s.", **counted)
    counted["level"] = translate_number(last.level)
    if last.estimate.contains(hands.share):
        return translate(
            "%(raised)s of %(asked)s people raised a hand: %(share)s. The %(level)s %% interval "
            "contains this share.",
            **counted,
        )
    return translate(
        "%(raised)s of %(asked)s people raised a hand: %(share)s. The %(level)s %% interval does "
        "not contain this share.",
        **counted,
    )
