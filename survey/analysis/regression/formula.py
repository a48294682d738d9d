"""The terms of a regression, as researchers write them.

The notation is that of model formulas in R (Wilkinson & Rogers, Appl. Stat. 22 (1973) 392).

* `age` is a predictor.
* `age:region` is a product (interaction) of predictors that are in the model.
* `age*region` is these predictors and their product.
* `I(age^2)` is a power of a number that is in the model.
* `C(region)` makes categories of the values of a predictor.
* `C(region, ref=South)` also compares with this answer.
"""

import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from itertools import combinations

from survey.analysis.columns.variables import AnalysisColumn
from survey.core.errors import UnanswerableQuestion
from survey.core.translate import later, translate_constant, translate_list

NAME = r"[A-Za-z0-9_][\w./+-]*"
POWER = re.compile(rf"I\(\s*({NAME})\s*(?:\^|\*\*)\s*([23])\s*\)")
CATEGORY = re.compile(rf'C\(\s*({NAME})\s*(?:,\s*ref\s*=\s*(?:"([^"]*)"|([^")]*?))\s*)?\)')
# Terms end at spaces, commas and semicolons outside parentheses.
TERM = re.compile(r"(?:[^\s,;()]|\((?:[^()\"]|\"[^\"]*\")*\))+")
MAX_FACTORS = 3
# Between the factors in the name of a product.
PRODUCT_SIGN = " × "


@dataclass(frozen=True)
class ModelTerms:
    """What a formula says in addition to the names of predictors.

    Attributes
    ----------
    names : the predictors that the formula names as terms of their own, each once
    products : for each product, the names of its factors, repeated for a power
    categories : names of predictors whose values are categories
    references : the answer that others are compared with, by predictor
    """

    names: tuple[str, ...] = ()
    products: tuple[tuple[str, ...], ...] = ()
    categories: frozenset[str] = frozenset()
    references: dict[str, str] = field(default_factory=dict)


def split_terms(text: str) -> list[str]:
    """The terms in a text, such as "age:region, I(age^2)".

    Raises UnanswerableQuestion for a parenthesis without its other half.
    """
    rest = TERM.sub("", text)
    if rest.strip(" \t\r\n,;"):
        raise not_a_term(text.strip())
    return TERM.findall(text)


def parse_terms(expressions: Iterable[str]) -> ModelTerms:
    """The terms of a model. Raises UnanswerableQuestion for anything else, and names it."""
    names: list[str] = []
    products: list[tuple[str, ...]] = []
    categories: set[str] = set()
    references: dict[str, str] = {}
    for each in expressions:
        expression = each.strip()
        if power := POWER.fullmatch(expression):
            products.append((power[1],) * int(power[2]))
        elif category := CATEGORY.fullmatch(expression):
            name, reference = category[1], category[2] or category[3]
            names.append(name)
            categories.add(name)
            if reference:
                references[name] = reference.strip()
        elif ":" in expression:
            products.append(product_factors(expression, ":"))
        elif "*" in expression:
            factors = product_factors(expression, "*")
            names += factors
            for size in range(2, len(factors) + 1):
                products += combinations(factors, size)
        elif re.fullmatch(NAME, expression):
            names.append(expression)
        else:
            raise not_a_term(expression)
    unique = {tuple(sorted(factors)): factors for factors in products}
    return ModelTerms(
        tuple(dict.fromkeys(names)), tuple(unique.values()), frozenset(categories), references
    )


def product_factors(expression: str, sign: str) -> tuple[str, ...]:
    """The factors of a product. Raises UnanswerableQuestion if they are not different names."""
    factors = tuple(part.strip() for part in expression.split(sign))
    if not all(re.fullmatch(NAME, factor) for factor in factors):
        raise not_a_term(expression)
    if len(set(factors)) < len(factors):
        raise UnanswerableQuestion(
            "“%(term)s” has the same predictor twice. Write I(%(predictor)s^2) for a square.",
            term=expression,
            predictor=factors[0],
        )
    if len(factors) > MAX_FACTORS:
        raise UnanswerableQuestion(
            "“%(term)s” has more than %(maximum)s factors. Choose fewer.",
            term=expression,
            maximum=MAX_FACTORS,
        )
    return factors


def not_a_term(expression: str) -> UnanswerableQuestion:
    return UnanswerableQuestion(
        "“%(term)s” is not a term of a model. Write a:b, a*b, I(a^2), C(a) or "
        "C(a, ref=answer), where a and b are names of questions.",
        term=expression,
    )


def product_name(factors: Sequence[str]) -> str:
    """The name of a product: `age × region`, or `age^2`."""
    if len(set(factors)) == 1:
        return f"{factors[0]}^{len(factors)}"
    return PRODUCT_SIGN.join(factors)


# --- the names of coefficients in words

CONSTANT = later("constant")
# The name of the test of all predictors together.
ALL_PREDICTORS = later("all predictors")


def coefficient_label(name: str, columns: Sequence[AnalysisColumn]) -> str:
    """A coefficient in words: the label of its question, and the answer if it has one.

    The name of a product has a part for each factor, and that of a power ends with `^2`.
    """
    labels = {column.name: column.label for column in columns}
    parts = name.split(PRODUCT_SIGN)
    if len(parts) > 1 and all(part.partition(": ")[0] in labels for part in parts):
        return PRODUCT_SIGN.join(coefficient_label(part, columns) for part in parts)
    question, colon, answer = name.partition(": ")
    base, power, exponent = question.partition("^")
    if question in (CONSTANT, ALL_PREDICTORS):
        return labels.get(question, translate_constant(question))
    if power and base in labels:
        return f"{labels[base]} ^ {exponent}"
    return labels.get(question, question) + (f" “{answer}”" if colon else "")


def quote_labels(labels: Sequence[str]) -> str:
    """Labels in a sentence. Quotation marks within a label become single."""
    single = str.maketrans("“”", "‘’")
    return translate_list([f"“{label.translate(single)}”" for label in labels])
