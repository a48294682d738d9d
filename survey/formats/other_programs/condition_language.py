"""Conditions of other programs: parsed like those of an XLSForm, and written as such.

The languages differ in the names of questions and the words of operators, which a subclass of
`OtherExpression` has. A function that Candor does not know keeps its name, so that a note names it.
"""

import re
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import ClassVar

from survey.formats.xlsform.expressions import (
    CALCULATED,
    COMPARED,
    MIRRORED_SIGNS,
    OPERATORS,
    Expression,
    ExpressionParser,
    UnsupportedCondition,
    truth_of,
    with_constants,
)

SYNONYMS = {
    "&&": "and",
    "||": "or",
    "!": "not",
    "==": "=",
    "===": "=",
    "eq": "=",
    "equal": "=",
    "<>": "!=",
    "!==": "!=",
    "ne": "!=",
    "notequal": "!=",
    "lt": "<",
    "less": "<",
    "le": "<=",
    "lessorequal": "<=",
    "gt": ">",
    "greater": ">",
    "ge": ">=",
    "greaterorequal": ">=",
    "/": "div",
    "%": "mod",
    "contain": "contains",
    "notcontain": "notcontains",
}
WORD_OPERATORS = ("contains", "notcontains", "anyof", "allof", "noneof")
AFTER_OPERAND = ("empty", "notempty")
# The operators that are words. They can have capital letters.
WORDS = {
    *("not", *AFTER_OPERAND, *WORD_OPERATORS),
    *(word for words in OPERATORS for word in words if word.isalpha()),
}
# How the boxes of a question with several answers are compared.
TICKED = {"1", "y", "yes", "true"}
UNTICKED = {"0", "n", "no", "false", ""}


def token_pattern(names: str) -> re.Pattern[str]:
    """The tokens of a language in which questions have such names."""
    return re.compile(
        rf"\s*(?:(?P<text>'[^']*'|\"[^\"]*\")|(?P<name>{names})|(?P<number>\d+\.?\d*|\.\d+)"
        r"|(?P<sign>[!=]==?|<>|<=|>=|&&|\|\||[][=<>(),!+*/%-])|(?P<word>[A-Za-z_][\w.]*))"
    )


class OtherExpression(ExpressionParser):
    """Parses an expression of another program. A subclass has its tokens."""

    operators: ClassVar = tuple(
        (*words, *WORD_OPERATORS) if "=" in words else words for words in OPERATORS
    )

    def __init__(self, text: str):
        super().__init__(text, (), None)

    def peek(self, after: int = 0) -> str:
        token = super().peek(after)
        return SYNONYMS.get(token.lower(), token.lower() if token.lower() in WORDS else token)

    def operand(self) -> Expression:
        first = self.at
        if self.peek() in ("not", "["):
            self.require_depth()
            if self.take() == "not":
                found = with_constants("not", (self.operand(),), self.since(first))
            else:
                found = Expression("call", "list", self.items(), self.since(first))
            self.depth -= 1
        else:
            found = super().operand()
        while self.peek() in AFTER_OPERAND:
            found = Expression("call", self.take(), (found,), self.since(first))
        return found

    def items(self) -> tuple[Expression, ...]:
        """The parts of a list up to its closing bracket."""
        parts = list[Expression]()
        while self.peek() != "]":
            parts.append(self.level(0))
            if self.peek() != "]":
                self.take(",")
        self.take("]")
        return tuple(parts)


@dataclass(frozen=True)
class Reference:
    """What an expression of another program means by a name.

    Attributes
    ----------
    name : the question in the form
    values : the choices in the form, by the values in the file
    ticked : the choice whose box it is, if it is a box of a question with several answers
    """

    name: str
    values: Mapping[str, str] = field(default_factory=dict)
    ticked: str = ""


