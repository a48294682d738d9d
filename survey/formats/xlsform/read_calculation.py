"""Calculations of XLSForm as derived answers.

The grammar is closed: numbers, `${name}`, +, -, *, `div` by a number, comparisons, `and`, `or`,
`not()`, `if()`, `selected()`, `count-selected()`, `coalesce(${name}, 0)`, `number()`, `sum()`,
`random()` and `once()`. A calculation must be exactly one of the operations of a derived answer
(survey/definition/derived_answers.py). Candor leaves out every other calculation.
"""

import math
import re
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from fractions import Fraction
from typing import Any

from survey.core.errors import MechanismError
from survey.core.number_grid import decimal, json_number
from survey.core.translate import translate
from survey.definition.choices import DECLINED
from survey.definition.derived_answers import MAX_ARMS, MAX_POINTS, MAX_WEIGHT
from survey.formats.xlsform.conditions import (
    MAX_NESTED_PARENTHESES,
    MIRRORED_SIGNS,
    Condition,
    ConditionParser,
    EarlierQuestion,
    NumberBounds,
    UnsupportedCondition,
)

# A parser tries several readings of each comparison, so a nested text could take very long.
MAX_STEPS = 20_000
MAX_RESULT = 10**9
# A longer or rarer form, such as 1e999999999, would take too long to calculate with.
CHOICE_NUMBER = re.compile(r"-?[0-9]{1,15}(\.[0-9]{1,15})?")
# The names of two results that mean Yes and No.
YES_AND_NO = {("yes", "no"), ("1", "0")}


@dataclass(frozen=True)
class Points:
    """A constant, and the points of answers.

    Attributes
    ----------
    of : for each question, the points of each choice, or the weight of a number
    held : conditions on numbers or boxes, each worth one point if it holds
    """

    constant: Fraction = Fraction(0)
    of: Mapping[str, Any] = field(default_factory=dict)
    held: Condition = field(default_factory=dict)

    @property
    def constant_only(self) -> bool:
        return not self.of and not self.held


@dataclass(frozen=True)
class PointsRange:
    """Whether points are between two ends. An end is None if there is no limit."""

    points: Points
    low: Fraction | None
    high: Fraction | None
    low_included: bool = True
    high_included: bool = True


@dataclass(frozen=True)
class Conditions:
    """Conditions on different questions, of which any or all must hold."""

    each: Condition
    any: bool = False


@dataclass(frozen=True)
class RandomNumber:
    """A random number between 0 and 1, or whether it is below `below`. `name` is empty if each
    use is a new draw."""

    name: str = ""
    below: Fraction | None = None


@dataclass(frozen=True)
class ConditionalValue:
    """`if(verdict, then, otherwise)`"""

    verdict: Any
    then: Any
    otherwise: Any


@dataclass(frozen=True)
class DerivedAnswer:
    """A derived answer.

    Attributes
    ----------
    type : the type of question
    derived : its operation
    results : the text in the form and the name of each choice, in order; empty for a number
    range : the lowest and highest value of a number, and its step
    used : the names of the questions that it uses
    """

    type: str
    derived: dict[str, Any]
    results: Sequence[tuple[str, str]] = ()
    range: Sequence[Fraction] = ()
    used: Sequence[str] = ()


def unsupported(sentence: str) -> UnsupportedCondition:
    return UnsupportedCondition(sentence)


