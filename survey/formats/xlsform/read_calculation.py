"""Calculations of XLSForm as derived answers.

Calculations have conditions (`conditions`), numbers, `${name}`, +, -, *, `div` by a number, `if()`,
`count-selected()`, `coalesce(${name}, 0)`, `number()`, `sum()`, `random()` and `once()`. A
calculation must be exactly one of the operations of a derived answer
(survey/definition/derived_answers.py). Candor leaves out every other calculation.
"""

import math
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from fractions import Fraction
from functools import reduce
from typing import Any

from survey.core.errors import MechanismError
from survey.core.number_grid import decimal, json_number
from survey.core.translate import later, translate
from survey.definition.choices import DECLINED
from survey.definition.derived_answers import MAX_ARMS, MAX_WEIGHT
from survey.definition.types.registry import MAX_POINTS
from survey.formats.types import EARLIER
from survey.formats.xlsform.conditions import (
    Condition,
    ConditionReader,
    EarlierQuestion,
    Formula,
    Held,
    Joined,
    as_condition,
    formulas_in,
    unsupported_use,
)
from survey.formats.xlsform.expressions import MIRRORED_SIGNS, Expression, UnsupportedCondition

MAX_RESULT = 10**9
# The names of two results that mean Yes and No.
YES_AND_NO = {("yes", "no"), ("1", "0")}
SEVERAL_ANSWERS = later("gives points for more than one answer at once")
COMPARISON = later("compares in a way that Candor does not support")


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


@dataclass(frozen=True, kw_only=True)
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


@dataclass(frozen=True, kw_only=True)
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


