"""Columns of cross-tabulations, for several test modules."""

import numpy as np

from survey.definition.survey import parse_survey
from tests.support.analysed import plain, reported
from tests.support.definitions import definition
from tests.support.every_type import asked, letters

TABLE = np.array([[20, 30, 12], [40, 15, 33]])


def listed(counts):
    """Answers in which each cell has this count."""
    places = np.repeat(np.arange(counts.size), counts.reshape(-1))
    return np.unravel_index(places, counts.shape)


def plain_pair(counts):
    a, b = listed(counts)
    return plain(a, counts.shape[0], "a"), plain(b, counts.shape[1], "b")


# Boxes that are reported as one combination.
def pets(r, chosen, special_answers=True, mechanism="joint_boxes"):
    """The question, and stored reports of these combinations."""
    question = parse_survey(
        definition(
            asked("pets", "select_multiple", {"mechanism": mechanism, "epsilon": 3},
                  choices=letters("cdf"), prefer_not_to_say=special_answers),
            budget={"epsilon": 9, "per_respondent": "all"},
        )
    ).fields[0]  # fmt: skip
    return question, reported(r, question.table, chosen).tolist()
