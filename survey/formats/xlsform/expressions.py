"""The grammar of expressions in an XLSForm: a text becomes a tree, in which constants are computed.

Conditions, constraints and calculations all have this grammar, a part of XPath 1.0
(https://docs.getodk.org/form-logic/#form-logic-expressions). `${name}` is the answer to a question.
Outside repeats, which Candor leaves out, the paths `../name` and `/data/group/name` are the same.
"""

import math
import operator
import re
from collections.abc import Callable, Collection, Iterator, Mapping
from dataclasses import dataclass
from fractions import Fraction
from typing import ClassVar

from survey.core.translate import translate, translate_error
from survey.formats.xlsform.vocabulary import NO, YES

MAX_EXPRESSION_CHARACTERS = 2_000
MAX_NESTED_PARENTHESES = 30
# A longer number would take too long to calculate with.
MAX_CONSTANT_DIGITS = 40
SELF = "."  # the name of a constraint's own question
# Names of any script, with their marks.
STEP = r"[^\s/()\[\]{},;'\"=<>!+*|$@]+"
PATH = rf"(?:current\(\)\s*/\s*)?(?:\.\.?\s*/\s*)+(?:{STEP}/)*{STEP}|/(?:{STEP}/)*{STEP}"
NAME = rf"\$\{{\s*[^{{}}]+?\s*\}}|{PATH}"
TOKEN = re.compile(
    rf"\s*(?:(?P<text>'[^']*'|\"[^\"]*\")|(?P<name>{NAME})|(?P<number>\d+\.?\d*|\.\d+)"
    r"|(?P<sign>!=|<=|>=|[][=<>(),.+*-])|(?P<word>[A-Za-z_][\w:.-]*))"
)
MIRRORED_SIGNS = {"=": "=", "!=": "!=", "<": ">", ">": "<", "<=": ">=", ">=": "<="}
# From the loosest to the tightest.
OPERATORS = (
    ("or",),
    ("and",),
    ("=", "!="),
    ("<", "<=", ">", ">="),
    ("+", "-"),
    ("*", "div", "mod"),
)
COMPARED: dict[str, Callable[[Fraction, Fraction], bool]] = {
    "<": operator.lt, "<=": operator.le, ">": operator.gt, ">=": operator.ge,
}  # fmt: skip
CALCULATED: dict[str, Callable[[Fraction, Fraction], Fraction]] = {
    "+": operator.add, "-": operator.sub, "*": operator.mul, "div": operator.truediv,
    "mod": lambda one, other: one - other * math.trunc(one / other),
}  # fmt: skip


class UnsupportedCondition(ValueError):
    """An expression that Candor cannot store. The sentence says why, with its values."""

    def __init__(self, sentence: str, /, **values: object):
        super().__init__(translate_error(sentence, **values))


# Two expressions are equal only if they are the same place of the text.
@dataclass(frozen=True, eq=False)
class Expression:
    """A part of an expression.

    Attributes
    ----------
    kind : "constant", "name" for the answer to a question, or "call" for a function or operator
    value : the constant, which is a text, a number or a truth value; the name; or the function
    parts : the arguments of a function or operator
    source : the text of this part
    """

    kind: str
    value: str | Fraction | bool
    parts: tuple["Expression", ...] = ()
    source: str = ""

    def calls(self, *names: str) -> bool:
        """Whether this is one of these functions or operators."""
        return self.kind == "call" and self.value in names

    def is_constant(self, kind: type) -> bool:
        """Whether this is a constant text (str), number (Fraction) or truth value (bool)."""
        return self.kind == "constant" and isinstance(self.value, kind)

    def joined_by(self, word: str) -> tuple["Expression", ...]:
        """The parts that `and` or `or` joins; only this part if it is joined otherwise."""
        return self.parts if self.calls(word) else (self,)


def parse_expression(
    text: str, unasked: Collection[str] = (), columns: Mapping[str, str] | None = None
) -> Expression:
    """The tree of an expression. A cell with yes or no alone is true or false, as in XLSForm.

    The answer to the questions in `unasked`, which nobody is asked, is the empty text. In the
    filter of a list, the name of one of its `columns` is the cell of a choice.

    Raises UnsupportedCondition if the text is too long, or is no expression.
    """
    if text.lower() in YES | NO:
        return Expression("constant", text.lower() in YES, (), text)
    return ExpressionParser(text, unasked, columns).whole()


