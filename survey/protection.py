"""What protects an answer, in words and numbers: odds per 100 people, and how sure anyone can be.

Computed from the very integers that the browser samples with, rounded only where said ("about").
"""

import math
from fractions import Fraction

from .bits import Boxes, SubsetSelection, UnaryEncoding
from .definition import Survey
from .mechanisms.boxes import best_sample, variance_of_sampled
from .questions import NUMBER, SELECT_MULTIPLE, WITH_SPREAD_REPORTS, Question
from .randomizer import Randomizer

SMALL = 6  # answers or reports that are listed one by one


def of_hundred(chance: Fraction) -> str:
    """How many of 100 people, whole from 10 on, with "about" where it is rounded."""
    exact = chance * 100
    shown: Fraction | float = Fraction(round(exact)) if exact >= 10 else round(float(exact), 1)
    return f"{'' if shown == exact else 'about '}{float(shown):g}"


def per_hundred(question: Question) -> list[str]:
    """Sentences such as "Of 100 people whose answer is Yes, 75 send Yes and 25 send No." """
    randomizer = question.randomizer
    if randomizer is None:
        return []
    if isinstance(randomizer, SubsetSelection):
        return [
            f"Your device sends {randomizer.size} of the {randomizer.answers} answers. Of 100 "
            f"people with the same answer, {of_hundred(randomizer.p)} send it among them, and "
            f"{of_hundred(randomizer.q)} send any other one."
        ]
    if isinstance(randomizer, UnaryEncoding):
        return [
            "Your device says of each answer yes or no. Of 100 people with the same answer, "
            f"{of_hundred(randomizer.p)} say yes to it, and {of_hundred(randomizer.q)} say yes to "
            "any other one."
        ]
    if isinstance(randomizer, Boxes):
        return of_boxes(randomizer)
    return of_table(question, randomizer) if isinstance(randomizer, Randomizer) else []


def of_boxes(boxes: Boxes) -> list[str]:
    table = boxes.table
    sampled = (
        f"Your device picks {boxes.sample} of the {boxes.answers} boxes by chance and sends only "
        f"{'that one' if boxes.sample == 1 else 'those'}, mixed up."
        if boxes.sample < boxes.answers
        else "Each box is mixed up by itself."
    )
    ticked, unticked = table.probability(0, 0), table.probability(0, 1)
    return [
        sampled,
        f"Of 100 people who ticked a box, {of_hundred(ticked)} send “ticked”; of 100 who did "
        f"not tick it, {of_hundred(unticked)} do too.",
    ]


def of_table(question: Question, table: Randomizer) -> list[str]:
    own = {row[x] for x, row in enumerate(table.rows) if x < len(row)}
    others = {entry for x, row in enumerate(table.rows) for y, entry in enumerate(row) if x != y}
    square = table.answers == table.reports
    if square and table.answers > 3 and len(own) == len(others) == 1:
        same = "ticks" if question.type == SELECT_MULTIPLE else "answer"
        send = of_hundred(Fraction(own.pop(), table.total))
        send_other = of_hundred(Fraction(others.pop(), table.total))
        return [  # one pattern for all answers, however many there are
            f"Of 100 people with the same {same}, {send} send just that and {send_other} send each "
            f"of the other {table.answers - 1}."
        ]
    if max(table.answers, table.reports) <= SMALL and question.grid is None:
        return listed(question, table)
    return of_large_table(question, table)


def listed(question: Question, table: Randomizer) -> list[str]:
    sentences = []
    for x, choice in enumerate(question.answers):
        sent = [
            f"{of_hundred(table.probability(y, x))} send {report.label}"
            for y, report in enumerate(question.reports)
        ]
        sentences.append(
            f"Of 100 people whose answer is {choice.label}, {', '.join(sent[:-1])} and {sent[-1]}."
        )
    return sentences


def of_large_table(question: Question, table: Randomizer) -> list[str]:
    """A number or a long scale: how near reports are, and the odds."""
    sentences = []
    points = question.points
    if points is not None and question.mechanism in WITH_SPREAD_REPORTS:
        beyond = (table.reports - len(question.extras) - points.size) // 2
        reach = points.size // 4 or 1
        middle = points.size // 2
        near = range(middle + beyond - reach, middle + beyond + reach + 1)
        chance = Fraction(sum(table.rows[middle][y] for y in near), table.total)
        distance = f"{float(reach * points.step):g} {points.unit}".strip()
        sentences.append(
            f"Your device sends another value. Of 100 people with the same answer, "
            f"{of_hundred(chance)} send one within {distance} of it."
        )
    elif question.type == NUMBER:
        sentences.append("Your device sends one of a few signs that say little about your answer.")
    if table.odds is not None:
        sentences.append(
            "Whatever is sent, it makes no answer more than "
            f"{times_text(table.odds)} times likelier than another."
        )
    return sentences


def times_text(odds: Fraction) -> str:
    times = odds.numerator / odds.denominator
    return f"{times:,.0f}" if odds.denominator == 1 or times >= 100 else f"{times:.1f}"


def odds_text(survey: Survey) -> str:
    """How many times surer anyone can become about one set of answers over another, at worst."""
    return "without limit" if survey.odds is None else times_text(survey.odds)


def surest(odds: Fraction | None) -> str:
    """How sure at most, in percent, someone can become who thought two answers equally likely."""
    if odds is None:
        return "100 %"
    share = 100 * odds / (1 + odds)
    shown = math.floor(share) if share > 99 else round(share)
    return f"{float(share):.1f} %" if share > 99 and shown < 100 else f"{shown} %"


def sampling_gain(survey: Survey) -> float | None:
    """How many times less variance an estimate would have if each respondent reported on a few
    questions only, with the same total loss, instead of on all; None where it would not pay.

    Binary questions stand for all: with m questions at epsilon / s each, of which s are asked, the
    variance is m / s times 1 / (4 tanh^2(epsilon / 2s)); docs/mathematics.md.
    """
    questions = len(survey.private)
    if survey.budget.sample is not None or questions < 2 or math.isinf(survey.epsilon):
        return None

    # a question is to a survey what a box is to a question
    split = variance_of_sampled(questions, questions, survey.epsilon)
    sampled = variance_of_sampled(questions, best_sample(questions, survey.epsilon), survey.epsilon)
    gain = split / sampled
    return gain if gain > 1.05 else None


def best_number_of_questions(survey: Survey) -> int:
    """On how many private questions each respondent had better report, for this total loss."""
    return best_sample(len(survey.private), survey.epsilon)
