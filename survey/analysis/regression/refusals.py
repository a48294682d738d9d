"""Explain why a regression has no coefficients."""

from collections.abc import Sequence

import numpy as np

from survey.analysis.regression.likelihood import Likelihood
from survey.analysis.regression.maximum_likelihood import Fit
from survey.analysis.regression.models import Array, Multinomial, Ordered
from survey.analysis.regression.predictors import Predictors, quote_labels
from survey.core.translate import translate

# Smaller parts, relative to the largest part of a direction, are not named.
MATTERS = 0.1


def refusal(
    likelihood: Likelihood, found: Fit, predictors: Predictors, answers: Sequence[str]
) -> str:
    """A sentence on a fit that is not sound, with advice."""
    if found.endless is not None:
        named = columns_in(likelihood, found.endless, predictors)
        answers_text = answers_in(likelihood, found.endless, answers)
        if not named:
            return translate(
                "The maximum likelihood estimate is that everyone or nobody answered %(answers)s, "
                "so there is nothing to explain. This can happen by chance if there are few "
                "responses or an answer is rare.",
                answers=answers_text,
            )
        return translate(
            "The likelihood has no maximum: it grows with the coefficients of %(predictors)s "
            "without limit. In some group of respondents, probably all or none answered "
            "%(answers)s. This can happen by chance in a small group. Remove the predictor, merge "
            "its rare answers, or wait for more responses.",
            predictors=quote_labels(named),
            answers=answers_text,
        )
    if found.flat is not None:
        named = columns_in(likelihood, found.flat, predictors)
        return undetermined_coefficients(named)
    model = likelihood.model
    if isinstance(model, Ordered):
        thresholds = found.theta[: model.answers - 1]
        meets = int(np.argmin(np.diff(thresholds))) + 1 if model.answers > 2 else 0
        return translate(
            "The maximum likelihood estimate is that hardly anyone answered “%(answer)s”, so the "
            "ordered model has no thresholds. Choose the multinomial or the linear model, or wait "
            "for more responses.",
            answer=answers[meets],
        )
    return translate(
        "The search for the maximum likelihood estimate did not converge. Choose fewer "
        "predictors, or wait for more responses."
    )


def undetermined_coefficients(named: Sequence[str]) -> str:
    """That the reports do not determine some coefficients: those named, if any."""
    if not named:
        return translate(
            "These reports do not determine the coefficients: other values fit equally well. "
            "Remove a predictor, or wait for more responses."
        )
    return translate(
        "These reports do not determine the coefficients of %(predictors)s: other values fit "
        "equally well. Remove a predictor, or wait for more responses.",
        predictors=quote_labels(named),
    )


def sizes_in(likelihood: Likelihood, direction: Array) -> Array:
    """The sizes of a direction's parts, by linear predictor and column of the design."""
    inside = likelihood.spread @ direction[: likelihood.of_model]
    sizes: Array = np.abs(inside).reshape(likelihood.model.answers - 1, -1)
    return np.asarray(sizes / np.abs(direction).max())


def columns_in(likelihood: Likelihood, direction: Array, predictors: Predictors) -> list[str]:
    """The names of the columns in a direction, without the constant."""
    sizes = sizes_in(likelihood, direction)[:, 1:].max(axis=0)
    return [predictors.names[place] for place in np.flatnonzero(sizes >= MATTERS)]


def answers_in(likelihood: Likelihood, direction: Array, answers: Sequence[str]) -> str:
    """The answers whose logits are in a direction."""
    model = likelihood.model
    if not isinstance(model, Multinomial) or model.answers == 2:
        *most, last = (f"“{answer}”" for answer in answers)
        return translate("%(most)s or %(last)s", most=translate(", ").join(most), last=last)
    sizes = sizes_in(likelihood, direction).max(axis=1)
    return quote_labels([answers[k] for k, size in zip(model.others, sizes, strict=True)
                   if size >= MATTERS])  # fmt: skip