def names_in(text: str) -> set[str]:
    """The names of questions in a cell, also in one that is no expression."""
    return {referred_name(match[0]) for match in re.finditer(NAME, text)}


def words_in(text: str) -> set[str]:
    """The names without a sign in a cell, such as those of columns and functions."""
    return {match["word"] for match in TOKEN.finditer(text) if match["word"]}


def referred_name(written: str) -> str:
    """The question of `${name}`, or of a path, whose last part is the name."""
    return written[2:-1].strip() if written.startswith("$") else written.rsplit("/", 1)[-1].strip()


class ExpressionParser:
    """Parses an expression by recursive descent.

    A subclass for another language has other tokens, and may have other operators.
    """

    token: ClassVar[re.Pattern[str]] = TOKEN
    operators: ClassVar[tuple[tuple[str, ...], ...]] = OPERATORS

    def __init__(self, text: str, unasked: Collection[str], columns: Mapping[str, str] | None):
        if len(text) > MAX_EXPRESSION_CHARACTERS:
            raise UnsupportedCondition("is too long")
        self.text, self.unasked, self.columns = text, unasked, columns
        self.tokens = list(self.split(text))
        self.at = self.depth = 0

    @classmethod
    def split(cls, text: str) -> Iterator[re.Match[str]]:
        at = 0
        while text[at:].strip():
            match = cls.token.match(text, at)
            if match is None:
                rest = repr(text[at:].strip()[:20])
                raise UnsupportedCondition("cannot be parsed from %(text)s on", text=rest)
            yield match
            at = match.end()

    def peek(self, after: int = 0) -> str:
        place = self.at + after
        return self.tokens[place][0].strip() if place < len(self.tokens) else ""

    def kind(self) -> str:
        return str(self.tokens[self.at].lastgroup) if self.at < len(self.tokens) else ""

    def take(self, expected: str = "") -> str:
        token = self.peek()
        if not token or expected not in ("", token):
            raise self.unexpected_token()
        self.at += 1
        return token

    def unexpected_token(self) -> UnsupportedCondition:
        place = repr(self.peek()) if self.peek() else translate("its end")
        return UnsupportedCondition("cannot be parsed at %(place)s", place=place)

    def since(self, first: int) -> str:
        """The text from a token up to the last one that was taken."""
        return self.text[self.tokens[first].start() : self.tokens[self.at - 1].end()].strip()

    def whole(self) -> Expression:
        expression = self.level(0)
        if self.at < len(self.tokens):
            raise self.unexpected_token()
        return expression

    def level(self, depth: int) -> Expression:
        """Parts that the operators of a level join."""
        if depth == len(self.operators):
            return self.operand()
        first, found, joined = self.at, self.level(depth + 1), ""
        parts = [found]
        while self.peek() in self.operators[depth]:
            joined = self.take()
            parts.append(self.level(depth + 1))
            if joined not in ("and", "or"):  # These join any number of parts.
                parts = [with_constants(joined, tuple(parts), self.since(first))]
        return (
            parts[0] if len(parts) == 1 else with_constants(joined, tuple(parts), self.since(first))
        )

    def require_depth(self) -> None:
        """Enter one more pair of parentheses. Raises UnsupportedCondition if there are too many."""
        self.depth += 1
        if self.depth > MAX_NESTED_PARENTHESES:
            raise UnsupportedCondition("is nested too deeply")

    def operand(self) -> Expression:
        self.require_depth()
        first, kind = self.at, self.kind()
        if self.peek() == "-":
            self.take()
            found = with_constants("-", (self.operand(),), self.since(first))
        elif self.peek() == "(":
            self.take()
            found = self.level(0)
            self.take(")")
        elif kind == "text":
            found = Expression("constant", self.take()[1:-1].strip(), (), self.since(first))
        elif kind == "number":
            found = Expression("constant", Fraction(self.take()), (), self.since(first))
        elif kind == "name":
            name = self.name_of(self.take())
            kind, value = ("constant", "") if name in self.unasked else ("name", name)
            found = Expression(kind, value, (), self.since(first))
        elif self.peek() == SELF:
            found = Expression("name", self.take(), (), SELF)
        elif kind == "word":
            found = self.call()
        else:
            raise self.unexpected_token()
        found = self.steps(found, first)
        self.depth -= 1
        return found

    @staticmethod
    def name_of(written: str) -> str:
        """The name of the question to which a token refers."""
        return referred_name(written)

    def call(self) -> Expression:
        """A function with its arguments, or the cell of a column.

        Candor knows no other name without arguments.
        """
        first, name, parts = self.at, self.take(), list[Expression]()
        if any(name in words for words in self.operators):
            self.at = first
            raise self.unexpected_token()
        if self.peek() != "(" and self.columns is not None:
            if name not in self.columns:
                raise UnsupportedCondition(
                    "names %(name)s, which is no column of the sheet choices", name=repr(name)
                )
            return Expression("constant", self.columns[name], (), name)
        if self.peek() == "(":
            self.take()
            while self.peek() != ")":
                parts.append(self.level(0))
                if self.peek() != ")":
                    self.take(",")
            self.take(")")
        return with_constants(name, tuple(parts), self.since(first))

    def steps(self, found: Expression, first: int) -> Expression:
        """An operand with the steps and filters of a path into other data, if it has any."""
        while self.peek() == "[" or (self.kind() == "name" and self.peek()[0] == "/"):
            if self.take() == "[":
                self.level(0)
                self.take("]")
            source = self.since(first)
            found = Expression("call", source, (), source)
        return found


