"""The calculations of a form as ODK computes them, for tests: a small evaluator of XPath.

The functions are those of https://docs.getodk.org/form-operators-functions/. An empty answer is the
number NaN, for which every comparison is false except "not equal".
"""

import io
import math
import operator
import re
from collections.abc import Callable, Iterator, Mapping
from fractions import Fraction
from typing import Any
from xml.etree import ElementTree

from pyxform.xls2xform import convert

from tests.browser.tape import DECLINED

TOKEN = re.compile(
    r"\s*(/[\w/.-]+\w|'[^']*'|\d+(?:\.\d+)?|!=|<=|>=|[-=<>(),+*.]|[A-Za-z][\w-]*)\s*"
)
# From the loosest to the tightest.
LEVELS: tuple[dict[str, Callable[[Any, Any], Any]], ...] = (
    {"or": lambda one, other: boolean(one) or boolean(other)},
    {"and": lambda one, other: boolean(one) and boolean(other)},
    {"=": lambda one, other: equal(one, other), "!=": lambda one, other: not equal(one, other)},
    {
        sign: lambda one, other, compare=compare: compare(number(one), number(other))
        for sign, compare in (
            ("<", operator.lt),
            ("<=", operator.le),
            (">", operator.gt),
            (">=", operator.ge),
        )
    },
    {
        "+": lambda one, other: number(one) + number(other),
        "-": lambda one, other: number(one) - number(other),
    },
    {
        "*": lambda one, other: number(one) * number(other),
        "div": lambda one, other: number(one) / number(other),
    },
)


def number(value: Any) -> float:
    try:
        return float(value)
    except ValueError:
        return math.nan


def boolean(value: Any) -> bool:
    if isinstance(value, float):
        return value != 0 and not math.isnan(value)
    return bool(value)


def equal(one: Any, other: Any) -> bool:
    if isinstance(one, bool) or isinstance(other, bool):
        return boolean(one) == boolean(other)
    if isinstance(one, float) or isinstance(other, float):
        return number(one) == number(other)
    return bool(one == other)


def text(value: Any) -> str:
    if isinstance(value, float):
        return str(int(value)) if value.is_integer() else str(value)
    return str(value)


class Calculation:
    """Evaluates one expression, in which paths such as /data/a stand for the answers."""

    def __init__(
        self,
        written: str,
        answers: Mapping[str, str],
        draws: Iterator[float],
        columns: Mapping[str, str] | None = None,
    ) -> None:
        self.tokens, at = list[str](), 0
        while at < len(written):
            match = TOKEN.match(written, at)
            assert match is not None, written[at:]
            self.tokens.append(match[1])
            at = match.end()
        self.answers, self.draws, self.at = answers, draws, 0
        # In the filter of a list, the cells of a choice.
        self.columns = columns or {}

    def value(self) -> str:
        value = self.level(0)
        assert self.at == len(self.tokens), self.tokens[self.at :]
        return text(value)

    def take(self, expected: str = "") -> str:
        token = self.tokens[self.at]
        assert expected in ("", token), (expected, token)
        self.at += 1
        return token

    def level(self, depth: int) -> Any:
        if depth == len(LEVELS):
            return self.operand()
        value = self.level(depth + 1)
        while self.at < len(self.tokens) and self.tokens[self.at] in LEVELS[depth]:
            combine = LEVELS[depth][self.take()]
            value = combine(value, self.level(depth + 1))
        return value

    def operand(self) -> Any:
        token = self.take()
        if token == "-":
            return -number(self.operand())
        if token == "(":
            value = self.level(0)
            self.take(")")
            return value
        if token[0] == "/":
            return self.answers[token.rsplit("/", 1)[1]]
        if token[0] == "'":
            return token[1:-1]
        if token[0].isdigit():
            return float(token)
        if token in self.columns:
            return self.columns[token]
        arguments = []
        self.take("(")
        while self.tokens[self.at] != ")":
            arguments.append(self.level(0))
            if self.tokens[self.at] == ",":
                self.take()
        self.take(")")
        return self.called(token, *arguments)

    def called(self, name: str, *arguments: Any) -> Any:
        if name == "if":
            condition, then, otherwise = arguments
            return then if boolean(condition) else otherwise
        if name == "selected":
            answer, choice = arguments
            return choice in answer.split()
        if name == "count-selected":
            return float(len(arguments[0].split()))
        if name == "coalesce":
            return arguments[0] if arguments[0] != "" else arguments[1]
        if name == "concat":
            return "".join(map(text, arguments))
        if name == "once":
            return arguments[0]
        if name == "not":
            return not boolean(arguments[0])
        assert name == "random", name
        return next(self.draws)


def xform(content: bytes) -> str:
    """The form that pyxform, which ODK and KoboToolbox use, makes of a workbook."""
    return convert(io.BytesIO(content), validate=False, file_type=".xlsx").xform


def calculations(converted: str) -> dict[str, str]:
    """The calculations of a converted form, by the name of the question."""
    binds = ElementTree.fromstring(converted).iter("{http://www.w3.org/2002/xforms}bind")
    return {
        bind.attrib["nodeset"].rsplit("/", 1)[1]: bind.attrib["calculate"]
        for bind in binds
        if bind.get("calculate")
    }


def in_odk(entry: Mapping[str, Any], answer: Any) -> str:
    """An answer as ODK stores it. A skipped question is empty."""
    if answer == DECLINED and (entry.get("optional") or entry["type"] == "number"):
        return ""
    return answer if isinstance(answer, str) else " ".join(answer)


def is_rounded(entry: Mapping[str, Any], found: str, expected: str) -> bool:
    """Whether a number is at most half a step from the answer, to which the page rounds it."""
    return abs(float(found) - float(Fraction(expected))) < entry.get("step", 1) / 2 + 1e-9
