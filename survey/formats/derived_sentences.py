"""How a survey's derived answers and joint answers come about, for the methods section of a paper.

With these sentences, a reader can calculate a derived answer again: they name the questions and the
rule. They quote the texts of the survey in the language of the paragraph.
"""

from collections.abc import Iterator, Mapping, Sequence
from fractions import Fraction
from typing import Any

from survey.core.languages import Words
from survey.definition.derived_answers import sources_of
from survey.definition.instruments.read_instruments import Instrument
from survey.definition.questions import Question
from survey.definition.relevance import always_asked_if
from survey.definition.survey import Survey
from survey.estimation.types.joint_texts import quoted_label


def derived_sentences(
    survey: Survey,
    question: Question,
    instruments: Sequence[Instrument],
    origin: str,
    words: Words,
) -> Iterator[str]:
    """How the device gets an answer that the respondent does not give; nothing for other answers.

    Parameters
    ----------
    survey : in its main language, or in that of `words`
    question : of this survey
    instruments : those whose result it is (`instruments_behind`)
    origin : a key of `survey.estimation.results.ORIGINS`. Nobody's device calculated simulated
        answers, and it is unknown what calculated those that were collected elsewhere.
    """
    if question.derived is None or question.is_arm:
        return
    earlier = {each.name: each for each in always_asked_if(question.relevant, survey.questions)}
    sources = [earlier[name] for name in sources_of(question.derived)]
    if question.derived.get("joint"):
        yield words.say(
            "The answers to %(questions)s were randomised together, as one answer (“%(result)s”).",
            questions=words.join_list([quoted_label(source.label) for source in sources]),
            result=question.label,
        )
    else:
        asked = sources_text(sources, instruments, words)
        yield calculated_sentence(question, asked, origin, words)
        yield from rule_sentences(question, earlier, words)
        if question.offers_to_decline:
            yield words.say(
                "If the result depends on an answer that was declined, it is “%(declined)s”.",
                declined=question.offered[-1].label,
            )
    if question.sent and not any(source.sent for source in sources):
        yield unsent_sentence(survey, sources, origin, words)


def calculated_sentence(question: Question, asked: str, origin: str, words: Words) -> str:
    """Which answers a result is calculated from."""
    facts = {"result": question.label, "questions": asked}
    if origin == "browser":
        return words.say(
            "The respondent’s device calculated “%(result)s” from the answers to %(questions)s.",
            **facts,
        )
    if origin == "simulated":
        return words.say(
            "The respondent’s device calculates “%(result)s” from the answers to %(questions)s.",
            **facts,
        )
    return words.say("“%(result)s” is calculated from the answers to %(questions)s.", **facts)


def sources_text(
    sources: Sequence[Question], instruments: Sequence[Instrument], words: Words
) -> str:
    """The questions behind a result, by the name of their instrument if they are all of it."""
    for instrument in instruments:
        if len(sources) == len(instrument.items):
            return words.say(
                "the %(n)s questions of the %(instrument)s",
                n=words.number(len(sources)),
                instrument=instrument.name,
            )
    return words.join_list([quoted_label(source.label) for source in sources])


def unsent_sentence(survey: Survey, sources: Sequence[Question], origin: str, words: Words) -> str:
    """That only randomised results of answers were sent, and not the answers."""
    several = any(len(survey.derived_from(source)) > 1 for source in sources)
    if origin == "browser" and several:
        return words.say("These answers were not sent, only randomised results.")
    if origin == "browser":
        return words.say("These answers were not sent, only the randomised result.")
    if several:
        return words.say("The responses contain randomised results, not these answers.")
    return words.say("The responses contain the randomised result, not these answers.")


def rule_sentences(
    question: Question, earlier: Mapping[str, Question], words: Words
) -> Iterator[str]:
    """The rule by which the result follows from the answers."""
    derived = question.derived or {}
    if "recode" in derived:
        yield recode_sentence(question, derived["recode"], earlier, words)
    elif "any" in derived or "all" in derived:
        yield from verdict_sentences(question, derived, earlier, words)
    elif "count" in derived:
        conditions = required_answers(derived["count"], earlier, words)
        yield words.say("The number of these answers counts: %(answers)s.", answers=conditions)
        yield value_sentence(question, derived, words.say("this number"), words)
    else:
        operation = "sum" if "sum" in derived else "mean"
        yield points_sentence(derived[operation], earlier, words)
        if any(earlier[name].may_be_unasked for name in derived[operation]):
            yield (
                words.say("A question that was not asked has no points.")
                if operation == "sum"
                else words.say("A question that was not asked does not count in the mean.")
            )
        value = (
            words.say("the sum of the points")
            if operation == "sum"
            else words.say("the mean of the points")
        )
        yield value_sentence(question, derived, value, words)


