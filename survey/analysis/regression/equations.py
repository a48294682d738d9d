"""A regression as equations: in letters, then with the numbers filled in."""

import math

from survey.analysis.groups.figures import IntervalEstimate
from survey.analysis.regression.coefficients import Coefficient, Regression
from survey.analysis.regression.formula import CONSTANT, PRODUCT_SIGN
from survey.analysis.regression.outcomes import (
    CAUCHIT,
    CLOGLOG,
    LINEAR,
    LINKS,
    LOGISTIC,
    LOGITS,
    MULTINOMIAL,
    ORDERED,
    PROBIT,
)
from survey.core.translate import later, translate, translate_constant, translate_number
from survey.estimation.number_text import Formula, significant

LETTERS = {
    LOGISTIC: later("ln(Pr(answer) / Pr(other answer)) = constant + Σ coefficient × predictor"),
    MULTINOMIAL: later(
        "ln(Pr(answer) / Pr(answer compared with)) = constant + Σ coefficient × predictor"
    ),
    ORDERED: later(
        "ln(Pr(at most this answer) / Pr(a higher one)) = threshold − Σ coefficient × predictor"
    ),
    LINEAR: later("mean = constant + Σ coefficient × predictor"),
    PROBIT: later("Φ⁻¹(Pr(answer)) = constant + Σ coefficient × predictor"),
    CLOGLOG: later("ln(−ln(1 − Pr(answer))) = constant + Σ coefficient × predictor"),
    CAUCHIT: later("tan(π × (Pr(answer) − 1/2)) = constant + Σ coefficient × predictor"),
}
# The left sides of the links, with the answer that has coefficients.
LINKED = {
    PROBIT: "Φ⁻¹(Pr({}))",
    CLOGLOG: "ln(−ln(1 − Pr({})))",
    CAUCHIT: "tan(π × (Pr({}) − 1/2))",
}
# What a coefficient of a link is, in words.
SCALES = {
    PROBIT: later(
        "Each coefficient is a change of Φ⁻¹(Pr), where Pr is the share of “%(answer)s” and Φ⁻¹ "
        "the quantile of the standard normal distribution."
    ),
    CLOGLOG: later(
        "Each coefficient is a change of ln(−ln(1 − Pr)), where Pr is the share of “%(answer)s”."
    ),
    CAUCHIT: later(
        "Each coefficient is a change of tan(π × (Pr − 1/2)), where Pr is the share of "
        "“%(answer)s”. This is the quantile of the standard Cauchy distribution."
    ),
}


def equations(found: Regression) -> tuple[Formula, ...]:
    """One equation for each answer with its own coefficients, or for each threshold.

    A predictor in square brackets is 1 for respondents who gave this answer, else 0.
    """
    letters = translate_constant(LETTERS[found.model])
    if found.model == ORDERED:
        borders = found.coefficients[: len(found.answers) - 1]
        rest = right_side(found.coefficients[len(borders) :])
        return tuple(
            Formula(
                letters,
                translate(
                    "ln(Pr(at most %(answer)s) / Pr(above)) = %(threshold)s − (%(sum)s)",
                    answer=answer,
                    threshold=coefficient_text(border.value),
                    sum=rest,
                ),
            )
            for answer, border in zip(found.answers, borders, strict=False)
        )
    found_for = dict.fromkeys(row.equation for row in found.coefficients)
    return tuple(
        Formula(
            letters,
            f"{left_side(found, equation)} = "
            + right_side([row for row in found.coefficients if row.equation == equation]),
        )
        for equation in found_for
    )


def left_side(found: Regression, equation: str) -> str:
    if found.model == LINEAR:
        return translate("mean of %(question)s", question=found.outcome)
    if found.model in LINKS:
        return LINKED[found.model].format(equation)
    return f"ln(Pr({equation}) / Pr({found.compared_with}))"


def scale_sentence(found: Regression) -> str:
    """The scale of the coefficients; nothing for a mean, whose scale is that of the answers."""
    if found.model in LINKS:
        return translate(SCALES[found.model], answer=found.coefficients[0].equation)
    if found.compared_with is not None:
        return translate(
            "The log odds compare each answer with “%(answer)s”. Each coefficient except the "
            "constant is a change in these log odds.",
            answer=found.compared_with,
        )
    return translate("A coefficient above 0 means higher answers.") if found.answers else ""


def right_side(rows: "list[Coefficient] | tuple[Coefficient, ...]") -> str:
    """The right side, such as `1.2 + 0.03 × age − 0.4 × [region: North]`."""
    text = ""
    for row in rows:
        size = coefficient_text(abs(row.value))
        named = PRODUCT_SIGN.join(
            f"[{part}]" if ": " in part else part for part in row.name.split(PRODUCT_SIGN)
        )
        term = size if row.name == CONSTANT else f"{size} × {named}"
        if text:
            text += f" − {term}" if row.value < 0 else f" + {term}"
        else:
            text = f"−{term}" if row.value < 0 else term
    return text


def coefficient_text(value: float) -> str:
    """A coefficient in an equation, to four digits."""
    return translate_number(significant(value, 4))


def odds_ratios(found: Regression) -> list[IntervalEstimate | None]:
    """e^coefficient of each coefficient, with its interval; without a standard error.

    It is None for constants and thresholds, and in models whose coefficients are no log odds.
    """
    thresholds = len(found.answers) - 1 if found.model == ORDERED else 0
    return [
        None
        if found.model not in LOGITS or place < thresholds or row.name == CONSTANT
        else IntervalEstimate(
            value=odds_ratio_of(row.value),
            standard_error=math.nan,
            low=odds_ratio_of(row.low),
            high=odds_ratio_of(row.high),
            method="",
        )
        for place, row in enumerate(found.coefficients)
    ]


def odds_ratio_of(logit: float) -> float:
    """The odds ratio; infinite if it is too large for a float."""
    try:
        return math.exp(logit)
    except OverflowError:
        return math.inf
