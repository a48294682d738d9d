"""The protection of an answer in words and numbers: frequencies per 100 people, and certainty.

They are computed from the integers that the browser samples with, and rounded only with "about".
"""

import math
from collections.abc import Sequence
from dataclasses import dataclass
from fractions import Fraction

from survey.core.factored_randomizers import Boxes, SubsetSelection, UnaryEncoding
from survey.core.languages import ENGLISH, Words
from survey.core.randomizer import MAX_TOTAL, Randomizer
from survey.core.translate import later, page_language, translate
from survey.definition.certainty import Certainty, certainty_from, surest, times_text
from survey.definition.choices import DECLINED, NOT_ASKED, Choice
from survey.definition.questions import Question
from survey.definition.survey import Survey
from survey.definition.types.joint import JointAnswer
from survey.definition.types.number import WITH_SPREAD_REPORTS
from survey.planning.types import PLANNING

# The rows of a table for "Yes" and "No", each with the same total.
Table = tuple[tuple[int, int], tuple[int, int]]
TWO_COINS: Table = ((3, 1), (1, 3))
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


def of_each(other: Fraction, own: Fraction, others: int, words: Words) -> str:
    """Like `of_hundred`, for each of the other answers, with a decimal if the whole numbers of all
    answers do not add up to 100."""
    exact = other * 100
    if exact < 10 or round(own * 100) + others * round(exact) == 100:
        return of_hundred(other, words)
    number = words.number(round(float(exact), 1))
    return words.say("about %(number)s", number=number)


def people_of_hundred(chances: Sequence[Fraction], words: Words = ENGLISH) -> list[str]:
    """The numbers of 100 people for chances that add up to 1, so that they add up to 100.

    The largest number makes up for the rounding of the others. All have one decimal if one of them
    is below 10 and not whole.
    """
    exact = [chance * 100 for chance in chances]
    places = int(any(each < 10 and each.denominator != 1 for each in exact))
    rounded = [Fraction(round(each * 10**places), 10**places) for each in exact]
    rounded[exact.index(max(exact))] += 100 - sum(rounded)
    numbers = [words.number(each) for each in rounded]
    return [
        number if shown == each else words.say("about %(number)s", number=number)
        for number, shown, each in zip(numbers, rounded, exact, strict=True)
    ]


def per_hundred(question: Question, words: Words = ENGLISH) -> list[str]:
    """Sentences such as 'Of 100 people who answer “Yes”, 75 send “Yes” and 25 send “No”.'"""
    randomizer = question.randomizer
    if isinstance(randomizer, SubsetSelection):
        numbers = {
            "size": randomizer.size,
            "all": randomizer.answers,
            "own": of_hundred(randomizer.p, words),
            "other": of_hundred(randomizer.q, words),
        }
        return [PLANNING[question].chosen_answers_sentence(numbers, words)]
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
    if question.known_share is not None:
        return [
            words.say(
                "Of 100 people for whom A is true, %(same)s choose “%(answer)s”. Of 100 people for "
                "whom A is not true, %(others)s choose it.",
                same=of_hundred(question.known_share, words),
                others=of_hundred(1 - question.known_share, words),
                answer=question.choices[0].label,
            )
        ]
    return []


