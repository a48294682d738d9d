"""The names of coefficients in words, with the labels of their questions."""

from collections.abc import Sequence

from survey.analysis.columns.variables import AnalysisColumn
from survey.analysis.regression.formula import PRODUCT_SIGN
from survey.core.translate import later, translate_constant, translate_list

CONSTANT = later("constant")
# The name of the test of all predictors together.
ALL_PREDICTORS = later("all predictors")


def labelled(name: str, columns: Sequence[AnalysisColumn]) -> str:
    """A coefficient in words: the label of its question, and the answer if it has one.

    The name of a product has a part for each factor, and that of a power ends with `^2`.
    """
    labels = {column.name: column.label for column in columns}
    parts = name.split(PRODUCT_SIGN)
    if len(parts) > 1 and all(part.partition(": ")[0] in labels for part in parts):
        return PRODUCT_SIGN.join(labelled(part, columns) for part in parts)
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