class CalculationReader(ConditionReader):
    """Reads the values and verdicts in the tree of a calculation.

    `calculated` are the earlier calculations, by their names in the form.
    """

    def __init__(
        self,
        known: Mapping[str, EarlierQuestion],
        calculated: Mapping[str, Any],
        why_unknown: Callable[[str], str],
    ):
        scores = {
            name for name, node in calculated.items() if isinstance(node, Points | RandomNumber)
        }
        usable = {
            name: each
            for name, each in known.items()
            if name not in scores and not each.kind.secret_fact
        }
        super().__init__(usable, why_unknown)
        self.calculated = {name: calculated[name] for name in scores}
        self.consumed: set[str] = set()
        # What was found in each part of the tree, because a comparison may be read in several ways.
        self.found: dict[tuple[str, Expression], Any] = {}

    def calculation(self, expression: Expression) -> Any:
        """The whole calculation: Points, RandomNumber, a verdict or a ConditionalValue."""
        if is_verdict(expression):
            return self.verdict(expression)
        return self.value(expression)

    def once(self, way: Callable[[Expression], Any], expression: Expression) -> Any:
        """What a way of reading finds. It is called once for each part of the tree."""
        key = (way.__name__, expression)
        if key not in self.found:
            try:
                self.found[key] = way(expression)
            except UnsupportedCondition as error:
                self.found[key] = error
        if isinstance(found := self.found[key], UnsupportedCondition):
            raise found
        return found

    # --- values

    def value(self, expression: Expression) -> Any:
        """A text, or what an arithmetic expression is."""
        return self.once(self.new_value, expression)

    def new_value(self, expression: Expression) -> Any:
        if expression.is_constant(str):
            return expression.value
        if expression.is_constant(Fraction):
            return Points(Fraction(expression.value))
        if expression.kind == "name":
            return self.read_name(expression)
        if is_verdict(expression):
            raise UnsupportedCondition("calculates with something that is not a number")
        parts = expression.parts
        if expression.calls("+", "-", "sum") and parts:
            signs = [1, *[-1 if expression.calls("-") else 1] * (len(parts) - 1)]
            signs = [-1] if expression.calls("-") and len(parts) == 1 else signs
            terms = [
                scale_points(self.points_of(part), Fraction(sign))
                for sign, part in zip(signs, parts, strict=True)
            ]
            return reduce(self.add_points, terms)
        if expression.calls("*", "div"):
            return self.product(expression)
        if expression.calls("number", "once") and len(parts) == 1:
            return self.value(parts[0])
        if expression.calls("if") and len(parts) == 3:
            values = map(self.value, parts[1:])
            return ConditionalValue(self.verdict(parts[0]), *values)
        if expression.calls("count-selected") and len(parts) == 1:
            parent = self.parent(parts[0])
            return Points(of={parent.name: EARLIER[parent].points_of_ticks(expression)})
        if expression.calls("coalesce") and len(parts) == 2:
            if self.points_of(parts[1]) != Points():
                raise UnsupportedCondition("gives points to those who were not asked")
            return self.points_of(parts[0])
        if expression.calls("random") and not parts:
            return RandomNumber()
        raise unsupported_use(expression)

    def product(self, expression: Expression) -> Points:
        one, other = map(self.points_of, expression.parts)
        if expression.calls("*") and one.constant_only:
            one, other = other, one
        if not other.constant_only:
            raise UnsupportedCondition("multiplies or divides answers by answers")
        if expression.calls("div") and not other.constant:
            raise UnsupportedCondition("divides by 0")
        return scale_points(one, 1 / other.constant if expression.calls("div") else other.constant)

    def read_name(self, expression: Expression) -> Any:
        """The points of a question, or an earlier calculation."""
        written = str(expression.value)
        if written in self.calculated:
            self.consumed.add(written)
            node = self.calculated[written]
            return RandomNumber(written) if isinstance(node, RandomNumber) else node
        parent = self.parent(expression)
        return Points(of={parent.name: EARLIER[parent].own_points()})

    def points_of(self, expression: Expression) -> Points:
        return self.points(self.value(expression))

    def points(self, node: Any) -> Points:
        """The points of a node. Raises UnsupportedCondition if it has none."""
        if isinstance(node, Points):
            return node
        if not isinstance(node, ConditionalValue):
            raise UnsupportedCondition("calculates with something that is not a number")
        then, otherwise = self.points(node.then), self.points(node.otherwise)
        if not isinstance(node.verdict, Conditions) or len(node.verdict.each) != 1:
            raise UnsupportedCondition(SEVERAL_ANSWERS)
        ((name, allowed),) = node.verdict.each.items()
        earlier = EARLIER[self.parents[name]]
        return self.absorb_constant(earlier.points_if(allowed, then, otherwise))

    def absorb_constant(self, points: Points) -> Points:
        """The same points, with the constant as part of the points of a question."""
        if not points.constant or len(points.of) != 1 or points.held:
            return points
        (name,) = points.of
        return EARLIER[self.parents[name]].absorb_constant(points)

    def add_points(self, one: Points, other: Points) -> Points:
        if one.held.keys() & other.held.keys():
            raise UnsupportedCondition("counts two conditions of one question")
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
        return self.absorb_constant(whole)

    # --- verdicts

    def verdict(self, expression: Expression) -> Any:
        """Whether something holds: Conditions, PointsRange, or a RandomNumber with `below`."""
        fault: UnsupportedCondition | None = None
        for read in (self.conditions, self.within, self.drawn_below):
            try:
                return self.once(read, expression)
            except UnsupportedCondition as error:
                fault = fault or error
        raise fault or unsupported_use(expression)

    def conditions(self, expression: Expression) -> Conditions:
        """Conditions on different questions, of which any or all must hold."""
        formula = self.formula(expression)
        if isinstance(formula, bool):
            raise UnsupportedCondition(
                translate("can never be true")
                if not formula
                else translate("does not depend on any answer")
            )
        any_holds = isinstance(formula, Joined) and formula.any_holds
        found: Condition = {}
        for part in formulas_in(formula, any_holds=any_holds):
            if not isinstance(part, Held):
                raise UnsupportedCondition("joins different questions with or")
            if not part.holds:
                raise UnsupportedCondition(
                    translate("is also true if %(name)s was not asked", name=repr(part.name))
                    if self.parents[part.name].skippable
                    else translate("uses not() in a way that Candor does not support")
                )
            if part.name in found:
                raise UnsupportedCondition(
                    translate("joins ranges of numbers with or")
                    if any_holds
                    else translate(
                        "requires several boxes of %(name)s at once", name=repr(part.name)
                    )
                )
            found[part.name] = part.allowed
        return Conditions(found, any=any_holds)

    def read_comparison(self, expression: Expression) -> Formula:
        """As for conditions, and also a comparison of points of a choice, such as 2 * ${a} > 3."""
        try:
            return super().read_comparison(expression)
        except UnsupportedCondition as error:
            limits = self.limits(expression)
            if len(limits.points.of) != 1 or limits.points.held:
                raise error
            ((name, table),) = limits.points.of.items()
            chosen = EARLIER[self.parents[name]].choices_within(table, limits)
            if chosen is None or limits.points.constant:
                raise error
            return Held(name, chosen) if chosen else False

    def limits(self, expression: Expression) -> PointsRange:
        if not expression.calls(*MIRRORED_SIGNS):
            raise UnsupportedCondition(COMPARISON)
        (left, right), sign = map(self.points_of, expression.parts), str(expression.value)
        if left.constant_only:
            left, right, sign = right, left, MIRRORED_SIGNS[sign]
        if not right.constant_only or sign == "!=":
            raise UnsupportedCondition(COMPARISON)
        end = right.constant
        low = end if sign in (">", ">=", "=") else None
        high = end if sign in ("<", "<=", "=") else None
        return PointsRange(
            points=left, low=low, high=high, low_included=sign != ">", high_included=sign != "<"
        )

    def within(self, expression: Expression) -> PointsRange:
        """Comparisons of the same points, joined by and."""
        first, *others = expression.joined_by("and")
        found = self.within(first) if first.calls("and") else self.limits(first)
        for other in others:
            more = self.within(other) if other.calls("and") else self.limits(other)
            if more.points != found.points:
                raise UnsupportedCondition(COMPARISON)
            found = intersect_ranges(found, more)
        return found

    def drawn_below(self, expression: Expression) -> RandomNumber:
        draw = self.value(expression.parts[0]) if expression.calls("<", "<=") else None
        if not isinstance(draw, RandomNumber):
            raise UnsupportedCondition(COMPARISON)
        return RandomNumber(draw.name, self.points_of(expression.parts[1]).constant)


