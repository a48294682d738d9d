"""Conversion of conditions between a definition's `relevant` and a small part of XPath.

Supported are `${q} = 'a'`, `selected(${q}, 'a')` and `${age} >= 18`, joined by and, or and not().
The result must have this form: for each question, a set of choices or a range of numbers, and all
of these conditions together.
"""

import math
import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from fractions import Fraction
from typing import Any

from survey.core.exact_numbers import exact
from survey.core.number_grid import decimal_text, json_number
from survey.core.translate import translate
from survey.definition.types import QuestionType

SELF = "."  # the name of a constraint's own question
TOKEN = re.compile(
    r"\s*(?:(?P<name>\$\{\s*[^{}]+?\s*\})|(?P<text>'[^']*'|\"[^\"]*\")|(?P<number>\d+\.?\d*|\.\d+)"
    r"|(?P<sign>!=|<=|>=|[=<>(),.+*-])|(?P<word>[A-Za-z][\w:-]*))"
)
MAX_CONDITION_CHARACTERS, MAX_NESTED_PARENTHESES = 2_000, 30
MIRRORED_SIGNS = {"=": "=", "!=": "!=", "<": ">", ">": "<", "<=": ">=", ">=": "<="}


class UnsupportedCondition(ValueError):
    """A condition that Candor cannot store. The text says why."""


@dataclass(frozen=True)
class EarlierQuestion:
    """An earlier question that a condition may use.

    Attributes
    ----------
    name : its name in Candor
    kind : its type
    names : the names of its choices in the form, and those in Candor
    low, step : the grid of a number
    high : its largest value, or None if this is unknown
    skippable : whether it may stay unasked, so that "is not a" differs from "is another choice"
    """

    name: str
    kind: QuestionType
    names: Mapping[str, str] = field(default_factory=dict)
    low: Fraction = Fraction(0)
    step: Fraction = Fraction(1)
    skippable: bool = False
    high: Fraction | None = None


@dataclass(frozen=True)
class NumberBounds:
    """The allowed numbers. Like a set of choices, it supports `&`, and is false if empty."""

    low: Fraction | None = None
    high: Fraction | None = None

    def __and__(self, other: "NumberBounds") -> "NumberBounds":
        lows = [low for low in (self.low, other.low) if low is not None]
        highs = [high for high in (self.high, other.high) if high is not None]
        return NumberBounds(max(lows, default=None), min(highs, default=None))

    def __bool__(self) -> bool:
        return self.low is None or self.high is None or self.low <= self.high

    def as_json(self) -> dict[str, float | int]:
        ends = {"min": self.low, "max": self.high}
        return {key: json_number(end) for key, end in ends.items() if end is not None}


# The allowed answers of each question: a frozenset of choices, or NumberBounds.
Condition = dict[str, Any]


def relevant_as_xpath(relevant: Mapping[str, Any], boxes: set[str]) -> str:
    """A question's `relevant` as XPath. `boxes` are the questions that are answered by ticking."""
    terms = []
    for name, condition in relevant.items():
        if isinstance(condition, Mapping):
            terms.append(
                bounds_as_xpath(f"${{{name}}}", condition.get("min"), condition.get("max"))
            )
            continue
        form = "selected(${{{}}}, '{}')" if name in boxes else "${{{}}} = '{}'"
        either = " or ".join(form.format(name, choice) for choice in condition)
        terms.append(f"({either})" if len(condition) > 1 and len(relevant) > 1 else either)
    return " and ".join(terms)


def bounds_as_xpath(what: str, low: Any, high: Any) -> str:
    ends = [(">=", low), ("<=", high)]
    return " and ".join(
        f"{what} {sign} {decimal_text(exact(end, 'bound'))}"
        for sign, end in ends
        if end is not None
    )


def relevant_of(text: str, known: Mapping[str, EarlierQuestion]) -> dict[str, Any]:
    """The `relevant` of an XPath expression. The keys of `known` are question names in the form.

    Raises UnsupportedCondition.
    """
    return {
        name: allowed.as_json() if isinstance(allowed, NumberBounds) else sorted(allowed)
        for name, allowed in ConditionParser(text, known).whole().items()
    }


def bounds_of(text: str, kind: QuestionType, step: Fraction) -> NumberBounds:
    """The bounds in the constraint of a number, such as `. >= 0 and . <= 120`.

    Raises UnsupportedCondition.
    """
    own = EarlierQuestion(SELF, kind, step=step)
    bounds: NumberBounds = ConditionParser(text, {SELF: own}).whole()[SELF]
    return bounds


