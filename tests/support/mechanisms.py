"""Randomizers as a question requests them, and the loss of a mean by one."""

import numpy as np

from survey.core.mechanisms import build_randomizer
from survey.core.scores import probabilities, unbiased_scores


def built(privacy, answers=2, kind="choices", special_answers=0):
    return build_randomizer(privacy, kind, answers, special_answers)


def mean_variances(table, points):
    values = np.linspace(-1, 1, points)
    scores = unbiased_scores(table, values[:, np.newaxis])[:, 0]
    return probabilities(table) @ scores**2 - values**2