def is_verdict(expression: Expression) -> bool:
    """Whether an expression is true or false, as conditions are."""
    words = ("and", "or", "not", "boolean", "selected", *MIRRORED_SIGNS)
    return expression.calls(*words) or expression.is_constant(bool)


def choices_of(parent: EarlierQuestion) -> list[str]:
    return [name for name in parent.names if name != DECLINED]


def worth(points: Points, name: str, choice: str) -> Fraction:
    """The points of a choice, if they depend on this question alone."""
    if points.held or not points.of.keys() <= {name}:
        raise UnsupportedCondition(SEVERAL_ANSWERS)
    table = points.of.get(name, {})
    return points.constant + Fraction(table.get(choice, 0))


def gain_of(then: Points, otherwise: Points) -> Fraction:
    """The difference between two constants. Raises UnsupportedCondition for other points."""
    if not then.constant_only or not otherwise.constant_only:
        raise UnsupportedCondition(SEVERAL_ANSWERS)
    return then.constant - otherwise.constant


def points_if_held(name: str, allowed: Any, then: Points, otherwise: Points) -> Points:
    """One point if a condition holds. Raises UnsupportedCondition for other points."""
    if gain_of(then, otherwise) != 1:
        raise UnsupportedCondition(SEVERAL_ANSWERS)
    return Points(otherwise.constant, held={name: allowed})


def scale_points(points: Points, by: Fraction) -> Points:
    if points.held and by != 1:
        raise UnsupportedCondition(SEVERAL_ANSWERS)
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