# Sentences for respondents, and the same sentences for researchers: about respondents.
FOR_RESEARCHERS = {
    "Your device sends %(size)s of the %(all)s answers. Of 100 people with the same "
    "answer, %(own)s send that answer as one of the %(size)s. Each of the other answers is sent by "
    "%(other)s of these 100 people.": later(
        "The respondent’s device sends %(size)s of the %(all)s answers. Of 100 people with the "
        "same answer, %(own)s send that answer as one of the %(size)s. Each of the other answers "
        "is sent by %(other)s of these 100 people."
    ),
    "Your device sends %(size)s of the %(all)s possible combinations of answers. Of 100 people "
    "with the same answers, %(own)s send their combination as one of the %(size)s. Each of the "
    "other combinations is sent by %(other)s of these 100 people.": later(
        "The respondent’s device sends %(size)s of the %(all)s possible combinations of answers. "
        "Of 100 people with the same answers, %(own)s send their combination as one of the "
        "%(size)s. Each of the other combinations is sent by %(other)s of these 100 people."
    ),
    "Your device sends “yes” or “no” for each answer. Of 100 people with the same "
    "answer, %(own)s send “yes” for it. For any other answer, %(other)s send “yes”.": later(
        "The respondent’s device sends “yes” or “no” for each answer. Of 100 people with the same "
        "answer, %(own)s send “yes” for it. For any other answer, %(other)s send “yes”."
    ),
    "Each box is mixed up separately.": later("Each box is randomised separately."),
    "Your device picks 1 of the %(all)s boxes at random. It sends only that one, mixed up.": later(
        "The respondent’s device picks 1 of the %(all)s boxes at random. It sends only that one, "
        "randomised."
    ),
    "Your device picks %(some)s of the %(all)s boxes at random. It sends only those, "
    "mixed up.": later(
        "The respondent’s device picks %(some)s of the %(all)s boxes at random. It sends only "
        "those, randomised."
    ),
    "Your device picks a random value around your answer and sends that. Of 100 people "
    "with the same answer, %(near)s send a value at most %(distance)s away from it.": later(
        "The respondent’s device picks a random value around the answer and sends that. Of 100 "
        "people with the same answer, %(near)s send a value at most %(distance)s away from it."
    ),
    "Your device picks a random value around your answer and sends that. Of 100 people "
    "with the same answer, at least %(near)s send a value at most %(distance)s away "
    "from it.": later(
        "The respondent’s device picks a random value around the answer and sends that. Of 100 "
        "people with the same answer, at least %(near)s send a value at most %(distance)s away "
        "from it."
    ),
    "Your device sends one of a few codes, not the number itself.": later(
        "The respondent’s device sends one of a few codes, not the number itself."
    ),
    "Of 100 people for whom A is true, %(same)s choose “%(answer)s”. Of 100 people for "
    "whom A is not true, %(others)s choose it.": later(
        "Of 100 people for whom A is true, %(same)s choose “%(answer)s”. Of 100 people for whom A "
        "is not true, %(others)s choose it."
    ),
    "Anything that your device can send is at most %(times)s times more likely with "
    "one answer than with another.": later(
        "Anything that the device can send is at most %(times)s times more likely with one answer "
        "than with another."
    ),
}


class WordsForResearchers(Words):
    """Words in which the sentences for respondents are about respondents."""

    def say(self, sentence: str, /, **values: object) -> str:
        if sentence in FOR_RESEARCHERS:
            return translate(FOR_RESEARCHERS[sentence], **values)
        return super().say(sentence, **values)


def per_hundred_for_researchers(question: Question) -> list[str]:
    """The sentences of `per_hundred` for pages and files that researchers read."""
    return per_hundred(question, WordsForResearchers(page_language.get()))


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
    chances = {
        "ticked": of_hundred(boxes.table.probability(0, 0), words),
        "unticked": of_hundred(boxes.table.probability(0, 1), words),
    }
    if boxes.sample == boxes.answers:
        sent = words.say(
            "Of 100 people who ticked a box, %(ticked)s send “yes” for it. Of 100 people who did "
            "not tick it, %(unticked)s also send “yes”.",
            **chances,
        )
    else:
        sent = words.say(
            "If a box is picked, of 100 people who ticked it, %(ticked)s send “yes”. Of 100 people "
            "who did not tick it, %(unticked)s also send “yes”.",
            **chances,
        )
    return [picked, sent]


def table_sentences(question: Question, table: Randomizer, words: Words) -> list[str]:
    own = {row[x] for x, row in enumerate(table.rows) if x < len(row)}
    others = {entry for x, row in enumerate(table.rows) for y, entry in enumerate(row) if x != y}
    square = table.answers == table.reports
    if square and table.answers > 3 and len(own) == len(others) == 1:
        # One pattern describes all answers.
        one, other = (Fraction(each.pop(), table.total) for each in (own, others))
        numbers = {
            "own": of_hundred(one, words),
            "other": of_each(other, one, table.answers - 1, words),
            "others": table.answers - 1,
        }
        pattern = PLANNING[question].same_answer_sentence(numbers, words)
        counted = special_answers_sentence(question, words)
        return [words.gap.join(filter(None, [pattern, counted]))]
    if max(table.answers, table.reports) <= MAX_LISTED_REPORTS and question.grid is None:
        return report_sentences(question, table, words)
    return large_table_sentences(question, table, words)