class ConditionParser:
    """Parses an expression by recursive descent."""

    def __init__(self, text: str, known: Mapping[str, EarlierQuestion]):
        self.known = known
        self.parents = {parent.name: parent for parent in known.values()}
        self.tokens = list(self.split(text))
        self.at = self.depth = 0

    @staticmethod
    def split(text: str) -> Sequence[tuple[str, str]]:
        if len(text) > MAX_CONDITION_CHARACTERS:
            raise UnsupportedCondition(translate("is too long"))
        tokens, at = [], 0
        while text[at:].strip():
            match = TOKEN.match(text, at)
            if match is None:
                raise UnsupportedCondition(
                    translate(
                        "cannot be parsed from %(text)s on", text=repr(text[at:].strip()[:20])
                    )
                )
            tokens.append((str(match.lastgroup), match[str(match.lastgroup)]))
            at = match.end()
        return tokens

    def peek(self) -> str:
        return self.tokens[self.at][1] if self.at < len(self.tokens) else ""

    def take(self, *expected: str) -> tuple[str, str]:
        if self.at >= len(self.tokens) or (expected and self.peek() not in expected):
            place = repr(self.peek()) if self.peek() else translate("its end")
            raise UnsupportedCondition(translate("cannot be parsed at %(place)s", place=place))
        self.at += 1
        return self.tokens[self.at - 1]

    def whole(self) -> Condition:
        condition = self.either()
        if self.at < len(self.tokens):
            raise UnsupportedCondition(
                translate("cannot be parsed at %(place)s", place=repr(self.peek()))
            )
        return condition

    def either(self) -> Condition:
        condition = self.all()
        while self.peek() == "or":
            self.take()
            condition = self.joined_by_or(condition, self.all())
        return condition

    def all(self) -> Condition:
        condition = self.term()
        while self.peek() == "and":
            self.take()
            condition = self.joined_by_and(condition, self.term())
        return condition

    def term(self) -> Condition:
        self.depth += 1
        if self.depth > MAX_NESTED_PARENTHESES:
            raise UnsupportedCondition(translate("is nested too deeply"))
        following = self.tokens[self.at + 1][1] if self.at + 1 < len(self.tokens) else ""
        if self.peek() == "(":
            self.take()
            condition = self.either()
            self.take(")")
        elif self.peek() == "not" and following == "(":
            self.take(), self.take()
            condition = self.negated(self.either())
            self.take(")")
        elif self.peek() == "selected" and following == "(":
            self.take(), self.take()
            parent = self.parent(self.take())
            self.take(",")
            condition = {parent.name: frozenset({self.choice(parent, self.value())})}
            self.take(")")
        else:
            condition = self.compared()
        self.depth -= 1
        return condition

    def compared(self) -> Condition:
        if self.tokens[self.at : self.at + 1] and self.tokens[self.at][0] in ("text", "number"):
            value, sign = self.value(), MIRRORED_SIGNS[self.take(*MIRRORED_SIGNS)[1]]
            parent = self.parent(self.take())
        else:
            parent = self.parent(self.take())
            sign = self.take(*MIRRORED_SIGNS)[1]
            value = self.value()
        if parent.kind.numeric:
            return {parent.name: self.bounds(parent, sign, value)}
        if parent.kind.boxes or sign not in ("=", "!="):
            raise UnsupportedCondition(
                translate("compares choices in a way that Candor does not support")
            )
        one: Condition = {parent.name: frozenset({self.choice(parent, value)})}
        return one if sign == "=" else self.negated(one)

    def parent(self, token: tuple[str, str]) -> EarlierQuestion:
        kind, written = token
        name = written[2:-1].strip() if kind == "name" else written
        if (kind != "name" and written != SELF) or (written == SELF and SELF not in self.known):
            raise UnsupportedCondition(
                translate("uses %(text)s, which Candor does not compute", text=repr(written))
            )
        if name not in self.known:
            raise UnsupportedCondition(
                translate(
                    "depends on %(name)s, which no condition in Candor can use", name=repr(name)
                )
            )
        return self.known[name]

    def value(self) -> str:
        minus = self.peek() == "-" and self.take()[1]
        kind, written = self.take()
        if kind == "text" and not minus:
            return written[1:-1].strip()
        if kind != "number":
            raise UnsupportedCondition(
                translate("compares with %(text)s, which is not a constant", text=repr(written))
            )
        return f"{minus or ''}{written}"

    @staticmethod
    def choice(parent: EarlierQuestion, value: str) -> str:
        if parent.kind.numeric or value not in parent.names:
            raise UnsupportedCondition(
                translate(
                    "names %(value)s, which is not a choice of %(name)s",
                    value=repr(value),
                    name=repr(parent.name),
                )
            )
        return parent.names[value]

    @staticmethod
    def bounds(parent: EarlierQuestion, sign: str, value: str) -> NumberBounds:
        try:
            end = Fraction(value)
        except (ValueError, ZeroDivisionError) as error:
            raise UnsupportedCondition(
                translate("compares a number with %(value)s", value=repr(value))
            ) from error
        if sign == "!=":
            raise UnsupportedCondition(translate("excludes one number from a range"))
        steps = (end - parent.low) / parent.step
        above = parent.low + (math.floor(steps) + 1) * parent.step
        below = parent.low + (math.ceil(steps) - 1) * parent.step
        low = {">=": end, "=": end, ">": above}.get(sign)
        high = {"<=": end, "=": end, "<": below}.get(sign)
        return NumberBounds(low, high)

    def joined_by_and(self, one: Condition, other: Condition) -> Condition:
        joined = dict(one)
        for name, more in other.items():
            before = joined.get(name, more)
            if self.parents[name].kind.boxes and before != more:
                raise UnsupportedCondition(
                    translate("requires several boxes of %(name)s at once", name=repr(name))
                )
            joined[name] = before & more
            if not joined[name]:
                raise UnsupportedCondition(translate("can never be true"))
        return joined

    def joined_by_or(self, one: Condition, other: Condition) -> Condition:
        if len(one) != 1 or one.keys() != other.keys():
            raise UnsupportedCondition(translate("joins different questions with or"))
        ((name, first),) = one.items()
        if self.parents[name].kind.numeric:
            raise UnsupportedCondition(translate("joins ranges of numbers with or"))
        return {name: first | other[name]}

    def negated(self, condition: Condition) -> Condition:
        ((name, allowed), *more) = condition.items()
        parent = self.parents[name]
        if more or not parent.kind.single_choice:
            raise UnsupportedCondition(
                translate("uses not() in a way that Candor does not support")
            )
        if parent.skippable:
            raise UnsupportedCondition(
                translate("is also true if %(name)s was not asked", name=repr(name))
            )
        rest = frozenset(parent.names.values()) - allowed
        if not rest:
            raise UnsupportedCondition(translate("can never be true"))
        return {name: rest}
