"""Derived answers as a `calculation` of XLSForm, which gives the same answer as Candor's page.

A respondent can decline to answer a question on which the result depends. Candor's page then
compares the lowest with the highest possible result (static/respondent/derived.js), and so does
the calculation: `if(lowest >= 3, 'yes', if(highest >= 3, 'prefer_not_to_say', 'no'))`.
"""

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from fractions import Fraction
from typing import Any

from survey.core.exact_numbers import exact
from survey.core.number_grid import decimal_text
from survey.definition.choices import DECLINED, NOT_ASKED
from survey.definition.derived_answers import OPERATIONS
from survey.definition.questions import Question
from survey.definition.relevance import always_asked_if
from survey.formats.types import FORMATS
from survey.formats.xlsform.conditions import relevant_as_xpath


def calculation_of(question: Question, questions: Sequence[Question]) -> str:
    """The XPath expression of a derived answer. `questions` are those of the survey."""
    known = {each.name: each for each in always_asked_if(question.relevant, questions)}
    rule = question.derived or {}
    (operation,) = (name for name in OPERATIONS if name in rule)
    if operation == "random":
        return random_as_xpath(rule["random"])
    if operation == "recode":
        (*names, last) = rule["recode"]
        tests = [joined_conditions(rule["recode"][name], " and ", known) for name in names]
        return nested_ifs(zip(names, tests, strict=True), last)
    if operation in ("any", "all"):
        word = " or " if operation == "any" else " and "
        return nested_ifs([("yes", joined_conditions(rule[operation], word, known))], "no")
    if combined := rule.get("joint"):
        parts = [answer_as_xpath(known[name], known) for name in combined]
        joined = ", '+', ".join(parts)
        return f"concat({joined})"
    low, high = (value_as_xpath(rule, operation, known, highest=each) for each in (False, True))
    if question.grid is not None:
        return low if low == high else f"if(({low}) = ({high}), {low}, '')"
    (lowest, _), *bands = rule.get("bands", {"no": None, "yes": rule.get("at_least")}).items()
    ends = [(name, bound_text(bound)) for name, bound in bands[::-1]]
    return nested_ifs(
        ((name, (f"{low} >= {end}", f"{high} >= {end}")) for name, end in ends), lowest
    )


def nested_ifs(results: Iterable[tuple[str, tuple[str, str]]], last: str) -> str:
    """The first result whose test holds. Each has a test for the lowest and the highest points.

    If the two differ, the result depends on a declined answer.
    """
    text, ends = "", 0
    for name, (certain, possible) in results:
        text, ends = f"{text}if({certain}, '{name}', ", ends + 1
        if possible != certain:
            text, ends = f"{text}if({possible}, '{DECLINED}', ", ends + 1
    return f"{text}'{last}'{')' * ends}"


def random_as_xpath(weights: Mapping[str, int]) -> str:
    """A random choice. Each `random()` is a new draw, among the arms that are left."""
    (*names, last), left = weights, sum(weights.values())
    text, ends = "", 0
    for name in names:
        text += f"if(random() < {weights[name]} div {left}, '{name}', "
        left, ends = left - weights[name], ends + 1
    return f"once({text}'{last}'{')' * ends})"


def answer_as_xpath(question: Question, known: Mapping[str, Question]) -> str:
    """The name of the answer to a single choice, with those of the special answers."""
    text = f"${{{question.name}}}"
    if question.optional:
        text = f"coalesce({text}, '{DECLINED}')"
    if asked := asked_as_xpath(question, known):
        hidden = NOT_ASKED if question.otherwise is None else question.otherwise
        text = f"if({asked}, {text}, '{hidden}')"
    return text


def asked_as_xpath(question: Question, known: Mapping[str, Question]) -> str:
    """The condition of a question, or nothing if everyone is asked."""
    if question.relevant is None:
        return ""
    return f"({relevant_as_xpath(question.relevant, known)})"