def with_constants(name: str, parts: tuple[Expression, ...], source: str) -> Expression:
    """A function or operator of these parts, or the constant that it always is."""
    if name in ("and", "or"):
        decided = name == "or"  # One such part decides the whole, and the others do not matter.
        rest = tuple(part for part in parts if truth_of(part) is not (not decided))
        if not rest or any(truth_of(part) is decided for part in rest):
            return Expression("constant", decided if rest else not decided, (), source)
        return rest[0] if len(rest) == 1 else Expression("call", name, rest, source)
    if name == "if" and len(parts) == 3 and (truth := truth_of(parts[0])) is not None:
        return parts[1] if truth else parts[2]
    value = constant_of(name, parts)
    if value is None:
        return Expression("call", name, parts, source)
    return Expression("constant", value, (), source)


def truth_of(part: Expression) -> bool | None:
    """Whether a constant is true: a number other than 0, a text that is not empty; or None."""
    return bool(part.value) if part.kind == "constant" else None


def constant_of(name: str, parts: tuple[Expression, ...]) -> str | Fraction | bool | None:
    """What a function or operator of constants is; None if it is not always the same."""
    values = [part.value for part in parts if part.kind == "constant"]
    if len(values) < len(parts):
        return None
    if name in ("true", "false") and not values:
        return name == "true"
    if name in ("not", "boolean") and len(values) == 1:
        return bool(values[0]) == (name == "boolean")
    if name == "selected" and len(values) == 2:
        return str(values[1]) in str(values[0]).split()
    if name in ("=", "!="):
        one, other = values
        if isinstance(one, bool) or isinstance(other, bool):
            same = bool(one) == bool(other)
        elif isinstance(one, str) and isinstance(other, str):
            same = one == other
        else:
            same = constant_number(one) is not None and constant_number(one) == constant_number(
                other
            )
        return same == (name == "=")
    numbers = [number for value in values if (number := constant_number(value)) is not None]
    if len(numbers) < len(values) or not numbers:
        return False if name in COMPARED else None  # Every comparison with "not a number" is false.
    if name in COMPARED:
        return COMPARED[name](numbers[0], numbers[1])
    if name == "number" and len(numbers) == 1:
        return numbers[0]
    if name == "-" and len(numbers) == 1:
        return -numbers[0]
    if name in CALCULATED and not (name in ("div", "mod") and not numbers[1]):
        return CALCULATED[name](numbers[0], numbers[1])
    return None


def constant_number(value: str | Fraction | bool) -> Fraction | None:
    """A constant as a number, or None if it is none."""
    if not isinstance(value, str):
        return Fraction(value)
    is_number = len(value) <= MAX_CONSTANT_DIGITS and re.fullmatch(r"-?\d+(\.\d*)?|-?\.\d+", value)
    return Fraction(value) if is_number else None