class CalculationParser(ConditionParser):
    """Parses a calculation by recursive descent.

    `calculated` are the earlier calculations, by their names in the form.
    """

    def __init__(
        self, text: str, known: Mapping[str, EarlierQuestion], calculated: Mapping[str, Any]
    ):
        scores = {
            name for name, node in calculated.items() if isinstance(node, Points | RandomNumber)
        }
        usable = {
            name: each
            for name, each in known.items()
            if name not in scores and not each.kind.secret_fact
        }
        super().__init__(text, usable)
        self.steps = 0
        self.calculated = {name: calculated[name] for name in scores}
        self.consumed: set[str] = set()

    def calculation(self) -> Any:
        """The whole calculation: Points, RandomNumber, a verdict or a ConditionalValue."""
        node = self.first_of(self.value_node, self.verdict)
        if self.at < len(self.tokens):
            self.take("")
        return node

    def take(self, *expected: str) -> tuple[str, str]:
        self.count_step()
        return super().take(*expected)

    def count_step(self) -> None:
        self.steps += 1
        if self.steps > MAX_STEPS:
            raise unsupported(translate("is nested too deeply"))

    def first_of(self, *ways: Callable[[], Any]) -> Any:
        """What the first of these ways reads up to a comma, a parenthesis or the end."""
        start, depth, fault = self.at, self.depth, None
        for read in ways:
            self.at, self.depth = start, depth
            try:
                found = read()
            except UnsupportedCondition as error:
                fault = fault or error
                continue
            if self.peek() in ("", ",", ")"):
                return found
        raise fault or self.unexpected()

    def unexpected(self) -> UnsupportedCondition:
        place = repr(self.peek()) if self.peek() else translate("its end")
        return unsupported(translate("cannot be parsed at %(place)s", place=place))

    def function(self, *names: str) -> bool:
        """Whether one of these functions begins here. If so, its name and "(" are taken."""
        here = self.tokens[self.at : self.at + 2]
        if [written for _, written in here[1:]] != ["("] or here[0] not in {
            ("word", name) for name in names
        }:
            return False
        self.at += 2
        return True

    # --- values

    def value_node(self) -> Any:
        """A text, or what an arithmetic expression is."""
        if self.tokens[self.at : self.at + 1] and self.tokens[self.at][0] == "text":
            return self.take()[1][1:-1].strip()
        return self.sum_node()

    def sum_node(self) -> Any:
        node = self.product_node()
        while self.peek() in ("+", "-"):
            sign = 1 if self.take()[1] == "+" else -1
            more = self.points(self.product_node())
            node = self.added(self.points(node), scaled(more, Fraction(sign)))
        return node

    def product_node(self) -> Any:
        node = self.factor_node()
        while self.peek() in ("*", "div"):
            by = self.take()[1]
            one, other = self.points(node), self.points(self.factor_node())
            if by == "*" and one.constant_only:
                one, other = other, one
            if not other.constant_only:
                raise unsupported(translate("multiplies or divides answers by answers"))
            if by == "div" and not other.constant:
                raise unsupported(translate("divides by 0"))
            node = scaled(one, 1 / other.constant if by == "div" else other.constant)
        return node

    def factor_node(self) -> Any:
        self.count_step()
        self.depth += 1
        if self.depth > MAX_NESTED_PARENTHESES:
            raise unsupported(translate("is nested too deeply"))
        node = self.inner_factor()
        self.depth -= 1
        return node

    def inner_factor(self) -> Any:
        kind = self.tokens[self.at][0] if self.at < len(self.tokens) else ""
        if self.peek() == "-":
            self.take()
            return scaled(self.points(self.factor_node()), Fraction(-1))
        if kind == "number":
            return Points(Fraction(self.take()[1]))
        if kind == "name":
            return self.named(self.take())
        if self.peek() == "(" or self.function("number"):
            if self.peek() == "(":
                self.take()
            node = self.sum_node()
            self.take(")")
            return node
        if self.function("if"):
            return self.branch()
        if self.function("count-selected"):
            parent = self.parent(self.take())
            if not parent.kind.boxes:
                raise self.unexpected()
            self.take(")")
            return Points(of={parent.name: dict.fromkeys(choices_of(parent), Fraction(1))})
        if self.function("coalesce"):
            node = self.points(self.sum_node())
            self.take(",")
            if self.points(self.sum_node()) != Points():
                raise unsupported(translate("gives points to those who were not asked"))
            self.take(")")
            return node
        if self.function("sum"):
            node = self.points(self.sum_node())
            while self.peek() == ",":
                self.take()
                node = self.added(node, self.points(self.sum_node()))
            self.take(")")
            return node
        if self.function("once"):
            node = self.sum_node()
            self.take(")")
            return node
        if self.function("random"):
            self.take(")")
            return RandomNumber()
        if kind == "word":
            raise unsupported(
                translate("uses %(text)s, which Candor does not compute", text=repr(self.peek()))
            )
        raise self.unexpected()

    def branch(self) -> ConditionalValue:
        verdict = self.verdict()
        self.take(",")
        then = self.first_of(self.value_node)
        self.take(",")
        otherwise = self.first_of(self.value_node)
        self.take(")")
        return ConditionalValue(verdict, then, otherwise)

    def named(self, token: tuple[str, str]) -> Any:
        """The points of a question, or an earlier calculation."""
        written = token[1][2:-1].strip()
        if written in self.calculated:
            self.consumed.add(written)
            node = self.calculated[written]
            return RandomNumber(written) if isinstance(node, RandomNumber) else node
        parent = self.parent(token)
        if parent.kind.numeric:
            return Points(of={parent.name: Fraction(1)})
        if not parent.kind.single_choice:
            raise unsupported(translate("calculates with %(name)s", name=repr(parent.name)))
        return Points(of={parent.name: numbers_of(parent)})

    def points(self, node: Any) -> Points:
        """The points of a node. Raises UnsupportedCondition if it has none."""
        if isinstance(node, Points):
            return node
        if not isinstance(node, ConditionalValue):
            raise unsupported(translate("calculates with something that is not a number"))
        then, otherwise = self.points(node.then), self.points(node.otherwise)
        if not isinstance(node.verdict, Conditions) or len(node.verdict.each) != 1:
            raise unsupported(translate("gives points for more than one answer at once"))
        ((name, allowed),) = node.verdict.each.items()
        parent = self.parents[name]
        if parent.kind.single_choice:
            table = {
                choice: worth(then if choice in allowed else otherwise, name, choice)
                - otherwise.constant
                for choice in choices_of(parent)
            }
            return self.absorbed(Points(otherwise.constant, {name: table}))
        if not then.constant_only or not otherwise.constant_only:
            raise unsupported(translate("gives points for more than one answer at once"))
        gain = then.constant - otherwise.constant
        if parent.kind.boxes and len(allowed) == 1:
            table = {each: gain if each in allowed else Fraction(0) for each in choices_of(parent)}
            return Points(otherwise.constant, {name: table})
        if gain != 1:
            raise unsupported(translate("gives points for more than one answer at once"))
        return Points(otherwise.constant, held={name: allowed})

    def absorbed(self, points: Points) -> Points:
        """The same points, with the constant as part of the points of a question."""
        if not points.constant or len(points.of) != 1 or points.held:
            return points
        ((name, table),) = points.of.items()
        parent = self.parents[name]
        if parent.skippable or not parent.kind.single_choice:
            return points
        return Points(of={name: {each: table[each] + points.constant for each in table}})

    def added(self, one: Points, other: Points) -> Points:
        if one.held.keys() & other.held.keys():
            raise unsupported(translate("counts two conditions of one question"))
        of = dict(one.of)
        for name, more in other.of.items():
            before = of.get(name)
            if before is None:
                of[name] = more
            elif isinstance(more, Mapping):
                of[name] = {each: before[each] + more[each] for each in more}
            else:
                of[name] = before + more
        whole = Points(one.constant + other.constant, of, dict(one.held) | dict(other.held))
        return self.absorbed(whole)

    # --- verdicts

    def verdict(self) -> Any:
        """Whether something holds: Conditions, PointsRange, or a RandomNumber with `below`."""
        return self.first_of(self.all_hold, self.any_holds, self.within, self.drawn_below)

    def all_hold(self) -> Conditions:
        return Conditions(self.either())

    def any_holds(self) -> Conditions:
        found: Condition = {}
        while True:
            condition = self.all()
            if len(condition) != 1:
                raise unsupported(translate("joins different questions with or"))
            ((name, _),) = condition.items()
            if name in found:
                condition = self.joined_by_or({name: found[name]}, condition)
            found |= condition
            if self.peek() != "or":
                return Conditions(found, any=True)
            self.take()

    def compared(self) -> Condition:
        """As for conditions, and also the comparison of a choice whose name is a number."""
        start = self.at
        try:
            return super().compared()
        except UnsupportedCondition as error:
            self.at = start
            node = self.limits()
            if len(node.points.of) != 1 or node.points.held:
                raise error
            ((name, table),) = node.points.of.items()
            parent = self.parents[name]
            if not parent.kind.single_choice or node.points.constant:
                raise error
            chosen = frozenset(each for each in table if is_within(table[each], node))
            if not chosen:
                raise unsupported(translate("can never be true")) from error
            return {name: chosen}

    def limits(self) -> PointsRange:
        left = self.points(self.sum_node())
        sign = self.take(*MIRRORED_SIGNS)[1]
        right = self.points(self.sum_node())
        if left.constant_only:
            left, right, sign = right, left, MIRRORED_SIGNS[sign]
        if not right.constant_only or sign == "!=":
            raise unsupported(translate("compares in a way that Candor does not support"))
        end = right.constant
        low = end if sign in (">", ">=", "=") else None
        high = end if sign in ("<", "<=", "=") else None
        return PointsRange(left, low, high, sign != ">", sign != "<")

    def within(self) -> PointsRange:
        """Comparisons of the same points, joined by and."""
        found = self.first_limits()
        while self.peek() == "and":
            self.take()
            more = self.first_limits()
            if more.points != found.points:
                raise unsupported(translate("compares in a way that Candor does not support"))
            found = intersected(found, more)
        return found

    def first_limits(self) -> PointsRange:
        start, depth = self.at, self.depth
        try:
            return self.limits()
        except UnsupportedCondition:
            self.at, self.depth = start, depth
            if self.peek() != "(":
                raise
            self.take()
            found = self.within()
            self.take(")")
            return found

    def drawn_below(self) -> RandomNumber:
        draw = self.sum_node()
        if not isinstance(draw, RandomNumber):
            raise unsupported(translate("compares in a way that Candor does not support"))
        self.take("<", "<=")
        return RandomNumber(draw.name, self.points(self.sum_node()).constant)