class XPathWriter:
    """Writes expressions of another program as those of an XLSForm.

    All methods raise UnsupportedCondition for what has no counterpart.
    """

    def __init__(self, references: Mapping[str, Reference]):
        self.references = references

    def reference(self, expression: Expression) -> Reference:
        name = str(expression.value)
        return self.references.get(name, Reference(name))

    def condition(self, expression: Expression) -> str:
        """An expression that is true or false."""
        parts = expression.parts
        if (truth := truth_of(expression)) is not None:
            return "true()" if truth else "false()"
        if expression.kind == "name":
            return self.write_answered(expression)
        if expression.calls("and", "or"):
            return f" {expression.value} ".join(f"({self.condition(part)})" for part in parts)
        if expression.calls("not", "empty", "is_empty") and len(parts) == 1:
            inner = self.condition if expression.calls("not") else self.write_answered
            return f"not({inner(parts[0])})"
        if expression.calls("notempty") and len(parts) == 1:
            return self.write_answered(parts[0])
        if expression.calls(*WORD_OPERATORS):
            return self.contains(expression)
        if expression.calls(*MIRRORED_SIGNS):
            return self.write_comparison(expression)
        return self.value(expression)

    def write_answered(self, expression: Expression) -> str:
        """Whether a question has an answer, or whether a box is ticked."""
        reference = self.reference(expression)
        if expression.kind != "name":
            return f"{self.value(expression)} != ''"
        if reference.ticked:
            return f"selected(${{{reference.name}}}, {quote_xpath(reference.ticked)})"
        if "true" in reference.values:
            return f"${{{reference.name}}} = {quote_xpath(reference.values['true'])}"
        return f"${{{reference.name}}} != ''"

    def contains(self, expression: Expression) -> str:
        """Whether some or all of the choices in a list are chosen."""
        question, given = expression.parts
        each = given.parts if given.calls("list") else (given,)
        name, values = f"${{{self.reference(question).name}}}", self.reference(question).values
        if question.kind != "name" or not each or any(part.kind != "constant" for part in each):
            raise unsupported_comparison()
        texts = [values.get(constant_text(part), constant_text(part)) for part in each]
        joined = " and " if expression.calls("allof") else " or "
        found = joined.join(f"selected({name}, {quote_xpath(text)})" for text in texts)
        return f"not({found})" if expression.calls("notcontains", "noneof") else found

    def write_comparison(self, expression: Expression) -> str:
        """A comparison."""
        (left, right), sign = expression.parts, str(expression.value)
        if left.kind == "constant" and right.kind == "name":
            left, right, sign = right, left, MIRRORED_SIGNS[sign]
        if left.kind != "name" or right.kind != "constant":
            return f"{self.value(left)} {sign} {self.value(right)}"
        reference, text = self.reference(left), constant_text(right)
        if not reference.ticked:
            value = quote_xpath(reference.values[text]) if text in reference.values else None
            return f"${{{reference.name}}} {sign} {value or self.value(right)}"
        if sign not in ("=", "!=") or text.lower() not in TICKED | UNTICKED:
            raise unsupported_comparison()
        ticked = self.write_answered(left)
        return ticked if (text.lower() in TICKED) == (sign == "=") else f"not({ticked})"

    def value(self, expression: Expression) -> str:
        """An expression that is a number, a text or an answer."""
        name, parts = str(expression.value), expression.parts
        if expression.is_constant(str):
            return quote_xpath(name)
        if expression.kind == "constant":
            return expression.source
        if expression.kind == "name":
            reference = self.reference(expression)
            found = f"${{{reference.name}}}"
            return f"if({self.write_answered(expression)}, 1, 0)" if reference.ticked else found
        if expression.calls(*CALCULATED) and len(parts) == 2:
            return f"({self.value(parts[0])} {name} {self.value(parts[1])})"
        if expression.calls("if", "iif") and len(parts) == 3:
            texts = ", ".join([self.condition(parts[0]), *map(self.value, parts[1:])])
            return f"if({texts})"
        if expression.calls("and", "or", "not", *COMPARED, "=", "!="):
            return self.condition(expression)
        return f"{name}({', '.join(map(self.value, parts))})"


def constant_text(constant: Expression) -> str:
    """A constant as a choice writes it: 1 as "1", true as "true"."""
    if constant.is_constant(bool):
        return str(constant.value).lower()
    return str(constant.value)


def quote_xpath(text: str) -> str:
    """A text as XPath 1.0 writes it, which has no escapes."""
    sign = '"' if "'" in text else "'"
    if sign in text:
        raise unsupported_comparison()
    return f"{sign}{text}{sign}"


def unsupported_comparison() -> UnsupportedCondition:
    return UnsupportedCondition("compares choices in a way that Candor does not support")