def special_answers_sentence(question: Question, words: Words) -> str:
    """That special answers, such as "prefer not to say", are among the answers that are counted.

    It is empty without them. The answers of a joint question contain those of its questions.
    """
    combinations = [each for each in question.choices if isinstance(each, JointAnswer)]
    parts = [part for each in combinations for part in each.parts]
    special = {each.name: each.label for each in (*parts, *question.special_answers)}
    labels = [f"“{special[name]}”" for name in (DECLINED, NOT_ASKED) if name in special]
    if not labels:
        return ""
    if len(labels) == 1:
        return words.say("%(answer)s also counts as an answer.", answer=labels[0])
    return words.say("%(answers)s also count as answers.", answers=words.join_list(labels))


def report_sentences(question: Question, table: Randomizer, words: Words) -> list[str]:
    sentences = []
    for x, choice in enumerate(question.answers):
        people = people_of_hundred([table.probability(y, x) for y in range(table.reports)], words)
        sent = [
            words.say(
                "%(people)s send “%(report)s”",
                people=people[y],
                report=report_label(report, y, words),
            )
            for y, report in enumerate(question.reports)
        ]
        values = {"answer": choice.label, "sent": words.join_list(sent)}
        if question.derived is None:
            said = words.say("Of 100 people who answer “%(answer)s”, %(sent)s.", **values)
        else:
            said = words.say("Of 100 people with the result “%(answer)s”, %(sent)s.", **values)
        sentences.append(said)
    return sentences


def report_label(report: Choice, place: int, words: Words) -> str:
    """The label of a report. Reports that do not represent an answer have numbers."""
    if report.name == f"r{place + 1}" and report.label == f"Report {place + 1}":
        return words.say("Code %(number)s", number=place + 1)
    return report.label


def large_table_sentences(question: Question, table: Randomizer, words: Words) -> list[str]:
    """For a number or a long scale: the spread of reports, and the likelihood ratio bound."""
    sentences = []
    levels = question.levels
    if levels is not None and question.mechanism in WITH_SPREAD_REPORTS:
        reach = levels.size // 4 or 1
        least, most = (of_hundred(each, words) for each in chances_near(question, table, reach))
        distance = f"{words.number(reach * levels.step)} {levels.unit}".strip()
        if least == most:
            sentence = words.say(
                "Your device picks a random value around your answer and sends that. Of 100 people "
                "with the same answer, %(near)s send a value at most %(distance)s away from it.",
                near=least,
                distance=distance,
            )
        else:
            sentence = words.say(
                "Your device picks a random value around your answer and sends that. Of 100 people "
                "with the same answer, at least %(near)s send a value at most %(distance)s away "
                "from it.",
                near=least,
                distance=distance,
            )
        sentences.append(sentence)
    elif codes := PLANNING[question].codes_sentence(words):
        sentences.append(codes)
    if table.ratio_bound is not None:
        sentences.append(
            words.say(
                "Anything that your device can send is at most %(times)s times more likely with "
                "one answer than with another.",
                times=times_text(table.ratio_bound, words),
            )
        )
    return sentences


def chances_near(question: Question, table: Randomizer, reach: int) -> tuple[Fraction, Fraction]:
    """The least and the largest chance that a report is near its answer, over all answers.

    Near is a distance of at most `reach` steps between levels. An answer between two levels is
    first rounded to one of them at random. A chance then lies between those of both levels, and
    fewer reports are near.
    """
    levels = question.levels
    if levels is None:
        raise ValueError("The question has no levels.")
    last = table.reports - len(question.special_answers) - 1
    beyond = (last + 1 - levels.size) // 2

    def chance(level: int, first: int, end: int) -> Fraction:
        reports = range(max(0, beyond + first), min(last, beyond + end) + 1)
        return Fraction(sum(table.rows[level][y] for y in reports), table.total)

    chances = [chance(level, level - reach, level + reach) for level in range(levels.size)]
    if question.grid is not None and levels.step != question.grid.step:
        for level in range(levels.size - 1):
            near = level + 1 - reach, level + reach
            chances += [chance(each, *near) for each in (level, level + 1)]
    return min(chances), max(chances)