def choices_of(parent: EarlierQuestion) -> list[str]:
    return [name for name in parent.names.values() if name != DECLINED]


def numbers_of(parent: EarlierQuestion) -> dict[str, Fraction]:
    """The points of choices whose names in the form are numbers."""
    written = [text for text, name in parent.names.items() if name != DECLINED]
    if not all(map(CHOICE_NUMBER.fullmatch, written)):
        raise unsupported(
            translate(
                "calculates with %(name)s, whose choices are not numbers", name=repr(parent.name)
            )
        )
    return {parent.names[text]: Fraction(text) for text in written}


def worth(points: Points, name: str, choice: str) -> Fraction:
    """The points of a choice, if they depend on this question alone."""
    if points.held or not points.of.keys() <= {name}:
        raise unsupported(translate("gives points for more than one answer at once"))
    table = points.of.get(name, {})
    return points.constant + Fraction(table.get(choice, 0))


def scaled(points: Points, by: Fraction) -> Points:
    if points.held and by != 1:
        raise unsupported(translate("gives points for more than one answer at once"))
    of = {
        name: {each: table[each] * by for each in table}
        if isinstance(table, Mapping)
        else table * by
        for name, table in points.of.items()
    }
    return Points(points.constant * by, of, points.held)


def is_within(value: Fraction, limits: PointsRange) -> bool:
    low, high = limits.low, limits.high
    above = low is None or value > low or (limits.low_included and value == low)
    return above and (high is None or value < high or (limits.high_included and value == high))


