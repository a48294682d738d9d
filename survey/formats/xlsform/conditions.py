"""Conversion of conditions between a definition's `relevant` and the expressions of XLSForm.

A `relevant` has, for each question, a set of choices or a range of numbers, and all of these
conditions must hold. A condition that is not of this form, such as one with `or` across questions,
becomes a derived answer (`read_relevance`), on which the question then depends. Of conditions
joined by `and`, Candor keeps those that it understands, and names the others.
"""

import math
import re
from collections.abc import Callable, Collection, Mapping, Sequence
from dataclasses import dataclass, field
from fractions import Fraction
from typing import Any

from survey.core.exact_numbers import exact
from survey.core.number_grid import decimal_text, json_number
from survey.core.translate import translate
from survey.definition.choices import DECLINED
from survey.definition.types import QuestionType
from survey.formats.xlsform.expressions import (
    COMPARED,
    MIRRORED_SIGNS,
    SELF,
    Expression,
    UnsupportedCondition,
    constant_number,
    parse_expression,
    truth_of,
)

# A longer or rarer form, such as 1e999999999, would take too long to calculate with.
CHOICE_NUMBER = re.compile(r"-?[0-9]{1,15}(\.[0-9]{1,15})?")


@dataclass(frozen=True, kw_only=True)
class EarlierQuestion:
    """An earlier question that a condition may use.

    Attributes
    ----------
    name : its name in Candor
    several : whether several of its choices can be chosen at once
    compared : whether its answer compares two statements, so that it has no points
    names : the names of its choices in Candor, and those in the form, which may be equal
    low, high, step : the grid of a number; the step of other questions is 0
    skippable : whether it may stay unasked, so that "is not a" differs from "is another choice"
    optional : whether respondents may leave it empty
    """

    name: str
    names: Mapping[str, str] = field(default_factory=dict)
    low: Fraction = Fraction(0)
    step: Fraction = Fraction(0)
    skippable: bool = False
    high: Fraction = Fraction(0)
    optional: bool = False
    several: bool = False
    compared: bool = False

    @property
    def is_single(self) -> bool:
        """Whether it has one choice of a list as its answer."""
        return not (self.several or self.step)


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


@dataclass(frozen=True)
class Held:
    """Whether the answer to a question is one of these, or, without `holds`, whether it is not.

    Somebody who was not asked has none of the answers.
    """

    name: str
    allowed: Any
    holds: bool = True


@dataclass(frozen=True)
class Joined:
    """Conditions of which any or all must hold."""

    parts: tuple["Formula", ...]
    any_holds: bool


Formula = Held | Joined | bool


def formulas_in(formula: Formula, *, any_holds: bool) -> tuple[Formula, ...]:
    """The conditions of which any or all must hold; only this one if it is of another form."""
    if isinstance(formula, Joined) and formula.any_holds == any_holds:
        return formula.parts
    return (formula,)


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


def as_condition(allowed: Any) -> Any:
    """The allowed answers as a definition writes them."""
    return allowed.as_json() if isinstance(allowed, NumberBounds) else sorted(allowed)


@dataclass(frozen=True)
class ReadCondition:
    """What Candor understands of a condition.

    Attributes
    ----------
    condition : the allowed answers of each question
    others : further conditions, which a `relevant` cannot express, each with its text
    faults : the texts of the parts that Candor does not understand, each with the reason
    possible : whether the condition can be true
    """

    condition: Condition = field(default_factory=dict)
    others: tuple[tuple[str, Formula], ...] = ()
    faults: tuple[tuple[str, str], ...] = ()
    possible: bool = True

    @property
    def relevant(self) -> dict[str, Any]:
        """The allowed answers as a definition writes them."""
        return {name: as_condition(allowed) for name, allowed in self.condition.items()}


def unusable_question(name: str) -> str:
    return translate("depends on %(name)s, which no condition in Candor can use", name=repr(name))