def value_sentence(question: Question, derived: Mapping[str, Any], value: str, words: Words) -> str:
    """How a number becomes the result."""
    if "at_least" in derived:
        return words.say(
            "The result is “%(yes)s” if %(value)s is at least %(bound)s, and otherwise “%(no)s”.",
            yes=question.choices[0].label,
            value=value,
            bound=words.number(derived["at_least"]),
            no=question.choices[1].label,
        )
    if question.grid is not None:
        if "mean" in derived or question.grid.step != 1:
            return words.say(
                "The result is %(value)s, rounded to the nearest possible value.", value=value
            )
        return words.say("The result is %(value)s.", value=value)
    bands = [
        words.say(
            "“%(answer)s” from %(low)s",
            answer=choice.label,
            low=words.number(derived["bands"][choice.name]),
        )
        for choice in question.choices
    ]
    return words.say(
        "The result depends on %(value)s: %(bands)s.",
        value=value,
        bands=words.say(", ").join(bands),
    )


def points_sentence(
    entries: Mapping[str, Any], earlier: Mapping[str, Question], words: Words
) -> str:
    """The points of each answer, once if they are the same for all questions."""
    texts = {name: answer_points(earlier[name], points, words) for name, points in entries.items()}
    if len(set(texts.values())) == 1:
        return words.say("Points: %(points)s.", points=next(iter(texts.values())))
    each = [
        words.say(
            "%(question)s (%(points)s)", question=quoted_label(earlier[name].label), points=text
        )
        for name, text in texts.items()
    ]
    return words.say("Points: %(points)s.", points=words.say("; ").join(each))


def answer_points(question: Question, points: Any, words: Words) -> str:
    if question.grid is not None:
        return words.say("%(weight)s × the number", weight=words.number(Fraction(points)))
    return words.say(", ").join(
        words.say(
            "“%(answer)s” %(points)s",
            answer=choice.label,
            points=words.number(points[choice.name]),
        )
        for choice in question.choices
    )


def verdict_sentences(
    question: Question, derived: Mapping[str, Any], earlier: Mapping[str, Question], words: Words
) -> Iterator[str]:
    """When the result is Yes, if it depends on several conditions."""
    facts = {"yes": question.choices[0].label, "no": question.choices[1].label}
    if "any" in derived:
        yield words.say(
            "The result is “%(yes)s” after at least one of these answers, and otherwise “%(no)s”: "
            "%(answers)s.",
            answers=required_answers(derived["any"], earlier, words),
            **facts,
        )
    else:
        yield words.say(
            "The result is “%(yes)s” after all of these answers, and otherwise “%(no)s”: "
            "%(answers)s.",
            answers=required_answers(derived["all"], earlier, words),
            **facts,
        )


def recode_sentence(
    question: Question,
    conditions: Mapping[str, Any],
    earlier: Mapping[str, Question],
    words: Words,
) -> str:
    """The conditions of each result. The first result whose conditions hold counts."""
    cases = [
        words.say(
            "“%(result)s” after %(answers)s",
            result=choice.label,
            answers=required_answers(conditions[choice.name], earlier, words, last=True),
        )
        for choice in question.choices[:-1]
    ]
    return words.say(
        "The result is the first that fits: %(cases)s; otherwise “%(rest)s”.",
        cases=words.say("; ").join(cases),
        rest=question.choices[-1].label,
    )


def required_answers(
    conditions: Mapping[str, Any],
    earlier: Mapping[str, Question],
    words: Words,
    last: bool = False,
) -> str:
    """The answers that conditions require, each with its question.

    `last` says whether "and" stands before the last one, because all are required.
    """
    each = [required_answer(earlier[name], value, words) for name, value in conditions.items()]
    return words.join_list(each) if last else words.say("; ").join(each)


def required_answer(question: Question, condition: Any, words: Words) -> str:
    asked = quoted_label(question.label)
    if isinstance(condition, Mapping):
        low, high = (
            words.number(condition[key]) if key in condition else "" for key in ("min", "max")
        )
        if low and high:
            return words.say(
                "%(low)s to %(high)s in %(question)s", low=low, high=high, question=asked
            )
        if low:
            return words.say("at least %(low)s in %(question)s", low=low, question=asked)
        return words.say("at most %(high)s in %(question)s", high=high, question=asked)
    labels = {choice.name: f"“{choice.label}”" for choice in question.offered}
    answers = [labels[name] for name in condition]
    if len(answers) == 1:
        return words.say("%(answer)s in %(question)s", answer=answers[0], question=asked)
    return words.say(
        "%(answers)s or %(last)s in %(question)s",
        answers=words.say(", ").join(answers[:-1]),
        last=answers[-1],
        question=asked,
    )