def intersected(one: PointsRange, other: PointsRange) -> PointsRange:
    lows = [(each.low, not each.low_included) for each in (one, other) if each.low is not None]
    highs = [(each.high, each.high_included) for each in (one, other) if each.high is not None]
    low, low_excluded = max(lows, default=(None, False))
    high, high_included = min(highs, default=(None, True))
    return PointsRange(one.points, low, high, not low_excluded, high_included)


# --- derived answers


def derived_answer(node: Any, known: Mapping[str, EarlierQuestion]) -> DerivedAnswer:
    """The derived answer that a calculation expresses.

    `known` are the earlier questions, by their names in Candor. Raises UnsupportedCondition.
    """
    if isinstance(node, Points):
        return derive_number(node, known)
    if isinstance(node, RandomNumber) and node.below is None:
        raise unsupported(translate("draws a random number that no later calculation uses"))
    if isinstance(node, PointsRange | Conditions):
        node = ConditionalValue(node, "yes", "no")
    branches, last = nested_results(node)
    verdicts = [verdict for verdict, _ in branches]
    results = [*(result for _, result in branches), last]
    if all(isinstance(each, RandomNumber) and each.below is not None for each in verdicts):
        return derive_arm(verdicts, results)
    if all(isinstance(each, PointsRange) for each in verdicts):
        return derive_bands(branches, last, known)
    if not all(isinstance(each, Conditions) for each in verdicts):
        raise unsupported(translate("mixes different kinds of conditions"))
    return derive_recode(verdicts, results)


def nested_results(node: Any) -> tuple[list[tuple[Any, str]], str]:
    """The verdicts and results of nested `if()`, and the last result."""
    branches = []
    while isinstance(node, ConditionalValue):
        branches.append((node.verdict, result(node.then)))
        node = node.otherwise
    last = result(node)
    if not branches:
        raise unsupported(translate("does not depend on any answer"))
    return branches, last


