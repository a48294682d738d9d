"""The protection of an answer in words and numbers: frequencies per 100 people, and certainty.

They are computed from the integers that the browser samples with, and rounded only with "about".
"""

import math
from fractions import Fraction

from survey.core.factored_randomizers import Boxes, SubsetSelection, UnaryEncoding
from survey.core.languages import ENGLISH, Words
from survey.core.mechanisms.boxes import best_sample, variance_of_sampled
from survey.core.randomizer import MAX_TOTAL, Randomizer
from survey.definition.certainty import times_text
from survey.definition.choices import Choice
from survey.definition.questions import Question
from survey.definition.survey import Survey
from survey.definition.types.number import WITH_SPREAD_REPORTS

# Longer tables are summarised instead of listed.
MAX_LISTED_REPORTS = 6


def of_hundred(chance: Fraction, words: Words = ENGLISH) -> str:
    """The number of 100 people, whole from 10 on, with "about" if it is rounded."""
    exact = chance * 100
    rounded_count: Fraction | float = (
        Fraction(round(exact)) if exact >= 10 else round(float(exact), 1)
    )
    number = words.number(rounded_count)
    return number if rounded_count == exact else words.say("about %(number)s", number=number)


def per_hundred(question: Question, words: Words = ENGLISH) -> list[str]:
    """Sentences such as 'Of 100 people who answer “Yes”, 75 send “Yes” and 25 send “No”.'"""
    randomizer = question.randomizer
    if isinstance(randomizer, SubsetSelection):
        return [
            words.say(
                "Your device sends %(size)s of the %(all)s answers. Of 100 people with the same "
                "answer, %(own)s send it as one of them. Any other answer is sent by %(other)s.",
                size=randomizer.size,
                all=randomizer.answers,
                own=of_hundred(randomizer.p, words),
                other=of_hundred(randomizer.q, words),
            )
        ]
    if isinstance(randomizer, UnaryEncoding):
        return [
            words.say(
                "Your device sends “yes” or “no” for each answer. Of 100 people with the same "
                "answer, %(own)s send “yes” for it. For any other answer, %(other)s send “yes”.",
                own=of_hundred(randomizer.p, words),
                other=of_hundred(randomizer.q, words),
            )
        ]
    if isinstance(randomizer, Boxes):
        return of_boxes(randomizer, words)
    if isinstance(randomizer, Randomizer):
        return table_sentences(question, randomizer, words)
    return []


class WordsForResearchers(Words):
    """English in which the sentences for respondents are about respondents."""

    def say(self, sentence: str, /, **values: object) -> str:
        for addressed, described in (
            ("Your device", "The respondent’s device"),
            ("your device", "the device"),
            ("your answer", "the answer"),
            ("mixed up", "randomised"),
        ):
            sentence = sentence.replace(addressed, described)
        return super().say(sentence, **values)


def per_hundred_for_researchers(question: Question) -> list[str]:
    """The sentences of `per_hundred` for pages and files that researchers read, in English."""
    return per_hundred(question, WordsForResearchers())


def of_boxes(boxes: Boxes, words: Words) -> list[str]:
    if boxes.sample == boxes.answers:
        picked = words.say("Each box is mixed up separately.")
    elif boxes.sample == 1:
        picked = words.say(
            "Your device picks 1 of the %(all)s boxes at random. It sends only that one, mixed up.",
            all=boxes.answers,
        )
    else:
        picked = words.say(
            "Your device picks %(some)s of the %(all)s boxes at random. It sends only those, "
            "mixed up.",
            some=boxes.sample,
            all=boxes.answers,
        )
    sent = words.say(
        "Of 100 people who ticked a box, %(ticked)s send “yes” for it. Of 100 people who did not "
        "tick it, %(unticked)s also send “yes”.",
        ticked=of_hundred(boxes.table.probability(0, 0), words),
        unticked=of_hundred(boxes.table.probability(0, 1), words),
    )
    return [picked, sent]