def intersect_ranges(one: PointsRange, other: PointsRange) -> PointsRange:
    lows = [(each.low, not each.low_included) for each in (one, other) if each.low is not None]
    highs = [(each.high, each.high_included) for each in (one, other) if each.high is not None]
    low, low_excluded = max(lows, default=(None, False))
    high, high_included = min(highs, default=(None, True))
    return PointsRange(
        points=one.points,
        low=low,
        high=high,
        low_included=not low_excluded,
        high_included=high_included,
    )


# --- derived answers


def derived_answer(node: Any, known: Mapping[str, EarlierQuestion]) -> DerivedAnswer:
    """The derived answer that a calculation expresses.

    `known` are the earlier questions, by their names in Candor. Raises UnsupportedCondition.
    """
    if isinstance(node, Points):
        return derive_number(node, known)
    if isinstance(node, RandomNumber) and node.below is None:
        raise UnsupportedCondition("draws a random number that no later calculation uses")
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
        raise UnsupportedCondition("mixes different kinds of conditions")
    return derive_recode(verdicts, results)


def nested_results(node: Any) -> tuple[list[tuple[Any, str]], str]:
    """The verdicts and results of nested `if()`, and the last result."""
    branches = []
    while isinstance(node, ConditionalValue):
        branches.append((node.verdict, result(node.then)))
        node = node.otherwise
    last = result(node)
    if not branches:
        raise UnsupportedCondition("does not depend on any answer")
    return branches, last


def result(node: Any) -> str:
    if isinstance(node, Points) and node.constant_only and abs(node.constant) < MAX_RESULT:
        return str(json_number(node.constant))
    if not isinstance(node, str) or not node:
        raise UnsupportedCondition("has a result that is not a constant")
    return node


def operation_of(
    points: Points, known: Mapping[str, EarlierQuestion]
) -> tuple[dict[str, Any], Fraction]:
    """A sum, mean or count, and how many times larger than the points without constant it is."""
    if points.constant_only:
        raise UnsupportedCondition("does not depend on any answer")
    if points.held:
        conditions = {name: as_condition(allowed) for name, allowed in points.held.items()}
        for name, table in points.of.items():
            chosen = (
                [each for each, value in dict(table).items() if value]
                if isinstance(table, Mapping)
                else []
            )
            if not chosen or name in conditions or {table[each] for each in chosen} != {1}:
                raise UnsupportedCondition(SEVERAL_ANSWERS)
            EARLIER[known[name]].require_countable(chosen)
            conditions[name] = chosen
        return {"count": conditions}, Fraction(1)
    values = [value for table in points.of.values() for value in points_in(table)]
    if any(end.denominator != 1 for name in points.of for end in grid_of(known[name])):
        raise UnsupportedCondition("calculates with decimals")
    common, n = math.lcm(*(value.denominator for value in values)), len(points.of)
    # A mean does not count questions that are not asked, so its divisor is not always the same.
    is_mean = common > 1 and n % common == 0 and not may_stay_unasked(points, known)
    by = n if is_mean else common
    if any(abs(value * by) > MAX_POINTS for value in values):
        raise UnsupportedCondition("has points above a million")
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


def bound_points(points: Points, known: Mapping[str, EarlierQuestion]) -> tuple[Fraction, Fraction]:
    """The lowest and highest points without the constant."""
    lows, highs = [Fraction(0)], [Fraction(len(points.held))]
    for name, table in points.of.items():
        ends = EARLIER[known[name]].ends(table) + [Fraction(0)] * known[name].skippable
        lows.append(min(ends))
        highs.append(max(ends))
    return sum(lows, start=Fraction(0)), sum(highs, start=Fraction(0))