def result(node: Any) -> str:
    if isinstance(node, Points) and node.constant_only and abs(node.constant) < MAX_RESULT:
        return str(json_number(node.constant))
    if not isinstance(node, str) or not node:
        raise unsupported(translate("has a result that is not a constant"))
    return node


def operation_of(
    points: Points, known: Mapping[str, EarlierQuestion]
) -> tuple[dict[str, Any], Fraction]:
    """A sum, mean or count, and how many times larger than the points without constant it is."""
    if points.constant_only:
        raise unsupported(translate("does not depend on any answer"))
    if points.held:
        conditions = {name: as_condition(allowed) for name, allowed in points.held.items()}
        for name, table in points.of.items():
            chosen = (
                [each for each, value in dict(table).items() if value]
                if isinstance(table, Mapping)
                else []
            )
            if not chosen or name in conditions or {table[each] for each in chosen} != {1}:
                raise unsupported(translate("gives points for more than one answer at once"))
            if known[name].kind.boxes and len(chosen) > 1:
                raise unsupported(translate("gives points for more than one answer at once"))
            conditions[name] = chosen
        return {"count": conditions}, Fraction(1)
    values = [value for table in points.of.values() for value in points_in(table)]
    if any(
        known[name].kind.numeric and any(end.denominator != 1 for end in grid_of(known[name]))
        for name in points.of
    ):
        raise unsupported(translate("calculates with decimals"))
    common, n = math.lcm(*(value.denominator for value in values)), len(points.of)
    # A mean does not count questions that are not asked, so its divisor is not always the same.
    is_mean = common > 1 and n % common == 0 and not may_stay_unasked(points, known)
    by = n if is_mean else common
    if any(abs(value * by) > MAX_POINTS for value in values):
        raise unsupported(translate("has points above a million"))
    whole = {
        name: {each: int(value * by) for each, value in table.items()}
        if isinstance(table, Mapping)
        else int(table * by)
        for name, table in points.of.items()
    }
    if is_mean:
        return {"mean": whole}, Fraction(1)
    return {"sum": whole}, Fraction(by)


def may_stay_unasked(points: Points, known: Mapping[str, EarlierQuestion]) -> bool:
    return any(known[name].skippable for name in points.of)


def points_in(table: Any) -> list[Fraction]:
    return list(table.values()) if isinstance(table, Mapping) else [table]


def grid_of(parent: EarlierQuestion) -> list[Fraction]:
    return [parent.low, parent.step]


def as_condition(allowed: Any) -> Any:
    return allowed.as_json() if isinstance(allowed, NumberBounds) else sorted(allowed)


def bound_points(points: Points, known: Mapping[str, EarlierQuestion]) -> tuple[Fraction, Fraction]:
    """The lowest and highest points without the constant."""
    lows, highs = [Fraction(0)], [Fraction(len(points.held))]
    for name, table in points.of.items():
        parent = known[name]
        if parent.kind.numeric:
            if parent.high is None:
                raise unsupported(translate("calculates with a number that has no range"))
            ends = [parent.low * table, parent.high * table]
        elif parent.kind.boxes:
            ends = [
                sum((pick(each, Fraction(0)) for each in table.values()), start=Fraction(0))
                for pick in (min, max)
            ]
        else:
            ends = list(table.values())
        ends += [Fraction(0)] if parent.skippable else []
        lows.append(min(ends))
        highs.append(max(ends))
    return sum(lows, start=Fraction(0)), sum(highs, start=Fraction(0))