def read_condition(
    texts: Sequence[str],
    known: Mapping[str, EarlierQuestion],
    unasked: Collection[str] = (),
    why_unknown: Callable[[str], str] = unusable_question,
    columns: Mapping[str, str] | None = None,
) -> ReadCondition:
    """Conditions that must all hold.

    Parameters
    ----------
    known : the earlier questions, by their names in the form
    unasked : the names in the form of questions that nobody is asked
    why_unknown : why no condition can use a question that is not known, from its name in the form
    columns : for the condition of a choice, the cells of its row by the names of their columns
    """
    reader = ConditionReader(known, why_unknown, of_choices=columns is not None)
    formulas = list[Formula]()
    faults = list[tuple[str, str]]()
    sources: dict[Formula, str] = {}
    for text in texts:
        try:
            parts = parse_expression(text, unasked, columns).joined_by("and")
        except UnsupportedCondition as error:
            faults.append((text, str(error)))
            continue
        for part in parts:
            try:
                formulas.append(reader.formula(part))
                sources.setdefault(formulas[-1], part.source)
            except UnsupportedCondition as error:
                faults.append((part.source, str(error)))
    whole = reader.joined(formulas, any_holds=False)
    condition, others = dict[str, Any](), list[tuple[str, Formula]]()
    for each in () if isinstance(whole, bool) else formulas_in(whole, any_holds=False):
        if isinstance(each, Held) and each.holds and each.name not in condition:
            condition[each.name] = each.allowed
        else:
            others.append((sources.get(each, texts[-1]), each))
    return ReadCondition(condition, tuple(others), tuple(faults), whole is not False)


def bounds_of(
    text: str, kind: QuestionType, step: Fraction
) -> tuple[NumberBounds, tuple[tuple[str, str], ...]]:
    """The bounds in the constraint of a number, such as `. >= 0 and . <= 120`.

    Also returns the texts of the parts that are not understood, each with the reason.
    """
    read = read_condition([text], {SELF: EarlierQuestion(name=SELF, step=step)})
    if not read.possible:
        return NumberBounds(), ((text, translate("can never be true")),)
    faults = [(source, why_no_range(formula)) for source, formula in read.others]
    return read.condition.get(SELF, NumberBounds()), (*read.faults, *faults)


def why_no_range(formula: Formula) -> str:
    """Why a part of a constraint is no range of numbers."""
    if isinstance(formula, Joined):
        return translate("joins ranges of numbers with or")
    return translate("excludes numbers from a range")