def derive_number(points: Points, known: Mapping[str, EarlierQuestion]) -> DerivedAnswer:
    rule, by = operation_of(points, known)
    if by != 1 and may_stay_unasked(points, known):
        raise UnsupportedCondition("counts questions that are not asked in a mean")
    if by != 1 or points.constant:
        raise UnsupportedCondition("is neither a sum of points nor their mean")
    step = Fraction(1, 10) if "mean" in rule else Fraction(1)
    low, high = bound_points(points, known)
    ends = (low // step * step, -(-high // step) * step, step)
    if ends[0] == ends[1]:
        raise UnsupportedCondition("does not depend on any answer")
    return DerivedAnswer(type="number", derived=rule, range=ends, used=used_by(points))


def used_by(points: Points) -> list[str]:
    return [*points.of, *points.held]


def yes_or_no(yes: str, no: str) -> list[tuple[str, str]]:
    if (no, yes) in YES_AND_NO:
        raise UnsupportedCondition("calls the opposite Yes")
    return [(yes, "yes"), (no, "no")]


def derive_bands(
    branches: Sequence[tuple[PointsRange, str]], last: str, known: Mapping[str, EarlierQuestion]
) -> DerivedAnswer:
    """The answer that depends on where the points are."""
    points = branches[0][0].points
    if any(limits.points != points for limits, _ in branches):
        raise UnsupportedCondition("compares different sums")
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
        raise UnsupportedCondition("has a result that is impossible, or in two places")
    bounds = [bound_of(value * by) for value, _ in bands[1:]]
    used = used_by(points)
    if len(texts) == 2 and (texts[0], texts[1]) not in YES_AND_NO:
        return DerivedAnswer(
            type="yes_no",
            derived=rule | {"at_least": bounds[0]},
            results=yes_or_no(texts[1], texts[0]),
            used=used,
        )
    if len(texts) < 2:
        raise UnsupportedCondition("has a result that is impossible, or in two places")
    results = [(text, text) for text in texts]
    return DerivedAnswer(
        type="select_one",
        derived=rule | {"bands": [math.floor(low * by), *bounds]},
        results=results,
        used=used,
    )


def bound_of(value: Fraction) -> float | int:
    try:
        return json_number(decimal(value, "bound"))
    except MechanismError as error:
        raise UnsupportedCondition("compares with a number that is not a decimal") from error


def derive_recode(verdicts: Sequence[Conditions], results: Sequence[str]) -> DerivedAnswer:
    """The answer to which the first condition that holds belongs."""
    conditions = [
        {name: as_condition(allowed) for name, allowed in verdict.each.items()}
        for verdict in verdicts
    ]
    used = list(dict.fromkeys(name for each in conditions for name in each))
    if len(set(results)) < len(results):
        raise UnsupportedCondition("has a result that is impossible, or in two places")
    if len(verdicts) == 1:
        operation = "all" if len(used) > 1 and not verdicts[0].any else "any"
        names = yes_or_no(results[0], results[1])
        return DerivedAnswer(
            type="yes_no", derived={operation: conditions[0]}, results=names, used=used
        )
    if any(verdict.any for verdict in verdicts):
        raise UnsupportedCondition("joins different questions with or")
    return DerivedAnswer(
        type="select_one",
        derived={"recode": [*conditions, {}]},
        results=[(each, each) for each in results],
        used=used,
    )


def derive_arm(draws: Sequence[RandomNumber], results: Sequence[str]) -> DerivedAnswer:
    """An experimental arm, with the weights that the probabilities have."""
    if len(set(results)) < len(results) or len(results) > MAX_ARMS:
        raise UnsupportedCondition("has more experimental arms than Candor can draw")
    shares, left, before = list[Fraction](), Fraction(1), Fraction(0)
    if len({draw.name for draw in draws}) > 1:
        raise UnsupportedCondition("mixes different kinds of conditions")
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
        raise UnsupportedCondition(
            "has probabilities that are not whole weights from 1 to %(most)s", most=MAX_WEIGHT
        )
    return DerivedAnswer(
        type="select_one",
        derived={"random": [weight // divisor for weight in weights]},
        results=[(each, each) for each in results],
    )