def derive_number(points: Points, known: Mapping[str, EarlierQuestion]) -> DerivedAnswer:
    rule, by = operation_of(points, known)
    if by != 1 and may_stay_unasked(points, known):
        raise unsupported(translate("counts questions that are not asked in a mean"))
    if by != 1 or points.constant:
        raise unsupported(translate("is neither a sum of points nor their mean"))
    step = Fraction(1, 10) if "mean" in rule else Fraction(1)
    low, high = bound_points(points, known)
    ends = (low // step * step, -(-high // step) * step, step)
    if ends[0] == ends[1]:
        raise unsupported(translate("does not depend on any answer"))
    return DerivedAnswer("number", rule, range=ends, used=used_by(points))


def used_by(points: Points) -> list[str]:
    return [*points.of, *points.held]


def yes_or_no(yes: str, no: str) -> list[tuple[str, str]]:
    if (no, yes) in YES_AND_NO:
        raise unsupported(translate("calls the opposite Yes"))
    return [(yes, "yes"), (no, "no")]


def derive_bands(
    branches: Sequence[tuple[PointsRange, str]], last: str, known: Mapping[str, EarlierQuestion]
) -> DerivedAnswer:
    """The answer that depends on where the points are."""
    points = branches[0][0].points
    if any(limits.points != points for limits, _ in branches):
        raise unsupported(translate("compares different sums"))
    rule, by = operation_of(points, known)
    low, high = bound_points(points, known)
    unit = Fraction(1, math.lcm(*(v.denominator for t in points.of.values() for v in points_in(t))))
    # All sums are multiples of the unit, so only the ends of each comparison need a trial.
    ends = {low}
    for limits, _ in branches:
        for end in (limits.low, limits.high):
            if end is not None:
                nearest = math.floor((end - points.constant) / unit) * unit
                ends |= {nearest, nearest + unit}
    bands: list[tuple[Fraction, str]] = []
    for value in sorted(end for end in ends if low <= end <= high):
        found = next(
            (text for limits, text in branches if is_within(value + points.constant, limits)), last
        )
        if not bands or bands[-1][1] != found:
            bands.append((value, found))
    texts = [text for _, text in bands]
    if len(set(texts)) < len(texts) or set(texts) != {last, *(text for _, text in branches)}:
        raise unsupported(translate("has a result that is impossible, or in two places"))
    bounds = [bound_of(value * by) for value, _ in bands[1:]]
    used = used_by(points)
    if len(texts) == 2 and (texts[0], texts[1]) not in YES_AND_NO:
        return DerivedAnswer(
            "yes_no", rule | {"at_least": bounds[0]}, yes_or_no(texts[1], texts[0]), used=used
        )
    if len(texts) < 2:
        raise unsupported(translate("has a result that is impossible, or in two places"))
    results = [(text, text) for text in texts]
    return DerivedAnswer(
        "select_one", rule | {"bands": [math.floor(low * by), *bounds]}, results, used=used
    )


def bound_of(value: Fraction) -> float | int:
    try:
        return json_number(decimal(value, "bound"))
    except MechanismError as error:
        raise unsupported(translate("compares with a number that is not a decimal")) from error


def derive_recode(verdicts: Sequence[Conditions], results: Sequence[str]) -> DerivedAnswer:
    """The answer to which the first condition that holds belongs."""
    conditions = [
        {name: as_condition(allowed) for name, allowed in verdict.each.items()}
        for verdict in verdicts
    ]
    used = list(dict.fromkeys(name for each in conditions for name in each))
    if len(set(results)) < len(results):
        raise unsupported(translate("has a result that is impossible, or in two places"))
    if len(verdicts) == 1:
        operation = "all" if len(used) > 1 and not verdicts[0].any else "any"
        names = yes_or_no(results[0], results[1])
        return DerivedAnswer("yes_no", {operation: conditions[0]}, names, used=used)
    if any(verdict.any for verdict in verdicts):
        raise unsupported(translate("joins different questions with or"))
    return DerivedAnswer(
        "select_one", {"recode": [*conditions, {}]}, [(each, each) for each in results], used=used
    )


def derive_arm(draws: Sequence[RandomNumber], results: Sequence[str]) -> DerivedAnswer:
    """An experimental arm, with the weights that the probabilities have."""
    if len(set(results)) < len(results) or len(results) > MAX_ARMS:
        raise unsupported(translate("has more experimental arms than Candor can draw"))
    shares, left, before = list[Fraction](), Fraction(1), Fraction(0)
    if len({draw.name for draw in draws}) > 1:
        raise unsupported(translate("mixes different kinds of conditions"))
    for draw in draws:
        below = draw.below or Fraction(0)
        share = below - before if draw.name else left * below
        before, left = below, left - share
        shares.append(share)
    shares.append(left)
    common = math.lcm(*(share.denominator for share in shares))
    weights = [int(share * common) for share in shares]
    divisor = math.gcd(*weights)
    if min(weights) <= 0 or max(weights) // (divisor or 1) > MAX_WEIGHT:
        raise unsupported(
            translate(
                "has probabilities that are not whole weights from 1 to %(most)s", most=MAX_WEIGHT
            )
        )
    return DerivedAnswer(
        "select_one",
        {"random": [weight // divisor for weight in weights]},
        [(each, each) for each in results],
    )