def declined_as_xpath(question: Question, known: Mapping[str, Question]) -> str:
    """Whether a respondent declined to answer, or nothing if this is impossible.

    In other tools, respondents skip an optional question, and nobody declines to enter a number.
    """
    ways, name = [], f"${{{question.name}}}"
    if question.offers_to_decline and question.grid is None:
        ways.append(FORMATS[question].is_answer(DECLINED))
    calculated = question.derived is not None and question.offers_to_decline
    if question.optional or (calculated and question.grid is not None):
        parts = [f"{name} = ''", asked_as_xpath(question, known)]
        ways.append(" and ".join(filter(None, parts)))
    return f"({' or '.join(ways)})" if len(ways) > 1 else "".join(ways)


def worth_otherwise(points: Any, question: Question) -> int:
    """The points of respondents who are not asked."""
    otherwise = question.otherwise
    if otherwise is None:
        return 0
    if question.grid is not None:
        return int(exact(otherwise, "otherwise") * points)
    names = [otherwise] if isinstance(otherwise, str) else otherwise
    return sum(points.get(name, 0) for name in names)


def term_as_xpath(
    points: Any, question: Question, known: Mapping[str, Question], *, highest: bool
) -> str:
    text = FORMATS[question].points_as_xpath(points)
    if unknown := declined_as_xpath(question, known):
        low, high = FORMATS[question].declined_ends(points)
        if low != high:
            text = f"if({unknown}, {high if highest else low}, {text})"
    if otherwise := worth_otherwise(points, question):
        text = f"if({asked_as_xpath(question, known)}, {text}, {otherwise})"
    return text


def condition_as_xpath(
    name: str, condition: Any, known: Mapping[str, Question], *, highest: bool
) -> str:
    """Whether a condition holds. If it is unknown, it holds for the highest result."""
    text = relevant_as_xpath({name: condition}, known)
    named = not isinstance(condition, Mapping) and DECLINED in condition
    if (unknown := declined_as_xpath(known[name], known)) and (named or highest):
        text = f"{text} or {unknown}"
    joins = " or " in text or " and " in text
    return f"({text})" if joins else text


def joined_conditions(
    conditions: Mapping[str, Any], word: str, known: Mapping[str, Question]
) -> tuple[str, str]:
    """Whether conditions certainly hold, and whether they possibly do."""
    certain, possible = (
        word.join(
            condition_as_xpath(name, each, known, highest=highest)
            for name, each in conditions.items()
        )
        for highest in (False, True)
    )
    return certain, possible


def value_as_xpath(
    rule: Mapping[str, Any], operation: str, known: Mapping[str, Question], *, highest: bool
) -> str:
    """The lowest or the highest possible value of a sum, a mean or a count."""
    entries = rule[operation].items()
    if operation == "count":
        found = (condition_as_xpath(name, each, known, highest=highest) for name, each in entries)
        return " + ".join(f"if({each}, 1, 0)" for each in found)
    terms = (term_as_xpath(each, known[name], known, highest=highest) for name, each in entries)
    value = " + ".join(terms)
    if operation == "sum":
        return value
    number = number_asked_as_xpath([known[name] for name in rule[operation]], known)
    return f"({value}) div {number}"


def number_asked_as_xpath(questions: Sequence[Question], known: Mapping[str, Question]) -> str:
    """How many questions count in a mean: those asked, or with an answer for those not asked."""
    some = Counter(asked_as_xpath(each, known) for each in questions if each.may_be_unasked)
    everyone = len(questions) - some.total()
    terms = [str(everyone)] * (everyone > 0)
    terms += [f"if({condition}, {number}, 0)" for condition, number in some.items()]
    return terms[0] if len(terms) == 1 else f"({' + '.join(terms)})"


def bound_text(bound: Any) -> str:
    return decimal_text(Fraction(exact(bound, "bound")))