def after_sending(survey: Survey, words: Words = ENGLISH) -> str:
    """What the mixed-up answers mean, as respondents read after sending."""
    if certainty_from(survey.largest_ratio_bound) == Certainty.NEARLY_SURE:
        return words.say(
            "What was sent almost reveals an answer: at worst, someone could become %(sure)s sure "
            "of it.",
            sure=surest(survey.largest_ratio_bound, words),
        )
    # Reports of other questions are codes, numbers or sets of answers.
    named = [
        question
        for question in survey.private
        if question.choices
        and question.derived is None
        and question.table
        and question.reports == question.answers
    ]
    question = next((each for each in named if each in survey.yes_no), next(iter(named), None))
    if question is None:
        return words.say("A mixed-up answer in our data does not mean you gave that answer.")
    answer = PLANNING[question].example_answer().label
    if survey.non_private:
        # The data also have answers that were sent as given.
        return words.say(
            "“%(answer)s” among the mixed-up answers does not mean you said “%(answer)s”.",
            answer=answer,
        )
    return PLANNING[question].example_sentence(words)


def example_table(survey: Survey) -> Table:
    """The table of a made-up yes/no question, protected as the question that is protected least.

    It is the table of that question if it has two answers. Otherwise it has the same likelihood
    ratio bound, in the smallest integers. If they are too large to sample with, they are rounded.
    """
    table = least_protected(survey).randomizer
    if isinstance(table, Randomizer) and table.ratio_bound and table.answers == table.reports == 2:
        (yes_yes, yes_no), (no_yes, no_no) = table.rows
        # Some tables send the other answer more often. That would be confusing as an example.
        if yes_yes > no_yes:
            divisor = math.gcd(yes_yes, yes_no, no_yes, no_no)
            return (yes_yes // divisor, yes_no // divisor), (no_yes // divisor, no_no // divisor)
    ratio_bound = None if table is None else table.ratio_bound
    if ratio_bound is None:
        return (1, 0), (0, 1)
    own, other = ratio_bound.as_integer_ratio()
    if own + other > MAX_TOTAL:
        own = round(Fraction(MAX_TOTAL * own, own + other))
        other = MAX_TOTAL - own
    return (own, other), (other, own)


@dataclass(frozen=True, kw_only=True)
class ExampleChances:
    """The chances of a table for "Yes" and "No", as texts.

    Attributes
    ----------
    yes_yes, yes_no, no_yes, no_no : of 100 people with the answer, how many send the report
    kept : in how many of 100 draws the answer is kept; chance decides in all others
    chance_yes : how often of 100 times chance then decides for "Yes"
    yes_times, no_times : the likelihood ratio of a report "Yes", and of a report "No"
    ratio_bound : the larger one, exactly
    surer : how sure someone is of a "Yes" before and after the report "Yes", in percent
    """

    yes_yes: str
    yes_no: str
    no_yes: str
    no_no: str
    kept: str
    chance_yes: str
    yes_times: str
    no_times: str
    ratio_bound: Fraction
    surer: list[tuple[str, str]]


def example_chances(table: Table, words: Words = ENGLISH) -> ExampleChances:
    """The chances of a table whose column "Yes" is larger for the answer "Yes"."""
    (yes_yes, yes_no), (no_yes, no_no) = table
    total = yes_yes + yes_no
    rows = [people_of_hundred([Fraction(each, total) for each in row], words) for row in table]
    yes_ratio, no_ratio = Fraction(yes_yes, no_yes), Fraction(no_no, yes_no)
    (yy, yn), (ny, nn) = rows
    return ExampleChances(
        yes_yes=yy,
        yes_no=yn,
        no_yes=ny,
        no_no=nn,
        kept=of_hundred(Fraction(yes_yes - no_yes, total), words),
        chance_yes=of_hundred(Fraction(no_yes, no_yes + yes_no), words),
        yes_times=times_text(yes_ratio, words),
        no_times=times_text(no_ratio, words),
        ratio_bound=max(yes_ratio, no_ratio),
        surer=[
            (words.percent(before), surest(yes_ratio * before / (100 - before), words))
            for before in (10, 50, 90)
        ],
    )


def least_protected(survey: Survey) -> Question:
    """The private question with the largest privacy loss; if several, the first."""
    return max(survey.private, key=lambda question: question.epsilon)
