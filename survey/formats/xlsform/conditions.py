"""Conversion of conditions between a definition's `relevant` and the expressions of XLSForm.

A `relevant` has, for each question, a set of choices or a range of numbers, and all of these
conditions must hold. A condition that is not of this form, such as one with `or` across questions,
becomes a derived answer (`read_relevance`), on which the question then depends. Of conditions
joined by `and`, Candor keeps those that it understands, and names the others.
"""

import re
from collections.abc import Callable, Collection, Mapping, Sequence
from dataclasses import dataclass, field
from fractions import Fraction
from typing import Any

from survey.core.exact_numbers import exact
from survey.core.number_grid import decimal_text, json_number
from survey.core.translate import translate
from survey.definition.choices import DECLINED
from survey.definition.questions import Question
from survey.definition.types import QuestionType
from survey.formats.types import EARLIER, FORMATS
from survey.formats.xlsform.expressions import (
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
    kind : its type
    names : the names of its choices in Candor, and those in the form, which may be equal
    low, high, step : the grid of a number
    skippable : whether it may stay unasked, so that "is not a" differs from "is another choice"
    optional : whether respondents may leave it empty
    """

    name: str
    kind: QuestionType
    names: Mapping[str, str] = field(default_factory=dict)
    low: Fraction = Fraction(0)
    step: Fraction = Fraction(1)
    skippable: bool = False
    high: Fraction = Fraction(0)
    optional: bool = False


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


def relevant_as_xpath(relevant: Mapping[str, Any], known: Mapping[str, Question]) -> str:
    """A question's `relevant` as XPath. `known` are the earlier questions."""
    terms = []
    for name, condition in relevant.items():
        if isinstance(condition, Mapping):
            terms.append(
                bounds_as_xpath(f"${{{name}}}", condition.get("min"), condition.get("max"))
            )
            continue
        either = " or ".join(map(FORMATS[known[name]].is_answer, condition))
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
    whole = reader.join_conditions(formulas, any_holds=False)
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
    read = read_condition([text], {SELF: EarlierQuestion(name=SELF, kind=kind, step=step)})
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
            return self.join_conditions(parts, any_holds=expression.calls("or"))
        if expression.calls("not", "boolean") and len(expression.parts) == 1:
            found = self.formula(expression.parts[0])
            return self.negate(found) if expression.calls("not") else found
        if expression.calls("selected") and len(expression.parts) == 2:
            whole, value = expression.parts
            if whole.is_constant(str) and value.kind == "name":
                earlier = EARLIER[self.parent(value)]
                return earlier.is_chosen(
                    *earlier.selected_choices(whole), of_choices=self.of_choices
                )
            return EARLIER[self.parent(whole)].is_chosen(value, of_choices=self.of_choices)
        if expression.calls(*MIRRORED_SIGNS):
            return self.read_comparison(expression)
        return EARLIER[self.parent(expression)].is_answered()

    def read_comparison(self, expression: Expression) -> Formula:
        """The condition that a comparison is. Raises UnsupportedCondition."""
        (left, right), sign = expression.parts, str(expression.value)
        if left.kind == "constant":
            left, right, sign = right, left, MIRRORED_SIGNS[sign]
        if left.calls("count-selected") and len(left.parts) == 1 and right.kind == "constant":
            return self.read_count(left, sign, right)
        earlier = EARLIER[self.parent(left)]
        if right.kind != "constant" or right.is_constant(bool):
            raise UnsupportedCondition(
                "compares with %(text)s, which is not a constant", text=repr(right.source)
            )
        if right.value == "" and sign in ("=", "!="):
            found = self.negate(earlier.is_answered())
        else:
            found = earlier.compare(sign, right, of_choices=self.of_choices)
        return self.negate(found) if sign == "!=" else found

    def read_count(self, count: Expression, sign: str, value: Expression) -> Formula:
        """Whether anything is chosen, or nothing. Other numbers of boxes are no condition."""
        limit, parent = constant_number(value.value), self.parent(count.parts[0])
        any_ticked = f"{sign}{limit}" in (">0", ">=1", "!=0")
        choices = parent.names.keys() - {DECLINED}
        if choices and (any_ticked or f"{sign}{limit}" in ("<1", "<=0", "=0")):
            found = EARLIER[parent].is_answered()
            return found if any_ticked else self.negate(found)
        raise unsupported_use(count)

    def parent(self, expression: Expression) -> EarlierQuestion:
        name = expression.value
        if expression.kind != "name" or (name == SELF and SELF not in self.known):
            raise unsupported_use(expression)
        if name not in self.known:
            raise UnsupportedCondition(self.why_unknown(str(name)))
        return self.known[str(name)]

    def negate(self, formula: Formula) -> Formula:
        """The opposite. It also holds for those who were not asked."""
        if isinstance(formula, bool):
            return not formula
        if isinstance(formula, Joined):
            parts = [self.negate(part) for part in formula.parts]
            return self.join_conditions(parts, any_holds=not formula.any_holds)
        if not formula.holds:
            return Held(formula.name, formula.allowed)
        return EARLIER[self.parents[formula.name]].opposite(formula.allowed)

    def join_conditions(self, parts: Sequence[Formula], *, any_holds: bool) -> Formula:
        """The conditions of which any or all must hold, with one for each question if possible."""
        merged = list[Formula]()
        for part in parts:
            for each in formulas_in(part, any_holds=any_holds):
                for place, before in enumerate(merged):
                    both = self.merge(before, each, any_holds=any_holds)
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

    def merge(self, one: Formula, other: Formula, *, any_holds: bool) -> Formula | None:
        """Two conditions on one question as one; None if they stay two."""
        if one == other:
            return one
        if not isinstance(one, Held) or not isinstance(other, Held) or one.name != other.name:
            return None
        earlier = EARLIER[self.parents[one.name]]
        if any_holds or (not one.holds and not other.holds):
            if one.holds != other.holds or (any_holds and not one.holds):
                return None
            either = earlier.either(one.allowed, other.allowed)
            return None if either is None else Held(one.name, either, one.holds)
        if one.holds and other.holds:
            rest = earlier.both(one.allowed, other.allowed)
        else:
            yes, no = (one, other) if one.holds else (other, one)
            rest = earlier.without(yes.allowed, no.allowed)
        if rest is None:
            return None
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