class ConditionReader:
    """Reads the conditions in a tree.

    `of_choices` says that they are conditions of choices, whose rows may name an answer that an
    earlier question does not have. Nobody gives it, so such a condition is never true.
    """

    def __init__(
        self,
        known: Mapping[str, EarlierQuestion],
        why_unknown: Callable[[str], str] = unusable_question,
        *,
        of_choices: bool = False,
    ):
        self.known, self.why_unknown, self.of_choices = known, why_unknown, of_choices
        self.parents = {parent.name: parent for parent in known.values()}

    def formula(self, expression: Expression) -> Formula:
        """The condition that an expression is. Raises UnsupportedCondition."""
        if (truth := truth_of(expression)) is not None:
            return truth
        if expression.calls("and", "or"):
            parts = [self.formula(part) for part in expression.parts]
            return self.joined(parts, any_holds=expression.calls("or"))
        if expression.calls("not", "boolean") and len(expression.parts) == 1:
            found = self.formula(expression.parts[0])
            return self.negated(found) if expression.calls("not") else found
        if expression.calls("selected") and len(expression.parts) == 2:
            whole, value = expression.parts
            if whole.is_constant(str) and value.kind == "name":
                parent = self.parent(value)
                if parent.is_single:
                    return self.chosen(parent, *listed_words(whole))
            return self.chosen(self.parent(whole), value)
        if expression.calls(*MIRRORED_SIGNS):
            return self.compared(expression)
        return self.answered(self.parent(expression))

    def compared(self, expression: Expression) -> Formula:
        """The condition that a comparison is. Raises UnsupportedCondition."""
        (left, right), sign = expression.parts, str(expression.value)
        if left.kind == "constant":
            left, right, sign = right, left, MIRRORED_SIGNS[sign]
        if left.calls("count-selected") and len(left.parts) == 1 and right.kind == "constant":
            return self.counted(left, sign, right)
        parent = self.parent(left)
        if right.kind != "constant" or right.is_constant(bool):
            raise UnsupportedCondition(
                "compares with %(text)s, which is not a constant", text=repr(right.source)
            )
        found: Formula
        if right.value == "" and sign in ("=", "!="):
            found = self.negated(self.answered(parent))
        elif self.of_choices and parent.step and constant_number(right.value) is None:
            return sign == "!="  # Every other comparison with "not a number" is false.
        elif parent.step:
            found = Held(parent.name, self.bounds(parent, sign, right))
        elif parent.several and (len(parent.names) > 1 or sign not in ("=", "!=")):
            raise UnsupportedCondition("compares choices in a way that Candor does not support")
        elif sign not in ("=", "!="):
            return self.ranked(parent, sign, right)
        else:
            found = self.chosen(parent, right)
        return self.negated(found) if sign == "!=" else found

    def ranked(self, parent: EarlierQuestion, sign: str, value: Expression) -> Formula:
        """A comparison of choices whose names are numbers."""
        end = constant_number(value.value)
        if end is None and self.of_choices:
            return False
        if end is None:
            raise UnsupportedCondition("compares choices in a way that Candor does not support")
        numbers = numbers_of(parent).items()
        chosen = frozenset(name for name, number in numbers if COMPARED[sign](number, end))
        return Held(parent.name, chosen) if chosen else False

    def counted(self, count: Expression, sign: str, value: Expression) -> Formula:
        """Whether anything is chosen, or nothing. Other numbers of boxes are no condition."""
        limit, parent = constant_number(value.value), self.parent(count.parts[0])
        any_ticked = f"{sign}{limit}" in (">0", ">=1", "!=0")
        if not parent.step and (any_ticked or f"{sign}{limit}" in ("<1", "<=0", "=0")):
            found = self.answered(parent)
            return found if any_ticked else self.negated(found)
        raise unsupported_use(count)

    def answered(self, parent: EarlierQuestion) -> Formula:
        """Whether the answer to a question is not empty."""
        if not (parent.skippable or parent.optional or parent.several):
            return True
        if parent.step:
            return Held(parent.name, NumberBounds(low=parent.low))
        return Held(parent.name, frozenset(parent.names) - self.empty(parent))

    @staticmethod
    def empty(parent: EarlierQuestion) -> frozenset[str]:
        """The answer of respondents who leave a question empty in other tools."""
        return frozenset({DECLINED}) if parent.optional else frozenset()

    def parent(self, expression: Expression) -> EarlierQuestion:
        name = expression.value
        if expression.kind != "name" or (name == SELF and SELF not in self.known):
            raise unsupported_use(expression)
        if name not in self.known:
            raise UnsupportedCondition(self.why_unknown(str(name)))
        return self.known[str(name)]

    def chosen(self, parent: EarlierQuestion, *values: Expression) -> Formula:
        """Whether one of some choices is chosen. Raises UnsupportedCondition."""
        found = set[str]()
        for value in values:
            names = {} if parent.step else dict(parent.names)
            if isinstance(value.value, Fraction):
                names = {name: str(constant_number(text)) for name, text in names.items()}
            written = str(value.value)
            chosen = {name for name, text in names.items() if text == written}
            if value.kind != "constant" or not (chosen or (names and self.of_choices)):
                raise UnsupportedCondition(
                    "names %(value)s, which is not a choice of %(name)s",
                    value=repr(written if value.kind == "constant" else value.source),
                    name=repr(parent.name),
                )
            found |= chosen
        return Held(parent.name, frozenset(found)) if found else False

    @staticmethod
    def bounds(parent: EarlierQuestion, sign: str, value: Expression) -> NumberBounds:
        end = constant_number(value.value)
        if end is None:
            raise UnsupportedCondition("compares a number with %(value)s", value=repr(value.value))
        steps = (end - parent.low) / parent.step
        above = parent.low + (math.floor(steps) + 1) * parent.step
        below = parent.low + (math.ceil(steps) - 1) * parent.step
        low = {">=": end, "=": end, "!=": end, ">": above}.get(sign)
        high = {"<=": end, "=": end, "!=": end, "<": below}.get(sign)
        return NumberBounds(low, high)

    def negated(self, formula: Formula) -> Formula:
        """The opposite. It also holds for those who were not asked."""
        if isinstance(formula, bool):
            return not formula
        if isinstance(formula, Joined):
            parts = [self.negated(part) for part in formula.parts]
            return self.joined(parts, any_holds=not formula.any_holds)
        parent, allowed = self.parents[formula.name], formula.allowed
        if not formula.holds:
            return Held(formula.name, allowed)
        if parent.is_single and not parent.skippable:
            rest = frozenset(parent.names) - allowed
            return Held(formula.name, rest) if rest else False
        if isinstance(allowed, NumberBounds) and not parent.skippable and not parent.names:
            ends = [(">", allowed.high), ("<", allowed.low)]
            signs = [(sign, end) for sign, end in ends if end is not None]
            if len(signs) == 1:
                ((sign, end),) = signs
                limit = Expression("constant", end)
                return Held(formula.name, self.bounds(parent, sign, limit))
        return Held(formula.name, allowed, holds=False)

    def joined(self, parts: Sequence[Formula], *, any_holds: bool) -> Formula:
        """The conditions of which any or all must hold, with one for each question if possible."""
        merged = list[Formula]()
        for part in parts:
            for each in formulas_in(part, any_holds=any_holds):
                for place, before in enumerate(merged):
                    both = self.merged(before, each, any_holds=any_holds)
                    if both is not None:
                        merged[place] = both
                        break
                else:
                    merged.append(each)
        if any_holds in merged:
            return any_holds
        rest = tuple(each for each in merged if not isinstance(each, bool))
        if len(rest) < 2:
            return rest[0] if rest else not any_holds
        return Joined(rest, any_holds)

    def merged(self, one: Formula, other: Formula, *, any_holds: bool) -> Formula | None:
        """Two conditions on one question as one; None if they stay two."""
        if one == other:
            return one
        if not isinstance(one, Held) or not isinstance(other, Held) or one.name != other.name:
            return None
        numbers, boxes = isinstance(one.allowed, NumberBounds), self.parents[one.name].several
        if any_holds or (not one.holds and not other.holds):
            # Ranges of numbers may have a gap between them.
            if numbers or one.holds != other.holds or (any_holds and not one.holds):
                return None
            return Held(one.name, one.allowed | other.allowed, one.holds)
        if one.holds and other.holds:
            both = one.allowed & other.allowed
            if boxes and both not in (one.allowed, other.allowed):
                return None
            return Held(one.name, both) if both else False
        if numbers or boxes:
            return None
        yes, no = (one, other) if one.holds else (other, one)
        rest = yes.allowed - no.allowed
        return Held(one.name, rest) if rest else False


def listed_words(words: Expression) -> list[Expression]:
    """The words of a constant text, as constants."""
    return [Expression("constant", word, (), words.source) for word in str(words.value).split()]


def unsupported_use(expression: Expression) -> UnsupportedCondition:
    """The fault of an expression in which Candor does not know a function or operator."""
    used = expression.value if expression.kind == "call" else expression.source
    return UnsupportedCondition("uses %(text)s, which Candor does not compute", text=repr(used))


def numbers_of(parent: EarlierQuestion) -> dict[str, Fraction]:
    """The points of choices whose names in the form are numbers. Raises UnsupportedCondition."""
    written = {name: text for name, text in parent.names.items() if name != DECLINED}
    if not all(map(CHOICE_NUMBER.fullmatch, written.values())):
        raise UnsupportedCondition(
            "calculates with %(name)s, whose choices are not numbers", name=repr(parent.name)
        )
    return {name: Fraction(text) for name, text in written.items()}