def table_sentences(question: Question, table: Randomizer, words: Words) -> list[str]:
    own = {row[x] for x, row in enumerate(table.rows) if x < len(row)}
    others = {entry for x, row in enumerate(table.rows) for y, entry in enumerate(row) if x != y}
    square = table.answers == table.reports
    if square and table.answers > 3 and len(own) == len(others) == 1:
        # One pattern describes all answers.
        numbers = {
            "own": of_hundred(Fraction(own.pop(), table.total), words),
            "other": of_hundred(Fraction(others.pop(), table.total), words),
            "others": table.answers - 1,
        }
        if question.kind.boxes:
            return [
                words.say(
                    "Of 100 people with the same ticks, %(own)s send exactly those ticks. Each of "
                    "the other %(others)s combinations is sent by %(other)s.",
                    **numbers,
                )
            ]
        return [
            words.say(
                "Of 100 people with the same answer, %(own)s send exactly that answer. Each of "
                "the other %(others)s answers is sent by %(other)s.",
                **numbers,
            )
        ]
    if max(table.answers, table.reports) <= MAX_LISTED_REPORTS and question.grid is None:
        return report_sentences(question, table, words)
    return large_table_sentences(question, table, words)


def report_sentences(question: Question, table: Randomizer, words: Words) -> list[str]:
    sentences = []
    for x, choice in enumerate(question.answers):
        sent = [
            words.say(
                "%(people)s send “%(report)s”",
                people=of_hundred(table.probability(y, x), words),
                report=report_label(report, y, words),
            )
            for y, report in enumerate(question.reports)
        ]
        sentences.append(
            words.say(
                "Of 100 people who answer “%(answer)s”, %(sent)s.",
                answer=choice.label,
                sent=words.listed(sent),
            )
        )
    return sentences


def report_label(report: Choice, place: int, words: Words) -> str:
    """The label of a report. Reports that do not represent an answer have numbers."""
    if report.name == f"r{place + 1}" and report.label == f"Report {place + 1}":
        return words.say("Code %(number)s", number=place + 1)
    return report.label


def large_table_sentences(question: Question, table: Randomizer, words: Words) -> list[str]:
    """For a number or a long scale: the spread of reports, and the likelihood ratio bound."""
    sentences = []
    points = question.points
    if points is not None and question.mechanism in WITH_SPREAD_REPORTS:
        beyond = (table.reports - len(question.extras) - points.size) // 2
        reach = points.size // 4 or 1
        middle = points.size // 2
        # With two points, none lies beyond.
        last = min(middle + beyond + reach, table.reports - len(question.extras) - 1)
        near = range(middle + beyond - reach, last + 1)
        chance = Fraction(sum(table.rows[middle][y] for y in near), table.total)
        sentences.append(
            words.say(
                "Your device picks a random value around your answer and sends that. Of 100 people "
                "with the same answer, %(near)s send a value at most %(distance)s away from it.",
                near=of_hundred(chance, words),
                distance=f"{words.number(reach * points.step)} {points.unit}".strip(),
            )
        )
    elif question.kind.numeric:
        sentences.append(words.say("Your device sends one of a few codes, not the number itself."))
    if table.odds is not None:
        sentences.append(
            words.say(
                "Whatever your device sends can make one answer at most %(times)s times more "
                "likely than before, compared with another.",
                times=times_text(table.odds, words),
            )
        )
    return sentences


def practice_row(survey: Survey) -> tuple[int, int]:
    """How often test mode sends a Yes as Yes and as No.

    It is the likelihood ratio bound of the least protected question, in the smallest integers. If
    they are too large to sample with, they are rounded.
    """
    if survey.largest_odds is None:
        return 1, 0
    own, other = survey.largest_odds.as_integer_ratio()
    if own + other > MAX_TOTAL:
        own = round(Fraction(MAX_TOTAL * own, own + other))
        other = MAX_TOTAL - own
    return own, other


def least_protected(survey: Survey) -> Question:
    """The private question with the largest privacy loss; if several, the first."""
    return max(survey.private, key=lambda question: question.epsilon)


def sampling_gain(survey: Survey) -> float | None:
    """By which factor sampling questions reduces the variance, for the same privacy loss.

    Each respondent then reports on a few random questions instead of all. None if this does not
    pay.

    Binary questions represent all others. With m questions, of which s are asked at epsilon / s
    each, the variance is m / s times 1 / (4 tanh^2(epsilon / 2s)); docs/explanation/mathematics.md.
    """
    questions = len(survey.private)
    if survey.budget.sample is not None or questions < 2 or math.isinf(survey.epsilon):
        return None

    # Sampling questions of a survey has the same variance as sampling boxes of a question.
    split = variance_of_sampled(questions, questions, survey.epsilon)
    sampled = variance_of_sampled(questions, best_sample(questions, survey.epsilon), survey.epsilon)
    gain = split / sampled
    return gain if gain > 1.05 else None


def best_number_of_questions(survey: Survey) -> int:
    """The best number of private questions for each respondent, for this total privacy loss."""
    return best_sample(len(survey.private), survey.epsilon)
